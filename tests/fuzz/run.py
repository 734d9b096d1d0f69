#!/usr/bin/env python3
"""Runs the fuzzers, each for a while, over what the scenarios hold and what earlier runs found worth keeping.

tests/fuzz/README.md tells more. What was found lies in build/fuzz/findings, what was printed in build/fuzz/logs.

    tests/fuzz/run.py [--seconds N] [--jobs N] [--only NAME ...]
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import seeds

ROOT = seeds.ROOT
PROGRAMS = ROOT / "build" / "asan" / "tests" / "fuzz"
BUILD = ROOT / "build" / "fuzz"
REGRESSIONS = Path(__file__).resolve().parent / "regressions"

# Leaks are what the unit tests look for. Containers are shared with Arrow, which is not instrumented.
SANITIZERS = {
    "ASAN_OPTIONS": "detect_leaks=0:detect_container_overflow=0:allocator_may_return_null=1",
    "ASAN_SYMBOLIZER_PATH": shutil.which("addr2line") or "",
    "UBSAN_OPTIONS": "print_stacktrace=1",
}


def command_line(name, seconds):
    corpus = BUILD / "corpus" / name
    for folder in (corpus, BUILD / "findings", BUILD / "logs"):
        folder.mkdir(parents=True, exist_ok=True)
    known = [folder for folder in (BUILD / "seeds" / name, REGRESSIONS / name) if folder.is_dir()]
    return [
        PROGRAMS / f"{name}_fuzz", corpus, *known,
        f"-max_total_time={seconds}", f"-max_len={seeds.LARGEST}", "-timeout=20", "-rss_limit_mb=3000",
        "-detect_leaks=0", "-print_final_stats=1", "-print_funcs=0", f"-artifact_prefix={BUILD}/findings/{name}-",
    ]


def fuzz(name, seconds):
    """(name, what to say, whether nothing was found)."""
    # Parsers that take a path read from memory where the machine has such a folder.
    memory = Path("/dev/shm")
    log = BUILD / "logs" / f"{name}.log"
    line = command_line(name, seconds)
    with tempfile.TemporaryDirectory(prefix="pentimento-fuzz-", dir=memory if memory.is_dir() else None) as place:
        with open(log, "wb") as output:
            done = subprocess.run(line, env={**os.environ, **SANITIZERS, "TMPDIR": place}, stdout=output,
                                  stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, check=False)
    text = log.read_text(errors="replace")
    executions = re.search(r"stat::number_of_executed_units: *(\d+)", text)
    kept = len(os.listdir(BUILD / "corpus" / name))
    said = f"{name}: {executions[1] if executions else 'unknown'} executions, {kept} inputs kept"
    if done.returncode == 0:
        return name, said, True
    tail = "\n".join(f"  {line}" for line in text.splitlines() if not line.startswith(("#", "stat::")))[-6000:]
    return name, f"{said}\nFOUND, exit code {done.returncode}; all of it is in {log}:\n{tail}", False


def main():
    names = sorted(path.name.removesuffix("_fuzz.cc") for path in Path(__file__).parent.glob("*_fuzz.cc"))
    parser = argparse.ArgumentParser(description="Run the fuzzers of tests/fuzz.")
    parser.add_argument("--seconds", type=int, default=30, metavar="N", help="for each of them (30)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="fuzzers at a time (2)")
    parser.add_argument("--only", nargs="+", choices=names, default=names, metavar="NAME", help=f"some of {', '.join(names)}")
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "pentimento", metavar="FILE",
                        help="the command that makes releases to begin with (build/pentimento)")
    arguments = parser.parse_args()
    seeds.make(BUILD / "seeds", arguments.command.resolve())
    found = []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for name, said, is_clean in pool.map(lambda name: fuzz(name, arguments.seconds), arguments.only):
            print(said, flush=True)
            if not is_clean:
                found.append(name)
    print(f"{len(arguments.only) - len(found)} fuzzers found nothing, {len(found)} did" + "".join(f" {n}" for n in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
