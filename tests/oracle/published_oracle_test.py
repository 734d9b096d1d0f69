"""The oracle itself must be able to say no: a good release, and one planted fault at a time."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ORACLE = pathlib.Path(__file__).with_name("published_oracle.py")
HEADER = ["age", "job", "income"]
ROWS = [["[30,40)", "Office", "high"], ["[30,40)", "Office", "low"], ["[40,90]", "{Cook|Nurse \\| Aide}", "low"],
        ["[40,90]", "{Cook|Nurse \\| Aide}", "low"], ["*", "*", "high"], ["*", "*", "low"]]
ORIGINAL = [["p1", "30", "Clerk", "high"], ["p2", "39.5", "Lawyer", "low"], ["p3", "40", "Cook", "low"],
            ["p4", "90", "Nurse | Aide", "low"], ["p5", "?", "Clerk", "high"], ["p6", "7", "?", "low"]]
TAXONOMY = 'Clerk;Office;*\nLawyer;Office;*\nCook;*\n"Nurse | Aide";*\n'


class PublishedOracle(unittest.TestCase):
    def verify(self, rows, original=None, arguments=(), parquet=False):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "taxonomies").mkdir()
            (folder / "taxonomies/job.csv").write_text(TAXONOMY)
            table = "table.parquet" if parquet else "table.csv"
            self.write_table(folder / table, rows)
            quasi = {"pentimento:role": "quasi-identifier"}
            fields = [{"name": "age", **quasi}, {"name": "job", **quasi, "pentimento:taxonomy": "taxonomies/job.csv"},
                      {"name": "income", "pentimento:role": "class"}]
            package = {"resources": [{"path": table, "schema": {"fields": fields}}],
                       "pentimento": {"guarantees": [{"type": "k-anonymity", "k": 2}]}}
            (folder / "datapackage.json").write_text(json.dumps(package))
            command = [sys.executable, ORACLE, folder, *arguments]
            if original is not None:
                lines = [["person", *HEADER], *original]
                (folder / "original.csv").write_text("".join(", ".join(line) + "\n" for line in lines))
                command += ["--original", folder / "original.csv", "--missing", "?"]
            return subprocess.run(command, capture_output=True, text=True, check=False)

    def write_table(self, path, rows):
        if path.suffix == ".csv":
            path.write_text("".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in [HEADER, *rows]))
            return
        import pyarrow
        import pyarrow.parquet

        columns = {name: [row[i] for row in rows] for i, name in enumerate(HEADER)}
        pyarrow.parquet.write_table(pyarrow.table(columns), path)

    def assert_result(self, run, code, text):
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.assertIn(text, run.stdout)

    def test_a_good_release_holds(self):
        self.assert_result(self.verify(ROWS), 0, "HOLDS: k = 2, 6 rows, 3 classes, smallest 2")
        self.assert_result(self.verify(ROWS, ORIGINAL, ["--id", "person"]), 0, "HOLDS")
        self.assert_result(self.verify(ROWS, ORIGINAL, parquet=True), 0, "HOLDS")

    def test_a_class_below_k_is_broken(self):
        self.assert_result(self.verify(ROWS[1:]), 1, "class 1 of the table has 1 rows")
        self.assert_result(self.verify(ROWS, arguments=["--k", "3"]), 1, "BROKEN")

    def test_fewer_columns_may_be_verified(self):
        rows = [["*", "Office", "high"], ["30", "Office", "high"]]
        self.assert_result(self.verify(rows), 1, "BROKEN")
        self.assert_result(self.verify(rows, arguments=["--quasi-identifiers", "job"]), 0, "HOLDS")

    def test_lost_rows_are_found(self):
        self.assert_result(self.verify(ROWS[:4], ORIGINAL), 1, "4 rows are published, the original has 6")

    def test_a_cell_that_covers_nobody_is_found(self):
        for place, cell in [(0, "[31,39]"), (1, "Cook")]:
            rows = [list(row) for row in ROWS]
            rows[0][place] = rows[1][place] = cell
            self.assert_result(self.verify(rows, ORIGINAL), 1, "covers 0 original rows")

    def test_an_open_end_does_not_cover_the_end(self):
        rows = [list(row) for row in ROWS]
        rows[2][0] = rows[3][0] = "[40,90)"
        self.assert_result(self.verify(rows, ORIGINAL), 1, "has 2 of them and covers 1 original rows")

    def test_changed_class_values_are_found(self):
        rows = [list(row) for row in ROWS]
        rows[0][2] = "low"
        self.assert_result(self.verify(rows, ORIGINAL), 1, "column income does not have the values of the original")

    def test_one_person_in_two_rows_is_one_person(self):
        original = [list(row) for row in ORIGINAL]
        original[3][0] = "p3"
        self.assert_result(self.verify(ROWS, original), 0, "HOLDS")
        self.assert_result(self.verify(ROWS, original, ["--id", "person"]), 1, "class 2 of the table covers 1 persons")


if __name__ == "__main__":
    unittest.main()
