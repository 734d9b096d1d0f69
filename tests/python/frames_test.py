"""Frames of other libraries go in and come out, and give the rows of the command."""

import unittest

import duckdb
import pandas
import polars
import pyarrow
import pyarrow.parquet
from people import WithPeople, files_in, policy_of_table, run_command

import pentimento as pt

SEED = 7


class FramesTest(WithPeople):
    def setUp(self):
        super().setUp()
        self.table = pyarrow.parquet.read_table("people/people.parquet")
        run_command("release", "people/policy.toml", "--ledger", "of-command", "--out", "out", "--seed", SEED)
        self.by_command = pyarrow.parquet.read_table("out/people-q1/table.parquet")
        self.of_command = policy_of_table("people/policy.toml")

    def released(self, frame):
        with pt.Ledger("ledger") as ledger:
            made = ledger.make(frame, pt.Policy.from_dict(self.of_command, folder="people"), seed=SEED)
        return pyarrow.table(made)

    def test_a_table_of_pyarrow_gives_the_rows_of_the_command_in_their_order(self):
        self.assertEqual(self.texts(self.released(self.table)), self.texts(self.by_command))

    def test_chunks_do_not_count(self):
        chunked = pyarrow.concat_tables([self.table.slice(0, 7), self.table.slice(7, 0), self.table.slice(7)])
        self.assertEqual(self.texts(self.released(chunked)), self.texts(self.by_command))

    def test_frames_of_polars_pandas_and_duckdb_give_the_same_rows(self):
        frames = {
            "polars": polars.from_arrow(self.table),
            "pandas": self.table.to_pandas(),
            "duckdb": duckdb.sql("SELECT * FROM 'people/people.parquet'"),
            "a reader": self.table.to_reader(max_chunksize=100),
        }
        for name, frame in frames.items():
            with self.subTest(name):
                released = self.texts(self.released(frame))
                self.assertEqual(sorted(released, key=str), sorted(self.texts(self.by_command), key=str))

    def test_a_release_goes_into_frames(self):
        with pt.Ledger("ledger") as ledger:
            made = ledger.make(self.table, self.policy())
        rows = self.table.num_rows
        self.assertEqual(len(polars.DataFrame(made)), rows)
        self.assertEqual(len(pandas.DataFrame.from_arrow(made)), rows)
        self.assertEqual(duckdb.from_arrow(pyarrow.table(made)).count("*").fetchall(), [(rows,)])
        self.assertNotIn("person", polars.DataFrame(made).columns)

    def test_what_is_published_comes_out_as_well(self):
        with pt.Ledger("ledger") as ledger:
            made = ledger.release(self.table, self.policy(), "published")
        self.assertEqual(pyarrow.table(made).num_rows, self.table.num_rows)

    def test_a_release_of_the_policys_own_files_needs_no_frame(self):
        with pt.Ledger("ledger") as ledger:
            made = ledger.release(None, "people/policy.toml", "published", seed=SEED)
        self.assertEqual(files_in(made.folder), files_in("out/people-q1"))

    @staticmethod
    def texts(table):
        """Rows, with dictionaries and kinds of text set aside."""
        columns = [table.column(name).to_pylist() for name in table.column_names]
        return list(zip(*columns))


if __name__ == "__main__":
    unittest.main()
