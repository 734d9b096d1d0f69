"""The oracle itself must be able to say no: good releases, and one planted fault at a time."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORACLE = pathlib.Path(__file__).with_name("two_tables_oracle.py")
# Tables 5 and 6 of the paper, SS as counts, class ids permuted and NSS shuffled.
NSS = [["job", "birth", "class_id"], ["clerk", "1955", "3"], ["manager", "1955", "1"],
       ["technical supporter", "1940", "2"], ["clerk", "1975", "1"], ["factory worker", "1975", "2"],
       ["factory worker", "1955", "3"]]
SS = [["class_id", "illness", "count"], ["1", "HIV", "1"], ["1", "flu", "1"], ["2", "fever", "1"], ["2", "flu", "1"],
      ["3", "fever", "1"], ["3", "flu", "1"]]
ORIGINAL = [["job", "birth", "illness"], ["clerk", "1975", "HIV"], ["manager", "1955", "flu"],
            ["clerk", "1955", "flu"], ["factory worker", "1955", "fever"], ["factory worker", "1975", "flu"],
            ["technical supporter", "1940", "fever"]]
TABLE = [["job", "birth", "illness"], ["white", "*", "HIV"], ["white", "*", "flu"], ["*", "1955", "flu"],
         ["*", "1955", "fever"], ["blue", "*", "flu"], ["blue", "*", "fever"]]
ROLES = {"job": "quasi-identifier", "birth": "quasi-identifier", "illness": "sensitive", "stay": "sensitive"}
REMARK = "The tables must not be joined row by row."


class TwoTablesOracle(unittest.TestCase):
    def verify(self, tables, arguments=("--alpha", "1/2", "--k", "2"), original=None, remark=REMARK, promised=("1/2", 2)):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            resources = []
            for stem, lines in tables.items():
                self.write(folder / f"{stem}.csv", lines)
                fields = [{"name": n, **({"pentimento:role": ROLES[n]} if n in ROLES else {})} for n in lines[0]]
                resources.append({"name": stem, "path": f"{stem}.csv", "schema": {"fields": fields}})
            guarantee = {"type": "alpha-k-anonymity", "alpha": promised[0], "k": promised[1]}
            package = {"resources": resources, "description": remark, "pentimento": {"guarantees": [guarantee]}}
            (folder / "datapackage.json").write_text(json.dumps(package))
            command = [sys.executable, ORACLE, folder, *arguments]
            if original is not None:
                self.write(folder / "original.csv", original)
                command += ["--original", folder / "original.csv", "--missing", "?"]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    @staticmethod
    def write(path, lines):
        path.write_text("".join(",".join(f'"{cell}"' for cell in line) + "\n" for line in lines))

    def assert_holds(self, run):
        self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
        self.assertIn("HOLDS", run.stdout)

    def assert_broken(self, run, text):
        self.assertEqual(run.returncode, 1, run.stdout + run.stderr)
        self.assertIn(text, run.stdout)

    def with_ss(self, change, nss=None, **more):
        lines = [list(line) for line in SS]
        change(lines)
        return self.verify({"nss": nss or NSS, "ss": lines}, **more)

    def test_the_papers_tables_hold(self):
        self.assert_holds(self.verify({"nss": NSS, "ss": SS}))
        self.assert_holds(self.verify({"nss": NSS, "ss": SS}, original=ORIGINAL))
        self.assert_holds(self.verify({"table": TABLE}))

    def test_alpha_and_k_are_exact(self):
        for tables in ({"nss": NSS, "ss": SS}, {"table": TABLE}):
            less = self.verify(tables, ["--alpha", "0.499999999999999999999", "--k", "2"])
            self.assert_broken(less, "1 of 2 rows have a value of illness")
            self.assert_broken(self.verify(tables, ["--alpha", "1/2", "--k", "3"]), "has 2 rows, 3 are required")

    def test_a_third_is_more_than_033(self):
        nss = [["job", "class_id"], ["a", "1"], ["b", "1"], ["c", "1"]]
        ss = [["class_id", "illness", "count"], ["1", "", "1"], ["1", "fever", "1"], ["1", "flu", "1"]]
        tables = {"nss": nss, "ss": ss}
        self.assert_holds(self.verify(tables, ["--alpha", "1/3", "--k", "3"], promised=("1/3", 3)))
        self.assert_broken(self.verify(tables, ["--alpha", "0.33", "--k", "3"], promised=("0.33", 3)), "1 of 3 rows")

    def test_sets_are_counted_together_and_values_may_be_named(self):
        arguments = ["--alpha", "1/2", "--k", "2", "--limit"]
        for tables in ({"nss": NSS, "ss": SS}, {"table": TABLE}):
            self.assert_holds(self.verify(tables, [*arguments, "illness=HIV|fever:1/2"]))
            self.assert_broken(self.verify(tables, [*arguments, "illness=HIV|flu:1/2"]), "2 of 2 rows")
            self.assert_broken(self.verify(tables, [*arguments, "illness=HIV:1/3"]), "1 of 2 rows")
            named = ["--alpha", "1/3", "--k", "2", "--values", "illness=cancer|cold"]
            self.assert_holds(self.verify(tables, named, promised=("1/3", 2)))

    def test_the_missing_value_is_a_value(self):
        def change(lines):
            del lines[2]
            lines[1] = ["1", "", "2"]
        self.assert_broken(self.with_ss(change), "class 1: 2 of 2 rows have a value of illness")

    def test_entries_out_of_order_are_found(self):
        self.assert_broken(self.with_ss(lambda s: s.insert(1, s.pop())), "not in order of classes")
        self.assert_broken(self.with_ss(lambda s: s.insert(3, s.pop(4))), "values are in different orders")

    def test_entries_twice_or_of_nothing_are_found(self):
        self.assert_broken(self.with_ss(lambda s: s.append(["3", "flu", "0"])), "counts nothing")
        self.assert_broken(self.with_ss(lambda s: s.append(["3", "flu", "1"])), "an entry twice")

    def test_sums_that_are_not_the_rows_are_found(self):
        self.assert_broken(self.with_ss(lambda s: s.pop()), "class 3 has 2 rows in nss and counts 1 in ss")
        self.assert_broken(self.with_ss(lambda s: s.append(["4", "flu", "1"])), "class 4 has 0 rows in nss")
        self.assert_broken(self.with_ss(lambda s: s[1].__setitem__(2, "-1")), "no number")

    def test_class_ids_are_one_to_their_number(self):
        nss = [[cell.replace("3", "9") if i == 2 else cell for i, cell in enumerate(line)] for line in NSS]
        ss = [[line[0].replace("3", "9"), *line[1:]] for line in SS]
        self.assert_broken(self.verify({"nss": nss, "ss": ss}), "not 1 to their number")

    def test_a_sensitive_column_in_nss_is_found(self):
        nss = [[*line, "illness" if i == 0 else "flu"] for i, line in enumerate(NSS)]
        self.assert_broken(self.verify({"nss": nss, "ss": SS}), "the sensitive column illness is in nss")

    def test_a_package_without_warning_or_promise_is_found(self):
        self.assert_broken(self.verify({"nss": NSS, "ss": SS}, remark=""), "does not warn")
        self.assert_broken(self.verify({"nss": NSS, "ss": SS}, promised=("1/3", 2)), "does not promise")

    def test_two_sensitive_columns_are_verified_in_both_ways(self):
        stay = [["class_id", "stay", "count"], *([str(c), length, "1"] for c in (1, 2, 3) for length in ("long", "short"))]
        self.assert_holds(self.verify({"nss": NSS, "ss-illness": SS, "ss-stay": stay}))
        stay[1:3] = [["1", "long", "2"]]
        self.assert_broken(self.verify({"nss": NSS, "ss-illness": SS, "ss-stay": stay}), "a value of stay")
        combined = [["class_id", "illness", "stay", "count"], *([line[0], line[1], "long", "1"] for line in SS[1:])]
        self.assert_broken(self.verify({"nss": NSS, "ss": combined}), "a value of stay")
        for place in (1, 3, 5):
            combined[place][2] = "short"
        self.assert_holds(self.verify({"nss": NSS, "ss": combined}))

    def test_lost_rows_and_changed_values_are_found(self):
        changed = [list(line) for line in ORIGINAL]
        changed[1][0] = "manager"
        self.assert_broken(self.verify({"nss": NSS, "ss": SS}, original=changed), "1 of them are not in it")
        changed = [list(line) for line in ORIGINAL]
        changed[1][2] = "?"
        run = self.verify({"nss": NSS, "ss": SS}, original=changed)
        self.assert_broken(run, "ss does not have the values of the original")

    def test_values_are_never_printed(self):
        run = self.verify({"nss": NSS, "ss": SS}, ["--alpha", "1/9", "--k", "9", "--limit", "illness=HIV:1/9"])
        self.assertNotIn("HIV", run.stdout)


if __name__ == "__main__":
    unittest.main()
