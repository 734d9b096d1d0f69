"""Measures releases that are joined with an earlier one, on UCI Adult and on larger versions of it.

    python bench/xy.py --adult FOLDER [--rows 200000,1000000,10000000] [--repeat 2] [--format parquet] [--work FOLDER]
                               [--out FILE] [--pentimento PROGRAM] [--experiments]

For each size: the view of the immigration office goes on record with `pentimento import`, then the view of the tax office is
published beside it, with Top6 anonymity at k = 40 and Top1 linkability at 90 % (Set A), and Top6 anonymity for Set B with its six
numeric columns. The yardstick is DuckDB copying both files, in the same run. --experiments runs the paper's grid on Adult itself: Top1 to
Top7, k from 40 to 200, limits from 10 % to 90 %, both sets; every release is verified by the program before it is published.
Exit code: 0 all bars cleared, 1 some missed.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WHOLE_BAR = 2.0  # a release over DuckDB copying both files
SHARE_BAR = 1 / 3  # specialize and verify, of the whole
SET_B_BAR = 3.0
MEMORY_BAR = 1000  # MB at 1 M rows
SCALE_BAR = 11.0


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def make_views(adult: Path, folder: Path, *arguments: object) -> None:
    subprocess.run([sys.executable, ROOT / "bench" / "adult_views.py", adult, folder, *map(str, arguments)], check=True)


def duckdb_copy(folder: Path, suffix: str) -> float:
    seconds = 0.0
    for name in ("taxation", "immigration"):
        os.sync()
        target = folder / f"copy.{suffix}"
        done = subprocess.run([sys.executable, ROOT / "bench" / "duckdb_copy.py", folder / f"{name}.{suffix}", target],
                              check=True, capture_output=True, text=True)
        seconds += json.loads(done.stdout)["seconds"]
        target.unlink()
    return seconds


def timed(command: list[object]) -> tuple[float, float, subprocess.CompletedProcess]:
    """Seconds from start to exit, peak memory in MB, and what happened."""
    os.sync()
    done = subprocess.run(["/usr/bin/time", "-f", "%e %M", *map(str, command)], capture_output=True, text=True, check=False)
    seconds, peak = done.stderr.strip().splitlines()[-1].split()
    return float(seconds), int(peak) / 1024, done


def measure(arguments: argparse.Namespace, label: str, rows: int, views: list[object], work: Path) -> dict:
    folder = work / "views"
    suffix = arguments.format
    make_views(arguments.adult, folder, "--rows", rows, "--format", suffix, *views)
    program = arguments.pentimento
    copies, wholes, peaks, reports = [], [], [], []
    for turn in range(arguments.repeat):
        say(f"{label}, {rows:,} rows: {turn + 1} of {arguments.repeat}")
        with tempfile.TemporaryDirectory(dir=work) as place:
            ledger = Path(place) / "ledger"
            subprocess.run([program, "import", folder / f"immigration.{suffix}", "--policy", folder / "import.toml", "--ledger",
                            ledger], check=True, stdout=subprocess.DEVNULL)
            copies.append(duckdb_copy(folder, suffix))
            seconds, peak, done = timed([program, "release", folder / "release.toml", "--ledger", ledger, "--out",
                                         Path(place) / "out", "--json"])
            if done.returncode != 0:
                sys.exit(f"xy.py: {label}: {done.stderr}")
            wholes.append(seconds)
            peaks.append(peak)
            reports.append(json.loads(done.stdout))
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    steps = {step: statistics.median(report["seconds"][step] for report in reports) for step in reports[0]["seconds"]}
    return {"label": label, "rows": rows, "copy": statistics.median(copies), "whole": statistics.median(wholes), "peak": max(peaks),
            "steps": steps, "specializations": reports[0]["specializations"], "classes": reports[0]["metrics"]["classes"]}


def table_of(results: list[dict]) -> str:
    lines = ["| what | rows each | DuckDB copies both, s | release, s | ratio | recall | read | specialize | verify | write | "
             "specialize and verify, of the whole | peak, MB | specializations | classes |", "|" + "---|" * 14]
    for result in results:
        steps = result["steps"]
        share = (steps["partition"] + steps["verify"]) / result["whole"]
        lines.append(f"| {result['label']} | {result['rows']:,} | {result['copy']:.2f} | {result['whole']:.2f} | "
                     f"{result['whole'] / result['copy']:.2f} | {steps['load']:.2f} | {steps['read']:.2f} | "
                     f"{steps['partition']:.2f} | {steps['verify']:.2f} | {steps['write']:.2f} | {100 * share:.0f} % | "
                     f"{result['peak']:,.0f} | {result['specializations']} | {result['classes']:,} |")
    return "\n".join(lines) + "\n"


def judge(results: list[dict]) -> tuple[str, bool]:
    bars = []
    by_key = {(result["label"], result["rows"]): result for result in results}
    for (label, rows), result in by_key.items():
        what = f"{label}, {rows:,} rows"
        ratio = result["whole"] / result["copy"]
        share = (result["steps"]["partition"] + result["steps"]["verify"]) / result["whole"]
        bars.append((f"{what}: over DuckDB copying both", ratio, WHOLE_BAR, ratio <= WHOLE_BAR))
        bars.append((f"{what}: specialize and verify, of the whole", share, SHARE_BAR, share <= SHARE_BAR))
        if rows == 1_000_000:
            bars.append((f"{what}: peak memory, MB", result["peak"], MEMORY_BAR, result["peak"] <= MEMORY_BAR))
        if rows == 10_000_000 and (label, 1_000_000) in by_key:
            scale = result["whole"] / by_key[label, 1_000_000]["whole"]
            bars.append((f"{label}: 10 M rows over 1 M rows", scale, SCALE_BAR, scale <= SCALE_BAR))
        if label.startswith("Set B") and ("Set A, anonymity", rows) in by_key:
            ratio = result["whole"] / by_key["Set A, anonymity", rows]["whole"]
            bars.append((f"{what}: over Set A", ratio, SET_B_BAR, ratio <= SET_B_BAR))
    lines = ["| bar | measured | wanted | |", "|---|---|---|---|"]
    lines += [f"| {what} | {value:.2f} | <= {wanted:.2f} | {'PASS' if cleared else 'MISS'} |" for what, value, wanted, cleared in bars]
    return "\n".join(lines) + "\n", all(cleared for *_, cleared in bars)


def experiments(arguments: argparse.Namespace, work: Path) -> str:
    lines = ["| set | requirement | limit | specializations | classes | distortion, categories | numbers | outcome |", "|" + "---|" * 8]
    # x holds every join column, and those are the first three of Set A: its Top1 to Top3 are one requirement.
    grid = [("A", "anonymity", top, k) for top in range(1, 7) for k in (40, 80, 120, 160, 200)]
    grid += [("B", "anonymity", top, k) for top in range(1, 8) for k in (40, 80, 120, 160, 200)]
    grid += [(name, "linkability", top, limit) for name in "AB" for top in range(1, 5)
             for limit in ("1/10", "3/10", "1/2", "7/10", "9/10")]
    for name, guarantee, top, limit in grid:
        folder = work / "adult"
        what = ["--k", limit] if guarantee == "anonymity" else ["--limit", limit]
        make_views(arguments.adult, folder, "--set", name, "--guarantee", guarantee, "--top", top, *what)
        with tempfile.TemporaryDirectory(dir=work) as place:
            ledger = Path(place) / "ledger"
            subprocess.run([arguments.pentimento, "import", folder / "immigration.csv", "--policy", folder / "import.toml", "--ledger",
                            ledger], check=True, stdout=subprocess.DEVNULL)
            _, _, done = timed([arguments.pentimento, "release", folder / "release.toml", "--ledger", ledger, "--out",
                                Path(place) / "out", "--json"])
        if done.returncode not in (0, 1):
            sys.exit(f"xy.py: {name} {guarantee} Top{top} {limit}: {done.stderr}")
        if done.returncode == 1:
            lines.append(f"| {name} | Top{top} {guarantee} | {limit} | | | | | refused: no table keeps it |")
            continue
        report = json.loads(done.stdout)
        metrics = report["metrics"]
        lines.append(f"| {name} | Top{top} {guarantee} | {limit} | {report['specializations']} | {metrics['classes']:,} | "
                     f"{metrics['categorical_distortion']:.2f} | {metrics['numeric_distortion']:.2f} | published |")
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure releases that are joined with an earlier one.")
    parser.add_argument("--adult", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--rows", type=lambda text: [int(part) for part in text.split(",") if part],
                        default=[200_000, 1_000_000, 10_000_000])
    parser.add_argument("--repeat", type=int, default=2)
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--work", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    parser.add_argument("--experiments", action="store_true")
    arguments = parser.parse_args()
    settings = {"Set A, anonymity": ["--set", "A", "--guarantee", "anonymity", "--top", 6, "--k", 40],
                "Set A, linkability": ["--set", "A", "--guarantee", "linkability", "--top", 1, "--limit", "9/10"],
                "Set B, anonymity": ["--set", "B", "--guarantee", "anonymity", "--top", 6, "--k", 40]}
    with tempfile.TemporaryDirectory(prefix="pentimento-xy-", dir=arguments.work) as folder:
        work = Path(folder)
        grid = experiments(arguments, work) if arguments.experiments else ""
        results = [measure(arguments, label, rows, views, work) for rows in arguments.rows for label, views in settings.items()]
    bars, all_cleared = judge(results)
    report = "\n".join(part for part in (table_of(results), bars, grid) if part)
    print(report)
    if arguments.out:
        arguments.out.write_text(report, encoding="utf-8")
    return 0 if all_cleared else 1


if __name__ == "__main__":
    sys.exit(main())
