"""A project's checkpoints as they lie in `.context`: the form of the journal, what of it stands, the seal of its views.

Known in one place: `recall.context` writes them, the source `state` reads them as memories.
"""

from __future__ import annotations

from recall.checkpoints.closing import Closed, Standing, Step, standing
from recall.checkpoints.form import (
    DECISIONS,
    EMPTY,
    FOLDER,
    HANDOFF,
    JOURNAL,
    KINDS,
    LAST,
    LASTING,
    LATEST,
    NOTHING,
    SESSION,
    SNAPSHOT,
    VIEWS,
    Contents,
    Damage,
    Record,
    Wrong,
    encode,
    is_journal,
    name,
    parse,
)
from recall.checkpoints.seals import is_sealed, sealed

__all__ = [
    "DECISIONS",
    "EMPTY",
    "FOLDER",
    "HANDOFF",
    "JOURNAL",
    "KINDS",
    "LAST",
    "LASTING",
    "LATEST",
    "NOTHING",
    "SESSION",
    "SNAPSHOT",
    "VIEWS",
    "Closed",
    "Contents",
    "Damage",
    "Record",
    "Standing",
    "Step",
    "Wrong",
    "encode",
    "is_journal",
    "is_sealed",
    "name",
    "parse",
    "sealed",
    "standing",
]
