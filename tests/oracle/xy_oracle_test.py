#!/usr/bin/env python3
"""The oracle itself must be able to say no: releases that hold together, and one planted fault at a time."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORACLE = pathlib.Path(__file__).with_name("xy_oracle.py")
D = "d1;d;*\nd2;d;*\nd3;d3;*\n"
SEX = "Single_Male;Male;*\nMarried_Male;Male;*\nFemale;Female;*\n"

# Table 1 of the paper on sequential releases.
T1 = ["name job class pid", "Alice Banker c1 1", "Alice Banker c1 2", "Bob Clerk c2 3", "Bob Driver c3 4",
      "Cathy Engineer c4 5"]
T2 = ["job disease pid", "Banker Cancer 1", "Banker Cancer 2", "Clerk HIV 3", "Driver Cancer 4", "Engineer HIV 5"]
T1_AT_ANY = [T1[0]] + [line.replace(line.split()[1], "*", 1) for line in T1[1:]]
# Its section 4, before and after c2 d becomes c2 d2.
SECTION_4 = [["c D", "c1 d3", "c2 d"], ["D y", "d3 y3", "d3 y2", "d1 y1"]]
SECTION_4_SPECIALIZED = [["c D", "c1 d3", "c2 d2"], SECTION_4[1]]


class JoinOracle(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def publish(self, tables):
        """Writes T1.csv, T2.csv, ... from lines of cells with blanks in between; `_` is a missing value."""
        for place, lines in enumerate(tables, 1):
            with open(self.root / f"T{place}.csv", "w", newline="", encoding="utf-8") as file:
                cells = [["" if cell == "_" else cell for cell in line.split()] for line in lines]
                csv.writer(file, lineterminator="\n").writerows(cells)
        return [f"--release=T{place}={self.root}/T{place}.csv" for place in range(1, len(tables) + 1)]

    def verify(self, tables, question, code, *texts, taxonomies=None, more=()):
        """A question is a line of arguments without blanks in them; more arguments may have some."""
        arguments = self.publish(tables) if tables else []
        for column, text in (taxonomies or {}).items():
            (self.root / f"{column}.txt").write_text(text, encoding="utf-8")
            arguments.append(f"--taxonomy={column}={self.root}/{column}.txt")
        run = subprocess.run([sys.executable, ORACLE, *arguments, *question.split(), *more], capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        for text in texts:
            self.assertIn(text, run.stderr if code == 2 else run.stdout)
        return run.stdout

    def test_example_1_join_sharpens_and_weakens_identification(self):
        rows = "--join job --x name --x T2:disease --y pid --y T2:pid"
        self.verify([T1, T2], rows + " --k 1", 0, "HOLDS: k = 1, 7 joined rows, least anonymity 1")
        self.verify([T1, T2], rows + " --k 2", 1,
                   "FAILS: k = 2, 7 joined rows, least anonymity 1: as in T1 row 3, T2 row 3")
        alice = [[T1[0], *T1[1:3]], [T2[0], *T2[1:3]]]
        self.verify(alice, rows + " --k 4", 0, "HOLDS: k = 4, 4 joined rows, least anonymity 4")
        # Four rows, and two persons.
        self.verify(alice, rows.replace(" --y T2:pid", "") + " --k 3", 1, "least anonymity 2")

    def test_example_1_join_enables_inferences(self):
        question = "--join job --x name --y T2:disease --at-most "
        self.verify([T1, T2], question + "1", 0, "HOLDS: at most 1, 7 joined rows, greatest linkability 4/4")
        self.verify([T1, T2], question + "99/100", 1, "greatest linkability 4/4: as in T1 row 1, T2 row 1")
        self.verify([T1[:1] + T1[3:5], T2], question + "1/2", 0, "HOLDS: at most 1/2, 2 joined rows",
                   "DANGLING: 3 of 5 rows of T2 join with nothing")
        self.verify([T1[:1] + T1[3:5], T2], question + "0.49", 1, "FAILS: at most 49/100")

    def test_jobs_at_any_do_not_help_with_the_jobs_of_the_earlier_release_in_x(self):
        self.verify([T1_AT_ANY, T2], "--join job --x name --x job --y T2:disease --k 2", 0,
                   "HOLDS: k = 2, 25 joined rows, least anonymity 2")
        self.verify([T1_AT_ANY, T2], "--join job --x name --x job --x T2:job --y T2:disease --k 2", 1,
                   "FAILS: k = 2, 25 joined rows, least anonymity 1")

    def test_section_4_anonymity_grows_where_rows_begin_to_dangle(self):
        question = "--join D --x c --x D --x T2:D --y T2:y --k 2"
        out = self.verify(SECTION_4, question, 1,
                         "FAILS: k = 2, 3 joined rows, least anonymity 1: as in T1 row 2, T2 row 3",
                         taxonomies={"D": D})
        self.assertNotIn("DANGLING", out)
        self.verify(SECTION_4_SPECIALIZED, question + " --dangling allow", 0,
                   "HOLDS: k = 2, 2 joined rows, least anonymity 2",
                   "DANGLING: 1 of 2 rows of T1, 1 of 3 rows of T2 join with nothing", taxonomies={"D": D})
        self.verify(SECTION_4_SPECIALIZED, question, 1, "least anonymity 1 outside of the join: as in T1 row 2",
                   taxonomies={"D": D})

    def test_example_3_has_ninety_percent(self):
        table = ["x test"] + ["jzp HIV"] * 9 + ["jzp Diabetes"]
        self.verify([table], "--x x --y test --at-most 9/10", 0, "greatest linkability 9/10")
        self.verify([table], "--x x --y test --at-most 0.89", 1, "greatest linkability 9/10")
        self.verify([table], "--x x --y test --at-most 0.1 --value Diabetes", 0, "greatest linkability 1/10")

    def test_twenty_nine_of_a_hundred_may_have_0_29(self):
        table = ["x s"] + ["x s"] * 29 + ["x t"] * 71
        self.verify([table], "--x x --y s --at-most 0.29 --value s", 0, "HOLDS: at most 29/100, 100 joined rows")
        self.verify([table], "--x x --y s --at-most 0.2899999999999999999999 --value s", 1, "29/100: as in")

    def test_values_apart_and_together(self):
        table = ["x s", "x HIV", "x HIV", "x Syphilis", "x Flu", "x Flu", "x Flu"]
        tree = {"s": "HIV;STD;*\nSyphilis;STD;*\nFlu;Flu;*\n"}
        question = "--x x --y s --at-most 1/3 "
        self.verify([table], question + "--value HIV --value Syphilis", 0, "greatest linkability 2/6")
        self.verify([table], question + "--value {HIV|Syphilis}", 1, "greatest linkability 3/6")
        self.verify([table], question + "--value STD", 1, "greatest linkability 3/6", taxonomies=tree)
        self.verify([table], question + "--value Mumps", 0, "greatest linkability 0/6")
        self.verify([table], question + "--value Mumps", 2, "means nothing", taxonomies=tree)
        pair = ["x s t", "x HIV a", "x HIV b", "x Flu a"]
        self.verify([pair], "--x x --y s --y t --at-most 1/3 --value HIV;a", 0, "greatest linkability 1/3")
        self.verify([pair], "--x x --y s --y t --at-most 1/3 --value HIV;{a|b}", 1, "greatest linkability 2/3")
        self.verify([pair], "--x x --y s --y t --at-most 1/3 --value HIV", 2, "one label for each column")

    def test_categories_match_on_one_path(self):
        tables = [["a sex", "1 Male", "2 Single_Male", "3 *", "4 Married_Male", "5 Female"], ["sex b", "Single_Male 1"]]
        self.verify(tables, "--join sex --x T2:b --y a --k 3 --dangling allow", 0, "3 joined rows",
                   "DANGLING: 2 of 5 rows of T1 join with nothing", taxonomies={"sex": SEX})
        # Without the taxonomy Male and Single_Male are just two labels.
        self.verify(tables, "--join sex --x T2:b --y a --k 3", 1, "2 joined rows")

    def test_sets_match_where_they_have_a_value_in_common(self):
        tables = [["a sex", "1 {Single_Male|Female}", "2 Female"], ["sex b", "{Married_Male|Single_Male} 1"]]
        for taxonomies in ({"sex": SEX}, None):
            self.verify(tables, "--join sex --x T2:b --y a --k 1", 0, "1 joined rows", taxonomies=taxonomies)

    def test_common_sense_excludes_what_lies_below_and_nothing_above(self):
        tables = [["a sex", "1 Male", "2 Single_Male", "3 Married_Male", "4 Female", "5 *"],
                  ["condition b", "Pregnant 1", "6_Month 2", "Other 3", "* 4"]]
        trees = {"sex": SEX, "condition": "3_Month;Pregnant;*\n6_Month;Pregnant;*\nOther;Other;*\n"}
        question = "--x T2:b --y a --k 2 --impossible "
        self.verify(tables, question + "T1:sex=Male|T2:condition=Pregnant", 0, "14 joined rows", taxonomies=trees)
        self.verify(tables, question + "T2:condition=Pregnant|sex=Male", 0, "14 joined rows", taxonomies=trees)
        self.verify(tables, question + "sex={Married_Male|Female}|T2:condition={6_Month|Other}", 0, "16 joined rows",
                   taxonomies=trees)
        for wrong, reason in [("sex=Male", "two sides"), ("sex|T2:condition=Other", "NAME:COLUMN=LABEL"),
                              ("sex=Man|T2:condition=Other", "means nothing"),
                              ("size=1|sex=Male", "no column size")]:
            self.verify(tables, question + wrong, 2, reason, taxonomies=trees)

    def test_numbers_match_where_ranges_overlap(self):
        tables = [["name age", "a [0,10)", "a [0,10)", "b [10,20)", "b [10,20)"],
                  ["age y", "[0,4] y1", "[5,14] y2", "[5,14] y2", "[15,19] y3"]]
        self.verify(tables, "--x name --y T2:y --k 3", 0, "16 joined rows, least anonymity 3")
        self.verify(tables, "--overlap age --x name --y T2:y --k 3", 1, "12 joined rows, least anonymity 2")
        touching = [["a age", "1 [0,5)", "2 [5,10)", "3 10", "4 *", "5 _"], ["age b", "[4,5] 1", "[6,10] 2", "11 3"]]
        self.verify(touching, "--overlap age --x b --y a --k 1", 2, "T1 has no column b")
        self.verify(touching, "--overlap age --x T2:b --y a --k 1", 0, "7 joined rows, least anonymity 1",
                   "DANGLING: 1 of 5 rows of T1 join with nothing")

    def test_decimal_places_count(self):
        tables = [["a age", "1 [0,5)", "2 [5,6)"], ["age b", "4.5 1", "5.0 2"]]
        self.verify(tables, "--overlap age --x T2:b --y a --k 1", 0, "2 joined rows")

    def test_a_missing_value_matches_itself_and_every_value(self):
        tables = [["a D", "1 _", "2 *", "3 d1"], ["D b", "_ 1", "_ 2"]]
        self.verify(tables, "--join D --x T2:b --y a --k 2 --dangling allow", 0, "4 joined rows, least anonymity 2", taxonomies={"D": D})
        self.verify(tables, "--join D --x T2:b --y a --k 2 --dangling allow", 0, "4 joined rows, least anonymity 2")
        self.verify(tables, "--overlap D --x T2:b --y a --k 2 --dangling allow", 2, "no number")

    def test_earlier_releases_must_match_each_other(self):
        tables = [["c D", "c d", "c d"], ["D y", "d1 y1", "d2 y2"], ["D z", "d1 z1", "d2 z2"]]
        question = "--join D --x c --y T2:y --y T3:z --k "
        self.verify(tables, question + "2", 0, "HOLDS: k = 2, 4 joined rows, least anonymity 2", taxonomies={"D": D})
        self.verify(tables, question + "3", 1, taxonomies={"D": D})
        tables = [["c", "c", "c"], ["sex", "Male", "Female"], ["condition", "Pregnant", "Other"]]
        self.verify(tables, "--x c --y T2:sex --y T3:condition --at-most 1/3 --impossible "
                   "T3:condition=Pregnant|T2:sex=Male", 0, "6 joined rows, greatest linkability 2/6")

    def test_traps_of_the_shortcuts(self):
        for tables, question, least in [
                ([["c D", "c d1", "c d2"], ["D k", "d k1"]], "--x c --y T2:k", 1),
                ([["c D", "c d1", "c d2"], ["D e", "d1 e", "d2 e"]], "--x c --y T2:e", 1),
                ([["c D k", "c d 1", "c d 2", "c d3 3"], ["D", "d1", "d2", "d3"]], "--x c --y k", 3),
                ([["c D p", *["c d1 p1"] * 3, *["c d2 p2"] * 3], ["D", "d1", "d2"]], "--x c --x D --x T2:D --y p", 1)]:
            self.verify(tables, f"--join D {question} --k {least}", 0, f"least anonymity {least}", taxonomies={"D": D})
            self.verify(tables, f"--join D {question} --k {least + 1}", 1, taxonomies={"D": D})

    def test_linkability_counts_rows_of_the_join(self):
        for d1, d2, rows, greatest in [("d", "d", 85, "1/2"), ("d1", "d2", 83, "1/82")]:
            tables = [["D E s", f"{d1} e1 n", f"{d2} e1 y", *[f"{d2} e2 n"] * 9],
                      ["D E", "d1 e1", "d2 e1", *["d2 e2"] * 9]]
            self.verify(tables, f"--join D --join E --x D --x T2:D --y s --at-most {greatest} --value y", 0,
                       f"{rows} joined rows, greatest linkability {greatest}", taxonomies={"D": D})

    def test_a_folder_says_how_to_read_its_columns(self):
        for place, lines in enumerate(SECTION_4, 1):
            folder = self.root / f"out{place}"
            folder.mkdir()
            (folder / "table.csv").write_text("\n".join(line.replace(" ", ",") for line in lines) + "\n")
            (folder / "D.csv").write_text(D)
            fields = [{"name": name, **({"pentimento:taxonomy": "D.csv"} if name == "D" else {})}
                      for name in lines[0].split()]
            (folder / "datapackage.json").write_text(
                json.dumps({"resources": [{"path": "table.csv", "schema": {"fields": fields}}]}))
        releases = [f"--release={name}={self.root}/out{place}" for place, name in enumerate(("now", "then"), 1)]
        question = "--join D --x c --x D --x then:D --y then:y --k 2"
        self.verify([], question, 1, "3 joined rows, least anonymity 1: as in now row 2, then row 3", more=releases)
        (self.root / "out2/D.csv").write_text(D.replace("d;*", "e;*"))
        self.verify([], question, 2, "different taxonomies for column D", more=releases)
        self.verify([], question, 1, "3 joined rows", taxonomies={"D": D}, more=releases)

    def test_an_empty_join_promises_nothing(self):
        for more in ("", " --dangling allow"):
            self.verify([["c D", "c d1"], ["D y", "d2 y"]], "--join D --x c --y T2:y --k 2" + more, 1,
                       "FAILS: k = 2, 0 joined rows, the join is empty", "DANGLING: 1 of 1 rows of T1, 1 of 1 rows of T2")

    def test_rows_outside_of_the_join_are_held_to_the_same(self):
        tables = [["c D n", "c d1 1", "c d1 2", "c d2 3"], ["D y", "d1 y"]]
        self.verify(tables, "--join D --x c --y n --k 2", 1, "least anonymity 1 outside of the join: as in T1 row 3")
        self.verify(tables, "--join D --x c --y n --at-most 1/2", 1, "greatest linkability 1/1 outside of the join")
        self.verify(tables, "--join D --x c --y T2:y --at-most 1", 0, "HOLDS")
        for question in ("--k 2", "--at-most 1/2"):
            self.verify(tables, f"--join D --x c --y n {question} --dangling allow", 0, "HOLDS")

    def test_every_selection_of_the_releases_is_verified(self):
        tables = [["n D", "Ann d1", "Bob d2", "Cy d3", "Cy d3"], ["D E", "d1 e1", "d2 e2", "d3 e3"],
                  ["D E", "d1 e2", "d2 e1", "d3 e3"]]
        self.verify(tables, "--join D --join E --x n --y D --k 1 --dangling allow", 0, "2 joined rows")
        tables[0] = ["n D p", "Ann d1 1", "Bob d2 2", "Cy d3 3", "Cy d3 4"]
        self.verify(tables, "--join D --join E --x n --y p --k 2 --dangling allow", 1,
                   "2 joined rows, least anonymity 2, least anonymity 1: as in T1 row 1, T2 row 1")

    def test_what_cannot_be_verified_is_no_result(self):
        for question, reason in [("--x name --y T2:disease --k 2 --join size", "two releases have the column size"),
                                 ("--x name --y T2:disease --k 2 --join name", "two releases have the column name"),
                                 ("--x name --y name --k 2", "a column in common"),
                                 ("--x T3:name --y T2:disease --k 2", "T1 has no column T3:name"),
                                 ("--x name --y T2:disease --k 2 --value HIV", "goes with --at-most"),
                                 ("--x name --y T2:disease", "is required"),
                                 ("--x name --y T2:disease --at-most 1/0", "no 0 below"),
                                 ("--x name --y T2:disease --at-most half", "invalid"),
                                 ("--x name --y T2:disease --k 2 --release T1=again", "two releases have one name"),
                                 ("--x name --y T2:disease --k 2 --release T3", "NAME=PLACE"),
                                 ("--x name --y T2:disease --k 2 --release T3=nowhere.csv", "cannot be read")]:
            self.verify([T1, T2], question, 2, reason)
        self.verify([["c D", "c d1"], ["D y", "d4 y"]], "--join D --x c --y T2:y --k 2", 2, "means nothing",
                   taxonomies={"D": D})
        for label in ("[9,9)", "[x,9)", "[1,2,3)", "old"):
            tables = [["c age", f"c {label}"], ["age y", "1 y"]]
            self.verify(tables, "--overlap age --x c --y T2:y --k 1", 2, "no number")


if __name__ == "__main__":
    unittest.main()
