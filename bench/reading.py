"""Reading a table as people have it: other separators, other encodings, compressed. The same generated people every time.

The yardstick is reading them as plain CSV, in turn with the others in the same run, and for gzip what gunzip takes alone.
"""

import shutil
import statistics
import subprocess
import time
from pathlib import Path

from measure import LARGE, Bar, Options, Report, at_most, markdown, median_and_best, release_afresh, run_silently, say

OTHER_TEXT = 1.2  # over plain
SAID = 1.05  # found out, over said by the policy
TEXT = {"semicolon": ("utf-8", ";"), "windows-1252": ("windows-1252", ","), "utf-16": ("utf-16", ",")}


def write_variants(project: Path) -> dict[str, Path]:
    """A policy for each way to write the table. One cell in every row has a letter that no ASCII has."""
    plain, policy = project / "people.csv", (project / "policy.toml").read_text(encoding="utf-8")
    with plain.open(encoding="utf-8") as rows, (project / "accents.csv").open("w", encoding="utf-8") as out:
        out.writelines(row.replace(",BP ", ",Bé ") for row in rows)
    policies = {}

    def add(name: str, file: str, keys: str = "") -> None:
        policies[name] = project / f"{name}.toml"
        policies[name].write_text(policy.replace('path = "people.csv"', f'path = "{file}"\n{keys}'), encoding="utf-8")

    add("plain", "accents.csv")
    add("plain, said", "accents.csv", 'separator = ","\nencoding = "utf-8"')
    for name, (encoding, separator) in TEXT.items():
        with (project / "accents.csv").open(encoding="utf-8") as rows, (project / f"{name}.csv").open("w", encoding=encoding) as out:
            out.writelines(row if separator == "," else row.replace(",", separator) for row in rows)
        add(name, f"{name}.csv", f'encoding = "{encoding}"')
    run_silently(["gzip", "-k", project / "accents.csv"])
    add("gzip", "accents.csv.gz")
    return policies


def seconds_of_gunzip(file: Path) -> float:
    begin = time.perf_counter()
    subprocess.run(["gunzip", "-c", str(file)], stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - begin


def measure_rows(options: Options, rows: int) -> tuple[list[list[str]], list[Bar]]:
    project = options.work / "people"
    say(f"reading, {rows:,} rows: generating")
    run_silently([options.program, "generate", project, "--rows", rows, "--seed", "1", "--format", "csv"])
    try:
        policies = write_variants(project)
        read = {name: [] for name in policies}
        gunzip = []
        for turn in range(1, max(options.repeat, 3) + 1):
            for name, policy in policies.items():
                read[name].append(release_afresh(options.program, policy, options.work).report["seconds"]["read"])
            gunzip.append(seconds_of_gunzip(project / "accents.csv.gz"))
            say(f"reading, {rows:,} rows: {turn}: " + ", ".join(f"{name} {times[-1]:.2f} s" for name, times in read.items()))
    finally:
        shutil.rmtree(project)
    median = {name: statistics.median(times) for name, times in read.items()}
    lines = [[f"{rows:,}", name, median_and_best(times), f"{median[name] / median['plain']:.2f}"] for name, times in read.items()]
    lines.append([f"{rows:,}", "gunzip alone", median_and_best(gunzip), ""])
    title = f"reading, {rows:,} rows"
    bars = [at_most(f"{title}: found out, over said", median["plain"] / median["plain, said"], SAID),
            at_most(f"{title}: gzip, over plain and gunzip", median["gzip"] / (median["plain"] + statistics.median(gunzip)), 1.0)]
    if rows >= LARGE:
        bars += [at_most(f"{title}: {name}, over plain", median[name] / median["plain"], OTHER_TEXT) for name in ("semicolon", "windows-1252")]
    return lines, bars


def measure(options: Options) -> Report:
    report, lines = Report(), []
    for rows in options.rows:
        more, bars = measure_rows(options, rows)
        lines += more
        report.bars += bars
    report.parts.append(markdown(["rows", "the table is", "reading it, s", "over plain"], lines))
    return report
