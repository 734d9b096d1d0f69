#!/usr/bin/env python3
"""Whether two programs publish the same bytes: the guard of every change that must not change what is published.

    tests/same_bytes/compare.py --base REVISION [--rows N] [--only FLOW ...] [--leave-out NAME ...]
    tests/same_bytes/compare.py --program FILE ...

Every flow runs with the program of the base and with that of the working tree (--command, build/pentimento), as CSV and as
Parquet, with one thread and with two, and a fixed seed. What is in --out and in state/ of the ledger must be equal to the
last byte. --base builds the program of that revision once, in build/same_bytes/. Files named with --leave-out (such as
datapackage.json, where words are meant to change) are not compared; the report counts them.

tests/same_bytes/README.md tells more.
"""

import argparse
import hashlib
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import flows

ROOT = Path(__file__).resolve().parents[2]
SEED = "20"


@dataclass
class Setting:
    format: str
    threads: str

    def __str__(self):
        return f"{self.format}, {self.threads} thread{'' if self.threads == '1' else 's'}"


def build_base(revision):
    """The program of a revision, built in a tree of its own and kept."""
    found = subprocess.run(["git", "rev-parse", "--verify", f"{revision}^{{commit}}"], cwd=ROOT, capture_output=True, text=True)
    if found.returncode != 0:
        sys.exit(f"same_bytes: there is no revision {revision}")
    tree = ROOT / "build" / "same_bytes" / found.stdout.strip()
    program = tree / "build" / "release" / "pentimento"
    if program.is_file():
        return program
    print(f"same_bytes: building {revision} in {tree.relative_to(ROOT)}", flush=True)
    shutil.rmtree(tree, ignore_errors=True)
    subprocess.run(["git", "clone", "--quiet", "--shared", "--no-checkout", ROOT, tree], check=True)
    subprocess.run(["git", "checkout", "--quiet", found.stdout.strip()], cwd=tree, check=True)
    (tree / ".venv").symlink_to(ROOT / ".venv")
    (tree / "build").mkdir()
    subprocess.run(["scripts/build", "release", "pentimento"], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    return program


class RunFailed(Exception):
    """A program that ends with an error publishes other bytes than one that does not."""


def run(program, arguments, folder):
    done = subprocess.run([program, *arguments], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise RunFailed(f"{program} {' '.join(arguments)} ended with {done.returncode}: {done.stderr.strip()}")


def prime(program, inputs, folder):
    """A ledger with a key: identities are keyed hashes, so both programs must begin with the same one."""
    shutil.copytree(inputs, folder)
    run(program, ["release", "prime.toml", "--ledger", "ledger", "--out", "prime", "--seed", SEED], folder)


def publish(program, flow, setting, primed, folder):
    shutil.copytree(primed, folder)
    for arguments in flow.commands:
        more = ["--seed", SEED, "--threads", setting.threads] if arguments[0] == "release" else []
        out = ["--out", "out"] if arguments[0] == "release" else []
        run(program, [*arguments, "--ledger", "ledger", *out, *more], folder)


def fingerprints(folder, left_out):
    """(by file a hash, how many were left out) of what is published and of what the ledger keeps of people."""
    hashes, passed_over = {}, 0
    for part in ("out", "ledger/state"):
        for path in sorted((folder / part).rglob("*")):
            if not path.is_file():
                continue
            if path.name in left_out:
                passed_over += 1
            else:
                hashes[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    return hashes, passed_over


def differences(before, after):
    for name in sorted(before.keys() | after.keys()):
        if name not in before:
            yield f"{name}: only from the working tree"
        elif name not in after:
            yield f"{name}: only from the base"
        elif before[name] != after[name]:
            yield f"{name}: differs"


def compare(programs, flow, setting, primed, place, left_out):
    """(what to say, whether all is equal)."""
    found = []
    for name, program in programs.items():
        try:
            publish(program, flow, setting, primed, place / name)
        except RunFailed as failure:
            return f"{flow.name}, {setting}: {failure}", False
        found.append(fingerprints(place / name, left_out))
    (before, passed_over), (after, _) = found
    if len(before) < flow.fewest_files:
        return f"{flow.name}, {setting}: only {len(before)} files, {flow.fewest_files} or more were expected", False
    different = list(differences(before, after))
    said = f"{flow.name}, {setting}: {len(before)} files" + (f", {passed_over} left out" if passed_over else "")
    if different:
        return "\n  ".join([f"{said}, {len(different)} not the same:", *different]), False
    return f"{said}, the same", True


def main():
    parser = argparse.ArgumentParser(description="Compare what two programs publish, byte by byte.")
    base = parser.add_mutually_exclusive_group(required=True)
    base.add_argument("--base", metavar="REVISION", help="whose program is the yardstick")
    base.add_argument("--program", type=Path, metavar="FILE", help="a program that is there already, instead")
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "pentimento", metavar="FILE", help="the other one")
    parser.add_argument("--rows", type=int, default=4000, metavar="N", help="people in the register (4000)")
    parser.add_argument("--only", nargs="+", choices=[flow.name for flow in flows.FLOWS], metavar="FLOW", help="some flows")
    parser.add_argument("--leave-out", nargs="+", default=[], metavar="NAME", help="files that are not compared")
    arguments = parser.parse_args()
    yardstick = arguments.program.resolve() if arguments.program else build_base(arguments.base)
    programs = {"base": yardstick, "tree": arguments.command.resolve()}
    wanted = [flow for flow in flows.FLOWS if not arguments.only or flow.name in arguments.only]
    unequal = compared = 0
    with tempfile.TemporaryDirectory(prefix="pentimento-same-bytes-") as scratch:
        for file_format in ("csv", "parquet"):
            place = Path(scratch) / file_format
            flows.make_inputs(lambda arguments, folder: run(yardstick, arguments, folder), place / "inputs", file_format, arguments.rows)
            prime(yardstick, place / "inputs", place / "primed")
            for flow in wanted:
                for threads in ("1", "2"):
                    setting = Setting(file_format, threads)
                    said, is_equal = compare(programs, flow, setting, place / "primed", place / f"{flow.name}-{threads}", arguments.leave_out)
                    print(said, flush=True)
                    compared += 1
                    unequal += 0 if is_equal else 1
    print(f"same_bytes: {compared - unequal} passed, {unequal} failed")
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
