#!/usr/bin/env python3
"""What several published folders tell together, by the definitions of history.md alone: no code of the engine, only the
files that everybody can see and everybody's quasi-identifiers.

    composition_oracle.py FOLDER=ORIGINAL... --id COLUMN [--k K] [--stay COLUMN [--alpha A]]

ORIGINAL is the table that the release was made from. It says who is in the release, what their quasi-identifiers are,
and, to score what is called certain, what they have.

Prints, for k: how many people have a crowd below k over some choice of the releases (a range, where a release has
columns of which nobody knows what an absent person has in them), how many are in a joint class below k, how many alone.
Somebody whom several boxes cover is in one of them, as whoever knows everybody's quasi-identifiers can seat all rows.
For a column whose values stay: for how many people its value follows from the bags, how many of these values are right
(all of them, or the exit code is 1), and how many people are in a joint class in which a value is more frequent than
alpha, whatever the truth is. The last are lower bounds: margins are propagated until nothing changes.
"""
import argparse
import collections
import fractions
import itertools
import json
import pathlib
import sys

from published_oracle import covers, plain, read_rows, read_taxonomy

NUMBERS = ("group_id", "class_id")
UNKNOWN = "?"


def bits_of(mask):
    while mask:
        yield (mask & -mask).bit_length() - 1
        mask &= mask - 1


class Release:
    """Classes of people, and bags by class."""

    def __init__(self, folder, original, id_column):
        package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
        tables = {pathlib.PurePath(r["path"]).stem: r for r in package["resources"]}
        shown = tables.get("table") or tables["nss"]
        fields = shown["schema"]["fields"]
        self.quasi = [f["name"] for f in fields if f.get("pentimento:role") == "quasi-identifier"]
        self.taxonomies = {f["name"]: read_taxonomy(folder / f["pentimento:taxonomy"]) for f in fields
                           if "pentimento:taxonomy" in f}
        rows = read_rows(folder / shown["path"])
        self.number = next((name for name in NUMBERS if name in rows[0]), None)
        self.keys = sorted({self.key(row, self.number) for row in rows})
        self.people = collections.defaultdict(list)
        for row in read_rows(original):
            self.people[row[id_column]].append(row)
        self.truth = {person: rows_of[0] for person, rows_of in self.people.items() if len(rows_of) == 1}
        self.covering_keys, self.covering_labels = {}, {}
        self.keys_by_label = [collections.Counter() for _ in self.quasi]
        for i, key in enumerate(self.keys):
            for place in range(len(self.quasi)):
                self.keys_by_label[place][key[place]] += 1 << i
        self.class_of_key = {key: key for key in self.keys}
        self.merge_confusable(rows)
        self.class_of = {person: tuple(sorted(self.seat_of[id(row)] for row in rows_of))
                         for person, rows_of in self.people.items()}
        self.bags = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        self.read_bags(folder, tables, rows)

    def key(self, row, number):
        return tuple(row[name] for name in self.quasi) + ((row[number],) if number else ())

    def keys_of(self, row):
        """Of all published boxes those that cover a row."""
        at = tuple(row[name] for name in self.quasi)
        if at not in self.covering_keys:
            found = (1 << len(self.keys)) - 1
            for place, value in enumerate(at):
                found &= self.keys_with(place, value)
            self.covering_keys[at] = [self.keys[bit] for bit in bits_of(found)]
        return self.covering_keys[at]

    def keys_with(self, place, value):
        """As the bits of one integer: the boxes whose label in this place covers the value."""
        if (place, value) not in self.covering_labels:
            taxonomy = self.taxonomies.get(self.quasi[place])
            self.covering_labels[place, value] = sum(
                mask for label, mask in self.keys_by_label[place].items() if covers(label, value, taxonomy))
        return self.covering_labels[place, value]

    def find(self, key):
        while self.class_of_key[key] != key:
            key = self.class_of_key[key]
        return key

    def merge_confusable(self, rows):
        """Whoever knows everybody's quasi-identifiers seats them: a class has as many seats as rows. Of classes that
        somebody could be moved along, back to where it began, nobody can tell in which of them somebody is."""
        seats, seated = collections.Counter(self.key(row, self.number) for row in rows), collections.defaultdict(list)
        everybody = [row for rows_of in self.people.values() for row in rows_of]
        everybody.sort(key=lambda row: len(self.keys_of(row)))
        if len(everybody) != len(rows):
            sys.exit(f"composition_oracle: {len(rows)} rows are published, the original has {len(everybody)}")

        def seat(row, tried):
            for key in self.keys_of(row):
                if key not in tried:
                    tried.add(key)
                    if len(seated[key]) < seats[key]:
                        seated[key].append(row)
                        return True
                    for place, other in enumerate(seated[key]):
                        if seat(other, tried):
                            seated[key][place] = row
                            return True
            return False

        if not all(seat(row, set()) for row in everybody):
            sys.exit("composition_oracle: the original does not fit the published classes")
        # Of two tables a class is all the rows that one bag is about.
        if self.number == "class_id":
            first = {}
            for key in seats:
                self.class_of_key[key] = first.setdefault(key[-1], key)
        to = {key: {other for row in seated[key] for other in self.keys_of(row)} - {key} for key in seats}
        for key in to:
            if to[key]:
                for other in self.reachable(to, key):
                    if key in self.reachable(to, other):
                        self.class_of_key[self.find(other)] = self.find(key)
        self.seat_of = {id(row): self.find(key) for key, rows_of in seated.items() for row in rows_of}

    @staticmethod
    def reachable(to, start):
        seen, open_keys = set(), [start]
        while open_keys:
            for key in to[open_keys.pop()] - seen:
                seen.add(key)
                open_keys.append(key)
        return seen

    def read_bags(self, folder, tables, rows):
        for stem, resource in tables.items():
            if stem == "ss" or stem.startswith("ss-"):
                by_number = {key[-1]: self.find(key) for key in self.class_of_key}
                for entry in read_rows(folder / resource["path"]):
                    for column in set(entry) - {"class_id", "count"}:
                        bag = self.bags[column][(by_number[entry["class_id"]],)]
                        bag[plain(entry[column])] += int(entry["count"])
        for row in rows:
            for column in set(row) - set(self.quasi) - {self.number}:
                self.bags[column][(self.find(self.key(row, self.number)),)][plain(row[column])] += 1

    def covering(self, person, rows):
        """The class that covers somebody who may not be in it; None: no class does; UNKNOWN: not known."""
        if person in self.class_of:
            return self.class_of[person]
        if not rows or any(name not in rows[0] for name in self.quasi):
            return UNKNOWN
        found = {self.find(key) for key in self.keys_of(rows[0])}
        return (found.pop(),) if len(found) == 1 else UNKNOWN if found else None


def crowds_over(releases, everybody, chosen):
    """By person who is in one of the chosen releases: the crowd, at least and at most."""
    of_pattern = collections.defaultdict(collections.Counter)
    for person in everybody:
        inside = tuple(r for r in chosen if person in releases[r].class_of)
        if inside:
            of_pattern[inside][tuple(releases[r].class_of[person] for r in inside)] += 1
    crowds = {}
    for person, rows in everybody.items():
        if all(person not in releases[r].class_of for r in chosen):
            continue
        least = most = 0
        for inside, members in of_pattern.items():
            seen = [releases[r].covering(person, rows) for r in inside]
            if UNKNOWN not in seen:
                least, most = least + members[tuple(seen)], most + members[tuple(seen)]
                continue
            agrees = lambda classes: all(one in (UNKNOWN, other) for one, other in zip(seen, classes))
            most += sum(people for classes, people in members.items() if agrees(classes))
        crowds[person] = (least, most)
    return crowds


def joint_classes(releases, everybody):
    joint = collections.defaultdict(list)
    for person in everybody:
        joint[tuple(release.class_of.get(person) for release in releases)].append(person)
    return joint


def smallest_crowds(releases, everybody):
    """By person: the smallest crowd over every choice of releases, at least and at most."""
    smallest = {}
    for size in range(1, len(releases) + 1):
        for chosen in itertools.combinations(range(len(releases)), size):
            for person, crowd in crowds_over(releases, everybody, chosen).items():
                smallest[person] = tuple(map(min, crowd, smallest.get(person, crowd)))
    return smallest


def verify_k(releases, everybody, k):
    crowds = smallest_crowds(releases, everybody).values()
    surely, maybe = (sum(crowd[i] < k for crowd in crowds) for i in (1, 0))
    sizes = [len(people) for people in joint_classes(releases, everybody).values()]
    print(f"k = {k}: {surely if surely == maybe else f'{surely} to {maybe}'} of {len(everybody)} people have a crowd below "
          f"it, {sum(size for size in sizes if size < k)} a joint class, {sizes.count(1)} are alone")


def propagate(joint, releases, column):
    """By joint class and value: how many people of the class have it, at least and at most."""
    values = sorted({value for release in releases for bag in release.bags[column].values() for value in bag}, key=str)
    bounds = {(one, value): [0, len(people)] for one, people in joint.items() for value in values}
    sums = [([(one, value) for value in values], len(people)) for one, people in joint.items()]
    for r, release in enumerate(releases):
        members = collections.defaultdict(list)
        for one in joint:
            if one[r] is not None:
                members[one[r]].append(one)
        sums += [([(one, value) for one in inside], release.bags[column][number][value])
                 for number, inside in members.items() for value in values]
    sums_of = collections.defaultdict(list)
    for number, (cells, _) in enumerate(sums):
        for cell in cells:
            sums_of[cell].append(number)
    waiting = set(range(len(sums)))
    while waiting:
        cells, total = sums[waiting.pop()]
        least, most = (sum(bounds[cell][i] for cell in cells) for i in (0, 1))
        assert least <= total <= most, "these values do not stay"
        for cell in cells:
            low, high = bounds[cell]
            new = [max(low, total - (most - high)), min(high, total - (least - low))]
            if new != [low, high]:
                bounds[cell] = new
                waiting.update(sums_of[cell])
                least, most = least + new[0] - low, most + new[1] - high
    return bounds


def bounds_of_values(releases, everybody, column):
    """Of the releases that show the column: their people, the joint classes, and bounds by joint class and value."""
    showing = [release for release in releases if column in release.bags]
    people = {person: rows for person, rows in everybody.items() if any(person in r.class_of for r in showing)}
    joint = joint_classes(showing, people)
    return people, joint, propagate(joint, showing, column)


def certain_values(releases, everybody, column):
    """For how many people a value of the column follows."""
    _, joint, bounds = bounds_of_values(releases, everybody, column)
    return sum(len(joint[one]) for (one, _), (least, _) in bounds.items() if least == len(joint[one]))


def verify_stay(releases, everybody, column, alpha):
    people, joint, bounds = bounds_of_values(releases, everybody, column)
    certain = right = 0
    exceeding = set()
    for (one, value), (least, _) in bounds.items():
        size = len(joint[one])
        if least == size:
            certain += size
            right += sum(plain(people[person][0][column]) == value for person in joint[one])
        if alpha is not None and least > alpha * size:
            exceeding.add(one)
    above = sum(len(joint[one]) for one in exceeding)
    print(f"'{column}' is certain for {certain} of {len(people)} people, right for {right}"
          + (f"; {above} are above {alpha}" if alpha is not None else ""))
    return certain == right


def main():
    parser = argparse.ArgumentParser(description="What several published folders tell together, by definition.")
    parser.add_argument("releases", nargs="+", metavar="FOLDER=ORIGINAL")
    parser.add_argument("--id", required=True)
    parser.add_argument("--k", type=int)
    parser.add_argument("--stay")
    parser.add_argument("--alpha", type=fractions.Fraction)
    args = parser.parse_args()
    releases = [Release(*map(pathlib.Path, pair.rsplit("=", 1)), args.id) for pair in args.releases]
    everybody = {}
    for release in releases:
        everybody.update(release.people)
    if args.k:
        verify_k(releases, everybody, args.k)
    return 0 if not args.stay or verify_stay(releases, everybody, args.stay, args.alpha) else 1


if __name__ == "__main__":
    sys.exit(main())
