"""(alpha,k)-anonymity, in two tables and as one, and counts answered from two tables.

UCI Adult is enlarged: 8 quasi-identifiers, and the occupation, which is sensitive and has 14 values. For each size and format, at
alpha = 1/3, k = 2 and at alpha = 1/5, k = 10: two tables by partition, one table by partition and by recoding, and two tables by
Anatomy. The last is there for comparison and is not held to the bars. The yardstick is DuckDB copying the same file, in turn with the
releases. Then, on the smallest size, random counts from two tables against DuckDB's over the original.
"""

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import adult_alpha_k
import query_workload
from measure import (Options, Report, Runs, at_most, bars_of_scaling, bars_of_shares, duckdb_copy, in_own_process, release,
                     release_afresh, say, table_of)

WHOLE_BAR = 2.0  # the release over DuckDB's copy
QUERIES = 1000
STEPS = {"read": "read", "make": "partition", "verify": "verify", "write": "write"}


@dataclass(frozen=True)
class Way:
    title: str
    form: str
    method: str
    has_bars: bool


WAYS = (Way("two tables, partition", "two-tables", "partition", True),
        Way("one table, partition", "generalized", "partition", True),
        Way("one table, recode", "generalized", "recode", True),
        Way("two tables, Anatomy", "two-tables", "anatomy", False))


def write_policies(table: Path) -> dict[tuple[Way, str, int], Path]:
    policies = {}
    columns = adult_alpha_k.columns_text(table=table.name, has_persons=True)
    for alpha, k in adult_alpha_k.POLICIES:
        for way in WAYS:
            policy = table.parent / f"{way.form}-{way.method}-{k}.toml"
            promise = adult_alpha_k.promise_text(way.form, way.method, alpha, k, table.suffix[1:])
            policy.write_text(columns + promise, encoding="utf-8")
            policies[way, alpha, k] = policy
    return policies


def measure_table(options: Options, table: Path, rows: int) -> list[tuple[Way, Runs]]:
    policies = write_policies(table)
    measured = {(way, alpha, k): Runs(f"{way.title}, alpha = {alpha}, k = {k}, {table.suffix[1:]}", rows) for way, alpha, k in policies}
    for turn in range(1, options.repeat + 1):
        for alpha, k in adult_alpha_k.POLICIES:
            copy = duckdb_copy(table, options.work).report["seconds"]
            say(f"{rows:,} rows, {table.suffix[1:]}, {turn} of {options.repeat}: DuckDB copies in {copy:.2f} s")
            for way in WAYS:
                runs = measured[way, alpha, k]
                runs.copies.append(copy)
                runs.releases.append(release_afresh(options.program, policies[way, alpha, k], options.work))
                say(f"  {runs.name}: {runs.seconds()[-1]:.2f} s")
    return [(way, runs) for (way, _, _), runs in measured.items()]


def measure_counts(options: Options, table: Path, rows: int) -> Report:
    """Counts answered from two tables by partition, at each policy."""
    report, speeds = Report(), {}
    workload = query_workload.Workload(adult_alpha_k.QUASI, adult_alpha_k.SENSITIVE, QUERIES)
    for alpha, k in adult_alpha_k.POLICIES:
        title = f"alpha = {alpha}, k = {k}, {table.suffix[1:]}"
        say(f"{QUERIES:,} counts, {title}")
        with tempfile.TemporaryDirectory(dir=options.work) as place:
            out = Path(place) / "out"
            release(options.program, table.parent / f"two-tables-partition-{k}.toml", Path(place) / "ledger", out)
            speed = in_own_process(query_workload.measure_speed, options.program, table, out / "adult", workload, 1, True)
        speeds[title] = speed
        report.bars.append(at_most(f"{QUERIES:,} counts, {rows / 1e6:g} M rows, {title}: whole command over DuckDB's counts",
                                   speed.whole / speed.counting, query_workload.BAR, "{:.3f}"))
    report.parts = [f"{QUERIES:,} random counts (qd = 4, s = 0.05) from two tables by partition of {rows:,} rows.\n",
                    query_workload.table_of_speed(speeds, QUERIES)]
    return report


def measure(options: Options) -> Report:
    measured, counts = [], Report()
    for suffix in options.formats:
        for rows in options.rows:
            project = options.work / "adult"
            project.mkdir()
            say(f"{rows:,} rows, {suffix}: enlarging Adult")
            table = in_own_process(adult_alpha_k.write_large, options.adult, project, rows, suffix)
            measured += measure_table(options, table, rows)
            if rows == min(options.rows) and suffix == options.formats[-1]:
                counts = measure_counts(options, table, rows)
            shutil.rmtree(project)
    metric = {"classes": lambda runs: f"{runs.releases[0].report['metrics']['classes']:,}",
              "NCP, %": lambda runs: f"{runs.releases[0].report['metrics']['ncp_percent']:.2f}"}
    report = Report([table_of([runs for _, runs in measured], STEPS, metric), *counts.parts])
    held = [runs for way, runs in measured if way.has_bars]
    for runs in held:
        report.bars += [at_most(f"{runs.title}: over DuckDB's copy", runs.over_copy(), WHOLE_BAR), *bars_of_shares(runs)]
    report.bars += bars_of_scaling(held) + counts.bars
    return report
