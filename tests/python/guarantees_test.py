"""Every guarantee from Python: the bytes that the command publishes, in each format."""

import contextlib
import shutil
import sys
import tomllib
import unittest

import pyarrow.csv
import pyarrow.parquet
from people import ROOT, WithPeople, files_in, policy_of_table, run_command

import pentimento as pt

sys.path.insert(0, str(ROOT / "tests" / "same_bytes"))
import flows  # noqa: E402

SEED = 20
KINDS = {
    "k-anonymity": pt.KAnonymity,
    "incremental-k-anonymity": pt.IncrementalKAnonymity,
    "xy-anonymity": pt.XYAnonymity,
    "xy-linkability": pt.XYLinkability,
    "alpha-k-anonymity": pt.AlphaKAnonymity,
    "global-guarantee": pt.GlobalGuarantee,
    "history": pt.History,
}


def column(described):
    """The object for a column of a policy."""
    keys = {**described}
    role = keys.pop("role")
    if "domain" in keys:
        return pt.Numeric(*keys.pop("domain"), **keys)
    if role == "quasi-identifier" and "values" in keys:
        return pt.Flat(*keys.pop("values"), **keys)
    if role == "quasi-identifier":
        return pt.Taxonomy(**keys)
    return {"id": pt.Id, "sensitive": pt.Sensitive, "class": pt.Class, "keep": pt.Keep}[role](**keys)


def built(path):
    """The policy of a file, from objects."""
    policy = policy_of_table(path)
    columns = {name: column(described) for name, described in policy["columns"].items()}
    guarantees = [KINDS[keys["type"]](**{name: item for name, item in keys.items() if name != "type"})
                  for keys in policy["guarantee"]]
    return pt.Policy(policy["release"], columns, guarantees, publish=policy.get("publish"), input=policy.get("input"))


def read(path):
    if path.endswith(".parquet"):
        return pyarrow.parquet.read_table(path)
    with open(path, encoding="utf-8") as file:
        names = file.readline().rstrip("\n").split(",")
    as_text = pyarrow.csv.ConvertOptions(column_types={name: pyarrow.string() for name in names}, strings_can_be_null=True,
                                         quoted_strings_can_be_null=False, null_values=[""])
    return pyarrow.csv.read_csv(path, convert_options=as_text)


class GuaranteesTest(WithPeople):
    def test_every_kind_of_release_has_the_bytes_of_the_command(self):
        for file_format in ("csv", "parquet"):
            flows.make_inputs(lambda arguments, place: run_command(*arguments, folder=place), self.folder / file_format,
                              file_format, 1000)
            shutil.copytree(file_format, f"{file_format}-primed")
            run_command("release", "prime.toml", "--ledger", "ledger", "--out", "prime", "--seed", SEED,
                        folder=f"{file_format}-primed")
            for flow in flows.FLOWS:
                with self.subTest(flow.name, format=file_format):
                    self.compare(flow, f"{file_format}-primed")

    def compare(self, flow, primed):
        by_command, by_python = self.folder / "by-command", self.folder / "by-python"
        for place in (by_command, by_python):
            shutil.rmtree(place, ignore_errors=True)
            shutil.copytree(primed, place)
        for _, policy, *more in flow.commands:
            run_command("release", policy, *more, "--ledger", "ledger", "--out", "out", "--seed", SEED, folder=by_command)
            table = tomllib.loads((by_python / policy).read_text())["input"]["path"]
            with contextlib.chdir(by_python), pt.Ledger("ledger") as ledger:
                made = ledger.make(read(table), built(policy), seed=SEED, changes_only="--changes-only" in more)
                made.publish("out")
        published = files_in(by_python / "out")
        self.assertGreaterEqual(len(published), flow.fewest_files - len(flow.commands))
        of_command = files_in(by_command / "out")
        self.assertEqual(sorted(published), sorted(of_command))
        # Without a look into them: what unittest makes of long bytes takes minutes.
        self.assertEqual([name for name in published if published[name] != of_command[name]], [])

    def test_history_is_kept_beside_an_earlier_release(self):
        people = pyarrow.parquet.read_table("people/people.parquet")
        with pt.Ledger("ledger") as ledger:
            ledger.release(people, self.policy(release="first"), "published")
            made = ledger.make(people, self.policy(release="second", guarantees=[pt.History(k=5)]))
            self.assertEqual(made.composition["releases"][0]["release"], "first")
            self.assertEqual(made.composition["crowds"]["below_k"], 0)
            made.publish("published")
            self.assertEqual([one["release"] for one in ledger.log()], ["first", "second"])


if __name__ == "__main__":
    unittest.main()
