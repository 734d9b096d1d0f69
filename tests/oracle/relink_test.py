"""The attacker must find every planted hole, blame no release that is shuffled, and bound chances rightly."""
import collections
import itertools
import json
import math
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

import relink

ATTACKER = pathlib.Path(__file__).with_name("relink.py")
VALUES = ["HIV", "cold", "fever", "flu"]


def make_original(rows, seed):
    """Rows with a number of their own, so that NSS tells them apart; every four of them have different values."""
    chance = random.Random(seed)
    order = [chance.sample(VALUES, 4) for _ in range(rows // 4)]
    return [(str(i), order[i // 4][i % 4]) for i in range(rows)]


def make_release(original, seed, size=4, shuffles_rows=True, draws_ids=True, ss_order=sorted, nss_order=None):
    """(nss, ss) as lists of lines; classes are consecutive rows of the original."""
    chance = random.Random(seed)
    count = len(original) // size
    ids = list(range(1, count + 1))
    if draws_ids:
        chance.shuffle(ids)
    class_of = [ids[min(i // size, count - 1)] for i in range(len(original))]
    lines = list(range(len(original)))
    if shuffles_rows:
        chance.shuffle(lines)
    if nss_order:
        lines.sort(key=lambda i: nss_order(i, class_of))
    nss = [(original[i][0], str(class_of[i])) for i in lines]
    ss = []
    for number in sorted(ids):
        counts = collections.Counter(value for i, (_, value) in enumerate(original) if class_of[i] == number)
        ss += [(str(number), value, str(counts[value])) for value in ss_order(counts)]
    return nss, ss


class Relink(unittest.TestCase):
    def attack(self, original, release, arguments=()):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            tables = {"original": (("weight", "illness"), original), "nss": (("weight", "class_id"), release[0]),
                      "ss": (("class_id", "illness", "count"), release[1])}
            for stem, (header, lines) in tables.items():
                (folder / f"{stem}.csv").write_text("".join(",".join(line) + "\n" for line in [header, *lines]))
            package = {"resources": [{"path": "nss.csv"}, {"path": "ss.csv"}]}
            (folder / "datapackage.json").write_text(json.dumps(package))
            command = [sys.executable, ATTACKER, folder, "--original", folder / "original.csv", *arguments]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_found(self, run, *strategies):
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        for strategy in strategies:
            line = next(line for line in run.stdout.splitlines() if line.startswith(strategy + " "))
            self.assertIn("BETTER THAN CHANCE", line)

    def test_a_shuffled_release_is_not_blamed(self):
        original = make_original(400, 1)
        for seed in range(5):
            run = self.attack(original, make_release(original, seed), ["--must-see"])
            self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
            self.assertIn("NOT RE-LINKED", run.stdout)

    def test_tables_in_the_same_row_order_are_relinked(self):
        original = make_original(400, 2)
        release = make_release(original, 2, shuffles_rows=False, draws_ids=False, ss_order=list)
        self.assert_found(self.attack(original, release), "illness: row order", "illness: in class",
                          "illness: both from the end", "first of class", "line", "neighbours",
                          "class id as the original meets them", "next class id as the original meets them")

    def test_random_class_ids_do_not_help_where_the_order_inside_classes_stays(self):
        original = make_original(400, 3)
        release = make_release(original, 3, ss_order=list, nss_order=lambda i, class_of: (class_of[i], i))
        self.assert_found(self.attack(original, release), "illness: in class", "illness: row order", "first of class")

    def test_rows_sorted_by_value_inside_their_class_are_found_in_a_shuffled_file(self):
        original = make_original(400, 4)
        release = make_release(original, 4, nss_order=lambda i, _: original[i][1])
        self.assert_found(self.attack(original, release), "illness: in class")
        release = make_release(original, 4, nss_order=lambda i, _: [-ord(char) for char in original[i][1]])
        self.assert_found(self.attack(original, release), "illness: in class backwards")

    def test_rows_that_stay_on_their_lines_are_found(self):
        original = make_original(400, 5)
        release = make_release(original, 5, shuffles_rows=False)
        self.assert_found(self.attack(original, release), "line", "neighbours", "first of class")

    def test_classes_numbered_as_they_were_met_are_found(self):
        original = make_original(400, 6)
        release = make_release(original, 6, draws_ids=False)
        self.assert_found(self.attack(original, release), "class id as the original meets them")

    def test_one_large_class_is_relinked_by_order(self):
        original = make_original(2000, 7)
        release = make_release(original, 7, size=1000, nss_order=lambda i, _: original[i][1])
        self.assert_found(self.attack(original, release), "illness: in class")
        run = self.attack(original, make_release(original, 7, size=1000), ["--must-see"])
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)

    def test_rows_that_look_alike_are_left_out(self):
        original = [("7", value) for _, value in make_original(400, 8)]
        run = self.attack(original, make_release(original, 8))
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("400 rows, 0 of them told apart", run.stdout)

    def test_too_few_rows_are_said_to_be_too_few(self):
        original = make_original(8, 9)
        release = make_release(original, 9)
        self.assertEqual(self.attack(original, release).returncode, 0)
        run = self.attack(original, release, ["--must-see"])
        self.assertEqual(run.returncode, 2, run.stdout + run.stderr)
        self.assertIn("too few rows to tell", run.stdout)


def hits_over_all_orders(guesses, truths):
    return [sum(g == t for g, t in zip(guesses, order)) for order in itertools.permutations(truths)]


class Bounds(unittest.TestCase):
    def test_the_generating_function_is_that_of_all_orders(self):
        for guesses, truths in [("ab", "ab"), ("aab", "abc"), ("aabbc", "abbcc"), ("aaaa", "aabc"), ("abc?", "abca")]:
            hits = hits_over_all_orders(guesses, truths)
            own = collections.Counter(guesses.replace("?", ""))
            terms = relink.coefficients(own, collections.Counter(truths), len(truths))
            for tilt in (0.1, 1.0, 3.0):
                mean = sum(math.exp(tilt * x) for x in hits) / len(hits)
                self.assertAlmostEqual(relink.log_of_sum(terms, math.expm1(tilt)), math.log(mean), places=9)

    def test_the_bound_is_never_below_the_chance(self):
        for guesses, truths in [("ab", "ab"), ("aabb", "abbc"), ("abcdef", "abcdef"), ("aaabb", "aabbb")]:
            hits = hits_over_all_orders(guesses, truths)
            tail = relink.Tail()
            tail.add_class(collections.Counter(guesses), collections.Counter(truths), len(truths))
            self.assertAlmostEqual(tail.expected, sum(hits) / len(hits))
            self.assertEqual(tail.most, max(hits))
            for least in range(len(truths) + 1):
                chance = sum(x >= least for x in hits) / len(hits)
                self.assertGreaterEqual(tail.bound(least) * (1 + 1e-9), chance)

    def test_azuma_is_never_below_the_exact_function(self):
        truths = collections.Counter({value: 70 for value in VALUES})
        exact = relink.Tail.logs_of(truths, truths, 280)
        limit, relink.LARGEST_EXACT = relink.LARGEST_EXACT, 0
        loose = relink.Tail.logs_of(truths, truths, 280)
        relink.LARGEST_EXACT = limit
        self.assertTrue(all(x <= y for x, y in zip(exact, loose)))

    def test_numbers_at_random_are_right_as_seldom_as_the_factorial_says(self):
        orders = list(itertools.permutations(range(7)))
        same = [sum(i == n for i, n in enumerate(order)) for order in orders]
        after = [sum(a + 1 == b for a, b in zip(order, order[1:])) for order in orders]
        for hits, least in itertools.product((same, after), range(8)):
            chance = sum(x >= least for x in hits) / len(hits)
            self.assertGreaterEqual(relink.factorial_bound(least) * (1 + 1e-9), chance)

    def test_false_alarms_are_as_seldom_as_the_level_says(self):
        chance, alarms = random.Random(10), collections.Counter()
        runs, level = 2000, 0.02
        truths = [chance.sample(VALUES, 3) + [chance.choice(VALUES)] for _ in range(20)]
        tail = relink.Tail()
        for own in truths:
            tail.add_class(collections.Counter(own), collections.Counter(own), len(own))
        for _ in range(runs):
            hits = sum(g == t for own in truths for g, t in zip(sorted(own), chance.sample(own, len(own))))
            alarms["value"] += tail.bound(hits) < level
        self.assertLess(alarms["value"], runs * level)
        self.assertGreater(alarms["value"], 0)  # and the bound is not so loose that it never says anything


if __name__ == "__main__":
    unittest.main()
