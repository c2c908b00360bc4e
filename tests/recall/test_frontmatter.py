"""Front matter: a broken block loses its structure, never the note."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall.errors import StoreBroken
from recall.frontmatter import FrontMatter, load_json, load_yaml, parse

BY_LINES = "front matter is not valid YAML: read line by line"


def test_the_earlier_generation_of_agent_memory_is_read() -> None:
    note = parse("---\nname: 환불 규칙\ndescription: 부분 환불 한도\ntype: feedback\n---\n\n본문\n")
    assert (note.text("name"), note.text("description"), note.text("type")) == (
        "환불 규칙",
        "부분 환불 한도",
        "feedback",
    )
    assert (note.body, note.body_line, note.problem) == ("\n본문\n", 6, "")


def test_the_later_generation_with_nested_metadata_is_read() -> None:
    note = parse(
        '---\nname: refund-rules\ndescription: "부분 환불: 한도"\nmetadata:\n  type: project\n  node: 3\n---\n본문'
    )
    assert note.text("metadata", "type") == "project"
    assert note.text("metadata", "node") == "3"
    assert note.text("description") == "부분 환불: 한도"
    assert note.text("metadata") == note.text("metadata", "missing") == note.text("name", "type") == ""
    assert note.body == "본문"


@pytest.mark.parametrize("end", ["---", "...", "---  "])
@pytest.mark.parametrize("tail", ["\n본문\n", "\n", ""])
def test_a_block_ends_at_three_marks_alone_on_a_line(end: str, tail: str) -> None:
    note = parse(f"---\ntitle: 정산 --- 마감\n{end}{tail}")
    assert note.text("title") == "정산 --- 마감"
    assert note.body == tail.removeprefix("\n")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "본문뿐\n",
        " ---\ntitle: a\n---\n",
        "# 머리\n---\ntitle: a\n---\n",
        "---\ntitle: 끝나지 않는 블록\n\n본문\n",
        "----\ntitle: a\n----\n",
        "---\n환불은 승인 뒤에만 한다.\n---\n다음 절\n",
        "---\n# 머리\n---\n본문\n",
        "---\n첫 줄은 그냥 글이다 [닫지 않은\n재시도: 3: 4\n---\n본문\n",
        "---\n- 목록\n- 뿐\n---\n본문\n",
        "---\n[\n---\n본문\n",
        "---\n" + "키: 값\n" * 20_000 + "---\n본문\n",
    ],
)
def test_a_note_without_front_matter_is_all_body(text: str) -> None:
    assert parse(text) == FrontMatter(body=text)


def test_an_end_that_only_the_limit_makes_is_no_end() -> None:
    text = "---\ntitle: a\n" + "# " + "x" * (65_544 - 3 - 4 - 9 - 2 - 1) + "\n---x\n본문\n"
    assert text[:65_544].endswith("\n---")
    assert parse(text).body == text


def test_an_empty_block_has_no_fields_and_a_body() -> None:
    assert parse("---\n\n---\n본문\n") == FrontMatter({}, "본문\n", 4)


def test_a_colon_in_a_title_costs_nothing_but_a_mark() -> None:
    note = parse("---\ntitle: Postmortem: queue stall: Friday\ntype: project\n---\n원인은 가득 찬 큐였다.\n")
    assert (note.text("title"), note.text("type")) == ("Postmortem: queue stall: Friday", "project")
    assert (note.body, note.body_line, note.problem) == ("원인은 가득 찬 큐였다.\n", 5, BY_LINES)


def test_a_tab_costs_nothing_but_a_mark() -> None:
    note = parse(
        "---\ntitle: On-call order\ntags:\n\t- oncall\n\t- 호출기\nmetadata:\n\ttype: user\n---\n본문\n"
    )
    assert note.text("title") == "On-call order"
    assert note.texts("tags") == ("oncall", "호출기")
    assert note.text("metadata", "type") == "user"
    assert (note.body, note.problem) == ("본문\n", BY_LINES)


def test_line_by_line_reading_knows_quotes_lists_and_korean_keys() -> None:
    note = parse(
        "---\nbad: a: b\n제목: '환불 규칙'\ntags: [결제, \"부분 환불\"]\nempty:\n# 주석\n---\n본문\n"
    )
    assert note.text("제목") == "환불 규칙"
    assert note.texts("tags") == ("결제", "부분 환불")
    assert note.text("empty") == ""


def test_odd_types_are_texts_as_they_were_written() -> None:
    note = parse(
        "---\ntitle: 404\ndate: 2026-09-01\nupdated: 2026-09-01T10:00:00+09:00\nversion: 1.10\n"
        "draft: no\noctal: 010\nnothing: null\nbare:\n---\n"
    )
    written = dict(note.fields)
    assert written == {
        "title": "404",
        "date": "2026-09-01",
        "updated": "2026-09-01T10:00:00+09:00",
        "version": "1.10",
        "draft": "no",
        "octal": "010",
        "nothing": "null",
        "bare": "",
    }


def test_lists_of_texts_are_read_in_each_spelling() -> None:
    note = parse("---\na: [x, y]\nb:\n- x\n- [y]\nc: x, y ,\nd:\ne: single\nf: {x: y}\n---\n")
    assert [note.texts(key) for key in "abcdefg"] == [("x", "y"), ("x",), ("x", "y"), (), ("single",), (), ()]


def test_a_complex_key_is_no_error() -> None:
    note = parse("---\ntitle: 출시\n? [complex, key]\n: value\n---\n본문\n")
    assert (note.text("title"), note.problem, note.body) == ("출시", BY_LINES, "본문\n")


def test_aliases_are_not_expanded() -> None:
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    note = parse(f"---\n{bomb}---\n본문\n")
    assert note.problem == BY_LINES
    assert len(json.dumps(note.fields)) < 2 * len(bomb)
    with pytest.raises(StoreBroken, match="aliases"):
        load_yaml(bomb)


@pytest.mark.parametrize(
    "block",
    [
        "a: " + "[" * 30_000,
        "a: " + "[" * 30_000 + "]" * 30_000,
        "a: " + "{a: " * 15_000,
        "a:\n " + "- " * 30_000 + "x",
        "? " * 30_000,
        "\n".join(" " * depth + "a:" for depth in range(350)),
    ],
)
def test_deep_nesting_ends_in_a_shallow_result(block: str) -> None:
    note = parse(f"---\n{block}\n---\n본문\n")
    assert note.body.endswith("본문\n")
    depth, level = 0, list(note.fields.values())
    while level:
        level = [part for value in level for part in _parts(value)]
        depth += 1
    assert depth <= 14


def _parts(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []


@pytest.mark.parametrize(
    "line",
    [
        "a: b: x" + " " * 60_000 + "y",
        "a" + " " * 60_000 + "b: c: d",
        "a b " * 15_000,
        "a." * 30_000,
        ": " * 30_000,
    ],
)
def test_a_hostile_line_is_read_once(line: str) -> None:
    # The blanks between two words could be read in as many ways as there are blanks: minutes, if they were.
    note = parse(f"---\ntitle: a: b\n{line}\n---\n본문\n")
    assert note.text("title") == "a: b"
    assert note.body == "본문\n"


@pytest.mark.parametrize(
    ("text", "place"), [("a: [", "line"), ("a: b: c", "line 1"), ("ok: 1\n\tb: 2", "line 2"), ("\0", "")]
)
def test_a_mistake_in_yaml_is_one_line_with_its_place(text: str, place: str) -> None:
    with pytest.raises(StoreBroken) as caught:
        load_yaml(text)
    assert place in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", '{"a": 1}}', "[" * 100_000, "1" * 5_000, "\ud800"])
def test_a_mistake_in_json_is_one_line(text: str) -> None:
    with pytest.raises(StoreBroken, match=r"^not valid JSON[^\n]*$"):
        load_json(text)


_PIECES = (
    "---\n|---|...\n|\n|title: a\n|a: b: c\n|\t- x\n|- y\n|  type: z\n|metadata:\n"
    "|&a |*a|[|]|{|}|'|\"|>|? |: |#|!!python/object:os.system |한글".split("|")
)


@given(st.lists(st.sampled_from(_PIECES) | st.text(max_size=4), max_size=20).map("".join), st.booleans())
@example("---\n!!python/object/apply:os.system ['true']\n---\nx", False)
@example("---\n\ud800: \udc00\n---\nx", False)
def test_parsing_never_raises_and_the_body_ends_the_note(text: str, opened: bool) -> None:
    text = "---\n" * opened + text
    note = parse(text)
    assert text.endswith(note.body)
    assert text[: len(text) - len(note.body)].count("\n") + 1 == note.body_line
    assert note.fields or not note.problem
    for value in note.fields.values():
        assert isinstance(value, str | list | dict)


@given(
    st.dictionaries(
        st.from_regex(r"[a-z]{1,8}", fullmatch=True), st.text(st.characters(whitelist_categories=["L", "N"]))
    )
)
def test_fields_come_back_as_they_were_written(fields: dict[str, str]) -> None:
    block = "".join(f"{key}: {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items())
    assert parse(f"---\n{block}---\n본문").fields == fields
