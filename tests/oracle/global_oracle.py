#!/usr/bin/env python3
"""Verifies the global guarantee over a series of published folders by the definition alone: no code of the engine.

    global_oracle.py RELEASE-DIR=INPUT-FILE... --id COLUMN --l L [--tag COLUMN] [--values COLUMN=V|V...]...
                     [--limit COLUMN=V|V...:L]... [--worlds] [--ledger DIR --series NAME]

Releases are in the order in which they went out: one generalized table (classes are told apart by group_id, or by equal
quasi-identifiers where there is none) or two tables. The inputs say who is who; --tag names a published column that is
different in every row, so that everybody's class is known. Then somebody is charged for the worst of the classes that
theirs may be taken for: people could change places in a circle, each fitting where the next one is. Without --tag it is
the worst of the classes that the quasi-identifiers match. For every person and every item (each value of a sensitive column, or those of
--values, and the sets of --limit) the chance of having had it in any release must be at most 1/L, in exact fractions.
--worlds counts possible worlds, too, where they are few enough to be written down, and compares.
With --ledger, the account of the series must be the one that follows from the published tables.
Exit code 0: holds, 1: broken. Values and identities never appear in what is printed.
"""
import argparse
import collections
import decimal
import fractions
import hashlib
import itertools
import json
import math
import pathlib
import struct
import sys

from published_oracle import covers, number as decimal_of, plain, read_rows, read_taxonomy

GROUP, CLASS, COUNT = "group_id", "class_id", "count"
MOST_WORLDS = 50_000
UNIT, KEPT_BITS = 2**62, 16
decimal.getcontext().prec = 60


class Release:
    """What was published: the classes as {number: {column: Counter of values}}, and whose class is which."""

    def __init__(self, text, args):
        folder, _, source = text.partition("=")
        self.folder = pathlib.Path(folder)
        self.name = self.folder.name
        self.package = json.loads((self.folder / "datapackage.json").read_text(encoding="utf-8"))
        self.rows, self.fields = {}, {}
        for resource in self.package["resources"]:
            path = pathlib.PurePath(resource["path"])
            if path.suffix in (".csv", ".parquet") and len(path.parts) == 1:
                self.rows[path.stem] = read_rows(self.folder / path)
                self.fields[path.stem] = resource["schema"]["fields"]
        self.main = "nss" if "nss" in self.rows else "table"
        self.quasi = [f["name"] for f in self.fields[self.main] if f.get("pentimento:role") == "quasi-identifier"]
        self.taxonomies = {path.stem: read_taxonomy(path) for path in self.folder.glob("taxonomies/*.csv")}
        self.people = {row[args.id]: row for row in read_rows(pathlib.Path(source))}
        self.size, self.counts = collections.Counter(), collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
        self.class_of_row = [self.number_of(row) for row in self.rows[self.main]]
        for number in self.class_of_row:
            self.size[number] += 1
        if self.main == "nss":
            self.count_two_tables()
        else:
            self.count_table()
        self.check_sizes()
        self.fitting = self.by_quasi_identifiers() if self.main == "table" or not args.tag else {}
        self.classes_of = self.confusable(self.by_tag(args)) if args.tag else self.fitting

    def number_of(self, row):
        if self.main == "nss":
            return row[CLASS]
        return row[GROUP] if GROUP in row else tuple(row[name] for name in self.quasi)

    def count_two_tables(self):
        self.sensitive = []
        for name in self.rows:
            if name != "ss" and not name.startswith("ss-"):
                continue
            columns = [f["name"] for f in self.fields[name] if f["name"] not in (CLASS, COUNT)]
            self.sensitive += columns
            for row, column in itertools.product(self.rows[name], columns):
                self.counts[row[CLASS]][column][row[column]] += int(row[COUNT])

    def count_table(self):
        self.sensitive = [f["name"] for f in self.fields["table"] if f.get("pentimento:role") == "sensitive"]
        for number, row in zip(self.class_of_row, self.rows["table"]):
            for column in self.sensitive:
                self.counts[number][column][row[column]] += 1

    def check_sizes(self):
        for number, column in itertools.product(self.size, self.sensitive):
            if self.counts[number][column].total() != self.size[number]:
                sys.exit(f"BROKEN: {self.name}: a class counts other people than it has")

    def by_tag(self, args):
        """The class of everybody who was published."""
        person_of_tag = {plain(row[args.tag]): person for person, row in self.people.items()}
        if len(person_of_tag) != len(self.people):
            sys.exit("global_oracle: the tag does not tell people apart")
        found = {person_of_tag[plain(row[args.tag])]: {number}
                 for number, row in zip(self.class_of_row, self.rows[self.main])}
        if len(found) != len(self.class_of_row):
            sys.exit(f"BROKEN: {self.name} has somebody twice")
        return found

    def confusable(self, own):
        """Of everybody the classes that can be reached from theirs and back. Two tables show everybody's own row."""
        if self.main == "nss":
            return own
        onward = {number: {number} for number in self.size}
        for person, (number,) in own.items():
            onward[number] |= self.fitting[person]
        reached = {number: reachable(onward, number) for number in onward}
        component = {number: {other for other in reached[number] if number in reached[other]} for number in reached}
        return {person: component[number] for person, (number,) in own.items()}

    def by_quasi_identifiers(self):
        boxes = list({(number, tuple(row[name] for name in self.quasi))
                      for number, row in zip(self.class_of_row, self.rows[self.main])})
        fitting = [self.boxes_of_values(name, [box[at] for _, box in boxes]) for at, name in enumerate(self.quasi)]
        found = collections.defaultdict(set)
        for person, row in self.people.items():
            left = 2**len(boxes) - 1
            for name, boxes_of in zip(self.quasi, fitting):
                left &= boxes_of[row[name]]
            while left:
                found[person].add(boxes[left.bit_length() - 1][0])
                left ^= 1 << left.bit_length() - 1
        return found

    def boxes_of_values(self, name, label_of_box):
        """For every value of the column the boxes that cover it, as bits."""
        boxes_of_label = collections.defaultdict(int)
        for at, label in enumerate(label_of_box):
            boxes_of_label[label] |= 1 << at
        values = {row[name]: decimal_of(row[name]) for row in self.people.values()}
        spelled = collections.defaultdict(set)
        for value, at in values.items():
            spelled[value if at is None else at].add(value)
        found = dict.fromkeys(values, 0)
        for label, boxes in boxes_of_label.items():
            if self.taxonomies.get(name) is None and decimal_of(label) is not None:
                fits = spelled[decimal_of(label)]
            elif label[:1] == "[" and self.taxonomies.get(name) is None:
                low, high = (decimal_of(end) for end in label[1:-1].split(","))
                fits = {value for value, at in values.items()
                        if at is not None and low <= at and (at < high or at == high and label[-1] == "]")}
            else:
                fits = {value for value in values if covers(label, value, self.taxonomies.get(name))}
            for value in fits:
                found[value] |= boxes
        return found

    def holders(self, number, item):
        return sum(count for value, count in self.counts[number][item.column].items() if value in item.values)


def reachable(onward, start):
    seen, waiting = {start}, [start]
    while waiting:
        new = onward[waiting.pop()] - seen
        seen |= new
        waiting += new
    return seen


class Item:
    def __init__(self, column, values, l):
        self.column, self.values, self.l = column, frozenset(values), l


def items_of(args, releases):
    only = collections.defaultdict(set)
    for text in args.values:
        column, _, values = text.partition("=")
        only[column].update(values.split("|"))
    items = []
    for column in sorted({column for release in releases for column in release.sensitive}):
        seen = {value for release in releases for number in release.size for value in release.counts[number][column]}
        items += [Item(column, {value}, args.l) for value in sorted(only.get(column, seen))]
    for text in args.limit:
        named, _, l = text.rpartition(":")
        column, _, values = named.partition("=")
        items.append(Item(column, values.split("|"), int(l)))
    return items


def exposures_of(person, item, releases):
    """(holders, rows) of the class in each release that has this person; the worst where several match."""
    found = []
    for release in releases:
        if item.column in release.sensitive and release.classes_of.get(person):
            pairs = [(release.holders(number, item), release.size[number]) for number in release.classes_of[person]]
            found.append(pairs[0] if len(pairs) == 1 else max(pairs, key=lambda pair: fractions.Fraction(*pair)))
    return tuple(found)


def chance_by_formula(exposures):
    survival = math.prod(rows - holders for holders, rows in exposures)
    return 1 - fractions.Fraction(survival, math.prod(rows for _, rows in exposures))


def chance_by_worlds(exposures):
    """Writes down every way to deal the values of the person's classes, all releases together. None: too many."""
    if math.prod(math.factorial(rows) for _, rows in exposures) > MOST_WORLDS:
        return None
    ways = []
    for holders, rows in exposures:
        is_item = [True] * holders + [False] * (rows - holders)
        ways.append([dealt[0] for dealt in itertools.permutations(is_item)])  # the person is the first of the class
    linked = total = 0
    for world in itertools.product(*ways):
        total += 1
        linked += any(world)
    return fractions.Fraction(linked, total)


def as_text(chance):
    return str(chance) if chance.denominator < 10**9 else f"{float(chance):.9f}"


def verify(args, releases, items):
    """Faults, and what there is to say."""
    known, faults, worlds = {}, [], 0
    largest = fractions.Fraction(0)
    people = sorted(set().union(*(release.classes_of for release in releases)))
    for place, person in enumerate(people, 1):
        for item in items:
            exposures = exposures_of(person, item, releases)
            if exposures not in known:
                known[exposures] = chance_by_formula(exposures)
                counted = chance_by_worlds(exposures) if args.worlds else None
                if counted is not None:
                    worlds += 1
                    if counted != known[exposures]:
                        faults.append(f"possible worlds say {counted}, the formula {known[exposures]}")
            chance = known[exposures]
            largest = max(largest, chance)
            if chance > fractions.Fraction(1, item.l):
                classes = ", ".join(f"{holders} of {rows}" for holders, rows in exposures)
                faults.append(f"person {place} has a chance of {as_text(chance)} of having had an item of {item.column} "
                              f"in some release, at most 1/{item.l} is promised; the classes: {classes}")
    said = f"{len(releases)} releases, {len(people)} people, {len(items)} items, largest chance {as_text(largest)}"
    return faults, said + (f", {worlds} histories by possible worlds" if args.worlds else "")


def siphash_128(key, data):
    """SipHash-2-4-128 as its authors describe it; the two halves as numbers."""
    mask = 2**64 - 1
    k0, k1 = struct.unpack("<2Q", key)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]

    def turn(x, bits):
        return (x << bits | x >> 64 - bits) & mask

    def rounds(count):
        a, b, c, d = v
        for _ in range(count):
            a = (a + b) & mask
            b = turn(b, 13) ^ a
            a = turn(a, 32)
            c = (c + d) & mask
            d = turn(d, 16) ^ c
            a = (a + d) & mask
            d = turn(d, 21) ^ a
            c = (c + b) & mask
            b = turn(b, 17) ^ c
            c = turn(c, 32)
        v[:] = a, b, c, d

    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for (word,) in struct.iter_unpack("<Q", padded):
        v[3] ^= word
        rounds(2)
        v[0] ^= word
    v[2] ^= 0xEE
    rounds(4)
    first = v[0] ^ v[1] ^ v[2] ^ v[3]
    v[1] ^= 0xDD
    rounds(4)
    return first, v[0] ^ v[1] ^ v[2] ^ v[3]


class Account:
    """A budgets file, as docs/formats/state.md describes it."""

    def __init__(self, ledger, series):
        found = [self.parsed(path) for path in sorted((ledger / "state").glob("*.budgets"))]
        found = [(about, spent) for about, spent in found if about["series"] == series]
        if len(found) != 1:
            sys.exit(f"BROKEN: {len(found)} accounts of the series on record")
        self.about, self.spent = found[0]
        key = hashlib.blake2b(b"pentimento identities", key=(ledger / "key").read_bytes(), digest_size=32).digest()
        self.hash_of = lambda person: siphash_128(key[:16], person.encode())

    @staticmethod
    def parsed(path):
        data = path.read_bytes()
        assert data[:8] == b"PENTSTAT" and struct.unpack_from("<2I", data, 8) == (1, 3), "no file of budgets"
        data = data[64:]
        version, items, people, about_bytes, _ = struct.unpack_from("<2I3Q", data)
        assert version in (1, 2) and len(data) == 32 + (16 + 8 * items) * people + about_bytes, "sizes that do not agree"
        hashes = list(struct.iter_unpack("<2Q", data[32:32 + 16 * people]))
        assert hashes == sorted(set(hashes)), "people who are not in order"
        at = 32 + 16 * people
        rows = struct.iter_unpack(f"<{items}Q", data[at:at + 8 * items * people])
        return json.loads(data[at + 8 * items * people:]), dict(zip(hashes, rows))


def cost_bounds(holders, rows, known={}):
    """The exact ceiling of -ln(1 - holders/rows) in units of 2^-62, and the most that the engine may take for it: it is
    above the truth by less than 2 units."""
    if holders == 0:
        return 0, 0
    if (holders, rows) not in known:
        truth = (decimal.Decimal(rows) / decimal.Decimal(rows - holders)).ln() * UNIT
        ceiling = int(truth.to_integral_value(decimal.ROUND_CEILING))
        known[holders, rows] = ceiling, ceiling + 1
    return known[holders, rows]


def spent_bounds(exposures):
    """Rounded up after every release to a multiple of 2^16."""
    low = high = 0
    for holders, rows in exposures:
        cheap, dear = cost_bounds(holders, rows)
        low, high = (-(-(spent + cost) >> KEPT_BITS) << KEPT_BITS for spent, cost in ((low, cheap), (high, dear)))
    return low, high


def check_account(args, releases):
    account = Account(args.ledger, args.series)
    items = [Item(item["column"], [""] if item.get("missing") else item["values"], item["l"])
             for item in account.about["items"]]
    yield from check_about(account.about, releases, items)
    everybody = {account.hash_of(person): person for release in releases for person in release.people}
    if unknown := [person for person in account.spent if person not in everybody]:
        yield f"the account has {len(unknown)} people who are in no input"
    published = set().union(*(release.classes_of for release in releases))
    for place, (hashed, person) in enumerate(sorted(everybody.items(), key=lambda pair: pair[1]), 1):
        stored = account.spent.get(hashed)
        if stored is None:
            if person in published:
                yield f"person {place} is not in the account"
            continue
        times = sum(1 for release in releases if release.classes_of.get(person))
        if stored[0] % 2**KEPT_BITS != times:
            yield f"person {place} was in {times} releases, the account says {stored[0] % 2**KEPT_BITS}"
        for number, item in enumerate(items):
            low, high = spent_bounds(exposures_of(person, item, releases))
            found = stored[number] % UNIT - (times if number == 0 else 0)
            if stored[number] // UNIT != had_last(person, item, releases):
                yield f"person {place} is on record with {stored[number] // UNIT} for item {number} in the last release"
            if not low <= found <= high:
                yield f"person {place} spent {low} on item {number}, the account says {found}"


def had_last(person, item, releases):
    """3: had it in the last release that published the person and the column; 2: did not; 0: there is none."""
    for release in reversed(releases):
        if release.classes_of.get(person) and item.column in release.sensitive:
            return 3 if release.people[person][item.column] in item.values else 2
    return 0


def check_about(about, releases, items):
    if [told["name"] for told in about["releases"]] != [release.name for release in releases]:
        yield "the account tells of other releases"
        return
    for told, release in zip(about["releases"], releases):
        if told["rows"] != sum(release.size.values()):
            yield f"the account tells of another number of rows of {release.name}"
        holders = [sum(release.holders(number, item) for number in release.size) for item in items]
        # Items that came later had no holder then.
        if told["holders"] + [0] * (len(items) - len(told["holders"])) != holders:
            yield f"the account tells of other holders in {release.name}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("releases", nargs="+")
    parser.add_argument("--id", required=True)
    parser.add_argument("--l", type=int, required=True)
    parser.add_argument("--tag")
    parser.add_argument("--values", action="append", default=[])
    parser.add_argument("--limit", action="append", default=[])
    parser.add_argument("--worlds", action="store_true")
    parser.add_argument("--ledger", type=pathlib.Path)
    parser.add_argument("--series")
    args = parser.parse_args()
    releases = [Release(text, args) for text in args.releases]
    faults, said = verify(args, releases, items_of(args, releases))
    if args.ledger is not None:
        wrong = list(check_account(args, releases))
        faults += wrong
        said += ", the account is another one" if wrong else ", the account is the same"
    for fault in faults[:20]:
        print(f"BROKEN: {fault}")
    print(("BROKEN: " if faults else "HOLDS: ") + said)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
