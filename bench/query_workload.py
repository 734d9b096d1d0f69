#!/usr/bin/env python3
"""Random counts as Wong et al. draw them, for pentimento and for DuckDB; how fast and how right they are answered.

    bench/query_workload.py write ORIGINAL --quasi age,sex --sensitive disease --out FOLDER [--dimensions 4] [--selectivity 0.05]
    bench/query_workload.py speed ORIGINAL RELEASE --quasi age,sex --sensitive disease [--runs 3]
    bench/query_workload.py sweep ADULT [--queries 1000] [--out table.md]
    bench/query_workload.py methods ADULT [--rows 200000 | --generated 200000] [--queries 1000] [--out table.md]
    bench/query_workload.py coverage ADULT [--queries 1000] [--out table.md]

write   FOLDER gets queries.txt for `pentimento query --file` and queries.sql, the same counts over a table `original`.
speed   Both answer the same queries: pentimento from the files of the release, from the start of the process to its exit; DuckDB
        over the original, once the table is in its memory, with all cores. The bar: our whole command, reading the files included,
        takes at most a tenth of DuckDB's time for the counts alone. Answering alone is shown beside it: the whole less the time of
        the same command with one query. With --no-duckdb only our own time is taken.
sweep   ADULT is a folder with adult.data and adult.test. Releases of its 45,222 rows (the first eight columns of the paper's table
        8 as quasi-identifiers, occupation sensitive, alpha = 1/3, k = 2) in two tables and as one; the average relative error
        over the paper's four sweeps: the number of quasi-identifiers d, the dimensionality qd, the selectivity s and the number of
        rows n; and over k and alpha. Exit code 1 where two tables by partition are not the best everywhere.
methods What each method loses of Adult, of a larger version of it, or of made-up people: discernibility, NCP, the error of counts.
coverage How often the 95 % interval holds the true count, of Adult as it is and with its occupations dealt out at random. Exit code 1
        where a true count is outside of what is said to be certain.

A query asks for qd quasi-identifiers and the sensitive column; each predicate is a list of b = ceil(|A| * s^(1/(qd+1))) of the |A|
different values of its column.
"""

import argparse
import csv
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import adult_alpha_k
from measure import markdown

ROOT = Path(__file__).resolve().parents[1]
COMMAND = ROOT / "build" / "pentimento"
BAR = 0.1  # of DuckDB's time

# What is compared: name, form, method.
FORMS = (("two tables, partition", "two-tables", "partition"),
         ("two tables, Anatomy", "two-tables", "anatomy"), ("one table, partition", "generalized", "partition"),
         ("one table, recode", "generalized", "recode"))
SETS = "one table, partition, sets"


def values_of(original: Path, columns: list[str]) -> dict[str, list[str]]:
    """The different values of each column, sorted; missing ones are left out."""
    if original.suffix == ".parquet":
        import pyarrow.parquet as pq
        table = pq.read_table(original, columns=columns)
        return {c: sorted({str(v) for v in table[c].unique().to_pylist() if v not in (None, "", "?")}) for c in columns}
    found = {column: set() for column in columns}
    with original.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            for column in columns:
                found[column].add(row[column])
    return {column: sorted(values - {"", "?"}) for column, values in found.items()}


@dataclass(frozen=True)
class Workload:
    """What a query asks for, and how many there are."""

    quasi: tuple[str, ...]
    sensitive: str
    queries: int = 1000
    dimensions: int = 4
    selectivity: float = 0.05
    seed: int = 1


def workload_of(arguments: argparse.Namespace) -> Workload:
    return Workload(tuple(arguments.quasi), arguments.sensitive, arguments.queries, arguments.dimensions, arguments.selectivity,
                    arguments.seed)


def draw(values: dict[str, list[str]], workload: Workload) -> list[list[tuple[str, list[str]]]]:
    """Per query its predicates: a column and the values it may have."""
    generator = random.Random(workload.seed)
    share = workload.selectivity ** (1 / (workload.dimensions + 1))
    queries = []
    for _ in range(workload.queries):
        columns = [*generator.sample(workload.quasi, workload.dimensions), workload.sensitive]
        queries.append([(c, generator.sample(values[c], math.ceil(len(values[c]) * share - 1e-9))) for c in columns])
    return queries


def quoted(text: str, quote: str) -> str:
    return quote + text.replace(quote, quote * 2) + quote


def in_our_grammar(query: list[tuple[str, list[str]]]) -> str:
    predicates = (f"{quoted(c, chr(34))} in ({', '.join(quoted(v, chr(34)) for v in vs)})" for c, vs in query)
    return "count where " + " and ".join(predicates)


def in_sql(query: list[tuple[str, list[str]]]) -> str:
    predicates = (f"{quoted(c, chr(34))} IN ({', '.join(quoted(v, chr(39)) for v in vs)})" for c, vs in query)
    return "SELECT count(*) FROM original WHERE " + " AND ".join(predicates)


def write_queries(original: Path, workload: Workload, folder: Path) -> tuple[Path, Path]:
    queries = draw(values_of(original, [*workload.quasi, workload.sensitive]), workload)
    folder.mkdir(parents=True, exist_ok=True)
    ours, sql = folder / "queries.txt", folder / "queries.sql"
    ours.write_text("".join(in_our_grammar(query) + "\n" for query in queries), encoding="utf-8")
    sql.write_text("".join(in_sql(query) + ";\n" for query in queries), encoding="utf-8")
    return ours, sql


@dataclass(frozen=True)
class Speed:
    """Seconds for the same counts, each a median, the table of DuckDB in its memory."""

    whole: float  # ours, from the start of the process to its exit
    reading: float  # the same with one query: start, reading, exit
    counting: float | None = None  # DuckDB
    loading: float | None = None

    @property
    def answering(self) -> float:
        return max(self.whole - self.reading, 0.0)


def time_ours(command: Path, release: Path, queries: Path) -> float:
    begin = time.perf_counter()
    subprocess.run([command, "query", release, "--file", queries], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


class DuckDb:
    """The original in memory, categories as text as they came."""

    def __init__(self, original: Path):
        import duckdb
        begin = time.perf_counter()
        self.connection = duckdb.connect(config={"threads": os.cpu_count()})
        reader = "read_parquet(?)" if original.suffix == ".parquet" else "read_csv(?, all_varchar = true)"
        self.connection.execute(f"CREATE TABLE original AS FROM {reader}", [str(original)])
        self.loading = time.perf_counter() - begin

    def seconds(self, sql: Path) -> float:
        statements = sql.read_text(encoding="utf-8").splitlines()
        begin = time.perf_counter()
        for statement in statements:
            self.connection.execute(statement).fetchone()
        return time.perf_counter() - begin


def measure_speed(command: Path, original: Path, release: Path, workload: Workload, runs: int, with_duckdb: bool) -> Speed:
    with tempfile.TemporaryDirectory() as place:
        ours, sql = write_queries(original, workload, Path(place))
        one = Path(place) / "one.txt"
        one.write_text(ours.read_text(encoding="utf-8").splitlines()[0] + "\n", encoding="utf-8")
        duckdb = DuckDb(original) if with_duckdb else None
        whole, reading, counting = [], [], []
        for _ in range(runs):
            whole.append(time_ours(command, release, ours))
            reading.append(time_ours(command, release, one))
            if duckdb:
                counting.append(duckdb.seconds(sql))
    median = statistics.median
    if not duckdb:
        return Speed(median(whole), median(reading))
    return Speed(median(whole), median(reading), median(counting), duckdb.loading)


def table_of_speed(speeds: dict[str, Speed], queries: int) -> str:
    """The bar is on `whole over counts`: everything of ours over the counts alone of DuckDB."""
    header = ["release", f"pentimento, {queries:,} counts, s", "of it answering, s", "DuckDB loads, s", "DuckDB counts, s",
              "whole over counts", "answering over counts", "whole over loading and counts"]
    lines = []
    for name, speed in speeds.items():
        line = [name, f"{speed.whole:.2f}", f"{speed.answering:.2f}"]
        if speed.counting is not None:
            line += [f"{speed.loading:.2f}", f"{speed.counting:.2f}", f"{speed.whole / speed.counting:.3f}",
                     f"{speed.answering / speed.counting:.3f}", f"{speed.whole / (speed.loading + speed.counting):.3f}"]
        lines.append(line + [""] * (len(header) - len(line)))
    return markdown(header, lines)


def speed(arguments: argparse.Namespace) -> int:
    measured = measure_speed(arguments.command, arguments.original, arguments.release, workload_of(arguments), arguments.runs,
                             not arguments.no_duckdb)
    print(table_of_speed({arguments.release.name: measured}, arguments.queries))
    if measured.counting is None:
        return 0
    ratio = measured.whole / measured.counting
    print(f"whole command over DuckDB's counts, at most {BAR} is wanted: {'PASS' if ratio <= BAR else 'MISS'}")
    return 0 if ratio <= BAR else 1


class Sweeps:
    """Releases of Adult, each made once, and what they say to random counts. Every form is asked the same ones."""

    def __init__(self, arguments: argparse.Namespace, place: Path):
        self.arguments, self.place = arguments, place
        self.rows = adult_alpha_k.read_rows(arguments.adult)
        random.Random(1).shuffle(self.rows)

    def error(self, form: str, method: str, *, d: int, qd: int, s: float, n: int, k: int, alpha: str) -> float:
        folder = self.place / f"{form}-{method}-{d}-{n}-{k}-{alpha.replace('/', '-')}"
        if not folder.exists():
            folder.mkdir()
            adult_alpha_k.write_rows(folder, self.rows[:n])
            columns = adult_alpha_k.columns_text(quasi=adult_alpha_k.QUASI[:d])
            promise = adult_alpha_k.promise_text(form, method, alpha, k)
            (folder / "policy.toml").write_text(columns + promise, encoding="utf-8")
            run(self.arguments.command, "release", folder / "policy.toml", "--ledger", folder / "ledger", "--out", folder / "out",
                "--seed", "1", "--json")
        measured = run(self.arguments.command, "metrics", "--original", folder / "adult.csv", "--release", folder / "out" / "adult",
                       "--json", "--queries", str(self.arguments.queries), "--dimensions", str(qd), "--selectivity", str(s))
        return measured["query_error"]["average"]


def run(command: Path, *words) -> dict:
    done = subprocess.run([command, *words], check=False, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"query_workload.py: {words[0]} ended with {done.returncode}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def sweep(arguments: argparse.Namespace) -> int:
    """Exit code 1 where some other form has a lower error than two tables by partition at any point."""
    titles = [title for title, _, _ in FORMS]
    tables, is_lowest = [], True
    with tempfile.TemporaryDirectory(dir=arguments.work) as place:
        sweeps = Sweeps(arguments, Path(place))
        defaults = {"d": 8, "qd": 4, "s": 0.05, "n": len(sweeps.rows), "k": 2, "alpha": "1/3"}
        steps = {"d": (4, 5, 6, 7, 8), "qd": (1, 2, 4, 6, 8), "s": (0.01, 0.03, 0.05, 0.1, 0.2),
                 "n": tuple(defaults["n"] * part // 5 for part in range(1, 6)),
                 "k": (2, 5, 10, 20, 50), "alpha": ("1/2", "1/3", "1/4", "1/5", "1/6")}
        for name, values in steps.items():
            lines = []
            for value in values:
                errors = [sweeps.error(form, method, **{**defaults, name: value}) for _, form, method in FORMS]
                lowest = titles[errors.index(min(errors))]
                is_lowest = is_lowest and lowest == titles[0]
                lines.append([f"{value:,}" if name == "n" else str(value), *(f"{error:.2%}" for error in errors), lowest])
                print(name, *lines[-1], file=sys.stderr)
            tables.append(markdown([name, *titles, "lowest"], lines))
    show("\n".join(tables), arguments.out)
    return 0 if is_lowest else 1


@dataclass(frozen=True)
class Source:
    """A table and the beginning of its policy, in a folder of their own."""

    folder: Path
    table: Path
    release: str
    columns: str
    policies: tuple[tuple[str, int], ...]  # alpha, k


def source_of(arguments: argparse.Namespace, folder: Path) -> Source:
    if arguments.generated:
        words = [arguments.command, "generate", folder, "--rows", str(arguments.generated)]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        columns = (folder / "policy.toml").read_text(encoding="utf-8").partition("[[guarantee]]")[0]
        # A fifth of these people have the flu: 1/5 cannot be promised.
        return Source(folder, folder / "people.csv", "people-q1", columns, (("1/3", 2), ("1/4", 10)))
    if arguments.rows:
        table = adult_alpha_k.write_large(arguments.adult, folder, arguments.rows, "csv")
    else:
        table = adult_alpha_k.write_rows(folder, adult_alpha_k.read_rows(arguments.adult))
    columns = adult_alpha_k.columns_text(has_persons=bool(arguments.rows))
    # 0.33 is the paper's alpha. It is below 1/3: a class of three different values breaks it.
    return Source(folder, table, "adult", columns, (("1/3", 2), ("0.33", 2), ("1/5", 10)))


def measured_losses(arguments: argparse.Namespace, source: Source, promise: str) -> list[str]:
    out, policy = source.folder / "out", source.folder / "measured.toml"
    policy.write_text(source.columns + promise, encoding="utf-8")
    ledger = source.folder / "ledger"
    run(arguments.command, "release", policy, "--ledger", ledger, "--out", out, "--seed", "1", "--json")
    measured = run(arguments.command, "metrics", "--original", source.table, "--release", out / source.release, "--json", "--queries",
                   str(arguments.queries))
    shutil.rmtree(out)
    shutil.rmtree(ledger)
    metrics, error = measured["metrics"], measured["query_error"]
    return [f"{metrics['classes']:,}", f"{metrics['largest_class']:,}", f"{metrics['discernibility']:,}", f"{metrics['ncp_percent']:.2f}",
            f"{error['average']:.2%}", f"{error['median']:.2%}", f"{error['naive_average']:.2%}"]


def methods(arguments: argparse.Namespace) -> int:
    """What each form and method loses of one table, at each policy."""
    lines = []
    with tempfile.TemporaryDirectory(dir=arguments.work) as place:
        source = source_of(arguments, Path(place))
        for alpha, k in source.policies:
            for title, form, method in (*FORMS, (SETS, "generalized", "partition")):
                promise = adult_alpha_k.promise_text(form, method, alpha, k, categories="sets" if title == SETS else None)
                lines.append([f"{alpha}, {k}", title, *measured_losses(arguments, source, promise)])
                print(*lines[-1], file=sys.stderr)
    show(markdown(["alpha, k", "form", "classes", "largest", "discernibility", "NCP, %", "relative error, average", "median",
                   "average of the paper's own estimate"], lines), arguments.out)
    return 0


def dealt_at_random(rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The same rows and the same occupations, which say nothing about each other any more."""
    values = [row[adult_alpha_k.SENSITIVE] for row in rows]
    random.Random(2).shuffle(values)
    return [{**row, adult_alpha_k.SENSITIVE: value} for row, value in zip(rows, values)]


def answers_of(arguments: argparse.Namespace, folder: Path, form: str, method: str, queries: Path) -> list[dict]:
    """What a release of folder/adult.csv says to the queries, those left out that it answers exactly."""
    policy, out = folder / "policy.toml", folder / f"{form}-{method}"
    policy.write_text(adult_alpha_k.columns_text() + adult_alpha_k.promise_text(form, method, "1/3", 2), encoding="utf-8")
    run(arguments.command, "release", policy, "--ledger", folder / f"ledger-{form}-{method}", "--out", out, "--seed", "1", "--json")
    said = run(arguments.command, "query", out / "adult", "--file", queries, "--against", folder / "adult.csv", "--json")
    return [answer for answer in said["answers"] if not answer["exact"]]


def coverage(arguments: argparse.Namespace) -> int:
    lines, is_certain = [], True
    rows = adult_alpha_k.read_rows(arguments.adult)
    workload = Workload(adult_alpha_k.QUASI, adult_alpha_k.SENSITIVE, arguments.queries)
    for table, of_table in (("as it is", rows), ("occupations at random", dealt_at_random(rows))):
        with tempfile.TemporaryDirectory(dir=arguments.work) as place:
            folder = Path(place)
            queries, _ = write_queries(adult_alpha_k.write_rows(folder, of_table), workload, folder)
            for title, form, method in FORMS:
                answers = answers_of(arguments, folder, form, method, queries)
                inside = sum(a["low"] <= a["true"] <= a["high"] for a in answers)
                certain = sum(a["at_least"] <= a["true"] <= a["at_most"] for a in answers)
                is_certain = is_certain and certain == len(answers)
                errors = [abs(a["true"] - a["estimate"]) / a["standard_error"] for a in answers if a["standard_error"] > 0]
                lines.append([table, title, f"{inside:,} of {len(answers):,}", f"{inside / len(answers):.1%}",
                              f"{statistics.median(errors):.2f}", f"{certain:,} of {len(answers):,}"])
                print(*lines[-1], file=sys.stderr)
    show(markdown(["Adult", "form", "inside of the 95 % interval", "share", "median of error / standard error", "inside of what is certain"],
                  lines), arguments.out)
    return 0 if is_certain else 1


def show(text: str, out: Path | None) -> None:
    print(text)
    if out:
        out.write_text(text, encoding="utf-8")


def add_workload(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("original", type=Path)
    parser.add_argument("--quasi", required=True, type=lambda text: text.split(","), help="names, with commas between them")
    parser.add_argument("--sensitive", required=True)
    parser.add_argument("--dimensions", type=int, default=4)
    parser.add_argument("--selectivity", type=float, default=0.05)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)


def main() -> int:
    parser = argparse.ArgumentParser(description="Random counts over a release: speed and error.")
    parser.add_argument("--command", type=Path, default=COMMAND, help="what runs as pentimento (build/pentimento)")
    steps = parser.add_subparsers(dest="step", required=True)
    write = steps.add_parser("write")
    add_workload(write)
    write.add_argument("--out", type=Path, required=True)
    fast = steps.add_parser("speed")
    add_workload(fast)
    fast.add_argument("release", type=Path)
    fast.add_argument("--runs", type=int, default=3)
    fast.add_argument("--no-duckdb", action="store_true")
    for name in ("sweep", "methods", "coverage"):
        right = steps.add_parser(name)
        right.add_argument("adult", type=Path, help="folder with adult.data and adult.test")
        right.add_argument("--queries", type=int, default=1000)
        right.add_argument("--work", type=Path, help="folder for temporary files")
        right.add_argument("--out", type=Path, help="also write the tables into this file")
        if name == "methods":
            right.add_argument("--rows", type=int, help="enlarge Adult to so many")
            right.add_argument("--generated", type=int, help="instead of Adult, so many people made up by pentimento generate")
    arguments = parser.parse_args()
    if arguments.step == "write":
        for path in write_queries(arguments.original, workload_of(arguments), arguments.out):
            print(path)
        return 0
    return {"speed": speed, "sweep": sweep, "methods": methods, "coverage": coverage}[arguments.step](arguments)


if __name__ == "__main__":
    sys.exit(main())
