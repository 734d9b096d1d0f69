"""Where libarrow is: that of pyarrow, if it is installed. It is loaded when a file is first read or written."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from pathlib import Path


@functools.cache
def arrow_folder() -> str | None:
    """The folder of pyarrow, without importing it."""
    spec = importlib.util.find_spec("pyarrow")
    return os.path.dirname(spec.origin) if spec and spec.origin else None


def command() -> list[str]:
    """The command of this package."""
    return [str(Path(__file__).parent / "bin" / "pentimento")]


def environment() -> dict[str, str]:
    """For the command: where pyarrow is."""
    folder = arrow_folder()
    return {**os.environ, "PENTIMENTO_ARROW": folder} if folder else dict(os.environ)


def main() -> None:
    """The command `pentimento` that pip installs: this process becomes the one of the package."""
    sys.stdout.flush()
    os.execve(command()[0], ["pentimento", *sys.argv[1:]], environment())
