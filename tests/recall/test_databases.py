"""Databases that are not ours: read in whatever state they are, and left exactly as they were."""

from __future__ import annotations

import itertools
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall import databases
from recall.api import Deadline
from recall.copies import copied
from recall.databases import Database, read
from recall.errors import ProviderError, StoreAbsent, StoreBroken, StoreBusy
from support.worlds import REPOSITORY, snapshot

OWNER = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=0)
for line in sys.stdin:
    if line == "die\\n":
        os._exit(9)
    try:
        print(connection.execute(line).fetchall(), flush=True)
    except sqlite3.Error as error:
        print("error:", error, flush=True)
connection.close()
"""


class Owner:
    """The program that a database belongs to, as a process of its own: locks count between processes only."""

    def __init__(self, path: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", OWNER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def does(self, *statements: str) -> str:
        """Run the statements one by one; the answer to the last."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        answer = ""
        for statement in statements:
            self._process.stdin.write(statement + "\n")
            self._process.stdin.flush()
            answer = self._process.stdout.readline().strip()
        return answer

    def fills(self, rows: int = 45) -> None:
        self.does("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
        self.does(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < "
            f"{rows}) INSERT INTO notes SELECT i, '결제 재시도 ' || i FROM n"
        )

    def dies(self) -> None:
        self._end("die\n")

    def closes(self) -> None:
        self._end("")

    def _end(self, last: str) -> None:
        if self._process.poll() is None:
            self._process.communicate(last, timeout=30)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "store"
    folder.mkdir()
    return folder / "notes.db"


@pytest.fixture
def owner(path: Path) -> Iterator[Owner]:
    process = Owner(path)
    yield process
    process.closes()


def soon() -> Deadline:
    return Deadline.after(30)


def count(database: Database) -> int:
    found = database.one("SELECT count(*) FROM notes")
    assert isinstance(found, int)
    return found


def counted(path: Path) -> int:
    """The number of notes, read with proof that nothing has changed."""
    before = snapshot(path.parent)
    found = read(path, count, soon())
    assert snapshot(path.parent) == before
    return found


def make(path: Path, rows: int = 45, *before: str) -> Path:
    owner = Owner(path)
    owner.does(*before)
    owner.fills(rows)
    owner.closes()
    return path


def beside(path: Path) -> set[str]:
    return {name.removeprefix(path.name) for name in os.listdir(path.parent)} - {""}


# --- each state a store can be in ---


def test_a_quiet_database_is_read(path: Path) -> None:
    assert counted(make(path)) == 45
    assert beside(path) == set()


def test_a_closed_database_of_wal_mode_gets_no_files_beside_it(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    assert counted(path) == 45
    assert beside(path) == set()


def test_rows_that_are_only_in_a_live_log_are_seen(path: Path, owner: Owner) -> None:
    owner.does("PRAGMA journal_mode=WAL", "PRAGMA wal_autocheckpoint=0")
    owner.fills()
    assert beside(path) == {"-wal", "-shm"}
    assert counted(path) == 45
    owner.does("INSERT INTO notes VALUES (100, '방금')")
    assert counted(path) == 46


def test_a_log_and_map_left_by_a_killed_writer_are_read_and_left(path: Path, owner: Owner) -> None:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    owner.does("BEGIN", "INSERT INTO notes VALUES (100, '아직 아님')")
    owner.dies()
    assert beside(path) == {"-wal", "-shm"}
    assert counted(path) == 45


@pytest.mark.parametrize("shm", ["missing", "empty", "pipe"])
def test_a_log_without_a_usable_map_is_read_from_a_copy(path: Path, owner: Owner, shm: str) -> None:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    owner.dies()
    map_ = path.with_name(path.name + "-shm")
    map_.unlink()
    if shm == "empty":
        map_.touch()
    elif shm == "pipe":
        os.mkfifo(map_)
    assert counted(path) == 45


def test_an_empty_log_changes_nothing(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    path.with_name(path.name + "-wal").touch()
    assert counted(path) == 45


def test_a_log_that_is_a_pipe_does_not_block(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    os.mkfifo(path.with_name(path.name + "-wal"))
    os.mkfifo(path.with_name(path.name + "-journal"))
    assert counted(path) == 45


def test_a_log_that_is_a_folder_is_none(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    path.with_name(path.name + "-wal").mkdir()
    assert counted(path) == 45


def test_a_log_of_garbage_hides_no_rows(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    path.with_name(path.name + "-wal").write_bytes(b"\xff" * 5000)
    assert counted(path) == 45


def test_a_wal_database_held_exclusively_is_read_all_the_same(path: Path, owner: Owner) -> None:
    owner.does("PRAGMA locking_mode=EXCLUSIVE", "PRAGMA journal_mode=WAL")
    owner.fills()
    assert beside(path) == {"-wal"}
    assert counted(path) == 45


def test_a_database_locked_by_a_writer_is_busy_until_it_is_done(path: Path, owner: Owner) -> None:
    owner.fills()
    owner.does("BEGIN EXCLUSIVE", "INSERT INTO notes VALUES (100, '아직 아님')")
    before = snapshot(path.parent)
    with pytest.raises(StoreBusy, match="locked") as caught:
        read(path, count, soon())
    assert caught.value.next_step
    assert caught.value.retryable
    assert snapshot(path.parent) == before
    owner.does("COMMIT")
    assert counted(path) == 46


def test_a_database_in_exclusive_mode_is_busy(path: Path, owner: Owner) -> None:
    owner.does("PRAGMA locking_mode=EXCLUSIVE")
    owner.fills()
    with pytest.raises(StoreBusy):
        read(path, count, soon())


def test_what_a_killed_writer_had_half_written_is_rolled_back_in_a_copy(path: Path, owner: Owner) -> None:
    owner.fills(3000)
    owner.does(
        "PRAGMA cache_size=5", "BEGIN", "DELETE FROM notes WHERE id % 2", "UPDATE notes SET text = 'x'"
    )
    owner.dies()
    torn = sqlite3.connect(f"file:{path}?immutable=1", uri=True)
    assert torn.execute("SELECT count(*) FROM notes WHERE text = 'x'").fetchone() != (0,)
    torn.close()
    assert counted(path) == 3000
    assert read(path, lambda db: db.one("SELECT count(*) FROM notes WHERE text = 'x'"), soon()) == 0
    assert beside(path) == {"-journal"}


def test_a_journal_that_is_kept_but_finished_needs_no_copy(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make(path, 45, "PRAGMA journal_mode=PERSIST")
    assert beside(path) == {"-journal"}
    monkeypatch.setattr(databases, "_private_copy", None)
    assert counted(path) == 45


def test_an_empty_file_is_a_database_without_tables(path: Path) -> None:
    path.touch()
    assert read(path, lambda db: db.tables(), soon()) == frozenset()
    with pytest.raises(StoreBroken, match="no such table: notes"):
        counted(path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"this is a text file, not a database\n", "not a SQLite database"),
        (b"SQLite", "not a SQLite database"),
        (b"SQLite format 3\0", "damaged|not a SQLite database"),
        (b"SQLite format 3\0" + b"\xff" * 2000, "damaged|not a SQLite database"),
    ],
)
def test_what_is_no_database_is_broken(path: Path, content: bytes, reason: str) -> None:
    path.write_bytes(content)
    with pytest.raises(StoreBroken, match=reason):
        counted(path)


@pytest.mark.parametrize("log", [False, True])
def test_half_a_database_is_broken(path: Path, log: bool) -> None:
    make(path, 3000)
    os.truncate(path, path.stat().st_size // 2 + 100)
    if log:
        path.with_name(path.name + "-wal").write_bytes(b"x")
    before = snapshot(path.parent)
    with pytest.raises(StoreBroken, match="damaged"):
        read(path, lambda db: db.rows("SELECT text FROM notes"), soon())
    assert snapshot(path.parent) == before


@pytest.mark.parametrize("kind", ["pipe", "folder", "device"])
def test_what_is_no_file_is_refused_unopened(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to("/dev/zero")
    with pytest.raises(StoreBroken, match="not a regular file"):
        counted(path)


@pytest.mark.parametrize("name", ["missing.db", "missing/notes.db", "file/notes.db", "gone.db"])
def test_a_missing_database_is_absent(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "gone.db").symlink_to("nowhere.db")
    with pytest.raises(StoreAbsent):
        read(tmp_path / name, count, soon())


def test_a_path_with_a_nul_is_refused() -> None:
    with pytest.raises(StoreBroken):
        read("notes\0.db", count, soon())


# --- names ---


@pytest.mark.parametrize(
    "name", ["a#b?c%20d 한글.db", "x?mode=rwc&immutable=0", "메모%00.db", "-wal", ":memory:"]
)
@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_a_name_is_taken_as_it_is(path: Path, name: str, mode: str) -> None:
    owner = Owner(path.with_name(name))
    owner.does(f"PRAGMA journal_mode={mode}")
    owner.fills()
    assert counted(path.with_name(name)) == 45
    owner.closes()


def test_a_name_of_raw_bytes_is_no_hindrance(path: Path) -> None:
    make(path)
    raw = path.with_name(os.fsdecode("정산".encode("cp949")))
    path.rename(raw)
    assert counted(raw) == 45


def test_the_log_of_a_linked_database_is_found_beside_the_real_one(
    path: Path, owner: Owner, tmp_path: Path
) -> None:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    (tmp_path / "link.db").symlink_to(path)
    assert read(tmp_path / "link.db", count, soon()) == 45


# --- what a reader may do ---


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO notes VALUES (100, 'x')",
        "DELETE FROM notes",
        "DROP TABLE notes",
        "CREATE TABLE more (id)",
        "CREATE TEMP TABLE more (id)",
        "ATTACH 'other.db' AS other",
        "VACUUM INTO 'copy.db'",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA wal_checkpoint",
        "PRAGMA quick_check",
        "PRAGMA query_only = 0",
        "BEGIN IMMEDIATE",
        "ANALYZE",
        "SELECT load_extension('x')",
    ],
)
@pytest.mark.parametrize("state", ["quiet", "live log", "log only"])
def test_nothing_but_reading_is_allowed(
    path: Path, owner: Owner, statement: str, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(path.parent)
    if state != "quiet":
        owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    if state == "log only":
        owner.dies()
        path.with_name(path.name + "-shm").unlink()
    before = snapshot(path.parent)
    with pytest.raises(StoreBroken):
        read(path, lambda db: db.rows(statement), soon())
    assert snapshot(path.parent) == before


@pytest.mark.parametrize(
    "statement", ["DELETE FROM notes", "CREATE TABLE more (id)", "PRAGMA user_version = 7"]
)
def test_a_statement_that_the_authorizer_let_through_still_writes_nothing(
    path: Path, owner: Owner, statement: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    owner.dies()
    path.with_name(path.name + "-shm").unlink()  # so that a copy is opened, which SQLite itself may write to
    monkeypatch.setattr(databases, "_authorize", lambda *_asked: sqlite3.SQLITE_OK)
    with pytest.raises(StoreBroken, match="readonly"):
        read(path, lambda db: db.rows(statement), soon())


def test_columns_are_asked_of_the_table(path: Path) -> None:
    make(path, 1, 'CREATE TABLE "we""ird 표" (가, "b c")')
    assert read(path, lambda db: db.columns('we"ird 표'), soon()) == {"가", "b c"}
    assert read(path, lambda db: db.columns("notes"), soon()) == {"id", "text"}
    assert read(path, lambda db: db.columns("missing"), soon()) == frozenset()
    assert read(path, lambda db: db.tables(), soon()) == {"notes", 'we"ird 표'}
    assert read(path, lambda db: db.one("SELECT text FROM notes WHERE id = ?", (7,)), soon()) is None


def test_a_missing_column_or_table_is_broken_never_empty(path: Path) -> None:
    make(path)
    with pytest.raises(StoreBroken, match="no such column: later"):
        read(path, lambda db: db.rows("SELECT later FROM notes"), soon())
    with pytest.raises(StoreBroken, match="no such table: later"):
        read(path, lambda db: db.rows("SELECT 1 FROM later"), soon())


def test_bad_utf_8_costs_its_own_bytes_only(path: Path) -> None:
    make(path, 0, "CREATE TABLE odd (text)", "INSERT INTO odd VALUES (CAST(x'ED9998FFEBB688' AS TEXT))")
    assert read(path, lambda db: db.rows("SELECT text FROM odd"), soon()) == [("환\ufffd불",)]


def test_a_full_text_index_is_refused_and_its_database_read(path: Path) -> None:
    make(path, 45, "CREATE VIRTUAL TABLE found USING fts5(text)")
    with pytest.raises(StoreBroken, match="vtable"):
        read(path, lambda db: db.rows("SELECT * FROM found WHERE found MATCH 'x'"), soon())
    assert counted(path) == 45


# --- limits ---

ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "


def test_a_damaged_schema_that_is_no_text_is_broken_like_any_other(path: Path) -> None:
    make(path)
    data = path.read_bytes()
    assert b"CREATE TABLE notes" in data
    path.write_bytes(
        data.replace(b"CREATE TABLE notes", b"CREATE TABL\xe0 notes")
    )  # SQLite quotes it in its error
    with pytest.raises(StoreBroken, match=r"^the database is damaged$"):
        read(path, lambda db: db.tables(), soon())


@pytest.mark.parametrize("query", ["SELECT count(*) FROM n", "SELECT i FROM n", "SELECT max(i) FROM n"])
def test_a_query_without_end_is_stopped_by_the_deadline(path: Path, query: str) -> None:
    make(path)
    looks = itertools.count()
    deadline = Deadline(20, lambda: float(next(looks)))  # over at the twentieth look at the clock
    with pytest.raises(StoreBusy, match="too long"):
        read(path, lambda db: db.rows(ENDLESS + query), deadline)
    assert next(looks) < 60


def test_a_view_without_end_does_not_fill_the_memory(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make(path, 45, f"CREATE VIEW endless AS {ENDLESS} SELECT i, 'text' AS text FROM n")
    with monkeypatch.context() as patch:
        patch.setattr(databases, "_ROWS_LIMIT", 1000)
        with pytest.raises(StoreBroken, match="more than 1,000 rows"):
            read(path, lambda db: db.rows("SELECT i FROM endless"), soon())
        assert len(read(path, lambda db: db.rows("SELECT i FROM endless LIMIT 1000"), soon())) == 1000
    monkeypatch.setattr(databases, "_TEXT_LIMIT", 1000)
    with pytest.raises(StoreBroken, match="memory"):
        read(path, lambda db: db.rows("SELECT text FROM endless"), soon())


def test_a_row_that_asks_for_a_gigabyte_is_refused(path: Path) -> None:
    make(path)
    with pytest.raises(StoreBroken, match="too big"):
        read(path, lambda db: db.one("SELECT zeroblob(1000000000)"), soon())


# --- files that move ---


def changing(path: Path, change: Callable[[], object], times: int = 1) -> Callable[[Database], int]:
    """Work that is overtaken by a change while it runs."""
    left = iter(range(times))

    def work(database: Database) -> int:
        found = count(database)
        if next(left, None) is not None:
            change()
        return found

    return work


def test_a_database_replaced_while_it_is_read_is_read_again(path: Path, tmp_path: Path) -> None:
    make(path, 45)
    other = make(tmp_path / "new.db", 46)
    assert read(path, changing(path, lambda: os.replace(other, path)), soon()) == 46


def test_a_commit_within_one_tick_of_the_file_clock_is_noticed(path: Path, owner: Owner) -> None:
    owner.fills()
    stamp = path.stat().st_mtime_ns
    size = path.stat().st_size

    def commit() -> None:
        owner.does("DELETE FROM notes WHERE id = 1")
        os.utime(path, ns=(stamp, stamp))
        assert path.stat().st_size == size

    os.utime(path, ns=(stamp, stamp))
    assert read(path, changing(path, commit), soon()) == 44


def test_a_log_that_appears_while_reading_is_read(path: Path) -> None:
    make(path, 45, "PRAGMA journal_mode=WAL")
    late = Owner(path)
    assert read(path, changing(path, lambda: late.does("INSERT INTO notes VALUES (100, 'x')")), soon()) == 46
    late.closes()


def test_an_error_that_a_change_explains_is_tried_again(path: Path, tmp_path: Path) -> None:
    make(path, 0, "CREATE TABLE other (id)")
    good = make(tmp_path / "new.db")
    sqlite3.connect(path).execute("DROP TABLE notes").connection.close()

    def work(database: Database) -> int:
        if good.exists():
            os.replace(good, path)
        return count(database)

    assert read(path, work, soon()) == 45


def test_a_database_that_never_rests_is_busy(path: Path, owner: Owner) -> None:
    owner.fills()
    work = changing(path, lambda: owner.does("INSERT INTO notes (text) VALUES ('x')"), times=100)
    with pytest.raises(StoreBusy, match="changed while"):
        read(path, work, soon())


def test_reading_in_place_keeps_the_locks_that_guard_the_log(path: Path, owner: Owner) -> None:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    attempts: list[str] = []

    def work(database: Database) -> int:
        count(database)
        read(path, count, soon())  # a second reader of the same process comes and goes
        attempts.append(owner.does("PRAGMA journal_mode=DELETE"))  # succeeds only where nobody reads
        return count(database)

    assert read(path, work, soon()) == 45
    assert attempts == ["error: database is locked"]


# --- copies ---


@pytest.fixture
def log_only(path: Path, owner: Owner) -> Path:
    owner.does("PRAGMA journal_mode=WAL")
    owner.fills()
    owner.dies()
    path.with_name(path.name + "-shm").unlink()
    return path


def test_a_copy_is_private_and_gone_afterwards(
    log_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    seen: list[int] = []

    def work(database: Database) -> int:
        (folder,) = place.iterdir()
        seen.append(folder.stat().st_mode & 0o777)
        return count(database)

    assert read(log_only, work, soon()) == 45
    assert seen == [0o700]
    assert list(place.iterdir()) == []


def test_a_copy_that_finds_no_room_or_no_time_is_told(
    log_only: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(StoreBusy, match="out of time"):
        read(log_only, count, Deadline.after(-1))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "missing"))
    with pytest.raises(StoreBroken, match="cannot copy"):
        read(log_only, count, soon())


UNPRIVILEGED = """
import os, sys, tempfile
from recall.api import Deadline
from recall.databases import read
if os.geteuid() == 0:
    os.setgid(65534)
    os.setuid(65534)
tempfile.tempdir = sys.argv[1]
for path in sys.argv[2:]:
    assert not os.access(os.path.dirname(path), os.W_OK)
    print(read(path, lambda db: db.one("SELECT count(*) FROM notes"), Deadline.after(30)))
"""


def test_a_store_in_a_folder_without_write_permission_is_read_in_every_state() -> None:
    top = Path(tempfile.mkdtemp(prefix="recall-test-"))
    owners = []
    try:
        top.chmod(0o755)
        (top / "temporary").mkdir()
        (top / "temporary").chmod(0o777)
        paths = []
        for state in ("quiet", "closed wal", "live log", "killed", "log only"):
            folder = top / state
            folder.mkdir()
            paths.append(folder / "notes.db")
            owner = Owner(paths[-1])
            owners.append(owner)
            if state != "quiet":
                owner.does("PRAGMA journal_mode=WAL")
            owner.fills()
            if state in ("quiet", "closed wal"):
                owner.closes()
            elif state != "live log":
                owner.dies()
            if state == "log only":
                (folder / "notes.db-shm").unlink()
            for file in folder.iterdir():
                file.chmod(0o444)
            folder.chmod(0o555)
        before = snapshot(*(path.parent for path in paths))
        done = subprocess.run(
            [sys.executable, "-c", UNPRIVILEGED, top / "temporary", *paths],
            env={"PYTHONPATH": str(REPOSITORY), "PATH": os.defpath, "PYTHONDONTWRITEBYTECODE": "1"},
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.stderr == ""
        assert done.stdout.split() == ["45"] * 5
        assert snapshot(*(path.parent for path in paths)) == before
    finally:
        for owner in owners:
            owner.closes()
        shutil.rmtree(top)


# --- any file at all ---


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return make(tmp_path_factory.mktemp("sample") / "notes.db", 200).read_bytes()


@settings(max_examples=60)
@given(data=st.data())
def test_a_damaged_file_is_an_answer_or_one_line(sample: bytes, data: st.DataObject) -> None:
    content = bytearray(sample[: data.draw(st.integers(0, len(sample)))])
    for _ in range(data.draw(st.integers(0, 8))):
        if content:
            content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "notes.db"
        path.write_bytes(content)
        if data.draw(st.booleans()):
            path.with_name("notes.db-wal").write_bytes(data.draw(st.binary(min_size=1, max_size=200)))
        before = snapshot(Path(folder))
        reason = ""
        try:
            read(path, lambda db: db.rows("SELECT id, text FROM notes"), soon())
        except ProviderError as error:
            reason = str(error)
        assert "\n" not in reason
        assert snapshot(Path(folder)) == before


def test_copies_that_a_killed_process_left_are_swept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    left = tmp_path / f"recall-copy-{ended.pid}-abc"
    mine = tmp_path / f"recall-copy-{os.getpid()}-abc"
    other = tmp_path / "somebody-elses"
    for folder in (left, mine, other):
        folder.mkdir()
        (folder / "copy.db").write_bytes(b"x")
    database = tmp_path / "a.db"
    database.write_bytes(b"x")
    with copied(str(database), "-wal", Deadline.after(30)):
        assert not left.exists()
        assert mine.exists()
        assert other.exists()
