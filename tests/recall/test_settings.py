"""Loading: precedence, provenance, mistakes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from recall import settings
from recall.api import Authority
from recall.errors import SettingsError
from recall.settings.describe import describe
from support.machines import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


# Precedence and provenance


def test_with_nothing_set_everything_is_default(machine: Machine) -> None:
    found = machine.load()
    assert found == settings.Settings()
    assert found.query.limit == 8
    assert found.authority.code == 1.0
    assert found.enabled("serena")


def test_flags_win_over_environment_over_project_over_user(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimit = 1\nbudget = 100\nfloor = 0.1\nhalf_life_days = 1\n")
    machine.project_file.write_text("[query]\nlimit = 2\nbudget = 200\nfloor = 0.2\n")
    found = machine.load({"RECALL_QUERY__LIMIT": "3", "RECALL_QUERY__BUDGET": "300"}, query={"limit": 4})
    query = found.query
    assert (query.limit, query.budget, query.floor, query.half_life_days) == (4, 300, 0.2, 1.0)
    assert str(found.origin("query.limit")) == "--limit"
    assert str(found.origin("query.budget")) == "RECALL_QUERY__BUDGET"
    assert str(found.origin("query.floor")) == f"{machine.project_file}:4"
    assert str(found.origin("query.half_life_days")) == f"{machine.user_file}:5"
    assert str(found.origin("query.deadline")) == "default"


def test_a_provider_table_of_the_project_does_not_wipe_the_users(machine: Machine) -> None:
    machine.user_file.write_text('[providers.serena]\nhome = "/srv/serena"\nauthority = "decision"\n')
    machine.project_file.write_text("[providers.serena]\nmax_file_bytes = 4096\n")
    machine.trust_project()
    serena = machine.load().provider("serena")
    assert serena.options == {"home": "/srv/serena", "max_file_bytes": 4096}
    assert serena.authority is Authority.DECISION


def test_a_list_is_replaced_as_a_whole(machine: Machine) -> None:
    machine.user_file.write_text('[project]\nnames = ["결제", "payments"]\n')
    machine.project_file.write_text('[project]\nnames = ["checkout"]\n')
    assert machine.load().project.names == ("checkout",)


def test_a_flag_of_none_was_not_given(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimit = 5\n")
    assert machine.load(query={"limit": None}).query.limit == 5


def test_a_whole_number_will_do_for_a_number(machine: Machine) -> None:
    machine.user_file.write_text("[query]\ndeadline = 3\n")
    found = machine.load(authority={"chat": 0}).query.deadline
    assert (found, type(found)) == (3.0, float)


def test_flags_can_name_providers_and_their_options(machine: Machine) -> None:
    machine.user_file.write_text('[providers.serena]\nhome = "/srv/serena"\n')
    flags = {"serena": {"enabled": False, "home": "/other"}}
    found = machine.load(providers=flags)
    assert not found.enabled("serena")
    assert found.provider("serena").options == {"home": "/other"}
    assert str(found.origin("providers.serena.home")) == "--home"


def test_a_provider_goes_by_one_name_however_it_is_spelled(machine: Machine) -> None:
    machine.user_file.write_text(
        '[providers.claude_mem]\ndata_dir = "/a"\n[providers.Claude-Mem]\nprompts = true\n'
    )
    found = machine.load({"RECALL_PROVIDERS__CLAUDE_MEM__ENABLED": "false"})
    assert list(found.providers) == ["claude-mem"]
    assert not found.enabled("claude-mem")
    assert found.provider("claude_mem").options == {"data_dir": "/a", "prompts": True}
    assert str(found.origin("providers.claude-mem.prompts")) == f"{machine.user_file}:4"


def test_variables_that_are_no_settings_are_left_alone(machine: Machine) -> None:
    reserved = {
        "RECALL_CACHE_DIR": "/c",
        "RECALL_STATE_DIR": "/s",
        "RECALL_COMPLETE": "bash_source",
        "_RECALL_COMPLETE": "zsh_source",
        "PATH": "/bin",
    }
    assert machine.load(reserved) == settings.Settings()


def test_recall_config_names_another_user_file(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimit = 1\n")
    other = machine.folder / "home" / "other.toml"
    other.parent.mkdir()
    other.write_text("[query]\nlimit = 2\n")
    assert machine.load({"RECALL_CONFIG": str(other)}).query.limit == 2
    assert machine.load({"RECALL_CONFIG": "~/other.toml"}).query.limit == 2
    assert machine.load({"RECALL_CONFIG": os.devnull}).query.limit == 8
    assert machine.load({"RECALL_CONFIG": ""}).query.limit == 1


def test_outside_a_project_only_the_users_file_counts(machine: Machine) -> None:
    machine.project_file.write_text("[query]\nlimit = 1\n")
    assert settings.load(places=machine.places, root=None, env={}) == settings.Settings()


def test_a_file_with_a_byte_order_mark_and_windows_line_ends_is_read(machine: Machine) -> None:
    machine.user_file.write_bytes(b"\xef\xbb\xbf[query]\r\nlimit = 5\r\nfloor = 0.5\r\n")
    found = machine.load()
    assert (found.query.limit, found.query.floor) == (5, 0.5)
    assert str(found.origin("query.floor")) == f"{machine.user_file}:3"


@pytest.mark.parametrize(
    ("text", "expected"), [("0.5", 0.5), ("1", 1.0), (" 1e-1 ", 0.1), ("0.5 # half", 0.5)]
)
def test_a_variables_text_is_read_as_toml(machine: Machine, text: str, expected: float) -> None:
    assert machine.load({"RECALL_QUERY__FLOOR": text}).query.floor == expected


def test_a_variable_can_hold_a_list(machine: Machine) -> None:
    assert machine.load({"RECALL_PROJECT__NAMES": '["결제", "pay"]'}).project.names == ("결제", "pay")


# Names of providers


def test_an_unknown_provider_of_the_user_is_a_mistake(machine: Machine) -> None:
    machine.user_file.write_text("[providers.serna]\nenabled = true\n")
    found = machine.load({"RECALL_PROVIDERS__CLAUDEMEM__DATA_DIR": "/x"})
    with pytest.raises(SettingsError) as caught:
        settings.check_provider_names(found, ["serena", "claude-mem"])
    assert caught.value.problems == (
        'RECALL_PROVIDERS__CLAUDEMEM__DATA_DIR: providers.claudemem: unknown provider (did you mean "claude-mem"?)',
        f'{machine.user_file}:1: providers.serna: unknown provider (did you mean "serena"?)',
    )


def test_a_provider_that_only_a_project_names_may_be_missing(machine: Machine) -> None:
    machine.project_file.write_text(
        "[providers.team-notes]\nurl = 'https://notes.invalid'\n[providers.wiki]\n"
    )
    found = settings.check_provider_names(machine.load(), ["serena"])
    assert found.providers == {}
    assert found.notices == (
        f"{machine.project_file}:1: providers.team-notes: unknown provider; not used",
        f"{machine.project_file}:3: providers.wiki: unknown provider; not used",
    )


def test_known_providers_are_no_news(machine: Machine) -> None:
    machine.user_file.write_text("[providers.my-notes]\nenabled = false\n")
    found = machine.load()
    assert settings.check_provider_names(found, ["my_notes"]) is found
    assert not found.enabled("my_notes")


# Showing


def test_describe_lists_every_key_with_its_origin_in_order(machine: Machine) -> None:
    machine.user_file.write_text("[query]\nlimit = 5\n[providers.serena]\nenabled = false\n")
    rows = {key: (value, str(origin)) for key, value, origin in describe(machine.load())}
    assert list(rows) == sorted(rows)
    assert rows["query.limit"] == ("5", f"{machine.user_file}:2")
    assert rows["query.floor"] == ("0.34", "default")
    assert rows["project.names"] == ("[]", "default")
    assert rows["providers.serena.enabled"] == ("false", f"{machine.user_file}:4")
    assert rows["providers.serena.authority"] == ("(not set)", "default")


def test_describe_hides_options_of_a_provider_it_does_not_know(machine: Machine) -> None:
    machine.user_file.write_text("[providers.wiki]\ntoken = 'hunter2'\n")
    rows = {key: value for key, value, _origin in describe(machine.load())}
    assert rows["providers.wiki.token"] == "(not shown: the provider is not loaded)"


# Whatever is written


LIMITS = {"user": 10, "project": 20, "env": 30, "flag": 40}


@given(chosen=st.sets(st.sampled_from(sorted(LIMITS))))
@hypothesis_settings(max_examples=16)
def test_the_strongest_source_that_speaks_decides(
    chosen: set[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    machine = Machine(tmp_path_factory.mktemp("precedence"))
    if "user" in chosen:
        machine.user_file.write_text("query.limit = 10\n")
    if "project" in chosen:
        machine.project_file.write_text("query.limit = 20\n")
    env = {"RECALL_QUERY__LIMIT": "30"} if "env" in chosen else {}
    flags = {"query": {"limit": 40}} if "flag" in chosen else {}
    strongest = next((kind for kind in ("flag", "env", "project", "user") if kind in chosen), "default")
    for _again in range(2):  # the second time from the cache
        found = machine.load(env, **flags)
        assert found.query.limit == LIMITS.get(strongest, 8)
        assert found.origin("query.limit").kind == strongest
