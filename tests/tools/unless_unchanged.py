#!/usr/bin/env python3
"""Runs a test program, unless the same program has passed before, with the same libraries, in the same environment.

    tests/tools/unless_unchanged.py PROGRAM [ARGUMENT ...]

Only where PENTIMENTO_PASSED names a folder, which .ci/run does for the tests under sanitizers; otherwise the program just runs. A
program that passes is written down there: the SHA-256 of its bytes, of its arguments, of the libraries that it loads, of the
variables that test programs look at and of the files that these name. The unit tests of src/ read no file of the repository,
so this is all that they depend on. An unchanged program is not run, and that is no success of this run: the exit code is 77,
which CTest calls skipped.
"""

import hashlib
import os
import re
import subprocess
import sys
import time
from pathlib import Path

SKIPPED = 77
VARIABLES = re.compile(r"(ASAN|LSAN|TSAN|UBSAN)_OPTIONS|GTEST_.*|PENTIMENTO_CAMPAIGN")
MOST_DAYS = 30  # what passed longer ago runs again, and is forgotten


def libraries_of(program):
    """The shared libraries that it loads, as ldd says."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    return sorted(re.findall(r"(?:=>\s+|^\s+)(/\S+)", said, re.MULTILINE))


def content(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def key_of(command, environment):
    """What tells this run from others. Not where the clone stands: a program is the same in each, unless it loads libraries from it."""
    parts = [content(command[0]), *command[1:]]
    parts += [f"{Path(library).name} {content(library)}" for library in libraries_of(command[0])]
    for name in sorted(filter(VARIABLES.fullmatch, environment)):
        # Options that name a file count by what it holds.
        words = [content(word) if word.startswith("/") and Path(word).is_file() else word for word in re.split("[=:]", environment[name])]
        parts.append(f"{name} {words}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def forget_old(folder):
    for entry in folder.iterdir():
        if time.time() - entry.stat().st_mtime > MOST_DAYS * 86400:
            entry.unlink(missing_ok=True)


def main():
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    if not os.environ.get("PENTIMENTO_PASSED"):
        os.execv(command[0], command)
    folder = Path(os.environ["PENTIMENTO_PASSED"])
    folder.mkdir(parents=True, exist_ok=True)
    forget_old(folder)
    passed = folder / key_of(command, os.environ)
    if passed.exists():
        print(f"unchanged since it passed: {' '.join(command)}")
        return SKIPPED
    code = subprocess.run(command, check=False).returncode
    if code == 0:
        passed.write_text(f"{Path(command[0]).name}\n")
    if code == SKIPPED:
        return 1  # of the program itself it is a failure
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main())
