#!/usr/bin/env python3
"""Holds schemas/policy.schema.json and the policy parser to the same results.

    tests/policy_schema/check.py RESULTS

RESULTS is the program policy_results. The parser must accept every policy in valid/*.txt and refuse every one in
invalid/*.txt, and the schema must agree; cases.py tells the format of these files. Comments at the head of an invalid policy:

  # schema cannot say this: REASON    The parser refuses, the schema accepts. Only as the first line.
  # says: LINE:COLUMN: TEXT           The parser's message begins so, after the name of the file.

Policies in docs/formats/policy.md (TOML blocks with a version) must be accepted by both.
"""

import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

from jsonschema import Draft202012Validator

import cases

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCHEMA = ROOT / "schemas" / "policy.schema.json"
PAGE = ROOT / "docs" / "formats" / "policy.md"
CANNOT_SAY = "# schema cannot say this: "
SAYS = "# says: "
SMALLEST_CORPUS = 90  # policies in each folder: an empty folder, or a mark that is not understood, must not pass


def parser_results(program: str, files: list[Path]) -> list[str]:
    """For each file "" if the parser accepts it, otherwise its message."""
    run = subprocess.run([program, *map(str, files)], capture_output=True, text=True, check=True, timeout=60)
    lines = run.stdout.splitlines()
    if len(lines) != len(files):
        sys.exit(f"{program} gave {len(lines)} results for {len(files)} files")
    return ["" if line == "accepted" else line.removeprefix("refused ") for line in lines]


def schema_verdict(validator: Draft202012Validator, file: Path) -> str:
    """"" if the schema accepts the file, otherwise its first complaint."""
    try:
        policy = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        return f"not TOML: {error}"
    complaints = [error.message for error in validator.iter_errors(policy)]
    return complaints[0] if complaints else ""


def faults_of_valid(parser: str, schema: str) -> list[str]:
    faults = []
    if parser:
        faults.append(f"the parser refuses it: {parser}")
    if schema:
        faults.append(f"the schema refuses it: {schema}")
    return faults


def faults_of_invalid(file: Path, parser: str, schema: str) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines()
    cannot_say = lines[0].startswith(CANNOT_SAY)
    expected = [line.removeprefix(SAYS) for line in lines[:2] if line.startswith(SAYS)]
    faults = []
    if not parser:
        faults.append("the parser accepts it")
    elif not expected:
        faults.append(f"there is no line '{SAYS}...'; the parser says: {parser}")
    elif not parser.startswith(f"{file}:{expected[0]}"):
        faults.append(f"expected a message that begins with '{expected[0]}', the parser says: {parser}")
    if cannot_say and schema:
        faults.append(f"the schema can say it after all, remove the first line: {schema}")
    if not cannot_say and not schema:
        faults.append("the schema accepts it")
    return faults


def policies_of_page() -> list[cases.Case]:
    blocks = re.finditer(r"^```toml\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    shown = [cases.Case(PAGE, block.string[:block.start()].count("\n") + 1, "block", block[1]) for block in blocks
             if "version = " in block[1]]
    if not shown:
        sys.exit(f"{PAGE} shows no policy")
    return shown


def write(policies: list[cases.Case], folder: Path) -> list[Path]:
    """A file for each policy: the parser reads files, and its messages begin with their names."""
    files = [folder / f"{number}_{policy.name}.toml" for number, policy in enumerate(policies)]
    for file, policy in zip(files, policies):
        file.write_text(policy.text, encoding="utf-8")
    return files


def main() -> int:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    valid, invalid, shown = cases.read("valid"), cases.read("invalid"), policies_of_page()
    if min(len(valid), len(invalid)) < SMALLEST_CORPUS:
        sys.exit(f"{len(valid)} valid and {len(invalid)} invalid policies: expected at least {SMALLEST_CORPUS} of each")

    failed = 0
    policies = valid + shown + invalid
    with tempfile.TemporaryDirectory() as folder:
        files = write(policies, Path(folder))
        for policy, file, parser in zip(policies, files, parser_results(sys.argv[1], files)):
            said = schema_verdict(validator, file)
            is_invalid = policy.file.parent.name == "invalid"
            faults = faults_of_invalid(file, parser, said) if is_invalid else faults_of_valid(parser, said)
            failed += bool(faults)
            for fault in faults:
                print(f"{policy}: {fault}")
    print(f"{len(valid)} valid, {len(shown)} in {PAGE.name}, {len(invalid)} invalid: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
