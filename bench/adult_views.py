"""Two views of UCI Adult about the same people, as two offices would publish them, and larger versions of both.

    python bench/adult_views.py SOURCE DEST [--rows 200000] [--set A|B] [--format csv|parquet] [--top 6] [--k 40]
                                [--guarantee anonymity|linkability] [--limit 9/10]

SOURCE is a folder with adult.data and adult.test. DEST gets immigration.csv with its policy import.toml (to be put on record with
`pentimento import`), taxation.csv with its policy release.toml (to be published beside it), and the taxonomies. Without
--rows the 45,222 rows without missing values are taken as they are. With it they are enlarged as in the paper: variations of a
record have another person, some columns (two of them, drawn anew each time) with values drawn at random, and otherwise its values.
"""

import argparse
import csv
import sys
from pathlib import Path

COLUMNS = ("age", "workclass", "fnlwgt", "education", "education-num", "marital-status", "occupation", "relationship",
           "race", "sex", "capital-gain", "capital-loss", "hours-per-week", "native-country", "income")
COMMON = ("marital-status", "relationship", "sex")
IMMIGRATION = (*COMMON, "native-country", "race")
TAXATION = {"A": ("education", "occupation", "workclass", *COMMON),
            "B": ("age", "capital-gain", "capital-loss", "education-num", "fnlwgt", "hours-per-week",
                  "education", "occupation", "workclass", *COMMON)}
# By how much they say about the income, as in the paper.
RANKED = {"A": ("marital-status", "relationship", "sex", "education", "occupation", "workclass"),
          "B": ("capital-gain", "age", "marital-status", "education-num", "relationship", "hours-per-week", "sex")}
DOMAINS = {"age": (17, 90), "capital-gain": (0, 99999), "capital-loss": (0, 4356), "education-num": (1, 16),
           "fnlwgt": (12285, 1490400), "hours-per-week": (1, 99)}
VARIED_COLUMNS = 2

# leaf: nodes on the way to the root.
TREES = {
    "sex": {"Female": [], "Male": []},
    "race": {"White": ["Majority"], "Black": ["Minority"], "Asian-Pac-Islander": ["Minority"],
             "Amer-Indian-Eskimo": ["Minority"], "Other": ["Minority"]},
    "marital-status": {"Married-civ-spouse": ["Spouse there", "Married"], "Married-AF-spouse": ["Spouse there", "Married"],
                       "Married-spouse-absent": ["Spouse away", "Married"], "Separated": ["Apart", "Not married"],
                       "Divorced": ["Apart", "Not married"], "Widowed": ["Alone", "Not married"],
                       "Never-married": ["Alone", "Not married"]},
    "relationship": {"Husband": ["Couple"], "Wife": ["Couple"], "Own-child": ["Family"], "Other-relative": ["Family"],
                     "Not-in-family": ["Elsewhere"], "Unmarried": ["Elsewhere"]},
    "workclass": {"Private": ["Company"], "Self-emp-inc": ["Own firm", "Self-employed", "Company-like"],
                  "Self-emp-not-inc": ["Own work", "Self-employed", "Company-like"],
                  "Federal-gov": ["Federal", "Government", "Public"], "Local-gov": ["Regional", "Government", "Public"],
                  "State-gov": ["Regional", "Government", "Public"], "Without-pay": ["Unpaid"],
                  "Never-worked": ["Unpaid"]},
    "occupation": {"Exec-managerial": ["Office"], "Prof-specialty": ["Office"], "Adm-clerical": ["Office"],
                   "Tech-support": ["Office"], "Sales": ["Trade"], "Protective-serv": ["Service"],
                   "Priv-house-serv": ["Service"], "Other-service": ["Service"], "Craft-repair": ["Manual"],
                   "Machine-op-inspct": ["Manual"], "Transport-moving": ["Manual"], "Handlers-cleaners": ["Manual"],
                   "Farming-fishing": ["Manual"], "Armed-Forces": ["Service"]},
    "education": {"Preschool": ["Grades 1 to 4 or less", "Elementary", "School"],
                  "1st-4th": ["Grades 1 to 4 or less", "Elementary", "School"],
                  "5th-6th": ["Grades 5 to 8", "Elementary", "School"],
                  "7th-8th": ["Grades 5 to 8", "Elementary", "School"],
                  "9th": ["Junior", "Secondary", "School"], "10th": ["Junior", "Secondary", "School"],
                  "11th": ["Senior", "Secondary", "School"], "12th": ["Senior", "Secondary", "School"],
                  "HS-grad": ["Graduated", "Secondary", "School"],
                  "Some-college": ["Begun", "University", "Beyond school"],
                  "Assoc-voc": ["Associate", "University", "Beyond school"],
                  "Assoc-acdm": ["Associate", "University", "Beyond school"],
                  "Bachelors": ["First degree", "University", "Beyond school"],
                  "Masters": ["Higher degree", "Graduate", "Beyond school"],
                  "Prof-school": ["Higher degree", "Graduate", "Beyond school"],
                  "Doctorate": ["Higher degree", "Graduate", "Beyond school"]},
}
REGIONS = {
    "North America": ["United-States", "Canada", "Outlying-US(Guam-USVI-etc)"],
    "Middle America": ["Mexico", "Cuba", "Jamaica", "Puerto-Rico", "Honduras", "Guatemala", "Nicaragua", "El-Salvador",
                       "Dominican-Republic", "Haiti", "Trinadad&Tobago"],
    "South America": ["Columbia", "Ecuador", "Peru"],
    "West Europe": ["England", "Germany", "France", "Ireland", "Scotland", "Holand-Netherlands", "Italy", "Portugal",
                    "Greece"],
    "East Europe": ["Poland", "Hungary", "Yugoslavia"],
    "East Asia": ["China", "Japan", "Taiwan", "Hong", "South"],
    "South Asia": ["India", "Iran", "Vietnam", "Laos", "Cambodia", "Thailand", "Philippines"],
}
CONTINENTS = {"North America": "America", "Middle America": "America", "South America": "America",
              "West Europe": "Europe", "East Europe": "Europe", "East Asia": "Asia", "South Asia": "Asia"}
TREES["native-country"] = {country: [region, CONTINENTS[region]] for region, countries in REGIONS.items()
                           for country in countries}


def read_rows(source: Path) -> list[dict[str, str]]:
    """All rows of both files without missing values; the test file writes a full stop after the class."""
    rows = []
    for name in ("adult.data", "adult.test"):
        with (source / name).open(newline="", encoding="utf-8") as file:
            for row in csv.reader(file, skipinitialspace=True):
                if len(row) != len(COLUMNS) or "?" in row:
                    continue
                record = dict(zip(COLUMNS, row))
                record["income"] = record["income"].rstrip(".")
                rows.append(record)
    return rows


def enlarged(rows: list[dict[str, str]], columns: tuple[str, ...], size: int, seed: float, target: Path) -> None:
    """Writes `size` records: the originals first, then variations of them."""
    import duckdb  # only larger versions need it
    import pyarrow as pa

    keep = [*columns, *(["income"] if "education" in columns else [])]
    base = pa.table({name: [row[name] for row in rows] for name in keep})
    values = {name: sorted({row[name] for row in rows}) for name in columns}
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.execute(f"SELECT setseed({seed})").fetchall()
    connection.register("base", base)
    rounds = -(-size // len(rows))
    cells = []
    for i, name in enumerate(columns):
        listed = ", ".join("'" + value.replace("'", "''") + "'" for value in values[name])
        drawn = f"[{listed}][1 + CAST(floor(random() * {len(values[name])}) AS INTEGER)]"
        cells.append(f'CASE WHEN variation > 0 AND (one = {i} OR two = {i}) THEN {drawn} ELSE "{name}" END AS "{name}"')
    if "income" in keep:
        cells = ["'p' || (row_number() OVER () - 1) AS person", *cells, '"income"']
    draw = f"CAST(floor(random() * {len(columns)}) AS INTEGER)"
    copy = "(FORMAT parquet)" if target.suffix == ".parquet" else "(FORMAT csv, HEADER)"
    connection.execute(f"""
        COPY (SELECT {", ".join(cells)}
              FROM (SELECT *, {draw} AS one, {draw} AS two FROM base, range({rounds}) AS r(variation)
                    ORDER BY variation) LIMIT {size}) TO '{target}' {copy}""")


def write_table(rows: list[dict[str, str]], columns: tuple[str, ...], size: int | None, seed: float, target: Path) -> None:
    if size is not None or target.suffix == ".parquet":
        enlarged(rows, columns, size or len(rows), seed, target)
        return
    keep = [*columns, *(["income"] if "education" in columns else [])]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        is_new = "income" in keep
        writer.writerow([*(["person"] if is_new else []), *keep])
        for number, row in enumerate(rows):
            writer.writerow([*([f"p{number}"] if is_new else []), *(row[name] for name in keep)])


def column_lines(columns: tuple[str, ...]) -> str:
    lines = []
    for name in columns:
        if name in DOMAINS:
            low, high = DOMAINS[name]
            lines.append(f'{name} = {{ role = "quasi-identifier", domain = [{low}, {high}] }}')
        else:
            lines.append(f'{name} = {{ role = "quasi-identifier", taxonomy = "{name}.csv" }}')
    return "\n".join(lines)


def quoted(names: list[str]) -> str:
    return "[" + ", ".join(f'"{name}"' for name in names) + "]"


def guarantee(arguments: argparse.Namespace, rows: list[dict[str, str]]) -> str:
    earlier = "immigration"
    ranked = RANKED[arguments.set]
    if arguments.guarantee == "anonymity":
        x = [*ranked[:arguments.top], *(f"{earlier}:{name}" for name in IMMIGRATION)]
        x += [name for name in COMMON if name not in x]
        return f'type = "xy-anonymity"\nagainst = ["{earlier}"]\nx = {quoted(x)}\ny = ["person"]\nk = {arguments.k}'
    categories = [name for name in ranked if name not in DOMAINS][:arguments.top]
    x = [name for name in TAXATION[arguments.set] if name not in categories]
    x += [f"{earlier}:{name}" for name in COMMON if name not in categories]
    limits = []
    for name in categories:
        counts: dict[str, int] = {}
        for row in rows:
            counts[row[name]] = counts.get(row[name], 0) + 1
        rare = sorted(counts, key=counts.__getitem__)[:len(counts) // 2]
        limits += [f'{{ column = "{name}", values = ["{value}"], at_most = "{arguments.limit}" }}' for value in rare]
    return f'type = "xy-linkability"\nagainst = ["{earlier}"]\nx = {quoted(x)}\ny = [{", ".join(limits)}]'


def write_project(arguments: argparse.Namespace) -> None:
    rows = read_rows(arguments.source)
    dest = arguments.dest
    dest.mkdir(parents=True, exist_ok=True)
    for name, tree in TREES.items():
        (dest / f"{name}.csv").write_text("".join(";".join([leaf, *nodes, "*"]) + "\n" for leaf, nodes in tree.items()))
    suffix = arguments.format
    taxation = TAXATION[arguments.set]
    write_table(rows, taxation, arguments.rows, 0.25, dest / f"taxation.{suffix}")
    write_table(rows, IMMIGRATION, arguments.rows, 0.75, dest / f"immigration.{suffix}")
    (dest / "import.toml").write_text(f"""\
version = 1
release = "immigration"

[columns]
{column_lines(IMMIGRATION)}
""")
    (dest / "release.toml").write_text(f"""\
version = 1
release = "taxation"

[input]
path = "taxation.{suffix}"

[columns]
person = {{ role = "id" }}
{column_lines(taxation)}
income = {{ role = "class" }}

[[guarantee]]
{guarantee(arguments, rows)}

[publish]
format = "{suffix}"
""")


def main() -> int:
    parser = argparse.ArgumentParser(description="Two views of UCI Adult, and larger versions of both.")
    parser.add_argument("source", type=Path)
    parser.add_argument("dest", type=Path)
    parser.add_argument("--rows", type=int)
    parser.add_argument("--set", choices=["A", "B"], default="A")
    parser.add_argument("--format", choices=["csv", "parquet"], default="csv")
    parser.add_argument("--guarantee", choices=["anonymity", "linkability"], default="anonymity")
    parser.add_argument("--top", type=int, default=6)
    parser.add_argument("--k", type=int, default=40)
    parser.add_argument("--limit", default="9/10")
    write_project(parser.parse_args())
    return 0


if __name__ == "__main__":
    sys.exit(main())
