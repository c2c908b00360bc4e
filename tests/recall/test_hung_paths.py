"""A path that hung is looked at by a process that can be killed, and keeps nothing else from being read.

No real mount is needed: a provider opens a pipe that nobody writes to, and the process that looks at a path waits the
same way.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from recall import databases, files, health
from recall.answer import Outcome
from recall.api import Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.engine import Engine
from recall.errors import StoreBroken
from recall.files import apart
from recall.suspension import Suspension
from recall.testing.fakes import NoOptions, Notes
from support.serving import called, document, server_over
from support.worlds import NOW, make_engine

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes and processes that are killed")

RETRY = "실패한 결제는 세 번까지 재시도한다"
# Waits for a writer of the pipe that it is given, as reading from a dead network folder waits.
WAITS = (sys.executable, "-I", "-S", "-c", "import sys; open(bytes.fromhex(sys.argv[1]))")


def later() -> Deadline:
    return Deadline.after(30)


# --- the process ------------------------------------------------------------------------------------------


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "note.md")
    return tmp_path / "note.md"


def test_a_path_that_does_not_answer_is_found_by_the_deadline_and_its_process_is_gone(pipe: Path) -> None:
    assert apart.unanswering([str(pipe)], Deadline.after(0.2), command=WAITS) == {str(pipe): str(pipe)}
    listing = subprocess.run(["ps", "-e", "-o", "args"], capture_output=True, text=True, check=False).stdout
    assert os.fsencode(pipe).hex() not in listing


@pytest.mark.parametrize(
    "make", [Path.touch, Path.mkdir, os.mkfifo, None], ids=["file", "folder", "pipe", "nothing"]
)
def test_whatever_answers_answers(tmp_path: Path, make: Any) -> None:
    path = tmp_path / "결제 'x'.md"
    if make is not None:
        make(path)
    assert apart.unanswering([str(path), "/proc/self/mem", "/dev/zero"], later()) == {}


def test_raw_bytes_in_a_path_reach_the_process(tmp_path: Path) -> None:
    path = os.fsdecode(os.fsencode(tmp_path) + b"/\xff\xfe\n.md")
    os.mkfifo(path)
    assert apart.unanswering([path], Deadline.after(0.2), command=WAITS) == {path: path}


def test_the_whole_network_file_system_is_avoided_if_its_top_does_not_answer(tmp_path: Path) -> None:
    mount = tmp_path / "nas share"
    mount.mkdir()
    mounts = tmp_path / "mounts"
    shown = str(mount).replace(" ", r"\040")
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\nserver:/x {shown} nfs4 rw 0 0\n")
    path = str(mount / "deep" / "note.md")
    dead = (sys.executable, "-I", "-S", "-c", "import threading; threading.Event().wait()")
    assert apart.unanswering([path], Deadline.after(0.2), command=dead, mounts=str(mounts)) == {
        path: str(mount)
    }
    mounts.write_text(f"/dev/sda1 / ext4 rw 0 0\n/dev/sdb1 {shown} ext4 rw 0 0\n")
    assert apart.unanswering([path], Deadline.after(0.2), command=dead, mounts=str(mounts)) == {path: path}


def test_a_system_without_a_list_of_mounts_avoids_the_path(pipe: Path) -> None:
    found = apart.unanswering([str(pipe)], Deadline.after(0.2), command=WAITS, mounts="/nowhere/mounts")
    assert found == {str(pipe): str(pipe)}


# --- who does not touch it --------------------------------------------------------------------------------


@pytest.fixture
def store(tmp_path: Path) -> Path:
    store = tmp_path / "store"
    (store / "dead").mkdir(parents=True)
    (store / "dead" / "note.md").write_text("not to be read")
    (store / "alive.md").write_text(RETRY)
    (store / "link.md").symlink_to(store / "dead" / "note.md")
    (store / "linked").symlink_to(store / "dead")
    return store


def test_a_walk_passes_over_what_is_avoided_and_says_so(store: Path) -> None:
    with apart.avoiding([str(store / "dead")]):
        found = list(files.walk(store, later()))
    assert [one.relative for one in found if not isinstance(one, Problem)] == ["alive.md"]
    problems = {one.where for one in found if isinstance(one, Problem)}
    assert problems == {"dead", "link.md", "linked"}
    assert all(one.hides_entries and one.reason == apart.REASON for one in found if isinstance(one, Problem))


def test_a_walk_of_what_is_avoided_is_one_problem(store: Path) -> None:
    with apart.avoiding([str(store)]):
        (found,) = files.walk(store / "dead", later())
    assert isinstance(found, Problem)
    assert found.hides_entries


def test_nothing_that_reads_files_touches_what_is_avoided(
    store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dead = store / "dead"

    def touched(path: Any, *_rest: Any, **_more: Any) -> Any:
        raise AssertionError(f"{path} was touched")

    with apart.avoiding([str(dead)]), monkeypatch.context() as patch:
        for name in ("stat", "lstat", "open", "scandir"):
            patch.setattr(os, name, touched)
        assert not files.is_file(dead / "note.md")
        assert not files.is_folder(dead)
        assert files.look(dead) == apart.REASON
        with pytest.raises(StoreBroken, match="does not answer"):
            files.read_text(dead / "note.md")
        with pytest.raises(StoreBroken, match="does not answer"):
            databases.read(dead / "x.db", lambda database: database.tables(), later())
        assert databases.unchanged_mark(dead / "x.db", NOW) is None


def test_another_thread_avoids_nothing(store: Path) -> None:
    seen: list[bool] = []
    with apart.avoiding([str(store)]):
        thread = threading.Thread(target=lambda: seen.append(files.is_folder(store)))
        thread.start()
        thread.join(30)
    assert seen == [True]


@pytest.mark.parametrize(
    ("avoided", "path", "touched"),
    [
        ("/a/b", "/a/b", False),
        ("/a/b", "/a/b/c", False),
        ("/a/b", "/a/bc", True),
        ("/a/b", "/a", True),
        ("/", "/x", False),
    ],
)
def test_whole_parts_of_a_path_are_compared(avoided: str, path: str, touched: bool) -> None:
    with apart.avoiding([avoided]):
        assert (apart.obstacle(path) == "") is touched


# --- where a thread is ------------------------------------------------------------------------------------


def test_the_frames_of_a_thread_tell_the_path_that_it_is_at(pipe: Path) -> None:
    began = threading.Event()

    def load(path: Path) -> None:
        began.set()
        with open(path, "rb"):
            pass

    thread = threading.Thread(target=load, args=(pipe,), daemon=True)
    thread.start()
    began.wait(30)
    try:
        assert apart.where(thread.ident) == str(pipe)
    finally:
        os.close(os.open(pipe, os.O_RDWR))
        thread.join(30)


def test_a_thread_that_is_at_no_path_tells_none() -> None:
    release = threading.Event()
    thread = threading.Thread(target=release.wait, daemon=True)
    thread.start()
    assert apart.where(thread.ident) == ""
    release.set()
    thread.join(30)
    assert apart.where(thread.ident) == ""
    assert apart.where(None) == ""


# --- in answers -------------------------------------------------------------------------------------------


class Shelf(Notes):
    """Files of one folder; whoever opens one called `hung.md` waits for a writer."""

    def __init__(self, options: NoOptions | None = None) -> None:
        super().__init__("notes", {})

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        return Health(State.READY, None)

    def entries(self, scope: Scope, deadline: Deadline) -> Iterable[Entry | Problem]:
        for name in sorted(os.listdir(scope.root)):
            path = os.path.join(scope.root, name)
            if reason := files.obstacle(path):
                yield Problem(name, reason, hides_entries=True)
            elif name == "hung.md":
                with open(path) as file:
                    yield Entry(name, file.read(), path)
            else:
                yield Entry(name, "1", path)

    def load(self, entry: Entry, scope: Scope) -> Iterable[Memory | Problem]:
        yield Memory(
            entry.key, files.read_text(entry.locator).text if entry.key != "hung.md" else entry.stamp
        )


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(apart, "COMMAND", WAITS)
    monkeypatch.setattr(apart.unanswering, "__kwdefaults__", {"command": WAITS, "mounts": "/nowhere"})
    folder = tmp_path / "shop-api"
    folder.mkdir()
    (folder / "a.md").write_text(RETRY)
    os.mkfifo(folder / "hung.md")
    yield folder
    if (folder / "hung.md").is_fifo():
        os.close(os.open(folder / "hung.md", os.O_RDWR))


def asked(engine: Engine) -> tuple[Outcome, list[str]]:
    answer = engine.recall("결제 재시도", deadline=1.0)
    return answer.outcomes[0], [hit.ranked.row.text for hit in answer.hits]


def test_the_second_question_reads_all_but_the_path_that_hung(tmp_path: Path, shelf: Path) -> None:
    first, texts = asked(make_engine(tmp_path, [Shelf()]))
    assert (first.late, texts) == (True, [])
    assert f"at {shelf}/hung.md" in first.reason
    second, texts = asked(make_engine(tmp_path, [Shelf()]))
    assert (second.state, second.late, texts) == (State.DEGRADED, False, [RETRY])
    assert second.reason == f"1 problem: hung.md: {apart.REASON}"


def test_as_long_as_the_process_is_running_another_object_is_asked(tmp_path: Path, shelf: Path) -> None:
    engine = make_engine(tmp_path, [Shelf()])
    assert asked(engine)[0].late
    assert asked(engine)[1] == [RETRY]
    assert asked(engine)[1] == [RETRY]
    assert engine.abandoned() == 1  # the one thread that hangs, and no other
    assert health.examine(engine)[0].state is State.DEGRADED


def test_the_server_answers_from_the_rest(tmp_path: Path, shelf: Path) -> None:
    server = server_over(tmp_path, [Shelf()])
    called(server, "deep_recall", query="결제 재시도", deadline=1.0)
    result = document(called(server, "deep_recall", query="결제 재시도", deadline=1.0))
    assert RETRY in result["memories"][0]["text"]
    assert "does not answer" in result["outcomes"][0]["reason"]


def test_a_path_that_answers_again_is_read_again(tmp_path: Path, shelf: Path) -> None:
    asked(make_engine(tmp_path, [Shelf()]))
    asked(make_engine(tmp_path, [Shelf()]))
    os.close(os.open(shelf / "hung.md", os.O_RDWR))
    (shelf / "hung.md").unlink()
    (shelf / "hung.md").write_text(f"{RETRY} 그리고 쉰다")
    third, _texts = asked(make_engine(tmp_path, [Shelf()], now=NOW + 10))
    assert third.state is State.DEGRADED  # it was tried ten seconds ago
    fourth, texts = asked(make_engine(tmp_path, [Shelf()], now=NOW + 40))
    assert (fourth.state, len(texts)) == (State.READY, 1)
    assert not list((tmp_path / "cache" / "index").glob("*.failures"))


def test_doctor_tries_a_silent_path_at_once(tmp_path: Path, shelf: Path) -> None:
    asked(make_engine(tmp_path, [Shelf()]))
    asked(make_engine(tmp_path, [Shelf()]))
    os.close(os.open(shelf / "hung.md", os.O_RDWR))
    (shelf / "hung.md").unlink()
    assert health.examine(make_engine(tmp_path, [Shelf()]))[0].state is State.READY


def test_only_so_many_threads_are_given_up(tmp_path: Path) -> None:
    from recall.fanout import FanOut

    release, fan_out = threading.Event(), FanOut()
    for _ in range(8):
        list(fan_out.run({"hangs": lambda emit: release.wait()}, Deadline.after(0.02)))
        assert fan_out.give_up("hangs")
    list(fan_out.run({"hangs": lambda emit: release.wait()}, Deadline.after(0.02)))
    assert not fan_out.give_up("hangs")
    assert not fan_out.give_up("another")
    assert fan_out.abandoned() == 9
    release.set()


def test_silent_paths_are_kept_up_to_a_number(tmp_path: Path) -> None:
    from recall.settings import SuspensionSettings
    from recall.suspension import Silent

    suspension = Suspension(tmp_path / "failures", SuspensionSettings())
    for number in range(40):
        suspension.note({}, (), NOW, {f"/mnt/{number}": Silent(NOW, "/mnt")})
    assert list(suspension.known().silent) == [f"/mnt/{number}" for number in range(24, 40)]
