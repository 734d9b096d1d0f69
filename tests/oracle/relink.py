#!/usr/bin/env python3
"""An attacker who tries to put two published tables together again from what no statistician needs: the order of rows,
class ids, places in the file. The original serves as the truth that the guesses are compared with.

    relink.py RELEASE-DIR --original FILE... [--missing TEXT...] [--must-see]

Each strategy is compared with guessing at random. If rows were shuffled and class ids drawn at random, the number of
hits has a known distribution, and its tail is bounded rigorously (below). A strategy is significantly better where the
bound for as many hits or more is below 1e-9 divided by the number of strategies, so a good release is blamed at most
once in 1e9 runs. Exit code 0: no strategy is significantly better, 1: one is, 2: --must-see is given and there are too
few rows for a complete re-linking by order to be significant.

Strategies that guess the value of an NSS row (hits: right values, among rows that are told apart by what NSS shows):
  row order       line i of NSS has the value of line i of SS, entries repeated by their counts (the paper's own tables)
  from the end    the same with both files read backwards, and with one of them read backwards
  in class        the j-th row of a class has the j-th value of the class; also backwards, and entries in turns
Under the null hypothesis the values of a class are shuffled among its rows, class by class. The moment generating
function of the hits in a class is known exactly (rook polynomials): with a_v guesses and b_v true values v among n rows
E[(1+u)^X] = sum over j of u^j r_j (n-j)!/n!, where the r_j are the coefficients of the product over v of
sum_i C(a_v,i) C(b_v,i) i! x^i. Classes are independent, and Chernoff's bound is the smallest product of e^(-t hits).
For large classes Azuma's inequality bounds it: exchanging two rows changes at most two hits.

Strategies that look for an order that should not be there:
  first of class  the first row of a class in NSS is its first in the original: a chance of 1/n for each class of n rows
  line            a row of NSS is on the line that it has in the original
  neighbours      two lines that follow each other in the original follow each other in NSS
  class id        classes are numbered in the order in which the original meets them, or the other way round
  next class id   the same, only one after the other; also by size
For the last four h hits or more have a chance of at most 1/h!, because so large is the h-th factorial moment at most.
"""
import argparse
import collections
import itertools
import json
import math
import pathlib
import sys

from published_oracle import plain, read_rows

CLASS, COUNT = "class_id", "count"
FALSE_ALARM = 1e-9
LARGEST_EXACT = 300  # rows of a class; above, Azuma's inequality
TILTS = [0.02 * 1.2**i for i in range(42)]  # of Chernoff's bound; any positive number is sound


class Release:
    """NSS as it stands, the true row of the original for each line where there is only one, and SS by column."""

    def __init__(self, folder, originals, missing):
        package = json.loads((folder / "datapackage.json").read_text(encoding="utf-8"))
        paths = {pathlib.PurePath(r["path"]).stem: r["path"] for r in package["resources"]}
        self.nss = read_rows(folder / paths["nss"])
        self.class_of = [int(row[CLASS]) for row in self.nss]
        self.values = {}  # by sensitive column: (class, value) for each row that SS counts, in the order of the file
        for stem in sorted(s for s in paths if s == "ss" or s.startswith("ss-")):
            entries = read_rows(folder / paths[stem])
            for column in [c for c in entries[0] if c not in (CLASS, COUNT)]:
                self.values[column] = [(int(e[CLASS]), plain(e[column])) for e in entries for _ in range(int(e[COUNT]))]
        rows = [row for path in originals for row in read_rows(path)]
        self.original = [{n: "" if v in missing else v for n, v in row.items()} for row in rows]
        names = [name for name in self.nss[0] if name != CLASS]
        places = collections.defaultdict(list)
        for place, row in enumerate(self.original):
            places[tuple(plain(row[name]) for name in names)].append(place)
        found = [places.get(tuple(plain(row[name]) for name in names), []) for row in self.nss]
        self.place_of = [place[0] if len(place) == 1 else None for place in found]


# --- Bounds.

def coefficients(guesses, truths, size):
    """r_j (n-j)!/n! of one class."""
    product = [1]
    for value, a in guesses.items():
        b = truths[value]
        factor = [math.comb(a, i) * math.comb(b, i) * math.factorial(i) for i in range(min(a, b) + 1)]
        longer = [0] * (len(product) + len(factor) - 1)
        for i, j in itertools.product(range(len(product)), range(len(factor))):
            longer[i + j] += product[i] * factor[j]
        product = longer
    return [r / math.perm(size, j) for j, r in enumerate(product)]


class Tail:
    """Collects classes, and bounds the chance of so many hits or more in all of them together."""

    def __init__(self):
        self.expected, self.most, self.logs, self.known = 0.0, 0, [0.0] * len(TILTS), {}

    def add_class(self, guesses, truths, size):
        """`guesses`, `truths`: how often which value, among `size` rows; a row without a guess is no hit."""
        pattern = size, tuple(sorted((a, truths[v]) for v, a in guesses.items() if truths[v]))
        if pattern not in self.known:
            self.known[pattern] = self.logs_of(guesses, truths, size)
        self.expected += sum(a * truths[v] for v, a in guesses.items()) / size
        self.most += sum(min(a, truths[v]) for v, a in guesses.items())
        self.logs = [x + y for x, y in zip(self.logs, self.known[pattern])]

    @staticmethod
    def logs_of(guesses, truths, size):
        if size > LARGEST_EXACT:
            mean = sum(a * truths[v] for v, a in guesses.items()) / size
            return [t * mean + t * t * (size - 1) / 2 for t in TILTS]
        terms = coefficients(guesses, truths, size)
        return [log_of_sum(terms, math.expm1(t)) for t in TILTS]

    def bound(self, hits):
        return math.exp(min(0.0, min(log - t * hits for t, log in zip(TILTS, self.logs))))


def log_of_sum(terms, u):
    logs = [math.log(term) + j * math.log(u) for j, term in enumerate(terms) if term > 0]
    top = max(logs)
    return top + math.log(sum(math.exp(x - top) for x in logs))


def factorial_bound(hits):
    return math.exp(-math.lgamma(hits + 1))


# --- Guesses of values: for each line of NSS a value, or nothing.

def by_line(release, values, nss_backwards, ss_backwards):
    lines = range(len(release.nss))
    step = {True: lambda items: list(reversed(items)), False: list}
    guesses = [None] * len(release.nss)
    for line, (number, value) in zip(step[nss_backwards](lines), step[ss_backwards](values)):
        guesses[line] = value if number == release.class_of[line] else None
    return guesses


def in_turns(values):
    """a a a b b c becomes a b c a b a."""
    counts = collections.Counter(values)
    return [value for turn in range(max(counts.values())) for value in counts if counts[value] > turn]


def by_class(release, values, order):
    of_class = collections.defaultdict(list)
    for number, value in values:
        of_class[number].append(value)
    queues = {number: iter(order(own)) for number, own in of_class.items()}
    return [next(queues.get(number, iter(())), None) for number in release.class_of]


def guessing_strategies(release):
    for column, values in release.values.items():
        for name, ends in {"row order": (False, False), "both from the end": (True, True),
                           "nss from the end": (True, False)}.items():
            yield f"{column}: {name}", column, by_line(release, values, *ends)
        for name, order in {"in class": list, "in class backwards": lambda own: own[::-1],
                            "in class in turns": in_turns}.items():
            yield f"{column}: {name}", column, by_class(release, values, order)


def score_guesses(release, column, guesses):
    """(hits, expected, most, bound), over lines whose row of the original is known."""
    truths_of = collections.defaultdict(collections.Counter)
    guesses_of = collections.defaultdict(collections.Counter)
    hits = 0
    for number, place, guess in zip(release.class_of, release.place_of, guesses):
        if place is None:
            continue
        truth = plain(release.original[place][column])
        truths_of[number][truth] += 1
        if guess is not None:
            guesses_of[number][guess] += 1
            hits += guess == truth
    tail = Tail()
    for number, truths in truths_of.items():
        tail.add_class(guesses_of[number], truths, truths.total())
    return hits, tail.expected, tail.most, tail.bound


# --- Orders that should not be there.

def score_first_of_class(release):
    lines_of = collections.defaultdict(list)
    for number, place in zip(release.class_of, release.place_of):
        if place is not None:
            lines_of[number].append(place)
    tail, hits = Tail(), 0
    for places in lines_of.values():
        hits += places[0] == min(places)
        tail.add_class(collections.Counter([True]), collections.Counter({True: 1}), len(places))
    return hits, tail.expected, tail.most, tail.bound


def score_numbers(pairs, count):
    """How many of `count` things that were numbered at random have the number expected."""
    pairs = list(pairs)
    return sum(a == b for a, b in pairs), len(pairs) / max(count, 1), len(pairs), factorial_bound


def score_lines(release):
    known = [(line, place) for line, place in enumerate(release.place_of) if place is not None]
    yield "line", score_numbers(known, len(release.nss))
    steps = zip(release.place_of, release.place_of[1:])
    yield "neighbours", score_numbers(((a + 1, b) for a, b in steps if None not in (a, b)), len(release.nss))


def score_class_ids(release):
    known = [(place, number) for place, number in zip(release.place_of, release.class_of) if place is not None]
    sizes = collections.Counter(release.class_of)
    by_size = [number for _, number in sorted((-size, tie) for tie, size in sizes.items())]
    orders = {"as the original meets them": [number for _, number in sorted(known)]}
    # Equal sizes would be put in order of their ids: only classes of a size of their own tell anything.
    alone = {size for size, times in collections.Counter(sizes.values()).items() if times == 1}
    orders["by size"] = [number for number in by_size if sizes[number] in alone]
    for name, numbers in orders.items():
        ranked = list(dict.fromkeys(numbers))
        steps = list(zip(ranked, ranked[1:]))
        count = len(sizes)
        if name != "by size":
            yield f"class id {name}", score_numbers(((i, n) for i, n in enumerate(ranked, 1)), count)
            yield f"class id backwards {name}", score_numbers(((count + 1 - i, n) for i, n in enumerate(ranked, 1)), count)
        yield f"next class id {name}", score_numbers(((a + 1, b) for a, b in steps), count)


def scores(release):
    for name, column, guesses in guessing_strategies(release):
        yield name, score_guesses(release, column, guesses)
    yield "first of class", score_first_of_class(release)
    yield from score_lines(release)
    yield from score_class_ids(release)


def main():
    parser = argparse.ArgumentParser(description="Try to re-link two published tables.")
    parser.add_argument("release", type=pathlib.Path)
    parser.add_argument("--original", type=pathlib.Path, nargs="+", required=True)
    parser.add_argument("--missing", nargs="*", default=[""])
    parser.add_argument("--must-see", action="store_true", help="fail where there are too few rows to see anything")
    args = parser.parse_args()
    release = Release(args.release, args.original, args.missing)
    known = sum(place is not None for place in release.place_of)
    print(f"{len(release.nss)} rows, {known} of them told apart by nss, {len(set(release.class_of))} classes")
    results = list(scores(release))
    level = FALSE_ALARM / len(results)
    better, blind = [], False
    for name, (hits, expected, most, bound) in results:
        result = "BETTER THAN CHANCE" if bound(hits) < level else ""
        if result:
            better.append(name)
        elif name.endswith("in class") and bound(most) >= level:
            blind, result = True, "too few rows to tell"
        print(f"{name:48} {hits:9} hits, {expected:11.1f} by chance, bound {bound(hits):.1e} {result}".rstrip())
    if better:
        print(f"RE-LINKED by {len(better)} of {len(results)} strategies")
        return 1
    print(f"NOT RE-LINKED by {len(results)} strategies, false alarm at most {FALSE_ALARM}")
    return 2 if blind and args.must_see else 0


if __name__ == "__main__":
    sys.exit(main())
