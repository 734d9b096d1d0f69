"""What unless_unchanged.py runs again, and what it does not."""

import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

TOOL = Path(__file__).resolve().parent / "unless_unchanged.py"


class UnlessUnchanged(unittest.TestCase):
    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pentimento-unchanged-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.program = self.folder / "program"
        self.write("exit 0")

    def write(self, script):
        self.program.write_text(f"#!/bin/sh\necho ran\n{script}\n")
        self.program.chmod(0o755)

    def run_tool(self, *arguments, passed="passed", **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(("PENTIMENTO_", "GTEST_", "TSAN_"))} | variables
        if passed:
            environment["PENTIMENTO_PASSED"] = str(self.folder / passed)
        done = subprocess.run([sys.executable, TOOL, self.program, *arguments], env=environment, capture_output=True, text=True,
                              check=False)
        return done.returncode, "ran" in done.stdout

    def test_without_a_folder_it_always_runs(self):
        self.assertEqual(self.run_tool(passed=None), (0, True))
        self.assertEqual(self.run_tool(passed=None), (0, True))

    def test_what_passed_is_skipped_and_says_so(self):
        self.assertEqual(self.run_tool(), (0, True))
        self.assertEqual(self.run_tool(), (77, False))

    def test_what_failed_runs_again(self):
        self.write("exit 3")
        self.assertEqual(self.run_tool(), (3, True))
        self.assertEqual(self.run_tool(), (3, True))

    def test_what_fails_with_the_code_of_a_skipped_one_has_failed(self):
        self.write("exit 77")
        self.assertEqual(self.run_tool(), (1, True))

    def test_what_a_signal_ended_runs_again(self):
        self.write("kill -9 $$")
        self.assertEqual(self.run_tool(), (137, True))
        self.assertEqual(self.run_tool(), (137, True))

    def test_a_changed_program_runs(self):
        self.run_tool()
        self.write("exit 0 # changed")
        self.assertEqual(self.run_tool(), (0, True))

    def test_other_arguments_run(self):
        self.run_tool()
        self.assertEqual(self.run_tool("--gtest_repeat=2"), (0, True))

    def test_other_tests_of_it_run(self):
        self.run_tool(GTEST_FILTER="-Slow.*")
        self.assertEqual(self.run_tool(GTEST_FILTER="*"), (0, True))
        self.assertEqual(self.run_tool(GTEST_FILTER="-Slow.*"), (77, False))

    def test_other_suppressions_run(self):
        supp = self.folder / "supp"
        supp.write_text("race:a\n")
        self.run_tool(TSAN_OPTIONS=f"suppressions={supp}:halt_on_error=1")
        self.assertEqual(self.run_tool(TSAN_OPTIONS=f"suppressions={supp}:halt_on_error=1"), (77, False))
        supp.write_text("race:b\n")
        self.assertEqual(self.run_tool(TSAN_OPTIONS=f"suppressions={supp}:halt_on_error=1"), (0, True))

    def test_after_a_month_it_runs_again(self):
        self.run_tool()
        (entry,) = (self.folder / "passed").iterdir()
        month_ago = time.time() - 31 * 86400
        os.utime(entry, (month_ago, month_ago))
        self.assertEqual(self.run_tool(), (0, True))

    def test_where_the_program_stands_does_not_matter(self):
        self.run_tool()
        moved = self.folder / "elsewhere"
        self.program.rename(moved)
        self.program = moved
        self.assertEqual(self.run_tool(), (77, False))

    def test_another_library_runs(self):
        if shutil.which("cc") is None:
            self.skipTest("no compiler")
        (self.folder / "main.c").write_text("int f(void); int main(void) { return f(); }\n")
        for number, body in enumerate(["return 0;", "int x = 0; return x;"]):
            (self.folder / "f.c").write_text(f"int f(void) {{ static const char* version = \"{number}\"; (void)version; {body} }}\n"
                                             f"const char* version{number}(void) {{ return \"{number}\"; }}\n")
            subprocess.run(["cc", "-shared", "-fPIC", "-o", "libf.so", "f.c"], cwd=self.folder, check=True)
            if number == 0:
                subprocess.run(["cc", "-o", "program", "main.c", "-L.", "-lf", f"-Wl,-rpath,{self.folder}"], cwd=self.folder, check=True)
            code, _ = self.run_tool()
            self.assertEqual(code, 0)
        self.assertEqual(self.run_tool()[0], 77)


if __name__ == "__main__":
    unittest.main()
