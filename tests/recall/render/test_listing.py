"""`recall providers`: what is told of each plugin, and where each of its options was set."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from recall.engine import Engine
from recall.render import listing
from support.distributions import good_plugin, install
from support.worlds import run_recall

OPTIONS = """    folder: str = option("~/notes", "Where.", from_project="value")
    limit: int = option(3, "How many.")
    token: str = option("", "A key.", secret=True)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with a provider of one file that has options."""
    folder = tmp_path / "home" / ".config" / "recall" / "providers"
    for made in (*reversed(folder.parents[:3]), folder, tmp_path / "shop-api"):
        made.mkdir()
        made.chmod(0o700)
    source = (
        good_plugin("notes").replace("    pass\n", OPTIONS, 1).replace("hookimpl\n", "hookimpl, option\n", 1)
    )
    (folder / "notes.py").write_text(source, "utf-8")
    (folder / "notes.py").chmod(0o600)
    return tmp_path / "home"


def rows(home: Path, env: Mapping[str, str] | None = None) -> list[dict[str, Any]]:
    engine = Engine.start(home.parent / "shop-api", home=home, env=env or {})
    engine.close()
    found: list[dict[str, Any]] = listing.document(listing.of(engine))["providers"]
    return found


def row(home: Path, name: str = "notes", env: Mapping[str, str] | None = None) -> dict[str, Any]:
    (found,) = (one for one in rows(home, env) if one["name"] == name)
    return found


def test_every_option_is_told_with_the_place_that_set_it(home: Path) -> None:
    user, project = home / ".config/recall/config.toml", home.parent / "shop-api/.recall.toml"
    told = {one["key"]: (one["value"], one["origin"], one["place"]) for one in row(home)["options"]}
    assert told == {
        "folder": ('"~/notes"', "default", ""),
        "limit": ("3", "default", ""),
        "token": ('""', "default", ""),
    }
    user.write_text('[providers.notes]\nfolder = "~/a"\nlimit = 4\ntoken = "open sesame"\n', "utf-8")
    project.write_text('[providers.notes]\nfolder = "b"\n', "utf-8")
    env = {"RECALL_PROVIDERS__NOTES__LIMIT": "5"}
    told = {one["key"]: (one["value"], one["origin"], one["place"]) for one in row(home, env=env)["options"]}
    assert told == {
        "folder": ('"b"', "project", f"{project}:2"),
        "limit": ("5", "env", "RECALL_PROVIDERS__NOTES__LIMIT"),
        "token": ("(secret)", "user", f"{user}:4"),
    }


def test_a_provider_of_one_file_is_told_with_its_path(home: Path) -> None:
    found = row(home)
    assert (found["distribution"], found["version"]) == ("", "")
    assert found["file"] == str(home / ".config/recall/providers/notes.py")
    assert (found["state"], found["kind"], found["authority"]) == ("loaded", "corpus", "curated")


def test_of_a_broken_one_what_was_set_is_named_without_its_value(home: Path) -> None:
    (home / ".config/recall/providers/notes.py").write_text("raise RuntimeError('boom')", "utf-8")
    (home / ".config/recall/config.toml").write_text('[providers.notes]\ntoken = "open sesame"\n', "utf-8")
    found = row(home)
    assert (found["state"], found["kind"], found["reason"]) == ("broken", "", "RuntimeError: boom")
    assert [one["key"] for one in found["options"]] == ["token"]
    assert "sesame" not in str(found)


def test_what_is_set_for_a_source_is_not_told_of_a_namesake_that_was_refused(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path / "site", "other-serena", {"serena": "other_serena"}, {"other_serena": "raise SystemExit"}
    )
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    own, refused = (one for one in rows(home) if one["name"] == "serena")
    assert own["options"]
    assert (refused["distribution"], refused["options"]) == ("other-serena", [])


def test_the_text_says_the_same_as_the_document(home: Path) -> None:
    (home / ".config/recall/config.toml").write_text("[providers.notes]\nlimit = 4\n", "utf-8")
    done = run_recall(["providers"], home=home, cwd=home.parent / "shop-api")
    assert done.returncode == 0, done.stderr
    lines = [" ".join(line.split()) for line in done.stdout.splitlines()]
    assert f"notes loaded corpus curated {home}/.config/recall/providers/notes.py" in lines
    assert 'folder = "~/notes" # default' in lines
    assert f"limit = 4 # user file, {home}/.config/recall/config.toml:2" in lines
    for name in ("serena", "git", "claude-mem"):
        assert any(line.startswith(f"{name} loaded corpus") for line in lines)
    assert "off by default" in lines
