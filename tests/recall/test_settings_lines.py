"""Which line a key of a TOML text is on."""

from __future__ import annotations

import tomllib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from recall.settings.lines import deepest_key, key_lines
from recall.settings.notation import KeyPath

EVERYTHING = '''# query = 1
top = """
[not.a.table]
key = "no key" \\"""
"""   # [nor.this]
 dotted . "quoted key" = 'x = y'

[ table ] # [comment]
list = [
  "a", # ] not the end
  { inner = "[" },
  [1,
   2],
]
after = \'\'\'
key = 1\'\'\'\'\'

[[many]]
a = 1
[many.sub]
b = 2
[[many]]
[[many.deep]]
c = "\\"]"
[[many.deep]]
c = {d = 1, e = [
 2]}
f = 1979-05-27T07:32:00Z
["a]b"."c=d"]
g = 1'''


def test_lines_are_right_in_a_text_that_uses_everything() -> None:
    tomllib.loads(EVERYTHING)
    assert key_lines(EVERYTHING) == {
        ("top",): 2,
        ("dotted",): 6,
        ("dotted", "quoted key"): 6,
        ("table",): 8,
        ("table", "list"): 9,
        ("table", "after"): 15,
        ("many",): 18,
        ("many", 0): 18,
        ("many", 0, "a"): 19,
        ("many", 0, "sub"): 20,
        ("many", 0, "sub", "b"): 21,
        ("many", 1): 22,
        ("many", 1, "deep"): 23,
        ("many", 1, "deep", 0): 23,
        ("many", 1, "deep", 0, "c"): 24,
        ("many", 1, "deep", 1): 25,
        ("many", 1, "deep", 1, "c"): 26,
        ("many", 1, "deep", 1, "f"): 28,
        ("a]b",): 29,
        ("a]b", "c=d"): 29,
        ("a]b", "c=d", "g"): 30,
    }


def test_an_empty_text_has_no_keys() -> None:
    assert key_lines("") == key_lines("# nothing\n\n") == {}


def test_a_table_at_the_very_end_counts() -> None:
    assert key_lines("\n[a]") == {("a",): 2}


def test_dots_count_where_keys_can_be() -> None:
    assert deepest_key("a.b.c = 1\n[a . 'b' . \"c\".d]\n") == 3
    assert deepest_key("x = { a.b.c.d.e = 1 }\n") == 4


def test_dots_of_values_strings_and_comments_do_not_add_up() -> None:
    text = 'a = [1.5, 2.5, 3.5, 4.5]\nb = \'1.2.3.4\'\n# a.b.c.d\nc = """\na.b.c.d = 1"""\nd.e = 1.5\n'
    assert deepest_key(text) == 1


def test_looking_for_deep_keys_ends_where_the_text_is_no_toml() -> None:
    assert deepest_key("a.b = 'x\nc.d.e.f = 1\n") == deepest_key('a.b = """x\nc.d.e.f = 1\n') == 1


def quoted(text: str) -> str:
    return '"' + "".join(f"\\u{ord(character):04x}" for character in text) + '"'


KEYS = st.one_of(
    st.text("abz09_-", min_size=1, max_size=4),
    st.text("가a]=.#'\"[ ", max_size=3).map(quoted),
    st.text('나b]=.#"[ ', max_size=3).map(lambda text: f"'{text}'"),
)
VALUES = st.recursive(
    st.one_of(
        st.sampled_from(
            ["1", "true", "2024-01-01", "0.5", '"a=[#"', "'b]'", '"""\nx = 1\n[y]\n"""', "'''\n\n'''"]
        ),
        st.text("가\n[]#='", max_size=5).map(quoted),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[\n" + ",\n".join(items) + "]"),
        st.lists(inner, min_size=1, max_size=2).map(
            lambda items: "{" + ", ".join(f"k{number} = {item}" for number, item in enumerate(items)) + "}"
        ),
    ),
    max_leaves=4,
)
ENTRIES = st.lists(st.tuples(KEYS, VALUES, st.sampled_from(["", " # [x]", "\n", "\n# a = 1\n"])), max_size=5)


def paths(value: Any, above: KeyPath = ()) -> list[KeyPath]:
    """Every key path of tables and of tables in lists."""
    if isinstance(value, list):
        return [path for number, item in enumerate(value) for path in paths(item, (*above, number))]
    if not isinstance(value, dict):
        return []
    own = [(*above, key) for key in value]
    return own + [path for key, item in value.items() for path in paths(item, (*above, key))]


@given(tables=st.lists(ENTRIES, max_size=4))
def test_every_key_of_every_table_has_its_line(tables: list[list[tuple[str, str, str]]]) -> None:
    text = ""
    expected: dict[KeyPath, int] = {}
    for number, entries in enumerate(tables):
        text += "[[t]]\n"
        seen = set()
        for key, value, rest in entries:
            (name,) = tomllib.loads(f"{key} = 1")
            if name in seen:
                continue
            seen.add(name)
            expected["t", number, name] = text.count("\n") + 1
            text += f"{key} = {value}{rest}\n"
    parsed = tomllib.loads(text)
    found = key_lines(text)
    assert {path: line for path, line in found.items() if len(path) == 3} == expected
    assert {*found} <= {*paths(parsed), *(("t", number) for number in range(len(tables)))}
