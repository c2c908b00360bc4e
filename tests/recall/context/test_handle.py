"""Context handles and the presence of a server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.context import presence
from recall.context.handle import Bound, Continuity, Finding
from recall.context.presence import Presence
from support.worlds import NOW

IDLE = 3_600.0
HEAD, OTHER = "1a2b3c4d" * 5, "9f8e7d6c" * 5


def bound(folder: Path, head: str = HEAD, branch: str = "main") -> Bound:
    return Bound(folder, head, branch, "f1")


def project(folder: Path, name: str = "shop-api") -> Path:
    (folder / name).mkdir(exist_ok=True)
    return folder / name


def test_a_handle_holds_while_the_project_stands_as_it_did(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    handle = continuity.issue(bound(root), NOW)
    assert continuity.check(handle.name, bound(root), NOW + 10, IDLE).allowed
    assert continuity.check_session("", bound(root), NOW + 20, IDLE).allowed


def test_a_work_tree_that_changes_is_no_reason_to_ask_again(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    handle = continuity.issue(bound(root), NOW)
    assert continuity.check(handle.name, bound(root)._replace(fingerprint="f2"), NOW, IDLE).allowed


@pytest.mark.parametrize(
    ("stands", "moment", "finding", "said"),
    [
        ({"head": OTHER}, 0, Finding.HEAD, "HEAD moved from 1a2b3c4 to 9f8e7d6"),
        ({"head": OTHER, "branch": "feature"}, 0, Finding.BRANCH, "was main and is feature"),
        ({"branch": ""}, 0, Finding.BRANCH, "is no branch"),
        ({"head": ""}, 0, Finding.HEAD, "to no commit"),
        ({}, IDLE + 60, Finding.IDLE, "61 minutes"),
    ],
)
def test_what_makes_a_handle_stale_is_said(
    tmp_path: Path, stands: dict[str, str], moment: float, finding: Finding, said: str
) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    handle = continuity.issue(bound(root), NOW)
    for verdict in (
        continuity.check(handle.name, bound(root, **stands), NOW + moment, IDLE),
        continuity.check_session("", bound(root, **stands), NOW + moment, IDLE),
    ):
        assert verdict.finding is finding
        assert said in verdict.reason
        assert "context_bootstrap" in verdict.reason


def test_use_keeps_a_handle_from_becoming_idle(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    handle = continuity.issue(bound(root), NOW)
    for hours in range(1, 6):
        assert continuity.check(handle.name, bound(root), NOW + hours * IDLE, IDLE).allowed


def test_a_handle_of_another_project_is_told_from_one_that_never_was(tmp_path: Path) -> None:
    first, second = project(tmp_path, "a"), project(tmp_path, "b")
    handle = Continuity(tmp_path / "state", first).issue(bound(first), NOW)
    here = Continuity(tmp_path / "state", second)
    assert here.check(handle.name, bound(second), NOW, IDLE).finding is Finding.PROJECT
    assert here.check("ctx_0123456789abcdef", bound(second), NOW, IDLE).finding is Finding.NONE


def test_a_session_needs_a_handle_that_was_given_out_since_it_began(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    continuity.issue(bound(root), NOW)
    continuity.begin_session("s-1", NOW + 5)
    assert continuity.check_session("s-1", bound(root), NOW + 6, IDLE).finding is Finding.NONE
    continuity.issue(bound(root), NOW + 7)
    assert continuity.check_session("s-1", bound(root), NOW + 8, IDLE).allowed


def test_a_good_handle_counts_whatever_is_wrong_with_a_newer_one(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    continuity.issue(bound(root), NOW)
    continuity.issue(bound(root, head=OTHER), NOW + 1)
    assert continuity.check_session("", bound(root), NOW + 2, IDLE).allowed


def test_the_handles_of_a_server_that_has_ended_hold_no_more(tmp_path: Path) -> None:
    root, state = project(tmp_path), tmp_path / "state"
    server = Presence(state)
    handle = Continuity(state, root).issue(bound(root), NOW, server.name)
    assert Continuity(state, root).check(handle.name, bound(root), NOW, IDLE).allowed
    server.close()
    verdict = Continuity(state, root).check(handle.name, bound(root), NOW, IDLE)
    assert verdict.finding is Finding.SERVER


def test_a_server_that_was_killed_is_not_present(tmp_path: Path) -> None:
    program = (
        "import sys, pathlib; from recall.context.presence import Presence\n"
        "print(Presence(pathlib.Path(sys.argv[1])).name, flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, tmp_path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdout is not None
        name = child.stdout.readline().strip()
        assert presence.is_present(tmp_path, name)
        child.kill()
        child.wait()
    assert not presence.is_present(tmp_path, name)


@pytest.mark.parametrize(
    "name", ["", "../../etc/passwd", "ctx_", "ctx_0123456789ABCDEF", "ctx_" + "0" * 17, "\0"]
)
def test_what_is_no_handle_is_none(tmp_path: Path, name: str) -> None:
    root = project(tmp_path)
    assert Continuity(tmp_path / "state", root).check(name, bound(root), NOW, IDLE).finding is Finding.NONE


@given(
    data=st.one_of(
        st.binary(max_size=200),
        st.recursive(
            st.none() | st.booleans() | st.floats() | st.text(),
            lambda inner: (
                st.lists(inner)
                | st.dictionaries(st.sampled_from(["name", "head", "issued", "server"]), inner)
            ),
        ).map(lambda value: json.dumps(value).encode()),
    )
)
def test_a_damaged_file_is_no_handle(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    folder = tmp_path_factory.mktemp("handles")
    root = project(folder)
    continuity = Continuity(folder / "state", root)
    handle = continuity.issue(bound(root), NOW)
    (path,) = (folder / "state").rglob("ctx_*.json")
    path.write_bytes(data)
    assert continuity.check(handle.name, bound(root), NOW, IDLE).finding is Finding.NONE
    assert continuity.check_session("", bound(root), NOW, IDLE).finding is Finding.NONE


def test_old_handles_are_removed_and_all_are_private(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    old = continuity.issue(bound(root), NOW - 30 * 86_400)
    for number in range(70):
        continuity.issue(bound(root), NOW + number)
    paths = list((tmp_path / "state").rglob("ctx_*.json"))
    assert len(paths) <= 64
    assert old.name not in {path.stem for path in paths}
    assert {os.stat(path).st_mode & 0o777 for path in paths} == {0o600}


def test_a_clock_that_was_set_back_locks_no_session_out(tmp_path: Path) -> None:
    root = project(tmp_path)
    continuity = Continuity(tmp_path / "state", root)
    for number in range(80):  # more than are kept, all of what is the future now
        continuity.begin_session(f"s{number}", NOW + 7_200)
    continuity.issue(bound(root), NOW)
    assert continuity.check_session("s1", bound(root), NOW + 1, IDLE).allowed


def test_a_state_that_cannot_be_written_is_the_reason_and_not_a_missing_bootstrap(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file", "utf-8")
    verdict = Continuity(tmp_path / "state", project(tmp_path)).check_session("s", bound(tmp_path), NOW, IDLE)
    assert verdict.finding is Finding.NONE
    assert "state is not a folder" in verdict.reason
    assert "context_bootstrap" not in verdict.reason
