"""Mistakes in settings: one line each, all at once, with the place and the nearest name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from recall import settings
from recall.errors import SettingsError
from recall.settings.describe import describe
from support.machines import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_an_unknown_key_tells_file_line_and_nearest_name(machine: Machine) -> None:
    machine.user_file.write_text("# mine\n\n[query]\nlimti = 3\n")
    assert machine.problem() == f'{machine.user_file}:4: query.limti: unknown key (did you mean "limit"?)'


def test_an_unknown_table_tells_the_nearest_one(machine: Machine) -> None:
    machine.user_file.write_text("[provider.serena]\nhome = 'x'\n")
    assert machine.problem() == f'{machine.user_file}:1: provider: unknown key (did you mean "providers"?)'


def test_a_key_outside_its_table_is_told_where_it_belongs(machine: Machine) -> None:
    machine.user_file.write_text("limit = 3\n")
    assert machine.problem() == f'{machine.user_file}:1: limit: unknown key (did you mean "query.limit"?)'


@pytest.mark.parametrize(
    ("key", "value", "mistake"),
    [
        ("query.limit", '"many"', 'must be a whole number, not "many"'),
        ("query.limit", "true", "must be a whole number, not true"),
        ("query.limit", "3.0", "must be a whole number, not 3.0"),
        ("query.limit", "0", "must be from 1 to 100, not 0"),
        ("query.limit", "101", "must be from 1 to 100, not 101"),
        ("query.budget", "49", "must be from 50 to 1,000,000, not 49"),
        ("query.deadline", "0", "must be from 0.01 to 600, not 0"),
        ("query.deadline", "601", "must be from 0.01 to 600, not 601"),
        ("query.deadline", "false", "must be a number, not false"),
        ("query.floor", "nan", "must be from 0 to 1, not nan"),
        ("query.floor", "-0.1", "must be from 0 to 1, not -0.1"),
        ("query.half_life_days", "inf", "must be from 0.1 to 36,500, not inf"),
        ("query.half_life_days", "2020-01-01", "must be a number, not 2020-01-01"),
        ("authority.code", "1.5", "must be from 0 to 1, not 1.5"),
        ("project.names", '"결제"', 'must be a list, each text, not "결제"'),
        ("project.names", "{a = 1}", "must be a list, each text, not a table"),
        ("index", "3", "must be a table, not 3"),
        ("providers", "[]", "must be a table, not a list"),
        ("providers.serena", "true", "must be a table, not true"),
        ("providers.serena.enabled", "1", "must be true or false, not 1"),
        ("providers.serena.distribution", "1", "must be text, not 1"),
        (
            "providers.serena.authority",
            '"boss"',
            'must be one of "code", "state", "decision", "curated", "captured", "chat", not "boss"',
        ),
    ],
)
def test_a_wrong_value_is_told_in_words(machine: Machine, key: str, value: str, mistake: str) -> None:
    machine.user_file.write_text(f"{key} = {value}\n")
    assert machine.problem() == f"{machine.user_file}:1: {key}: {mistake}"


def test_a_wrong_element_is_told_by_its_number(machine: Machine) -> None:
    machine.user_file.write_text('[project]\nnames = [\n  "a",\n  3,\n]\n')
    assert machine.problem() == f"{machine.user_file}:2: project.names[1]: must be text, not 3"


def test_all_mistakes_come_at_once_in_the_order_of_their_places(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimti = 3\nfloor = 2\n[authority]\ncode = 'x'\n")
    machine.project_file.write_text("[project\n")
    lines = machine.problems({"RECALL_QUERY__BUDGET": "few", "RECALL_LIMIT": "3"}, query={"deadline": -1})
    assert [line.removeprefix(f"{machine.folder}/") for line in lines] == [
        'RECALL_LIMIT: unknown setting (did you mean "RECALL_QUERY__LIMIT"?)',
        "프로젝트/.recall.toml:1: not valid TOML: expected ']' at the end of a table declaration",
        'RECALL_QUERY__BUDGET: query.budget: must be a whole number, not "few"',
        'config/config.toml:2: query.limti: unknown key (did you mean "limit"?)',
        "config/config.toml:3: query.floor: must be from 0 to 1, not 2",
        'config/config.toml:5: authority.code: must be a number, not "x"',
        "--deadline: query.deadline: must be from 0.01 to 600, not -1",
    ]


def test_more_mistakes_than_anybody_reads_are_counted(machine: Machine) -> None:
    machine.user_file.write_text("".join(f"wrong{number} = 1\n" for number in range(200)))
    lines = machine.problems()
    assert (len(lines), lines[-1]) == (51, "and 150 more")


@pytest.mark.parametrize(
    ("name", "mistake"),
    [
        ("RECALL_QUERY_LIMIT", 'unknown setting (did you mean "RECALL_QUERY__LIMIT"?)'),
        ("RECALL_QUERY__LIMTI", 'unknown setting (did you mean "RECALL_QUERY__LIMIT"?)'),
        ("RECALL_CONFIGS", 'unknown setting (did you mean "RECALL_CONFIG"?)'),
        ("RECALL_query__limit", "unknown setting"),
        ("RECALL_", "unknown setting"),
        ("RECALL_PROVIDERS__SERENA", "unknown setting"),
        ("RECALL_PROVIDERS__SERENA__A__B", "unknown setting"),
        ("RECALL_ZZZZ", "unknown setting"),
    ],
)
def test_an_unknown_variable_is_a_mistake_and_its_value_is_not_shown(
    machine: Machine, name: str, mistake: str
) -> None:
    line = machine.problem({name: "hunter2"})
    assert line.startswith(f"{name}: {mistake}")
    assert "hunter2" not in line


@pytest.mark.parametrize(
    ("content", "place", "mistake"),
    [
        (b"a = ", ":1", "not valid TOML: "),
        (b"[query]\nlimit 3\n", ":2", "not valid TOML: expected '=' after a key"),
        (b"[query]\nlimit = 3\n[query]\n", ":3", "not valid TOML: cannot declare"),
        (b"a = 1\n\n[", ":3", "not valid TOML: "),
        (b"a = 1\nb = '\xb0\xe1\xc1\xa6'\n", ":2", "not valid UTF-8"),
        (b"\xff\xfea\0=\0001\0", ":1", "not valid UTF-8"),
        (b"a = " + b"[" * 100_000, "", "nested too deeply"),
        (b".".join([b"a"] * 100_000) + b" = 1", "", "nested too deeply"),
        (b"[" + b". 'a'".join([b"a"] * 40_000) + b"]", "", "nested too deeply"),
        (b'a = 1\nb = 2 # a.b\na = "' + b'\\"' * 60_000, ":3", "not valid TOML: "),
        (b"a = 0x" + b"f" * 9_000, "", "holds a whole number of more than 64 bits"),
    ],
)
def test_a_file_that_is_no_toml_is_one_line(
    machine: Machine, content: bytes, place: str, mistake: str
) -> None:
    machine.user_file.write_bytes(content)
    assert machine.problem().startswith(f"{machine.user_file}{place}: {mistake}")


def test_a_file_that_cannot_be_read_is_one_line(machine: Machine) -> None:
    os.mkfifo(machine.user_file)
    assert machine.problem() == f"{machine.user_file}: cannot be read: not a regular file but a named pipe"
    machine.user_file.unlink()
    machine.user_file.symlink_to(machine.folder / "gone.toml")
    assert machine.problem() == f"{machine.user_file}: cannot be read: no such file or directory"
    machine.user_file.unlink()
    machine.project_file.mkdir()
    assert machine.problem() == f"{machine.project_file}: cannot be read: not a regular file but a folder"


def test_a_file_larger_than_any_settings_is_refused(machine: Machine) -> None:
    machine.user_file.write_bytes(b"#" * 300_000)
    assert machine.problem() == f"{machine.user_file}: cannot be read: larger than 262,144 bytes"


@pytest.mark.parametrize("path", ["/nowhere/config.toml", "a\0b"])
def test_a_named_file_that_is_not_there_is_a_mistake(machine: Machine, path: str) -> None:
    assert machine.problem({"RECALL_CONFIG": path}).startswith("RECALL_CONFIG: ")


def test_keys_that_steer_the_validation_library_are_just_unknown(machine: Machine) -> None:
    machine.user_file.write_text("_cli_parse_args = true\n_env_file = '/x'\nmodel_config = 1\nself = 1\n")
    assert [line.split(": ", 1)[1] for line in machine.problems()] == [
        "_cli_parse_args: unknown key",
        "_env_file: unknown key",
        "model_config: unknown key",
        "self: unknown key",
    ]


def test_hidden_characters_in_keys_and_values_are_shown_as_escapes(machine: Machine) -> None:
    machine.user_file.write_text('[query]\n"a\\u202e\\nb" = 1\nlimit = "\\u001b[31m\\n"\n')
    first, second = machine.problems()
    assert '"a\\u202E\\nb"' in first
    assert second.endswith('not "\\u001B[31m\\n"')


def test_a_long_wrong_value_is_cut(machine: Machine) -> None:
    machine.user_file.write_text(f"[query]\nlimit = '{'가' * 5000}'\n")
    assert len(machine.problem()) < len(str(machine.user_file)) + 150
    machine.user_file.write_text(f"{'a' * 5000} = 1\n")
    assert len(machine.problem()) < len(str(machine.user_file)) + 500


def test_a_mistake_that_a_stronger_source_overrides_does_no_harm(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimit = 'many'\n")
    assert machine.load({"RECALL_QUERY__LIMIT": "3"}).query.limit == 3


@pytest.mark.parametrize("text", ["", "3\nb = 1", "[value]", "9" * 5000, "0x" + "f" * 5000, "[" * 5000])
def test_a_variables_text_that_is_no_value_is_one_line(machine: Machine, text: str) -> None:
    assert machine.problem({"RECALL_QUERY__LIMIT": text}).startswith(
        "RECALL_QUERY__LIMIT: query.limit: must be a whole number, not "
    )


# Whatever is written


def attempt(
    machine: Machine, env: Mapping[str, str] | None = None
) -> tuple[settings.Settings | None, tuple[str, ...]]:
    """The settings, or the mistakes."""
    try:
        return machine.load(env), ()
    except SettingsError as error:
        return None, error.problems


NAMES = st.sampled_from(
    [
        "query",
        "limit",
        "floor",
        "names",
        "project",
        "providers",
        "serena",
        "enabled",
        "authority",
        "index",
        "a b",
        "",
    ]
)
KEYS = NAMES.map(lambda name: name if name.isalpha() else f'"{name}"')
VALUES = st.one_of(
    st.sampled_from(
        ["true", "3", "-1", "0.5", "inf", "[]", "{}", '"결제"', "2024-01-01", "[1, [2, {a = 3}]]"]
    ),
    st.text(alphabet="[]{}=\"'#\n.,a1 \\", max_size=12),
)
STATEMENTS = st.one_of(
    st.builds("{} = {}\n".format, st.lists(KEYS, min_size=1, max_size=3).map(".".join), VALUES),
    st.builds("[{}]\n".format, st.lists(KEYS, min_size=1, max_size=3).map(".".join)),
    st.builds("[[{}]]\n".format, st.lists(KEYS, min_size=1, max_size=3).map(".".join)),
)
TEXTS = st.one_of(
    st.binary(max_size=60), st.lists(STATEMENTS, max_size=6).map(lambda all_: "".join(all_).encode())
)


@given(user=TEXTS, project=TEXTS, trusted=st.booleans())
@hypothesis_settings(max_examples=150)
def test_whatever_the_files_hold_there_are_settings_or_one_line_for_each_mistake(
    user: bytes, project: bytes, trusted: bool, tmp_path_factory: pytest.TempPathFactory
) -> None:
    machine = Machine(tmp_path_factory.mktemp("anything"))
    machine.user_file.write_bytes(user)
    machine.project_file.write_bytes(project)
    if trusted:
        machine.trust_project()
    found, lines = attempt(machine)
    assert (found is None) == bool(lines)
    assert all(line.isprintable() for line in lines)
    assert attempt(machine) == (found, lines)
    assert found is None or describe(found)


@given(text=st.text(max_size=30), name=st.sampled_from(["LIMIT", "FLOOR", "NOTHING"]))
@hypothesis_settings(max_examples=60)
def test_whatever_a_variable_holds_there_are_settings_or_one_line(
    text: str, name: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    machine = Machine(tmp_path_factory.mktemp("variable"))
    found, lines = attempt(machine, {f"RECALL_QUERY__{name}": text})
    assert (found is None, len(lines)) in [(True, 1), (False, 0)]
    assert all(line.isprintable() for line in lines)
