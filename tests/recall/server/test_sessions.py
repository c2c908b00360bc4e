"""Engines per project: started once, kept warm, closed when too many, started again when settings change."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from recall import project as project_room
from recall.engine import Engine
from recall.errors import DeadlineExceeded, IndexUnavailable, UsageError
from recall.project import is_system_folder
from recall.server.sessions import Sessions
from recall.testing.fakes import Notes
from support.serving import engines_of
from support.worlds import make_engine, make_scope


class Starter:
    """Makes an engine per folder, with the folder's name as its only memory; counts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.started: list[Path] = []

    def __call__(self, project: Path) -> Engine:
        self.started.append(project)
        scope = make_scope(self.folder, root=project, main_root=project, cwd=project, names=(project.name,))
        return make_engine(self.folder, [Notes("notes", {"core": f"결제 {project.name}"})], scope=scope)

    def sessions(self, default: str = "shop-api") -> Sessions:
        """Sessions that start engines here."""
        return Sessions(self, self.project(default), self.folder)

    def project(self, name: str) -> Path:
        """A folder."""
        path = self.folder / name
        path.mkdir(exist_ok=True)
        return path


@pytest.fixture
def starter(tmp_path: Path) -> Starter:
    return Starter(tmp_path)


def test_an_engine_is_started_once_for_calls_that_come_together(starter: Starter) -> None:
    sessions = starter.sessions()
    met = threading.Barrier(8)
    seen: list[Engine] = []

    def call() -> None:
        met.wait(30)
        with sessions.engine(sessions.folder, 30) as engine:
            seen.append(engine)

    callers = [threading.Thread(target=call) for _ in range(8)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join(30)
    assert len(seen) == 8
    assert len(set(map(id, seen))) == 1
    assert len(starter.started) == 1


def test_the_default_project_is_started_before_it_is_asked_for(starter: Starter) -> None:
    sessions = starter.sessions()
    sessions.warm()
    (engine,) = engines_of(sessions)
    assert engine._index is not None
    assert starter.started == [sessions.folder]


def test_a_project_is_named_by_its_folder_in_several_spellings(starter: Starter) -> None:
    sessions = starter.sessions()
    other = starter.project("결제 서버")
    local = other.as_uri().replace("file:///", "file://localhost/")
    spelled = [str(other), f"{other}/../결제 서버", other.as_uri(), local, "~/결제 서버", f"{other}/."]
    assert {sessions.folder_of(one) for one in spelled} == {other}
    assert {sessions.folder_of(none) for none in (None, "")} == {sessions.folder}


@pytest.mark.parametrize("project", ["/nowhere/at/all", "~/none", "file:///none", "/\0", "/" + "x" * 5_000])
def test_a_project_that_is_no_folder_is_a_usage_error(starter: Starter, project: str) -> None:
    sessions = starter.sessions()
    with pytest.raises(UsageError) as raised:
        sessions.folder_of(project)
    assert str(sessions.folder) in raised.value.next_step


@pytest.mark.parametrize(
    "project", [".", "..", "./", "shop-api", "../shop-api", "~other/x", "file://.", "null", " ", "\0", "C:"]
)
def test_a_project_that_depends_on_where_the_server_started_is_a_usage_error(
    starter: Starter, project: str
) -> None:
    sessions = starter.sessions()
    with pytest.raises(UsageError, match="is not an absolute path") as raised:
        sessions.folder_of(project)
    assert "give the absolute path" in raised.value.next_step


@pytest.mark.parametrize(
    "project",
    [
        "/",
        "//",
        "/etc",
        "/etc/ssl",
        "/proc",
        "/proc/self",
        "/dev",
        "/usr",
        "/var",
        "/tmp",
        "file:///etc",
        "/bin",
    ],
)
def test_a_folder_of_the_system_is_no_project(starter: Starter, project: str) -> None:
    if not Path(project.removeprefix("file://")).is_dir():
        pytest.skip("there is no such folder here")
    with pytest.raises(UsageError, match="is a folder of the system and no project") as raised:
        starter.sessions().folder_of(project)
    assert "give the absolute path of a project's folder" in raised.value.next_step


def test_a_project_is_one_wherever_it_lies(starter: Starter, tmp_path: Path) -> None:
    sessions = starter.sessions()
    plain, versioned = tmp_path / "plain", tmp_path / "versioned" / "below"
    for folder in (plain, versioned, versioned.parent / ".git"):
        folder.mkdir(parents=True)
    assert [sessions.folder_of(str(one)) for one in (plain, versioned)] == [plain, versioned]
    places = (
        "/srv/app",
        "/tmp/x",
        "/opt/shop",
        "/var/www/shop",
        "/app",
        "/workspace",
        "/home/me",
        "/usr/src/shop",
    )
    assert not [place for place in places if is_system_folder(Path(place))]


def test_a_system_folder_under_version_control_is_a_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project_room, "_SYSTEM", (str(tmp_path),))
    assert is_system_folder(tmp_path)
    (tmp_path / ".git").mkdir()
    assert not is_system_folder(tmp_path)


def test_settings_that_change_while_they_are_loaded_start_the_engine_again(starter: Starter) -> None:
    written = starter.project("config") / "config.toml"

    def start(project: Path) -> Engine:
        engine = starter(project)  # it has stamped what there was, and then somebody writes
        if len(starter.started) == 1:
            written.write_text("", encoding="utf-8")
        return engine

    sessions = Sessions(start, starter.project("shop-api"), starter.folder)
    for _ in range(3):
        with sessions.engine(sessions.folder, 30):
            pass
    assert len(starter.started) == 2


def test_the_least_recently_used_engine_is_closed_when_there_are_too_many(starter: Starter) -> None:
    sessions = starter.sessions()
    engines = []
    for number in range(8):
        with sessions.engine(starter.project(f"p{number}"), 30) as engine:
            engines.append(engine)
    with sessions.engine(starter.project("p0"), 30) as again:
        assert again is engines[0]
    with sessions.engine(starter.project("p8"), 30):
        pass
    assert [engine._index is None for engine in engines] == [False, True] + [False] * 6


def test_an_engine_is_not_closed_while_a_call_uses_it(starter: Starter) -> None:
    sessions = starter.sessions()
    with sessions.engine(starter.project("used"), 30) as used:
        for number in range(9):
            with sessions.engine(starter.project(f"p{number}"), 30):
                pass
        assert used.recall("결제", deadline=30).hits
    assert used._index is None


def test_closing_closes_every_engine(starter: Starter) -> None:
    sessions = starter.sessions()
    with sessions.engine(sessions.folder, 30) as engine:
        pass
    sessions.close()
    assert engine._index is None


@pytest.mark.parametrize("name", ["config/config.toml", "shop-api/.recall.toml", "state/trust.json"])
def test_changed_settings_start_the_engine_again(starter: Starter, name: str) -> None:
    sessions = starter.sessions()
    for _ in range(2):
        with sessions.engine(sessions.folder, 30) as first:
            pass
    path = starter.folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("", encoding="utf-8")
    with sessions.engine(sessions.folder, 30) as second:
        pass
    assert second is not first
    assert first._index is None
    assert len(starter.started) == 2


def test_an_engine_that_did_not_start_is_started_again(tmp_path: Path, starter: Starter) -> None:
    troubles = [IndexUnavailable("no room", "make room")]

    def start(project: Path) -> Engine:
        if troubles:
            raise troubles.pop()
        return starter(project)

    sessions = Sessions(start, starter.project("shop-api"), tmp_path)
    with pytest.raises(IndexUnavailable), sessions.engine(sessions.folder, 30):
        pass
    with sessions.engine(sessions.folder, 30) as engine:
        assert engine.scope.names == ("shop-api",)


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt()])
def test_a_plugin_that_exits_while_the_engine_starts_ends_no_thread_but_its_own(
    tmp_path: Path, error: BaseException
) -> None:
    def start(_project: Path) -> Engine:
        raise error

    sessions = Sessions(start, tmp_path, tmp_path)
    with pytest.raises(RuntimeError, match=type(error).__name__), sessions.engine(tmp_path, 30):
        pass


def test_whoever_waits_for_a_hanging_start_waits_no_longer_than_it_may(starter: Starter) -> None:
    release = threading.Event()

    def start(project: Path) -> Engine:
        release.wait()
        return starter(project)

    sessions = Sessions(start, starter.project("shop-api"), starter.folder)
    with pytest.raises(DeadlineExceeded), sessions.engine(sessions.folder, 0.05):
        pass
    release.set()
    with sessions.engine(sessions.folder, 30):
        pass
    assert len(starter.started) == 1


@pytest.mark.parametrize("what", ["a repository", "a name", "a top folder"])
def test_a_project_that_has_become_another_starts_the_engine_again(starter: Starter, what: str) -> None:
    sessions = starter.sessions()
    if what == "a name":
        (sessions.folder / ".git").mkdir()
    for _ in range(2):
        with sessions.engine(sessions.folder, 30) as first:
            pass
    assert len(starter.started) == 1
    if what == "a repository":
        (sessions.folder / ".git").mkdir()
    elif what == "a name":
        (sessions.folder / ".git" / "config").write_text(
            '[remote "origin"]\n\turl = https://example.org/x/renamed.git\n'
        )
    else:
        (sessions.folder.parent / ".serena").mkdir()
    for _ in range(2):
        with sessions.engine(sessions.folder, 30) as second:
            pass
    assert second is not first
    assert len(starter.started) == 2


def test_a_project_folder_that_is_gone_is_answered_for_from_what_is_known(starter: Starter) -> None:
    sessions = starter.sessions()
    with sessions.engine(sessions.folder, 30) as first:
        pass
    sessions.folder.rename(starter.folder / "elsewhere")
    with sessions.engine(sessions.folder, 30) as second:
        assert second is first
