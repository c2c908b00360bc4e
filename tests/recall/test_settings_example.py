"""`config.example.toml` holds every option, and loads."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from recall import settings
from recall.places import Places
from recall.settings import shape
from recall.settings.example import example
from recall.settings.model import FAMILIES, PROVIDER_KEYS, TABLES

REPOSITORY = Path(__file__).resolve().parents[2]
FILE = REPOSITORY / "config.example.toml"
TO_WRITE_IT = "PYTHONPATH=.:plugins python tests/recall/test_settings_example.py"


def first_party() -> list[Any]:
    """The provider classes that the project's own entry points name."""
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    modules = project["project"]["entry-points"]["recall.providers"].values()
    return [import_module(module).recall_provider() for module in modules]


def source(provider: Any) -> str:
    """What the example's table of a provider makes: of a family, the member that is called NAME."""
    return f"{provider.name}-name" if provider.name in FAMILIES else str(provider.name)


def uncommented(text: str) -> str:
    return re.sub(r"^# (\[+[\w.-]+\]+|\w+ = .+)$", r"\1", text, flags=re.MULTILINE)


@pytest.fixture
def text() -> str:
    return FILE.read_text("utf-8")


def test_the_file_is_what_the_options_say(text: str) -> None:
    assert text == example(first_party()), f"write it again: {TO_WRITE_IT}"


def test_as_it_is_the_file_sets_nothing(text: str, tmp_path: Path) -> None:
    found = load(text, tmp_path)
    assert found.query == settings.QuerySettings()
    assert all(provider == settings.ProviderSettings() for provider in found.providers.values())


def load(text: str, folder: Path) -> settings.Settings:
    places = Places(folder, folder / "cache", folder / "state")
    (folder / "config.toml").write_text(text, "utf-8")
    return settings.load(places=places, root=None, env={})


def test_with_every_comment_removed_the_file_loads_and_says_the_defaults(text: str, tmp_path: Path) -> None:
    found = load(uncommented(text), tmp_path)
    assert found.query == settings.QuerySettings()
    assert found.authority == settings.AuthorityWeights()
    assert found.index == settings.IndexSettings()
    providers = first_party()
    assert settings.check_provider_names(found, [source(provider) for provider in providers]) is found
    for provider in providers:
        places = Places(tmp_path, tmp_path / "cache", tmp_path / "state")
        options = settings.options_for(found, source(provider), provider.Options, places=places)
        assert found.provider(source(provider)).authority == provider.authority
        described = shape.keys(provider.Options)
        for field in fields(provider.Options):
            if field.default is not None and shape.dataclass_in(described[field.name][0]) is None:
                assert getattr(options, field.name) == field.default


def test_every_option_of_the_core_and_of_every_provider_is_there(text: str) -> None:
    written = tomllib.loads(uncommented(text))
    for name, cls in TABLES.items():
        assert {*written[name]} == {*shape.keys(cls)}
    for provider in first_party():
        described = shape.keys(provider.Options)
        table = written["providers"][provider.name]
        table = table["NAME"] if provider.name in FAMILIES else table
        assert {*table} == {*described, *PROVIDER_KEYS} - {"file"}  # no file takes such a name
        for key, (annotation, _told) in described.items():
            if (element := shape.dataclass_in(annotation)) is not None:
                assert {*table[key][0]} == {*shape.keys(element)}


def test_every_option_says_what_it_is_for() -> None:
    classes = [*TABLES.values(), *(provider.Options for provider in first_party())]
    for cls in classes:
        assert all(told.get("help") for _annotation, told in shape.keys(cls).values()), cls


if __name__ == "__main__":
    FILE.write_text(example(first_party()), "utf-8")
