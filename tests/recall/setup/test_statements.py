"""A TOML text taken apart: every character once, each part whole."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import UsageError
from recall.setup.apply import take_out
from recall.setup.clients import CLIENTS
from recall.setup.jsonc import _COMMENTS
from recall.setup.merge import language, merged, removed
from recall.setup.statements import _TOKENS, Statement, statements
from support.worlds import NOW

CODEX = CLIENTS["codex"]
ENTRY = '[mcp_servers.recall]\ncommand = "x"\n'


def test_each_statement_has_its_key_and_its_value_as_they_are_written() -> None:
    text = '# a = 1\n\n[a . "b]"] # x\nc."d=" = """\ne = 1\n\\"""" # f\r\n g=[\n "]", # ]\n {h = \'}\'},\n]\ni = 1'
    assert [(part.text, part.header, part.key, part.value) for part in statements(text)] == [
        ("# a = 1\n", False, "", ""),
        ("\n", False, "", ""),
        ('[a . "b]"] # x\n', True, "", ""),
        ('c."d=" = """\ne = 1\n\\"""" # f\r\n', False, 'c."d=" ', '"""\ne = 1\n\\""""'),
        (" g=[\n \"]\", # ]\n {h = '}'},\n]\n", False, " g", "[\n \"]\", # ]\n {h = '}'},\n]"),
        ("i = 1", False, "i ", "1"),
    ]


_PARTS = st.sampled_from(
    ['"""', "'''", '"', "'", "\\", "[", "]", "{", "}", "=", ",", ".", "#", "\n", "\r\n", " ", "a", "1", "가"]
)


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_any_text_is_taken_apart_without_losing_a_character(text: str) -> None:
    assert "".join(part.text for part in statements(text)) == text


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_each_part_of_a_text_that_parses_does_by_itself(text: str) -> None:
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return
    for part in statements(text):
        tomllib.loads(part.text)
        if part.key:
            assert tomllib.loads(f"{part.key} = {part.value}") == tomllib.loads(part.text)


@pytest.mark.parametrize(
    "string",
    [
        '"""a"""',
        "'''a'''",
        '""""a"""""',
        "''''a'''''",
        '"""\n]\n"""',
        r'"\"]"',
        r'"""\"""]"""',
        '""',
        "''",
        '"#"',
        r"'\'",
    ],
)
def test_a_string_ends_where_the_parser_ends_it(string: str) -> None:
    text = f"a = {string} # b\nc = 1\n"
    assert list(tomllib.loads(text)) == ["a", "c"]
    assert [part.value for part in statements(text)] == [string, "1"]


@pytest.mark.parametrize("text", ['"""' + '\\"""\n' * 9, '"""' + '\\"""\n' * 9 + "\\", "'''" + "''\n" * 9])
def test_a_string_without_its_end_is_read_once(text: str) -> None:
    found = _TOKENS.match(text)
    assert found is not None
    assert found.end() == len(text)


@pytest.mark.parametrize("text", ["/* " * 9, '"' + '\\"' * 9, "/*/"])
def test_a_comment_and_a_string_of_json_without_their_ends_are_read_once_and_refused(text: str) -> None:
    found = _COMMENTS.match(text)
    assert found is not None
    assert found.end() == len(text)
    with pytest.raises(UsageError):
        merged('{"a": 1} ' + text, CLIENTS["vscode"], ["recall", "serve"])


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The lengths of all texts that were given to the parser."""
    lengths: list[int] = []
    real = tomllib.loads

    def loads(text: str, **rest: Any) -> Any:
        lengths.append(len(text))
        return real(text, **rest)

    monkeypatch.setattr("recall.setup.tomlfile.tomllib.loads", loads)
    return lengths


@pytest.mark.parametrize(
    "before",
    [
        "a=[\n" + '"v]",\n' * 3_000 + "]\n",
        "a = '''\n" + "]\n" * 3_000 + "'''\n",
        "".join(f'[mcp_servers.n{number}]\ncommand = "x"\n' for number in range(1_000)),
    ],
    ids=["array", "string", "tables"],
)
def test_work_grows_with_the_text_and_not_with_its_square(before: str, parsed: list[int]) -> None:
    assert removed(before + ENTRY, CODEX) == before
    assert sum(parsed) < 5 * len(before)
    parsed.clear()
    changed = merged(before + ENTRY, CODEX, ["/new", "serve"])
    assert tomllib.loads(changed)["mcp_servers"]["recall"] == {"command": "/new", "args": ["serve"]}
    assert sum(parsed) < 10 * len(before)


def test_a_key_of_too_many_parts_never_reaches_the_parser(parsed: list[int]) -> None:
    with pytest.raises(UsageError, match="nested too deeply"):
        removed("a." * 20_000 + "a = 1\n" + ENTRY, CODEX)
    assert parsed == []
    assert next(statements("v = '" + "." * 500 + "' # " + "." * 500 + "\n")).key == "v "


@pytest.mark.parametrize("name", ["codex", "claude-code"])
def test_a_file_that_is_too_large_is_refused_in_one_line(name: str, tmp_path: Any) -> None:
    client = CLIENTS[name]
    limit = language(client.format).limit
    file = tmp_path / "settings"
    file.write_bytes(b" " * (limit + 1))
    with pytest.raises(UsageError, match=f"settings: larger than {limit:,} bytes; nothing was changed"):
        take_out(client, file, NOW)


def test_a_line_with_neither_a_key_nor_a_header_says_so() -> None:
    assert list(statements(" # [a]\n")) == [Statement(" # [a]\n")]
