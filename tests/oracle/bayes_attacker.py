#!/usr/bin/env python3
"""Plays the attacker of the global guarantee: he knows everybody's quasi-identifiers and who is in which release, reads
the published tables, and applies Bayes' rule. Which class somebody is in he must find out himself.

    bayes_attacker.py RELEASE-DIR=INPUT-FILE... --id COLUMN --l L [--tag COLUMN] [--values COLUMN=V|V...]...
                      [--limit COLUMN=V|V...:L]...

For him every way to seat the people in the classes that cover them, and to deal the values of a class to those who sit in
it, is equally likely, in each release by itself. He counts all of them. --tag says who was withheld, which everybody sees
anyway, and which classes cannot be somebody's in any seating, which he could find out. Exit code 0: his chance of being
right about anybody and any item is at most 1/L, and where there are tags at most what the account charges; 1: it is not.
Prints how many people he cannot place in one class, and the largest chance, for him and as charged.
"""
import argparse
import collections
import fractions
import itertools
import math
import sys

from global_oracle import Release, as_text, exposures_of, items_of, chance_by_formula


def components(candidates):
    """People who compete for the same classes, as ([people], [classes])."""
    parent = {}

    def root(x):
        parent.setdefault(x, x)
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        return x

    for classes in candidates.values():
        for number in classes:
            parent[root(number)] = root(min(classes, key=str))
    found = collections.defaultdict(lambda: ([], []))
    for person, classes in candidates.items():
        found[root(min(classes, key=str))][0].append(person)
    for number in list(parent):
        found[root(number)][1].append(number)
    return found.values()


def steps(kinds, classes, seats):
    """Ways to fill the classes with people of the first kinds, for every number of kinds: {seats taken: ways}."""
    taken = [{(0,) * len(classes): 1}]
    for allowed, count in kinds:
        after = collections.Counter()
        places = [i for i, number in enumerate(classes) if number in allowed]
        for before, ways in taken[-1].items():
            for split in splits(count, len(places)):
                at = list(before)
                for place, number in zip(places, split):
                    at[place] += number
                if all(a <= s for a, s in zip(at, seats)):
                    after[tuple(at)] += ways * multinomial(split)
        taken.append(after)
    return taken


def splits(count, parts):
    if parts == 1:
        yield (count,)
        return
    for first in range(count + 1):
        for rest in splits(count - first, parts - 1):
            yield (first, *rest)


def multinomial(split):
    return math.factorial(sum(split)) // math.prod(map(math.factorial, split))


def seatings(people, classes, candidates, size):
    """For each kind of people (the classes that cover them) the chance of every class, exactly."""
    if len(classes) == 1:
        return {frozenset(classes): {classes[0]: fractions.Fraction(1)}}
    kinds = list(collections.Counter(frozenset(candidates[person]) for person in people).items())
    seats = [size[number] for number in classes]
    chances = {}
    for allowed, count in kinds:
        # One person of the kind apart: sit down first, everybody else afterwards.
        others = [(a, c - (a == allowed)) for a, c in kinds]
        ways = {}
        full = steps([(a, c) for a, c in others if c], classes, seats)[-1]
        for i, number in enumerate(classes):
            if number in allowed:
                ways[number] = full.get(tuple(s - (j == i) for j, s in enumerate(seats)), 0)
        total = sum(ways.values())
        chances[allowed] = {number: fractions.Fraction(way, total) for number, way in ways.items()}
    return chances


def beliefs(release):
    """For every person of the release the chance of each class."""
    everywhere = release.fitting or release.by_quasi_identifiers()
    candidates = {person: everywhere[person] for person in release.classes_of}
    if release.main != "nss":
        # Whoever takes a place outside of these classes leaves one empty that nobody can fill.
        candidates = {person: classes & release.classes_of[person] for person, classes in candidates.items()}
    belief = {}
    for people, classes in components(candidates):
        if release.main == "nss":
            belief.update(beliefs_in_two_tables(release, people))
            continue
        chances = seatings(people, classes, candidates, release.size)
        belief.update({person: chances[frozenset(candidates[person])] for person in people})
    return belief


def beliefs_in_two_tables(release, people):
    """Rows are told apart by their quasi-identifiers only: each of the equal ones is as likely."""
    rows = collections.defaultdict(collections.Counter)
    for number, row in zip(release.class_of_row, release.rows["nss"]):
        rows[tuple(row[name] for name in release.quasi)][number] += 1
    for person in people:
        found = rows[tuple(release.people[person][name] for name in release.quasi)]
        yield person, {number: fractions.Fraction(count, found.total()) for number, count in found.items()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("releases", nargs="+")
    parser.add_argument("--id", required=True)
    parser.add_argument("--l", type=int, required=True)
    parser.add_argument("--tag")
    parser.add_argument("--values", action="append", default=[])
    parser.add_argument("--limit", action="append", default=[])
    args = parser.parse_args()
    releases = [Release(text, args) for text in args.releases]
    believed = [beliefs(release) for release in releases]
    unsure = sum(max(classes.values()) < 1 for belief in believed for classes in belief.values())
    largest = most_charged = fractions.Fraction(0)
    is_broken = is_undercharged = False
    for item, person in itertools.product(items_of(args, releases), sorted(set().union(*believed))):
        survival = fractions.Fraction(1)
        for release, belief in zip(releases, believed):
            survival *= 1 - sum(share * fractions.Fraction(release.holders(number, item), release.size[number])
                                for number, share in belief.get(person, {}).items())
        largest = max(largest, 1 - survival)
        is_broken |= 1 - survival > fractions.Fraction(1, item.l)
        if args.tag:
            charged = chance_by_formula(exposures_of(person, item, releases))
            most_charged = max(most_charged, charged)
            is_undercharged |= 1 - survival > charged
    if is_undercharged:
        print("BROKEN: somebody's chance is above what was charged")
    print(f"{'BROKEN' if is_broken else 'HOLDS'}: {len(releases)} releases, {unsure} places unsure, largest chance "
          f"{as_text(largest)}, charged {as_text(most_charged)}")
    sys.exit(1 if is_broken or is_undercharged else 0)


if __name__ == "__main__":
    main()
