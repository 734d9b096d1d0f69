"""A policy as TOML, one key on each line, so that a place in the text is a path to a key."""

from __future__ import annotations

import datetime
import json
import math
import operator
import os
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, SupportsIndex, cast

TABLES = ("input", "publish")
LISTS_OF_TABLES = ("guarantee", "impossible")


def key(name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"names in a policy are texts, and {name!r} is of type {type(name).__name__}")
    return text(name)


def text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(given: Any) -> str:
    """One value, on one line."""
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int):
        return str(given)
    if isinstance(given, float):
        if not math.isfinite(given):
            raise ValueError(f"{given} is no number that a policy can hold")
        return repr(given)
    if isinstance(given, Fraction):
        return text(f"{given.numerator}/{given.denominator}")
    if isinstance(given, (str, os.PathLike)):
        return text(os.fspath(given))
    if type(given) is datetime.date:
        return given.isoformat()
    if isinstance(given, Mapping):
        inner = cast("Mapping[Any, Any]", given)
        return "{ " + ", ".join(f"{key(name)} = {value(item)}" for name, item in inner.items()) + " }"
    if isinstance(given, Sequence):
        return "[" + ", ".join(value(item) for item in cast("Sequence[Any]", given)) + "]"
    if isinstance(given, SupportsIndex):  # whole numbers of other libraries
        return str(operator.index(given))
    raise TypeError(f"a policy cannot hold a value of type {type(given).__name__}")


def document(policy: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The text, and for each of its lines the path to what it holds."""
    lines: list[str] = []
    paths: list[str] = []

    def add(line: str, path: str) -> None:
        lines.append(line)
        paths.append(path)

    tables: dict[str, Mapping[Any, Any]] = {name: item for name, item in policy.items() if isinstance(item, Mapping)}
    lists: dict[str, Sequence[Any]] = {
        name: policy[name] for name in LISTS_OF_TABLES if isinstance(policy.get(name), (list, tuple))
    }
    for name, item in policy.items():
        if name not in tables and name not in lists:
            add(f"{key(name)} = {value(item)}", str(name))
    for name, table in tables.items():
        add(f"[{key(name)}]", str(name))
        for inner, item in table.items():
            add(f"{key(inner)} = {value(item)}", f"{name}[{inner!r}]" if name == "columns" else f"{name}.{inner}")
    for name, several in lists.items():
        for number, table in enumerate(several):
            if not isinstance(table, Mapping):
                raise TypeError(f"{name}[{number}] is of type {type(table).__name__}, and not a table of keys")
            add(f"[[{name}]]", f"{name}[{number}]")
            for inner, item in cast("Mapping[Any, Any]", table).items():
                add(f"{key(inner)} = {value(item)}", f"{name}[{number}].{inner}")
    return "\n".join(lines) + "\n", paths
