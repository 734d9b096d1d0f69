"""`pentimento report` of a ledger with ten releases, over the time DuckDB takes to read the published tables.

The releases are those of the audit: ten of the same people, with other columns and other k, as CSV. The page is made of all of them. The
yardstick reads every column of the ten tables, with all cores, in a process of its own, in turn with the reports.

    python bench/report.py [--rows 1000000] [--releases 10] [--repeat 1] [--work FOLDER] [--pentimento PROGRAM]

prints the table by itself. Exit code: 0 where the bars are cleared, 1 where one is missed.
"""

import argparse
import sys
import tempfile
from pathlib import Path

from audit import RELEASES, publish
from measure import ROOT, HERE, SMALL, Bar, Options, Report, Run, at_most, markdown, median_and_best, run_process, say

READ_BAR = 2.0  # a report over DuckDB reading the tables
PAGE_BAR = 400_000  # bytes


def measure_rows(program: Path, rows: int, releases: int, repeat: int, work: Path) -> tuple[str, list[Bar]]:
    files = [folder / "table.csv" for folder in publish(program, rows, releases, work)]
    page = work / "report.html"
    reads: list[float] = []
    runs: list[Run] = []
    for turn in range(repeat):
        reads.append(run_process([sys.executable, HERE / "duckdb_read.py", *files]).report["seconds"])
        runs.append(run_process([program, "report", "--ledger", work / "ledger", "--html", page, "--json"]))
        say(f"{turn + 1} of {repeat}: DuckDB {reads[-1]:.2f} s, report {runs[-1].seconds:.2f} s")
    seconds = sorted(run.seconds for run in runs)
    ratio = seconds[len(seconds) // 2] / sorted(reads)[len(reads) // 2]
    title = f"report, {releases} releases of {rows / 1e6:g} M rows"
    table = markdown(["report", "DuckDB reads, s", "whole, s", "ratio", "peak, MB", "page, bytes"],
                     [[title, median_and_best(reads), median_and_best(seconds), f"{ratio:.2f}",
                       f"{max(run.peak_megabytes for run in runs):,.0f}", f"{page.stat().st_size:,}"]])
    return table, [at_most(f"{title}: over DuckDB reading the tables", ratio, READ_BAR),
                   at_most(f"{title}: bytes of the page", page.stat().st_size, PAGE_BAR, "{:,.0f}")]


def measure(options: Options) -> Report:
    report = Report()
    for rows in options.rows:
        if rows > SMALL:
            continue  # ten releases of 10 M rows are another day
        with tempfile.TemporaryDirectory(dir=options.work) as work:
            table, bars = measure_rows(options.program, rows, RELEASES, options.repeat, Path(work))
        report.parts.append(table)
        report.bars += bars
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures a report against DuckDB reading the published tables.")
    parser.add_argument("--rows", type=int, default=SMALL)
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--work", type=Path, help="folder for temporary files")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pentimento-report-", dir=arguments.work) as work:
        table, bars = measure_rows(arguments.pentimento, arguments.rows, arguments.releases, arguments.repeat, Path(work))
    print(table)
    for bar in bars:
        print(f"{bar.what}: {bar.measured} ({bar.wanted})")
    return 0 if all(bar.is_cleared for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
