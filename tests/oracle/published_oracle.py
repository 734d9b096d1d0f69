#!/usr/bin/env python3
"""Verifies a published folder by the definition alone: no code of the engine, only the files that everybody can see.

    published_oracle.py RELEASE-DIR [--k K] [--quasi-identifiers A,B] [--taxonomies DIR]
                        [--original FILE... [--missing TEXT...] [--id COLUMN]]

Always: every combination of quasi-identifiers is shared by at least k rows. With the original (CSV or Parquet): no row
was lost or invented; each set of equal published rows covers at least as many original rows, with the same class,
sensitive and keep values; every original row is covered; with --id, each class covers at least k persons.
Exit code 0: holds, 1: broken.
"""
import argparse
import collections
import csv
import decimal
import functools
import json
import operator
import pathlib
import re
import sys


def read_rows(path):
    """A list of {column: text}; a missing value is ''."""
    if path.suffix == ".parquet":
        import pyarrow.parquet

        rows = pyarrow.parquet.read_table(path).to_pylist()
        return [{name: "" if value is None else str(value) for name, value in row.items()} for row in rows]
    with open(path, newline="", encoding="utf-8-sig") as file:
        rows = csv.DictReader(file, skipinitialspace=True)
        return [{name.strip(): (value or "").strip() for name, value in row.items()} for row in rows]


def number(text):
    return decimal.Decimal(text) if re.fullmatch(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", text) else None


def plain(text):
    """1, 1.0 and 1.00 are the same value, whichever way a reader or a writer spells it."""
    return text if number(text) is None else number(text)


def read_taxonomy(path):
    """For each label the set of its leaves."""
    text = path.read_text(encoding="utf-8-sig")
    leaves_of = collections.defaultdict(set)
    delimiter = ";" if ";" in text.split("\n", 1)[0] else ","
    for line in csv.reader(text.splitlines(), delimiter=delimiter, skipinitialspace=True):
        labels = [label.strip() for label in line]
        for label in labels:
            leaves_of[label].add(labels[0])
    return leaves_of


def split_set(label):
    """'{a|b\\|c}' is a and b|c."""
    parts, escaped = [""], False
    for char in label[1:-1]:
        if escaped or char not in "\\|":
            parts[-1] += char
            escaped = False
        elif char == "\\":
            escaped = True
        else:
            parts.append("")
    return parts


def covers(label, value, taxonomy):
    """Whether a published cell is true of an original value ('' where it is missing)."""
    if label == "*":
        return True
    if label == "" or value == "":
        return label == value
    if taxonomy is not None:
        labels = split_set(label) if label.startswith("{") else [label]
        return any(value in taxonomy.get(one, ()) for one in labels)
    if label[0] == "[" and label[-1] in ")]":
        low, high = (number(end) for end in label[1:-1].split(","))
        at = number(value)
        return at is not None and low <= at and (at <= high if label[-1] == "]" else at < high)
    return plain(label) == plain(value)


class Release:
    def __init__(self, args):
        self.folder = args.release
        package = json.loads((self.folder / "datapackage.json").read_text(encoding="utf-8"))
        resource = next(r for r in package["resources"] if pathlib.PurePath(r["path"]).stem == "table")
        fields = resource["schema"]["fields"]
        self.roles = {field["name"]: field.get("pentimento:role") for field in fields}
        declared = [name for name, role in self.roles.items() if role == "quasi-identifier"]
        self.quasi = args.quasi_identifiers.split(",") if args.quasi_identifiers else declared
        guarantees = package.get("pentimento", {}).get("guarantees", [])
        promised = [g["k"] for g in guarantees if g.get("type") == "k-anonymity"]
        if args.k is None and not promised:
            sys.exit("published_oracle: neither --k nor datapackage.json says what k is")
        self.k = args.k if args.k is not None else max(promised)
        self.rows = read_rows(self.folder / resource["path"])
        self.taxonomies = {}
        for field in fields:
            if path := field.get("pentimento:taxonomy"):
                full = args.taxonomies / pathlib.PurePath(path).name if args.taxonomies else self.folder / path
                self.taxonomies[field["name"]] = read_taxonomy(full)

    def classes(self):
        return collections.Counter(tuple(row[name] for name in self.quasi) for row in self.rows)


def check_anonymous(release):
    for place, size in enumerate(release.classes().values(), 1):
        if size < release.k:
            yield f"class {place} of the table has {size} rows, {release.k} are required"


class Original:
    """Sets of original rows are the bits of one integer: covering a published row is an AND over its columns."""

    def __init__(self, release, rows):
        self.release, self.rows, self.known = release, rows, {}
        self.rows_with = {name: collections.defaultdict(int) for name in release.roles}
        for name, masks in self.rows_with.items():
            for i, row in enumerate(rows):
                masks[row[name] if name in release.quasi else plain(row[name])] |= 1 << i

    def covered_by_cell(self, name, label):
        if name not in self.release.quasi:
            return self.rows_with[name].get(plain(label), 0)
        if (name, label) not in self.known:
            taxonomy = self.release.taxonomies.get(name)
            masks = [mask for value, mask in self.rows_with[name].items() if covers(label, value, taxonomy)]
            self.known[name, label] = functools.reduce(operator.or_, masks, 0)
        return self.known[name, label]

    def covered_by(self, names, labels):
        mask = (1 << len(self.rows)) - 1
        for name, label in zip(names, labels):
            mask &= self.covered_by_cell(name, label)
        return mask


def check_truthful(release, original):
    if len(original.rows) != len(release.rows):
        yield f"{len(release.rows)} rows are published, the original has {len(original.rows)}"
    kept = [name for name in release.roles if name not in release.quasi]
    for name in kept:
        values = (collections.Counter(plain(row[name]) for row in rows) for rows in (original.rows, release.rows))
        if operator.ne(*values):
            yield f"column {name} does not have the values of the original"
    names, covered = release.quasi + kept, 0
    sets = collections.Counter(tuple(row[name] for name in names) for row in release.rows)
    for place, (labels, size) in enumerate(sets.items(), 1):
        mask = original.covered_by(names, labels)
        covered |= mask
        if mask.bit_count() < size:
            yield f"set {place} of equal published rows has {size} of them and covers {mask.bit_count()} original rows"
    if lost := len(original.rows) - covered.bit_count():
        yield f"{lost} original rows are covered by no published row"


def check_persons(release, original, column):
    for place, labels in enumerate(release.classes(), 1):
        mask = original.covered_by(release.quasi, labels)
        persons = {row[column] for i, row in enumerate(original.rows) if mask >> i & 1}
        if len(persons) < release.k:
            yield f"class {place} of the table covers {len(persons)} persons, {release.k} are required"


def main():
    parser = argparse.ArgumentParser(description="Verify a published folder by the definition alone.")
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("--k", type=int)
    parser.add_argument("--quasi-identifiers", help="comma-separated; default: as datapackage.json says")
    parser.add_argument("--original", type=pathlib.Path, nargs="+")
    parser.add_argument("--missing", nargs="*", default=[""], help="what stands for a missing value in the original")
    parser.add_argument("--id", help="the column of the original that says who a row is about")
    parser.add_argument("--taxonomies", type=pathlib.Path, help="default: those of the release")
    args = parser.parse_args()
    release = Release(args)
    faults = list(check_anonymous(release))
    if args.original:
        rows = [row for path in args.original for row in read_rows(path)]
        for row in rows:
            row.update({name: "" for name in release.quasi if row[name] in args.missing})
        original = Original(release, rows)
        faults += check_truthful(release, original)
        faults += check_persons(release, original, args.id) if args.id else []
    for fault in faults[:20]:
        print("broken:", fault)
    sizes = release.classes().values()
    result = "BROKEN" if faults else "HOLDS"
    print(f"{result}: k = {release.k}, {sum(sizes)} rows, {len(sizes)} classes, smallest {min(sizes, default=0)}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
