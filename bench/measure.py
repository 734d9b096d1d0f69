"""What the measured flows share: processes, DuckDB's copy, medians, bars, and tables in Markdown.

A flow is a module with a function measure(options) -> Report; run.py has the list of them.
"""

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
MEGABYTE = 1_000_000
SMALL, LARGE = 1_000_000, 10_000_000

VERIFY_SHARE = 0.1  # of the whole release
MAKE_BAR = 1.0  # making and verifying, over reading and writing
SCALING = 11.0  # ten times as many rows


class BenchError(Exception):
    """A measured program failed, or something it needs is missing."""


@dataclass(frozen=True)
class Options:
    """What the command line says; see run.py."""

    program: Path
    rows: list[int]
    formats: list[str]
    repeat: int
    is_quick: bool
    adult: Path  # a folder with adult.data and adult.test
    work: Path  # an empty folder


@dataclass(frozen=True)
class Bar:
    what: str
    measured: str
    wanted: str
    is_cleared: bool


@dataclass
class Report:
    """Text and tables in Markdown, in order, and the bars that were measured against."""

    parts: list[str] = field(default_factory=list)
    bars: list[Bar] = field(default_factory=list)


@dataclass(frozen=True)
class Run:
    """One process, from start to exit, and the JSON it printed."""

    seconds: float
    peak_megabytes: float
    report: dict


@dataclass
class Runs:
    """Releases of one kind, measured alike. Every number is a median of them, the peak their largest."""

    name: str
    rows: int
    releases: list[Run] = field(default_factory=list)
    copies: list[float] = field(default_factory=list)  # DuckDB's, of the same input, in seconds

    @property
    def title(self) -> str:
        return f"{self.name}, {self.rows / 1e6:g} M rows"

    def seconds(self) -> list[float]:
        return [run.seconds for run in self.releases]

    def whole(self) -> float:
        return statistics.median(self.seconds())

    def step(self, *steps: str) -> float:
        return statistics.median(sum(run.report["seconds"][step] for step in steps) for run in self.releases)

    def over_copy(self) -> float:
        return self.whole() / statistics.median(self.copies)

    def verify_share(self) -> float:
        return statistics.median(run.report["seconds"]["verify"] / run.seconds for run in self.releases)

    def make_over_files(self) -> float:
        return self.step("partition", "verify") / self.step("read", "write")

    def peak_megabytes(self) -> float:
        return max(run.peak_megabytes for run in self.releases)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- measuring -----------------------------------------------------------------------------------


def run_process(command: list[object]) -> Run:
    """Runs a program that prints JSON. Dirty pages are flushed first, so that nobody pays for the one before."""
    os.sync()
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=errors)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode != 0:
            message = errors.read().decode(errors="replace").strip()
            raise BenchError(f"{' '.join(map(str, command[:3]))} ended with {process.returncode}: {message}")
        return Run(seconds, usage.ru_maxrss * 1024 / MEGABYTE, json.loads(output.read()))


def run_silently(command: list[object]) -> None:
    """Runs a program that prepares something."""
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise BenchError(f"{' '.join(map(str, command[:3]))} ended with {done.returncode}: {done.stderr.strip()}")


def in_own_process(function, *arguments):
    """So that this process stays small: the peak memory of a child is at least what its parent had when it was started."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def duckdb_copy(source: Path, work: Path) -> Run:
    dest = work / f"copy{source.suffix}"
    try:
        return run_process([sys.executable, HERE / "duckdb_copy.py", source, dest])
    finally:
        dest.unlink(missing_ok=True)


def release(program: Path, policy: Path, ledger: Path, out: Path, *more: object) -> Run:
    return run_process([program, "release", policy, "--ledger", ledger, "--out", out, "--json", *more])


def release_afresh(program: Path, policy: Path, work: Path) -> Run:
    """One release into a fresh ledger and a fresh folder; both are removed afterwards."""
    ledger, out = work / "ledger", work / "out"
    try:
        return release(program, policy, ledger, out)
    finally:
        shutil.rmtree(ledger, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)


# --- bars ----------------------------------------------------------------------------------------


def at_most(what: str, value: float, limit: float, form: str = "{:.2f}") -> Bar:
    return Bar(what, form.format(value), "<= " + form.format(limit), value <= limit)


def bars_of_shares(runs: Runs) -> list[Bar]:
    """What every flow is held to: what its steps take of the whole."""
    return [at_most(f"{runs.title}: verify, of the whole release", runs.verify_share(), VERIFY_SHARE, "{:.3f}"),
            at_most(f"{runs.title}: make and verify, over read and write", runs.make_over_files(), MAKE_BAR)]


def bars_of_scaling(all_runs: list[Runs]) -> list[Bar]:
    small = {runs.name: runs.whole() for runs in all_runs if runs.rows == SMALL}
    return [at_most(f"{runs.name}: 10 M rows over 1 M rows", runs.whole() / small[runs.name], SCALING)
            for runs in all_runs if runs.rows == LARGE and runs.name in small]


# --- tables --------------------------------------------------------------------------------------


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def median_and_best(seconds: list[float], digits: int = 2) -> str:
    return f"{statistics.median(seconds):.{digits}f} ({min(seconds):.{digits}f})"


def table_of(all_runs: list[Runs], steps: dict[str, str], more: dict | None = None) -> str:
    """steps: title of each column and the step it shows; more: titles and functions from Runs to a cell."""
    more = more or {}
    has_copies = any(runs.copies for runs in all_runs)
    header = ["release", *(["DuckDB copies, s"] if has_copies else []), "whole, s", *(["ratio"] if has_copies else []), *steps,
              "verify, of the whole", "make and verify, over read and write", "peak, MB", *more]
    lines = []
    for runs in all_runs:
        copy = [median_and_best(runs.copies)] if has_copies else []
        ratio = [f"{runs.over_copy():.2f}"] if has_copies else []
        lines.append([runs.title, *copy, median_and_best(runs.seconds()), *ratio, *(f"{runs.step(step):.3f}" for step in steps.values()),
                      f"{100 * runs.verify_share():.1f} %", f"{runs.make_over_files():.2f}", f"{runs.peak_megabytes():,.0f}",
                      *(cell(runs) for cell in more.values())])
    return markdown(header, lines)


def table_of_bars(bars: list[Bar]) -> str:
    return markdown(["bar", "measured", "wanted", ""],
                    [[bar.what, bar.measured, bar.wanted, "PASS" if bar.is_cleared else "MISS"] for bar in bars])
