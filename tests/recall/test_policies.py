"""Sources of policy: named apart, never searched, and no trouble for anybody when they fail."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from recall import health, policies
from recall.api import Authority, Deadline, Health, Policy, Problem, Scope, State
from recall.errors import UsageError
from recall.render import document, plain
from recall.testing.fakes import Notes
from recall_policy.provider import PolicyFiles, PolicyOptions
from support.worlds import make_engine, make_scope, snapshot


class Rules:
    """A source of policy that does as it is told."""

    name = "rules"
    authority = Authority.CURATED

    class Options:
        """None."""

    def __init__(self, found: Any = ()) -> None:
        self._found = found

    def policies(self, _scope: Scope, _deadline: Deadline) -> Any:
        if isinstance(self._found, BaseException):
            raise self._found
        return self._found

    def health(self, _scope: Scope, _deadline: Deadline) -> Health:
        return Health(State.READY, len(list(self._found)))


def soon() -> Deadline:
    return Deadline.after(60)


def test_doctor_shows_policies_apart_from_memory(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes(), Rules([Policy("ponytail")])])
    rows = health.examine(engine)
    rules = policies.examine(engine, soon())
    assert [row.provider for row in rows] == ["notes"]
    text = plain.checkups(rows, "shop-api", rules)
    assert "Policies (rules to follow, never searched)" in text
    assert "1 policy: ponytail" in text
    (told,) = document.checkups(rows, "shop-api", rules)["policies"]
    assert (told["provider"], told["state"], told["titles"]) == ("rules", "ready", ["ponytail"])


def test_a_policy_cannot_be_asked_for_as_a_memory(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Notes(), Rules([Policy("ponytail")])])
    with pytest.raises(UsageError, match="no provider is called 'rules'"):
        engine.recall("ponytail", providers=["rules"])
    assert [outcome.provider for outcome in engine.recall("ponytail").outcomes] == ["notes"]


@pytest.mark.parametrize("found", [OSError(5, "x"), SystemExit(2), 7, [Problem("a", "b"), "text", None]])
def test_a_source_of_policy_that_fails_costs_nothing_but_itself(tmp_path: Path, found: Any) -> None:
    engine = make_engine(tmp_path, [Rules(found)])
    assert list(policies.lines(engine, soon())) == []


def test_a_source_without_end_is_cut(tmp_path: Path) -> None:
    def endless() -> Any:
        while True:
            yield Policy("again")

    engine = make_engine(tmp_path, [Rules(endless())])
    assert len(list(policies.lines(engine, soon()))) == 50


def test_a_failed_source_needs_attention_and_is_named(tmp_path: Path) -> None:
    engine = make_engine(tmp_path, [Rules(OSError(5, "Input/output error"))])
    (row,) = policies.examine(engine, soon())
    assert row.needs_attention
    assert "Needs attention: rules" in plain.checkups([], "", [row])


# -- the project's own source of policy -----------------------------------------------------------------------


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


def test_rule_files_and_rule_plugins_are_found_the_projects_own_first(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    write(scope.root / "AGENTS.md", "# Rules\n\nRun the tests.\n")
    write(scope.root / ".cursor/rules/small.mdc", "---\ndescription: Keep changes small\n---\nBody\n")
    write(scope.home / ".claude/CLAUDE.md", "한국어로 답한다\n")
    plugin = scope.home / ".claude/plugins/cache/market/ponytail/1.2.0"
    write(plugin / "SKILL.md", "---\nname: ponytail\ndescription: Build only what is needed\n---\n")
    write(scope.home / ".claude/plugins/cache/market/other/README.md", "Something else")
    found = [one for one in PolicyFiles().policies(scope, soon()) if isinstance(one, Policy)]
    assert [(one.title, one.summary) for one in found] == [
        ("AGENTS.md", "Rules"),
        (".cursor/rules/small.mdc", "Keep changes small"),
        ("~/.claude/CLAUDE.md", "한국어로 답한다"),
        ("ponytail (plugin)", "Build only what is needed"),
    ]
    assert PolicyFiles().health(scope, soon()).items == 4


def test_a_file_that_two_names_lead_to_is_told_once(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    write(scope.root / "AGENTS.md", "Rules\n")
    (scope.root / "CLAUDE.md").symlink_to("AGENTS.md")
    assert len(list(PolicyFiles().policies(scope, soon()))) == 1


def test_without_a_rule_there_is_none_and_nothing_is_wrong(tmp_path: Path) -> None:
    found = PolicyFiles().health(make_scope(tmp_path), soon())
    assert (found.state, found.items) == (State.ABSENT, 0)


def test_which_plugins_are_rules_can_be_said(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    write(scope.home / ".codex/skills/house-rules/SKILL.md", "Rules of the house\n")
    assert list(PolicyFiles().policies(scope, soon())) == []
    (one,) = PolicyFiles(PolicyOptions(plugins=("House-Rules",))).policies(scope, soon())
    assert isinstance(one, Policy)
    assert one.title == "house-rules (plugin)"


def test_looking_changes_nothing(tmp_path: Path) -> None:
    scope = make_scope(tmp_path)
    write(scope.root / "AGENTS.md", "Rules\n")
    before = snapshot(scope.root, scope.home)
    list(PolicyFiles().policies(scope, soon()))
    assert snapshot(scope.root, scope.home) == before
