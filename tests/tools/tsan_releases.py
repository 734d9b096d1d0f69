#!/usr/bin/env python3
"""Publishes one release of each kind with the command that ThreadSanitizer watches, by several threads.

Unit tests seldom have tables that are long enough to be divided among threads; the command on a table of more rows than two
tasks take (kRowsPerTask in src/base/parallel.h) does. A race ends the command with exit code 66, and so this script.

    tests/tools/tsan_releases.py [--command FILE] [--threads N] [--only KIND ...]
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "same_bytes"))
import flows  # noqa: E402

# Of each flow so many commands, because a second release of a series finds what the first has left behind, on a table of so
# many rows: more than two tasks take (kRowsPerTask), so that three threads have work. A view beside earlier releases takes
# longest by far; there a few rows more than a chunk of src/anonymize/specialize/claim_groups.cc makes two threads count.
MANY = 150_000
KINDS = {"plain": (1, MANY), "incremental": (2, MANY), "xy": (3, 70_000), "alpha-k": (1, MANY), "alpha-k-two-tables": (1, MANY),
         "global": (2, MANY)}
OPTIONS = f"suppressions={ROOT}/tests/tools/tsan.supp:halt_on_error=1:exitcode=66"


class RunFailed(Exception):
    """The command ended with an error, or the sanitizer ended it."""


def run(command, arguments, folder):
    done = subprocess.run([command, *arguments], cwd=folder, env={**os.environ, "TSAN_OPTIONS": OPTIONS},
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    # Where it was told not to halt, a report on a thread that ends late leaves the exit code as it was.
    if done.returncode != 0 or "ThreadSanitizer" in done.stderr:
        raise RunFailed(f"pentimento {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr[-8000:].strip()}")


def publish(command, kind, threads, inputs):
    (flow,) = [flow for flow in flows.FLOWS if flow.name == kind]
    for arguments in flow.commands[:KINDS[kind][0]]:
        run(command, [*arguments, "--ledger", f"ledger-{kind}", "--out", f"out-{kind}", "--threads", threads, "--seed", "20"], inputs)


def main():
    parser = argparse.ArgumentParser(description="One release of each kind under ThreadSanitizer.")
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "tsan" / "pentimento", metavar="FILE",
                        help="a command built with -fsanitize=thread (build/tsan/pentimento)")
    parser.add_argument("--threads", default="4", metavar="N", help="(4)")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS), metavar="KIND", help=f"some of {', '.join(KINDS)}")
    arguments = parser.parse_args()
    command = arguments.command.resolve()
    # The tables are made by the plain command, where there is one: a unit test has the generator at work with several threads.
    plain = ROOT / "build" / "pentimento"
    maker = plain.resolve() if plain.exists() else command
    if not command.is_file() or b"__tsan_init" not in command.read_bytes():
        parser.error(f"{command} is not a command built with -fsanitize=thread, which alone can see a race: scripts/build tsan pentimento")
    failed = []
    with tempfile.TemporaryDirectory(prefix="pentimento-tsan-") as scratch:
        for kind in arguments.only:
            begin = time.monotonic()
            commands, rows = KINDS[kind]
            inputs = Path(scratch) / str(rows)
            try:
                if not inputs.exists():
                    flows.make_inputs(lambda words, folder: run(maker, words, folder), inputs, "csv", rows)
                publish(command, kind, arguments.threads, inputs)
                print(f"{kind}: {commands} of its releases of {rows} rows, no race, {time.monotonic() - begin:.0f} s", flush=True)
            except RunFailed as failure:
                failed.append(kind)
                print(f"{kind}: {failure}", flush=True)
    print(f"tsan_releases: {len(arguments.only) - len(failed)} kinds passed, {len(failed)} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
