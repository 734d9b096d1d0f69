"""The flows that are compared, one for each kind of release, and their tables and policies."""

import shutil
from dataclasses import dataclass

QUASI_IDENTIFIERS = """person = { role = "id" }
age = { role = "quasi-identifier", domain = [0, 99] }
sex = { role = "quasi-identifier", values = ["Female", "Male"] }
zip = { role = "quasi-identifier", taxonomy = "zip.csv" }
job = { role = "quasi-identifier", taxonomy = "job.csv" }
"""
CELLS = """disease = { role = "sensitive" }
income = { role = "class" }
weight = { role = "keep" }
note = { role = "keep" }
"""


@dataclass
class Flow:
    name: str
    commands: list[list[str]]  # without --ledger, --out, --seed and --threads
    fewest_files: int  # that must be compared, so that an empty folder does not pass


FLOWS = [
    Flow("plain", [["release", "plain.toml"]], 4),
    Flow("incremental", [["release", "series1.toml"], ["release", "series2.toml"], ["release", "series3.toml", "--changes-only"]], 15),
    Flow("xy", [["release", "jobs.toml"], ["release", "homes.toml"], ["release", "xy.toml"]], 8),
    Flow("alpha-k", [["release", "alpha-k.toml"]], 4),
    Flow("alpha-k-recode", [["release", "alpha-k-recode.toml"]], 4),
    Flow("alpha-k-two-tables", [["release", "alpha-k-two-tables.toml"]], 4),
    Flow("alpha-k-anatomy", [["release", "alpha-k-anatomy.toml"]], 4),
    Flow("specialize", [["release", "specialize.toml"]], 4),
    Flow("hidden-arrivals", [["release", f"hidden{number}.toml"] for number in (1, 2, 3)], 12),
    Flow("xy-linkability", [["release", "jobs.toml"], ["release", "xy-linkability.toml"]], 6),
    Flow("global", [["release", f"global{q}.toml"] for q in (1, 2, 3)], 8),
    Flow("global-open", [["release", f"global-open{q}.toml"] for q in (1, 2, 3)], 8),
    Flow("global-blind", [["release", "global-blind1.toml"]], 4),
    Flow("global-two-tables", [["release", f"global-two-tables{q}.toml"] for q in (1, 2, 3)], 8),
]


def policy(name, table, columns, guarantees, file_format, publish="", more_input=""):
    return (f'version = 1\nrelease = "{name}"\n[input]\npath = "{table}.{file_format}"\n{more_input}[columns]\n{columns}'
            f'{guarantees}[publish]\nformat = "{file_format}"\n{publish}')


def guarantee(text):
    return f"[[guarantee]]\n{text}\n"


def write_rows(source, begin, end, target):
    """Some rows of a table, in its own format."""
    if source.suffix == ".csv":
        lines = source.read_text(encoding="utf-8").splitlines(keepends=True)
        target.write_text(lines[0] + "".join(lines[1 + begin:1 + end]), encoding="utf-8")
        return
    import pyarrow.parquet

    pyarrow.parquet.write_table(pyarrow.parquet.read_table(source).slice(begin, end - begin), target)


def make_tables(run, folder, file_format, rows):
    for quarter in (0, 1, 2):
        place = f"quarter{quarter}"
        run(["generate", place, "--rows", str(rows), "--quarter", str(quarter), "--format", file_format], folder)
        shutil.move(folder / place / f"people.{file_format}", folder / f"people{quarter + 1}.{file_format}")
    for taxonomy in (folder / "quarter0").glob("*.csv"):
        shutil.copy(taxonomy, folder)
    everybody = folder / f"people1.{file_format}"
    for number, (begin, end) in enumerate([(0, rows // 2), (rows // 2, rows * 3 // 4), (rows * 3 // 4, rows)], 1):
        write_rows(everybody, begin, end, folder / f"batch{number}.{file_format}")
    write_rows(everybody, 0, rows // 20, folder / f"gone2.{file_format}")
    # Other people than in all other tables: they only give the ledger its key.
    run(["generate", "prime", "--rows", "50", "--seed", "9", "--format", "csv"], folder)
    header, *lines = (folder / "prime" / "people.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (folder / "prime.csv").write_text(header + "".join("prime-" + line for line in lines), encoding="utf-8")


def make_inputs(run, folder, file_format, rows):
    """`run(arguments, folder)` runs the program that makes the tables."""
    folder.mkdir(parents=True)
    make_tables(run, folder, file_format, rows)

    def write(name, *arguments, **more):
        (folder / f"{name}.toml").write_text(policy(name, *arguments, file_format, **more))

    k = guarantee('type = "k-anonymity"\nk = 10')
    (folder / "prime.toml").write_text(policy("prime", "prime", 'person = { role = "id" }\nage = { role = "quasi-identifier", domain = [0, 99] }\n',
                                              guarantee('type = "k-anonymity"\nk = 2'), "csv"))
    write("plain", "people1", QUASI_IDENTIFIERS + CELLS, k)
    for number in (1, 2, 3):
        gone = f'removed = "gone2.{file_format}"\n' if number == 2 else ""
        series = 'type = "incremental-k-anonymity"\nk = 10\nseries = "register"'
        write(f"series{number}", f"batch{number}", QUASI_IDENTIFIERS + CELLS, guarantee(series), more_input=gone)
        write(f"hidden{number}", f"batch{number}", QUASI_IDENTIFIERS + CELLS, guarantee(series + '\narrivals = "hidden"'), more_input=gone)
    write("jobs", "people1", 'person = { role = "id" }\nsex = { role = "quasi-identifier", values = ["Female", "Male"] }\n'
          'job = { role = "quasi-identifier", taxonomy = "job.csv" }\nincome = { role = "sensitive" }\n', k)
    write("homes", "people1", 'person = { role = "id" }\nsex = { role = "quasi-identifier", values = ["Female", "Male"] }\n'
          'zip = { role = "quasi-identifier", taxonomy = "zip.csv" }\ndisease = { role = "sensitive" }\n', k)
    write("xy", "people1", 'person = { role = "id" }\nage = { role = "quasi-identifier", domain = [0, 99] }\n'
          'sex = { role = "quasi-identifier", values = ["Female", "Male"] }\njob = { role = "quasi-identifier", taxonomy = "job.csv" }\n'
          'zip = { role = "quasi-identifier", taxonomy = "zip.csv" }\nincome = { role = "class" }\n',
          guarantee('type = "xy-anonymity"\nagainst = ["jobs", "homes"]\n'
                    'x = ["age", "sex", "job", "zip", "jobs:sex", "jobs:job", "homes:sex", "homes:zip"]\ny = ["person"]\nk = 5'))
    write("xy-linkability", "people1", QUASI_IDENTIFIERS + 'disease = { role = "sensitive" }\n',
          guarantee('type = "xy-linkability"\nagainst = ["jobs"]\nx = ["age", "sex", "job", "zip", "jobs:sex", "jobs:job"]\n'
                    'y = [{ column = "disease", values = ["HIV"], at_most = "1/3" }, '
                    '{ columns = ["disease", "jobs:income"], at_most = "4/5" }]'))
    write("specialize", "people1", QUASI_IDENTIFIERS + CELLS, k, publish='method = "specialize"\n')
    alpha_k = guarantee('type = "alpha-k-anonymity"\nalpha = "1/2"\nk = 5')
    write("alpha-k", "people1", QUASI_IDENTIFIERS + CELLS, alpha_k)
    write("alpha-k-two-tables", "people1", QUASI_IDENTIFIERS + 'disease = { role = "sensitive" }\n', alpha_k, publish='form = "two-tables"\n')
    write("alpha-k-recode", "people1", QUASI_IDENTIFIERS + CELLS, alpha_k, publish='method = "recode"\n')
    write("alpha-k-anatomy", "people1", QUASI_IDENTIFIERS + 'disease = { role = "sensitive" }\n', alpha_k,
          publish='form = "two-tables"\nmethod = "anatomy"\n')
    protected = 'disease = { role = "sensitive", values = ["Depression", "Pneumonia"] }\n'
    terms = 'type = "global-guarantee"\nl = 2\nk = 5\nseries = "clinic"\nmost_loss = 1\n'
    held, open_held = guarantee(terms + "releases = 6"), guarantee(terms + 'releases = "open"')
    write("global-blind1", "people1", QUASI_IDENTIFIERS + protected, guarantee(terms + "releases = 2\nblind = true"))
    for number in (1, 2, 3):
        write(f"global{number}", f"people{number}", QUASI_IDENTIFIERS + protected, held)
        write(f"global-open{number}", f"people{number}", QUASI_IDENTIFIERS + protected, open_held)
        write(f"global-two-tables{number}", f"people{number}", QUASI_IDENTIFIERS + protected, held, publish='form = "two-tables"\n')
