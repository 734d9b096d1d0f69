#!/usr/bin/env python3
"""Runs the scenarios, text files that drive the command and say what must come of it.

tests/scenarios/README.md tells the format. Only the standard library is needed.

    tests/tools/run_scenarios.py [--filter TEXT] [--keep] [--jobs N] [--command FILE] [FOLDER or FILE ...]
"""

import argparse
import concurrent.futures
import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from line_patterns import BadPattern, describe_difference, matches, split_lines, to_text

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 60
SHOWN_LINES = 60  # of a stream, when an expectation about it fails


class BadScenario(Exception):
    """The scenario file itself is wrong."""


class Failed(Exception):
    """An expectation does not hold."""


@dataclass
class Step:
    line: int
    word: str
    rest: str
    block: list[str] = field(default_factory=list)


@dataclass
class Outcome:
    command: str
    code: int
    stdout: bytes
    stderr: bytes


# ---- reading ----------------------------------------------------------------------------------------------------


def parse(text):
    """The steps of a scenario, in order. Lines that begin with | belong to the step above them."""
    steps = []
    for number, line in enumerate(split_lines(text), start=1):
        if line == "|" or line.startswith("| "):
            if not steps:
                raise BadScenario(f"line {number}: this block belongs to no step")
            steps[-1].block.append(line[2:])
        elif line.strip() and not line.startswith("#"):
            word, _, rest = line.partition(" ")
            if word not in STEPS:
                raise BadScenario(f"line {number}: unknown step '{word}'; known are {', '.join(STEPS)}")
            steps.append(Step(number, word, rest.strip()))
    if not any(step.word == "run" for step in steps):
        raise BadScenario("nothing is run")
    return steps


ESCAPE = re.compile(rb"\\(x[0-9a-fA-F]{2}|[nrt0\\\n])?")
ESCAPED_BYTES = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\", b"\n": b""}


def unescape(data):
    """\\xNN, \\n, \\r, \\t, \\0 and \\\\ become bytes; a backslash that ends a line takes the newline with it."""

    def replace(match):
        escape = match[1]
        if escape is None:
            raise BadScenario("a backslash must begin one of \\xNN \\n \\r \\t \\0 \\\\ or end the line")
        return bytes([int(escape[1:], 16)]) if escape.startswith(b"x") else ESCAPED_BYTES[escape]

    return ESCAPE.sub(replace, data)


COUNTER = re.compile(r"\{i((?:[-+*/%]\d+)*)\}")


def count_into(line, i):
    """Replaces {i} by the number of the repetition, and {i/3%7+20} by what that is, reckoned from left to right."""

    def replace(match):
        value = i
        for operator, digits in re.findall(r"([-+*/%])(\d+)", match[1]):
            operand = int(digits)
            if operator in "/%" and operand == 0:
                raise BadScenario("division by zero in {i...}")
            value = {
                "+": lambda a, b: a + b,
                "-": lambda a, b: a - b,
                "*": lambda a, b: a * b,
                "/": lambda a, b: a // b,
                "%": lambda a, b: a % b,
            }[operator](value, operand)
        return str(value)

    return COUNTER.sub(replace, line)


def content_of(step, options):
    """The bytes that a file or append step describes."""
    lines = step.block
    escaped = False
    while options:
        option = options.pop(0)
        if option == "escaped":
            escaped = True
        elif option == "repeat" and options and options[0].isdigit():
            times = int(options.pop(0))
            lines = [count_into(line, i) for i in range(times) for line in step.block]
        else:
            raise BadScenario(f"'{option}' is no option of {step.word}: escaped, repeat N")
    data = "".join(line + "\n" for line in lines).encode()
    return unescape(data) if escaped else data


# ---- doing ------------------------------------------------------------------------------------------------------


class Stage:
    """One scenario at work in a folder of its own."""

    def __init__(self, scenario, folder, environment, deadline):
        self.scenario = scenario
        self.folder = folder
        self.environment = environment
        self.deadline = deadline
        self.last = None
        self.code_is_expected = True

    def perform(self, step):
        try:
            STEPS[step.word](self, step)
        except Failed as failure:
            if step.word in ("run", "exit"):
                raise
            raise Failed(f"{failure}\n{report_run(self.last, f'the run had exit code {self.last.code}')}") from failure
        except (BadScenario, BadPattern) as problem:
            raise BadScenario(f"line {step.line}: {problem}") from problem

    def finish(self):
        """A run that nobody asked about must have gone well."""
        if not self.code_is_expected:
            self.expect_code(0)

    def path(self, name):
        path = Path(os.path.normpath(self.folder / name))
        if not path.is_relative_to(self.folder):
            raise BadScenario(f"{name} lies outside the scenario's folder")
        return path

    def one_path(self, step):
        words = shlex.split(step.rest)
        if len(words) != 1:
            raise BadScenario(f"{step.word} takes one path")
        return words[0]

    def outcome(self):
        if self.last is None:
            raise BadScenario("an expectation needs a run before it")
        return self.last

    def write(self, step, mode):
        words = shlex.split(step.rest)
        if not words:
            raise BadScenario(f"{step.word} needs the name of the file")
        path = self.path(words[0])
        path.parent.mkdir(parents=True, exist_ok=True)
        with open(path, mode) as file:
            file.write(content_of(step, words[1:]))

    def file(self, step):
        self.write(step, "wb")

    def append(self, step):
        self.write(step, "ab")

    def copy(self, step):
        source = self.scenario.parent / self.one_path(step)
        if not source.exists():
            raise BadScenario(f"there is no {source} to copy")
        target = self.folder / source.name
        if source.is_dir():
            shutil.copytree(source, target)
        else:
            shutil.copyfile(source, target)

    def run(self, step):
        self.finish()
        script = "\n".join([step.rest, *step.block]).strip()
        if not script:
            raise BadScenario("run needs a command")
        self.last = run_script(script, self.folder, self.environment, self.deadline)
        self.code_is_expected = False

    def exit(self, step):
        outcome = self.outcome()
        self.code_is_expected = True
        if step.rest == "nonzero":
            if outcome.code == 0:
                raise Failed(report_run(outcome, "exit code 0, expected another"))
        elif step.rest.isdigit():
            self.expect_code(int(step.rest))
        else:
            raise BadScenario("exit takes a number, or the word nonzero")

    def expect_code(self, code):
        if self.last.code != code:
            raise Failed(report_run(self.last, f"exit code {self.last.code}, expected {code}"))
        self.code_is_expected = True

    def stdout(self, step):
        expect_text(step, "stdout", step.rest, self.outcome().stdout)

    def stderr(self, step):
        expect_text(step, "stderr", step.rest, self.outcome().stderr)

    def content(self, step):
        self.outcome()
        name, _, rest = step.rest.partition(" ")
        found = self.find(name)
        if len(found) != 1 or not found[0].is_file():
            raise Failed(f"{name} must be one file, but the folder holds:\n{self.listing()}")
        expect_text(step, name, rest.strip(), found[0].read_bytes())

    def find(self, pattern):
        """What a path with * and ? in it stands for."""
        self.path(pattern)
        return sorted(self.folder.glob(pattern))

    def exists(self, step):
        self.outcome()
        for pattern in shlex.split(step.rest):
            if not self.find(pattern):
                raise Failed(f"{pattern} does not exist; the folder holds:\n{self.listing()}")

    def absent(self, step):
        self.outcome()
        for pattern in shlex.split(step.rest):
            if self.find(pattern):
                raise Failed(f"{pattern} exists; the folder holds:\n{self.listing()}")

    def same(self, step):
        self.outcome()
        words = shlex.split(step.rest)
        if len(words) != 2:
            raise BadScenario("same takes two files or two folders")
        first, second = (read_tree(self.path(name), name) for name in words)
        for name in sorted(first.keys() | second.keys()):
            if first.get(name) != second.get(name):
                how = "differs" if name in first and name in second else "is in one of them only"
                raise Failed(f"{words[0]} and {words[1]} are not the same: {name or 'the content'} {how}")

    def listing(self):
        entries = sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))
        return "\n".join(f"  {entry}" for entry in entries[:SHOWN_LINES]) or "  nothing"


STEPS = {
    name: getattr(Stage, name)
    for name in ("file append copy run exit stdout stderr content exists absent same").split()
}


def read_tree(path, name):
    """The bytes of a file, or of every file below a folder, by relative name."""
    if path.is_file():
        return {"": path.read_bytes()}
    if not path.is_dir():
        raise Failed(f"{name} does not exist")
    return {str(file.relative_to(path)): file.read_bytes() for file in path.rglob("*") if file.is_file()}


def run_script(script, folder, environment, deadline):
    """Runs a script by bash. Output goes to files, so that a child left behind cannot hold a pipe open for ever."""
    with tempfile.TemporaryFile() as stdout, tempfile.TemporaryFile() as stderr:
        process = subprocess.Popen(
            ["bash", "-c", script],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
            start_new_session=True,
        )
        timed_out = False
        try:
            process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            timed_out = True
        finally:
            # The whole group: what the script left running must not outlive it.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        stdout.seek(0)
        stderr.seek(0)
        outcome = Outcome(script, process.returncode, stdout.read(), stderr.read())
    if timed_out:
        raise Failed(report_run(outcome, f"the scenario took longer than {TIMEOUT_SECONDS} s"))
    if outcome.code < 0:
        outcome.code = 128 - outcome.code  # as a shell reports a death by signal
    return outcome


# ---- comparing --------------------------------------------------------------------------------------------------


def expect_text(step, name, rest, actual):
    """One of: a block of line patterns, `exact` with a block, `contains` or `lacks` with a text or a block."""
    mode, _, text = rest.partition(" ")
    text = text.strip()
    shown = to_text(actual)
    if mode == "":
        if not matches(step.block, split_lines(shown)):
            difference = describe_difference(step.block, split_lines(shown))
            raise Failed("\n".join([f"{name} is not as expected:", *indent(difference)]))
    elif mode == "exact" and not text:
        expected = "".join(line + "\n" for line in step.block)
        if actual != expected.encode():
            difference = describe_difference([repr(x) for x in expected.splitlines(True)],
                                             [repr(x) for x in shown.splitlines(True)])
            raise Failed("\n".join([f"{name} is not exactly as expected:", *indent(difference)]))
    elif mode in ("contains", "lacks"):
        wanted = ([text] if text else []) + step.block
        if not wanted:
            raise BadScenario(f"{name} {mode} what?")
        for part in wanted:
            if (part in shown) != (mode == "contains"):
                verb = "lacks" if mode == "contains" else "contains"
                raise Failed("\n".join([f"{name} {verb}: {part}", f"{name} is:", *indent(shorten(shown))]))
    else:
        raise BadScenario(f"{name} takes a block, or one of exact, contains TEXT, lacks TEXT")


def indent(lines):
    return [f"  {line}" for line in lines]


def shorten(text):
    lines = split_lines(text)
    if not lines:
        return ["(empty)"]
    hidden = len(lines) - SHOWN_LINES
    return lines if hidden <= 0 else [*lines[:SHOWN_LINES], f"(and {hidden} more lines)"]


def report_run(outcome, what):
    return "\n".join([
        what,
        "command:", *indent(split_lines(outcome.command)),
        "stdout:", *indent(shorten(to_text(outcome.stdout))),
        "stderr:", *indent(shorten(to_text(outcome.stderr))),
    ])


# ---- all of them ------------------------------------------------------------------------------------------------


def make_environment(tools, home):
    """What a command sees of the machine: as little as possible, so that scenarios mean the same everywhere."""
    environment = {
        name: value for name, value in os.environ.items()
        if not name.startswith(("PENTIMENTO_", "LC_")) and name not in ("LANGUAGE", "NO_COLOR", "BASH_ENV")
    }
    python = ROOT / ".venv" / "bin"
    path = [str(tools), *([str(python)] if python.is_dir() else []), environment.get("PATH", os.defpath)]
    return environment | {
        "PATH": os.pathsep.join(path),
        "HOME": str(home),
        "TMPDIR": str(home),
        "LANG": "C.UTF-8",
        "LC_ALL": "C.UTF-8",
        "TERM": "dumb",
    }


def remove_folder(folder):
    """Removes a folder that a scenario may have locked. From the top down, so that each folder opens before it is read."""
    for path, folders, _ in os.walk(folder):
        for name in folders:
            inner = os.path.join(path, name)
            if not os.path.islink(inner):
                os.chmod(inner, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def run_scenario(scenario, tools, keep):
    """Nothing when the scenario holds, otherwise what is wrong with it."""
    place = Path(tempfile.mkdtemp(prefix="pentimento-scenario-")).resolve()
    folder, home = place / "work", place / "home"
    folder.mkdir()
    home.mkdir()
    problem = None
    try:
        stage = Stage(scenario, folder, make_environment(tools, home), time.monotonic() + TIMEOUT_SECONDS)
        problem = play(scenario, stage)
        if problem and keep:
            problem += f"\nkept: {folder}"
    finally:
        if not (problem and keep):
            remove_folder(place)
    return problem


def play(scenario, stage):
    line = 0
    try:
        for step in parse(scenario.read_text(encoding="utf-8")):
            line = step.line
            stage.perform(step)
        stage.finish()
    except Failed as failure:
        return f"line {line}: {failure}"
    except (BadScenario, OSError, UnicodeDecodeError, ValueError) as problem:
        return f"the scenario itself is wrong: {problem}"
    return None


def title_of(scenario):
    first = scenario.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    return first.lstrip("# ") if first.startswith("#") else ""


def find_scenarios(places, text):
    found = []
    for place in places:
        found += sorted(place.rglob("*.txt")) if place.is_dir() else [place]
    return [path for path in found if text is None or text in str(path) or text in title_of(path)]


def run_all(scenarios, command, jobs, keep):
    """How many failed; says of each what is wrong, in the order of the files."""
    failed = 0
    with tempfile.TemporaryDirectory(prefix="pentimento-tools-") as tools:
        os.symlink(command, os.path.join(tools, "pentimento"))
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            problems = pool.map(lambda scenario: run_scenario(scenario, tools, keep), scenarios)
            for scenario, problem in zip(scenarios, problems):
                if problem:
                    failed += 1
                    print(f"FAILED {os.path.relpath(scenario)}: {title_of(scenario)}")
                    print("\n".join(indent(problem.split("\n"))) + "\n", flush=True)
    return failed


def main():
    parser = argparse.ArgumentParser(description="Run the scenarios of tests/scenarios.")
    parser.add_argument("places", nargs="*", type=Path, default=[ROOT / "tests" / "scenarios"],
                        metavar="FOLDER_OR_FILE")
    parser.add_argument("--filter", metavar="TEXT", help="only scenarios with this in path or title")
    parser.add_argument("--keep", action="store_true", help="keep the folders of failing scenarios, and say where")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="scenarios at a time (2)")
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "pentimento", metavar="FILE",
                        help="what runs as pentimento (build/pentimento)")
    arguments = parser.parse_args()
    command = arguments.command.resolve()
    if not os.access(command, os.X_OK):
        parser.error(f"there is no command {command}: run make build, or name one with --command")
    missing = [str(place) for place in arguments.places if not place.exists()]
    if missing:
        parser.error(f"not found: {', '.join(missing)}")
    scenarios = find_scenarios(arguments.places, arguments.filter)
    if not scenarios:
        parser.error("no scenario was found, and running none proves nothing")
    failed = run_all(scenarios, command, arguments.jobs, arguments.keep)
    print(f"{len(scenarios) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
