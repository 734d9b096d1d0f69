#!/usr/bin/env python3
"""Lets system calls that write go wrong, one at a time, in every kind of release, and holds what is left to the law:

  nothing is half published; a release is visible and on record after the next run, or neither; the next run works.

    tests/faults/sweep.py [--every N] [--kind NAME]... [--fault FAULT]... [--jobs N] [--command FILE] [--shim FILE]

Faults: kill (the process dies before the call), lost-log (it dies, and SQLite's log is lost as well), damaged-log (or has
wrong bytes), ENOSPC (the disk is full from this call on), EIO (this call fails), short (a write stores half of its bytes). Besides, the order of calls of an
undisturbed run is held to what a power cut needs. --every N looks at every N-th call only, from a place drawn by --seed.
"""

import argparse
import concurrent.futures
import json
import random
import re
import shutil
import signal
import sys
import tempfile
from pathlib import Path

from kinds import ROOT, kinds, make_inputs, prepare, run

LOG_FAULTS = ["lost-log", "damaged-log"]
FAULTS = ["kill", *LOG_FAULTS, "ENOSPC", "EIO", "short"]


def read_calls(path):
    """The calls in their order, as (call, path, second path)."""
    return [tuple(line.split("\t")[1:]) for line in path.read_text(errors="replace").splitlines()]


# ---- the order of an undisturbed run -----------------------------------------------------------------------------


def order_problems(kind, calls):
    """What a power cut could take from a release that is on record or visible."""
    staging = f"/{kind.place}/.{kind.release}.partial"
    begun = next(i for i, c in enumerate(calls) if c[0] == "mkdir" and c[1].endswith(staging))
    shown = next(i for i, c in enumerate(calls) if c[0] == "rename" and c[1].endswith(staging))
    record = [i for i, c in enumerate(calls) if c[0] == "write" and re.search(r"/ledger\.db(-wal)?$", c[1])]
    opened = next(i for i in record if i > begun)
    problems = []
    if opened > shown:
        problems.append("the release is visible before its entry is opened")
    problems += unsynced(kind, calls, opened, staging)
    # The entry itself: in the database, not in its log alone, before the release is visible.
    last = max(i for i in record if i < shown)
    if not calls[last][1].endswith("ledger.db"):
        problems.append("the entry is only in the log when the release becomes visible")
    for i in (i for i in record if i < shown):
        if ("sync", calls[i][1], "") not in calls[i:shown]:
            problems.append(f"{calls[i][1]} is written and not synced when the release becomes visible")
            break
    if ("sync", calls[shown][2].rsplit("/", 1)[0], "") not in calls[shown:]:
        problems.append("the folder around the release is not synced")
    return problems


def unsynced(kind, calls, opened, staging):
    """Files and folders that are not on the disk when the entry opens."""
    problems = []
    for i, (call, path, second) in enumerate(calls[:opened]):
        later = calls[i + 1 : opened]
        if call == "rename":
            path = second
        name = path.rsplit("/", 1)[-1]
        is_table = re.fullmatch(r"(table|changes|nss|ss.*)(-\d+)?\.(csv|parquet)", name) and "taxonomies" not in path
        of_release = staging in path and not path.endswith(staging)
        if call == "write" and (of_release and (kind.whole or not is_table) or "/ledger/" in path and "-shm" not in path):
            moved = [c[2] for c in later if c[0] == "rename" and c[1] == path]
            gone = ("remove", path, "") in later and not moved
            if not gone and not any(c[0] == "sync" and c[1] in [path, *moved] for c in later):
                if not path.endswith("/lock"):
                    problems.append(f"{path} is not synced when the entry opens")
        if call in ("create", "mkdir", "rename") and not path.endswith(("-shm", "-wal", "/lock", staging)):
            gone = ("remove", path, "") in later or any(c[0] == "rename" and c[1] == path for c in later)
            if not gone and not any(c[0] == "sync" and c[1] == path.rsplit("/", 1)[0] for c in later):
                problems.append(f"{path} is made, and its folder not synced, when the entry opens")
    return sorted(set(problems))


def look_at_order(kind, ready, place, arguments):
    folder = place / "order"
    shutil.copytree(ready, folder)
    log = place / "calls"
    done = run(arguments.command, kind.command, folder, {"LD_PRELOAD": str(arguments.shim), "FAULT_LOG": str(log)})
    assert done.returncode == 0, f"{kind.name}: {done.stderr}"
    calls = [(c, str((folder / a).resolve()) if a else "", str((folder / b).resolve()) if b else "") for c, a, b in read_calls(log)]
    shutil.rmtree(folder)
    return len(calls), order_problems(kind, calls)


# ---- one fault ---------------------------------------------------------------------------------------------------


class Trial:
    """One run with a fault, the look at what is left, the next run, and the look at that."""

    def __init__(self, kind, ready, folder, fault, at, arguments):
        self.kind, self.ready, self.folder, self.fault, self.at = kind, ready, folder, fault, at
        self.command, self.shim = arguments.command, arguments.shim
        self.problems = []

    def wrong(self, what, done=None):
        said = f": exit {done.returncode}: {done.stderr.strip()}" if done else ""
        self.problems.append(f"{self.kind.name}, {self.fault} at call {self.at}: {what}{said}")

    def run(self):
        shutil.copytree(self.ready, self.folder)
        try:
            self.disturb()
            self.read()
            self.carry_on()
        finally:
            shutil.rmtree(self.folder)
        return self.problems

    def is_visible(self):
        return (self.folder / self.kind.place / self.kind.release).exists()

    def disturb(self):
        way = "kill" if self.fault in LOG_FAULTS else self.fault
        environment = {"LD_PRELOAD": str(self.shim), "FAULT_AT": str(self.at), "FAULT_DO": way}
        done = run(self.command, self.kind.command, self.folder, environment)
        if way == "kill":
            # Behind the last call of this run there is nothing to die at.
            if done.returncode not in (0, -signal.SIGKILL):
                self.wrong("not killed", done)
        elif way == "short":
            if done.returncode != 0:
                self.wrong("a short write is no fault", done)
        else:
            self.look_at_refusal(done)
        self.visible = self.is_visible()
        if done.returncode == 0 and not self.visible:
            self.wrong("done, and nothing is visible", done)
        if self.fault in LOG_FAULTS:
            self.harm_log()

    def harm_log(self):
        (self.folder / "ledger/ledger.db-shm").unlink(missing_ok=True)
        log = self.folder / "ledger/ledger.db-wal"
        if self.fault == "lost-log":
            log.unlink(missing_ok=True)
        elif log.exists():
            content = log.read_bytes()
            log.write_bytes(bytes(b ^ 0x55 if i % 997 == 99 else b for i, b in enumerate(content)))

    def look_at_refusal(self, done):
        if done.returncode not in (0, 4):
            self.wrong("exit 0 or 4 is right", done)
        if re.search(r"backup|damaged|internal error", done.stderr):
            self.wrong("the disk is told to be something else", done)
        if done.returncode == 4 and self.is_visible():
            if str(Path(self.kind.place) / self.kind.release) not in done.stderr or "next" not in done.stderr:
                self.wrong("the release is visible, and the message does not say so", done)

    def read(self):
        """Whoever looks at the ledger in between is told something true."""
        done = run(self.command, ["log", "--ledger", "ledger"], self.folder)
        said = done.stdout + done.stderr
        if done.returncode == 2 and "no ledger" in said and not self.visible:
            return
        if done.returncode != 0 and not self.is_told_damage(done):
            self.wrong("the ledger cannot be read afterwards", done)
        if self.visible and done.returncode == 0 and self.kind.release not in done.stdout:
            self.wrong("visible, and not on record", done)

    def is_told_damage(self, done):
        """A log that is lost or damaged in the middle of being merged leaves half of an entry in the database, and that is told."""
        return self.fault in LOG_FAULTS and done.returncode == 4 and "Restore" in done.stderr

    def carry_on(self):
        done = run(self.command, self.kind.command, self.folder)
        if self.is_told_damage(done):
            return
        if self.visible:
            if done.returncode != 2 or "was used on" not in done.stderr:
                self.wrong("visible, and the next run does not know it", done)
        elif done.returncode != 0:
            self.wrong("the next run does not work", done)
        if not self.is_visible():
            self.wrong("the next run does not publish", done)
        self.check()

    def check(self):
        out = [] if self.kind.place != "out" else ["--out", "out"]
        done = run(self.command, ["log", "--ledger", "ledger", "--check", "--json", *out], self.folder)
        if done.returncode != 0:
            self.wrong("not intact in the end", done)
            return
        records = json.loads(run(self.command, ["log", "--ledger", "ledger", "--json"], self.folder).stdout)
        published = [r["release"] for r in records if r["state"] in ("published", "imported")]
        place = self.folder / self.kind.place
        if sorted(published) != sorted(p.name for p in place.iterdir()) or len(set(published)) != len(published):
            self.wrong(f"visible are {sorted(p.name for p in place.iterdir())}, on record {sorted(published)}")
        left = [p.name for p in (self.folder / "ledger").rglob("*.partial")]
        log = self.folder / "ledger/ledger.db-wal"
        if left or log.exists() and log.stat().st_size > 0:
            self.wrong(f"left behind in the ledger: {left}, or a log")


# ---- all of it ---------------------------------------------------------------------------------------------------


def points(kind, fault, calls, arguments):
    draw = random.Random(f"{arguments.seed} {kind.name} {fault}")
    return range(1 + draw.randrange(arguments.every), calls + 1, arguments.every)


def sweep(kind, inputs, place, pool, arguments):
    ready = place / "ready"
    prepare(kind, inputs, ready, arguments.command)
    calls, problems = look_at_order(kind, ready, place, arguments)
    problems = [f"{kind.name}: {problem}" for problem in problems]
    trials = [
        Trial(kind, ready, place / f"{fault}-{at}", fault, at, arguments)
        for fault in arguments.fault
        for at in points(kind, fault, calls, arguments)
    ]
    for found in pool.map(Trial.run, trials):
        problems += found
    print(f"{kind.name}: {calls} calls, {len(trials)} trials, {len(problems)} problems", flush=True)
    return problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [kind.name for kind in kinds()]
    parser.add_argument("--command", type=Path, default=ROOT / "build/pentimento")
    parser.add_argument("--shim", type=Path, default=ROOT / "build/release/tests/libfault_shim.so")
    parser.add_argument("--kind", action="append", choices=names)
    parser.add_argument("--fault", action="append", choices=FAULTS)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=20, help="problems that are shown")
    arguments = parser.parse_args()
    arguments.command, arguments.shim = arguments.command.resolve(), arguments.shim.resolve()
    arguments.fault = arguments.fault or FAULTS
    problems = []
    with tempfile.TemporaryDirectory(prefix="pentimento-faults-") as name:
        inputs = Path(name) / "inputs"
        inputs.mkdir()
        make_inputs(inputs)
        with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
            for kind in kinds():
                if arguments.kind and kind.name not in arguments.kind:
                    continue
                place = Path(name) / kind.name
                place.mkdir()
                problems += sweep(kind, inputs, place, pool, arguments)
    for problem in problems[: arguments.show]:
        print(problem)
    if problems:
        print(f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
