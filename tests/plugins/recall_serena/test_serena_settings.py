"""Serena's settings files, and when they need not be parsed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import frontmatter
from recall.files import Text, read_text
from recall_serena import settings as serena_settings
from recall_serena.settings import (
    IGNORED,
    LISTING_KEYS,
    LOCATION,
    may_set,
    read_project_settings,
    read_settings,
)

if TYPE_CHECKING:
    from conftest import World

DEFAULTS = """\
# ignored_memory_patterns: ["an example in a comment"]
language_backend: LSP
project_serena_folder_location: "$projectDir/.serena"
ignored_memory_patterns: []  # none
projects:
- /code/shop-api
"""


def test_settings_at_their_defaults_need_no_parsing() -> None:
    assert not may_set(DEFAULTS, LISTING_KEYS)
    assert not may_set("", LISTING_KEYS)
    assert not may_set("ignored_memory_patterns:\nencoding: utf-8\n", LISTING_KEYS)
    assert not may_set("ignored_memory_patterns: null", LISTING_KEYS)


@pytest.mark.parametrize(
    "text",
    [
        "ignored_memory_patterns: [a]",
        "ignored_memory_patterns:\n- a",
        "ignored_memory_patterns:\n  - a",
        "ignored_memory_patterns:\n\n# why\n- a",
        "{ignored_memory_patterns: [a]}",
        "{\nignored_memory_patterns:\n[a]}",
        "'ignored_memory_patterns': [a]",
        '"ignored\\u005fmemory_patterns": [a]',
        '? "ignored_\\\n  memory_patterns"\n: [a]',
        "? ignored_memory_patterns\n: [a]",
        "!!str ignored_memory_patterns: [a]",
        "ignored_memory_patterns: []\nignored_memory_patterns: [a]",
        "encoding: utf-8 # note\u2028ignored_memory_patterns: [a]",
        "project_serena_folder_location: /central/$projectFolderName",
        'project_serena_folder_location:\n  "/central"',
    ],
)
def test_every_way_to_set_a_key_is_noticed(text: str) -> None:
    document = yaml.load(text, Loader=yaml.BaseLoader)
    assert document.get(IGNORED) or document.get(LOCATION)  # it does set one
    assert may_set(text, LISTING_KEYS)


@given(
    patterns=st.lists(st.text(max_size=8), max_size=3),
    before=st.dictionaries(
        st.text(max_size=8), st.text(max_size=12) | st.lists(st.text(max_size=4)), max_size=3
    ),
    flow=st.sampled_from([True, False, None]),
    quotes=st.sampled_from([None, '"', "'"]),
    comment=st.booleans(),
)
@settings(max_examples=200)
def test_no_written_pattern_is_ever_missed(
    patterns: list[str], before: dict[str, Any], flow: bool | None, quotes: Any, comment: bool
) -> None:
    text = yaml.safe_dump(
        {**before, IGNORED: patterns}, default_flow_style=flow, default_style=quotes, allow_unicode=True
    )
    if comment:
        text = f"# {IGNORED}: []\n{text}"
    assert not patterns or may_set(text, LISTING_KEYS)


def test_settings_at_their_defaults_are_read_without_loading_yaml(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(text: str) -> Any:
        raise AssertionError("parsed")

    monkeypatch.setattr(frontmatter, "load_yaml", refuse)
    path = tmp_path / "serena_config.yml"
    path.write_text(DEFAULTS)
    assert read_settings(str(path), LISTING_KEYS).values == {}
    with pytest.raises(AssertionError, match="parsed"):
        read_settings(str(path), None)


def test_each_settings_file_is_read_once_per_look(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.config("ignored_memory_patterns: [a]\n")
    world.project_config("ignored_memory_patterns: [b]\n")
    world.note("core", "# Core\n\n재시도는 세 번까지 한다.\n")
    read: list[str] = []

    def counted(path: str) -> Text:
        read.append(Path(path).name)
        return read_text(path)

    monkeypatch.setattr(serena_settings, "read_text", counted)
    world.listed()
    assert sorted(read) == ["project.yml", "serena_config.yml"]
    read.clear()
    world.health()
    assert sorted(read) == ["project.yml", "serena_config.yml"]


def test_the_local_file_replaces_a_key_of_the_shared_one(tmp_path: Path) -> None:
    (tmp_path / "project.yml").write_text("ignored_memory_patterns: [old]\nread_only: false\n")
    (tmp_path / "project.local.yml").write_text("ignored_memory_patterns: []\n")
    found = read_project_settings(str(tmp_path), LISTING_KEYS)
    assert found.texts(IGNORED) == ()
    assert found.text("read_only") == "false"


@pytest.mark.parametrize(
    "text", ["ignored_memory_patterns: [a", "- a\n- b\nignored_memory_patterns", "a: *x\n"]
)
def test_a_broken_settings_file_is_a_problem_with_its_place(tmp_path: Path, text: str) -> None:
    path = tmp_path / "project.yml"
    path.write_text(text)
    found = read_settings(str(path), None)
    assert found.values == {}
    assert [problem.where for problem in found.problems] == [str(path)]
    assert "settings are not applied" in found.problems[0].reason


def test_a_single_text_counts_as_a_list_of_one(tmp_path: Path) -> None:
    path = tmp_path / "project.yml"
    path.write_text("ignored_memory_patterns: _archive/.*\n")
    assert read_settings(str(path), LISTING_KEYS).texts(IGNORED) == ("_archive/.*",)
