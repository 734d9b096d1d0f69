"""Every kind of release, small: what must be out before it, and the command that is made to fail.

Both sweeps use it: sweep.py (system calls that go wrong) and limits.py (memory and threads that run out).
"""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "tests" / "scenarios"


@dataclass
class Kind:
    name: str
    release: str  # the name of the release that is made to fail
    command: list[str]  # run in the kind's folder
    before: list[list[str]]  # commands that are run before, and must work
    whole: bool  # whether its tables are brought to the disk as well: they cannot be made again
    place: str = "out"  # where the release appears


def release(policy, *more):
    return ["release", policy, "--ledger", "ledger", "--out", "out", *more]


def kinds():
    ward, global_q2 = release("ward/q1.toml"), release("global/q2.toml")
    return [
        Kind("plain", "clinic-q1", release("clinic/policy.toml"), [], False),
        Kind("plain-parquet", "clinic-q1", release("clinic/parquet.toml"), [release("clinic/earlier.toml")], False),
        Kind("series-first", "ward-q1", ward, [], False),
        Kind("series", "ward-q2", release("ward/q2.toml"), [ward], False),
        Kind("series-changes", "ward-q2", release("ward/q2.toml", "--changes-only"), [ward], True),
        Kind("xy", "taxation-2026", release("offices/taxation.toml"), [release("offices/immigration.toml")], False),
        Kind("alpha-k", "hospital", release("paper/one-table.toml"), [], False),
        Kind("alpha-k-two-tables", "hospital", release("paper/policy.toml"), [], True),
        Kind("global", "q2", global_q2, [release("global/q1.toml")], True),
        Kind("global-two-tables", "q2", release("global-two/q2.toml"), [release("global-two/q1.toml")], True),
        Kind(
            "import",
            "city-2025",
            ["import", "earlier/table.csv", "--policy", "earlier/policy.toml", "--ledger", "ledger"],
            [],
            True,
            "ledger/imported",
        ),
    ]


def change(path, old, new, to=None):
    text = path.read_text()
    assert old in text, f"{path} has no {old!r}"
    (to or path).write_text(text.replace(old, new))


def make_inputs(folder):
    """The tables and policies of all kinds, from those of the scenarios."""
    for source in ("clinic", "incremental/ward", "xy/offices", "alpha_k/paper", "import/earlier"):
        shutil.copytree(SCENARIOS / source, folder / Path(source).name)
    clinic = folder / "clinic"
    (clinic / "parquet.toml").write_text((clinic / "policy.toml").read_text() + '\n[publish]\nformat = "parquet"\n')
    change(folder / "paper/policy.toml", '"two-tables"', '"generalized"', folder / "paper/one-table.toml")
    for name, form in (("global", "generalized"), ("global-two", "two-tables")):
        make = [sys.executable, SCENARIOS / "global/register/make.py", folder / name, "--people", "200"]
        subprocess.run([*make, "--releases", "2", "--form", form], check=True, stdout=subprocess.DEVNULL)


def prepare(kind, inputs, folder, command):
    """A folder in which the kind's own command can be run."""
    shutil.copytree(inputs, folder)
    for arguments in kind.before:
        done = run(command, arguments, folder)
        assert done.returncode == 0, f"{kind.name}: {' '.join(arguments)}: {done.stderr}"


def run(command, arguments, folder, environment=None, timeout=60, before=None):
    return subprocess.run(
        [command, *arguments],
        cwd=folder,
        env={**{k: v for k, v in os.environ.items() if not k.startswith("PENTIMENTO_")}, **(environment or {})},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=timeout,
        preexec_fn=before,
    )
