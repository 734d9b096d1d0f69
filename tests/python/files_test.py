"""What works on files: the command in the wheel, its answers as dicts, its words as exceptions."""

import datetime
import unittest
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
from people import WithPeople

import pentimento as pt


class FilesTest(WithPeople):
    def setUp(self):
        super().setUp()
        self.table = pyarrow.parquet.read_table("people/people.parquet")
        self.ledger = pt.Ledger("ledger")

    def test_what_is_published_is_checked_counted_measured_and_audited(self):
        made = self.ledger.release(self.table, self.policy(), "published")
        self.assertEqual(made.to_dict()["release"], "people")
        self.assertTrue(self.ledger.check("published")["intact"])
        answers = pt.query(made.folder, "count where sex = Female", original="people/people.parquet")["answers"]
        self.assertEqual(answers[0]["true"], self.table["sex"].to_pylist().count("Female"))
        measured = pt.metrics("people/people.parquet", made.folder)
        self.assertEqual(measured["metrics"]["smallest_class"], made.metrics.smallest_class)
        self.assertFalse(pt.audit([made.folder])["fails"])
        self.assertTrue(pt.check(made.folder / "table.csv", self.policy())["passes"])
        self.assertFalse(pt.check(made.folder / "table.csv", self.policy(guarantees=[pt.KAnonymity(k=500)]))["passes"])

    def test_a_page_is_written_of_what_is_on_record(self):
        self.ledger.release(self.table, self.policy(), "published")
        numbers = pt.report(ledger="ledger", path="page.html", releases=["people"])
        self.assertEqual([release["release"] for release in numbers["releases"]], ["people"])
        self.assertIn("What the releases tell together", Path("page.html").read_text())
        with self.assertRaises(pt.PentimentoError):
            pt.report(ledger="absent", path="other.html")
        self.assertFalse(Path("other.html").exists())

    def test_a_policy_is_drafted_of_a_frame_as_of_its_file(self):
        pyarrow.csv.write_csv(self.table, "same.csv")
        of_file, of_frame = pt.draft_policy("same.csv", "of-file"), pt.draft_policy(self.table, "of-frame")
        self.assertEqual(of_frame["columns"], of_file["columns"])
        self.assertEqual(of_frame["rows"], self.table.num_rows)
        with self.assertRaisesRegex(pt.PolicyError, "still to be confirmed"):
            self.ledger.make(self.table, pt.Policy.read(of_frame["policy"]))
        draft = Path(of_frame["policy"])
        lines = (line.replace('?"', '"') if "role" in line else line for line in draft.read_text().splitlines())
        draft.write_text("\n".join(lines))
        made = self.ledger.make(self.table, pt.Policy.read(draft))
        self.assertEqual(made.metrics.rows, self.table.num_rows)

    def test_dates_are_quasi_identifiers(self):
        days = [datetime.date(1960 + i % 40, 1 + i % 12, 1 + i % 28) for i in range(200)]
        written = [day.strftime("%d/%m/%Y") for day in days]
        for born, form in ((days, None), (written, "%d/%m/%Y")):
            frame = pyarrow.table({"born": born})
            policy = pt.Policy("days", {"born": pt.Date("1900-01-01", datetime.date(2026, 12, 31), form)}, [pt.KAnonymity(k=10)])
            made = pyarrow.table(pt.Ledger("days").make(frame, policy, seed=1))
            self.assertEqual(made.num_rows, 200)
            self.assertTrue(all(label[:2] in ("19", "*") for label in made["born"].to_pylist()))

    def test_a_ledger_with_damage_is_told(self):
        made = self.ledger.release(self.table, self.policy(), "published")
        (made.folder / "table.csv").write_text("changed")
        self.assertTrue(self.ledger.check("published")["published"]["problems"])

    def test_an_import_is_on_record(self):
        made = self.ledger.release(self.table, self.policy(), "published")
        described = self.policy(release="earlier")
        text = described.to_toml().replace('"person" = { "role" = "id" }\n', "")
        Path("people/earlier.toml").write_text(text)
        with pt.Ledger("another") as another:
            told = another.import_release(made.folder / "table.csv", "people/earlier.toml")
            self.assertEqual((told["release"], told["rows"]), ("earlier", self.rows))
            self.assertEqual([one["state"] for one in another.log()], ["imported"])

    def test_a_series_is_planned(self):
        policy = pt.Policy.from_dict({
            "version": 1,
            "release": "spring",
            "input": {"path": "people.parquet"},
            "columns": {"person": {"role": "id"}, "age": {"role": "quasi-identifier", "domain": [0, 99]},
                        "disease": {"role": "sensitive", "values": ["Depression"]}},
            "guarantee": [{"type": "global-guarantee", "l": 2, "k": 5, "series": "clinic", "releases": 4}],
        }, folder="people")
        self.assertEqual(self.ledger.plan(policy)["series"], "clinic")
        self.assertEqual(sorted(path.name for path in Path("people").glob(".policy-*")), [])

    def test_the_words_of_the_command_become_exceptions(self):
        with self.assertRaisesRegex((pt.InputError, pt.PolicyError), "nowhere"):
            pt.query("nowhere", "count")
        with self.assertRaisesRegex(pt.PolicyError, "nowhere.toml"):
            pt.check("people/people.parquet", "nowhere.toml")
        with self.assertRaisesRegex(pt.PolicyError, "nowhere"):
            pt.Ledger("nowhere").log()

    def test_one_table_is_anonymized_and_not_on_record(self):
        made = pt.anonymize(self.table, k=5, quasi_identifiers={"age": (0, 99), "sex": ["Female", "Male"], "zip": "people/zip.csv"},
                            sensitive=["disease"], id="person")
        self.assertGreaterEqual(made.metrics.smallest_class, 5)
        self.assertEqual(pyarrow.table(made).num_rows, self.rows)
        self.assertEqual([path.name for path in Path().iterdir()], ["people"])
        with self.assertRaisesRegex(pt.PolicyError, "not on record"):
            made.publish("published")


if __name__ == "__main__":
    unittest.main()
