#!/usr/bin/env python3
"""Verifies a release together with earlier ones by the definition alone: only the files that everybody can see.

    xy_oracle.py --release NEW=PLACE --release EARLIER=PLACE... --join COLUMN... [--overlap COLUMN...]
                   --x COLUMN... --y COLUMN... (--k K | --at-most N/D [--value LABELS...])
                   [--taxonomy COLUMN=FILE...] [--impossible "NAME:COLUMN=LABEL|NAME:COLUMN=LABEL"...]

A place is a table or a folder with one; the first release is the new one, and a column without a NAME: is its. The join
holds every tuple of rows, one of each release, of which every two match: on each column of --join and --overlap that
both have, their cells have a value in common (of a taxonomy's labels: are on one path), and no --impossible pair
excludes them. With --k every value on X occurs with at least K different values on Y. With --at-most no value on X
leads to a value on Y in more than N/D of its rows: to any that occurs, or to each of --value, where {A|B} is a set
counted together, a label stands for all below it, and `;` stands between the labels of several columns.
All that holds for the join with every selection of the earlier releases that has the columns of X and Y. Rows of the new
release that such a join leaves out are a table by themselves and are held to the same, on the columns of X and Y that
they have, unless --dangling allow is given. A join without rows fails.
Values are sets: leaves of a taxonomy, plain labels, or for --overlap and where a range occurs numbers, counted in units
of the last decimal place that any release shows. `*` is every value and a missing one.
Exit code 0: holds, 1: fails, 2: cannot be verified.
"""
import argparse
import collections
import decimal
import fractions
import itertools
import json
import math
import pathlib
import sys

from published_oracle import number, read_rows, read_taxonomy, split_set

MISSING = ""


def refuse(reason):
    print(f"xy_oracle: {reason}", file=sys.stderr)
    sys.exit(2)


class Release:
    """A table as it was published, and what the folder around it says about its columns."""

    def __init__(self, name, place):
        self.name, self.taxonomies, self.numbers = name, {}, set()
        if place.is_dir():
            package = json.loads((place / "datapackage.json").read_text(encoding="utf-8"))
            tables = [r for r in package["resources"] if pathlib.PurePath(r["path"]).stem == "table"]
            if len(tables) != 1:
                refuse(f"{name} names {len(tables)} tables, expected one")
            for field in tables[0]["schema"]["fields"]:
                if "pentimento:taxonomy" in field:
                    self.taxonomies[field["name"]] = read_taxonomy(place / field["pentimento:taxonomy"])
                if "pentimento:domain" in field:
                    self.numbers.add(field["name"])
            place /= tables[0]["path"]
        self.rows = read_rows(place)

    def has(self, column):
        return not self.rows or column in self.rows[0]


class Category:
    """Labels as sets of leaves. Without a taxonomy each label is a leaf, and `*` also stands for some never shown."""

    def __init__(self, leaves_of, labels):
        self.leaves_of = leaves_of
        self.everything = frozenset([MISSING]).union(*leaves_of.values()) if leaves_of else None
        if not leaves_of:
            self.everything = frozenset(["*"]).union(*map(self.read, labels - {"*"}))

    def read(self, label):
        if label == "*":
            return self.everything
        if label == MISSING:
            return frozenset([MISSING])
        parts = split_set(label) if label[0] == "{" and label[-1] == "}" else [label]
        if not self.leaves_of:
            return frozenset(parts)
        if any(part not in self.leaves_of for part in parts):
            return None
        return frozenset().union(*(self.leaves_of[part] for part in parts))

    def meet(self, one, other):
        return not one.isdisjoint(other)

    def is_inside(self, inner, outer):
        return inner <= outer


def is_range(label):
    return label[:1] == "[" and label[-1:] in (")", "]") and "," in label


def ends(label):
    """The numbers that a label shows: two of a range, one of a number, none of `*` and a missing value."""
    shown = label[1:-1].split(",") if is_range(label) else [label]
    return [] if label in ("*", MISSING) else [number(end.strip()) for end in shown]


class Number:
    """Ranges as the first and the last unit; a missing value meets itself and `*` alone."""

    everything = (-math.inf, math.inf)

    def __init__(self, labels):
        shown = [end for label in labels for end in ends(label) if end is not None]
        self.places = max([0, *(-end.normalize().as_tuple().exponent for end in shown)])

    def read(self, label):
        if label == "*":
            return self.everything
        if label == MISSING:
            return MISSING
        shown = ends(label)
        if None in shown or len(shown) != (2 if is_range(label) else 1):
            return None
        low, high = (int(end.scaleb(self.places)) for end in (shown[0], shown[-1]))
        high -= label.endswith(")")
        return (low, high) if low <= high else None

    def meet(self, one, other):
        if MISSING in (one, other) or self.everything in (one, other):
            return one == other or self.everything in (one, other)
        return one[0] <= other[1] and other[0] <= one[1]

    def is_inside(self, inner, outer):
        if MISSING in (inner, outer):
            return inner == outer or outer == self.everything
        return outer[0] <= inner[0] and inner[1] <= outer[1]


def kind_of(column, releases, args, more_labels):
    """How to read a column in all releases that have it; `more_labels` are those that arguments name."""
    holders = [release for release in releases if release.has(column)]
    labels = {row[column] for release in holders for row in release.rows} | more_labels
    taxonomies = [release.taxonomies[column] for release in holders if column in release.taxonomies]
    if column in args.taxonomy:
        taxonomies = [read_taxonomy(pathlib.Path(args.taxonomy[column]))]
    if any(taxonomy != taxonomies[0] for taxonomy in taxonomies):
        refuse(f"the releases have different taxonomies for column {column}, say which to use: --taxonomy")
    if taxonomies:
        return Category(taxonomies[0], labels)
    is_number = column in args.overlap or any(column in release.numbers for release in holders)
    return Number(labels) if is_number or any(map(is_range, labels)) else Category({}, labels)


class Question:
    """What the arguments ask, with every column as (place of the release, name) and every label as its meaning."""

    def __init__(self, args, releases):
        self.releases, self.names = releases, [release.name for release in releases]
        self.x = [self.column(text) for text in args.x]
        self.y = [self.column(text) for text in args.y]
        if set(self.x) & set(self.y):
            refuse("X and Y have a column in common")
        self.joins = list(dict.fromkeys(args.join + args.overlap))
        values = [text.split(";") for text in args.value]
        if any(len(labels) != len(self.y) for labels in values):
            refuse("a --value has not one label for each column of Y")
        pairs = [[self.side(side) for side in split_pair(text)] for text in args.impossible]
        self.kinds = {}
        self.read_columns(args, values, pairs)
        self.values = [tuple(self.meaning(at, label) for at, label in zip(self.y, labels)) for labels in values]
        self.impossible = [[(at, self.meaning(at, label)) for at, label in pair] for pair in pairs]

    def column(self, text):
        name, colon, column = text.partition(":")
        release, column = (self.names.index(name), column) if colon and name in self.names else (0, text)
        if not self.releases[release].has(column):
            refuse(f"{self.names[release]} has no column {column}")
        return release, column

    def side(self, text):
        column, equals, label = text.partition("=")
        if not equals:
            refuse("a side of --impossible is not of the form NAME:COLUMN=LABEL")
        return self.column(column), label

    def read_columns(self, args, values, pairs):
        for column in self.joins:
            if sum(release.has(column) for release in self.releases) < 2:
                refuse(f"fewer than two releases have the column {column}, so nothing joins on it")
        named = collections.defaultdict(set)
        for at, label in [*itertools.chain(*pairs), *itertools.chain(*(zip(self.y, labels) for labels in values))]:
            named[at[1]].add(label)
        for column in [*self.joins, *(column for _, column in self.x + self.y), *named]:
            self.kinds[column] = kind_of(column, self.releases, args, named[column])

    def meaning(self, at, label):
        meant = self.kinds[at[1]].read(label)
        if meant is None:
            refuse(f"column {at[1]} of {self.names[at[0]]} holds a label that means nothing: no node, or no number")
        return meant

    def distinct_rows(self, place):
        """[({column: meaning}, [numbers of the rows])]: rows alike in all that is asked are looked at once."""
        release, rows = self.releases[place], collections.defaultdict(list)
        columns = [column for column in self.kinds if release.has(column)]
        for at, row in enumerate(release.rows, 1):
            rows[tuple(self.meaning((place, column), row[column]) for column in columns)].append(at)
        return [(dict(zip(columns, meanings)), numbers) for meanings, numbers in rows.items()]

    def match(self, r, one, s, other):
        """Whether a row of release r and a row of release s may be about the same person."""
        for column in self.joins:
            if column in one and column in other and not self.kinds[column].meet(one[column], other[column]):
                return False
        for pair in self.impossible:
            for (left, left_set), (right, right_set) in (pair, pair[::-1]):
                if (left[0], right[0]) == (r, s) and self.kinds[left[1]].is_inside(one[left[1]], left_set) and (
                        self.kinds[right[1]].is_inside(other[right[1]], right_set)):
                    return False
        return True

    def holds_value(self, cells, value):
        return all(self.kinds[at[1]].is_inside(cell, listed) for at, cell, listed in zip(self.y, cells, value))


def split_pair(text):
    """'a=x|b={y|z}' is a=x and b={y|z}."""
    depth, sides = 0, [""]
    for char in text:
        depth += (char == "{") - (char == "}")
        if char == "|" and depth == 0:
            sides.append("")
        else:
            sides[-1] += char
    if len(sides) != 2:
        refuse("an --impossible pair has not two sides")
    return sides


def selections(question):
    """The places of the releases that are joined: the new one with some earlier ones, all of them first."""
    earlier = range(1, len(question.releases))
    needed = {release for release, _ in question.x + question.y} - {0}
    for size in range(len(earlier), -1, -1):
        for chosen in itertools.combinations(earlier, size):
            if needed <= set(chosen) and (chosen or not earlier):
                yield (0, *chosen)


def join(question, places):
    """Every match as {place of the release: (meanings, numbers of rows)}."""
    matches = [{}]
    for s in places:
        rows = question.distinct_rows(s)
        matches = [{**match, s: row} for match in matches for row in rows
                   if all(question.match(r, one[0], s, row[0]) for r, one in match.items())]
    return matches


def left_out(question, matches):
    """The rows of the new release that are in no match, each as a match of its own."""
    joined = {at for match in matches for at in match[0][1]}
    alone = []
    for meanings, numbers in question.distinct_rows(0):
        if outside := [at for at in numbers if at not in joined]:
            alone.append({0: (meanings, outside)})
    return alone


def count(question, matches, only_new=False):
    """{x: {y: rows of the join}}, and for each x the first row of each release that it was met in."""
    counts, met = collections.defaultdict(collections.Counter), {}
    for match in matches:
        x, y = (tuple(match[release][0][column] for release, column in at if not only_new or release == 0)
                for at in (question.x, question.y))
        counts[x][y] += math.prod(len(numbers) for _, numbers in match.values())
        met.setdefault(x, {release: numbers[0] for release, (_, numbers) in match.items()})
    return counts, met


def greatest_linkability(question, counts):
    """(rows with both, rows with x, x) of the greatest share, or None."""
    greatest = None
    values = question.values or [None]
    for x, ys in counts.items():
        for value in values:
            shares = ys.values() if value is None else [sum(
                n for y, n in ys.items() if question.holds_value(y, value))]
            one = (max(shares), ys.total(), x)
            if greatest is None or fractions.Fraction(*one[:2]) > fractions.Fraction(*greatest[:2]):
                greatest = one
    return greatest


def dangling(question, matches):
    parts = []
    for place, release in enumerate(question.releases):
        joined = {at for match in matches if place in match for at in match[place][1]}
        if len(joined) < len(release.rows):
            parts.append(f"{len(release.rows) - len(joined)} of {len(release.rows)} rows of {release.name}")
    return ", ".join(parts)


def fraction(text):
    try:
        return fractions.Fraction(text)
    except ZeroDivisionError:
        raise argparse.ArgumentTypeError("a fraction has no 0 below") from None


def parse_arguments():
    parser = argparse.ArgumentParser(description="Verify a release with earlier ones by the definition alone.")
    parser.add_argument("--release", action="append", required=True, help="NAME=PLACE, the new one first")
    parser.add_argument("--taxonomy", action="append", default=[], help="COLUMN=FILE; default: those of the folders")
    parser.add_argument("--join", action="append", default=[], help="a column that releases have in common")
    parser.add_argument("--overlap", action="append", default=[], help="one with numbers")
    parser.add_argument("--x", action="append", required=True)
    parser.add_argument("--y", action="append", required=True)
    limit = parser.add_mutually_exclusive_group(required=True)
    limit.add_argument("--k", type=int)
    limit.add_argument("--at-most", type=fraction)
    parser.add_argument("--value", action="append", default=[])
    parser.add_argument("--impossible", action="append", default=[])
    parser.add_argument("--dangling", choices=["allow"], help="rows that match nothing are not looked at")
    args = parser.parse_args()
    for text in args.release + args.taxonomy:
        if "=" not in text:
            refuse("a release or a taxonomy is not of the form NAME=PLACE")
    args.release = [text.split("=", 1) for text in args.release]
    args.taxonomy = dict(text.split("=", 1) for text in args.taxonomy)
    if len({name for name, _ in args.release}) < len(args.release):
        refuse("two releases have one name")
    if args.value and args.k is not None:
        refuse("--value goes with --at-most")
    return args


def verify(question, args, counts):
    """(whether it fails, what was found, the worst x)."""
    if args.k is not None:
        worst, x = min(((len(ys), x) for x, ys in counts.items()), key=lambda one: one[0], default=(None, None))
        return worst is not None and worst < args.k, f"least anonymity {worst}", x
    both, of, x = greatest_linkability(question, counts) or (0, 0, None)
    return of > 0 and fractions.Fraction(both, of) > args.at_most, f"greatest linkability {both}/{of}", x


def find_failure(question, args, matches):
    """What fails over one join, or outside of it, and the rows that show it; or None."""
    if not matches:
        return "the join is empty", {}
    counts, met = count(question, matches)
    fails, found, x = verify(question, args, counts)
    if fails:
        return found, met[x]
    is_verified = args.k is not None or all(release == 0 for release, _ in question.y)
    if args.dangling != "allow" and is_verified:
        counts, met = count(question, left_out(question, matches), only_new=True)
        fails, found, x = verify(question, args, counts)
        if fails:
            return f"{found} outside of the join", met[x]
    return None


def main():
    args = parse_arguments()
    question = Question(args, [Release(name, pathlib.Path(place)) for name, place in args.release])
    limit = f"k = {args.k}" if args.k is not None else f"at most {args.at_most}"
    failure, facts = None, None
    for places in selections(question):
        matches = join(question, places)
        if facts is None:  # of the join of all releases
            if loose := dangling(question, matches):
                print(f"DANGLING: {loose} join with nothing")
            counts, _ = count(question, matches)
            joined = sum(ys.total() for ys in counts.values())
            facts = f"{limit}, {joined} joined rows" + (f", {verify(question, args, counts)[1]}" if joined else "")
        failure = failure or find_failure(question, args, matches)
    if failure is None:
        print(f"HOLDS: {facts}")
        return 0
    found, met = failure
    where = ", ".join(f"{question.names[release]} row {at}" for release, at in sorted(met.items()))
    shown = facts if facts.endswith(found) else f"{facts}, {found}"
    print(f"FAILS: {shown}" + (f": as in {where}" if where else ""))
    return 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, KeyError, ValueError, decimal.DecimalException) as error:
        refuse(f"a file of the releases cannot be read: {type(error).__name__}")
