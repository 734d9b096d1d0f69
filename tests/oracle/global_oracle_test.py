"""The oracle itself must be able to say no: the paper's tables, accounts reckoned by hand, one planted fault at a time."""
import csv
import itertools
import json
import math
import pathlib
import struct
import subprocess
import sys
import tempfile
import unittest

import bayes_attacker
import global_oracle

HERE = pathlib.Path(__file__).parent
# Figure 1 of the paper.
T1 = [["o1", "M", "65001", "flu"], ["o2", "M", "65002", "chlamydia"], ["o3", "F", "65014", "flu"],
      ["o4", "F", "65015", "fever"]]
T2 = [["o1", "M", "65001", "chlamydia"], ["o2", "M", "65002", "flu"], ["o3", "F", "65014", "fever"],
      ["o5", "F", "65010", "flu"]]
ROLES = {"sex": "quasi-identifier", "zip": "quasi-identifier", "disease": "sensitive"}
MEN, WOMEN, ALL = ("M", "[65000,65009]"), ("F", "[65010,65019]"), ("*", "[65000,65019]")


class GlobalOracle(unittest.TestCase):
    def setUp(self):
        self.made = tempfile.TemporaryDirectory()
        self.addCleanup(self.made.cleanup)
        self.folder = pathlib.Path(self.made.name)
        self.pairs = []

    def write(self, path, header, rows):
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([header, *rows])
        fields = [{"name": n, **({"pentimento:role": ROLES[n]} if n in ROLES else {})} for n in header]
        return {"path": path.name, "schema": {"fields": fields}}

    def release(self, people, tables):
        name = f"q{len(self.pairs) + 1}"
        (self.folder / name).mkdir()
        resources = [self.write(self.folder / name / f"{stem}.csv", header, rows) for stem, header, rows in tables]
        (self.folder / name / "datapackage.json").write_text(json.dumps({"resources": resources}))
        self.write(self.folder / f"{name}.csv", ["id", "sex", "zip", "disease"], people)
        self.pairs.append(f"{self.folder / name}={self.folder / name}.csv")

    def generalized(self, people, boxes, groups=None):
        rows = [[*box, row[3]] for box, row in zip(boxes, people)]
        header = ["sex", "zip", "disease"]
        if groups:
            rows, header = [[*row, group] for row, group in zip(rows, groups)], [*header, "group_id"]
        self.release(people, [("table", header, rows)])

    def two_tables(self, people, classes, counts):
        rows = [[row[1], row[2], number] for row, number in zip(people, classes)]
        self.release(people, [("nss", ["sex", "zip", "class_id"], rows), ("ss", ["class_id", "disease", "count"], counts)])

    def verify(self, *arguments, program="global_oracle.py"):
        command = [sys.executable, HERE / program, *self.pairs, "--id", "id", "--l", "2", *arguments]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def assert_says(self, run, code, text):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertIn(text, run.stdout)

    def test_the_localized_guarantee_of_figure_2_gives_three_quarters(self):
        for people in T1, T2:
            self.generalized(people, [MEN, MEN, WOMEN, WOMEN])
        run = self.verify("--values", "disease=chlamydia", "--worlds")
        self.assert_says(run, 1, "a chance of 3/4 of having had an item of disease in some release, at most 1/2")
        self.assertIn("largest chance 3/4", run.stdout)

    def test_the_groups_of_figure_4_give_seven_sixteenths(self):
        for people in T1, T2:
            self.generalized(people, [ALL] * 4)
        run = self.verify("--values", "disease=chlamydia", "--worlds")
        self.assert_says(run, 0, "5 people, 1 items, largest chance 7/16, 2 histories by possible worlds")

    def test_one_release_of_one_half_holds_with_l_of_two_and_not_with_three(self):
        self.generalized(T1, [MEN, MEN, WOMEN, WOMEN])
        self.assert_says(self.verify(), 0, "largest chance 1/2")
        self.assert_says(self.verify("--l", "3"), 1, "at most 1/3")

    def test_a_set_has_a_limit_of_its_own(self):
        self.generalized(T1, [ALL] * 4)
        self.assert_says(self.verify("--values", "disease=fever"), 0, "largest chance 1/4")
        self.assert_says(self.verify("--values", "disease=fever", "--limit", "disease=flu|chlamydia:2"), 1, "3 of 4")

    def test_equal_boxes_are_told_apart_by_their_group_ids(self):
        self.generalized(T1, [ALL] * 4, [1, 1, 2, 2])
        self.assert_says(self.verify("--values", "disease=chlamydia"), 0, "largest chance 1/2")

    def test_two_tables_are_counted_by_class(self):
        self.two_tables(T1, [1, 1, 2, 2], [[1, "flu", 1], [1, "chlamydia", 1], [2, "flu", 1], [2, "fever", 1]])
        self.two_tables(T2, [1, 1, 1, 1], [[1, "flu", 2], [1, "chlamydia", 1], [1, "fever", 1]])
        # Of those in the first class 1/2 and 1/4: 5/8.
        self.assert_says(self.verify("--values", "disease=chlamydia", "--worlds"), 1, "a chance of 5/8")

    def test_a_class_that_counts_other_people_is_broken(self):
        self.two_tables(T1, [1, 1, 2, 2], [[1, "flu", 2], [1, "chlamydia", 1], [2, "flu", 2]])
        self.assertNotEqual(self.verify().returncode, 0)

    def test_siphash_is_that_of_its_authors(self):
        first, second = global_oracle.siphash_128(bytes(range(16)), b"")
        self.assertEqual(struct.pack("<2Q", first, second).hex(), "a3817f04ba25a8e66df67214c7550293")
        first, second = global_oracle.siphash_128(bytes(range(16)), b"\0")
        self.assertEqual(struct.pack("<2Q", first, second).hex(), "da87c1d86b99af44347659119b22fc45")

    def test_costs_are_exact_ceilings(self):
        low, high = global_oracle.cost_bounds(1, 2)
        # ln 2 in binary, 62 digits: 0x2C5C85FDF473DE6A.F278...
        self.assertEqual(low, 0x2C5C85FDF473DE6A + 1)
        self.assertEqual(high, low + 1)
        self.assertEqual(global_oracle.spent_bounds([(1, 2)])[0], 0x2C5C85FDF4740000)
        self.assertEqual(global_oracle.spent_bounds([(1, 2), (0, 9), (1, 2)])[0], 2 * 0x2C5C85FDF4740000)

    def test_an_attacker_weighs_the_classes_that_somebody_may_be_in(self):
        self.generalized(T1, [ALL] * 4, [1, 1, 2, 2])
        self.assert_says(self.verify("--values", "disease=chlamydia", program="bayes_attacker.py"), 0,
                         "4 places unsure, largest chance 1/4")

    def test_an_attacker_sees_that_only_the_men_can_fill_the_class_of_the_men(self):
        self.generalized(T1, [MEN, ALL, MEN, ALL], [1, 2, 1, 2])
        self.assert_says(self.verify("--values", "disease=chlamydia", program="bayes_attacker.py"), 0,
                         "0 places unsure, largest chance 1/2")

    def tagged(self, people, boxes, groups):
        rows = [[*box, row[3], group, row[0]] for box, row, group in zip(boxes, people, groups)]
        self.release(people, [("table", ["sex", "zip", "disease", "group_id", "id"], rows)])

    def test_whoever_may_be_in_another_class_is_charged_for_it(self):
        self.tagged(T1, [ALL] * 4, [1, 1, 2, 2])
        self.assert_says(self.verify("--values", "disease=chlamydia", "--tag", "id", program="bayes_attacker.py"), 0,
                         "4 places unsure, largest chance 1/4, charged 1/2")
        # A woman whose own class had no holder pays for the one that she could have been in.
        people = [[name, sex, place, "chlamydia" if name == "o3" else "flu"] for name, sex, place, _ in T1]
        self.tagged(people, [MEN, MEN, WOMEN, WOMEN], [1, 1, 2, 2])
        self.assert_says(self.verify("--values", "disease=chlamydia", "--tag", "id"), 1, "person 3 has a chance of 3/4")

    def test_whoever_fits_elsewhere_while_nobody_can_take_the_place_is_charged_for_the_own_class(self):
        self.tagged(T1, [MEN, MEN, ALL, ALL], [1, 1, 2, 2])
        found = self.verify("--values", "disease=chlamydia", "--tag", "id", program="bayes_attacker.py")
        self.assert_says(found, 0, "0 places unsure, largest chance 1/2, charged 1/2")
        self.tagged(T1, [MEN, MEN, ALL, ALL], [1, 1, 2, 2])
        self.assert_says(self.verify("--values", "disease=fever", "--tag", "id"), 1, "largest chance 3/4")
        self.assert_says(self.verify("--values", "disease=fever", "--tag", "id"), 1, "person 4 has a chance of 3/4")

    def test_an_attacker_is_not_sure_of_people_with_equal_quasi_identifiers_in_two_tables(self):
        twins = [[name, "M", "65001", disease] for name, _, _, disease in T1]
        self.two_tables(twins, [1, 1, 2, 2], [[1, "flu", 1], [1, "chlamydia", 1], [2, "flu", 1], [2, "fever", 1]])
        self.assert_says(self.verify("--values", "disease=chlamydia", program="bayes_attacker.py"), 0,
                         "4 places unsure, largest chance 1/4")

    def test_an_attacker_is_told_from_one_who_is_below_the_limit(self):
        for people in T1, T2:
            self.generalized(people, [MEN, MEN, WOMEN, WOMEN])
        self.assert_says(self.verify("--values", "disease=chlamydia", program="bayes_attacker.py"), 1, "largest chance 3/4")

    def test_seatings_agree_with_writing_them_down(self):
        candidates = {"a": {1}, "b": {1, 2}, "c": {1, 2}, "d": {2, 3}, "e": {1, 2, 3}}
        size = {1: 2, 2: 2, 3: 1}
        found = bayes_attacker.seatings(list(candidates), [1, 2, 3], candidates, size)
        ways = [way for way in itertools.product(*candidates.values()) if all(way.count(c) == n for c, n in size.items())]
        for place, person in enumerate(candidates):
            for number in candidates[person]:
                share = sum(way[place] == number for way in ways) / len(ways)
                self.assertTrue(math.isclose(share, found[frozenset(candidates[person])][number]), (person, number))


if __name__ == "__main__":
    unittest.main()
