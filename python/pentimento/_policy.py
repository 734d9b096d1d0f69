"""Policies: what is published from a table, and what the release must promise."""

from __future__ import annotations

import dataclasses
import datetime
import os
import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar, NoReturn, Union

from . import _core, _toml
from ._errors import PolicyError, raise_kind

FractionLike = Union[str, float, Fraction]


class _Described:
    """Fields as keys of a policy; those that are None are left out."""

    def as_dict(self) -> dict[str, Any]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        found = {field.name: getattr(self, field.name) for field in fields}
        return {name: [*item] if name == "values" else item for name, item in found.items() if item is not None}


class Column(_Described):
    """A column of the table, with its role. Columns that a policy does not name are not published."""

    role: ClassVar[str]

    def as_dict(self) -> dict[str, Any]:
        return {"role": self.role, **super().as_dict()}


@dataclasses.dataclass(frozen=True)
class Id(Column):
    """Who a row is about; never published."""

    role = "id"
    fold_case: bool | None = None


@dataclasses.dataclass(frozen=True)
class Numeric(Column):
    """Numbers by which somebody could be recognized, from `lo` to `hi`. The range is public.

    >>> Numeric(0, 99).as_dict()
    {'role': 'quasi-identifier', 'domain': [0, 99]}
    """

    role = "quasi-identifier"
    lo: Any
    hi: Any
    decimals: int | None = None
    may_be_missing: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        found = super().as_dict()
        domain = {"role": found.pop("role"), "domain": [found.pop("lo"), found.pop("hi")]}
        return domain | found


@dataclasses.dataclass(frozen=True)
class Date(Column):
    """Dates by which somebody could be recognized, from `lo` to `hi`. The range is public.

    `form`: how texts of the table write them, where that is not ISO 8601.

    >>> Date("1900-01-01", "2026-12-31", form="%d/%m/%Y").as_dict()
    {'role': 'quasi-identifier', 'domain': ['1900-01-01', '2026-12-31'], 'date': '%d/%m/%Y'}
    """

    role = "quasi-identifier"
    lo: str | datetime.date
    hi: str | datetime.date
    form: str | None = None
    may_be_missing: bool | None = None

    def as_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = {"role": self.role, "domain": [str(self.lo), str(self.hi)], "date": self.form}
        found["may_be_missing"] = self.may_be_missing
        return {name: item for name, item in found.items() if item is not None}


@dataclasses.dataclass(frozen=True, init=False)
class Flat(Column):
    """Words by which somebody could be recognized, without a hierarchy: one is published as it is, or as `*`.

    >>> Flat("Female", "Male").as_dict()
    {'role': 'quasi-identifier', 'values': ['Female', 'Male']}
    """

    role = "quasi-identifier"
    values: tuple[str, ...]
    fold_case: bool | None
    may_be_missing: bool | None

    def __init__(self, *values: str, fold_case: bool | None = None, may_be_missing: bool | None = None) -> None:
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "fold_case", fold_case)
        object.__setattr__(self, "may_be_missing", may_be_missing)


@dataclasses.dataclass(frozen=True)
class Taxonomy(Column):
    """Words by which somebody could be recognized, with a hierarchy in a file: leaf first, root last on each line."""

    role = "quasi-identifier"
    taxonomy: str | os.PathLike[str]
    fold_case: bool | None = None
    may_be_missing: bool | None = None


@dataclasses.dataclass(frozen=True)
class Sensitive(Column):
    """What nobody should learn about a person. `values`: the ones to protect; without it, all."""

    role = "sensitive"
    values: Sequence[str] | None = None
    transient: Sequence[str] | None = None


@dataclasses.dataclass(frozen=True)
class Class(Column):
    """What analysts want to predict; published as it is."""

    role = "class"


@dataclasses.dataclass(frozen=True)
class Keep(Column):
    """Published as it is. A rare date or a free text can identify a person."""

    role = "keep"


class Guarantee(_Described):
    """What a release must promise. docs/formats/policy.md explains the keys."""

    type: ClassVar[str]

    def as_dict(self) -> dict[str, Any]:
        return {"type": self.type, **super().as_dict()}


@dataclasses.dataclass(frozen=True)
class KAnonymity(Guarantee):
    """At least `k` people share every class.

    >>> KAnonymity(k=10).as_dict()
    {'type': 'k-anonymity', 'k': 10}
    """

    type = "k-anonymity"
    k: int


@dataclasses.dataclass(frozen=True)
class IncrementalKAnonymity(Guarantee):
    """At least `k` cases share every class, in each release of a growing series and in any combination of them."""

    type = "incremental-k-anonymity"
    k: int
    series: str
    arrivals: str | None = None


@dataclasses.dataclass(frozen=True)
class XYAnonymity(Guarantee):
    """In the join with earlier releases, whoever knows the columns `x` finds at least `k` different values on `y`."""

    type = "xy-anonymity"
    against: Sequence[str]
    x: Sequence[str]
    y: Sequence[str]
    k: int
    overlap: Sequence[str] | None = None
    dangling: str | None = None


@dataclasses.dataclass(frozen=True)
class XYLinkability(Guarantee):
    """In the join with earlier releases, nobody infers a value from the columns `x` with more confidence than its limit.

    `y` holds limits: ``{"column": "disease", "values": ["HIV"], "at_most": "1/4"}``.
    """

    type = "xy-linkability"
    against: Sequence[str]
    x: Sequence[str]
    y: Sequence[Mapping[str, Any]]
    overlap: Sequence[str] | None = None
    dangling: str | None = None


@dataclasses.dataclass(frozen=True)
class AlphaKAnonymity(Guarantee):
    """At least `k` people share every class, and no sensitive value is more frequent in it than `alpha`."""

    type = "alpha-k-anonymity"
    alpha: FractionLike
    k: int
    limits: Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(frozen=True)
class GlobalGuarantee(Guarantee):
    """Over all releases of a series, nobody was ever linked to a protected value with a chance above 1/`l`."""

    type = "global-guarantee"
    l: int  # noqa: E741
    series: str
    releases: int | str | None = None
    k: int | None = None
    alone: str | None = None
    spend: FractionLike | None = None
    room: FractionLike | None = None
    most_loss: FractionLike | None = None
    most_persistence: FractionLike | None = None
    blind: bool | None = None
    limits: Sequence[Mapping[str, Any]] | None = None


@dataclasses.dataclass(frozen=True)
class History(Guarantee):
    """Over all releases on record about the same people, at least `k` people are left who fit somebody in each."""

    type = "history"
    k: int
    membership: str | None = None
    alpha: FractionLike | None = None
    over: str | Sequence[str] | None = None
    unknown: str | None = None


def _plain(given: Any) -> Any:
    return given.as_dict() if isinstance(given, _Described) else given


class Policy:
    """What is published from a table about people, and what the release must promise.

    >>> policy = Policy(
    ...     release="clinic-spring",
    ...     columns={"person": Id(), "age": Numeric(0, 99), "disease": Sensitive()},
    ...     guarantees=[KAnonymity(k=5)],
    ... )
    >>> policy.release
    'clinic-spring'
    >>> Policy.from_dict({"version": 1, "release": "r", "columns": {"age": {"role": "id", "domian": [0, 9]}}})
    Traceback (most recent call last):
    ...
    pentimento._errors.PolicyError: columns['age']: unknown key 'domian' in column 'age'; ... Did you mean 'domain'?
    """

    def __init__(
        self,
        release: str,
        columns: Mapping[str, Column | Mapping[str, Any]],
        guarantees: Sequence[Guarantee | Mapping[str, Any]],
        *,
        publish: Mapping[str, Any] | None = None,
        input: Mapping[str, Any] | None = None,
        impossible: Sequence[Mapping[str, Any]] = (),
        overlap: str | None = None,
        other_people: Sequence[str] | None = None,
        folder: str | os.PathLike[str] = ".",
    ) -> None:
        document: dict[str, Any] = {"version": 1, "release": release}
        if overlap is not None:
            document["overlap"] = overlap
        if other_people is not None:
            document["other_people"] = list(other_people)
        if input is not None:
            document["input"] = dict(input)
        document["columns"] = {name: _plain(column) for name, column in columns.items()}
        if publish is not None:
            document["publish"] = dict(publish)
        document["guarantee"] = [_plain(guarantee) for guarantee in guarantees]
        if impossible:
            document["impossible"] = list(impossible)
        self._take(*_toml.document(document), Path(folder) / "policy")

    @classmethod
    def from_dict(cls, policy: Mapping[str, Any], *, folder: str | os.PathLike[str] = ".") -> Policy:
        """The same keys as in a file. Paths in it are relative to `folder`."""
        made = cls.__new__(cls)
        made._take(*_toml.document(policy), Path(folder) / "policy")
        return made

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Policy:
        """A policy file. Paths in it are relative to its folder."""
        made = cls.__new__(cls)
        try:
            text = Path(path).read_text(encoding="utf-8")
        except UnicodeDecodeError:
            raise PolicyError(f"{path}: is not UTF-8") from None
        made._take(text, [], Path(path))
        return made

    def _take(self, text: str, paths: list[str], source: Path) -> None:
        self._text = text
        self._paths = paths  # by line, where no file has them
        self.source = os.path.abspath(source)
        failure = _core.check_policy(text, self.source, True)
        if failure is not None:
            self.fail(failure)
        import tomllib  # late, as it takes long

        document = tomllib.loads(text.removeprefix("\ufeff"))
        self.release: str = document["release"]
        self.roles: dict[str, str] = {name: column["role"] for name, column in document["columns"].items()}

    def fail(self, failure: _core.Failure) -> NoReturn:
        """Raises it; a place in a text that nobody has seen becomes the path to the key."""
        message = failure.message
        if self._paths:
            message = re.sub(rf"{re.escape(self.source)}:(\d+):\d+", lambda found: self._path(int(found[1])), message)
            message = message.replace(f"{self.source}: ", "")
        raise_kind(failure.kind, message, failure.notes)

    def _path(self, line: int) -> str:
        return self._paths[line - 1] if line <= len(self._paths) else "the policy"

    def to_toml(self) -> str:
        """The policy as a file would have it."""
        return self._text

    def __repr__(self) -> str:
        return f"Policy(release={self.release!r})"
