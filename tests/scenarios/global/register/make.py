"""A register with people who come, go and come back, and what ails them changes: tables and policies of a series.

    make.py FOLDER [--people N] [--releases K] [--planned K|open] [--frequency F] [--leave F] [--seed N] [--l L]
            [--form FORM] [--format FORMAT] [--values V,V] [--every] [--alike] [--labels]
            [--guarantee 'KEY = V; KEY = V']... [--more TOML] [--input FORMAT]

Writes FOLDER/q1.csv, FOLDER/q1.toml and so on. The column `tag` is published and different in every row, so that an oracle
knows everybody's class. A real register would never do that.
"""
import argparse
import csv
import pathlib
import random

# With --labels there are no numbers: a deep taxonomy, a flat column, and cells that are missing in both.
TREE = [f"{side}{street}{house};{side}{street};{side};*" for side in "NS" for street in "abc" for house in range(1, 4)]
TREE += ["E1;E;*", "E2;E;*", "W;*"]
JOBS = ["baker", "cook", "guard", "judge", "miner", "nurse", "pilot", "smith", "tutor", "usher", "vet"]
COMMON = ["flu", "fever", "cough", "sprain", "rash", "ache", "burn", "none"]


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--people", type=int, default=300)
    parser.add_argument("--releases", type=int, default=3)
    parser.add_argument("--planned")
    parser.add_argument("--frequency", type=float, default=0.03)
    parser.add_argument("--leave", type=float, default=0.15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--l", type=int, default=2)
    parser.add_argument("--form", default="generalized")
    parser.add_argument("--format", default="csv")
    parser.add_argument("--input", default="csv")
    parser.add_argument("--values", default="chlamydia,syphilis")
    parser.add_argument("--alike", action="store_true")  # few different quasi-identifiers
    parser.add_argument("--labels", action="store_true")
    parser.add_argument("--every", action="store_true")
    parser.add_argument("--guarantee", action="append", default=[])
    parser.add_argument("--more", default="")
    return parser.parse_args()


def write_table(path, header, rows):
    if path.suffix == ".csv":
        with open(path, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([header, *rows])
        return
    import pyarrow
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.table({name: list(cells) for name, cells in zip(header, zip(*rows))}), path)


def policy(args, number, table):
    values = "" if args.every else ", values = [" + ", ".join(f'"{v}"' for v in args.values.split(",")) + "]"
    planned = args.planned or str(args.releases)
    planned = f'"{planned}"' if planned == "open" else planned
    numbers = """age = { role = "quasi-identifier", domain = [0, 99] }
zip = { role = "quasi-identifier", domain = [0, 999] }"""
    labels = f"""home = {{ role = "quasi-identifier", taxonomy = "home.csv" }}
job = {{ role = "quasi-identifier", values = [{", ".join(f'"{job}"' for job in JOBS)}] }}"""
    # Without another guarantee groups are as small as budgets allow, and people may be alone in them.
    alone = "" if args.guarantee else 'alone = "allowed"\n'
    others = "".join("[[guarantee]]\n" + text.replace("; ", "\n") + "\n" for text in args.guarantee)
    return f"""version = 1
release = "q{number}"
[input]
path = "{table.name}"
[columns]
person = {{ role = "id" }}
{labels if args.labels else numbers}
sex = {{ role = "quasi-identifier", values = ["F", "M"] }}
disease = {{ role = "sensitive"{values} }}
tag = {{ role = "keep" }}
[publish]
form = "{args.form}"
format = "{args.format}"
{others}[[guarantee]]
type = "global-guarantee"
l = {args.l}
series = "register"
releases = {planned}
{alone}most_loss = 1
{args.more}
"""


def main():
    args = arguments()
    draw = random.Random(args.seed)
    args.folder.mkdir(parents=True, exist_ok=True)
    rare = args.values.split(",")
    ages, zips = (3, 4) if args.alike else (100, 1000)
    people = [(f"p{n}", draw.randrange(ages), draw.randrange(zips), draw.choice("FM")) for n in range(args.people)]
    if args.labels:
        (args.folder / "home.csv").write_text("\n".join(TREE) + "\n", encoding="utf-8")
        homes = [line.partition(";")[0] for line in TREE] + [""]
        people = [(f"p{n}", draw.choice(homes), draw.choice([*JOBS, ""]), draw.choice("FM")) for n in range(args.people)]
    present = set(range(args.people * 4 // 5))
    for number in range(1, args.releases + 1):
        rows = []
        for n in sorted(present):
            # Each by itself about as frequent as said, and never more.
            disease = draw.choice(rare) if draw.random() < args.frequency * len(rare) * 0.9 else draw.choice(COMMON)
            rows.append([*people[n], disease, f"t{number}x{n}"])
        draw.shuffle(rows)
        table = args.folder / f"q{number}.{args.input}"
        write_table(table, ["person", *(("home", "job") if args.labels else ("age", "zip")), "sex", "disease", "tag"], rows)
        (args.folder / f"q{number}.toml").write_text(policy(args, number, table), encoding="utf-8")
        present = {n for n in range(args.people) if (draw.random() > args.leave if n in present else draw.random() < 0.4)}


main()
