"""Measures what the global guarantee costs, release after release, against a plain partition of the same rows.

    python bench/global_guarantee.py [--rows 1000000,10000000] [--releases 10,1] [--format parquet] [--work FOLDER] [--out FILE]
                           [--pentimento PROGRAM]

Generated people (8 quasi-identifiers, k = 10), of whom everybody is in every release, with a sensitive value that is drawn
anew for each: four sensitive values of 0.2 % to 2 %, l = 2, a series planned with 10 releases. Beside each release of
the series runs a plain release of the same file (k-anonymity, the same k, --dry-run), whose partition step is the yardstick.
"Account" is loading, joining, charging and saving the budgets, the part that goes to disk beside the table included.
Exit code: 0 all bars cleared, 1 some missed.
"""

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb

ROOT = Path(__file__).resolve().parent.parent
SENSITIVE = {"HIV": 0.002, "Hepatitis": 0.005, "Chlamydia": 0.01, "Depression": 0.02}
OTHERS = ("Flu", "Asthma", "Migraine", "Fracture", "Allergy", "Back pain")
PLANNED = 10
GROUPS_BAR = 2.0  # forming groups and verifying, over the plain partition
ACCOUNT_BAR = 1.0  # the account, over reading the input
IDENTITY_BYTES, BUDGET_BYTES, HEADER_BYTES = 16, 8, 4096


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def pentimento(program: Path, *arguments: object) -> dict:
    os.sync()
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"global_guarantee.py: {program} {shlex.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def drawn_value() -> str:
    """SQL that draws a sensitive value; `draw` is uniform in [0, 1)."""
    cases, above = [], 0.0
    for value, share in SENSITIVE.items():
        above += share
        cases.append(f"WHEN draw < {above} THEN '{value}'")
    rest = (1.0 - above) / len(OTHERS)
    cases += [f"WHEN draw < {above + rest * (n + 1)} THEN '{value}'" for n, value in enumerate(OTHERS[:-1])]
    return f"CASE {' '.join(cases)} ELSE '{OTHERS[-1]}' END"


def write_release(project: Path, number: int, extension: str) -> None:
    """The people of the register with diseases of their own for this release, and the two policies."""
    source, name = project / f"people.{extension}", f"release-{number}"
    options = "FORMAT parquet" if extension == "parquet" else "FORMAT csv, HEADER"
    scan = f"read_parquet('{source}')" if extension == "parquet" else f"read_csv('{source}', all_varchar = true)"
    with duckdb.connect() as database:
        # A hash of person and release draws the same with any number of threads.
        database.execute(f"COPY (SELECT * EXCLUDE (draw) REPLACE ({drawn_value()} AS disease) FROM (SELECT *, "
                         f"hash(person, {number}) / 18446744073709551616.0 AS draw FROM {scan})) "
                         f"TO '{project / name}.{extension}' ({options})")
    plain = (project / "policy.toml").read_text()
    plain = plain.replace('release = "people-q1"', f'release = "{name}"')
    plain = plain.replace(f'path = "people.{extension}"', f'path = "{name}.{extension}"')
    (project / f"{name}-plain.toml").write_text(plain)
    values = ", ".join(f'"{value}"' for value in SENSITIVE)
    serial = plain.replace('disease = { role = "sensitive" }', f'disease = {{ role = "sensitive", values = [{values}] }}')
    serial = serial.replace("[publish]", f'[[guarantee]]\ntype = "global-guarantee"\nl = 2\nseries = "people"\n'
                                         f"releases = {PLANNED}\n\n[publish]")
    (project / f"{name}.toml").write_text(serial)


def size_of(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def measure(program: Path, rows: int, releases: int, extension: str, work: Path) -> dict:
    say(f"{rows:,} rows: generating")
    project, ledger, out = work / "people", work / "ledger", work / "out"
    subprocess.run([program, "generate", project, "--rows", str(rows), "--format", extension], check=True,
                   stdout=subprocess.DEVNULL)
    result = {"rows": rows, "runs": []}
    for number in range(1, releases + 1):
        say(f"{rows:,} rows: release {number} of {releases}")
        write_release(project, number, extension)
        plain = pentimento(program, "release", project / f"release-{number}-plain.toml", "--ledger", work / "none", "--out",
                           work / "none-out", "--dry-run")
        serial = pentimento(program, "release", project / f"release-{number}.toml", "--ledger", ledger, "--out", out)
        result["runs"].append({"plain": plain, "serial": serial, "state": size_of(ledger / "state"),
                               "ledger": size_of(ledger)})
        shutil.rmtree(out)
        (project / f"release-{number}.{extension}").unlink()
    shutil.rmtree(ledger)
    shutil.rmtree(project)
    return result


def groups_seconds(run: dict) -> float:
    return run["serial"]["seconds"]["partition"] + run["serial"]["seconds"]["verify"]


def account_seconds(run: dict) -> float:
    return sum(run["serial"]["seconds"][step] for step in ("load", "save", "save_beside"))


def groups_ratio(run: dict) -> float:
    return groups_seconds(run) / run["plain"]["seconds"]["partition"]


def account_ratio(run: dict) -> float:
    return account_seconds(run) / run["serial"]["seconds"]["read"]


def allowed_bytes(rows: int) -> int:
    return rows * (IDENTITY_BYTES + BUDGET_BYTES * len(SENSITIVE)) + HEADER_BYTES


def table_of(result: dict) -> str:
    lines = [f"{result['rows']:,} people in each release.\n",
             "| release | plain partition, s | form groups | verify | ratio | read, s | load | charge | save beside the table | "
             "ratio | withheld | NCP | plain NCP | state, bytes per person |", "|" + "---|" * 14]
    for number, run in enumerate(result["runs"], start=1):
        plain, serial, seconds = run["plain"], run["serial"], run["serial"]["seconds"]
        lines.append(f"| {number} | {plain['seconds']['partition']:.3f} | {seconds['partition']:.3f} | {seconds['verify']:.3f} | "
                     f"{groups_ratio(run):.2f} | {seconds['read']:.3f} | {seconds['load']:.3f} | {seconds['save']:.3f} | "
                     f"{seconds['save_beside']:.3f} | {account_ratio(run):.2f} | {serial['series']['withheld']:,} | "
                     f"{serial['metrics']['ncp_percent']:.1f} % | {plain['metrics']['ncp_percent']:.1f} % | "
                     f"{run['state'] / result['rows']:.1f} |")
    last = result["runs"][-1]["serial"]["series"]["items"]
    left = "; ".join(f"{item['item']} {'any number' if item['releases_left'] is None else item['releases_left']}" for item in last)
    return "\n".join(lines) + f"\n\nReleases left after the last: {left}.\n"


def judge(results: list[dict]) -> tuple[str, bool]:
    bars = []
    for result in results:
        runs, rows = result["runs"], result["rows"]
        groups, account = (statistics.median(map(ratio, runs)) for ratio in (groups_ratio, account_ratio))
        state, allowed = max(run["state"] for run in runs), allowed_bytes(rows)
        bars.append((f"{rows:,} rows: groups and verify over the plain partition", f"{groups:.2f}", f"<= {GROUPS_BAR:g}",
                     groups <= GROUPS_BAR))
        bars.append((f"{rows:,} rows: the account over reading the input", f"{account:.2f}", f"<= {ACCOUNT_BAR:g}",
                     account <= ACCOUNT_BAR))
        bars.append((f"{rows:,} rows: bytes of state in the ledger", f"{state:,}", f"<= {allowed:,}", state <= allowed))
    lines = ["| bar (medians over the releases) | measured | wanted | |", "|---|---|---|---|"]
    lines += [f"| {what} | {value} | {wanted} | {'PASS' if cleared else 'MISS'} |" for what, value, wanted, cleared in bars]
    return "\n".join(lines) + "\n", all(cleared for *_, cleared in bars)


def main() -> int:
    numbers = lambda text: [int(part) for part in text.split(",")]  # noqa: E731
    parser = argparse.ArgumentParser(description="Measure a series under the global guarantee against plain partitions.")
    parser.add_argument("--rows", type=numbers, default=[1_000_000, 10_000_000])
    parser.add_argument("--releases", type=numbers, default=[PLANNED, 1], help="for each number of rows, 10 at most")
    parser.add_argument("--format", choices=["parquet", "csv"], default="parquet")
    parser.add_argument("--work", type=Path, help="folder for temporary files, a few GB at 10 M rows")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    if len(arguments.rows) != len(arguments.releases) or max(arguments.releases) > PLANNED:
        parser.error(f"--releases needs a number from 1 to {PLANNED} for each number in --rows")
    results = []
    for rows, releases in zip(arguments.rows, arguments.releases):
        with tempfile.TemporaryDirectory(prefix="pentimento-serial-", dir=arguments.work) as folder:
            results.append(measure(arguments.pentimento, rows, releases, arguments.format, Path(folder)))
    bars, all_cleared = judge(results)
    report = "\n".join([*(table_of(result) for result in results), bars])
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0 if all_cleared else 1


if __name__ == "__main__":
    sys.exit(main())
