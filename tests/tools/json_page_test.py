"""docs/formats/json.md names every key that a command prints with --json.

Runs the command build/pentimento on made-up people, every command and several kinds of release, and looks for each key on the page or on
those that it refers to.
"""

import json
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PENTIMENTO = ROOT / "build" / "pentimento"
PAGES = ["json.md", "ledger.md", "datapackage.md"]
BY_COLUMN = {"ncp_percent_by_column"}  # whose keys are names of columns
AS_IN_DATAPACKAGE = {"guarantees"}  # datapackage.json's own test holds these

HEAD = """version = 1
release = "{name}"
overlap = "measure"
[input]
path = "reg/people.csv"
[columns]
person = {{ role = "id" }}
age = {{ role = "quasi-identifier", domain = [0, 99] }}
sex = {{ role = "quasi-identifier", values = ["Female", "Male"] }}
disease = {{ role = "sensitive"{values} }}
"""
K_ANONYMITY = '[[guarantee]]\ntype = "k-anonymity"\nk = 5\n'
ALPHA_K = '[[guarantee]]\ntype = "alpha-k-anonymity"\nalpha = "1/2"\nk = 2\n'
SERIES = '[[guarantee]]\ntype = "incremental-k-anonymity"\nk = 5\nseries = "register"\n'
GLOBAL = '[[guarantee]]\ntype = "global-guarantee"\nl = 2\nseries = "clinic"\nk = 2\nreleases = 2\n'
RARE = ', values = ["Asthma"]'
IMPORTED = 'version = 1\nrelease = "old"\n[columns]\nage = { role = "quasi-identifier", domain = [0, 99] }\n'


def keys_of(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keys_of, value))
    if not isinstance(value, dict):
        return set()
    keys = set(value)
    for key, inner in value.items():
        if key not in BY_COLUMN | AS_IN_DATAPACKAGE:
            keys |= keys_of(inner)
    return keys


class JsonPage(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.run_command("generate", "reg", "--rows", "600")
        self.seen: dict[str, set[str]] = {}

    def run_command(self, *arguments: object) -> str:
        done = subprocess.run([PENTIMENTO, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, check=False)
        return done.stdout

    def look(self, *arguments: object) -> dict[str, object]:
        text = self.run_command(*arguments, "--json")
        printed = json.loads(text)
        self.seen.setdefault(str(arguments[0]), set()).update(keys_of(printed))
        return printed

    def policy(self, name: str, guarantee: str, values: str = "") -> str:
        (self.folder / f"{name}.toml").write_text(HEAD.format(name=name, values=values) + guarantee, encoding="utf-8")
        return f"{name}.toml"

    def release(self, name: str, guarantee: str, values: str = "") -> dict[str, object]:
        return self.look("release", self.policy(name, guarantee, values), "--ledger", "ledger", "--out", "out")

    def test_names_every_key(self) -> None:
        self.assertIn("columns", self.look("init", "reg/people.csv", "--out", "draft"))
        for name, guarantee, values in (("plain", K_ANONYMITY, ""), ("shares", ALPHA_K, ""), ("series", SERIES, ""),
                                        ("account", GLOBAL, RARE)):
            self.assertIn("published", self.release(name, guarantee, values), name)
        self.assertIn("error", self.release("plain", K_ANONYMITY))
        (self.folder / "old.csv").write_text("age\n" + "20-29\n30-39\n" * 10, encoding="utf-8")
        (self.folder / "old.toml").write_text(IMPORTED, encoding="utf-8")
        self.assertIn("imported", self.look("import", "old.csv", "--policy", "old.toml", "--ledger", "ledger"))
        self.assertIsInstance(self.look("log", "--ledger", "ledger"), list)
        self.look("log", "--ledger", "ledger", "--check", "--out", "out")
        self.assertIn("retracted", self.look("retract", "plain", "--reason", "a test", "--ledger", "ledger"))
        self.assertEqual(1, self.look("forget", "p1", "--ledger", "ledger")["people"])
        self.look("log", "--ledger", "ledger")
        self.assertIn("items", self.look("plan", self.policy("next", GLOBAL, RARE), "--ledger", "ledger"))
        self.assertIn("passes", self.look("check", "reg/people.csv", "--policy", self.policy("held", K_ANONYMITY)))
        self.assertIn("answers", self.look("query", "out/plain", "count where age >= 40", "--against", "reg/people.csv"))
        self.assertIn("query_error",
                      self.look("metrics", "--original", "reg/people.csv", "--release", "out/plain", "--queries", "5", "--dimensions", "2"))
        self.assertIn("chance_of_ever", self.look("metrics", "--original", "reg/people.csv", "--release", "out/account", "--ledger", "ledger"))
        self.assertEqual("internal", self.look("report", "--ledger", "ledger")["edition"])
        named = set()
        for page in PAGES:
            named |= set(re.findall(r"`([a-z0-9_]+)`", (ROOT / "docs" / "formats" / page).read_text(encoding="utf-8")))
        for command, keys in self.seen.items():
            self.assertEqual([], sorted(keys - named), f"keys of '{command} --json' that docs/formats/json.md does not name")


if __name__ == "__main__":
    unittest.main()
