"""Colour is for terminals, and changes nothing but colour."""

from __future__ import annotations

import re

import pytest

from recall.cli import colour

TEXT = """1. [serena] 결제 재시도 정책
   curated · memory · shop-api · 2026-11-23
   recall://serena/core  core.md:1
     READY to go, says the memory

Sources
  serena       READY     3 memories
  claude-mem   EMPTY     captures prompts
"""


def test_without_its_escapes_coloured_text_is_the_text() -> None:
    assert re.sub(r"\x1b\[\d+m", "", colour.coloured(TEXT)) == TEXT


def test_states_of_sources_are_coloured_and_words_of_memories_are_not() -> None:
    shown = colour.coloured(TEXT)
    assert "  serena       \x1b[32mREADY\x1b[0m" in shown
    assert "     READY to go, says the memory" in shown


@pytest.mark.parametrize(
    ("is_terminal", "env", "wanted"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "dumb"}, False),
        (True, {"NO_COLOR": "1"}, False),
        (False, {"FORCE_COLOR": "1"}, True),
        (True, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ],
)
def test_colour_is_used_where_a_person_sees_it(is_terminal: bool, env: dict[str, str], wanted: bool) -> None:
    assert colour.wanted(is_terminal, env) is wanted
