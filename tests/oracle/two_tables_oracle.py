#!/usr/bin/env python3
"""Verifies (alpha,k)-anonymity of a published folder by the definition alone: no code of the engine, only the files that
everybody can see. Two tables (nss, ss or one ss-COLUMN for each sensitive column) or one generalized table.

    two_tables_oracle.py RELEASE-DIR --alpha 1/3 --k 2 [--values COLUMN=V|V...]... [--limit COLUMN=V|V...:1/10]...
                         [--original FILE... [--missing TEXT...]]

Always: every class has at least k rows, and no value of a sensitive column is more frequent in a class than alpha (with
--values only those values of that column); the values of a --limit are counted together. Two tables: class ids are 1 to
their number, SS is in order of classes and, inside a class, in one order of values; no entry twice, none counts nothing;
the counts of a class add up to its rows in NSS; no sensitive column in NSS and nothing but counts in SS; the package
says what is promised, and warns of joining. With the original: NSS holds its rows and SS its values, no more, no less.
Exit code 0: holds, 1: broken. Values never appear in what is printed.
"""
import argparse
import collections
import fractions
import graphlib
import json
import pathlib
import sys

from published_oracle import plain, read_rows

CLASS, COUNT = "class_id", "count"


def whole_number(text):
    return int(text) if text.isascii() and text.isdigit() else None


class Promise:
    """What is limited: (column, values or None for each value by itself, limit)."""

    def __init__(self, args, columns):
        self.alpha, self.k = fractions.Fraction(args.alpha), args.k
        only = dict(self.column_and_values(text) for text in args.values)
        self.limits = []
        for column in columns:
            self.limits += [(column, {value}, self.alpha) for value in only[column]] if column in only else []
            self.limits += [] if column in only else [(column, None, self.alpha)]
        for text in args.limit:
            named, _, at_most = text.rpartition(":")
            column, values = self.column_and_values(named)
            self.limits.append((column, values, fractions.Fraction(at_most)))
        unknown = {column for column, _, _ in self.limits}.union(only).difference(columns)
        if unknown:
            sys.exit(f"two_tables_oracle: no sensitive column {', '.join(sorted(unknown))} is published")

    @staticmethod
    def column_and_values(text):
        column, _, values = text.partition("=")
        return column, set(values.split("|"))

    def broken(self, place, size, counts_of_column):
        """Faults of one class, given for each sensitive column how often it has which value."""
        if size < self.k:
            yield f"{place} has {size} rows, {self.k} are required"
        for column, values, at_most in self.limits:
            counts = counts_of_column[column]
            found = [sum(counts[v] for v in values)] if values is not None else counts.values()
            if any(fractions.Fraction(count, size) > at_most for count in found):
                yield f"{place}: {max(found)} of {size} rows have a value of {column}, at most {at_most} may"


class Release:
    def __init__(self, folder):
        self.package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
        self.tables, self.fields = {}, {}
        for resource in self.package["resources"]:
            path = pathlib.PurePath(resource["path"])
            if path.suffix in (".csv", ".parquet") and len(path.parts) == 1:
                self.tables[path.stem] = read_rows(folder / path)
                self.fields[path.stem] = resource["schema"]["fields"]
        self.ss = sorted(name for name in self.tables if name == "ss" or name.startswith("ss-"))

    def columns(self, table, role):
        return [f["name"] for f in self.fields[table] if f.get("pentimento:role") == role]

    def sensitive(self):
        """The table of each sensitive column."""
        if "table" in self.tables:
            return {name: "table" for name in self.columns("table", "sensitive")}
        return {f["name"]: table for table in self.ss for f in self.fields[table] if f["name"] not in (CLASS, COUNT)}


def check_package(release, promise):
    said = [g for g in release.package.get("pentimento", {}).get("guarantees", []) if g["type"] == "alpha-k-anonymity"]
    if not any(fractions.Fraction(str(g["alpha"])) == promise.alpha and g["k"] == promise.k for g in said):
        yield "datapackage.json does not promise what is verified"
    if "nss" in release.tables and "join" not in json.dumps(release.package).lower():
        yield "datapackage.json does not warn of joining the tables row by row"


def check_generalized(release, promise):
    quasi = release.columns("table", "quasi-identifier")
    classes = collections.defaultdict(list)
    for row in release.tables["table"]:
        classes[tuple(row[name] for name in quasi)].append(row)
    for place, rows in enumerate(classes.values(), 1):
        counts = {c: collections.Counter(row[c] for row in rows) for c in release.sensitive()}
        yield from promise.broken(f"class {place} of the table", len(rows), counts)


def check_order(name, rows, columns):
    """In order of classes, and inside a class in an order of values that all classes share."""
    before = graphlib.TopologicalSorter()
    for last, row in zip(rows, rows[1:]):
        if int(last[CLASS]) > int(row[CLASS]):
            yield f"{name} is not in order of classes"
            return
        if last[CLASS] == row[CLASS]:
            before.add(tuple(row[c] for c in columns), tuple(last[c] for c in columns))
    try:
        before.prepare()
    except graphlib.CycleError:
        yield f"{name} has classes whose values are in different orders"


def check_ss(name, rows, sizes, columns):
    if any(set(row) != {CLASS, COUNT, *columns} for row in rows):
        yield f"{name} has columns that it should not have"
    if any(whole_number(row[CLASS]) is None or whole_number(row[COUNT]) is None for row in rows):
        yield f"{name} has a class or a count that is no number"
        return
    yield from check_order(name, rows, columns)
    if any(int(row[COUNT]) == 0 for row in rows):
        yield f"{name} has an entry that counts nothing"
    if len({(row[CLASS], *(row[c] for c in columns)) for row in rows}) != len(rows):
        yield f"{name} has an entry twice"
    sums = collections.Counter()
    for row in rows:
        sums[row[CLASS]] += int(row[COUNT])
    for number in sorted(set(sums) | set(sizes)):
        if sums[number] != sizes[number]:
            yield f"class {number} has {sizes[number]} rows in nss and counts {sums[number]} in {name}"


def check_two_tables(release, promise):
    sensitive = release.sensitive()
    sizes = collections.Counter(row[CLASS] for row in release.tables["nss"])
    if sorted(map(whole_number, sizes), key=str) != sorted(range(1, len(sizes) + 1), key=str):
        yield "the class ids of nss are not 1 to their number"
    for column in sensitive:
        if column in {f["name"] for f in release.fields["nss"]} or any(column in row for row in release.tables["nss"]):
            yield f"the sensitive column {column} is in nss"
    faults = []
    for name in release.ss:
        columns = [column for column, table in sensitive.items() if table == name]
        faults += check_ss(name, release.tables[name], sizes, columns)
    yield from faults
    if faults:
        return
    counts = {number: {column: collections.Counter() for column in sensitive} for number in sizes}
    for column, table in sensitive.items():
        for row in release.tables[table]:
            counts[row[CLASS]][column][row[column]] += int(row[COUNT])
    for number, size in sizes.items():
        yield from promise.broken(f"class {number}", size, counts[number])


def check_truthful(release, original):
    names = [f["name"] for f in release.fields["nss"] if f["name"] != CLASS]
    published, real = (collections.Counter(tuple(plain(row[name]) for name in names) for row in rows)
                       for rows in (release.tables["nss"], original))
    if published != real:
        yield f"nss does not have the rows of the original: {sum((real - published).values())} of them are not in it"
    for name in release.ss:
        columns = [column for column, table in release.sensitive().items() if table == name]
        published = collections.Counter()
        for row in release.tables[name]:
            published[tuple(plain(row[c]) for c in columns)] += whole_number(row[COUNT]) or 0
        if published != collections.Counter(tuple(plain(row[c]) for c in columns) for row in original):
            yield f"{name} does not have the values of the original"


def main():
    parser = argparse.ArgumentParser(description="Verify (alpha,k)-anonymity of a published folder by its definition.")
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("--alpha", required=True, help="1/3, or 0.33 as it is written")
    parser.add_argument("--k", type=int, required=True)
    parser.add_argument("--values", action="append", default=[], metavar="COLUMN=V|V", help="alpha is for these only")
    parser.add_argument("--limit", action="append", default=[], metavar="COLUMN=V|V:RATIO", help="counted together")
    parser.add_argument("--original", type=pathlib.Path, nargs="+", help="two tables: compare with it, too")
    parser.add_argument("--missing", nargs="*", default=[""], help="what stands for a missing value in the original")
    args = parser.parse_args()
    release = Release(args.release)
    if ("table" in release.tables) == ("nss" in release.tables and bool(release.ss)):
        sys.exit("two_tables_oracle: the folder holds neither one table nor two, or both")
    promise = Promise(args, release.sensitive())
    faults = list(check_package(release, promise))
    if "table" in release.tables:
        faults += check_generalized(release, promise)
    else:
        faults += check_two_tables(release, promise)
        if args.original:
            rows = [row for path in args.original for row in read_rows(path)]
            rows = [{n: "" if v in args.missing else v for n, v in row.items()} for row in rows]
            faults += check_truthful(release, rows)
    for fault in faults[:20]:
        print("broken:", fault)
    rows = release.tables.get("table", release.tables.get("nss"))
    form = "one table" if "table" in release.tables else "two tables"
    print(f"{'BROKEN' if faults else 'HOLDS'}: alpha = {promise.alpha}, k = {promise.k}, {form}, {len(rows)} rows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
