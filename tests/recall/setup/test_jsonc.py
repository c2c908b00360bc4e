"""JSON with comments: one value set, every other character kept."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.errors import Unreadable
from recall.setup.jsonc import Dialect

STRICT = Dialect()
COMMENTED = Dialect(comments=True)
LOOSE = Dialect(comments=True, commas=True)
PATH = ("servers", "recall")
ENTRY = {"command": "recall", "args": ["serve"]}


def put(text: str, dialect: Dialect = LOOSE, path: tuple[str, ...] = PATH, value: Any = ENTRY) -> str:
    (edited,) = dialect.put(text, path, value)
    return edited


def test_a_new_file_is_one_object() -> None:
    assert put("") == (
        '{\n  "servers": {\n    "recall": {\n      "command": "recall",\n'
        '      "args": [\n        "serve"\n      ]\n    }\n  }\n}\n'
    )


@pytest.mark.parametrize("text", ["// 내 서버\n", "// 내 서버", "\n/* a\n b */  // c\r\n\n", "/**/"])
def test_a_file_of_comments_alone_is_an_empty_document_that_keeps_them(text: str) -> None:
    assert LOOSE.parse(text) == COMMENTED.parse(text) == {}
    edited = put(text)
    assert edited.startswith(text.rstrip())
    assert LOOSE.parse(edited) == {"servers": {"recall": ENTRY}}
    with pytest.raises(Unreadable):
        STRICT.parse(text)


@pytest.mark.parametrize("text", ["", " ", "\n\n", "\t\r\n"])
def test_a_file_of_spaces_alone_is_an_empty_document(text: str) -> None:
    for dialect in (STRICT, COMMENTED, LOOSE):
        assert dialect.parse(text) == {}
        assert dialect.parse(put(text, dialect)) == {"servers": {"recall": ENTRY}}


def test_a_member_is_added_behind_the_last_one_in_the_file_s_own_indentation() -> None:
    before = '{\n\t"servers": {\n\t\t"notes": {\n\t\t\t"command": "notes"\n\t\t}\n\t}\n}'
    assert put(before, value={"command": "recall"}) == (
        '{\n\t"servers": {\n\t\t"notes": {\n\t\t\t"command": "notes"\n\t\t},\n'
        '\t\t"recall": {\n\t\t\t"command": "recall"\n\t\t}\n\t}\n}'
    )


def test_comments_stay_with_what_they_are_about() -> None:
    before = """// 내 서버 목록
{
  "servers": {
    /* the notes of the team */
    "notes": {"command": "notes"} // 손대지 말 것
    // "old": {"command": "old"}
  } // end, of servers
}
// the end
"""
    assert put(before, value={"command": "recall"}) == (
        """// 내 서버 목록
{
  "servers": {
    /* the notes of the team */
    "notes": {"command": "notes"}, // 손대지 말 것
    "recall": {
      "command": "recall"
    }
    // "old": {"command": "old"}
  } // end, of servers
}
// the end
"""
    )


def test_a_trailing_comma_stays_the_style() -> None:
    before = '{\n  "servers": {\n    "notes": {}, // ours, too\n  },\n}\n'
    assert put(before, value={}) == (
        '{\n  "servers": {\n    "notes": {}, // ours, too\n    "recall": {},\n  },\n}\n'
    )


def test_a_file_on_one_line_stays_on_one_line() -> None:
    assert put('{"a": 1, "servers": {"notes": {}}}', value={"x": [1]}) == (
        '{"a": 1, "servers": {"notes": {}, "recall": {"x": [1]}}}'
    )


@pytest.mark.parametrize("empty", ["{}", "{ }", "{\n}", "{\r\n\r\n}"])
def test_an_empty_object_is_filled(empty: str) -> None:
    newline = "\r\n" if "\r" in empty else "\n"
    assert put(empty, path=("recall",), value=1) == f'{{{newline}  "recall": 1{newline}}}'


@pytest.mark.parametrize(
    "comment", ["// none yet\n", "/* none yet */", "\n  // none yet\n", "/* a */ // b\n"]
)
def test_an_empty_object_keeps_its_comment(comment: str) -> None:
    edited = put(f"{{{comment}}}", path=("recall",), value=1)
    assert comment.strip() in edited
    assert LOOSE.parse(edited) == {"recall": 1}


def test_a_value_that_exists_is_replaced_and_its_comment_kept() -> None:
    before = '{\n  "servers": {\n    "recall": { "command": "/old", /* mine */ "env": {} } // here\n  }\n}'
    assert put(before, path=(*PATH, "command"), value="/new") == before.replace("/old", "/new")


def test_windows_line_ends_stay() -> None:
    edited = put('{\r\n  "a": 1\r\n}\r\n')
    assert "\n" not in edited.replace("\r\n", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1', "line 1, column 8"),
        ('{\n  "a": 1,\n  "a" 2\n}', "line 3, column 7"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": NaN}', "NaN is not JSON"),
        ('{"a": 1} {"b": 2}', "line 1, column 10"),
        ("// a comment\n1 2", "line 2, column 3"),
        ("/* never closed", "line 1, column 1"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_cannot_be_parsed_is_refused_with_its_place(text: str, said: str) -> None:
    with pytest.raises(Unreadable, match=said):
        LOOSE.parse(text)
    with pytest.raises(Unreadable, match=said):
        put(text)


def test_each_dialect_refuses_what_its_client_could_not_read() -> None:
    comment, comma = '{"a": 1} // one', '{"a": 1,}'
    assert LOOSE.parse(comment) == LOOSE.parse(comma) == COMMENTED.parse(comment) == {"a": 1}
    for dialect, text in ((STRICT, comment), (STRICT, comma), (COMMENTED, comma)):
        with pytest.raises(Unreadable):
            dialect.parse(text)


def test_a_key_that_stands_there_twice_is_refused() -> None:
    with pytest.raises(Unreadable, match="servers stands there twice"):
        put('{"servers": {}, "servers": {}}')


def test_comment_marks_inside_strings_are_text() -> None:
    before = '{"url": "http://127.0.0.1/*", "b": "*/ // , }"}'
    assert LOOSE.parse(put(before)) == {**json.loads(before), "servers": {"recall": ENTRY}}


KEYS = st.text(max_size=5) | st.sampled_from(["servers", "recall", "//", "/*", ",}"])
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | KEYS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=12,
)
COMMA_OR_NONE = st.sampled_from([",", ""])
SPACE = st.sampled_from(
    ["", " ", "\n", "\n  ", "\t", "\r\n", "// c, }\n", "/* c\n, */", " /**/ ", '// "x": 1\n']
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as somebody may write it: with spaces, comments and trailing commas anywhere."""

    def spaced(text: str) -> str:
        return f"{draw(SPACE)}{text}{draw(SPACE)}"

    def joined(parts: list[str]) -> str:
        comma = draw(COMMA_OR_NONE) if parts else ""
        return ",".join(parts) + comma + draw(SPACE)

    def text_of(value: Any) -> str:
        if isinstance(value, dict):
            return (
                f"{{{joined([f'{spaced(json.dumps(k))}:{spaced(text_of(v))}' for k, v in value.items()])}}}"
            )
        if isinstance(value, list):
            return f"[{joined([spaced(text_of(item)) for item in value])}]"
        return json.dumps(value, ensure_ascii=draw(COMMA_OR_NONE) == "")

    return spaced(text_of(value))


def is_kept(before: str, after: str) -> bool:
    """Whether every character of `before` is in `after`, in the same order."""
    rest = iter(after)
    return all(character in rest for character in before)


@given(
    st.dictionaries(KEYS, VALUES, max_size=4).flatmap(lambda value: st.tuples(st.just(value), written(value)))
)
def test_whatever_the_file_holds_only_the_value_is_added(document: tuple[dict[str, Any], str]) -> None:
    value, text = document
    assert LOOSE.parse(text) == value
    value.pop("new", None)
    edited = put(text, path=("new", "recall"))
    assert LOOSE.parse(edited) == {**value, "new": {"recall": ENTRY}}
    assert is_kept(text.rstrip(), edited) or not value  # of an empty object only the space inside may go
    assert LOOSE.parse(put(edited, path=("new", "recall"), value=2)) == {**value, "new": {"recall": 2}}


@given(st.text(max_size=40) | st.text(alphabet='{}[]",:/*\n a1\\', max_size=40))
def test_any_text_is_edited_rightly_or_refused(text: str) -> None:
    try:
        edited = put(text)
    except Unreadable:
        return
    assert LOOSE.parse(edited)["servers"]["recall"] == ENTRY


# -- taken out ------------------------------------------------------------------------------------------------


def without(text: str, dialect: Dialect = LOOSE, path: tuple[str, ...] = PATH) -> str:
    (edited,) = dialect.without(text, path)
    return edited


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"servers": {"recall": {"x": [1]}}}', '{"servers": {}}'),
        ('{"servers": {"a": 1, "recall": 2}}', '{"servers": {"a": 1}}'),
        ('{"servers": {"recall": 2, "a": 1}}', '{"servers": {"a": 1}}'),
        ('{"servers": {"recall": 2, /* of a */ "a": 1}}', '{"servers": {/* of a */ "a": 1}}'),
        ('{"servers": {"a": 1, "recall": 2, "b": 3}}', '{"servers": {"a": 1, "b": 3}}'),
        ('{"servers": {"a": 1, "recall": 2,}}', '{"servers": {"a": 1,}}'),
        ('{"servers": {"recall": 2,}}', '{"servers": {}}'),
        (
            '{\n  "servers": {\n    "a": 1, // mine\n    "recall": {\n      "x": 1 // in it\n    }\n  }\n}\n',
            '{\n  "servers": {\n    "a": 1 // mine\n  }\n}\n',
        ),
        (
            '{\n  "servers": {\n    "recall": {\n      "x": 1\n    },\n    // of a\n    "a": 1\n  }\n}\n',
            '{\n  "servers": {\n    // of a\n    "a": 1\n  }\n}\n',
        ),
        (
            '{\r\n\t"servers": {\r\n\t\t"a": 1,\r\n\t\t"recall": 2,\r\n\t},\r\n}',
            '{\r\n\t"servers": {\r\n\t\t"a": 1,\r\n\t},\r\n}',
        ),
        (
            '{"servers": {\n  "a": 1\n  , "recall": 2 /* , */ // x\n}}',
            '{"servers": {\n  "a": 1\n   /* , */ // x\n}}',
        ),
        ('{"servers": {"recall": 2 // x\n , "a": 1}}', '{"servers": {// x\n  "a": 1}}'),
    ],
)
def test_a_member_is_taken_out_with_the_comma_and_the_line_that_are_too_many(before: str, after: str) -> None:
    assert LOOSE.parse(before)["servers"].keys() - {"recall"} == LOOSE.parse(after)["servers"].keys()
    assert without(before) == after


def test_a_key_that_stands_there_twice_is_not_taken_out() -> None:
    with pytest.raises(Unreadable, match="recall stands there twice"):
        without('{"servers": {"recall": 1, "recall": 2}}')


@given(
    st.dictionaries(KEYS, VALUES, max_size=4).flatmap(
        lambda value: st.tuples(st.just(value), written({"new": value | {"recall": ENTRY}}))
    )
)
def test_whatever_the_file_holds_only_the_member_is_taken_out(document: tuple[dict[str, Any], str]) -> None:
    value, text = document
    edited = without(text, path=("new", "recall"))
    value.pop("recall", None)
    assert LOOSE.parse(edited) == {"new": value}
    assert is_kept(edited, text)


@given(
    st.dictionaries(KEYS, VALUES, min_size=1, max_size=4).map(lambda value: {**value, "new": {"old": 1}}),
    st.sampled_from([None, 2, "\t"]),
)
def test_what_was_added_and_taken_out_again_leaves_the_file_as_it_was(
    value: dict[str, Any], indent: int | str | None
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    added = put(text, path=("new", "recall"))
    assert without(added, path=("new", "recall")) == text
