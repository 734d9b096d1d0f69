"""The oracle itself must be able to say no: series that hold, and one planted fault at a time."""
import csv
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORACLE = pathlib.Path(__file__).with_name("incremental_oracle.py")
COLUMNS = ["zip", "gender", "age"]
TAXONOMIES = {"zip": "20433;2043*;*\n20435;2043*;*\n20437;2043*;*\n10115;1011*;*\n", "gender": "female;*\nmale;*\n"}

# The tables of the paper on incremental updates, by number.
TABLE_2 = {"1": ["2043*", "*", "[21,48]"], "2": ["2043*", "*", "[21,48]"],
           "3": ["2043*", "female", "[26,31]"], "4": ["2043*", "female", "[26,31]"]}
TABLE_4 = {"5": ["2043*", "*", "[31,54]"], "6": ["2043*", "*", "[31,54]"]}
TABLE_5 = {"1": ["20433", "female", "[21,26]"], "2": ["20437", "male", "[48,54]"],
           "3": ["20433", "female", "[21,26]"], "4": ["2043*", "female", "31"],
           "5": ["20437", "male", "[48,54]"], "6": ["2043*", "female", "31"]}

# Every box of a release lies in the box of the one before.
MONOTONE = [{"a": ["*", "*", "*"], "b": ["*", "*", "*"]},
            {"a": ["2043*", "*", "[0,50)"], "b": ["*", "*", "[50,120]"], "c": ["2043*", "*", "[0,50)"],
             "d": ["*", "*", "[50,120]"]},
            {"a": ["2043*", "{female|male}", "[0,50)"], "b": ["*", "*", "[50,120]"],
             "c": ["2043*", "{female|male}", "[0,50)"], "d": ["*", "*", "[50,120]"]}]


def ages(*labels):
    """A release of cases 1, 2, ... who differ in age alone."""
    return {str(place): ["*", "*", label] for place, label in enumerate(labels, 1)}


class IncrementalOracle(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)
        self.folders = []

    def publish(self, rows, changes=None, parquet=False, k=2, taxonomies=None, missing=("",)):
        """Writes a release as a folder: rows by case, and for a delta the change of each case."""
        folder = self.root / f"r{len(self.folders) + 1}"
        self.folders.append(folder)
        (folder / "taxonomies").mkdir(parents=True)
        for name, text in (taxonomies or TAXONOMIES).items():
            (folder / f"taxonomies/{name}.csv").write_text(text)
        name = ("table" if changes is None else "changes") + (".parquet" if parquet else ".csv")
        header = ["case_id", *COLUMNS] + ([] if changes is None else ["change"])
        lines = [[case, *cells] + ([] if changes is None else [changes[case]]) for case, cells in rows.items()]
        self.write(folder / name, header, lines)
        fields = [{"name": "case_id", "pentimento:role": "case"}]
        fields += [{"name": c, "pentimento:role": "quasi-identifier", "pentimento:taxonomy": f"taxonomies/{c}.csv"}
                   for c in TAXONOMIES]
        fields += [{"name": "age", "pentimento:role": "quasi-identifier", "pentimento:domain": ["0", "120"]}]
        guarantees = [] if k is None else [{"type": "incremental-k-anonymity", "k": k}]
        package = {"resources": [{"path": name, "schema": {"fields": fields}}],
                   "pentimento": {"guarantees": guarantees, "missing": list(missing)}}
        (folder / "datapackage.json").write_text(json.dumps(package))

    def write(self, path, header, lines):
        if path.suffix == ".csv":
            with open(path, "w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([header, *lines])
            return
        import pyarrow
        import pyarrow.parquet

        columns = {name: [line[i] or None for line in lines] for i, name in enumerate(header)}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)

    def verify(self, code, *texts, arguments=()):
        run = subprocess.run([sys.executable, ORACLE, *self.folders, *arguments], capture_output=True, text=True,
                             check=False)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        for text in texts:
            self.assertIn(text, run.stderr if code == 2 else run.stdout)

    def verify_series(self, series, code, *texts, arguments=(), **how):
        self.folders = []
        self.root = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        for rows in series:
            self.publish(rows, **how)
        self.verify(code, *texts, arguments=arguments)

    def test_tables_2_and_5_of_the_paper_break_for_k_2(self):
        self.verify_series([TABLE_2, TABLE_5], 1,
                          "BREAKS: k = 2, 2 releases, 6 cases, smallest class 1: case 1 in releases 1+2")

    def test_hidden_arrivals_are_verified_among_the_cases_of_each_release(self):
        def cases(**ages):
            return {case[1:]: ["2043*", "*", age] for case, age in ages.items()}

        first = cases(c1="[0,120]", c2="[0,120]")
        mixed = cases(c1="[0,60]", c2="[61,120]", c3="[0,60]", c4="[61,120]")
        self.verify_series([first, mixed], 0, "HOLDS: k = 2")
        self.verify_series([first, mixed], 1, "TELLS: 1 of release 1: case 1", arguments=["--hidden"])
        apart = cases(c1="[0,60]", c2="[0,60]", c3="[61,120]", c4="[61,120]")
        self.verify_series([first, apart], 0, "HOLDS: k = 2", arguments=["--hidden"])

    def test_each_of_them_alone_holds(self):
        self.verify_series([TABLE_2], 0, "HOLDS: k = 2, 1 releases, 4 cases, smallest class 2")
        self.verify_series([TABLE_5], 0, "HOLDS: k = 2, 1 releases, 6 cases, smallest class 2")

    def test_publishing_the_update_by_itself_holds(self):
        self.verify_series([TABLE_2, TABLE_2 | TABLE_4], 0, "HOLDS: k = 2, 2 releases, 6 cases, smallest class 2")

    def test_a_monotone_series_holds(self):
        self.verify_series(MONOTONE, 0, "HOLDS: k = 2, 3 releases, 4 cases, smallest class 2")
        self.verify_series(MONOTONE, 0, "HOLDS", parquet=True)

    def test_k_is_the_argument_or_the_largest_promise(self):
        self.verify_series(MONOTONE, 1, "BREAKS: k = 3", arguments=["--k", "3"])
        self.verify_series(MONOTONE, 1, "BREAKS: k = 3", k=3)
        self.verify_series(MONOTONE, 2, "says what k is", k=None)

    def test_one_case_refined_alone_breaks(self):
        series = MONOTONE[:2] + [dict(MONOTONE[2], a=["20433", "{female|male}", "[0,50)"])]
        self.verify_series(series, 1, "smallest class 1: case a in releases 3")

    def test_a_set_without_the_last_release_may_break(self):
        series = [ages("[0,9]", "[0,9]"), ages("*", "[0,9]"), ages("*", "*")]
        self.verify_series(series, 1, "smallest class 1: case 1 in releases 2")

    def test_bounding_boxes_leak(self):
        self.verify_series([ages("[1,10]", "[1,10]"), ages("[0,1]", "[10,11]", "[0,1]", "[10,11]")], 1, "smallest class 1")

    def test_labels_are_sets_of_values(self):
        # [30,31) is 30 where nothing finer than years is shown, [30,40) is [30,39], and {…} may name a node's leaves.
        self.verify_series([ages("[30,31)", "30", "[30,40)", "[30,39]")], 0, "HOLDS")
        self.verify_series([ages("[30,31)", "[30,31)", "30", "30", "30.5", "30.5")], 1, "smallest class 2",
                          arguments=["--k", "3"])
        self.verify_series([{"1": ["2043*", "*", "*"], "2": ["{20433|20435|20437}", "*", "*"]}], 0, "HOLDS")

    def test_sets_of_leaves_are_intersected(self):
        left, right = "{20433|20435}", "{20435|20437}"
        series = [dict(zip("1234", ([label, "*", "*"] for label in labels)))
                  for labels in [(left, left, right, right), ("2043*", "20435", "2043*", "20435")]]
        self.verify_series(series, 1, "smallest class 1: case 1 in releases 1+2")

    def test_the_root_holds_a_missing_value_unless_none_can_be_missing(self):
        series = [{"1": ["*", "*", "*"], "2": ["*", "{female|male}", "*"]}]
        self.verify_series(series, 1, "BREAKS")
        self.verify_series(series, 0, "HOLDS", missing=[])
        self.verify_series([ages("*", "[0,120]")], 1, "BREAKS")
        self.verify_series([ages("*", "[0,120]")], 0, "HOLDS", missing=[])

    def test_a_missing_value_is_a_value(self):
        self.verify_series([ages("*", "*"), ages("", "")], 0, "HOLDS")
        self.verify_series([ages("*", "*"), ages("", "")], 0, "HOLDS", parquet=True)
        self.verify_series([ages("[0,9]", "[0,9]"), ages("", "[0,9]")], 1, "CONTRADICTS: no value is left for case 1")

    def test_values_that_exclude_each_other_are_reported_apart(self):
        self.verify_series([ages("[0,10)", "[0,10)"), ages("[10,20]", "[10,20]")], 1,
                          "CONTRADICTS: no value is left for case 1 in releases 1+2", "smallest class 2")

    def test_a_delta_stands_for_the_release_before_it_with_its_changes(self):
        self.publish(TABLE_2)
        self.publish(TABLE_4, {"5": "new", "6": "new"})
        self.verify(0, "HOLDS: k = 2, 2 releases, 6 cases, smallest class 2")
        self.publish({"1": ["20433", "*", "[21,48]"]}, {"1": "refined"}, parquet=True)
        self.verify(1, "smallest class 1: case 1 in releases 3")

    def test_tables_2_and_5_break_as_a_delta_too(self):
        self.publish(TABLE_2)
        self.publish(TABLE_5, {case: "refined" if case in TABLE_2 else "new" for case in TABLE_5})
        self.verify(1, "BREAKS: k = 2, 2 releases, 6 cases, smallest class 1: case 1 in releases 1+2")

    def test_a_withdrawn_case_is_not_in_the_release(self):
        self.publish(TABLE_2)
        self.publish({"1": ["", "", ""], "2": ["", "", ""]}, {"1": "withdrawn", "2": "withdrawn"})
        self.verify(0, "HOLDS: k = 2, 2 releases, 4 cases, smallest class 2")
        self.publish({"3": ["", "", ""]}, {"3": "withdrawn"})
        self.verify(1, "smallest class 1: case 4 in releases 3")

    def test_changes_that_do_not_fit_are_refused(self):
        for case, change in [("1", "new"), ("9", "refined"), ("9", "withdrawn"), ("1", "gone")]:
            self.setUp()
            self.publish(TABLE_2)
            self.publish({case: TABLE_2["1"]}, {case: change})
            self.verify(2, "row 1: the change")

    def test_a_series_cannot_begin_with_changes(self):
        self.publish(TABLE_4, {"5": "new", "6": "new"})
        self.verify(2, "no table comes before it")

    def test_labels_that_mean_nothing_are_refused(self):
        for place, label in [(0, "2043"), (0, "{20433|2043}"), (2, "[1,2,3)"), (2, "[x,9)"), (2, "[9,9)"), (2, "old")]:
            row = ["*", "*", "*"]
            row[place] = label
            self.verify_series([{"1": row, "2": row}], 2, f"column {COLUMNS[place]} holds a label")

    def test_releases_that_read_labels_differently_are_refused(self):
        self.publish(TABLE_2)
        self.publish(TABLE_2, taxonomies=TAXONOMIES | {"gender": "female;*\nmale;*\ndiverse;*\n"})
        self.verify(2, "does not have the taxonomies")

    def test_two_rows_of_one_case_are_refused(self):
        self.publish(TABLE_2)
        with open(self.folders[0] / "table.csv", "a", encoding="utf-8") as file:
            file.write('4,2043*,female,"[26,31]"\n')
        self.verify(2, "two rows of one case")

    def test_more_than_twelve_releases_are_refused(self):
        self.verify_series([ages("*", "*")] * 12, 0, "HOLDS: k = 2, 12 releases")
        self.verify_series([ages("*", "*")] * 13, 2, "12 can be verified")

    def test_an_unreadable_folder_is_no_result(self):
        self.folders = [self.root / "nowhere"]
        self.verify(2, "cannot be read")

    def test_a_series_of_nobody_holds(self):
        self.verify_series([{}], 0, "HOLDS: k = 2, 1 releases, 0 cases, smallest class 0")


if __name__ == "__main__":
    unittest.main()
