"""Compares output with expected lines that may leave things open.

A line `...` stands for any number of lines, also none; `...` inside a line for any text; a line `/regex/` must match
as a whole. Everything else is meant literally.
"""

import difflib
import re

ANY_LINES = "..."


class BadPattern(ValueError):
    """The expected text itself is wrong, whatever the output is."""


def to_text(data):
    """Output as text. Bytes that are no UTF-8 show as \\xNN, so that they can be seen and be expected."""
    return data.decode("utf-8", errors="backslashreplace")


def split_lines(text):
    """Lines without their ends. A last line without a newline counts like one with it."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def compile_line(pattern):
    if len(pattern) > 2 and pattern[0] == pattern[-1] == "/":
        try:
            return re.compile(pattern[1:-1])
        except re.error as error:
            raise BadPattern(f"{pattern} is no regular expression: {error}") from error
    return re.compile(".*".join(re.escape(part) for part in pattern.split(ANY_LINES)), re.DOTALL)


def matches(patterns, lines):
    """Whether the lines fit the patterns. Greedy with one step back, as for wildcards in file names."""
    compiled = [None if pattern == ANY_LINES else compile_line(pattern) for pattern in patterns]
    at_pattern = at_line = 0
    resume_pattern = resume_line = None
    while at_line < len(lines):
        if at_pattern < len(compiled) and compiled[at_pattern] is None:
            at_pattern += 1
            resume_pattern, resume_line = at_pattern, at_line
        elif at_pattern < len(compiled) and compiled[at_pattern].fullmatch(lines[at_line]):
            at_pattern += 1
            at_line += 1
        elif resume_pattern is not None:
            resume_line += 1
            at_pattern, at_line = resume_pattern, resume_line
        else:
            return False
    return all(pattern is None for pattern in compiled[at_pattern:])


def describe_difference(patterns, lines):
    """A diff for people: patterns that fit a line are shown as that line, so only what is wrong stands out."""
    unused = list(lines)
    expected = []
    for pattern in patterns:
        fitting = None
        if pattern != ANY_LINES:
            fitting = next((line for line in unused if compile_line(pattern).fullmatch(line)), None)
        if fitting is None:
            expected.append(pattern)
        else:
            expected.append(fitting)
            unused.remove(fitting)
    diff = difflib.unified_diff(expected, lines, "expected", "actual", lineterm="", n=3)
    return list(diff) or ["the lines fit, but not in this order"]
