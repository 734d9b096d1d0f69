#!/usr/bin/env python3
"""Runs every kind of release with too little memory and with too few threads, and holds it to the law:

  exit code 0, or 4 and a message that says what ran out; no signal, no hang; the next run works.

    tests/faults/limits.py [--steps N] [--kind NAME]... [--jobs N] [--command FILE] [--shim FILE]

Memory is limited as `ulimit -v` does it, from what the program needs to start to what the release needs, in N steps. Threads
are refused by the fault shim, from the first on.
"""

import argparse
import concurrent.futures
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from kinds import ROOT, Kind, kinds, make_inputs, prepare, release, run

PATIENCE = 30  # seconds, after which a run counts as hanging
MEGABYTE = 1 << 20


def large_kinds(inputs, command):
    """Tables that need more memory than the libraries."""
    run(command, ["generate", "large", "--rows", "20000"], inputs)
    run(command, ["generate", "large-parquet", "--rows", "20000", "--format", "parquet"], inputs)
    return [
        Kind("large", "people-q1", release("large/policy.toml"), [], False),
        Kind("large-parquet", "people-q1", release("large-parquet/policy.toml"), [], False),
    ]


def limited(megabytes):
    def set_limit():
        resource.setrlimit(resource.RLIMIT_AS, (megabytes * MEGABYTE, megabytes * MEGABYTE))

    return set_limit


def least(works, low, high):
    """The least number that works, near enough."""
    while high - low > 4:
        middle = (low + high) // 2
        low, high = (low, middle) if works(middle) else (middle, high)
    return high


class Trial:
    def __init__(self, kind, ready, folder, what, arguments, environment=None, before=None):
        self.kind, self.ready, self.folder, self.what = kind, ready, folder, what
        self.command, self.environment, self.before = arguments.command, environment, before

    def problems(self):
        shutil.copytree(self.ready, self.folder)
        try:
            return [f"{self.kind.name} with {self.what}: {problem}" for problem in self.look()]
        finally:
            shutil.rmtree(self.folder)

    def look(self):
        try:
            done = run(self.command, self.kind.command, self.folder, self.environment, PATIENCE, self.before)
        except subprocess.TimeoutExpired:
            yield "hangs"
            return
        said = done.stderr.strip()
        if done.returncode not in (0, 4):
            yield f"exit {done.returncode}: {said}"
        elif done.returncode == 4 and not re.search("not enough (memory|threads)|Cannot allocate memory", said):
            yield f"the message does not say what ran out: {said}"
        next_run = run(self.command, self.kind.command, self.folder)
        if next_run.returncode != 0 and not (next_run.returncode == 2 and "was used on" in next_run.stderr):
            yield f"then the next run gives exit {next_run.returncode}: {next_run.stderr.strip()}"
        check = run(self.command, ["log", "--ledger", "ledger", "--check"], self.folder)
        if check.returncode != 0:
            yield f"then the ledger is not intact: {check.stderr.strip()}"


def least_to_start(command, folder):
    """Megabytes below which the libraries cannot be loaded."""

    def starts(megabytes):
        try:
            return run(command, ["--version"], folder, None, PATIENCE, limited(megabytes)).returncode == 0
        except (OSError, subprocess.SubprocessError):
            return False

    return least(starts, 16, 2048)


def least_to_release(kind, ready, folder, command, low):
    def suffices(megabytes):
        shutil.copytree(ready, folder)
        try:
            return run(command, kind.command, folder, None, PATIENCE, limited(megabytes)).returncode == 0
        except subprocess.TimeoutExpired:
            return False
        finally:
            shutil.rmtree(folder)

    return least(suffices, low, 4096)


def trials(kind, ready, place, low, arguments):
    high = least_to_release(kind, ready, place / "enough", arguments.command, low)
    for step in range(arguments.steps):
        megabytes = low + (high - low) * step // arguments.steps
        name = f"{megabytes} MB of memory"
        yield Trial(kind, ready, place / f"memory-{step}", name, arguments, None, limited(megabytes))
    for threads in range(min(arguments.steps, 6)):
        environment = {"LD_PRELOAD": str(arguments.shim), "FAULT_THREADS": str(threads)}
        yield Trial(kind, ready, place / f"threads-{threads}", f"{threads} more threads", arguments, environment)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", type=Path, default=ROOT / "build/pentimento")
    parser.add_argument("--shim", type=Path, default=ROOT / "build/release/tests/libfault_shim.so")
    parser.add_argument("--kind", action="append")
    parser.add_argument("--steps", type=int, default=12)
    parser.add_argument("--jobs", type=int, default=2)
    arguments = parser.parse_args()
    arguments.command, arguments.shim = arguments.command.resolve(), arguments.shim.resolve()
    problems = []
    with tempfile.TemporaryDirectory(prefix="pentimento-limits-") as name:
        inputs = Path(name) / "inputs"
        inputs.mkdir()
        make_inputs(inputs)
        chosen = kinds() + large_kinds(inputs, arguments.command)
        chosen = [kind for kind in chosen if not arguments.kind or kind.name in arguments.kind]
        low = least_to_start(arguments.command, inputs)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for kind in chosen:
                place = Path(name) / kind.name
                place.mkdir()
                prepare(kind, inputs, place / "ready", arguments.command)
                all_trials = list(trials(kind, place / "ready", place, low, arguments))
                found = [problem for some in pool.map(Trial.problems, all_trials) for problem in some]
                print(f"{kind.name}: {len(all_trials)} trials, {len(found)} problems", flush=True)
                for problem in found:
                    print("  " + problem, flush=True)
                problems += found
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
