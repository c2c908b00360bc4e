"""What is sent to a server."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

import pytest

from recall.api import Query, Scope
from recall_asked import template
from recall_asked.template import Values

SCOPE = Scope(Path("/home/u"), Path("/p/api"), Path("/p/api"), Path("/p/api"), ("api",))
VALUES = Values.of(Query("왜 결제가?", ("결제", "webhook"), 7), SCOPE)


def test_places_are_filled_and_only_what_fills_them_is_quoted() -> None:
    url = "http://127.0.0.1/s?q={terms}&n={limit}&p={project}&a=%20"
    filled = template.fill(url, VALUES, lambda text: quote(text, safe=""))
    assert filled == "http://127.0.0.1/s?q=%EA%B2%B0%EC%A0%9C%20webhook&n=7&p=api&a=%20"


def test_arguments_keep_their_types() -> None:
    lines = [
        "query={query}",
        "page_size={limit}",
        "deep=true",
        'types=["note"]',
        "mode=fast",
        "in=project:{project}",
    ]
    assert template.arguments(lines, VALUES) == {
        "query": "왜 결제가?",
        "page_size": 7,
        "deep": True,
        "types": ["note"],
        "mode": "fast",
        "in": "project:api",
    }


def test_a_question_cannot_become_another_value_than_text() -> None:
    values = Values.of(Query('{"a": 1}', (), 7), SCOPE)
    assert template.arguments(["query={query}", "q= {terms} "], values) == {
        "query": '{"a": 1}',
        "q": '{"a": 1}',
    }
    assert (
        template.arguments(["query=x {query}"], Values.of(Query("{limit}", (), 7), SCOPE))["query"]
        == "x {limit}"
    )


def test_a_place_that_nothing_fills_is_told() -> None:
    with pytest.raises(ValueError, match=r"nothing fills \{qery\}; there are \{query\}"):
        template.check("q={qery}")
    template.check('{"a": {terms}}')


@pytest.mark.parametrize("line", ["Bearer secret", "=secret", " =secret"])
def test_a_line_that_is_no_pair_is_told_without_its_value(line: str) -> None:
    with pytest.raises(ValueError, match="number 2 is not NAME=VALUE") as told:
        template.pairs(["A=b", line])
    assert "secret" not in str(told.value)
