"""Runs of the command, for what works on files and answers with JSON."""

from __future__ import annotations

import json
import os
from typing import IO, Any, Union, cast

from ._errors import Cancelled, InternalError, raise_kind
from ._files import command, environment

StrPath = Union[str, "os.PathLike[str]"]


def parsed(text: str) -> Any:
    """None where it is no JSON."""
    try:
        return json.loads(text)
    except ValueError:
        return None


def run_json(*arguments: StrPath, accept: tuple[int, ...] = (0,), table: IO[bytes] | None = None) -> Any:
    """What the command says with --json. Other exit codes than those accepted raise what they mean.

    `table`: what it reads as ``-``.
    """
    import signal
    import subprocess  # late, as it takes long

    process = subprocess.Popen(
        [*command(), *(os.fspath(argument) for argument in arguments), "--json"],
        env=environment(),
        stdin=subprocess.DEVNULL if table is None else table,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # Ctrl-C comes to us, and we hand it on once
    )
    try:
        out, err = process.communicate()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise Cancelled("interrupted") from None
    except BaseException:
        process.kill()
        process.communicate()
        raise
    answer = parsed(out)
    if process.returncode in accept and answer is not None:
        return answer
    if isinstance(answer, dict) and "error" in answer:
        told = cast("dict[str, Any]", answer)
        raise_kind(told["error"]["kind"], told["error"]["message"], [*told["notes"], *told["warnings"]])
    kinds = {1: "refused", 2: "usage", 3: "input", 4: "storage", 130: "interrupted"}
    if process.returncode in kinds:
        raise_kind(kinds[process.returncode], err.removeprefix("pentimento: ").strip())
    raise InternalError(f"the command ended with {process.returncode}: {err.strip()}")
