"""What an untrusted project may set, and how it comes to be trusted."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pytest

from recall import settings
from recall.api import Authority, option
from recall.errors import SettingsError
from recall.places import Places
from recall.settings import trust


@dataclass(frozen=True, slots=True)
class Folder:
    path: str = option("", "Where.", from_project="folder")
    name: str = option("", "What it is called.", from_project="value")
    authority: Authority | None = option(  # noqa: RUF009 - a field, as everywhere here
        None, "How much it is believed.", from_project="value"
    )
    command: str = option("", "What lists it.")


@dataclass(frozen=True, slots=True)
class PlainFolder:
    """A table whose keys say nothing of themselves."""

    path: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Options:
    """One option for every rule."""

    home: str = option("", "A path.")
    url: str = option("", "An address.")
    token: str = option("", "A key.", secret=True)
    mode: Literal["fast", "full"] = option("fast", "How.", from_project="value")
    hits: int = option(10, "How many.", from_project="value", at_least=1)
    notes: str = option("", "A folder.", from_project="folder")
    folders: tuple[Folder, ...] = option((), "Folders.", from_project="folder")
    others: tuple[PlainFolder, ...] = option((), "Other folders.", from_project="value")


@dataclass
class Project:
    """A user, a project, and a provider called wiki."""

    folder: Path

    def __post_init__(self) -> None:
        self.places = Places(self.folder / "config", self.folder / "cache", self.folder / "state")
        self.root = self.folder / "project"
        self.user_file = self.places.config / "config.toml"
        self.project_file = self.root / ".recall.toml"
        for folder in (self.places.config, self.root):
            folder.mkdir()

    def trust(self) -> None:
        trust.trust(self.project_file, self.project_file.read_bytes(), self.places.state)

    def resolved(self, env: Mapping[str, str] | None = None) -> settings.ProviderOptions[Options]:
        """Loaded twice, the second time from the cache, which must not matter."""
        results = []
        for _again in range(2):
            found = settings.load(places=self.places, root=self.root, env=env or {})
            results.append(
                settings.provider_options(found, "wiki", Options, places=self.places, root=self.root)
            )
        assert results[0] == results[1]
        return results[0]

    def options(self, env: Mapping[str, str] | None = None) -> Options:
        return self.resolved(env).value

    def problems(self, env: Mapping[str, str] | None = None) -> tuple[str, ...]:
        with pytest.raises(SettingsError) as caught:
            self.resolved(env)
        return caught.value.problems


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path)


def notice(project: Project, line: int, key: str, why: str = "") -> str:
    return f'{project.project_file}:{line}: {key}: {why}not used until you run "recall config trust"'


def test_a_stranger_may_choose_providers_weights_and_names(project: Project) -> None:
    project.project_file.write_text(
        """
        [query]
        floor = 0.5
        [authority]
        captured = 0.1
        [project]
        names = ["결제"]
        [providers.wiki]
        enabled = false
        authority = "chat"
        """
    )
    found = settings.load(places=project.places, root=project.root, env={})
    assert found.notices == ()
    assert (found.query.floor, found.authority.captured, found.project.names) == (0.5, 0.1, ("결제",))
    assert not found.enabled("wiki")
    assert found.provider("wiki").authority is Authority.CHAT


def test_a_stranger_may_not_set_what_is_the_users_alone(project: Project) -> None:
    project.project_file.write_text(
        "[query]\ndeadline = 600\n[index]\nkeep_vanished_days = 0\n[providers.wiki]\ndistribution = 'evil'\n"
    )
    found = settings.load(places=project.places, root=project.root, env={})
    assert (found.query, found.index) == (settings.QuerySettings(), settings.IndexSettings())
    assert found.provider("wiki").distribution == ""
    assert sorted(found.notices) == [
        notice(project, 2, "query.deadline"),
        notice(project, 4, "index.keep_vanished_days"),
        notice(project, 6, "providers.wiki.distribution"),
    ]
    project.trust()
    found = settings.load(places=project.places, root=project.root, env={})
    assert (found.query.deadline, found.index.keep_vanished_days) == (600, 0)
    assert found.provider("wiki").distribution == "evil"
    assert found.notices == ()


def test_a_stranger_may_not_switch_on_what_the_user_switched_off(project: Project) -> None:
    project.user_file.write_text("[providers.wiki]\nenabled = false\n")
    project.project_file.write_text("[providers.wiki]\nenabled = true\n")
    found = settings.load(places=project.places, root=project.root, env={})
    assert not found.enabled("wiki")
    assert found.notices == (notice(project, 2, "providers.wiki.enabled", "you switched it off; "),)
    project.trust()
    assert settings.load(places=project.places, root=project.root, env={}).enabled("wiki")


def test_a_stranger_may_not_switch_on_what_is_off_by_default(project: Project) -> None:
    project.project_file.write_text("[providers.transcripts]\nenabled = true\n")
    found = settings.load(places=project.places, root=project.root, env={})
    assert not found.enabled("transcripts")
    assert found.notices == (notice(project, 2, "providers.transcripts.enabled", "it is off by default; "),)
    project.user_file.write_text("[providers.transcripts]\nenabled = true\n")
    found = settings.load(places=project.places, root=project.root, env={})
    assert found.enabled("transcripts")
    assert found.notices == ()


def test_a_strangers_paths_addresses_and_secrets_are_not_used(project: Project) -> None:
    project.user_file.write_text("[providers.wiki]\nhome = '/mine'\n")
    project.project_file.write_text(
        "[providers.wiki]\nhome = '/evil'\nurl = 'https://evil.invalid'\ntoken = 'x'\nhits = 3\n"
    )
    resolved = project.resolved()
    assert resolved.value == Options(home="/mine", hits=3)
    assert resolved.notices == (
        notice(project, 2, "providers.wiki.home"),
        notice(project, 3, "providers.wiki.url"),
        notice(project, 4, "providers.wiki.token"),
    )
    assert str(resolved.origins["providers.wiki.home"]) == f"{project.user_file}:2"
    assert str(resolved.origins["providers.wiki.hits"]) == f"{project.project_file}:5"
    project.trust()
    assert project.resolved().value == Options(home="/evil", url="https://evil.invalid", token="x", hits=3)
    assert project.resolved().notices == ()


def test_a_list_that_replaces_another_answers_for_its_own_mistakes(project: Project) -> None:
    project.user_file.write_text("[[providers.wiki.folders]]\npath = 'docs'\nname = 'a'\n")
    project.project_file.write_text("[providers.wiki]\nfolders = [{ path = 'docs', name = 3 }]\n")
    place = f"{project.project_file}:2: providers.wiki.folders[0].name"
    assert project.problems() == (f"{place}: must be text, not 3",)
    project.trust()
    assert project.problems() == (f"{place}: must be text, not 3",)


def test_a_stranger_does_not_win_over_the_environment(project: Project) -> None:
    project.user_file.write_text("[providers.wiki]\nhits = 2\nmode = 'full'\n")
    project.project_file.write_text("[providers.wiki]\nhits = 3\nmode = 'fast'\n")
    options = project.options({"RECALL_PROVIDERS__WIKI__HITS": "4"})
    assert (options.hits, options.mode) == (4, "fast")


@pytest.mark.parametrize("folder", ["docs", "./docs/adr", "not/yet/there", "결제", "link-inside", "."])
def test_a_strangers_folder_inside_the_project_is_used(project: Project, folder: str) -> None:
    (project.root / "docs").mkdir()
    (project.root / "link-inside").symlink_to("docs")
    project.project_file.write_text(f"[providers.wiki]\nnotes = '{folder}'\n")
    assert project.options().notes == folder


@pytest.mark.parametrize(
    "folder",
    [
        "/etc",
        "~",
        "~/notes",
        "~other/notes",
        "..",
        "docs/../../x",
        "docs/../docs",
        "docs/**/../..",
        "..\\x",
        "link-out",
        "link-out/below",
        "link-to-link",
        "../project-twin",
        "a\\u0000b",
    ],
)
def test_a_strangers_folder_that_leads_out_is_not_used(project: Project, folder: str) -> None:
    (project.root / "docs").mkdir()
    (project.folder / "project-twin").mkdir()
    (project.root / "link-out").symlink_to(project.folder)
    (project.root / "link-to-link").symlink_to("link-out")
    text = json.dumps(folder) if "\\u" not in folder else f'"{folder}"'
    project.project_file.write_text(f"[providers.wiki]\nnotes = {text}\n")
    resolved = project.resolved()
    assert resolved.value == Options()
    assert resolved.notices == (notice(project, 2, "providers.wiki.notes", "leads out of the project; "),)


def test_a_folder_that_becomes_a_link_out_is_not_used_any_more(project: Project) -> None:
    project.project_file.write_text("[providers.wiki]\nnotes = 'docs'\n")
    assert project.options().notes == "docs"
    (project.root / "docs").symlink_to("/")
    assert project.options().notes == ""


def test_folders_in_a_table_follow_the_rules_of_their_own_keys(project: Project) -> None:
    lines = "[[providers.wiki.folders]]\npath = '{path}'\nname = '../any name'\nauthority = 'decision'\n"
    project.project_file.write_text(lines.format(path="docs"))
    assert project.options().folders == (Folder("docs", "../any name", Authority.DECISION),)
    project.project_file.write_text(lines.format(path="docs") + lines.format(path="/etc"))
    assert project.options().folders == ()
    project.project_file.write_text(lines.format(path="docs") + "command = 'rm'\n")
    assert project.options().folders == ()


def test_keys_that_state_no_rule_are_held_to_the_project(project: Project) -> None:
    project.project_file.write_text("[[providers.wiki.others]]\npath = 'docs'\n")
    assert project.options().others == (PlainFolder("docs"),)
    project.project_file.write_text("[[providers.wiki.others]]\npath = '/etc'\n")
    assert project.options().others == ()


def test_a_strangers_mistake_is_a_mistake_like_any_other(project: Project) -> None:
    project.project_file.write_text("[providers.wiki]\nhits = 'many'\nhitz = 3\n")
    assert project.problems() == (
        f'{project.project_file}:2: providers.wiki.hits: must be a whole number, not "many"',
        f'{project.project_file}:3: providers.wiki.hitz: unknown key (did you mean "hits"?)',
    )


# Trust


def test_editing_a_trusted_file_makes_it_a_strangers_again(project: Project) -> None:
    project.project_file.write_text("query.deadline = 5\n")
    project.trust()
    assert settings.load(places=project.places, root=project.root, env={}).query.deadline == 5
    project.project_file.write_text("query.deadline = 6\n")
    assert settings.load(places=project.places, root=project.root, env={}).query.deadline == 2
    project.project_file.write_text("query.deadline = 5\n")
    assert settings.load(places=project.places, root=project.root, env={}).query.deadline == 5


def test_trust_is_for_one_place(project: Project) -> None:
    content = b"query.deadline = 5\n"
    trust.trust(project.project_file, content, project.places.state)
    assert trust.is_trusted(project.project_file, content, project.places.state)
    assert not trust.is_trusted(project.folder / ".recall.toml", content, project.places.state)


def test_trust_can_be_taken_back(project: Project) -> None:
    others = project.folder / "other" / ".recall.toml"
    trust.trust(project.project_file, b"a", project.places.state)
    trust.trust(others, b"b", project.places.state)
    assert trust.untrust(project.project_file, project.places.state)
    assert not trust.untrust(project.project_file, project.places.state)
    assert not trust.is_trusted(project.project_file, b"a", project.places.state)
    assert trust.is_trusted(others, b"b", project.places.state)


def test_the_record_of_trust_is_the_users_alone(project: Project) -> None:
    trust.trust(project.project_file, b"a", project.places.state)
    record = project.places.state / "trust.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    assert stat.S_IMODE(project.places.state.stat().st_mode) == 0o700
    assert [item.name for item in project.places.state.iterdir()] == ["trust.json"]


@pytest.mark.parametrize("damage", [b"", b"[]", b"{", b'"x"', b"\xff", b"[" * 100_000])
def test_a_damaged_record_trusts_nothing_and_can_be_written_again(project: Project, damage: bytes) -> None:
    project.places.state.mkdir()
    (project.places.state / "trust.json").write_bytes(damage)
    assert not trust.is_trusted(project.project_file, b"a", project.places.state)
    trust.trust(project.project_file, b"a", project.places.state)
    assert trust.is_trusted(project.project_file, b"a", project.places.state)


def test_a_blocking_record_trusts_nothing(project: Project) -> None:
    project.places.state.mkdir()
    os.mkfifo(project.places.state / "trust.json")
    assert not trust.is_trusted(project.project_file, b"a", project.places.state)


def test_a_record_that_cannot_be_written_is_one_line(project: Project) -> None:
    project.places.state.write_text("a file where the folder would be")
    with pytest.raises(SettingsError, match=r"trust\.json: cannot be written: ") as caught:
        trust.trust(project.project_file, b"a", project.places.state)
    assert "RECALL_STATE_DIR" in caught.value.next_step
