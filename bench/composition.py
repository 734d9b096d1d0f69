"""What it costs to know what is out: a release beside ten earlier ones of the same people, and the guarantee history beside five.

The register is made up, as for bench/audit.py. Ten releases with other columns and other k are on record when the eleventh is measured;
its time for composition is over its own whole. Then five releases with history are on record, each with a smaller k than the one before,
when the sixth is measured; making and verifying it is over that of plain partition with the same k, alone on a ledger of its own.

    python bench/composition.py [--rows 1000000] [--repeat 1] [--work FOLDER] [--pentimento PROGRAM]

prints the tables by itself. Exit code: 0 where the bars are cleared, 1 where one is missed.
"""

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

import measure as shared
from audit import COLUMNS, columns_of, make_register, write_policy
from measure import ROOT, SMALL, Bar, Options, Report, Run, at_most, markdown, median_and_best, run_silently, say

EARLIER = 10
COMPOSE_SHARE = 0.1  # of the whole release
MEMORY_BYTES = 4.0  # for each person and release, besides what the classes hold
HISTORY_KS = (320, 160, 80, 40, 20)
HISTORY_K = 10
HISTORY_BAR = 2.0  # make and verify, over those of plain partition


def bytes_of_contents(ledger: Path, rows: int) -> int:
    """What the classes on record hold, besides the number of each person's class: sizes, values, how often."""
    return sum(max(0, file.stat().st_size - 4 * rows) for file in ledger.rglob("*.classes"))


def measure_composition(program: Path, rows: int, repeat: int, work: Path) -> tuple[str, list[Bar]]:
    make_register(rows, work / "people.csv")
    for number in range(EARLIER):
        policy = write_policy(work, f"r{number}", columns_of(number), 5 + number)
        run_silently([program, "release", policy, "--ledger", work / "ledger", "--out", work / "out"])
        say(f"published {number + 1} of {EARLIER}")
    policy = write_policy(work, "last", list(COLUMNS), 5)
    runs: list[Run] = []
    alone: list[Run] = []
    for turn in range(repeat):
        alone.append(shared.release_afresh(program, policy, work / "alone"))
        runs.append(shared.run_process([program, "release", policy, "--ledger", work / "ledger", "--out", work / "out", "--json",
                                        *(["--dry-run"] if turn + 1 < repeat else [])]))
        say(f"{turn + 1} of {repeat}: whole {runs[-1].seconds:.2f} s, composing {runs[-1].report['seconds']['compose']:.2f} s")
    composing = [run.report["seconds"]["compose"] for run in runs]
    share = statistics.median(run.report["seconds"]["compose"] / run.seconds for run in runs)
    more = (max(run.peak_megabytes for run in runs) - max(run.peak_megabytes for run in alone)) * shared.MEGABYTE
    per_person = (more - bytes_of_contents(work / "ledger", rows)) / rows / EARLIER
    title = f"beside {EARLIER} releases of {rows / 1e6:g} M people"
    header = ["release", "whole, s", "alone, s", "composing, s", "of the whole", "peak, MB", "alone, MB", "more bytes for each person and release"]
    line = [title, median_and_best([run.seconds for run in runs]), median_and_best([run.seconds for run in alone]), median_and_best(composing),
            f"{100 * share:.1f} %", f"{max(run.peak_megabytes for run in runs):,.0f}", f"{max(run.peak_megabytes for run in alone):,.0f}",
            f"{per_person:.1f}"]
    return markdown(header, [line]), [at_most(f"{title}: composing, of the whole release", share, COMPOSE_SHARE, "{:.3f}"),
                                      at_most(f"{title}: more bytes for each person and release", per_person, MEMORY_BYTES, "{:.1f}")]


def write_history(work: Path, name: str, k: int) -> Path:
    policy = write_policy(work, name, list(COLUMNS), k)
    policy.write_text(policy.read_text(encoding="utf-8").replace('type = "k-anonymity"', 'type = "history"'), encoding="utf-8")
    return policy


def measure_history(program: Path, rows: int, repeat: int, work: Path) -> tuple[str, list[Bar]]:
    make_register(rows, work / "people.csv")
    for number, k in enumerate(HISTORY_KS):
        policy = write_history(work, f"h{number}", k)
        run_silently([program, "release", policy, "--ledger", work / "ledger", "--out", work / "out"])
        say(f"published {number + 1} of {len(HISTORY_KS)}")
    plain_policy, policy = write_policy(work, "plain", list(COLUMNS), HISTORY_K), write_history(work, "last", HISTORY_K)
    steps: dict[str, list[float]] = {"plain": [], "history": []}
    for turn in range(repeat):
        runs = {"plain": shared.release_afresh(program, plain_policy, work / "alone"),
                "history": shared.run_process([program, "release", policy, "--ledger", work / "ledger", "--out", work / "out", "--json",
                                               "--dry-run"])}
        for name, run in runs.items():
            steps[name].append(run.report["seconds"]["partition"] + run.report["seconds"]["verify"])
        say(f"{turn + 1} of {repeat}: plain {steps['plain'][-1]:.2f} s, history {steps['history'][-1]:.2f} s")
    ratio = statistics.median(steps["history"]) / statistics.median(steps["plain"])
    title = f"history beside {len(HISTORY_KS)} releases of {rows / 1e6:g} M people"
    table = markdown(["release", "plain: make and verify, s", "make and verify, s", "ratio"],
                     [[title, median_and_best(steps["plain"]), median_and_best(steps["history"]), f"{ratio:.2f}"]])
    return table, [at_most(f"{title}: make and verify, over plain partition", ratio, HISTORY_BAR)]


def measure_rows(program: Path, rows: int, repeat: int, work: Path) -> Report:
    report = Report()
    for part in (measure_composition, measure_history):
        with tempfile.TemporaryDirectory(dir=work) as folder:
            table, bars = part(program, rows, repeat, Path(folder))
        report.parts.append(table)
        report.bars += bars
    return report


def measure(options: Options) -> Report:
    report = Report()
    for rows in options.rows:
        if rows > SMALL:
            continue  # ten releases of 10 M rows are another day
        measured = measure_rows(options.program, rows, options.repeat, options.work)
        report.parts += measured.parts
        report.bars += measured.bars
    return report


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures what earlier releases cost a new one.")
    parser.add_argument("--rows", type=int, default=SMALL)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--work", type=Path, help="folder for temporary files")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pentimento-composition-", dir=arguments.work) as work:
        report = measure_rows(arguments.pentimento, arguments.rows, arguments.repeat, Path(work))
    for part in report.parts:
        print(part)
    for bar in report.bars:
        print(f"{bar.what}: {bar.measured} ({bar.wanted})")
    return 0 if all(bar.is_cleared for bar in report.bars) else 1


if __name__ == "__main__":
    sys.exit(main())
