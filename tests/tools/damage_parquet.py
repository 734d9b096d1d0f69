#!/usr/bin/env python3
"""Damages a small Parquet file byte by byte and asks the command to publish, measure, query and import it.

Whatever the bytes say, the command ends with 0 or 3. With 0 it has published exactly the sensitive values that
pyarrow, which checks every index, reads from the same bytes: nothing of stray memory. What pyarrow
refuses, pages that do not match their checksum included, must not be published at all.

    damage_parquet.py [--seed 1] [--files 40]

Run it in an empty folder, with `pentimento` on the PATH. More files: more time, about 40 ms each.
"""

import argparse
import collections
import pathlib
import random
import shutil
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

ROWS = 240
JOBS = ["Clerk", "Cook", "Doctor", "Nurse", "Painter"]
DISEASES = ["Asthma", "Flu", "Gout", "Migraine", "Ulcer", "Zoster"]
POLICY = """version = 1
release = "damaged"
[input]
path = "damaged.parquet"
[columns]
person = { role = "id" }
job = { role = "quasi-identifier", values = ["Clerk", "Cook", "Doctor", "Nurse", "Painter"] }
age = { role = "quasi-identifier", domain = [0, 120] }
disease = { role = "sensitive" }
smokes = { role = "class" }
note = { role = "keep" }
[[guarantee]]
type = "k-anonymity"
k = 3
"""
IMPORT = POLICY.replace('person = { role = "id" }\n', "").split("[[guarantee]]")[0].replace("[input]\npath = \"damaged.parquet\"\n", "")


def make_table(with_ids):
    columns = {"person": [f"p{i}" for i in range(ROWS)]} if with_ids else {}
    columns |= {
        "job": [JOBS[i % 5] for i in range(ROWS)],
        "age": [20 + i % 60 for i in range(ROWS)],
        "disease": [DISEASES[i % 7 % 6] for i in range(ROWS)],
        "smokes": [("yes", "no", None)[i % 3] for i in range(ROWS)],
        "note": [f"n{i % 50}" for i in range(ROWS)],
    }
    return pa.table(columns)


def write(table, path, checksums):
    pq.write_table(table, path, compression="none", row_group_size=ROWS // 2, write_page_checksum=checksums)


def page_bytes(path):
    """Where the pages of the columns lie, which is where damage does not show in the metadata."""
    metadata = pq.ParquetFile(path).metadata
    places = []
    for group in range(metadata.num_row_groups):
        for number in range(metadata.num_columns):
            column = metadata.row_group(group).column(number)
            begin = column.dictionary_page_offset or column.data_page_offset
            places += range(begin, begin + column.total_compressed_size)
    return places


def read_by_pyarrow(path):
    """The disease column, or nothing where pyarrow refuses the file."""
    try:
        table = pq.read_table(path, page_checksum_verification=True)
        table.validate(full=True)
        return collections.Counter(table.column("disease").to_pylist())
    except (pa.ArrowException, OSError, KeyError, ValueError):
        return None


def run(command, allowed, what):
    done = subprocess.run(["pentimento", *command], capture_output=True, timeout=20)
    if done.returncode not in allowed:
        sys.exit(f"{what}: pentimento {' '.join(command)} ended with {done.returncode}\n{done.stderr.decode()[-2000:]}")
    return done.returncode


def check_release(what, expected):
    for folder in ("ledger", "out"):
        shutil.rmtree(folder, ignore_errors=True)
    if run(["release", "policy.toml", "--ledger", "ledger", "--out", "out", "--seed", "1"], (0, 3), what) != 0:
        return False
    published = pyarrow.csv.read_csv(
        "out/damaged/table.csv", convert_options=pyarrow.csv.ConvertOptions(strings_can_be_null=True, null_values=[""])
    )
    found = collections.Counter(published.column("disease").to_pylist())
    if expected is None or found != expected:
        sys.exit(f"{what}: published what is not in the file")
    return True


def check_readers(what):
    """The same bytes as an original to compare with, as a table of a release, and as one to be imported."""
    run(["metrics", "--original", "damaged.parquet", "--release", "good/damaged"], (0, 3), what)
    shutil.copy("damaged.parquet", "good-parquet/damaged/table.parquet")
    run(["query", "good-parquet/damaged", "count where disease = Flu"], (0, 3), what)
    run(["metrics", "--original", "whole.parquet", "--release", "good-parquet/damaged"], (0, 3), what)
    shutil.rmtree("ledger", ignore_errors=True)
    run(["import", "damaged.parquet", "--policy", "import.toml", "--ledger", "ledger"], (0, 3), what)


def prepare():
    pathlib.Path("policy.toml").write_text(POLICY)
    pathlib.Path("import.toml").write_text(IMPORT)
    write(make_table(with_ids=True), "damaged.parquet", checksums=False)
    shutil.copy("damaged.parquet", "whole.parquet")
    release = ["release", "policy.toml", "--ledger", "first", "--out", "good"]
    run(release, (0,), "the file as it is")
    pathlib.Path("policy.toml").write_text(POLICY.replace("[[guar", '[publish]\nformat = "parquet"\n[[guar'))
    run([*release[:3], "second", "--out", "good-parquet"], (0,), "the file as it is")
    pathlib.Path("policy.toml").write_text(POLICY)


def damage(content, places, dice):
    damaged = bytearray(content)
    changes = []
    for _ in range(dice.choice((1, 1, 1, 2, 8))):
        place = dice.choice(places)
        damaged[place] = dice.randrange(256)
        changes.append((place, damaged[place]))
    return bytes(damaged), changes


def campaign(arguments, source, checksums, dice):
    """Damages copies of `source`; how many were published."""
    path = pathlib.Path("damaged.parquet")
    write(source, path, checksums)
    content, places = path.read_bytes(), page_bytes(path)
    published = 0
    for number in range(arguments.files):
        damaged, changes = damage(content, places, dice)
        path.write_bytes(damaged)
        what = f"seed {arguments.seed}, file {number}, checksums {checksums}, bytes {changes}"
        expected = read_by_pyarrow(path)
        if "person" in source.column_names:
            published += check_release(what, expected)
        else:
            check_readers(what)
    return published


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files", type=int, default=40)
    arguments = parser.parse_args()
    prepare()
    dice = random.Random(arguments.seed)
    plain = campaign(arguments, make_table(with_ids=True), False, dice)
    summed = campaign(arguments, make_table(with_ids=True), True, dice)
    campaign(arguments, make_table(with_ids=False), False, dice)
    print(f"{3 * arguments.files} damaged files, {plain + summed} published as they are, the others refused")


if __name__ == "__main__":
    main()
