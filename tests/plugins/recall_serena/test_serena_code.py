"""Serena's own code search: which words of a question are names of code, and what is made of the answers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.api import Authority, Memory, Query, State
from recall.engine import Engine
from recall_serena import code
from support.serena_world import VERSIONS, Serving, memories, problems, soon

PAY = '"""Payments."""\n\n\ndef charge_card(order):\n    return order.pay()\n'
SHOP = "from pay import charge_card\n\ncharge_card(None)\n"


@pytest.fixture
def shop(serving: Serving) -> Serving:
    serving.note(
        "core", "The bank wants failed payments tried again: charge_card does so three times a day.\n"
    )
    (serving.scope.root / "app").mkdir()
    (serving.scope.root / "app/pay.py").write_text(PAY)
    (serving.scope.root / "app/shop.py").write_text(SHOP)
    (serving.scope.root / "README.md").write_text("charge_card is called once.\n")
    return serving


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("where is charge_card called?", ["charge_card"]),
        ("결제를 chargeCard가 몇 번 하나요", ["chargeCard"]),
        ("what does `retry` do, and billing()?", ["retry", "billing"]),
        ("is app::pay::Card or Card->charge slow", ["app::pay::Card", "Card->charge"]),
        ("HTTPServer and MAX_RETRIES", ["HTTPServer", "MAX_RETRIES"]),
        ("Why do we retry payments in the shop? See e.g. README.md and/or CI.", []),
        ("`rm -rf` and `a`", []),
        ("a_b a_b one_two three_four five_six seven_eight", ["a_b", "one_two", "three_four", "five_six"]),
    ],
)
def test_names_of_code_are_told_from_words(question: str, found: list[str]) -> None:
    assert list(code.identifiers(question)) == found


@given(st.text())
def test_any_question_has_few_names_and_each_is_one(question: str) -> None:
    names = code.identifiers(question)
    assert len(names) <= 4
    assert all(3 <= len(name) <= 80 and not set(name) & set(" \n`(") for name in names)


@pytest.mark.parametrize("version", VERSIONS)
def test_lines_with_the_name_are_code_and_prose_is_none(shop: Serving, version: str) -> None:
    found = shop.search(shop.provider(version, code=True), "what does charge_card do?")
    assert problems(found) == []
    hits = memories(found)
    assert list(hits) == ["code/app/pay.py@charge_card", "code/app/shop.py@charge_card"]
    hit = hits["code/app/pay.py@charge_card"]
    assert (hit.authority, hit.kind, hit.title) == (
        Authority.CODE,
        "code",
        "app/pay.py",
    )
    assert (hit.path, hit.line) == (str(shop.scope.root / "app/pay.py"), 4)
    assert hit.text == "def charge_card(order):"
    assert hits["code/app/shop.py@charge_card"].text.count("\n…\n") == 1


@pytest.mark.parametrize("version", VERSIONS)
def test_definitions_come_first_where_language_servers_may_be_started(shop: Serving, version: str) -> None:
    provider = shop.provider(version, code=True, language_servers=("python_ty",))
    found = list(memories(shop.search(provider, "charge_card")).values())
    assert found[0] == Memory(
        "code/app/pay.py:charge_card",
        "def charge_card(order):",
        "function charge_card in app/pay.py",
        str(shop.scope.root / "app/pay.py"),
        4,
        "shop-api",
        kind="code",
        authority=Authority.CODE,
    )
    assert "code/app/pay.py@charge_card" not in [
        memory.id for memory in found
    ]  # its lines are the definition's
    assert "code/app/shop.py@charge_card" in [memory.id for memory in found]
    argument = "name_path" if version == "0.1.4" else "name_path_pattern"
    assert [
        "find_symbol",
        {argument: "charge_card", "include_body": True, "max_answer_chars": 60_000},
    ] in shop.calls()


def test_a_question_without_names_asks_for_no_code(shop: Serving) -> None:
    assert shop.search(shop.provider(code=True), "왜 결제를 다시 시도하나?") == []
    assert shop.started() == []


def test_a_pattern_is_the_name_and_nothing_else(shop: Serving) -> None:
    shop.search(shop.provider(code=True), "`app.pay`")
    ((_name, given),) = shop.calls()
    assert given["substring_pattern"] == r"(?<!\w)app\.pay(?!\w)"


def test_what_is_too_much_is_said(shop: Serving) -> None:
    for number in range(20):
        (shop.scope.root / f"app/more{number:02}.py").write_text(SHOP)
    found = shop.search(shop.provider(code=True), "charge_card")
    assert len(memories(found)) == 8
    assert [problem.reason for problem in problems(found)] == ["charge_card: 14 more files hold it, not used"]


def test_an_answer_that_is_none_is_said_and_takes_nothing_away(shop: Serving) -> None:
    provider = shop.provider("2.1.0", "too long", code=True)
    (problem,) = problems(shop.search(provider, "charge_card"))
    assert problem.harmless
    assert problem.reason.startswith("charge_card: The answer is too long")


@pytest.mark.parametrize("version", ["1.0.0", "2.1.0"])
def test_a_failure_of_the_search_is_said(shop: Serving, version: str) -> None:
    (shop.scope.root / "app/latin.py").write_bytes(b"\xff\xfe\xff")
    (problem,) = problems(shop.search(shop.provider(version, code=True), "charge_card"))
    assert (problem.where, problem.harmless) == ("search_for_pattern", True)
    assert "UnicodeDecodeError" in problem.reason
    assert not problem.reason.startswith("search_for_pattern: ")


def test_a_serena_that_dies_in_the_search_takes_no_memory_away(shop: Serving) -> None:
    (problem,) = problems(
        shop.search(shop.provider("2.1.0", "dies in search_for_pattern", code=True), "charge_card")
    )
    assert problem.where == "code search"
    assert "ended while search_for_pattern was asked" in problem.reason


def test_a_source_is_tried_with_what_it_lists_and_finds(shop: Serving) -> None:
    provider = shop.provider(code=True)
    tried = provider.try_out(Query("charge_card", ("charge_card",)), shop.scope, soon())
    assert tried.sent == "list_memories, read_memory of 1, search_for_pattern charge_card"
    assert tried.raw.startswith("core\n\nsearch_for_pattern charge_card:\n{")
    assert list(memories(list(tried.understood))) == [
        "core",
        "code/app/pay.py@charge_card",
        "code/app/shop.py@charge_card",
    ]


def test_an_answer_ranks_code_above_memories_and_forgets_a_memory_that_is_gone(shop: Serving) -> None:
    settings = shop.scope.home / ".config/recall/config.toml"
    settings.parent.mkdir(parents=True)
    command = ", ".join(f"'{part}'" for part in shop.command())
    settings.write_text(f'[providers.serena]\nmode = "mcp"\ncode = true\ncommand = [{command}]\n')
    path = shop.note("gone", "charge_card is gone.\n")
    engine = Engine.start(shop.scope.root, home=shop.scope.home, env=dict(shop.scope.env))

    def first() -> str:
        answer = engine.recall("charge_card", providers=["serena"], deadline=60)
        assert [outcome.state for outcome in answer.outcomes] == [State.READY]
        return answer.hits[0].ranked.row.uri

    def held(name: str) -> bool:
        return engine.index.get(f"recall://serena/{name}") is not None

    assert first().startswith("recall://serena/code/app/")
    assert held("core")
    assert held("gone")
    path.unlink()
    assert first().startswith("recall://serena/code/app/")
    assert held("core")
    assert not held("gone")
    assert len(shop.started()) == 1
    engine.close()
