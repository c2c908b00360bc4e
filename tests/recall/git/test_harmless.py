"""Nothing of a repository is run or written, whatever its settings say."""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from recall.api import Deadline
from recall.git import commits, heads, present, repository, worktree
from support.repositories import ENV, Repo, needs_git

pytestmark = needs_git

Look = Callable[[Repo], object]


def soon() -> Deadline:
    return Deadline.after(60)


def found(repo: Repo, **env: str) -> repository.Repository:
    return repository.find(repo.top, repo.home, {**ENV, **env}, soon())


def cache(repo: Repo) -> Path:
    return repo.home / "cache"


def everything(repo: Repo, **env: str) -> tuple[object, ...]:
    """Every command there is."""
    one = found(repo, **env)
    shas = commits.rev_list(one.git, ("HEAD",), soon(), most=100, paths=("a",)).shas
    return (
        list(commits.read(one, shas, soon())),
        commits.branches(one.git, ("*",), soon()),
        worktree.look(one, soon()),
        *(worktree.look(one, soon(), cache(repo)) for _twice in range(2)),
        present.look(repo.top, repo.home, {**ENV, **env}, soon()),
        heads.mark(repo.top),
    )


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a word of its having run, and whatever it is called as."""
    program = tmp_path / "trap"
    program.write_text(f'#!/bin/sh\necho "$0 $*" >> {shlex.quote(str(tmp_path))}/sprung\ncat\n')
    program.chmod(0o755)
    return program


def sprung(trap: Path) -> str:
    word = trap.parent / "sprung"
    return word.read_text() if word.exists() else ""


def dirty(repo: Repo) -> None:
    """A history and a work tree in which every command has something to do."""
    repo.commit("Start", {".gitattributes": "* filter=evil diff=evil\n", "a": "1", "b": "1\n" * 50, "c": "1"})
    repo.git("mv", "b", "moved")
    repo.commit("Move", {"moved": "1\n" * 49 + "2\n"})
    repo.write({"a": "2", "new": "1"})
    # The same size and a file time like that of the index: git must read it to tell whether it is changed.
    racy = repo.top / "c"
    racy.write_text("2")
    index = (repo.top / ".git" / "index").stat()
    os.utime(racy, ns=(index.st_mtime_ns, index.st_mtime_ns))


_PROGRAMS = [
    "core.fsmonitor",
    "core.pager",
    "core.editor",
    "core.sshCommand",
    "core.gitProxy",
    "core.askPass",
    "core.alternateRefsCommand",
    "pager.log",
    "pager.status",
    "diff.external",
    "diff.evil.command",
    "diff.evil.textconv",
    "filter.evil.clean",
    "filter.evil.smudge",
    "filter.evil.process",
    "gpg.program",
    "gpg.ssh.program",
    "credential.helper",
    "interactive.diffFilter",
    "sequence.editor",
]
_SWITCHES = {
    "log.showSignature": "true",
    "filter.evil.required": "true",
    "status.submoduleSummary": "true",
    "diff.submodule": "log",
    "core.untrackedCache": "true",
    "diff.trustExitCode": "true",
    "status.renames": "true",
    "commit.gpgSign": "false",
}


@pytest.mark.parametrize("setting", _PROGRAMS)
def test_a_program_in_the_settings_is_not_run(repo: Repo, trap: Path, setting: str) -> None:
    dirty(repo)
    for name, value in {**_SWITCHES, setting: str(trap)}.items():
        repo.git("config", name, value)
    everything(repo)
    assert sprung(trap) == ""


def test_the_traps_are_good_ones(repo: Repo, trap: Path) -> None:
    dirty(repo)
    for name in ("core.fsmonitor", "filter.evil.clean"):
        repo.git("config", name, str(trap))
    repo.git("--no-optional-locks", "status", "--porcelain")
    assert len(sprung(trap).splitlines()) > 1


def test_aliases_of_the_commands_are_not_run(repo: Repo, trap: Path) -> None:
    dirty(repo)
    for name in (
        "log",
        "status",
        "rev-parse",
        "rev-list",
        "config",
        "for-each-ref",
        "cat-file",
        "symbolic-ref",
    ):
        repo.git("config", f"alias.{name}", f"!{trap}")
    everything(repo)
    assert sprung(trap) == ""


def test_hooks_are_not_run(repo: Repo, trap: Path) -> None:
    dirty(repo)
    hooks = repo.top / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for name in (
        "post-index-change",
        "fsmonitor-watchman",
        "reference-transaction",
        "post-checkout",
        "pre-commit",
    ):
        (hooks / name).symlink_to(trap)
    everything(repo)
    assert sprung(trap) == ""


def test_settings_brought_in_by_an_include_run_nothing(repo: Repo, trap: Path, tmp_path: Path) -> None:
    dirty(repo)
    more = tmp_path / "more"
    more.write_text(f'[core]\n\tfsmonitor = {trap}\n[filter "evil"]\n\tclean = {trap}\n\tprocess = {trap}\n')
    repo.git("config", "include.path", str(more))
    everything(repo)
    assert sprung(trap) == ""


@pytest.mark.parametrize(
    "name", ["a=b", "a=b.clean=cat", "=", "Evil", "ev il", 'ev"il', "한글", "a.b", "evil\\"]
)
def test_a_filter_of_any_name_is_not_run(repo: Repo, trap: Path, name: str) -> None:
    repo.commit("Start", {"a": "1", ".gitattributes": f"* filter={name}\n"})
    quoted = name.replace("\\", "\\\\").replace('"', '\\"')
    with (repo.top / ".git" / "config").open("a") as config:
        config.write(f'[filter "{quoted}"]\n\tclean = {trap}\n\tsmudge = {trap}\n\tprocess = {trap}\n')
    repo.write({"a": "2"})
    index = (repo.top / ".git" / "index").stat()
    os.utime(repo.top / "a", ns=(index.st_mtime_ns, index.st_mtime_ns))
    assert everything(repo)
    assert sprung(trap) == ""


def test_a_submodules_own_settings_run_nothing(repo: Repo, trap: Path, tmp_path: Path) -> None:
    library = Repo.new(tmp_path / "library", repo.home)
    dirty(library)
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.top), "vendor")
    repo.commit("With a library", {"a": "1"})
    inside = Repo(repo.top / "vendor", repo.home)
    for name in _PROGRAMS:
        inside.git("config", name, str(trap))
    inside.write({"a": "changed", "c": "9"})
    repo.git("config", "submodule.vendor.ignore", "none")
    repo.git("config", "diff.ignoreSubmodules", "none")
    everything(repo)
    assert sprung(trap) == ""


def test_a_partial_clone_that_names_a_program_as_its_remote_runs_nothing(repo: Repo, trap: Path) -> None:
    sha = repo.commit("Start", {"a": "1\n" * 50, "b": "2\n" * 50})
    repo.git("mv", "a", "c")
    repo.commit("Move", {"c": "1\n" * 49})
    blob = repo.git("rev-parse", f"{sha}:a")
    (repo.top / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    for name, value in {
        "core.repositoryFormatVersion": "1",
        "extensions.partialClone": "evil",
        "remote.evil.promisor": "true",
        "remote.evil.url": f"ext::{trap}",
        "remote.evil.uploadpack": str(trap),
        "protocol.ext.allow": "always",
        "protocol.allow": "always",
    }.items():
        repo.git("config", name, value)
    before = repo.traces()
    everything(repo)
    assert sprung(trap) == ""
    assert repo.traces() == before


@pytest.mark.parametrize(
    "name",
    [
        "GIT_PAGER", "PAGER", "GIT_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_ASKPASS",
        "GIT_PROXY_COMMAND", "GIT_SEQUENCE_EDITOR",
    ],
)  # fmt: skip
def test_a_program_in_the_environment_is_not_run(repo: Repo, trap: Path, name: str) -> None:
    dirty(repo)
    everything(repo, **{name: str(trap)})
    assert sprung(trap) == ""


def test_settings_in_the_environment_do_nothing(repo: Repo, trap: Path, tmp_path: Path) -> None:
    dirty(repo)
    expected = everything(repo)
    (tmp_path / "config").write_text(f'[core]\n\tfsmonitor = {trap}\n[filter "evil"]\n\tclean = {trap}\n')
    given = {
        "GIT_CONFIG_GLOBAL": str(tmp_path / "config"),
        "GIT_CONFIG_SYSTEM": str(tmp_path / "config"),
        "GIT_CONFIG_PARAMETERS": f"'core.fsmonitor={trap}'",
        "GIT_EXEC_PATH": str(tmp_path),
        "GIT_DIR": str(tmp_path / "nowhere"),
        "GIT_INDEX_FILE": str(tmp_path / "index"),
        "GIT_WORK_TREE": str(tmp_path),
        "GIT_CEILING_DIRECTORIES": str(repo.top),
        "GIT_TRACE": str(tmp_path / "trace"),
        "GIT_TRACE2_EVENT": str(tmp_path / "trace2"),
        "GIT_REDIRECT_STDERR": str(tmp_path / "redirected"),
    }
    assert everything(repo, **given) == expected
    assert sprung(trap) == ""
    assert not {"index", "trace", "trace2", "redirected"} & set(os.listdir(tmp_path))


_COMMANDS: dict[str, Look] = {
    "find": found,
    "list": lambda repo: commits.rev_list(found(repo).git, ("HEAD",), soon(), most=9, paths=("a",)),
    "branches": lambda repo: commits.branches(found(repo).git, ("*",), soon()),
    "read": lambda repo: list(commits.read(found(repo), repo.git("rev-list", "HEAD").split(), soon())),
    "work tree": lambda repo: worktree.look(found(repo), soon()),
    "work tree, with an index of its own": lambda repo: [
        worktree.look(found(repo), soon(), cache(repo)) for _twice in range(2)
    ],
    "now": lambda repo: present.look(repo.top, repo.home, ENV, soon()),
    "mark": lambda repo: heads.mark(repo.top),
}


@pytest.mark.parametrize("command", _COMMANDS)
@pytest.mark.parametrize(
    "setting", ["", "core.untrackedCache", "feature.manyFiles", "core.splitIndex", "gc.auto"]
)
def test_no_command_changes_a_byte_or_a_time(repo: Repo, command: str, setting: str) -> None:
    dirty(repo)
    if setting:
        repo.git("config", setting, "1" if setting == "gc.auto" else "true")
        repo.git("update-index", "--refresh", "-q", check=False)
        repo.git("update-index", "--split-index" if setting == "core.splitIndex" else "--no-split-index")
    _age(repo)
    before = repo.traces()
    _COMMANDS[command](repo)
    assert repo.traces() == before


def test_a_signature_is_not_checked(repo: Repo, trap: Path) -> None:
    dirty(repo)
    plain = repo.git("cat-file", "commit", "HEAD")
    head, _, message = plain.partition("\n\n")
    signed = (
        f"{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n abc\n -----END PGP SIGNATURE-----\n\n{message}\n"
    )
    repo.git(
        "reset",
        "-q",
        "--soft",
        repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=signed.encode()),
    )
    repo.git("config", "gpg.program", str(trap))
    repo.git("config", "log.showSignature", "true")
    repo.git("log", "-1")
    assert "--verify" in sprung(trap)
    (trap.parent / "sprung").unlink()
    everything(repo)
    assert sprung(trap) == ""


def test_the_users_own_log_of_commands_is_not_written(repo: Repo, tmp_path: Path) -> None:
    dirty(repo)
    for name in ("normal", "event", "perf"):
        with (repo.home / ".gitconfig").open("a") as config:
            config.write(f"[trace2]\n\t{name}Target = {tmp_path / name}\n")
    repo.git("status")
    assert (tmp_path / "event").exists()
    for name in ("normal", "event", "perf"):
        (tmp_path / name).unlink()
    everything(repo)
    assert not {"normal", "event", "perf"} & set(os.listdir(tmp_path))


def test_a_split_index_is_not_read(repo: Repo) -> None:
    dirty(repo)
    repo.git("update-index", "--split-index")
    seen = worktree.look(found(repo), soon())
    assert "split" in seen.reason
    assert not seen.looked


def _age(repo: Repo) -> None:
    """Set all file times into the past, where a touch would show; the content of a racy file is not told by it."""
    old = time.time_ns() - 10**15
    for folder, _folders, files in os.walk(repo.top):
        for name in (*files, "."):
            os.utime(os.path.join(folder, name), ns=(old, old), follow_symlinks=False)


def test_a_git_that_hangs_is_ended_at_the_deadline_with_its_children(repo: Repo, tmp_path: Path) -> None:
    repo.commit()
    fake = tmp_path / "bin" / "git"
    fake.parent.mkdir()
    fake.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {tmp_path}/child\nsleep 600\n")
    fake.chmod(0o755)
    env = {"PATH": f"{fake.parent}:{ENV['PATH']}"}
    given = Deadline.after(0.5)
    assert repository.find(repo.top, repo.home, env, given).condition is repository.Condition.LATE
    assert present.look(repo.top, repo.home, env, given).state == "out of time"
    descriptor = _open_process(int((tmp_path / "child").read_text()))
    if descriptor is not None:
        import select

        ended = select.select([descriptor], [], [], 30)[0]
        os.close(descriptor)
        assert ended


def _open_process(pid: int) -> int | None:
    try:
        return os.pidfd_open(pid)
    except ProcessLookupError:
        return None


def test_git_does_not_run_what_lies_in_the_project(
    repo: Repo, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.commit()
    (repo.top / "git").symlink_to(trap)
    monkeypatch.chdir(repo.top)
    assert present.look(repo.top, repo.home, {"PATH": f".::{ENV['PATH']}"}, soon()).state == "ready"
    assert sprung(trap) == ""


@pytest.mark.parametrize("way", ["absolute", "relative", "through a link", "a link to it"])
def test_a_git_of_the_projects_own_is_never_run(repo: Repo, trap: Path, tmp_path: Path, way: str) -> None:
    dirty(repo)
    planted = repo.top / "node_modules" / ".bin"
    planted.mkdir(parents=True)
    trap.rename(planted / "git")
    (tmp_path / "project").symlink_to(repo.top)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "git").symlink_to(planted / "git")
    folder = {
        "absolute": str(planted),
        "relative": os.path.relpath(planted),
        "through a link": str(tmp_path / "project" / "node_modules" / ".bin"),
        "a link to it": str(tmp_path / "linked"),
    }[way]
    assert found(repo, PATH=f"{folder}:{ENV['PATH']}").ready
    everything(repo, PATH=f"{folder}:{ENV['PATH']}")
    assert sprung(trap) == ""
    assert found(repo, PATH=folder).condition == "no git program"
