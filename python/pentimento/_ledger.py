"""The ledger, and the releases that are made with it."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace, TracebackType
from typing import IO, Any, Protocol, Union, cast, runtime_checkable

from . import _core
from ._errors import LedgerError, PolicyError, raise_failure, raise_kind
from ._files import arrow_folder
from ._policy import Policy
from ._run import run_json

StrPath = Union[str, "os.PathLike[str]"]
ProgressLike = Union[bool, Callable[[str, float], object], None]
PolicyLike = Union[Policy, Mapping[str, Any], StrPath]


@runtime_checkable
class ArrowStream(Protocol):
    """A table of pyarrow, polars, pandas, DuckDB or another library that knows the Arrow PyCapsule interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


_user: int | None = None  # the process that has threads of ours


def _ready() -> None:
    global _user
    if _user not in (None, os.getpid()):
        raise RuntimeError(
            "this process was forked from one that uses Pentimento, and has none of its threads; "
            "start it in another way, for example multiprocessing.set_start_method('spawn')"
        )
    _user = os.getpid()
    folder = arrow_folder()
    if folder:
        _core.set_arrow_folder(folder)


def as_policy(policy: PolicyLike) -> Policy:
    if isinstance(policy, Policy):
        return policy
    return Policy.from_dict(policy) if isinstance(policy, Mapping) else Policy.read(policy)


def take_table(table: ArrowStream) -> _core.Table:
    """Reads the stream of a table; its cells stay where they are."""
    if not hasattr(table, "__arrow_c_stream__"):
        raise TypeError(
            f"a table is needed (anything with __arrow_c_stream__: pyarrow, polars, pandas, DuckDB), "
            f"and this is of type {type(table).__name__}"
        )
    taken = _core.take_table("the table", table.__arrow_c_stream__())
    if isinstance(taken, _core.Failure):
        raise_failure(taken)
    return taken


# Of the Arrow C Data Interface: texts, and texts in bytes.
_TEXTS = {"u", "U", "vu", "z", "Z", "vz", "n"}


def _require_arrow_for(table: _core.Table, policy: Policy) -> None:
    """Values that are no texts are printed by Arrow, but for quasi-identifiers."""
    others = [
        name
        for name, form in zip(table.columns, table.formats)
        if form not in _TEXTS and policy.roles.get(name) in ("sensitive", "class")
    ]
    if not others:
        return
    failure = _core.require_arrow()
    if failure is not None:
        raise_kind(failure.kind, f"{failure.message} (these columns are no texts: {', '.join(others)})")


class _Bar:
    """A line on standard error that is written anew."""

    def __init__(self) -> None:
        self._width = 0

    def __call__(self, step: str, fraction: float) -> None:
        line = step if fraction < 0 else f"{step} {int(fraction * 20) * '█':░<20} {fraction:4.0%}"
        print(f"\r{line:<{self._width}}", end="", file=sys.stderr, flush=True)
        self._width = len(line)

    def close(self) -> None:
        if self._width:
            print("\r" + " " * self._width + "\r", end="", file=sys.stderr, flush=True)


def release(
    policy: Policy,
    ledger: Path,
    out: Path,
    table: _core.Table | None,
    *,
    dry_run: bool,
    seed: int | None,
    threads: int,
    progress: ProgressLike,
    changes_only: bool,
    yes: bool,
    new_ledger: bool,
    expected: str = "",
    drawn: _core.DrawnSeed | None = None,
) -> tuple[str, _core.Table | None]:
    _ready()
    request = _core.Request()
    request.policy, request.source = policy.to_toml(), policy.source
    request.ledger, request.out = os.fspath(ledger), os.fspath(out)
    request.table, request.table_name = table, "the table"
    request.dry_run, request.changes_only, request.yes, request.new_ledger = dry_run, changes_only, yes, new_ledger
    request.seed, request.expected, request.drawn = seed, expected, drawn
    if table is not None:
        _require_arrow_for(table, policy)
    shown = _Bar() if progress is True else progress or None
    try:
        answer = _core.release(request, threads, shown)
    finally:
        if isinstance(shown, _Bar):
            shown.close()
    if isinstance(answer, _core.Failure):
        policy.fail(answer)
    return answer


class Made:
    """A release that was made and verified, and that may be published or is.

    It offers `__arrow_c_stream__`: ``polars.DataFrame(made)`` shows its rows.
    """

    def __init__(
        self,
        told: str,
        rows: _core.Table | None,
        again: Callable[[Path, str, ProgressLike], str] | None,
    ) -> None:
        self._told = told
        self._json: dict[str, Any] = json.loads(told)
        self._rows = rows
        self._again = again

    @property
    def release(self) -> str:
        """Its name."""
        return self._json["release"]

    @property
    def is_published(self) -> bool:
        return self._json["published"]

    @property
    def folder(self) -> Path | None:
        """Where it was published."""
        return Path(self._json["folder"]) if self.is_published else None

    @property
    def files(self) -> list[str]:
        """Relative to the folder."""
        return list(self._json.get("files", []))

    @property
    def guarantees(self) -> list[dict[str, Any]]:
        """What is promised."""
        return self._json["guarantees"]

    @property
    def notes(self) -> list[str]:
        """What the steward should know, warnings included."""
        return [*self._json["notes"], *self._json["warnings"]]

    @property
    def metrics(self) -> SimpleNamespace:
        """What is lost: rows, classes, smallest_class, ncp_percent and others."""
        return SimpleNamespace(**self._json["metrics"])

    @property
    def composition(self) -> dict[str, Any] | None:
        """What it tells together with the releases on record about the same people."""
        return self._json["composition"]

    def to_dict(self) -> dict[str, Any]:
        """What `pentimento release --json` tells."""
        return json.loads(self._told)

    def publish(self, out: StrPath, *, progress: ProgressLike = None) -> Made:
        """Makes it again with the same seed, verifies it again, and publishes it into a folder of its name in `out`.

        Where the table, a taxonomy or the ledger has changed, so that something else would come out, InputError is
        raised and nothing is published.
        """
        if self.is_published:
            raise PolicyError(f"{self.release} is published already")
        if self._again is None:
            raise PolicyError("a table that is made once is not on record; make it with a Ledger to publish it")
        self._told = self._again(Path(out), self._told, progress)
        self._json = json.loads(self._told)
        self._again = None
        return self

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        if self._rows is not None:
            return self._rows.stream()
        if not self.is_published:
            raise PolicyError("the rows of a growing series can be looked at once it is published")
        table = next(name for name in self.files if name.rsplit(".", 1)[-1] in ("csv", "parquet"))
        answer = _core.open_published(os.fspath(Path(self._json["folder"]) / table))
        if isinstance(answer, _core.Failure):
            raise_failure(answer)
        return answer

    def __repr__(self) -> str:
        state = f"published in {self.folder}" if self.is_published else "not published"
        return f"<{self.release}: {self.metrics.rows} rows, {state}>"


class Ledger:
    """The private memory of what was published. It is made by the first release.

    >>> import tempfile
    >>> with Ledger(tempfile.mkdtemp() + "/ledger") as ledger:
    ...     ledger.exists()
    False
    """

    def __init__(self, path: StrPath) -> None:
        self.path = Path(path)
        self._is_open = True

    def __enter__(self) -> Ledger:
        self._require_open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Nothing is made with it any more."""
        self._is_open = False

    def exists(self) -> bool:
        """Whether something is on record, or was."""
        return self.path.exists()

    def _require_open(self) -> None:
        if not self._is_open:
            raise LedgerError(f"{self.path}: this ledger was closed; open it again with Ledger({str(self.path)!r})")

    def make(
        self,
        table: ArrowStream,
        policy: PolicyLike,
        *,
        progress: ProgressLike = None,
        threads: int = 0,
        seed: int | None = None,
        changes_only: bool = False,
        yes: bool = False,
        out: StrPath | None = None,
        new_ledger: bool = False,
    ) -> Made:
        """Makes a release of the table and verifies it; nothing is published or recorded. Raises Refused.

        `threads`: at most so many, 0 for all. `seed` fixes every random choice, for tests. `out`: where it will be
        published, so that releases there which the ledger does not know are told of. `changes_only`, `yes` and
        `new_ledger` are those of the command.
        """
        self._require_open()
        bound, held = as_policy(policy), take_table(table)
        drawn = _core.DrawnSeed() if seed is None else None

        def run(out: Path, shown: ProgressLike, expected: str, dry_run: bool) -> tuple[str, _core.Table | None]:
            self._require_open()
            return release(
                bound, self.path, out, held, dry_run=dry_run, seed=seed, threads=threads, progress=shown,
                changes_only=changes_only, yes=yes, new_ledger=new_ledger, expected=expected, drawn=drawn,
            )  # fmt: skip

        with tempfile.TemporaryDirectory(prefix="pentimento-") as nowhere:
            told, rows = run(Path(nowhere) / "out" if out is None else Path(out), progress, "", True)
        return Made(told, rows, lambda out, expected, shown: run(out, shown, expected, False)[0])

    def release(
        self,
        table: ArrowStream | None,
        policy: PolicyLike,
        out: StrPath,
        *,
        progress: ProgressLike = None,
        threads: int = 0,
        seed: int | None = None,
        changes_only: bool = False,
        yes: bool = False,
        new_ledger: bool = False,
    ) -> Made:
        """Makes, verifies and publishes in one run, as the command does. Without a table: the policy's files."""
        self._require_open()
        held = None if table is None else take_table(table)
        told, _ = release(
            as_policy(policy), self.path, Path(out), held, dry_run=False, seed=seed, threads=threads,
            progress=progress, changes_only=changes_only, yes=yes, new_ledger=new_ledger,
        )  # fmt: skip
        return Made(told, None, None)

    def log(self) -> list[dict[str, Any]]:
        """What is on record, in its order."""
        self._require_open()
        return run_json("log", "--ledger", self.path)

    def check(self, out: StrPath | None = None) -> dict[str, Any]:
        """Reads everything on record; with `out` also compares what was published there. See `intact` and `problems`."""
        self._require_open()
        more: list[StrPath] = [] if out is None else ["--out", out]
        return run_json("log", "--check", "--ledger", self.path, *more, accept=(0, 4))

    def plan(self, policy: PolicyLike) -> dict[str, Any]:
        """How many releases a series under the global guarantee can have, by the table that the policy names."""
        self._require_open()
        with policy_file(policy) as path:
            return run_json("plan", path, "--ledger", self.path)

    def import_release(self, files: StrPath | Iterable[StrPath], policy: StrPath) -> dict[str, Any]:
        """Puts a release that another tool made on record. `policy` is a file that describes it."""
        self._require_open()
        names = [files] if isinstance(files, (str, os.PathLike)) else list(files)
        return run_json("import", *names, "--policy", policy, "--ledger", self.path)

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"


class policy_file:  # noqa: N801
    """A policy as a file: its own, or one that is there for a while beside what it names."""

    def __init__(self, policy: PolicyLike) -> None:
        self._policy = policy
        self._made: IO[str] | None = None

    def __enter__(self) -> StrPath:
        if isinstance(self._policy, (str, os.PathLike)):
            return self._policy
        policy = as_policy(self._policy)
        if os.path.isfile(policy.source):
            return policy.source
        folder = os.path.dirname(policy.source)
        self._made = tempfile.NamedTemporaryFile("w", suffix=".toml", prefix=".policy-", dir=folder, encoding="utf-8")
        self._made.write(policy.to_toml())
        self._made.flush()
        return self._made.name

    def __exit__(self, *ignored: object) -> None:
        if self._made is not None:
            self._made.close()


def query(release: StrPath, question: str, *, original: StrPath | None = None) -> dict[str, Any]:
    """How many rows a published release says there are: ``query("published/clinic", "count where age in [30,40)")``."""
    more: list[StrPath] = [] if original is None else ["--against", original]
    return run_json("query", release, question, *more)


def metrics(original: StrPath | Iterable[StrPath], release: StrPath | Iterable[StrPath]) -> dict[str, Any]:
    """What a published release has lost, beside the files that it was made from; of a series all of its releases."""

    def listed(names: StrPath | Iterable[StrPath]) -> list[StrPath]:
        return [names] if isinstance(names, (str, os.PathLike)) else list(names)

    return run_json("metrics", "--original", *listed(original), "--release", *listed(release))


def check(file: StrPath, policy: PolicyLike) -> dict[str, Any]:
    """Holds one table, as it is, to the guarantees of a policy. See `passes`."""
    with policy_file(policy) as path:
        return run_json("check", file, "--policy", path, accept=(0, 1))


def audit(
    releases: Iterable[StrPath] = (),
    *,
    ledger: StrPath | None = None,
    people: StrPath | None = None,
    policy: StrPath | None = None,
    k: int | None = None,
) -> dict[str, Any]:
    """What releases of anybody tell together about the people in them. See `fails` and `findings`."""
    more: list[StrPath] = []
    for name, given in {"--ledger": ledger, "--people": people, "--as": policy, "--k": k}.items():
        if given is not None:
            more += [name, str(given)]
    return run_json("audit", *releases, *more, accept=(0, 1))


def report(
    *,
    ledger: StrPath,
    path: StrPath,
    edition: str = "internal",
    releases: Iterable[str] = (),
    series: Iterable[str] = (),
    out: StrPath | None = None,
    original: StrPath | None = None,
) -> dict[str, Any]:
    """Writes a page to look at and to sign, and tells its numbers.

    The edition ``"public"`` holds nothing that is not in the published folders. `original`: of one release, the file
    that it was made from.
    """
    more: list[StrPath] = ["--edition", edition]
    for option, names in {"--release": releases, "--series": series}.items():
        for name in names:
            more += [option, name]
    for option, given in {"--out": out, "--original": original}.items():
        if given is not None:
            more += [option, given]
    return run_json("report", "--ledger", ledger, "--html", path, *more)


def draft_policy(table: ArrowStream | StrPath, out: StrPath) -> dict[str, Any]:
    """Looks at a table, and writes a draft of a policy into the new folder `out`: a role for each column, to be confirmed.

    Nothing is published with it before somebody has looked at each role and taken the ``?`` away. The answer names
    the file as ``policy``, and says of each column what is in it. A frame needs pyarrow; its draft names no file.
    """
    if isinstance(table, (str, os.PathLike)):
        return run_json("init", table, "--out", out)
    try:
        pyarrow: Any = importlib.import_module("pyarrow")
        csv: Any = importlib.import_module("pyarrow.csv")
    except ImportError:
        raise ImportError("draft_policy needs pyarrow for a frame; give it the name of a file instead") from None
    with tempfile.TemporaryFile() as text:  # without a name: it is gone with this process
        with pyarrow.RecordBatchReader.from_stream(table) as batches:
            csv.write_csv(batches.read_all(), text)
        text.seek(0)
        return run_json("init", "-", "--out", out, table=cast("IO[bytes]", text))


def anonymize(
    table: ArrowStream,
    *,
    k: int,
    quasi_identifiers: Mapping[str, Any],
    sensitive: Iterable[str] = (),
    keep: Iterable[str] = (),
    id: str | None = None,
    progress: ProgressLike = None,
    threads: int = 0,
    seed: int | None = None,
) -> Made:
    """A k-anonymous table, once. **It is not on record**: later releases about the same people know nothing of it.

    `quasi_identifiers`: by column a range ``(0, 99)``, a taxonomy file, or a list of values.
    """
    columns: dict[str, Any] = {} if id is None else {id: {"role": "id"}}
    for name, domain in quasi_identifiers.items():
        described: dict[str, Any] = {"role": "quasi-identifier"}
        if isinstance(domain, (str, os.PathLike)):
            described["taxonomy"] = os.fspath(domain)
        elif isinstance(domain, tuple):
            described["domain"] = list(cast("tuple[Any, ...]", domain))
        elif isinstance(domain, list):
            described["values"] = domain
        else:
            raise TypeError(f"quasi_identifiers[{name!r}]: a range (lo, hi), a file or a list of values is needed")
        columns[name] = described
    columns |= {name: {"role": "sensitive"} for name in sensitive} | {name: {"role": "keep"} for name in keep}
    policy = Policy("one-off", columns, [{"type": "k-anonymity", "k": k}])
    with tempfile.TemporaryDirectory(prefix="pentimento-") as nowhere:
        folder = Path(nowhere)
        told, rows = release(
            policy, folder / "ledger", folder / "out", take_table(table), dry_run=True, seed=seed, threads=threads,
            progress=progress, changes_only=False, yes=False, new_ledger=False,
        )  # fmt: skip
    return Made(told, rows, None)


__all__ = [
    "ArrowStream", "Ledger", "Made", "anonymize", "audit", "check", "draft_policy", "metrics", "query", "report",
]  # fmt: skip
