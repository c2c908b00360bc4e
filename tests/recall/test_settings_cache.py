"""Validated settings are kept, so that an unchanged input is not validated again."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from recall import settings
from recall.errors import SettingsError
from recall.places import Places
from recall.settings import cache, shape, trust, validate

HEAVY = ("pydantic", "pydantic_settings", "tomllib", "difflib", "asyncio", "importlib.metadata")


@pytest.fixture
def places(tmp_path: Path) -> Places:
    (tmp_path / "config").mkdir()
    return Places(tmp_path / "config", tmp_path / "cache", tmp_path / "state")


@pytest.fixture
def validations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the validations that ran."""
    ran: list[str] = []
    core, options = validate.core, validate.options

    def spy_core(*arguments: Any) -> Any:
        ran.append("core")
        return core(*arguments)

    def spy_options(name: str, *arguments: Any) -> Any:
        ran.append(name)
        return options(name, *arguments)

    monkeypatch.setattr(validate, "core", spy_core)
    monkeypatch.setattr(validate, "options", spy_options)
    return ran


def write(places: Places, text: str) -> None:
    (places.config / "config.toml").write_text(text)


def load(places: Places, env: dict[str, str] | None = None, **flags: Any) -> settings.Settings:
    return settings.load(places=places, root=places.config.parent / "root", env=env or {}, flags=flags)


def kept(places: Places) -> list[Path]:
    return sorted((places.cache / "settings").glob("*"))


def test_an_unchanged_file_is_validated_once(places: Places, validations: list[str]) -> None:
    write(
        places, "[query]\nlimit = 3\n[project]\nnames = ['a']\n[providers.x]\nauthority = 'chat'\nkey = 'v'\n"
    )
    assert load(places) == load(places)
    assert validations == ["core"]


@pytest.mark.parametrize("change", ["content", "environment", "trust"])
def test_a_changed_input_is_validated_again(places: Places, validations: list[str], change: str) -> None:
    root = places.config.parent / "root"
    root.mkdir()
    write(places, "[query]\nlimit = 3\n")
    (root / ".recall.toml").write_text("[query]\ndeadline = 9\n")
    load(places)
    if change == "content":
        write(places, "[query]\nlimit = 4\n")
        assert load(places).query.limit == 4
    elif change == "environment":
        assert load(places, {"RECALL_QUERY__LIMIT": "5"}).query.limit == 5
    else:
        trust.trust(root / ".recall.toml", b"[query]\ndeadline = 9\n", places.state)
        assert load(places).query.deadline == 9
    assert validations == ["core", "core"]


def test_another_version_of_the_options_is_validated_again(
    places: Places, validations: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write(places, "[query]\nlimit = 3\n")
    load(places)
    monkeypatch.setattr(shape, "signature", lambda cls: f"another {cls.__name__}")
    load(places)
    assert validations == ["core", "core"]


def test_right_flags_need_no_validation_and_wrong_ones_get_it(places: Places, validations: list[str]) -> None:
    assert load(places, query={"limit": 3, "floor": 0.5}).query.limit == 3
    assert validations == []
    for flags in ({"limit": 0}, {"limit": True}, {"limit": "3"}, {"floor": float("nan")}, {"limti": 3}):
        with pytest.raises(SettingsError):
            load(places, query=flags)
    assert validations == ["core"] * 5


def test_mistakes_are_not_kept(places: Places, validations: list[str]) -> None:
    write(places, "[query]\nlimit = 0\n")
    for _again in range(2):
        with pytest.raises(SettingsError):
            load(places)
    assert validations == ["core", "core"]


@pytest.mark.parametrize(
    "damage",
    [
        lambda _data: b"",
        lambda data: data[:-1],
        lambda data: data.replace(b'"limit": 3', b'"limit": 9'),
        lambda _data: b"null",
        lambda data: b"\xff\n" + data,
        lambda data: data.partition(b"\n")[0] + b'\n{"values": 3}',
    ],
)
def test_a_damaged_document_is_ignored_and_written_again(
    places: Places, validations: list[str], damage: Any
) -> None:
    write(places, "[query]\nlimit = 3\n")
    load(places)
    (document,) = kept(places)
    whole = document.read_bytes()
    document.write_bytes(damage(whole))
    assert load(places).query.limit == 3
    assert document.read_bytes() == whole
    assert validations == ["core", "core"]


def test_another_documents_content_is_not_taken(places: Places) -> None:
    write(places, "[query]\nlimit = 3\n")
    load(places)
    write(places, "[query]\nlimit = 4\n")
    load(places)
    first, second = kept(places)
    content = first.read_bytes()
    second.write_bytes(content)
    first.write_bytes(content)
    write(places, "[query]\nlimit = 3\n")
    assert load(places).query.limit == 3
    write(places, "[query]\nlimit = 4\n")
    assert load(places).query.limit == 4


def test_a_cache_that_cannot_be_written_is_no_error(places: Places) -> None:
    places.cache.write_text("a file where the folder would be")
    write(places, "[query]\nlimit = 3\n")
    assert load(places).query.limit == 3


def test_a_blocking_document_is_no_error(places: Places) -> None:
    write(places, "[query]\nlimit = 3\n")
    load(places)
    (document,) = kept(places)
    document.unlink()
    os.mkfifo(document)
    assert load(places).query.limit == 3


def test_documents_are_the_users_alone_and_few(places: Places) -> None:
    for limit in range(1, cache.KEPT + 10):
        write(places, f"[query]\nlimit = {limit}\n")
        load(places)
    assert len(kept(places)) == cache.KEPT
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept(places)} == {0o600}
    assert stat.S_IMODE(places.cache.stat().st_mode) == 0o700
    assert stat.S_IMODE((places.cache / "settings").stat().st_mode) == 0o700


def test_what_is_no_json_is_validated_every_time(places: Places, validations: list[str]) -> None:
    write(places, "[providers.x]\nwhen = 2024-01-01\nenabled = true\n")
    assert load(places) == load(places)
    assert validations == ["core", "core"]
    assert not (places.cache / "settings").exists()


def test_secrets_of_the_environment_and_validated_secrets_are_not_written(places: Places) -> None:
    from dataclasses import dataclass

    from recall.api import option

    @dataclass(frozen=True, slots=True)
    class Options:
        token: str = option("", "A key.", secret=True)
        hits: int = option(1, "How many.")

    write(places, "[query]\nlimit = 3\n")
    env = {"RECALL_PROVIDERS__X__TOKEN": "hunter2", "RECALL_PROVIDERS__X__HITS": "5"}
    for _again in range(2):
        found = settings.options_for(load(places, env), "x", Options, places=places)
        assert found == Options("hunter2", 5)
    assert len(kept(places)) == 2
    assert not any(b"hunter2" in path.read_bytes() for path in kept(places))


def test_options_are_validated_once_until_their_class_changes(places: Places, validations: list[str]) -> None:
    from dataclasses import make_dataclass

    from recall.api import option

    write(places, "[providers.x]\nhits = 5\n")

    def options(most: int) -> Any:
        cls = make_dataclass("Options", [("hits", int, option(1, "Hits.", at_most=most))], frozen=True)
        return settings.options_for(load(places), "x", cls, places=places)

    assert options(10).hits == options(10).hits == 5
    assert validations == ["x"]
    with pytest.raises(SettingsError):
        options(4)


FRESH = """
import json, sys
from pathlib import Path
from dataclasses import dataclass
from recall import settings
from recall.api import Authority, option
from recall.places import Places
@dataclass(frozen=True, slots=True)
class Options:
    home: str = option("", "A path.")
    kinds: tuple[Authority, ...] = option((), "Kinds.")
folder = Path(sys.argv[1])
places = Places(folder / "config", folder / "cache", folder / "state")
found = settings.load(places=places, root=folder / "root", env=json.loads(sys.argv[2]), flags=json.loads(sys.argv[3]))
options = settings.options_for(found, "x", Options, places=places, root=folder / "root")
print(json.dumps({"limit": found.query.limit, "options": repr(options), "modules": sorted(sys.modules)}))
"""


def fresh(places: Places, env: dict[str, str] | None = None, flags: Any = None) -> dict[str, Any]:
    """What a new interpreter finds, and which modules it imported."""
    command = [
        sys.executable,
        "-c",
        FRESH,
        str(places.config.parent),
        json.dumps(env or {}),
        json.dumps(flags or {}),
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    return dict(json.loads(done.stdout))


def test_without_settings_nothing_heavy_is_imported(places: Places) -> None:
    assert not {*HEAVY, "hashlib"} & {*fresh(places)["modules"]}


def test_right_flags_alone_import_nothing_heavy(places: Places) -> None:
    found = fresh(places, flags={"query": {"limit": 3}})
    assert found["limit"] == 3
    assert not {*HEAVY} & {*found["modules"]}


def test_the_second_start_imports_no_validation_library(places: Places) -> None:
    write(places, "[query]\nlimit = 3\n[providers.x]\nhome = '/x'\nkinds = ['chat']\n")
    env = {"RECALL_QUERY__LIMIT": "4", "RECALL_PROVIDERS__X__HOME": "/y"}
    first = fresh(places, env)
    assert "pydantic_settings" in first["modules"]
    second = fresh(places, env, {"query": {"limit": 5}})
    assert (first["limit"], second["limit"]) == (4, 5)
    assert second["options"] == first["options"] == "Options(home='/y', kinds=(<Authority.CHAT: 'chat'>,))"
    assert not {*HEAVY} & {*second["modules"]}
