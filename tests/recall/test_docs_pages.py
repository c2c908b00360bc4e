"""The pages name what there is: every setting, every benchmark, and no file that is gone."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields
from importlib.metadata import entry_points
from pathlib import Path

import pytest

from recall.api import State
from recall.settings.model import OFF_BY_DEFAULT, TABLES
from support.worlds import REPOSITORY

DOCS = REPOSITORY / "docs"
ARCHITECTURE = (DOCS / "architecture.md").read_text("utf-8")
SETTINGS = (DOCS / "settings.md").read_text("utf-8")
README = (REPOSITORY / "README.md").read_text("utf-8")


def section(page: str, heading: str) -> str:
    return re.split(r"^#{2,3} ", page.split(f"{heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


@pytest.mark.parametrize("table", TABLES)
def test_every_setting_has_a_row(table: str) -> None:
    rows = set(re.findall(r"^\| `(\w+)` \|", section(SETTINGS, f"### `[{table}]`"), re.MULTILINE))
    assert rows == {one.name for one in fields(TABLES[table])}


def test_the_options_of_every_source_are_linked_and_each_has_a_row() -> None:
    own = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    for name in own["project"]["entry-points"]["recall.providers"]:
        assert f"[{name}](providers/{name}.md#options)" in SETTINGS
        page = (DOCS / "providers" / f"{name}.md").read_text("utf-8")
        rows = set(re.findall(r"^\| `(\w+)` \|", section(page, "## Options"), re.MULTILINE))
        provider = entry_points(group="recall.providers")[name].load().recall_provider()
        assert rows >= {one.name for one in fields(provider.Options)}, name


def own_sources() -> dict[str, str]:
    """The project's own sources, each with its package."""
    declared = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    found: dict[str, str] = declared["project"]["entry-points"]["recall.providers"]
    return found


def test_every_page_of_a_source_is_that_of_one_and_is_linked() -> None:
    pages = {page.stem for page in (DOCS / "providers").glob("*.md")}
    assert pages == set(own_sources())
    linked = re.findall(
        r"^\| \[providers/([\w-]+)\.md\]", (DOCS / "README.md").read_text("utf-8"), re.MULTILINE
    )
    assert sorted(linked) == sorted(pages)


@pytest.mark.parametrize("name", own_sources())
def test_the_page_of_a_source_says_what_it_reads_its_states_options_and_limits(name: str) -> None:
    page = (DOCS / "providers" / f"{name}.md").read_text("utf-8")
    for heading in ("## What it reads", "## Memories", "## States", "## Options", "## Limits"):
        assert re.search(f"^{heading}", page, re.MULTILINE), heading


# What a plugin's own code says of the states it tells: by name, by an error, by counting its corpus.
COUNTED = {State.READY, State.DEGRADED, State.EMPTY, State.BROKEN}
STATES_OF = {
    "StoreAbsent": {State.ABSENT},
    "StoreBusy": {State.BUSY},
    "StoreBroken": {State.BROKEN},
    "NotConfigured": {State.OFF},
    "survey": COUNTED,
    "health": COUNTED,
}


@pytest.mark.parametrize(("name", "package"), own_sources().items())
def test_every_state_of_a_source_is_in_its_page_and_no_other(name: str, package: str) -> None:
    code = "".join(path.read_text("utf-8") for path in (REPOSITORY / "plugins" / package).rglob("*.py"))
    told = {State[state] for state in re.findall(r"\bState\.([A-Z]+)\b", code)}
    words = re.findall(r"\b(Store\w+|NotConfigured)\b|\b(?:documents|project_files)\.(survey|health)\(", code)
    told |= {state for found in words for word in found if word for state in STATES_OF[word]}
    if name in OFF_BY_DEFAULT:
        told.add(State.OFF)
    rows = re.findall(
        r"^\| (\w+) \|",
        section((DOCS / "providers" / f"{name}.md").read_text("utf-8"), "## States"),
        re.MULTILINE,
    )
    assert {State(row) for row in rows if row != "state"} == told


@pytest.mark.parametrize("script", sorted(path.name for path in (REPOSITORY / "benchmarks").glob("*.py")))
def test_every_benchmark_is_in_the_list_of_what_can_be_measured(script: str) -> None:
    assert f"`python benchmarks/{script}`" in README


def where_to_change() -> list[str]:
    named = re.findall(r"`([\w./<>-]+)`", section(ARCHITECTURE, "## Where to change what"))
    return sorted(
        {path for path in named if re.match(r"(?:recall|plugins|docs|tests)/", path) and "<" not in path}
    )


@pytest.mark.parametrize("path", where_to_change())
def test_what_is_to_be_changed_is_there(path: str) -> None:
    assert (REPOSITORY / path).exists()


@pytest.mark.parametrize("page", sorted(DOCS.rglob("*.md")), ids=lambda page: str(page.relative_to(DOCS)))
def test_links_between_the_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)", page.read_text("utf-8")):
        assert "://" in target or (page.parent / target).exists(), target


def test_the_page_of_the_output_tells_the_line_of_the_verdict() -> None:
    text = section((DOCS / "output.md").read_text("utf-8"), "## Text")
    assert "   contradicted: " in text
    assert "`not checked`" in text
