#!/usr/bin/env python3
"""Verifies a published series by the definition alone: no code of the engine, only the files that everybody can see.

    incremental_oracle.py RELEASE-DIR... [--k K] [--hidden]

The folders are the releases in the order of publication. Each holds a whole table (table.csv, table.parquet) or what
changed since the release before it (changes.csv, changes.parquet with a column `change`: new, refined or withdrawn),
with a column case_id. For every non-empty set of releases, each case's published values are intersected, column by
column; cases with equal intersections are one class; the series holds if no class of any set has fewer than k cases.
Where arrivals are hidden (--hidden, or every datapackage.json says so), the same must hold for the cases of each single
release, looked at alone: who knows that somebody was in that release has no others to choose from.
Values are sets: leaves of a taxonomy, or numbers counted in units of the last decimal place that any release shows.
Exit code 0: holds, 1: breaks or contradicts itself, 2: cannot be verified.
"""
import argparse
import collections
import decimal
import itertools
import json
import pathlib
import sys

from published_oracle import number, read_rows, read_taxonomy, split_set

MOST_RELEASES = 12
MISSING = ""
CASE, CHANGE = "case_id", "change"


def refuse(reason):
    print(f"incremental_oracle: {reason}", file=sys.stderr)
    sys.exit(2)


class Release:
    """One folder as it was published, without its meaning."""

    def __init__(self, folder):
        self.folder = folder
        package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
        tables = [r for r in package["resources"] if pathlib.PurePath(r["path"]).stem in ("table", "changes")]
        if len(tables) != 1:
            refuse(f"{folder} names {len(tables)} tables or changes, expected one")
        path = pathlib.PurePath(tables[0]["path"])
        self.is_delta = path.stem == "changes"
        fields = [f for f in tables[0]["schema"]["fields"] if f.get("pentimento:role") == "quasi-identifier"]
        self.columns = [field["name"] for field in fields]
        self.domains = {f["name"]: f["pentimento:domain"] for f in fields if "pentimento:domain" in f}
        self.taxonomies = {f["name"]: read_taxonomy(folder / f["pentimento:taxonomy"]) for f in fields
                           if "pentimento:taxonomy" in f}
        facts = package.get("pentimento", {})
        self.may_be_missing = facts.get("missing") != []
        self.ks = {g["type"]: g["k"] for g in facts.get("guarantees", []) if "k" in g}
        self.hides_arrivals = any(g.get("arrivals") == "hidden" for g in facts.get("guarantees", []))
        self.rows = read_rows(folder / path)
        for column in [CASE, *self.columns] + [CHANGE] * self.is_delta:
            if any(column not in row for row in self.rows):
                refuse(f"{folder} has no column {column}")
        if len({row[CASE] for row in self.rows}) < len(self.rows):
            refuse(f"{folder} has two rows of one case")


def whole_tables(releases):
    """For each release {case: labels}, with the changes of a delta applied to the release before it."""
    table, tables = None, []
    for release in releases:
        if release.is_delta and table is None:
            refuse(f"{release.folder} holds changes, but no table comes before it")
        table = dict(table) if release.is_delta else {}
        for place, row in enumerate(release.rows, 1):
            change, case = row[CHANGE] if release.is_delta else "new", row[CASE]
            if change not in ("new", "refined", "withdrawn"):
                refuse(f"{release.folder}, row {place}: the change is neither new, refined nor withdrawn")
            if (case in table) == (change == "new"):
                refuse(f"{release.folder}, row {place}: the change does not fit the release before it")
            table.pop(case, None)
            if change != "withdrawn":
                table[case] = tuple(row[column] for column in release.columns)
        tables.append(table)
    return tables


class Category:
    """Labels of a taxonomy as sets of leaves; a missing value is one more leaf below the root."""

    def __init__(self, leaves_of, may_be_missing):
        self.leaves_of = leaves_of
        self.everything = frozenset().union(*leaves_of.values()) | ({MISSING} if may_be_missing else set())

    def read(self, label):
        if label == "*":
            return self.everything
        if label == MISSING:
            return frozenset([MISSING])
        parts = split_set(label) if label.startswith("{") else [label]
        if any(part not in self.leaves_of for part in parts):
            return None
        return frozenset().union(*(self.leaves_of[part] for part in parts))

    def intersect(self, one, other):
        return one & other


def ends(label):
    """The numbers that a label shows: two of an interval, one of a number, none of `*` and a missing value."""
    inside = label[1:-1] if label[:1] == "[" and label[-1:] in (")", "]") else label
    return [] if label in ("*", MISSING) else [number(part.strip()) for part in inside.split(",")]


class Number:
    """Intervals as the first and the last unit, and whether the value may be missing; without units: only missing."""

    def __init__(self, domain, labels, may_be_missing):
        shown = [end for label in {*domain, *labels} for end in ends(label) if end is not None]
        self.places = max([0, *(-end.normalize().as_tuple().exponent for end in shown)])
        low, high = (self.units(number(end)) for end in domain)
        self.everything = (low, high, may_be_missing)

    def units(self, value):
        return int(value.scaleb(self.places))

    def read(self, label):
        if label == "*":
            return self.everything
        if label == MISSING:
            return (None, None, True)
        shown = ends(label)
        if None in shown or len(shown) != (2 if label.startswith("[") else 1):
            return None
        low, high = self.units(shown[0]), self.units(shown[-1]) - label.endswith(")")
        return (low, high, False) if low <= high else None

    def intersect(self, one, other):
        missing = one[2] and other[2]
        if None in (one[0], other[0]):
            return (None, None, True) if missing else None
        low, high = max(one[0], other[0]), min(one[1], other[1])
        return (low, high, missing) if low <= high else None


def leaves_by_label(releases, column):
    """What each label means, in whichever release it occurs: labels may get other names, and none another meaning."""
    first = releases[0].taxonomies.get(column)
    merged = {}
    for release in releases:
        own = release.taxonomies.get(column)
        if own is None or set(map(frozenset, own.values())) != set(map(frozenset, first.values())):
            refuse(f"{release.folder} does not have the taxonomies of {releases[0].folder}")
        for label, leaves in own.items():
            if merged.setdefault(label, leaves) != leaves:
                refuse(f"{release.folder}: label {label} of column {column} has another meaning than before")
    return merged


def kinds_of_columns(releases, tables):
    """How to read each column. All releases must agree on what a label means."""
    first = releases[0]
    for other in releases[1:]:
        if (other.columns, other.domains, other.may_be_missing) != (first.columns, first.domains, first.may_be_missing):
            refuse(f"{other.folder} does not have the quasi-identifiers and domains of {first.folder}")
    kinds = []
    for place, column in enumerate(first.columns):
        if column in first.taxonomies:
            kinds.append(Category(leaves_by_label(releases, column), first.may_be_missing))
        elif column in first.domains:
            labels = {row[place] for table in tables for row in table.values()}
            kinds.append(Number(first.domains[column], labels, first.may_be_missing))
        else:
            refuse(f"column {column} has neither a taxonomy nor a domain")
    return kinds


def read_tables(releases):
    """The columns' kinds, and for each release {case: (set of values, ...)}."""
    tables = whole_tables(releases)
    kinds = kinds_of_columns(releases, tables)
    meanings = []
    for release, table in zip(releases, tables):
        known = {}
        for labels in set(table.values()):
            known[labels] = tuple(kind.read(label) for kind, label in zip(kinds, labels))
            if None in known[labels]:
                refuse(f"{release.folder}: column {release.columns[known[labels].index(None)]} holds a label "
                       "that its taxonomy or domain does not explain")
        meanings.append({case: known[labels] for case, labels in table.items()})
    return kinds, meanings


def infer(kinds, boxes):
    """The intersection of boxes column by column, or None where a column has nothing left."""
    boxes = list(boxes)
    inferred = list(boxes[0])
    for box in boxes[1:]:
        for place, kind in enumerate(kinds):
            inferred[place] = kind.intersect(inferred[place], box[place])
            if not inferred[place]:
                return None
    return tuple(inferred)


def verify(kinds, tables, among=None):
    """(smallest class, its witness, contradiction); a witness is (numbers of releases, case), of the smallest set.
    `among`: the only cases that are looked at."""
    smallest, witness, contradiction = None, None, None
    # Cases with the same boxes in every release share all classes: they are looked at once and counted.
    histories = collections.defaultdict(list)
    for case in sorted(set().union(*tables) if among is None else among):
        histories[tuple(table.get(case) for table in tables)].append(case)
    for size in range(1, len(tables) + 1):
        for releases in itertools.combinations(range(len(tables)), size):
            classes = collections.defaultdict(list)
            for history, cases in histories.items():
                boxes = [history[r] for r in releases if history[r] is not None]
                if boxes:
                    classes[infer(kinds, boxes)] += cases
            contradicting = classes.pop(None, [])
            if contradicting and contradiction is None:
                contradiction = (releases, min(contradicting))
            for cases in classes.values():
                if smallest is None or len(cases) < smallest:
                    smallest, witness = len(cases), (releases, min(cases))
    return smallest, witness, contradiction


def in_words(witness):
    releases, case = witness
    return f"case {case} in releases {'+'.join(str(r + 1) for r in releases)}"


def main():
    parser = argparse.ArgumentParser(description="Verify a published series by the definition alone.")
    parser.add_argument("release", type=pathlib.Path, nargs="+", help="folders in the order of publication")
    parser.add_argument("--k", type=int, help="default: the largest that a datapackage.json promises")
    parser.add_argument("--hidden", action="store_true", help="also for the cases of each release alone")
    args = parser.parse_args()
    if len(args.release) > MOST_RELEASES:
        refuse(f"{len(args.release)} releases have too many sets of releases; {MOST_RELEASES} can be verified")
    releases = [Release(folder) for folder in args.release]
    for guarantee in ("incremental-k-anonymity", "k-anonymity"):
        promised = [release.ks[guarantee] for release in releases if guarantee in release.ks]
        if args.k is None and promised:
            args.k = max(promised)
    if args.k is None:
        refuse("neither --k nor any datapackage.json says what k is")
    kinds, tables = read_tables(releases)
    smallest, witness, contradiction = verify(kinds, tables)
    if contradiction:
        print(f"CONTRADICTS: no value is left for {in_words(contradiction)}")
    breaks = smallest is not None and smallest < args.k
    if args.hidden or all(release.hides_arrivals for release in releases):
        for known, table in enumerate(tables):
            of_release, its_witness, _ = verify(kinds, tables, set(table))
            if of_release is not None and of_release < args.k:
                breaks = True
                print(f"TELLS: {of_release} of release {known + 1}: {in_words(its_witness)}")
    facts = f"k = {args.k}, {len(tables)} releases, {len(set().union(*tables))} cases, smallest class {smallest or 0}"
    print(f"BREAKS: {facts}: {in_words(witness)}" if breaks else f"HOLDS: {facts}" if not contradiction else facts)
    return 1 if breaks or contradiction else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError, ValueError, decimal.DecimalException) as error:
        refuse(f"a file of the series cannot be read: {type(error).__name__}")
