"""(X,Y)-anonymity and (X,Y)-linkability: releases joined with an earlier one, on larger versions of UCI Adult.

The view of the immigration office goes on record with `pentimento import`, then the view of the tax office is published beside it, with
Top6 anonymity at k = 40 and Top1 linkability at 90 % (Set A), and Top6 anonymity for Set B with its six numeric columns; as CSV. The
yardstick is DuckDB copying both files, in turn with the releases.

    python bench/xy.py --adult FOLDER [--work FOLDER] [--pentimento PROGRAM]

runs the grid of Wang and Fung 2006 on Adult itself: Top1 to Top7, k from 40 to 200, limits from 10 % to 90 %, both sets; every release is
verified by the program before it is published. It measures no time.
"""

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import (HERE, ROOT, SMALL, Bar, Options, Report, Runs, at_most, bars_of_scaling, bars_of_shares, duckdb_copy, markdown,
                     release, run_silently, say, table_of)

WHOLE_BAR = 2.0  # a release over DuckDB copying both files
SET_B_BAR = 3.0  # over Set A
MEMORY_BAR = 1000  # MB at 1 M rows
STEPS = {"recall": "load", "read": "read", "make": "partition", "verify": "verify", "write": "write"}
SETTINGS = {"Set A, anonymity": ("--set", "A", "--guarantee", "anonymity", "--top", 6, "--k", 40),
            "Set A, linkability": ("--set", "A", "--guarantee", "linkability", "--top", 1, "--limit", "9/10"),
            "Set B, anonymity": ("--set", "B", "--guarantee", "anonymity", "--top", 6, "--k", 40)}


def make_views(adult: Path, folder: Path, *arguments: object) -> None:
    run_silently([sys.executable, HERE / "adult_views.py", adult, folder, *arguments])


def import_view(program: Path, views: Path, ledger: Path) -> None:
    run_silently([program, "import", views / "immigration.csv", "--policy", views / "import.toml", "--ledger", ledger])


def measure_setting(options: Options, name: str, rows: int) -> Runs:
    measured, views = Runs(name, rows), options.work / "views"
    make_views(options.adult, views, "--rows", rows, "--format", "csv", *SETTINGS[name])
    for turn in range(1, options.repeat + 1):
        with tempfile.TemporaryDirectory(dir=options.work) as place:
            ledger = Path(place) / "ledger"
            import_view(options.program, views, ledger)
            copies = [duckdb_copy(views / f"{view}.csv", options.work).report["seconds"] for view in ("taxation", "immigration")]
            measured.copies.append(sum(copies))
            measured.releases.append(release(options.program, views / "release.toml", ledger, Path(place) / "out"))
        say(f"{measured.title}: {turn} of {options.repeat}: DuckDB {measured.copies[-1]:.2f} s, release {measured.seconds()[-1]:.2f} s")
    shutil.rmtree(views)
    return measured


def bars_of(measured: list[Runs]) -> list[Bar]:
    bars = []
    whole = {(runs.name, runs.rows): runs.whole() for runs in measured}
    for runs in measured:
        bars += [at_most(f"{runs.title}: over DuckDB copying both", runs.over_copy(), WHOLE_BAR), *bars_of_shares(runs)]
        if runs.rows == SMALL:
            bars.append(at_most(f"{runs.title}: peak memory (MB)", runs.peak_megabytes(), MEMORY_BAR, "{:,.0f}"))
        if runs.name == "Set B, anonymity":
            bars.append(at_most(f"{runs.title}: over Set A", runs.whole() / whole["Set A, anonymity", runs.rows], SET_B_BAR))
    return bars + bars_of_scaling(measured)


def measure(options: Options) -> Report:
    measured = [measure_setting(options, name, rows) for rows in options.rows for name in SETTINGS]
    table = table_of(measured, STEPS, {"specializations": lambda runs: f"{runs.releases[0].report['specializations']}",
                                       "classes": lambda runs: f"{runs.releases[0].report['metrics']['classes']:,}"})
    return Report([table], bars_of(measured))


# --- the grid ------------------------------------------------------------------------------------


def line_of_grid(arguments: argparse.Namespace, work: Path, name: str, guarantee: str, top: int, limit: object) -> list[str]:
    what = ["--k", limit] if guarantee == "anonymity" else ["--limit", limit]
    make_views(arguments.adult, work, "--set", name, "--guarantee", guarantee, "--top", top, *what)
    with tempfile.TemporaryDirectory(dir=work) as place:
        import_view(arguments.pentimento, work, Path(place) / "ledger")
        done = subprocess.run([arguments.pentimento, "release", work / "release.toml", "--ledger", Path(place) / "ledger", "--out",
                               Path(place) / "out", "--json"], capture_output=True, text=True, check=False)
    line = [name, f"Top{top} {guarantee}", str(limit)]
    if done.returncode == 1:
        return [*line, "", "", "", "", "refused: no table keeps it"]
    if done.returncode != 0:
        sys.exit(f"xy.py: {' '.join(line)}: {done.stderr}")
    report = json.loads(done.stdout)
    metrics = report["metrics"]
    return [*line, f"{report['specializations']}", f"{metrics['classes']:,}", f"{metrics['categorical_distortion']:.2f}",
            f"{metrics['numeric_distortion']:.2f}", "published"]


def main() -> int:
    parser = argparse.ArgumentParser(description="The grid of Wang and Fung 2006 on UCI Adult.")
    parser.add_argument("--adult", type=Path, required=True, help="folder with adult.data and adult.test")
    parser.add_argument("--work", type=Path, help="folder for temporary files")
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    arguments = parser.parse_args()
    # x holds every join column, and those are the first three of Set A: its Top1 to Top3 are one requirement.
    grid = [("A", "anonymity", top, k) for top in range(1, 7) for k in (40, 80, 120, 160, 200)]
    grid += [("B", "anonymity", top, k) for top in range(1, 8) for k in (40, 80, 120, 160, 200)]
    grid += [(name, "linkability", top, limit) for name in "AB" for top in range(1, 5)
             for limit in ("1/10", "3/10", "1/2", "7/10", "9/10")]
    with tempfile.TemporaryDirectory(prefix="pentimento-xy-", dir=arguments.work) as work:
        lines = [line_of_grid(arguments, Path(work), *point) for point in grid]
    print(markdown(["set", "requirement", "limit", "specializations", "classes", "distortion, categories", "numbers", "outcome"], lines))
    return 0


if __name__ == "__main__":
    sys.exit(main())
