"""Incremental k-anonymity: the first release of a growing series, and batches that join it.

For every base: the first release of a series with that many generated people (8 quasi-identifiers, k = 10, Parquet), then batches of
0.1 %, 1 % and 10 % of it and one of 10,000 rows, each joined to a copy of the same ledger with --changes-only. The last shows what grows
with the base alone.
"""

import shutil
from pathlib import Path

from measure import Options, Report, Runs, bars_of_scaling, bars_of_shares, in_own_process, release, run_silently, say, table_of

BATCHES = {"0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1}
FIXED_BATCH = 10_000
SERIES = 'type = "incremental-k-anonymity"\nseries = "people"'
STEPS = {"load": "load", "read": "read", "make": "partition", "verify": "verify", "save": "save", "write": "write"}


def make_project(program: Path, rows: int, project: Path) -> dict[str, str]:
    """Splits generated people into a base and batches; returns the policy's name of each by what it is called in tables."""
    import pyarrow.parquet as parquet  # it is large, and this runs in a process of its own
    sizes = {"first release": rows, **{f"batch of {label}": int(rows * share) for label, share in BATCHES.items()},
             f"batch of {FIXED_BATCH:,} rows": FIXED_BATCH}
    run_silently([program, "generate", project, "--rows", sum(sizes.values()), "--format", "parquet"])
    text = (project / "policy.toml").read_text()
    table = parquet.read_table(project / "people.parquet")
    (project / "people.parquet").unlink()
    begin, names = 0, {}
    for number, (label, size) in enumerate(sizes.items()):
        name = names[label] = f"part-{number}"
        parquet.write_table(table.slice(begin, size), project / f"{name}.parquet")
        begin += size
        policy = text.replace('release = "people-q1"', f'release = "{name}"').replace('path = "people.parquet"', f'path = "{name}.parquet"')
        (project / f"{name}.toml").write_text(policy.replace('type = "k-anonymity"', SERIES))
    return names


def measure_base(options: Options, rows: int) -> list[Runs]:
    say(f"{rows:,} rows: generating")
    project, ledger, out = (options.work / name for name in ("people", "ledger", "out"))
    names = in_own_process(make_project, options.program, rows, project)
    (_, first), *batches = names.items()
    measured = {label: Runs(label, rows) for label in names}
    for turn in range(1, options.repeat + 1):
        say(f"{rows:,} rows: {turn} of {options.repeat}")
        measured["first release"].releases.append(release(options.program, project / f"{first}.toml", ledger, out))
        shutil.rmtree(out)
        for label, name in batches:
            copy = options.work / "copy"
            shutil.copytree(ledger, copy)
            run = release(options.program, project / f"{name}.toml", copy, out, "--changes-only")
            measured[label].releases.append(run)
            shutil.rmtree(copy)
            shutil.rmtree(out)
        shutil.rmtree(ledger)
    shutil.rmtree(project)
    return list(measured.values())


def of_series(key: str):
    return lambda runs: f"{runs.releases[0].report['series'][key]:,}" if key in runs.releases[0].report["series"] else ""


def measure(options: Options) -> Report:
    measured = [runs for rows in options.rows for runs in measure_base(options, rows)]
    table = table_of(measured, STEPS, {"newcomers": of_series("newcomers"), "classes joined": of_series("groups_joined"),
                                       "refined": of_series("groups_refined")})
    bars = [bar for runs in measured for bar in bars_of_shares(runs)]
    return Report([table], bars + bars_of_scaling([runs for runs in measured if runs.name == "first release"]))
