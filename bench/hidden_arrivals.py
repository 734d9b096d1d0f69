"""Measures what `arrivals = "hidden"` costs a growing series: how many groups are refined, and how much detail is lost.

    python bench/hidden_arrivals.py [--rows 10000] [--batch 2000] [--batches 5] [--k 10] [--work FOLDER]
                                    [--pentimento PROGRAM]

Generated people: a first release and then batches, once with arrivals shown and once hidden. "mixed": everybody is drawn
alike. "sites": the first release and every batch have zip codes of their own, as where a register takes in one town after
another. Three quasi-identifiers (age, sex, zip) and all eight. NCP is that of everybody in the last release.
"""

import argparse
import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FEW = ("age", "sex", "zip")


def pentimento(program: Path, *arguments: object) -> dict:
    done = subprocess.run([program, *map(str, arguments), "--json"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"hidden_arrivals.py: pentimento {arguments[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def deal(rows: list[dict], sizes: list[int], by_site: bool) -> list[list[dict]]:
    """The batches. By site: whole areas of zip codes, one after the other, each batch as soon as it has enough people."""
    if not by_site:
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
        return [rows[end - size : end] for end, size in zip(ends, sizes)]
    areas: dict[str, list[dict]] = {}
    for row in rows:
        areas.setdefault(row["zip"][:2], []).append(row)
    batches, left = [], sorted(areas)
    for size in sizes:
        batch = []
        while left and len(batch) < size:
            batch += areas[left.pop(0)]
        batches.append(batch)
    return batches


def write(project: Path, name: str, rows: list[dict], columns: tuple, k: int, arrivals: str) -> Path:
    with open(project / f"{name}.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    lines = []
    for line in (project / "policy.toml").read_text().split("[[guarantee]]")[0].splitlines():
        is_other = 'role = "quasi-identifier"' in line and columns and not line.startswith(columns)
        if not is_other:
            lines.append(line.replace('"people-q1"', f'"{name}-{arrivals}"').replace('"people.csv"', f'"{name}.csv"'))
    lines += ["[[guarantee]]", 'type = "incremental-k-anonymity"', f"k = {k}", 'series = "people"', f'arrivals = "{arrivals}"']
    policy = project / f"{name}-{arrivals}.toml"
    policy.write_text("\n".join(lines) + "\n")
    return policy


def measure(program: Path, project: Path, batches: list[list[dict]], columns: tuple, k: int, arrivals: str) -> str:
    work = Path(tempfile.mkdtemp(dir=project))
    refined = 0
    for number, rows in enumerate(batches):
        policy = write(project, f"r{number}", rows, columns, k, arrivals)
        told = pentimento(program, "release", policy, "--ledger", work / "ledger", "--out", work / "out", "--seed", 1)
        first = told if number == 0 else first
        refined += told["series"]["groups_refined"] if number > 0 else 0
    shutil.rmtree(work)
    ncp = [release["metrics"]["ncp_percent"] for release in (first, told)]
    return f"{refined:,} | {told['metrics']['classes']:,} | {ncp[0]:.2f} % | {ncp[1]:.2f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000)
    parser.add_argument("--batch", type=int, default=2_000)
    parser.add_argument("--batches", type=int, default=5)
    parser.add_argument("--k", type=int, default=10)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--pentimento", type=Path, default=ROOT / "build" / "pentimento")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=args.work) as work:
        project = Path(work) / "people"
        sizes = [args.rows] + [args.batch] * args.batches
        subprocess.run([args.pentimento, "generate", project, "--rows", str(sum(sizes))], check=True, capture_output=True)
        with open(project / "people.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        print("| people | quasi-identifiers | arrivals | groups refined later | classes | NCP, first | NCP, last |")
        print("|---|---|---|---:|---:|---:|---:|")
        for people in ("mixed", "sites"):
            batches = deal(rows, sizes, people == "sites")
            for columns in (FEW, ()):
                for arrivals in ("shown", "hidden"):
                    found = measure(args.pentimento, project, batches, columns, args.k, arrivals)
                    print(f"| {people} | {len(columns) or 8} | {arrivals} | {found} |", flush=True)


if __name__ == "__main__":
    main()
