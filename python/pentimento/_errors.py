"""What goes wrong, in the words of the command."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from . import _core


class PentimentoError(Exception):
    """Everything that Pentimento itself raises.

    >>> issubclass(Refused, PentimentoError) and issubclass(InputError, ValueError)
    True
    """

    notes: list[str]
    """What was noted and warned of on the way; it often is the cause."""

    def __init__(self, message: str, notes: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.notes = list(notes)


class Refused(PentimentoError):
    """Privacy says no: a guarantee would not hold. Nothing was published.

    >>> Refused("k-anonymity does not hold: a class of 3 persons is published, 5 are required.").guarantee
    'k-anonymity'
    """

    guarantee: str
    """Which one, where one is to blame; otherwise empty."""
    witness: str
    """The sentence that says why: classes and counts, and row numbers, never a cell."""

    def __init__(self, message: str, notes: Sequence[str] = ()) -> None:
        super().__init__(message, notes)
        found = re.match(r"(\S+) (?:does not hold|cannot be kept|cannot be proved)", message)
        self.guarantee = found[1] if found else ""
        self.witness = message


class PolicyError(PentimentoError, ValueError):
    """The policy, a taxonomy that it names, or an argument is wrong."""


class InputError(PentimentoError, ValueError):
    """The table is wrong."""


class StorageError(PentimentoError, OSError):
    """The disk, a permission, or somebody else who is using the ledger."""


class LedgerError(PentimentoError):
    """The ledger does not match its own checksums, or is closed."""


class Cancelled(PentimentoError, KeyboardInterrupt):
    """Ctrl-C. Nothing was published."""


class InternalError(PentimentoError):
    """A bug of ours. Nothing was published."""


KINDS: dict[str, type[PentimentoError]] = {
    "refused": Refused,
    "usage": PolicyError,
    "policy": PolicyError,
    "input": InputError,
    "storage": StorageError,
    "ledger": LedgerError,
    "interrupted": Cancelled,
    "internal": InternalError,
}


def raise_kind(kind: str, message: str, notes: Sequence[str] = ()) -> NoReturn:
    raise KINDS.get(kind, InternalError)(message, notes)


def raise_failure(failure: _core.Failure) -> NoReturn:
    raise_kind(failure.kind, failure.message, failure.notes)
