"""Providers' own options: types, mistakes, origins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Literal

import pytest

from recall import settings
from recall.api import Authority, option
from recall.errors import SettingsError
from recall.places import Places
from recall.settings.describe import describe


class Depth(StrEnum):
    SHALLOW = "shallow"
    DEEP = "deep"


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
    """One option of every kind."""

    home: str = option("", "A path.")
    url: str = option("", "An address.")
    token: str = option("", "A key.", secret=True)
    tokens: tuple[str, ...] = option((), "More keys.", secret=True)
    depth: Depth = option(Depth.SHALLOW, "How deep.", from_project="value")  # noqa: RUF009
    mode: Literal["fast", "full"] = option("fast", "How.", from_project="value")
    hits: int = option(10, "How many.", from_project="value", at_least=1)
    share: float | None = option(None, "How much.", from_project="value", at_most=1)
    prompts: bool = option(False, "Whether.", from_project="value")
    patterns: tuple[str, ...] = option(("*.md",), "Which.", from_project="value")
    notes: str = option("", "A folder.", from_project="folder")
    folders: tuple[Folder, ...] = option((), "Folders.", from_project="folder")
    others: tuple[PlainFolder, ...] = option((), "Other folders.", from_project="value")
    schema: int = option(1, "A name that validation libraries like to keep for themselves.")


@dataclass
class Project:
    """A user, a project, and a provider called wiki."""

    folder: Path

    def __post_init__(self) -> None:
        self.places = Places(self.folder / "config", self.folder / "cache", self.folder / "state")
        self.root = self.folder / "project"
        self.user_file = self.places.config / "config.toml"
        for folder in (self.places.config, self.root):
            folder.mkdir()

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


# Types


def test_with_nothing_set_options_are_the_defaults(project: Project) -> None:
    assert project.resolved() == settings.ProviderOptions(Options(), {}, ())


def test_every_kind_of_option_arrives_as_its_own_type(project: Project) -> None:
    project.user_file.write_text(
        """
        [providers.wiki]
        home = "~/위키"
        token = "hunter2"
        tokens = ["a", "b"]
        depth = "deep"
        mode = "full"
        hits = 3
        share = 1
        prompts = true
        patterns = ["*.md", "*.txt"]
        schema = 2
        [[providers.wiki.folders]]
        path = "docs/adr"
        authority = "decision"
        [[providers.wiki.folders]]
        path = "notes"
        [[providers.wiki.others]]
        path = "x"
        weight = 2
        """
    )
    assert project.options() == Options(
        home="~/위키",
        token="hunter2",
        tokens=("a", "b"),
        depth=Depth.DEEP,
        mode="full",
        hits=3,
        share=1.0,
        prompts=True,
        patterns=("*.md", "*.txt"),
        schema=2,
        folders=(Folder("docs/adr", authority=Authority.DECISION), Folder("notes")),
        others=(PlainFolder("x", 2.0),),
    )
    assert type(project.options().share) is float
    assert project.options().folders[0].authority is Authority.DECISION


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HITS=3", Options(hits=3)),
        ("HOME=/srv/위키", Options(home="/srv/위키")),
        ("HOME=123", Options(home="123")),
        ("HOME='12 3'", Options(home="12 3")),
        ("HOME=", Options(home="")),
        ("TOKEN='as it stands'", Options(token="'as it stands'")),
        ("DEPTH=deep", Options(depth=Depth.DEEP)),
        ('DEPTH="deep"', Options(depth=Depth.DEEP)),
        ("MODE=full", Options(mode="full")),
        ("SHARE=0.5", Options(share=0.5)),
        ("PROMPTS=true", Options(prompts=True)),
        ('PATTERNS=["a", "b"]', Options(patterns=("a", "b"))),
        ('FOLDERS=[{path = "a"}, {path = "b"}]', Options(folders=(Folder("a"), Folder("b")))),
    ],
)
def test_a_variable_is_read_by_the_type_of_its_option(project: Project, text: str, expected: Options) -> None:
    name, _, value = text.partition("=")
    assert project.options({f"RECALL_PROVIDERS__WIKI__{name}": value}) == expected


def test_mistakes_in_options_are_told_with_their_lines(project: Project) -> None:
    project.user_file.write_text(
        """[providers.wiki]
hit = 3
prompts = "yes"
depth = "bottomless"
hits = 0
share = 1.5
patterns = [1]
enbaled = true
[[providers.wiki.folders]]
path = "a"
[[providers.wiki.folders]]
pth = "b"
authority = "boss"
[[providers.wiki.others]]
weight = 1
"""
    )
    lines = project.problems({"RECALL_PROVIDERS__WIKI__MODE": "slow"})
    assert [line.removeprefix(f"{project.user_file}") for line in lines] == [
        'RECALL_PROVIDERS__WIKI__MODE: providers.wiki.mode: must be one of "fast", "full", not "slow"',
        ':2: providers.wiki.hit: unknown key (did you mean "hits"?)',
        ':3: providers.wiki.prompts: must be true or false, not "yes"',
        ':4: providers.wiki.depth: must be one of "shallow", "deep", not "bottomless"',
        ":5: providers.wiki.hits: must be at least 1, not 0",
        ":6: providers.wiki.share: must be at most 1, not 1.5",
        ":7: providers.wiki.patterns[0]: must be text, not 1",
        ':8: providers.wiki.enbaled: unknown key (did you mean "enabled"?)',
        ':12: providers.wiki.folders[1].pth: unknown key (did you mean "path"?)',
        ":13: providers.wiki.folders[1].authority: must be one of "
        '"code", "state", "decision", "curated", "captured", "chat", not "boss"',
        ":14: providers.wiki.others[0].path: is missing: text",
    ]


@pytest.mark.parametrize("value", ["31337", "['hunter2']", "{ a = 'hunter2' }"])
def test_a_secrets_value_is_never_in_a_mistake(project: Project, value: str) -> None:
    project.user_file.write_text(f"[providers.wiki]\ntoken = {value}\n")
    assert project.problems() == (f"{project.user_file}:2: providers.wiki.token: must be text",)
    project.user_file.write_text("[providers.wiki]\ntokens = ['fine', 31337]\n")
    assert project.problems() == (f"{project.user_file}:2: providers.wiki.tokens[1]: must be text",)


def test_a_class_that_refuses_a_combination_is_one_line(project: Project) -> None:
    @dataclass(frozen=True, slots=True)
    class Picky:
        low: int = option(1, "Low.")

        def __post_init__(self) -> None:
            if self.low > 5:
                raise ValueError("low is above 5\nand that will not do")

    project.user_file.write_text("[providers.wiki]\nlow = 6\n")
    found = settings.load(places=project.places, root=project.root, env={})
    for _again in range(2):
        with pytest.raises(SettingsError) as caught:
            settings.options_for(found, "wiki", Picky, places=project.places)
        assert caught.value.problems == (
            f"{project.user_file}:2: providers.wiki: low is above 5\\nand that will not do",
        )


def test_an_option_of_an_impossible_type_is_its_authors_mistake(project: Project) -> None:
    @dataclass(frozen=True, slots=True)
    class Wrong:
        when: complex = option(0j, "No TOML value is one.")

    project.user_file.write_text("[providers.wiki]\nwhen = 1\n")
    found = settings.load(places=project.places, root=project.root, env={})
    with pytest.raises(TypeError, match=r"Wrong\.when: an option cannot be of type"):
        settings.options_for(found, "wiki", Wrong, places=project.places)


def test_origins_of_options_are_told(project: Project) -> None:
    project.user_file.write_text("[providers.wiki]\nhome = '/a'\nhits = 3\n")
    resolved = project.resolved({"RECALL_PROVIDERS__WIKI__HITS": "4"})
    assert {key: str(origin) for key, origin in resolved.origins.items()} == {
        "providers.wiki.home": f"{project.user_file}:2",
        "providers.wiki.hits": "RECALL_PROVIDERS__WIKI__HITS",
    }


def test_describe_shows_options_and_hides_secrets(project: Project) -> None:
    project.user_file.write_text(
        "[providers.wiki]\ntoken = 'hunter2'\nhome = '/a'\nfolders = [{path = 'b'}]\n"
    )
    found = settings.load(places=project.places, root=project.root, env={})
    rows = {key: (value, str(origin)) for key, value, origin in describe(found, {"wiki": project.resolved()})}
    assert rows["providers.wiki.token"] == ("(secret)", f"{project.user_file}:2")
    assert rows["providers.wiki.tokens"] == ("[]", "default")
    assert rows["providers.wiki.home"] == ('"/a"', f"{project.user_file}:3")
    assert rows["providers.wiki.folders"] == (
        '[{ path = "b", name = "", command = "" }]',
        f"{project.user_file}:4",
    )
    assert rows["providers.wiki.depth"] == ('"shallow"', "default")
    assert rows["providers.wiki.share"] == ("(not set)", "default")
    assert "hunter2" not in str(rows)
