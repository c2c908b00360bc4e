"""TOML: one value or one table set, every other character kept."""

from __future__ import annotations

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Unreadable
from recall.setup.tomlfile import Toml, table

PATH = ("mcp_servers", "recall")


def texts(before: str, path: tuple[str, ...], value: Any) -> list[str]:
    return list(Toml().put(before, path, value))


def test_a_new_table_goes_to_the_end() -> None:
    before = '# 설정\nmodel = "gpt-5.5"   # 기본\n\n[tui]\ntheme = "dark"\n'
    assert texts(before, PATH, {"command": "recall", "args": ["serve"], "startup_timeout_sec": 20}) == [
        before + '\n[mcp_servers.recall]\ncommand = "recall"\nargs = ["serve"]\nstartup_timeout_sec = 20\n'
    ]


def test_a_last_line_without_its_end_gets_one() -> None:
    (edited,) = texts("a = 1", PATH, {"on": True})
    assert edited == "a = 1\n\n[mcp_servers.recall]\non = true\n"


def test_windows_line_ends_stay() -> None:
    (edited,) = texts("a = 1\r\n", PATH, {"command": "recall"})
    assert "\n" not in edited.replace("\r\n", "")


@pytest.mark.parametrize(
    "line",
    [
        'command = "/old"',
        "command='/old'  # 내 것",
        '  "command"\t=   """/old"""# "x" = 1',
        "command = '''/old'''",
    ],
)
def test_a_value_is_replaced_and_the_rest_of_its_line_kept(line: str) -> None:
    before = f"[mcp_servers.recall]\n{line}\nargs = []\n"
    edited = texts(before, (*PATH, "command"), "/new")[0]
    head, _, tail = line.partition("=")
    comment = tail[tail.index("#") :] if "#" in tail else ""
    assert edited.startswith(f"[mcp_servers.recall]\n{head}=")
    assert edited.split("\n")[1].endswith(comment)
    assert tomllib.loads(edited)["mcp_servers"]["recall"] == {"command": "/new", "args": []}


def test_a_value_over_several_lines_is_replaced_whole() -> None:
    before = '[mcp_servers.recall]\nargs = [\n  "mcp", # [old]\n  "#",\n] # was\nenv = {}\n'
    assert texts(before, (*PATH, "args"), ["serve"])[0] == (
        '[mcp_servers.recall]\nargs = ["serve"] # was\nenv = {}\n'
    )


def test_a_missing_value_goes_below_the_header() -> None:
    before = '[mcp_servers . "recall"] # ours\nenv = {}'
    assert texts(before, (*PATH, "command"), "recall")[0] == (
        '[mcp_servers . "recall"] # ours\ncommand = "recall"\nenv = {}'
    )


@pytest.mark.parametrize("text", ["a = ", "a = 1\na = 2\n", "[a\n", "a = " + "[" * 10_000])
def test_what_cannot_be_parsed_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        Toml().parse(text)


def test_a_number_that_does_not_equal_itself_does_not_matter() -> None:
    assert Toml().parse("a = nan") == Toml().parse("a = nan")


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])), st.text(min_size=1, max_size=8))
def test_any_string_and_any_key_are_written_so_that_they_read_back(value: str, key: str) -> None:
    key = key.encode("utf-8", "replace").decode()
    written = table((key,), {key: [value, True, 7]})
    assert tomllib.loads(written) == {key: {key: [value, True, 7]}}
