"""Publishes a policy and asks every door for the promise: the screen, --json, datapackage.json, log and log --json.

    doors.py POLICY RELEASE [FLAG...]

Prints one line per guarantee; exits 1 where two doors differ.
"""

import json
import subprocess
import sys
from pathlib import Path

policy, release, *flags = sys.argv[1:]
WHERE = ["--ledger", "ledger", "--out", "out"]


def run(*arguments):
    done = subprocess.run(["pentimento", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


on_screen_before = run("release", policy, *WHERE, *flags, "--dry-run")
told = json.loads(run("release", policy, *WHERE, *flags, "--json"))["guarantees"]
package = json.loads(Path("out", release, "datapackage.json").read_text())
on_record = next(r for r in json.loads(run("log", "--ledger", "ledger", "--json")) if r["release"] == release)
in_log = run("log", "--ledger", "ledger")
words = [guarantee["words"] for guarantee in told]

differ = []
if package["pentimento"]["guarantees"] != told:
    differ.append("datapackage.json")
if " ".join(words) not in package["description"]:
    differ.append("the description in datapackage.json")
if on_record["guarantees"] != told:
    differ.append("log --json")
if " ".join(words) not in " ".join(in_log.split()) and " ".join(words) not in in_log:
    differ.append("log")
# Each promise has a line of its own on the screen, and nothing else is promised there.
if any(f"\n  {text}\n" not in on_screen_before for text in words):
    differ.append("the screen")
for text in words:
    print(f"{release}: {text[:60]}")
if differ:
    print("told differently:", ", ".join(differ))
    print(json.dumps(told, indent=1))
    sys.exit(1)
