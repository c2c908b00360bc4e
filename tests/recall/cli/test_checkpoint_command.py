"""`recall checkpoint` as its users meet it: exit codes, stdin, documents, what a start imports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support.repositories import Repo, needs_git
from support.worlds import process_env, run_recall, snapshot


class Shell:
    """A person in a project's folder."""

    def __init__(self, folder: Path) -> None:
        self.home, self.project = folder / "home", folder / "shop-api"
        self.home.mkdir()
        self.project.mkdir()

    def run(
        self, *arguments: str, stdin: str | None = None, cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        if stdin is None:
            return run_recall(["checkpoint", *arguments], home=self.home, cwd=cwd or self.project)
        return subprocess.run(
            [sys.executable, "-m", "recall", "checkpoint", *arguments],
            cwd=cwd or self.project,
            env=process_env(self.home),
            input=stdin.encode(),
            capture_output=True,
            check=False,
            timeout=60,
        )  # type: ignore[return-value]

    def document(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    return Shell(tmp_path)


def test_a_checkpoint_is_saved_listed_shown_and_closed(shell: Shell) -> None:
    saved = shell.run("decision", "재시도는 네 번", "--why", "은행이 원한다", "--next", "배포")
    assert (saved.returncode, saved.stderr) == (0, "")
    assert saved.stdout.startswith("saved decision 1-")
    shell.run("milestone", "-", "--closes", "1.1", stdin="배포 끝\n둘째 줄\n")
    listed = shell.run("list")
    assert (listed.returncode, "decision: 재시도는 네 번" in listed.stdout) == (0, True)
    assert "milestone: 배포 끝 …" in listed.stdout
    assert "\nNext" not in listed.stdout
    shown = shell.run("show", "2")
    assert shown.stdout.endswith("\n\n배포 끝\n둘째 줄\n")
    assert "next: 배포 (1-" in shell.run("show", "1").stdout
    assert ", done)" in shell.run("show", "1").stdout


def test_a_stale_base_is_exit_code_1_with_the_newer_entries(shell: Shell) -> None:
    first = shell.document("decision", "one")
    shell.run("decision", "two")
    stale = shell.run("decision", "three", "--base", first["revision"], "--json")
    told = json.loads(stale.stdout)
    assert (stale.returncode, told["saved"], told["entry"]) == (1, False, None)
    assert [one["text"] for one in told["newer"]] == ["two"]
    assert (told["schema_version"], told["revision"]) == (1, told["newer"][0]["id"])
    text = shell.run("decision", "three", "--base", first["revision"]).stdout
    assert text.startswith("not saved: the journal has moved on from ")
    assert f"save with --base {told['revision']}" in text


def test_a_secret_is_exit_code_2_and_is_not_in_any_output_or_file(shell: Shell) -> None:
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    done = shell.run("decision", f"use {token}", "--json")
    error = json.loads(done.stdout)["error"]
    assert (done.returncode, error["kind"]) == (2, "usage")
    assert "text, line 1: GitHub token" in error["message"]
    assert token not in done.stdout + done.stderr
    assert list(shell.project.iterdir()) == []


def test_a_folder_that_is_a_link_is_exit_code_3_with_one_line(shell: Shell) -> None:
    (shell.project / ".context").symlink_to(shell.home)
    done = shell.run("decision", "x")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("recall: ") == 1
    assert ".context: a link, which is not followed" in done.stderr


def test_an_unknown_kind_gets_the_nearest_and_every_kind_is_in_the_help(shell: Shell) -> None:
    done = shell.run("desicion", "x")
    assert (done.returncode, 'did you mean "decision"?' in done.stderr) == (2, True)
    told = shell.run("--help").stdout
    assert all(kind in told for kind in ("approved", "abandoned", "handoff", "verify", "repair"))


def test_nothing_saved_yet_is_exit_code_1_and_makes_no_folder(shell: Shell) -> None:
    for arguments in (["list"], ["show", "1"], ["verify"], ["repair"]):
        assert shell.run(*arguments).returncode == 1
    assert list(shell.project.iterdir()) == []


def test_verify_tells_each_damage_and_repair_mends_it(shell: Shell) -> None:
    shell.run("decision", "one")
    assert shell.run("verify").returncode == 0
    journal = shell.project / ".context" / "CONVERSATION.jsonl"
    journal.write_bytes(journal.read_bytes() + b'{"checkpoint":1,"torn')
    before = snapshot(shell.project)
    verified = shell.run("verify")
    assert (verified.returncode, snapshot(shell.project)) == (1, before)
    assert "  line 2: torn record (21 bytes at byte " in verified.stdout
    told = shell.document("verify")
    assert [one["what"] for one in told["damages"]] == ["torn record"]
    assert "1 torn record" in shell.run("list").stdout
    assert "kept aside: .context/CONVERSATION.damaged-1.jsonl" in shell.run("repair").stdout
    assert shell.run("verify").returncode == 0


def test_the_list_is_bounded_and_says_what_it_leaves_out(shell: Shell) -> None:
    for number in range(3):
        shell.run("decision", f"d{number}")
    told = shell.document("list", "--limit", "2")
    assert ([one["text"] for one in told["entries"]], told["left_out"]) == (["d1", "d2"], 1)
    assert told["latest"]["text"] == "d2"
    assert shell.run("list", "--limit", "2").stdout.startswith("… 1 entry left out\n")
    shell.run("approved", "d3", "--closes", "1")
    assert [one["text"] for one in shell.document("list", "--kind", "decision")["entries"]] == ["d1", "d2"]
    everything = shell.document("list", "--all")["entries"]
    assert everything[0]["closed_by"] == everything[3]["id"]


@needs_git
def test_branch_commit_and_paths_are_noted_from_wherever_one_stands(shell: Shell) -> None:
    repo = Repo.new(shell.project, shell.home)
    repo.commit("first", {"app/retry.py": "4"})
    shell.run("decision", "x", "--path", "retry.py", "--path", "/elsewhere/y", cwd=shell.project / "app")
    (entry,) = shell.document("list")["entries"]
    assert entry["paths"] == ["app/retry.py", "/elsewhere/y"]
    assert (entry["branch"], entry["head"]) == ("main", repo.git("rev-parse", "HEAD"))


@needs_git
def test_a_linked_work_tree_saves_in_the_main_checkout_where_it_is_not_removed_with_it(shell: Shell) -> None:
    repo = Repo.new(shell.project, shell.home)
    repo.commit("first", {"a": "1"})
    tree = shell.home / "side"
    repo.git("worktree", "add", "-q", "-b", "side", str(tree))
    shell.run("decision", "from the side", cwd=tree)
    (entry,) = shell.document("list")["entries"]
    assert (entry["branch"], entry["worktree"]) == ("side", "side")
    assert not (tree / ".context").exists()


@pytest.mark.parametrize(
    ("arguments", "absent"),
    [
        (
            ["list"],
            {
                "recall.clean",
                "recall.secrets",
                "recall.engine",
                "recall.index",
                "sqlite3",
                "pydantic",
                "asyncio",
            },
        ),
        (
            ["decision", "x"],
            {"recall.engine", "recall.index", "sqlite3", "pydantic", "asyncio", "recall_state"},
        ),
    ],
)
def test_a_start_imports_only_what_it_needs(shell: Shell, arguments: list[str], absent: set[str]) -> None:
    code = (
        "import sys\nfrom recall.cli.run import run\n"
        f"run({['checkpoint', *arguments]!r})\nsys.stderr.write('LOADED ' + ' '.join(sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=shell.project, env=process_env(shell.home), capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert not absent & set(done.stderr.rsplit("LOADED ", 1)[1].split())
