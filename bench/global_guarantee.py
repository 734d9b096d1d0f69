"""The global guarantee: the same people again and again, with sensitive values that change.

Generated people (8 quasi-identifiers, k = 10, Parquet), of whom everybody is in every release, with a sensitive value that is drawn anew
for each: four sensitive values of 0.2 % to 2 %, l = 2, a series planned with 10 releases. Ten releases of 1 M people, two of more.
"Account" is loading, joining, charging and saving the budgets, the part that goes to disk beside the table included.
"""

import shutil
from pathlib import Path

from measure import SMALL, Options, Report, Runs, at_most, bars_of_shares, in_own_process, release, run_silently, say, table_of

SENSITIVE = {"HIV": 0.002, "Hepatitis": 0.005, "Chlamydia": 0.01, "Depression": 0.02}
OTHERS = ("Flu", "Asthma", "Migraine", "Fracture", "Allergy", "Back pain")
PLANNED = 10
ACCOUNT = ("load", "save", "save_beside")
ACCOUNT_BAR = 1.0  # over reading the input
IDENTITY_BYTES, BUDGET_BYTES, HEADER_BYTES = 16, 8, 4096
STEPS = {"load": "load", "read": "read", "make": "partition", "verify": "verify", "charge": "save",
         "save beside the table": "save_beside", "write": "write"}


def drawn_value() -> str:
    """SQL that draws a sensitive value; `draw` is uniform in [0, 1)."""
    cases, above = [], 0.0
    for value, share in SENSITIVE.items():
        above += share
        cases.append(f"WHEN draw < {above} THEN '{value}'")
    rest = (1.0 - above) / len(OTHERS)
    cases += [f"WHEN draw < {above + rest * (n + 1)} THEN '{value}'" for n, value in enumerate(OTHERS[:-1])]
    return f"CASE {' '.join(cases)} ELSE '{OTHERS[-1]}' END"


def write_release(project: Path, number: int) -> Path:
    """The people of the register with diseases of their own for this release; returns its policy."""
    import duckdb  # it is large, and this runs in a process of its own
    name = f"release-{number}"
    with duckdb.connect() as database:
        # A hash draws the same with any number of threads. Of one text: hash(person, number) of two releases is not independent,
        # and values that stay with people are refused.
        database.execute(f"COPY (SELECT * EXCLUDE (draw) REPLACE ({drawn_value()} AS disease) FROM (SELECT *, "
                         f"hash(concat(person, ' ', {number})) / 18446744073709551616.0 AS draw FROM read_parquet('{project}/people.parquet'))) "
                         f"TO '{project / name}.parquet' (FORMAT parquet)")
    text = (project / "policy.toml").read_text()
    text = text.replace('release = "people-q1"', f'release = "{name}"').replace('path = "people.parquet"', f'path = "{name}.parquet"')
    values = ", ".join(f'"{value}"' for value in SENSITIVE)
    text = text.replace('disease = { role = "sensitive" }', f'disease = {{ role = "sensitive", values = [{values}] }}')
    text = text.replace("[publish]", f'[[guarantee]]\ntype = "global-guarantee"\nl = 2\nseries = "people"\nreleases = {PLANNED}\n\n[publish]')
    policy = project / f"{name}.toml"
    policy.write_text(text)
    return policy


def size_of_account(state: Path) -> int:
    """Budgets alone: what every release keeps of who is in which class stands beside them."""
    return sum(file.stat().st_size for file in state.glob("*.budgets"))


def measure_series(options: Options, rows: int) -> tuple[list[Runs], int]:
    """Each release, and the largest size of the account on disk, in bytes."""
    say(f"{rows:,} rows: generating")
    project, ledger, out = (options.work / name for name in ("people", "ledger", "out"))
    run_silently([options.program, "generate", project, "--rows", rows, "--format", "parquet"])
    measured, account = [], 0
    releases = PLANNED if rows <= SMALL and not options.is_quick else 2
    for number in range(1, releases + 1):
        say(f"{rows:,} rows: release {number} of {releases}")
        policy = in_own_process(write_release, project, number)
        measured.append(Runs(f"global guarantee, release {number}", rows, [release(options.program, policy, ledger, out)]))
        account = max(account, size_of_account(ledger / "state"))
        shutil.rmtree(out)
        (project / f"release-{number}.parquet").unlink()
    shutil.rmtree(ledger)
    shutil.rmtree(project)
    return measured, account


def measure(options: Options) -> Report:
    report, tables = Report(), []
    for rows in options.rows:
        measured, on_disk = measure_series(options, rows)
        tables += measured
        series = Runs("global guarantee", rows, [run for runs in measured for run in runs.releases])
        account = series.step(*ACCOUNT) / series.step("read")
        allowed = rows * (IDENTITY_BYTES + BUDGET_BYTES * len(SENSITIVE)) + HEADER_BYTES
        report.bars += [*bars_of_shares(series),
                        at_most(f"{series.title}: the account, over reading the input", account, ACCOUNT_BAR),
                        at_most(f"{series.title}: bytes of the account on disk", on_disk, allowed, "{:,.0f}")]
    report.parts.append(table_of(tables, STEPS, {
        "withheld": lambda runs: f"{runs.releases[0].report['series']['withheld']:,}",
        "NCP, %": lambda runs: f"{runs.releases[0].report['metrics']['ncp_percent']:.1f}"}))
    return report
