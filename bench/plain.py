"""k-anonymity: generated people (8 quasi-identifiers, k = 10) and UCI Adult, which is small.

The yardstick is DuckDB copying the same file, in turn with the releases.
"""

import shutil
import statistics

import adult
from measure import (LARGE, Bar, Options, Report, Runs, at_most, bars_of_scaling, bars_of_shares, duckdb_copy, markdown,
                     median_and_best, release_afresh, run_silently, say, table_of)

STEPS = {"read": "read", "make": "partition", "verify": "verify", "write": "write", "record": "record"}
RATIO_BARS = {"csv": 1.5, "parquet": 2.5}
PEAK_MEGABYTES = 1_500
ADULT_REPEATS = 10
ADULT_SECONDS = 0.2
ADULT_DISCERNIBILITY = 524_666
ADULT_NCP_PERCENT = 11.24


def measure_table(options: Options, rows: int, file_format: str) -> tuple[Runs, float]:
    """The releases, and the peak memory of DuckDB in MB."""
    measured, duckdb_peak = Runs(f"k-anonymity, {file_format}", rows), 0.0
    project = options.work / "people"
    say(f"{measured.title}: generating")
    run_silently([options.program, "generate", project, "--rows", rows, "--seed", "1", "--format", file_format])
    try:
        for turn in range(1, options.repeat + 1):
            copy = duckdb_copy(project / f"people.{file_format}", options.work)
            duckdb_peak = max(duckdb_peak, copy.peak_megabytes)
            measured.copies.append(copy.report["seconds"])
            measured.releases.append(release_afresh(options.program, project / "policy.toml", options.work))
            say(f"{measured.title}: {turn} of {options.repeat}: DuckDB {measured.copies[-1]:.2f} s, "
                f"release {measured.seconds()[-1]:.2f} s")
    finally:
        shutil.rmtree(project)
    return measured, duckdb_peak


def bars_of_table(measured: Runs, file_format: str) -> list[Bar]:
    bars = [at_most(f"{measured.title}: over DuckDB's copy", measured.over_copy(), RATIO_BARS[file_format]), *bars_of_shares(measured)]
    if measured.rows == LARGE:
        bars.append(at_most(f"{measured.title}: peak memory (MB)", measured.peak_megabytes(), PEAK_MEGABYTES, "{:,.0f}"))
    return bars


def measure_adult(options: Options, categories: str) -> tuple[list[str], list[Bar]]:
    """A line of the table, and bars."""
    say(f"Adult, categories as {categories}")
    project = options.work / "adult"
    policy = adult.write_project(options.adult, project, categories=categories)
    try:
        runs = [release_afresh(options.program, policy, options.work) for _ in range(ADULT_REPEATS)]
    finally:
        shutil.rmtree(project)
    metrics, seconds = runs[0].report["metrics"], [run.seconds for run in runs]
    bars = [at_most(f"Adult, {categories}: median time (s)", statistics.median(seconds), ADULT_SECONDS, "{:.3f}")]
    if categories == "sets":
        bars += [at_most("Adult, sets: discernibility", metrics["discernibility"], ADULT_DISCERNIBILITY, "{:,.0f}"),
                 at_most("Adult, sets: NCP (%)", metrics["ncp_percent"], ADULT_NCP_PERCENT)]
    return [categories, median_and_best(seconds, 3), f"{metrics['discernibility']:,}", f"{metrics['ncp_percent']:.2f}"], bars


def measure(options: Options) -> Report:
    report, tables, peaks = Report(), [], {}
    for file_format in options.formats:
        for rows in options.rows:
            measured, peak = measure_table(options, rows, file_format)
            tables.append(measured)
            peaks[measured.title] = peak
            report.bars += bars_of_table(measured, file_format)
    report.bars += bars_of_scaling(tables)
    report.parts.append(table_of(tables, STEPS, {"DuckDB peak, MB": lambda runs: f"{peaks[runs.title]:,.0f}"}))
    lines = []
    for categories in ("taxonomy", "sets"):
        line, bars = measure_adult(options, categories)
        lines.append(line)
        report.bars += bars
    report.parts.append(markdown(["Adult, 30,162 rows, k = 10", "start to exit, s", "discernibility", "NCP, %"], lines))
    return report
