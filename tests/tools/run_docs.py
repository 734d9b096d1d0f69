#!/usr/bin/env python3
"""Runs the code blocks of README.md and docs/guide/*.md, so that what readers are told is true.

    tests/tools/run_docs.py [--command FILE] [DOCUMENT ...]

Per document there is one temporary folder and one bash, so blocks build on each other as they do for a reader:

  ```console   Lines `$ command` (continued by lines `> ...`), each followed by what it prints, standard error included.
               A line `...` stands for any lines, `...` inside a line for any text. A command must exit with 0, unless
               the next one is `$ echo $?`, which shows the code.
  ```sh        A script, run with `set -e`, its output not looked at.
  others       Shown only. With `<!-- file: NAME -->` on the line before, written to that file.

A line `<!-- not run: reason -->` before a block skips it, and the skip is printed. The command is there as
`pentimento` and as `build/pentimento`. The folders of docs/guide/ (examples) are there as in the repository.
"""

import argparse
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from dataclasses import dataclass
from pathlib import Path

from line_patterns import BadPattern, describe_difference, matches, split_lines, to_text
from run_scenarios import make_environment

ROOT = Path(__file__).resolve().parents[2]
TIMEOUT_SECONDS = 120  # for one command
# Near misses: a block that its author believes is run, and that is not, would be worse than none.
MISTAKEN = {"bash", "shell", "shell-session", "zsh", "terminal"}

FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*([^\s`]*)[^`]*$")
MARK = re.compile(r"^\s*<!--\s*(not run|file):\s*(.*?)\s*-->\s*$")


def copy_examples(folder):
    """Copies the folders of docs/guide/, without what a reader's own run has left in them."""
    for example in sorted(path for path in (ROOT / "docs" / "guide").iterdir() if path.is_dir()):
        shutil.copytree(example, folder / "docs" / "guide" / example.name,
                        ignore=lambda place, names: [name for name in names if (Path(place) / name).is_dir()])


class Failed(Exception):
    """A block does not do what the document says."""


@dataclass
class Block:
    line: int
    language: str
    lines: list[str]
    mark: str = ""  # "not run" or "file"
    mark_text: str = ""


@dataclass
class Command:
    line: int
    script: str
    expected: list[str]


def find_blocks(text):
    """The fenced blocks of a document, each with the mark on the line before it."""
    blocks = []
    lines = text.split("\n")
    at = 0
    mark = ("", "")
    while at < len(lines):
        if opening := FENCE.match(lines[at]):
            indent, fence, language = opening.groups()
            start = at + 1
            at = start
            while at < len(lines) and not re.fullmatch(rf" *{fence[0]}{{{len(fence)},}}\s*", lines[at]):
                at += 1
            if at == len(lines):
                raise Failed(f"line {start}: this block has no end")
            body = [line.removeprefix(indent) for line in lines[start:at]]
            blocks.append(Block(start, language, body, *mark))
        if lines[at].strip():
            found = MARK.match(lines[at])
            mark = (found[1], found[2]) if found else ("", "")
        at += 1
    return blocks


def split_commands(block):
    """The commands of a console block, each with the output that the document shows."""
    commands = []
    for number, line in enumerate(block.lines, start=block.line + 1):
        if line == "$" or line.startswith("$ "):
            commands.append(Command(number, line[2:], []))
        elif not commands:
            raise Failed(f"line {number}: a console block begins with a line '$ command'")
        elif (line == ">" or line.startswith("> ")) and not commands[-1].expected:
            commands[-1].script += "\n" + line[2:]
        else:
            commands[-1].expected.append(line)
    for command in commands:
        # A blank line before the next command is there for the eye.
        while command.expected and command.expected[-1] == "":
            command.expected.pop()
    return commands


class Shell:
    """A bash that stays: folder and variables last from block to block."""

    def __init__(self, folder, environment):
        self.script = folder.parent / "script"
        self.process = subprocess.Popen(
            ["bash", "--norc", "--noprofile"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.code = 0

    def run(self, script, stop_at_error):
        """Runs a script in the shell. Returns its output; its exit code is in self.code."""
        marker = f"end-{uuid.uuid4().hex}"
        self.script.write_text(script + "\n", encoding="utf-8")
        # A console command finds the exit code of the one before it in $?, as at a prompt.
        before = "set -e" if stop_at_error else f"(exit {self.code})"
        self.process.stdin.write(
            f"{before}; source {self.script} </dev/null\nprintf '%s %d\\n' {marker} $?; set +e\n".encode())
        self.process.stdin.flush()
        return self.read_until(marker.encode())

    def read_until(self, marker):
        output = b""
        end = re.compile(re.escape(marker) + rb" (\d+)\n")
        deadline = time.monotonic() + TIMEOUT_SECONDS
        while not (found := end.search(output)):
            ready, _, _ = select.select([self.process.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise Failed(f"took longer than {TIMEOUT_SECONDS} s\n{to_text(output)}")
            chunk = os.read(self.process.stdout.fileno(), 65536)
            if not chunk:
                raise Failed(f"the shell ended with exit code {self.process.wait()}\n{to_text(output)}")
            output += chunk
        self.code = int(found[1])
        return to_text(output[:found.start()])

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()


def run_console(block, shell):
    commands = split_commands(block)
    for number, command in enumerate(commands):
        output = split_lines(shell.run(command.script, stop_at_error=False))
        while output and output[-1] == "":
            output.pop()
        if not matches(command.expected, output):
            difference = describe_difference(command.expected, output)
            raise Failed("\n".join([f"line {command.line}: $ {command.script}", *difference]))
        is_shown = number + 1 < len(commands) and commands[number + 1].script.strip() == "echo $?"
        if shell.code != 0 and not is_shown:
            raise Failed(f"line {command.line}: $ {command.script}\nexit code {shell.code}; if that is meant, let "
                         f"`$ echo $?` follow")


def run_block(block, shell, folder):
    if block.mark == "file":
        path = folder / block.mark_text
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line + "\n" for line in block.lines), encoding="utf-8")
    elif block.language == "console":
        run_console(block, shell)
    elif block.language == "sh":
        try:
            shell.run("\n".join(block.lines), stop_at_error=True)
        except Failed as failure:
            raise Failed(f"line {block.line}: {failure}") from failure


def run_document(document, command):
    """Runs one document. Returns how many blocks were run; raises Failed at the first that is wrong."""
    done = 0
    with tempfile.TemporaryDirectory(prefix="pentimento-docs-") as place:
        folder, tools, home = (Path(place).resolve() / name for name in ("work", "tools", "home"))
        home.mkdir()
        for part in (folder / "build", tools):
            part.mkdir(parents=True)
            (part / "pentimento").symlink_to(command)
        copy_examples(folder)
        shell = Shell(folder, make_environment(tools, home))
        try:
            for block in find_blocks(document.read_text(encoding="utf-8")):
                if block.mark == "not run":
                    if not block.mark_text:
                        raise Failed(f"line {block.line}: a block that is not run needs a reason")
                    print(f"not run: {os.path.relpath(document)}:{block.line}: {block.mark_text}")
                elif block.language in MISTAKEN:
                    raise Failed(f"line {block.line}: '{block.language}' blocks are not run; call it sh or console")
                elif block.mark == "file" or block.language in ("console", "sh"):
                    run_block(block, shell, folder)
                    done += 1
        finally:
            shell.close()
    return done


def main():
    parser = argparse.ArgumentParser(description="Run the code blocks of README.md and docs/guide/*.md.")
    parser.add_argument("documents", nargs="*", type=Path,
                        default=[ROOT / "README.md", *sorted((ROOT / "docs" / "guide").glob("*.md"))])
    parser.add_argument("--command", type=Path, default=ROOT / "build" / "pentimento", metavar="FILE",
                        help="what runs as pentimento (build/pentimento)")
    arguments = parser.parse_args()
    command = arguments.command.resolve()
    if not os.access(command, os.X_OK):
        parser.error(f"there is no command {command}: run make build, or name one with --command")
    done = failed = 0
    for document in arguments.documents:
        try:
            done += run_document(document, command)
        except (Failed, BadPattern, OSError) as failure:
            failed += 1
            print(f"FAILED {os.path.relpath(document)}: " + str(failure).replace("\n", "\n  ") + "\n")
    print(f"documents: {len(arguments.documents) - failed} hold, {failed} do not ({done} blocks run)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
