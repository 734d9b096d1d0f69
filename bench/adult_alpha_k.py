"""UCI Adult as Wong et al. measure with it: eight quasi-identifiers, the occupation is sensitive; and larger versions of it.

Imported by two_tables.py and query_workload.py. Without an enlargement it is the 45,222 rows without missing values of adult.data
and adult.test. Larger versions are made as adult_views.py makes them, except that the income, which has two values, stays that of
the record varied; each row of them is a person of its own.
"""

import csv
from pathlib import Path

from adult_views import DOMAINS, TREES, enlarged, read_rows

# The order of the paper's table 8; the first d of them are taken where d varies.
QUASI = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "income")
SENSITIVE = "occupation"
POLICIES = (("1/3", 2), ("1/5", 10))  # alpha and k that releases are measured at
INCOMES = ("<=50K", ">50K")

__all__ = ["POLICIES", "QUASI", "SENSITIVE", "columns_text", "promise_text", "read_rows", "write_large", "write_rows"]


def column_line(name: str) -> str:
    if name in DOMAINS:
        low, high = DOMAINS[name]
        return f'{name} = {{ role = "quasi-identifier", domain = [{low}, {high}] }}'
    if name in TREES:
        return f'{name} = {{ role = "quasi-identifier", taxonomy = "{name}.csv" }}'
    return f'{name} = {{ role = "quasi-identifier", values = ["{INCOMES[0]}", "{INCOMES[1]}"] }}'


def promise_text(form: str, method: str, alpha: str, k: int, file_format: str = "csv", categories: str | None = None) -> str:
    """The end of a policy: what is promised, and how it is published."""
    sets = f'categories = "{categories}"\n' if categories else ""
    return f"""\
[[guarantee]]
type = "alpha-k-anonymity"
alpha = "{alpha}"
k = {k}

[publish]
form = "{form}"
method = "{method}"
format = "{file_format}"
{sets}"""


def columns_text(*, quasi: tuple[str, ...] = QUASI, table: str = "adult.csv", has_persons: bool = False) -> str:
    """The beginning of a policy. Columns of the table that are not named are not published."""
    person = 'person = { role = "id" }\n' if has_persons else ""
    columns = "\n".join(column_line(name) for name in quasi)
    return f"""\
version = 1
release = "adult"

[input]
path = "{table}"

[columns]
{person}{columns}
{SENSITIVE} = {{ role = "sensitive" }}

"""


def write_taxonomies(folder: Path) -> None:
    for name in QUASI:
        if name in TREES:
            lines = (";".join((leaf, *above, "*")) for leaf, above in TREES[name].items())
            (folder / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_rows(folder: Path, rows: list[dict[str, str]]) -> Path:
    table = folder / "adult.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, (*QUASI, SENSITIVE), lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(rows)
    write_taxonomies(folder)
    return table


def write_large(source: Path, folder: Path, size: int, suffix: str) -> Path:
    """Has a column `person`."""
    table = folder / f"adult.{suffix}"
    enlarged(read_rows(source), (*QUASI[:-1], SENSITIVE), size, 0.5, table)
    write_taxonomies(folder)
    return table
