"""Publishes tables about people again and again, so that all releases together stay private.

>>> import pentimento as pt
>>> policy = pt.Policy(
...     release="clinic-spring",
...     columns={"person": pt.Id(), "age": pt.Numeric(0, 99), "sex": pt.Flat("Female", "Male"), "disease": pt.Sensitive()},
...     guarantees=[pt.KAnonymity(k=5)],
... )
"""

from ._core import version as __version__
from ._errors import (
    Cancelled,
    InputError,
    InternalError,
    LedgerError,
    PentimentoError,
    PolicyError,
    Refused,
    StorageError,
)
from ._ledger import ArrowStream, Ledger, Made, anonymize, audit, check, draft_policy, metrics, query, report
from ._policy import (
    AlphaKAnonymity,
    Class,
    Column,
    Date,
    Flat,
    GlobalGuarantee,
    Guarantee,
    History,
    Id,
    IncrementalKAnonymity,
    KAnonymity,
    Keep,
    Numeric,
    Policy,
    Sensitive,
    Taxonomy,
    XYAnonymity,
    XYLinkability,
)

__all__ = [
    "AlphaKAnonymity",
    "ArrowStream",
    "Cancelled",
    "Class",
    "Column",
    "Date",
    "Flat",
    "GlobalGuarantee",
    "Guarantee",
    "History",
    "Id",
    "IncrementalKAnonymity",
    "InputError",
    "InternalError",
    "KAnonymity",
    "Keep",
    "Ledger",
    "LedgerError",
    "Made",
    "Numeric",
    "PentimentoError",
    "Policy",
    "PolicyError",
    "Refused",
    "Sensitive",
    "StorageError",
    "Taxonomy",
    "XYAnonymity",
    "XYLinkability",
    "__version__",
    "anonymize",
    "audit",
    "check",
    "draft_policy",
    "metrics",
    "query",
    "report",
]
