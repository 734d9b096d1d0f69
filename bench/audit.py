"""`pentimento audit` of ten releases of the same people, over the time DuckDB takes to read the ten files.

The register is made up: five quasi-identifiers and a disease. Ten releases with other columns and other k are published into one ledger,
as CSV. Then it is audited twice: with everybody's quasi-identifiers (--people), and by what the ledger knows. The yardstick reads every
column of the ten tables and of the register, with all cores, in a process of its own, in turn with the audits.

    python bench/audit.py [--rows 1000000] [--releases 10] [--repeat 1] [--work FOLDER] [--pentimento PROGRAM]

prints the table by itself. Exit code: 0 where the bar is cleared, 1 where it is missed.
"""

import argparse
import random
import sys
import tempfile
from pathlib import Path

from measure import ROOT, HERE, SMALL, Bar, Options, Report, Run, at_most, markdown, median_and_best, run_process, run_silently, say

READ_BAR = 3.0  # an audit over DuckDB reading the files
RELEASES = 10
COLUMNS = {"age": "domain = [18, 89]", "zip": "domain = [1000, 9999]", "sex": 'values = ["F", "M"]',
           "job": 'values = ["Baker", "Clerk", "Cook", "Driver", "Judge", "Lawyer", "Nurse", "Smith"]', "hours": "domain = [10, 70]"}
DISEASES = ["angina", "asthma", "cancer", "cold", "flu", "gout", "HIV", "SARS", "ulcer", "none"]


def make_register(rows: int, file: Path) -> None:
    draw = random.Random(7)
    jobs = ["Baker", "Clerk", "Cook", "Driver", "Judge", "Lawyer", "Nurse", "Smith"]
    with file.open("w", encoding="utf-8") as out:
        out.write("id,age,zip,sex,job,hours,disease\n")
        for number in range(rows):
            out.write(f"{number},{draw.randint(18, 89)},{draw.randint(1000, 9999)},{draw.choice('FM')},{draw.choice(jobs)},"
                      f"{draw.randint(10, 70)},{draw.choice(DISEASES)}\n")


def columns_of(number: int) -> list[str]:
    """Another set of columns for each release, at least three of them."""
    names = list(COLUMNS)
    return [name for place, name in enumerate(names) if len(names) <= 3 or place != number % len(names)]


def write_policy(folder: Path, name: str, columns: list[str], k: int) -> Path:
    policy = folder / f"{name}.toml"
    described = "".join(f'{column} = {{ role = "quasi-identifier", {COLUMNS[column]} }}\n' for column in columns)
    policy.write_text(f'version = 1\nrelease = "{name}"\noverlap = "measure"\n[input]\npath = "people.csv"\n[columns]\nid = {{ role = "id" }}\n'
                      f'{described}disease = {{ role = "sensitive" }}\n[[guarantee]]\ntype = "k-anonymity"\nk = {k}\n', encoding="utf-8")
    return policy


def publish(program: Path, rows: int, releases: int, work: Path) -> list[Path]:
    make_register(rows, work / "people.csv")
    write_policy(work, "everything", list(COLUMNS), 5)
    for number in range(releases):
        policy = write_policy(work, f"r{number}", columns_of(number), 5 + number)
        run_silently([program, "release", policy, "--ledger", work / "ledger", "--out", work / "out"])
        say(f"published {number + 1} of {releases}")
    return [work / "out" / f"r{number}" for number in range(releases)]


def audit(program: Path, arguments: list[object]) -> Run:
    return run_process([program, "audit", *arguments, "--fail-on", "none", "--json"])


def states_of(run: Run) -> str:
    return ", ".join(f"{attack['attack']} {attack['state']}" for attack in run.report["attacks"])


def measure_rows(program: Path, rows: int, releases: int, repeat: int, work: Path) -> tuple[str, list[Bar]]:
    folders = publish(program, rows, releases, work)
    files = [folder / "table.csv" for folder in folders] + [work / "people.csv"]
    ways = {"with --people": [*folders, "--people", work / "people.csv", "--as", work / "everything.toml"],
            "with --ledger": ["--ledger", work / "ledger"]}
    reads: list[float] = []
    runs: dict[str, list[Run]] = {name: [] for name in ways}
    for turn in range(repeat):
        reads.append(run_process([sys.executable, HERE / "duckdb_read.py", *files]).report["seconds"])
        for name, arguments in ways.items():
            runs[name].append(audit(program, arguments))
            say(f"{turn + 1} of {repeat}: DuckDB {reads[-1]:.2f} s, audit {name} {runs[name][-1].seconds:.2f} s")
    lines, bars = [], []
    for name, of_way in runs.items():
        seconds = sorted(run.seconds for run in of_way)
        ratio = seconds[len(seconds) // 2] / sorted(reads)[len(reads) // 2]
        title = f"audit {name}, {releases} releases of {rows / 1e6:g} M rows"
        lines.append([title, median_and_best(reads), median_and_best(seconds), f"{ratio:.2f}",
                      f"{max(run.peak_megabytes for run in of_way):,.0f}", str(len(of_way[-1].report["findings"])), states_of(of_way[-1])])
        bars.append(at_most(f"{title}: over DuckDB reading the files", ratio, READ_BAR))
    header = ["audit", "DuckDB reads, s", "whole, s", "ratio", "peak, MB", "findings", "attacks"]
    return markdown(header, lines), bars


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
    parser = argparse.ArgumentParser(description="Measures an audit against DuckDB reading the same files.")
    parser.add_argument("--rows", type=int, default=SMALL)
    parser.add_argument("--releases", type=int, default=RELEASES)
    parser.add_argument("--repeat", type=int, default=1)
    parser.add_argument("--work", type=Path, help="folder for temporary files")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="pentimento-audit-", dir=arguments.work) as work:
        table, bars = measure_rows(arguments.pentimento, arguments.rows, arguments.releases, arguments.repeat, Path(work))
    print(table)
    for bar in bars:
        print(f"{bar.what}: {bar.measured} ({bar.wanted})")
    return 0 if all(bar.is_cleared for bar in bars) else 1


if __name__ == "__main__":
    sys.exit(main())
