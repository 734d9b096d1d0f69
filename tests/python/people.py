"""What the tests of the Python library share: a made-up register, and the command that is in the wheel."""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest
from pathlib import Path

import pentimento as pt

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sys.executable).parent / "pentimento"  # that pip has installed


def run_command(*arguments, folder="."):
    done = subprocess.run([COMMAND, *map(str, arguments)], cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(f"{arguments} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def policy_of_table(path):
    """A policy file as a dict that expects its table as a stream; of its [input] what else is there."""
    policy = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    policy["input"].pop("path")
    if not policy["input"]:
        del policy["input"]
    return policy


def files_in(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(Path(folder).rglob("*")) if path.is_file()}


class WithPeople(unittest.TestCase):
    """Each test has a folder of its own, with the register of people in `people/`."""

    rows = 600

    @classmethod
    def setUpClass(cls):
        cls.made = Path(tempfile.mkdtemp(prefix="pentimento-python-"))
        run_command("generate", cls.made / "people", "--rows", cls.rows, "--format", "parquet")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="pentimento-python-"))
        shutil.copytree(self.made / "people", self.folder / "people")
        self.before = os.getcwd()
        os.chdir(self.folder)

    def tearDown(self):
        os.chdir(self.before)
        shutil.rmtree(self.folder)

    def policy(self, **more):
        """For the register, with k-anonymity."""
        return pt.Policy(
            **{
                "release": "people",
                "columns": {
                    "person": pt.Id(),
                    "age": pt.Numeric(0, 99),
                    "sex": pt.Flat("Female", "Male"),
                    "zip": pt.Taxonomy("zip.csv"),
                    "disease": pt.Sensitive(),
                },
                "guarantees": [pt.KAnonymity(k=5)],
                "folder": "people",
                **more,
            }
        )
