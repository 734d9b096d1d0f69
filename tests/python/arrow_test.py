"""One libarrow in a process: that of pyarrow, whoever loads it first; and what is said where it is not there."""

import os
import subprocess
import sys
import textwrap
import unittest
from pathlib import Path

from people import ROOT, WithPeople

BARE = ROOT / "build" / "python-bare" / "bin" / "python"  # the wheel, and polars; no pyarrow

LIBRARIES = """
def libraries():
    lines = open("/proc/self/maps").read().splitlines()
    return {line.split()[-1] for line in lines if "/libarrow.so" in line}
"""
RELEASE = """
import pentimento as pt
with pt.Ledger("ledger") as ledger:
    made = ledger.release(None, "people/policy.toml", "published")
assert made.is_published and len(made.files) > 1
"""


class ArrowTest(WithPeople):
    def run_python(self, *parts, python=sys.executable, **environment):
        script = "\n".join(textwrap.dedent(part) for part in parts)
        done = subprocess.run([python, "-c", script], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_pyarrow_first_gives_its_own_libarrow(self):
        self.run_python("import pyarrow, pyarrow.parquet", LIBRARIES, RELEASE, "assert len(libraries()) == 1, libraries()")

    def test_pyarrow_afterwards_finds_its_own_libarrow(self):
        self.run_python(LIBRARIES, RELEASE, """
            import sys
            assert "pyarrow" not in sys.modules
            assert len(libraries()) == 1
            import pyarrow, pyarrow.parquet
            assert pyarrow.parquet.read_table("people/people.parquet").num_rows == 600
            assert len(libraries()) == 1, libraries()
            """)

    def test_libraries_that_everybody_sees_are_the_same_ones(self):
        for order in ("import pyarrow, pyarrow.parquet", ""):
            elsewhere = RELEASE.replace('"ledger"', f'"ledger{len(order)}"').replace('"published"', f'"published{len(order)}"')
            self.run_python("import os, sys\nsys.setdlopenflags(os.RTLD_NOW | os.RTLD_GLOBAL)", order, LIBRARIES, elsewhere, """
                import pyarrow, pyarrow.parquet
                assert pyarrow.parquet.read_table("people/people.parquet").num_rows == 600
                assert len(libraries()) == 1, libraries()
                """)

    def test_each_pyarrow_gets_the_plugin_of_its_version(self):
        for major in (25, 26):
            folder = ROOT / "build" / "arrow" / str(major)  # scripts/wheel has put it there
            for order in ("import pyarrow", ""):
                self.run_python(order, LIBRARIES, RELEASE.replace('"published"', f'"published-{major}{len(order)}"')
                                .replace('"ledger"', f'"ledger-{major}{len(order)}"'), f"""
                    import pentimento._core as core
                    assert core.arrow_version().startswith("{major}."), core.arrow_version()
                    assert len(libraries()) == 1, libraries()
                    """, PYTHONPATH=str(folder))

    def test_importing_loads_neither_pyarrow_nor_libarrow(self):
        self.run_python(LIBRARIES, """
            import sys
            import pentimento
            assert "pyarrow" not in sys.modules
            assert not libraries()
            """)

    def test_a_process_that_has_only_imported_it_may_fork(self):
        self.run_python("import os\nimport pentimento\nchild = os.fork()\nif child == 0:\n" + textwrap.indent(RELEASE, "    ") +
                        "    os._exit(0)\nassert os.waitpid(child, 0)[1] == 0")

    def test_importing_loads_nothing_that_takes_long(self):
        self.run_python("""
            import sys
            before = set(sys.modules)
            import pentimento
            late = {"subprocess", "asyncio", "numpy", "pandas", "polars", "duckdb"}
            assert not late & (set(sys.modules) - before), late & set(sys.modules)
            """)

    def test_the_command_finds_pyarrow(self):
        command = Path(sys.executable).parent / "pentimento"
        done = subprocess.run([command, "release", "people/policy.toml", "--ledger", "l", "--out", "o"], capture_output=True,
                              text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_without_pyarrow_frames_are_made_and_files_are_told_of(self):
        self.run_python("""
            import polars
            import pentimento as pt
            people = polars.DataFrame({"age": [1, 2, 3, 4] * 5, "disease": ["flu", "cold"] * 10})
            policy = pt.Policy("r", {"age": pt.Numeric(0, 99), "disease": pt.Sensitive()}, [pt.KAnonymity(k=5)])
            with pt.Ledger("ledger") as ledger:
                made = ledger.make(people, policy)
                assert len(polars.DataFrame(made)) == 20
                try:
                    made.publish("published")
                except pt.PolicyError as error:
                    print(error)
            """, python=BARE)
        said = self.run_python("""
            import pentimento as pt
            try:
                pt.Ledger("ledger").release(None, "people/policy.toml", "published")
            except pt.PolicyError as error:
                print(error)
            """, python=BARE)
        self.assertEqual(said, 'files are read and written with pyarrow 25 or 26, which is not installed; '
                               'install it: pip install "pyarrow>=25,<27"\n')
        self.assertFalse(Path("published").exists() and os.listdir("published"))

    def test_another_pyarrow_is_told_in_one_sentence(self):
        folder = Path("other")
        folder.mkdir()
        (folder / "libarrow.so.2400").touch()
        script = f"""
            import pentimento._core as core
            core.set_arrow_folder({str(folder)!r})
            print(core.require_arrow().message)
            """
        self.assertEqual(self.run_python(script, python=BARE),
                         'pyarrow 24 is there, and files are read and written with pyarrow 25 or 26; install it: '
                         'pip install "pyarrow>=25,<27"\n')


if __name__ == "__main__":
    unittest.main()
