"""What was indexed under older rules must not stay: the rules of cleaning are part of the index's version."""

from __future__ import annotations

import hashlib
from pathlib import Path

import recall
from recall import tokens
from recall.index import file

ROOM = Path(recall.__file__).parent
CLEANING = ("clean.py", "secrets.py", "secret_values.py", "orders.py", "intake.py")
TOKENS = ("tokens.py",)
# When a test below fails: raise the version beside the digest, then put the new digest here.
PINNED = {
    "cleaning": (4, "6746178b912468aa"),
    "tokens": ("1", "d20f709125746871"),
}


def digest(names: tuple[str, ...]) -> str:
    text = "".join((ROOM / name).read_text(encoding="utf-8") for name in names)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def test_a_change_of_the_cleaning_raises_the_version_of_the_index() -> None:
    assert PINNED["cleaning"] == (file.SCHEMA, digest(CLEANING))


def test_a_change_of_the_tokens_raises_their_version() -> None:
    assert PINNED["tokens"] == (tokens.VERSION, digest(TOKENS))
