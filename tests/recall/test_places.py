"""Recall's own folders: the platform's rules, this user's choice, nobody else's eyes."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from recall.errors import IndexUnavailable
from recall.places import Places
from support.worlds import process_env

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="elsewhere platformdirs itself is asked")

ASK_PLATFORMDIRS = """
import json, platformdirs
print(json.dumps([str(folder) for folder in (
    platformdirs.user_config_path("recall", appauthor=False),
    platformdirs.user_cache_path("recall", appauthor=False),
    platformdirs.user_state_path("recall", appauthor=False),
)]))
"""


def by_platformdirs(home: Path, env: dict[str, str]) -> list[str]:
    """What platformdirs says in a process of its own: it reads that process's environment."""
    done = subprocess.run(
        [sys.executable, "-c", ASK_PLATFORMDIRS],
        env=process_env(home, env),
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    found: list[str] = json.loads(done.stdout)
    return found


def ours(home: Path, env: dict[str, str]) -> list[str]:
    found = Places.find(env, home)
    return [os.fspath(found.config), os.fspath(found.cache), os.fspath(found.state)]


@on_linux
@pytest.mark.parametrize(
    "variables",
    [
        {},
        {"XDG_CONFIG_HOME": "c", "XDG_CACHE_HOME": "k", "XDG_STATE_HOME": "s"},
        {"XDG_CACHE_HOME": "캐시 폴더"},
        {"XDG_STATE_HOME": ""},
    ],
    ids=["none", "all", "one", "empty"],
)
def test_the_folders_are_those_that_platformdirs_names(tmp_path: Path, variables: dict[str, str]) -> None:
    env = {name: value and os.fspath(tmp_path / value) for name, value in variables.items()}
    assert ours(tmp_path, env) == by_platformdirs(tmp_path, env)


@on_linux
def test_a_relative_base_folder_is_ignored_as_the_standard_demands(tmp_path: Path) -> None:
    env = dict.fromkeys(("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"), "somewhere")
    assert ours(tmp_path, env) == ours(tmp_path, {})


def test_the_users_own_choice_wins(tmp_path: Path) -> None:
    env = {
        "RECALL_CACHE_DIR": os.fspath(tmp_path / "a"),
        "RECALL_STATE_DIR": os.fspath(tmp_path / "b"),
        "XDG_CACHE_HOME": os.fspath(tmp_path / "x"),
        "XDG_STATE_HOME": os.fspath(tmp_path / "x"),
    }
    found = Places.find(env, tmp_path)
    assert (found.cache, found.state) == (tmp_path / "a", tmp_path / "b")


def test_a_relative_choice_is_made_absolute_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Places.find({"RECALL_CACHE_DIR": "cache"}, tmp_path).cache == tmp_path / "cache"


def test_an_empty_choice_is_none(tmp_path: Path) -> None:
    assert Places.find({"RECALL_CACHE_DIR": ""}, tmp_path) == Places.find({}, tmp_path)


@on_linux
def test_the_settings_in_dot_config_are_found_when_the_standard_place_has_none(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    env = {"XDG_CONFIG_HOME": os.fspath(elsewhere)}
    plain = tmp_path / ".config" / "recall"
    plain.mkdir(parents=True)
    assert Places.find(env, tmp_path).config == plain
    (elsewhere / "recall").mkdir(parents=True)
    assert Places.find(env, tmp_path).config == elsewhere / "recall"


def test_finding_the_folders_makes_none(tmp_path: Path) -> None:
    Places.find({}, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_the_folders_are_made_for_their_owner_only(tmp_path: Path) -> None:
    places = Places.find({}, tmp_path)
    for made in (places.make_cache(), places.make_state()):
        assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_a_folder_that_cannot_be_made_is_named_with_the_variable_that_moves_it(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    env = {name: os.fspath(tmp_path / "file" / "x") for name in ("RECALL_CACHE_DIR", "RECALL_STATE_DIR")}
    places = Places.find(env, tmp_path)
    with pytest.raises(IndexUnavailable) as raised:
        places.make_cache()
    assert str(tmp_path / "file" / "x") in str(raised.value)
    assert "RECALL_CACHE_DIR" in raised.value.next_step
    with pytest.raises(IndexUnavailable) as raised:
        places.make_state()
    assert "RECALL_STATE_DIR" in raised.value.next_step
