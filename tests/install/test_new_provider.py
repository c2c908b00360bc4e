"""A stranger's plugin, written by `recall new-provider` and installed by pip beside recall's own wheel."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from install.environment import Environment
from support.distributions import good_plugin

OWN = {"antigravity", "claude-mem", "decisions", "git", "markdown", "serena", "state"}  # read without a word
NOTE = "# Brewing\n\nSteep green tea for two minutes at seventy degrees.\n"
MEMORY = "# Retries\n\nA failed payment is retried three times.\n"


@dataclass(frozen=True, slots=True)
class User:
    """A person with recall, a memory of Serena's in a project, and an environment to install plugins into."""

    environment: Environment
    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "shop-api"

    def recall(self, *arguments: str) -> Any:
        """What the command answers, as a document."""
        done = self.environment.run("recall", *arguments, "--json", home=self.home, cwd=self.project)
        assert done.returncode in (0, 1), done.stderr
        return json.loads(done.stdout)  # one document, whatever a plugin prints

    def rows(self, distribution: str = "recall-tea") -> list[dict[str, Any]]:
        """What `recall providers` says of a distribution's plugins."""
        return [row for row in self.recall("providers")["providers"] if row["distribution"] == distribution]

    def new_provider(self, *arguments: str) -> Path:
        """The project that the installed command writes."""
        done = self.environment.run(
            "recall",
            "new-provider",
            "tea",
            "--into",
            str(self.folder),
            *arguments,
            home=self.home,
            cwd=self.project,
        )
        assert done.returncode == 0, done.stderr
        return self.folder / "recall-tea"

    def install(self, project: Path) -> None:
        self.environment.pip(
            "install", "--no-deps", "--force-reinstall", str(self.environment.wheel(project))
        )


@pytest.fixture
def user(environment: Environment, tmp_path: Path) -> Iterator[User]:
    made = User(environment, tmp_path)
    for path, text in (("home/tea/brewing.md", NOTE), ("shop-api/.serena/memories/retries.md", MEMORY)):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text(text, "utf-8")
    yield made
    environment.pip("uninstall", "--yes", "recall-tea")


def test_an_installed_plugin_is_found_healthy_and_answers_and_is_gone_when_removed(user: User) -> None:
    user.install(user.new_provider())
    (row,) = user.rows()
    assert (row["name"], row["version"], row["state"]) == ("tea", "0.1.0", "loaded")
    assert (row["kind"], row["authority"]) == ("corpus", "curated")
    assert [one["key"] for one in row["options"]] == ["folder"]
    checkups = {one["provider"]: one for one in user.recall("doctor")["providers"]}
    assert (checkups["tea"]["state"], checkups["tea"]["items"]) == ("ready", 1)
    assert checkups["tea"]["read_back"] == {"asked": 1, "came_back": 1}
    found = user.recall("query", "how long does green tea steep?")["memories"]
    assert [one["uri"] for one in found] == ["recall://tea/brewing"]
    assert "seventy degrees" in user.recall("show", "recall://tea/brewing")["text"]

    user.environment.pip("uninstall", "--yes", "recall-tea")
    assert user.rows() == []
    answer = user.recall("query", "how long does green tea steep?")
    assert (answer["memories"], {one["provider"] for one in answer["outcomes"]} & {"tea"}) == ([], set())


@pytest.mark.parametrize("kind", [(), ("--search",)], ids=["corpus", "search"])
def test_the_generated_project_passes_its_own_tests_and_a_strict_type_checker(
    user: User, kind: tuple[str, ...]
) -> None:
    project = user.new_provider(*kind)
    user.install(project)
    tested = user.environment.run("pytest", "-q", home=user.home, cwd=project)
    assert tested.returncode == 0, tested.stdout
    checked = user.environment.run("mypy", "--strict", "recall_tea.py", home=user.home, cwd=project)
    assert checked.returncode == 0, checked.stdout
    (row,) = user.rows()
    assert (row["state"], row["kind"]) == ("loaded", "search" if kind else "corpus")


FAULTS = {
    "a syntax error": ("def broken(:\n", "SyntaxError"),
    "a missing dependency": ("import a_library_nobody_has\n", "a_library_nobody_has"),
    "a slow import": (
        "import threading\nthreading.Event().wait()\n",
        "neither imported nor constructed within 2 s",
    ),
    "sys.exit at import": ("import sys\nsys.exit('bye')\n", "SystemExit while importing: bye"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_broken_plugin_is_one_row_with_the_reason_and_all_else_works(user: User, fault: str) -> None:
    first_lines, reason = FAULTS[fault]
    project = user.new_provider()
    (project / "recall_tea.py").write_text(first_lines + good_plugin("tea"), "utf-8")
    user.install(project)
    (row,) = user.rows()
    assert (row["name"], row["state"]) == ("tea", "broken")
    assert reason in row["reason"]
    assert row["next_step"]
    _all_else_works(user)
    outcomes = {one["provider"]: one for one in user.recall("query", "payment retries")["outcomes"]}
    assert (outcomes["tea"]["state"], outcomes["tea"]["kind"]) == ("broken", "plugin")


def test_what_a_plugin_prints_at_import_is_kept_out_of_the_answer(user: User) -> None:
    project = user.new_provider()
    module = project / "recall_tea.py"
    module.write_text("print('chatter')\n" + good_plugin("tea", "steep it"), "utf-8")
    user.install(project)
    (row,) = user.rows()
    assert (row["state"], row["reason"]) == ("loaded", "")
    _all_else_works(user)
    done = user.environment.run("recall", "query", "steep", "--json", home=user.home, cwd=user.project)
    assert ("chatter" in done.stderr, "chatter" in done.stdout) == (True, False)
    assert [one["source"] for one in json.loads(done.stdout)["memories"]] == ["tea"]


def test_a_plugin_with_the_name_of_one_of_recalls_own_is_refused_in_one_row(user: User) -> None:
    project = user.new_provider()
    declared = (project / "pyproject.toml").read_text("utf-8")
    (project / "pyproject.toml").write_text(declared.replace('\ntea = "', '\nserena = "'), "utf-8")
    (project / "recall_tea.py").write_text(good_plugin("serena", "taken over"), "utf-8")
    user.install(project)
    (row,) = user.rows()
    assert (row["state"], row["reason"]) == ("broken", "the name is taken by recall-orchestrator")
    _all_else_works(user)


def _all_else_works(user: User) -> None:
    """The own sources are loaded, a memory is found, and help is help."""
    assert {row["name"] for row in user.rows("recall-orchestrator") if row["state"] == "loaded"} >= OWN
    found = user.recall("query", "payment retries")["memories"]
    assert [one["uri"] for one in found] == ["recall://serena/retries"]
    helped = user.environment.run("recall", "--help", home=user.home, cwd=user.project)
    assert (helped.returncode, helped.stderr) == (0, "")
    assert "new-provider" in helped.stdout
