"""Where the fuzzers begin: what the scenarios write and ask, and what the command makes of some of them."""

import csv
import gzip
import hashlib
import io
import itertools
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pyarrow
import pyarrow.parquet

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = ROOT / "tests" / "scenarios"
sys.path.insert(0, str(ROOT / "tests" / "tools"))
sys.path.insert(0, str(ROOT / "tests" / "policy_schema"))
import cases as policy_cases  # noqa: E402
import run_scenarios  # noqa: E402

LARGEST = 8192  # bytes: what is long is slow, and seldom shows more

# Small releases of every kind: policies of the scenarios, and lines that go to their end.
PARQUET = '\n[publish]\nformat = "parquet"\n'
RELEASES = [
    ("clinic/policy.toml", ""),
    ("clinic/earlier.toml", '\n[publish]\ncategories = "sets"\n'),
    ("alpha_k/paper/policy.toml", ""),
    ("incremental/ward/q1.toml", ""),
    ("incremental/ward/q2.toml", PARQUET),
    ("incremental/ward/q3.toml", ""),
]


def other_writings(data):
    """The same table with other separators, in other encodings, and compressed."""
    yield gzip.compress(data, mtime=0)
    yield b"sep=;\r\n" + data.replace(b",", b";")
    try:
        text = data.decode("utf-8").replace(",", "\t")
    except UnicodeDecodeError:
        return
    yield text.encode("utf-16")
    yield text.encode("utf-16-be")
    yield text.encode("windows-1252", errors="ignore")


class Seeds:
    """Folders of seeds, one for each fuzzer; equal ones are there once."""

    def __init__(self, folder):
        self.folder = folder

    def add(self, fuzzer, data):
        if 0 < len(data) <= LARGEST:
            place = self.folder / fuzzer
            place.mkdir(parents=True, exist_ok=True)
            (place / hashlib.sha256(data).hexdigest()[:16]).write_bytes(data)

    def add_file(self, name, data):
        """A file of a scenario or of a release, for whoever reads such files."""
        if name.endswith(".toml"):
            self.add("policy", data)
        elif name.endswith(".csv"):
            self.add("csv", data)
            for other in other_writings(data):
                self.add("csv", other)
            self.add("taxonomy", data)
        elif name.endswith(".parquet"):
            self.add("parquet", data)
        elif name == "datapackage.json":
            self.add("package", data)
        elif name.endswith((".identities", ".segment", ".rows", ".budgets", ".classes")):
            self.add("state", data)
            if about := re.search(rb"\{\".*\}", data, re.DOTALL):
                self.add("state", about[0])


# ---- from scenarios, as they stand there ------------------------------------------------------------------------


def files_of(steps):
    """The files that a scenario writes itself."""
    files = {}
    for step in steps:
        if step.word in ("file", "append"):
            name, *options = shlex.split(step.rest)
            before = files.get(name, b"") if step.word == "append" else b""
            files[name] = before + run_scenarios.content_of(step, options)
    return files


def queries_of(steps):
    for step in steps:
        if step.word == "run" and "pentimento query" in step.rest:
            try:
                words = shlex.split(step.rest)
            except ValueError:
                continue
            yield from (word.encode() for word in words if word.lower().startswith("count"))


def add_scenarios(seeds):
    for path in sorted(SCENARIOS.rglob("*.txt")):
        text = path.read_text(encoding="utf-8")
        if path.parent.name not in ("clinic", "offices"):
            steps = run_scenarios.parse(text)
            for name, data in files_of(steps).items():
                seeds.add_file(name, data)
                if path.parent.name == "import" and name.endswith(".csv"):
                    add_labels(seeds, data)
            for query in queries_of(steps):
                seeds.add("query", query)
    for path in sorted(SCENARIOS.rglob("*")):
        if path.is_file() and path.suffix != ".txt":
            seeds.add_file(path.name, path.read_bytes())
    for policy in policy_cases.read("valid") + policy_cases.read("invalid"):
        seeds.add("policy", policy.text.encode())


# ---- from releases ----------------------------------------------------------------------------------------------


def add_labels(seeds, table):
    """The cells of a published table, each behind the byte that chooses a domain; of a long one the first rows tell all."""
    for row in itertools.islice(csv.reader(io.StringIO(table.decode())), 200):
        for cell in row:
            for domain in range(5):
                seeds.add("label", bytes([domain]) + cell.encode())


def run(command, *arguments, folder):
    done = subprocess.run([command, *arguments], cwd=folder, capture_output=True, check=False)
    if done.returncode != 0:
        sys.exit(f"seeds: pentimento {' '.join(arguments)} ended with {done.returncode}:\n{done.stderr.decode()}")


def add_releases(seeds, command):
    with tempfile.TemporaryDirectory(prefix="pentimento-seeds-") as place:
        folder = Path(place)
        for policy, end in RELEASES:
            source = (SCENARIOS / policy).parent
            shutil.copytree(source, folder / source.name, dirs_exist_ok=True)
            path = folder / source.name / Path(policy).name
            path.write_text(path.read_text() + end)
            run(command, "release", str(path), "--ledger", f"{source.name}-ledger", "--out", f"{source.name}-out",
                folder=folder)
        run(command, "demo", "--rows", "500", "--keep", "demo", folder=folder)
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                seeds.add_file(path.name, path.read_bytes())
        for table in folder.glob("*-out/*/*.csv"):
            add_labels(seeds, table.read_bytes())


# ---- projects of ARX ---------------------------------------------------------------------------------------------


def add_projects(seeds):
    """A small project, packed and not, and the texts in it."""
    files = {
        "project.xml": "<project><separator>;</separator><quote>&quot;</quote><escape>&quot;</escape></project>",
        "input/definition.xml": "<definition><assigment><name>age</name><type>QUASI_IDENTIFYING_ATTRIBUTE</type>"
                                "<ref>hierarchies/age.csv</ref></assigment><assigment><name>sex</name>"
                                "<type>SENSITIVE_ATTRIBUTE</type><response>true</response></assigment></definition>",
        "input/config.xml": "<config><criteria><criterion>5-anonymity</criterion></criteria></config>",
        "input/hierarchies/age.csv": "1;0-4;*\n2;0-4;*\n",
        "data/input.csv": "age;sex\n1;F\n2;M\n",
    }
    for text in files.values():
        seeds.add("project", text.encode())
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", method) as archive:
            for name, text in files.items():
                archive.writestr(name, text)
        seeds.add("project", packed.getvalue())


# ---- Parquet ----------------------------------------------------------------------------------------------------


def tables():
    text = ["a", "b", "a", None, "", "Ä"]
    numbers = [1, 2, 1, None, -5, 120]
    yield {"id": pyarrow.array(text), "age": pyarrow.array(numbers), "sex": pyarrow.array(text).dictionary_encode()}
    counts = pyarrow.array([None if n is None else abs(n) for n in numbers])  # of 64 bits
    for kind in (pyarrow.int8(), pyarrow.uint16(), pyarrow.int32(), pyarrow.float32(), pyarrow.float64(), pyarrow.bool_(),
                 pyarrow.decimal128(21, 2), pyarrow.timestamp("us")):
        yield {"n": counts.cast(kind), "t": pyarrow.array(text)}
    yield {"n": counts.cast(pyarrow.int32()).cast(pyarrow.date32()), "t": pyarrow.array(text)}
    for kind in (pyarrow.large_string(), pyarrow.binary(), pyarrow.binary(1)):
        yield {"t": pyarrow.array([None if t is None else b"x" for t in text]).cast(kind), "n": pyarrow.array(numbers)}
    yield {"list": pyarrow.array([[n] for n in numbers]), "none": pyarrow.nulls(6)}


def add_parquet(seeds):
    for columns in tables():
        table = pyarrow.table(columns).replace_schema_metadata(None)
        for dictionary in (True, False):
            for version, compression in (("1.0", "none"), ("2.0", "none"), ("1.0", "snappy")):
                sink = io.BytesIO()
                pyarrow.parquet.write_table(table, sink, use_dictionary=dictionary, data_page_version=version,
                                            compression=compression, row_group_size=4, store_schema=False)
                seeds.add("parquet", sink.getvalue())


def make(folder, command):
    shutil.rmtree(folder, ignore_errors=True)  # releases are drawn at random: those of earlier runs would pile up
    seeds = Seeds(folder)
    add_scenarios(seeds)
    add_releases(seeds, command)
    add_parquet(seeds)
    add_projects(seeds)
