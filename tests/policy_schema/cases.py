"""Reads the corpus of policies: text files, one for each topic, with many small policies in each.

A line `==== NAME` begins the policy of that name, which goes on to the next such line; empty lines before that belong to
nobody. Lines and columns that messages name are counted from the line below `====`. What stands above the first policy is a
comment.
"""

from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
MARK = "==== "


@dataclass
class Case:
    file: Path
    line: int  # of the mark
    name: str
    text: str

    def __str__(self):
        return f"{self.file.parent.name}/{self.file.name}:{self.line}: {self.name}"


class BadCorpus(Exception):
    """A file of the corpus is not in the format."""


def cases_of(file: Path) -> list[Case]:
    cases = []
    for number, line in enumerate(file.read_text(encoding="utf-8").split("\n"), start=1):
        if line.startswith(MARK):
            name = line.removeprefix(MARK)
            if not name.replace("_", "").isalnum():
                raise BadCorpus(f"{file}:{number}: '{name}' is no name; letters, digits and _ make one")
            cases.append(Case(file, number, name, ""))
        elif cases:
            cases[-1].text += line + "\n"
        elif line and not line.startswith("#"):
            raise BadCorpus(f"{file}:{number}: this belongs to no policy; a line '{MARK}NAME' begins one")
    for case in cases:
        case.text = case.text.rstrip("\n") + "\n"
    return cases


def read(kind: str, corpus: Path = HERE) -> list[Case]:
    """All policies of a kind, valid or invalid."""
    cases = [case for file in sorted((corpus / kind).glob("*.txt")) for case in cases_of(file)]
    first = {}
    for case in cases:
        if first.setdefault(case.name, case) is not case:
            raise BadCorpus(f"{case}: the name is taken by {first[case.name]}")
    return cases
