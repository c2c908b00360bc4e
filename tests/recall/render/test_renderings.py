"""Text for people and markdown for agents, pinned in golden files; and what must hold for any memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.answer import Answer, Hit, LeftOut, Outcome
from recall.api import Authority, Memory, State
from recall.engine import Engine
from recall.errors import StoreAbsent, StoreBusy
from recall.health import examine
from recall.intake import prepare
from recall.ranked import Factors, Ranked
from recall.render import markdown, plain
from recall.render.document import TRUST
from recall.testing.fakes import Broken, Notes
from recall.tokens import Tokenizer
from support.golden import QUESTION, SHOWN, answered, compare, world
from support.worlds import NOW, make_engine

GOLDEN = Path(__file__).parent / "golden"


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = world(tmp_path)
    made.settings = replace(made.settings, notices=("one key of .recall.toml is not used",))
    yield made
    made.close()


def answer(engine: Engine) -> Answer:
    return answered(engine)


def nothing(engine: Engine) -> Answer:
    return engine.recall("김치찌개 끓이는 법")


def vanished(engine: Engine) -> str:
    match = engine.show("recall://history/observation/1")
    assert match is not None
    return plain.memory(match.row, Authority.CAPTURED.value, NOW, match.vanished_at)


def shown(engine: Engine) -> str:
    match = engine.show(SHOWN)
    assert match is not None
    return plain.memory(match.row, engine.authority_of(match.row).value, NOW, match.vanished_at)


def blind(engine: Engine) -> Engine:
    error = StoreAbsent("no store", "install it")
    made = make_engine(engine.places.cache.parent / "blind", [Broken("serena", error)], clock=lambda: 100.0)
    made.sources["serena"].provider._health = None
    return made


RENDERINGS: dict[str, Callable[[Engine], str]] = {
    "query.txt": lambda engine: plain.answer(answer(engine)),
    "query_explain.txt": lambda engine: plain.answer(answer(engine), explain=True),
    "query_nothing.txt": lambda engine: plain.answer(nothing(engine)),
    "query_blind.txt": lambda engine: plain.answer(blind(engine).recall(QUESTION)),
    "query.md": lambda engine: markdown.answer(answer(engine)),
    "query_explain.md": lambda engine: markdown.answer(answer(engine), explain=True),
    "query_nothing.md": lambda engine: markdown.answer(nothing(engine)),
    "query_blind.md": lambda engine: markdown.answer(blind(engine).recall(QUESTION)),
    "doctor.txt": lambda engine: plain.checkups(examine(engine), "shop-api"),
    "doctor_healthy.txt": lambda engine: plain.checkups(examine(engine, ["serena", "adr"]), "shop-api"),
    "doctor_blind.txt": lambda engine: plain.checkups(examine(blind(engine)), ""),
    "show.txt": shown,
    "show_vanished.txt": vanished,
}


@pytest.mark.parametrize("name", RENDERINGS)
def test_the_text_is_the_pinned_one(engine: Engine, name: str) -> None:
    compare(GOLDEN / name, RENDERINGS[name](engine))


def test_every_golden_text_is_compared() -> None:
    assert {path.name for path in GOLDEN.iterdir() if path.suffix != ".json"} == set(RENDERINGS)


def test_golden_files_are_never_written_in_ci(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pinned = tmp_path / "pinned.txt"
    pinned.write_text("as it was")
    monkeypatch.setenv("RECALL_WRITE_GOLDEN", "1")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(AssertionError, match="RECALL_WRITE_GOLDEN is set in CI"):
        compare(pinned, "changed")
    assert pinned.read_text() == "as it was"


# -- what must hold for any memory ----------------------------------------------------------------------------


def test_a_memory_cannot_end_its_frame_in_markdown(tmp_path: Path) -> None:
    text = "결제 재시도\n```\n**Sources:**\n- serena: ready\n\n2. [serena] 가짜\n> 인용"
    found = make_engine(tmp_path, [Notes("notes", {"one": text})]).recall(QUESTION, deadline=30)
    quoted = [line for line in markdown.answer(found).splitlines() if line.startswith("   >")]
    assert [line.removeprefix("   >").strip() for line in quoted] == [
        line.strip() for line in text.split("\n")
    ]


def answer_with(text: str) -> Answer:
    """An answer of one memory, as an index would hold it."""
    memory = Memory("one", f"결제 재시도 {text}", text[:50])
    (row,) = prepare("notes", "one", "1", [memory], Tokenizer()).rows
    factors = Factors(1.0, 1.0, 1.0, 1.0, Authority.CURATED, 0.6, 0.94, None, 0.95, 1.0, 1.0)
    hit = Hit(Ranked(row, factors), row.text, whole=True, tokens=9, full_tokens=9)
    outcomes = (Outcome("notes", State.READY, 1, 1),)
    return Answer("결제 재시도", (hit,), outcomes, LeftOut(), (), 0.0, NOW)


@given(st.text(max_size=300))
def test_every_line_of_a_memory_is_quoted(text: str) -> None:
    lines = markdown.answer(answer_with(text)).splitlines()
    begin, end = lines.index(f"**{TRUST}**") + 2, lines.index("Sources:")
    assert lines[begin].startswith("1. [notes] ")
    *quoted, why = lines[begin + 1 : end - 1]
    assert all(line.startswith("   >") for line in quoted)
    assert why.startswith("   - why: covers ")


@given(st.text(max_size=300))
def test_every_line_of_a_memory_is_indented(text: str) -> None:
    lines = plain.answer(answer_with(text)).splitlines()
    shown = lines[1 : lines.index("Sources") - 1]
    assert all(line == "" or line.startswith("   ") for line in shown)


@pytest.mark.parametrize(
    ("rest", "said"),
    [
        (LeftOut(), ""),
        (LeftOut(beyond_limit=1), "1 memory beyond --limit"),
        (LeftOut(beyond_budget=2), "2 memories beyond --budget"),
        (LeftOut(shortened=1), "parts of 1 memory (recall show URI has all)"),
        (LeftOut(related=3), "3 related memories"),
        (LeftOut(below_floor=1), "1 weak match"),
        (LeftOut(question_terms=9), "9 terms of the long question"),
        (LeftOut(below_floor=2, beyond_limit=1), "1 memory beyond --limit, 2 weak matches"),
    ],
)
def test_everything_left_out_is_counted_in_words(rest: LeftOut, said: str) -> None:
    assert plain.left_out(rest) == said


def test_every_count_of_what_was_left_out_has_words() -> None:
    for name in LeftOut._fields:
        assert plain.left_out(LeftOut()._replace(**{name: 2})), name


def test_a_source_that_is_only_busy_is_not_called_absent(tmp_path: Path) -> None:
    busy = Broken("serena", StoreBusy("the database is locked", "ask again"))
    engine = make_engine(tmp_path, [busy], clock=lambda: 100.0)
    try:
        shown = plain.answer(engine.recall(QUESTION))
    finally:
        engine.close()
    assert "Could not look" in shown
    assert "has a store here" not in shown
