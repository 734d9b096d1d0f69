"""Measures what an update of a growing series costs, against partitioning everything anew in the same run.

    python bench/incremental.py [--rows 1000000,10000000] [--repeat 3] [--work FOLDER] [--out FILE] [--pentimento PROGRAM]

For every base: the first release of a series with that many generated people (8 quasi-identifiers, k = 10), then batches of
0.1 %, 1 % and 10 % of it, each joined to a copy of the same ledger with --changes-only. "Tree" is what maintaining the tree
costs: loading the state, inserting and refining, verifying, saving the state. The yardstick is the partition step of a plain
release of everything (base and the 10 % batch), with as many threads. Smaller bases show what grows; the bars are for
10 M rows. Exit code: 0 all bars cleared, 1 some missed.
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

import pyarrow.parquet as parquet

ROOT = Path(__file__).resolve().parent.parent
BATCHES = {"0.1 %": 0.001, "1 %": 0.01, "10 %": 0.1}
TREE_STEPS = ("load", "partition", "verify", "save")
FIXED_BATCH = 10_000
JUDGED_ROWS = 10_000_000  # the base that the bars are for
SHARE_BAR = 3.0  # a batch of 10 % may cost this many times its share of a full partition
SMALL_BAR = 20.0  # a batch of 0.1 % is at least this many times cheaper
SERIES = 'type = "incremental-k-anonymity"\nseries = "people"'


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def pentimento(program: Path, *arguments: object) -> dict:
    os.sync()
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"series.py: {program} {shlex.join(map(str, arguments))} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def write_policies(project: Path, names: list[str]) -> None:
    text = (project / "policy.toml").read_text()
    for name in names:
        policy = text.replace('release = "people-q1"', f'release = "{name}"')
        policy = policy.replace('path = "people.parquet"', f'path = "{name}.parquet"')
        (project / f"{name}.toml").write_text(policy.replace('type = "k-anonymity"', SERIES))
    everything = text.replace('path = "people.parquet"', 'path = ["base.parquet", "batch-10.parquet"]')
    (project / "everything.toml").write_text(everything)


def make_project(program: Path, rows: int, work: Path) -> tuple[Path, dict[str, str]]:
    """Splits generated people into a base and batches; returns the name of each batch's policy."""
    project = work / "people"
    batches = {label: int(rows * share) for label, share in BATCHES.items()}
    total = rows + sum(batches.values()) + FIXED_BATCH
    subprocess.run([program, "generate", project, "--rows", str(total), "--format", "parquet"], check=True,
                   stdout=subprocess.DEVNULL)
    table = parquet.read_table(project / "people.parquet")
    (project / "people.parquet").unlink()
    begin, names = 0, {}
    pieces = {"base": rows, **{f"batch-{label.split()[0]}": size for label, size in batches.items()},
              "batch-fixed": FIXED_BATCH}
    for name, size in pieces.items():
        parquet.write_table(table.slice(begin, size), project / f"{name}.parquet")
        begin += size
    for label in batches:
        names[label] = f"batch-{label.split()[0]}"
    write_policies(project, list(pieces))
    return project, names


def update(program: Path, project: Path, name: str, ledger: Path, work: Path) -> dict:
    copy, out = work / "copy", work / "out-copy"
    shutil.copytree(ledger, copy)
    try:
        return pentimento(program, "release", project / f"{name}.toml", "--ledger", copy, "--out", out, "--changes-only")
    finally:
        shutil.rmtree(copy, ignore_errors=True)
        shutil.rmtree(out, ignore_errors=True)


def tree_seconds(report: dict) -> float:
    return sum(report["seconds"][step] for step in TREE_STEPS)


def measure(program: Path, rows: int, repeat: int, work: Path) -> dict:
    say(f"{rows:,} rows: generating")
    project, names = make_project(program, rows, work)
    ledger, out = work / "ledger", work / "out"
    say(f"{rows:,} rows: the first release")
    first = pentimento(program, "release", project / "base.toml", "--ledger", ledger, "--out", out)
    shutil.rmtree(out)
    result = {"rows": rows, "first": first["seconds"], "updates": {}, "partition": []}
    for turn in range(repeat):
        say(f"{rows:,} rows: {turn + 1} of {repeat}")
        anew = pentimento(program, "release", project / "everything.toml", "--ledger", work / "none", "--out",
                          work / "none-out", "--dry-run")
        result["partition"].append(anew["seconds"]["partition"])
        for label, name in [*names.items(), (f"{FIXED_BATCH:,} rows", "batch-fixed")]:
            result["updates"].setdefault(label, []).append(update(program, project, name, ledger, work))
    shutil.rmtree(project)
    shutil.rmtree(ledger)
    return result


def table_of(result: dict) -> str:
    partition = statistics.median(result["partition"])
    lines = [f"Base of {result['rows']:,} rows; partitioning everything anew: {partition:.3f} s (median of "
             f"{len(result['partition'])}, best {min(result['partition']):.3f}).\n",
             "| batch | newcomers | groups joined | refined | tree, s | load | insert, refine | verify | save | "
             "of a full partition | reading, s | writing changes, s |", "|" + "---|" * 12]
    for label, runs in result["updates"].items():
        median = {step: statistics.median(run["seconds"][step] for run in runs) for step in runs[0]["seconds"]}
        tree = statistics.median(tree_seconds(run) for run in runs)
        series = runs[0]["series"]
        lines.append(f"| {label} | {series['newcomers']:,} | {series['groups_joined']:,} | {series['groups_refined']:,} | "
                     f"{tree:.3f} | {median['load']:.3f} | {median['partition']:.3f} | {median['verify']:.3f} | "
                     f"{median['save']:.3f} | 1/{partition / tree:.1f} | {median['read']:.3f} | {median['write']:.3f} |")
    return "\n".join(lines) + "\n"


def judge(results: list[dict]) -> tuple[str, bool]:
    bars = []
    for result in results:
        if result["rows"] < JUDGED_ROWS:
            continue
        partition = statistics.median(result["partition"])
        tree = {label: statistics.median(map(tree_seconds, runs)) for label, runs in result["updates"].items()}
        newcomers = result["updates"]["10 %"][0]["series"]["newcomers"]
        share = tree["10 %"] / (partition * newcomers / (result["rows"] + newcomers))
        cheaper = partition / tree["0.1 %"]
        bars.append((f"{result['rows']:,} rows: 10 % over its share of a full partition", share, f"<= {SHARE_BAR:g}",
                     share <= SHARE_BAR))
        bars.append((f"{result['rows']:,} rows: full partition over 0.1 %", cheaper, f">= {SMALL_BAR:g}",
                     cheaper >= SMALL_BAR))
    lines = ["| bar | measured | wanted | |", "|---|---|---|---|"]
    lines += [f"| {what} | {value:.1f} | {wanted} | {'PASS' if cleared else 'MISS'} |" for what, value, wanted, cleared in bars]
    return "\n".join(lines) + "\n", all(cleared for *_, cleared in bars)


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure updates of a series against partitioning everything anew.")
    parser.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",")],
                        default=[1_000_000, 10_000_000])
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--work", type=Path, help="folder for temporary files, a few GB at 10 M rows")
    parser.add_argument("--out", type=Path, help="also write the tables into this file")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    results = []
    for rows in arguments.rows:
        with tempfile.TemporaryDirectory(prefix="pentimento-series-", dir=arguments.work) as folder:
            results.append(measure(arguments.pentimento, rows, arguments.repeat, Path(folder)))
    bars, all_cleared = judge(results)
    report = "\n".join([*(table_of(result) for result in results), bars])
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0 if all_cleared else 1


if __name__ == "__main__":
    sys.exit(main())
