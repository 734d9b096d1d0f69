"""A random register, quarter by quarter, published twice: from full exports, and from what a plain comparison of the
exports says. Both must be the same bytes.

    exports.py SEED [--changes-only] [--parquet]

The comparison here is the definition: a dictionary of the rows that people came with, and nothing of the engine. Prints a
line per quarter and what is wrong. Exit code 1 where the two differ.
"""
import csv
import filecmp
import pathlib
import random
import subprocess
import sys

JOBS = ("Nurse", "Doctor", "Clerk", "Lawyer")
COLUMNS = ("person", "age", "job", "sex", "disease", "outcome", "note", "ward")
NEW_FROM = {"ward": 2}  # a column that the register gets later
GONE_FROM = {"outcome": 3}  # and one that is left out
POLICY = """version = 1
release = "{name}"
[input]
path = "{path}"
missing = ["", "?"]
{input}
[columns]
person  = {{ role = "id" }}
age     = {{ role = "quasi-identifier", domain = [0, 120] }}
job     = {{ role = "quasi-identifier", taxonomy = "job.csv" }}
sex     = {{ role = "quasi-identifier", values = ["Female", "Male"] }}
disease = {{ role = "sensitive" }}
{cells}
[[guarantee]]
type = "incremental-k-anonymity"
k = 3
series = "register"
"""


def columns_of(quarter):
    return [name for name in COLUMNS
            if NEW_FROM.get(name, 0) <= quarter < GONE_FROM.get(name, quarter + 1)]


def somebody(draw, person):
    return {"person": person, "age": str(draw.randrange(121)), "job": draw.choice(JOBS),
            "sex": draw.choice(("Female", "Male", "?")), "disease": draw.choice(("Flu", "HIV", "", "a, \"b\"")),
            "outcome": draw.choice(("home", "stays", "")), "note": draw.choice(("", "x" * 300, f"n{draw.randrange(99)}")),
            "ward": draw.choice(("A", "B"))}


def next_quarter(draw, register, known):
    """Some leave, some are corrected, some come back, some are new; rows are in another order."""
    now = [dict(row) for row in register if draw.random() > 0.1]
    for row in now:
        if draw.random() < 0.07:
            other = somebody(draw, row["person"])
            name = draw.choice(COLUMNS[1:])
            row[name] = other[name]
    gone = sorted(set(known) - {row["person"] for row in now})
    now += [somebody(draw, person) for person in gone if draw.random() < 0.2]
    now += [somebody(draw, f"p{len(known) + i}") for i in range(draw.randrange(12))]
    draw.shuffle(now)
    return now


def write(path, rows, columns, parquet):
    if parquet:
        import pyarrow
        from pyarrow import parquet as files
        files.write_table(pyarrow.table({name: pyarrow.array([row[name] for row in rows], pyarrow.string())
                                         for name in columns}), path)
        return
    with open(path, "w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(rows)


def publish(kind, quarter, path, words, options):
    columns = columns_of(quarter)
    cells = "".join(f'{name} = {{ role = "{role}" }}\n'
                    for name, role in (("outcome", "class"), ("note", "keep"), ("ward", "keep")) if name in columns)
    policy = pathlib.Path(f"{kind}-{quarter}.toml")
    policy.write_text(POLICY.format(name=f"q{quarter}", path=path, input=words, cells=cells), encoding="utf-8")
    run = subprocess.run(["pentimento", "release", policy, "--ledger", f"ledger-{kind}", "--out", f"out-{kind}",
                          "--yes", *options], capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f"{kind}, quarter {quarter}: exit {run.returncode}: {run.stderr}")
    return run.stdout


def same(quarter):
    one, other = pathlib.Path(f"out-export/q{quarter}"), pathlib.Path(f"out-hand/q{quarter}")
    names = sorted(path.relative_to(one) for path in one.rglob("*") if path.is_file())
    if names != sorted(path.relative_to(other) for path in other.rglob("*") if path.is_file()):
        return False
    return all(filecmp.cmp(one / name, other / name, shallow=False) for name in names)


def main(seed, *options):
    draw = random.Random(seed)
    parquet = "--parquet" in options
    options = [option for option in options if option != "--parquet"]
    ending = "parquet" if parquet else "csv"
    pathlib.Path("job.csv").write_text("Nurse;Care;*\nDoctor;Care;*\nClerk;Office;*\nLawyer;Office;*\n", encoding="utf-8")
    register = [somebody(draw, f"p{i}") for i in range(40)]
    register[0]["sex"] = "?"  # else nobody's may be missing later
    there, known = {}, set()  # who is there, with the row that they came with; everybody who ever was
    wrong = 0
    for quarter in range(5):
        if quarter > 0:
            register = next_quarter(draw, register, known)
        columns = columns_of(quarter)
        now = {row["person"]: row for row in register}
        left = [person for person in there if person not in now]
        coming = [row for row in register if row["person"] not in there
                  or any(row[name] != there[row["person"]][name] for name in columns if name in there[row["person"]])]
        corrected = sum(row["person"] in there for row in coming)
        back = sum(row["person"] in known and row["person"] not in there for row in coming)
        number = [f"--seed={seed * 10 + quarter}", *(options if quarter % 2 else [])]
        write(f"export-{quarter}.{ending}", register, columns, parquet)
        said = publish("export", quarter, f"export-{quarter}.{ending}", 'holds = "everybody"', number)
        write(f"hand-{quarter}.{ending}", coming, columns, parquet)
        write(f"gone-{quarter}.csv", [{"person": person} for person in left], ["person"], False)
        publish("hand", quarter, f"hand-{quarter}.{ending}",
                f'repeated = "latest"\nremoved = "gone-{quarter}.csv"' if quarter else "", number)
        told = f"{len(now) - len(coming)} as before, {corrected} with another row, {len(left)} left, {back} came back"
        if quarter > 0 and told not in said:
            print(f"quarter {quarter}: not told: {told}\n{said}")
            wrong = 1
        if not same(quarter):
            print(f"quarter {quarter}: the two releases differ")
            wrong = 1
        print(f"quarter {quarter}: {told}")
        for person in left:
            del there[person]
        for row in coming:
            there[row["person"]] = {name: row[name] for name in columns}
        known |= set(now)
    return wrong


sys.exit(main(int(sys.argv[1]), *sys.argv[2:]))
