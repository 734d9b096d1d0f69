"""Measures releases with (alpha,k)-anonymity, in two tables and as one, and counts answered from them, against DuckDB.

    python bench/two_tables.py --adult FOLDER [--rows 1000000,10000000] [--repeat 3] [--format csv,parquet] [--work FOLDER]
                               [--out FILE] [--pentimento PROGRAM] [--queries 1000]

FOLDER has adult.data and adult.test, which are enlarged: 8 quasi-identifiers, and the occupation, which is sensitive and has 14
values. For each size and format, at alpha = 1/3, k = 2 and at alpha = 1/5, k = 10: two tables by partition, one table by partition
and by recoding, and two tables by Anatomy. The last is there for comparison and is not judged. "Make" is the step that --json
reports as partition, whichever method it is. The yardstick is DuckDB copying the same file, in the same run. Then, on the smallest
size, random counts from two tables against DuckDB's over the original.
Exit code: 0 all bars cleared, 1 some missed, 2 could not measure.
"""

import argparse
import os
import shutil
import statistics
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path

import adult_alpha_k
import query_workload
import run
from run import LARGE, SMALL, Bar, BenchError, Run, at_most, median_and_best, say

MAKE_BAR = 1.0  # making and verifying, over reading and writing
WHOLE_BAR = 2.0  # the release over DuckDB's copy
SCALE_BAR = 11.0  # ten times as many rows
QUERY_BAR = query_workload.BAR


@dataclass(frozen=True)
class Way:
    title: str
    form: str
    method: str
    is_judged: bool


WAYS = (Way("two tables, partition", "two-tables", "partition", True),
        Way("one table, partition", "generalized", "partition", True),
        Way("one table, recode", "generalized", "recode", True),
        Way("two tables, Anatomy", "two-tables", "anatomy", False))


@dataclass
class Measured:
    """All runs of one way at one policy over one table."""

    way: Way
    alpha: str
    k: int
    rows: int
    format: str
    releases: list[Run] = field(default_factory=list)
    copies: list[float] = field(default_factory=list)  # those of the same table and policy, in seconds

    @property
    def what(self) -> str:
        return f"{self.way.title}, alpha = {self.alpha}, k = {self.k}, {self.format}"

    @property
    def name(self) -> str:
        return f"{self.what}, {self.rows / 1e6:g} M rows"

    def seconds(self) -> list[float]:
        return [each.seconds for each in self.releases]

    def whole(self) -> float:
        return statistics.median(self.seconds())

    def step(self, *steps: str) -> float:
        return statistics.median(sum(each.report["seconds"][step] for step in steps) for each in self.releases)

    def over_copy(self) -> float:
        return self.whole() / statistics.median(self.copies)

    def make_share(self) -> float:
        return self.step("partition", "verify") / self.step("read", "write")


# --- measuring -----------------------------------------------------------------------------------


def in_own_process(function, *arguments):
    """So that this process stays small: the peak memory of a child is at least what its parent had when it was started."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(function, *arguments).result()


def write_policies(project: Path, table: Path) -> dict[tuple[Way, str, int], Path]:
    policies = {}
    columns = adult_alpha_k.columns_text(table=table.name, has_persons=True)
    for alpha, k in adult_alpha_k.POLICIES:
        for way in WAYS:
            policy = project / f"{way.form}-{way.method}-{k}.toml"
            promise = adult_alpha_k.promise_text(way.form, way.method, alpha, k, table.suffix[1:])
            policy.write_text(columns + promise, encoding="utf-8")
            policies[way, alpha, k] = policy
    return policies


def measure_table(arguments: argparse.Namespace, table: Path, rows: int, work: Path) -> list[Measured]:
    policies = write_policies(table.parent, table)
    measured = {key: Measured(*key, rows, table.suffix[1:]) for key in policies}
    for turn in range(1, arguments.repeat + 1):
        for alpha, k in adult_alpha_k.POLICIES:
            copy = run.copy_with_duckdb(table, work).report["seconds"]
            say(f"{rows:,} rows, {table.suffix[1:]}, {turn} of {arguments.repeat}: DuckDB copies in {copy:.2f} s")
            for way in WAYS:
                each = measured[way, alpha, k]
                each.copies.append(copy)
                each.releases.append(run.release(arguments.pentimento, policies[way, alpha, k], work))
                say(f"  {each.what}: {each.releases[-1].seconds:.2f} s")
    return list(measured.values())


def measure_queries(arguments: argparse.Namespace, table: Path, work: Path) -> dict[str, query_workload.Speed]:
    """By policy: the counts are answered from two tables by partition."""
    speeds = {}
    workload = query_workload.Workload(adult_alpha_k.QUASI, adult_alpha_k.SENSITIVE, arguments.queries)
    for alpha, k in adult_alpha_k.POLICIES:
        title = f"alpha = {alpha}, k = {k}, {table.suffix[1:]}"
        say(f"{arguments.queries:,} counts, {title}")
        policy = table.parent / f"two-tables-partition-{k}.toml"
        with tempfile.TemporaryDirectory(dir=work) as place:
            out = Path(place) / "out"
            run.run_process([arguments.pentimento, "release", policy, "--ledger", Path(place) / "ledger", "--out", out, "--json"])
            speeds[title] = in_own_process(query_workload.measure_speed, arguments.pentimento, table, out / "adult", workload,
                                           arguments.repeat, True)
    return speeds


# --- judging -------------------------------------------------------------------------------------


def bars_of(measured: list[Measured]) -> list[Bar]:
    bars = []
    whole = {(each.what, each.rows): each.whole() for each in measured}
    for each in measured:
        if not each.way.is_judged:
            continue
        bars.append(at_most(f"{each.name}: make and verify, over read and write", each.make_share(), MAKE_BAR))
        bars.append(at_most(f"{each.name}: release over DuckDB's copy", each.over_copy(), WHOLE_BAR))
        if each.rows == LARGE and (each.what, SMALL) in whole:
            bars.append(at_most(f"{each.what}: 10 M rows over 1 M rows", each.whole() / whole[each.what, SMALL], SCALE_BAR))
    return bars


def bars_of_queries(speeds: dict[str, query_workload.Speed], rows: int, queries: int) -> list[Bar]:
    return [at_most(f"{queries:,} counts, {rows / 1e6:g} M rows, {name}: whole command over DuckDB's counts",
                    speed.whole / speed.counting, QUERY_BAR, "{:.3f}") for name, speed in speeds.items()]


# --- showing -------------------------------------------------------------------------------------


def table_of(measured: list[Measured]) -> str:
    header = ["way", "alpha, k", "rows", "format", "DuckDB copies, s", "release, s", "ratio", "read", "make", "verify", "write",
              "make and verify, over read and write", "peak, MB", "classes", "NCP, %"]
    lines = []
    for each in measured:
        metrics = each.releases[0].report["metrics"]
        lines.append([each.way.title, f"{each.alpha}, {each.k}", f"{each.rows:,}", each.format, median_and_best(each.copies),
                      median_and_best(each.seconds()), f"{each.over_copy():.2f}",
                      *(f"{each.step(step):.2f}" for step in ("read", "partition", "verify", "write")), f"{each.make_share():.2f}",
                      f"{max(one.peak_megabytes for one in each.releases):,.0f}", f"{metrics['classes']:,}",
                      f"{metrics['ncp_percent']:.2f}"])
    return run.markdown(header, lines)


def measure_all(arguments: argparse.Namespace) -> tuple[str, bool]:
    """The report as Markdown, and whether every bar was cleared."""
    measured, speeds = [], {}
    asked = min(arguments.rows)
    if arguments.work is not None:
        arguments.work.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="pentimento-two-tables-", dir=arguments.work) as folder:
        for suffix in arguments.format:
            for rows in arguments.rows:
                project = Path(folder) / "adult"
                project.mkdir()
                say(f"{rows:,} rows, {suffix}: enlarging Adult")
                table = in_own_process(adult_alpha_k.write_large, arguments.adult, project, rows, suffix)
                measured += measure_table(arguments, table, rows, Path(folder))
                if rows == asked and arguments.queries > 0:
                    speeds |= measure_queries(arguments, table, Path(folder))
                shutil.rmtree(project)
    bars = bars_of(measured) + bars_of_queries(speeds, asked, arguments.queries)
    note = f"Seconds are the median of {arguments.repeat} runs, the best in brackets; {os.cpu_count()} cores.\n"
    counts = f"{arguments.queries:,} random counts (qd = 4, s = 0.05) from two tables by partition of {asked:,} rows.\n"
    parts = [note, table_of(measured)]
    if speeds:
        parts += [counts, query_workload.table_of_speed(speeds, arguments.queries)]
    report = "\n".join([*parts, run.table_of_bars(bars)])
    return report, all(bar.cleared for bar in bars)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure releases with (alpha,k)-anonymity, and counts answered from them.")
    parser.add_argument("--adult", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",")], default=[SMALL, LARGE])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--format", type=lambda text: text.split(","), default=["csv", "parquet"])
    parser.add_argument("--queries", type=int, default=1000, help="0: no counts")
    parser.add_argument("--work", type=Path, help="folder for temporary files, about 3 GB at 10 M rows")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    parser.add_argument("--pentimento", type=Path, default=run.ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    for suffix in arguments.format:
        if suffix not in ("csv", "parquet"):
            parser.error(f"--format takes csv and parquet, not {suffix}")
    if not arguments.pentimento.is_file():
        parser.error(f"{arguments.pentimento} is not there: make build makes it")
    return arguments


def main() -> int:
    arguments = parse_arguments()
    try:
        report, all_cleared = measure_all(arguments)
    except BenchError as trouble:
        print(f"two_tables.py: {trouble}", file=sys.stderr)
        return 2
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0 if all_cleared else 1


if __name__ == "__main__":
    sys.exit(main())
