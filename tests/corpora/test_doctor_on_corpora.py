"""Doctor over stores that the real programs wrote: every state told as it is, and not a byte changed.

The corpora lie beside the repository; where they do not, these tests are skipped. The same states are made by
hand, without them, in tests/plugins.
"""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from recall import project, settings, sources
from recall.api import Scope, State
from recall.engine import Engine
from recall.health import Checkup, examine
from recall.places import Places
from support.worlds import REPOSITORY, run_recall, snapshot

CORPORA = REPOSITORY / "../shared/corpora"
pytestmark = pytest.mark.skipif(
    not CORPORA.is_dir(), reason="the shared corpora are not beside the repository"
)


@dataclass
class World:
    """A home folder and a project made of copies, and recall's own folders outside of both."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def root(self) -> Path:
        return self.folder / "code" / "shop-api"

    @property
    def env(self) -> dict[str, str]:
        own = self.folder / "recall"
        return {"RECALL_CACHE_DIR": f"{own}/cache", "RECALL_STATE_DIR": f"{own}/state"}

    def copy(self, source: str, target: Path) -> Path:
        """A copy that may be written to, whatever the corpus allows."""
        shutil.copytree(CORPORA / source, target, copy_function=shutil.copyfile, dirs_exist_ok=True)
        for path, _folders, _files in os.walk(target):
            os.chmod(path, 0o755)
        return target

    def scope(self, root: Path | None = None, **changes: Any) -> Scope:
        env = {**self.env, **changes.pop("env", {})}
        return replace(project.find_scope(root or self.root, home=self.home, env=env), **changes)

    @contextmanager
    def engine(self, scope: Scope | None = None) -> Iterator[Engine]:
        scope = scope or self.scope()
        places = Places.find(scope.env, scope.home)
        configured = settings.load(places=places, root=scope.root, env=scope.env, flags={}, home=scope.home)
        engine = Engine(scope, sources.load(configured, places, scope), places)
        try:
            yield engine
        finally:
            engine.close()

    def doctor(self, name: str, scope: Scope | None = None) -> Checkup:
        """One provider's row; nothing of home and project may have changed when it is there."""
        before = snapshot(self.home, self.folder / "code")
        with self.engine(scope) as engine:
            (row,) = examine(engine, [name])
        assert snapshot(self.home, self.folder / "code") == before
        return row

    def recall(
        self, *arguments: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        return run_recall(arguments, home=self.home, cwd=cwd or self.root, env={**self.env, **(env or {})})


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.home.mkdir()
    made.root.mkdir(parents=True)
    return made


def is_all_read_back(row: Checkup) -> bool:
    """Whether the sample is as large as it can be, and came back to the last memory."""
    return row.asked == min(20, row.indexed) and row.came_back == row.asked


# -- claude-mem -----------------------------------------------------------------------------------------------

NOTHING = "no observations, summaries or prompts"
# folder, state, rows of all projects, those of shop-api, what reason or facts say
DATABASES: list[tuple[str, State, int | None, int | None, str]] = [
    ("empty-13.25.3", State.EMPTY, 0, 0, NOTHING),
    ("empty-13.25.3-live-wal", State.EMPTY, 0, 0, NOTHING),
    ("capture-only-13.25.3", State.EMPTY, 0, 0, "captures prompts, stores no observations"),
    ("populated-13.25.3", State.READY, 48, 16, "42 observations, 6 summaries, 12 prompts (not served)"),
    ("populated-13.25.3-live-wal", State.READY, 51, 20, "45 observations, 6 summaries"),
    ("populated-13.25.3-no-obs-fts", State.READY, 44, 15, "full-text index is missing"),
    ("old-v4.0.2-schema9", State.READY, 44, 15, "38 observations, 6 summaries"),
    ("old-v5.4.0-schema10", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v8.0.0-schema16", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v9.1.1-schema21", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v10.6.3-schema23", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("old-v13.4.0-schema32", State.READY, 44, 15, "38 observations, 6 summaries, 8 prompts"),
    ("odd/zero-byte", State.EMPTY, 0, 0, "never captured anything"),
    ("odd/no-data-dir-db", State.EMPTY, 0, None, "never captured anything"),
    ("odd/not-a-db", State.BROKEN, None, None, "not a SQLite database"),
    ("odd/truncated", State.BROKEN, None, None, "the database is damaged"),
    ("odd/fts-stale", State.READY, 49, 17, "full-text index holds 42 observations"),
]


def test_every_database_of_the_corpus_is_looked_at() -> None:
    top = CORPORA / "claude-mem"
    present = {path.name for path in top.iterdir() if path.is_dir() and path.name != "odd"}
    assert present | {f"odd/{path.name}" for path in (top / "odd").iterdir()} == {
        folder for folder, *_ in DATABASES
    }


@pytest.mark.parametrize(("folder", "state", "items", "in_scope", "said"), DATABASES)
def test_every_database_has_its_true_state_reason_and_counts(
    world: World, folder: str, state: State, items: int | None, in_scope: int | None, said: str
) -> None:
    world.copy(f"claude-mem/{folder}", world.home / ".claude-mem")
    row = world.doctor("claude-mem")
    assert (row.state, row.items, row.in_scope) == (state, items, in_scope)
    assert any(said in text for text in (row.reason, *row.facts))
    assert row.indexed == (in_scope or 0)
    assert is_all_read_back(row)
    assert row.needs_attention is (state is not State.READY)
    assert bool(row.next_step) is (state is not State.READY)


@pytest.mark.parametrize(
    ("folder", "rows"),
    [(folder, items) for folder, _state, items, *_ in DATABASES if items],
)
def test_every_row_of_every_project_is_read_and_comes_back(world: World, folder: str, rows: int) -> None:
    world.copy(f"claude-mem/{folder}", world.home / ".claude-mem")
    row = world.doctor("claude-mem", world.scope(all_projects=True))
    assert (row.state, row.indexed, row.asked, row.came_back) == (State.READY, rows, 20, 20)


@pytest.mark.parametrize(("folder", "state"), [(folder, state) for folder, state, *_ in DATABASES])
def test_a_question_tells_the_same_state_as_doctor(world: World, folder: str, state: State) -> None:
    world.copy(f"claude-mem/{folder}", world.home / ".claude-mem")
    with world.engine() as engine:
        answer = engine.recall("결제 재시도", providers=["claude-mem"], deadline=30)
    (outcome,) = answer.outcomes
    assert outcome.state is state
    assert bool(answer.hits) is (state is State.READY)
    assert answer.looked is (state is not State.BROKEN)
    assert bool(outcome.reason) is (state is not State.READY)


WRITER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("PRAGMA wal_autocheckpoint = 0")
for line in sys.stdin:
    if line.strip() == "stop":
        break
    connection.execute(line)
    print("done", flush=True)
"""
INSERT = (
    "INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at, created_at_epoch)"
    " SELECT memory_session_id, project, type, '{title}', '{title} 이야기', created_at, created_at_epoch"
    " FROM observations WHERE project = 'shop-api' LIMIT 1\n"
)


@contextmanager
def live_writer(database: Path) -> Iterator[Any]:
    """A process that has the database open and runs one statement a call."""
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, os.fspath(database)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None

        def run(statement: str) -> None:
            process.stdin.write(statement)  # type: ignore[union-attr]
            process.stdin.flush()  # type: ignore[union-attr]
            assert process.stdout.readline() == "done\n"  # type: ignore[union-attr]

        try:
            yield run
        finally:
            process.communicate("stop\n")


def test_a_database_with_a_live_writer_is_read_to_its_newest_row_and_left_alone(world: World) -> None:
    data = world.copy("claude-mem/populated-13.25.3-live-wal", world.home / ".claude-mem")
    with live_writer(data / "claude-mem.db") as run:
        run(INSERT.format(title="환불 웹훅 서명"))
        row = world.doctor("claude-mem")
        assert (row.state, row.items, row.in_scope, row.indexed) == (State.READY, 52, 21, 21)
        before = snapshot(world.home)
        found = json.loads(world.recall("query", "환불 웹훅 서명", "--json").stdout)
        doctor = json.loads(world.recall("doctor", "--json").stdout)
        assert snapshot(world.home) == before
        assert found["memories"][0]["title"] == "환불 웹훅 서명"
        assert {one["provider"]: one["state"] for one in doctor["providers"]}["claude-mem"] == "ready"
        run(INSERT.format(title="정산 마감 시각"))  # nobody stands in the writer's way
        assert world.doctor("claude-mem").items == 53
    with sqlite3.connect(data / "claude-mem.db") as connection:
        assert connection.execute("SELECT count(*) FROM observations").fetchone() == (47,)
    connection.close()


# -- Serena ---------------------------------------------------------------------------------------------------


@pytest.fixture
def serena(world: World) -> Path:
    """Serena's trees as the program left them, below the folder for code."""
    top = world.copy("serena", world.folder / "code" / "serena")
    for path in top.rglob("*"):
        if path.name == ".keep":
            path.unlink()
        elif path.suffix in (".yml", ".json"):
            text = path.read_text("utf-8").replace("__ROOT__", os.fspath(top / "serena-1.7.0"))
            path.write_text(text, "utf-8")
    return top


@pytest.mark.parametrize(
    ("name", "state", "items", "reason"),
    [
        ("serena-1.7.0/created_only", State.EMPTY, 0, "no memories folder"),
        ("serena-1.7.0/empty", State.EMPTY, 0, "the memories folder is there and empty"),
        ("serena-1.7.0/seeded_only", State.EMPTY, 0, "only memory_maintenance"),
        ("serena-1.7.0/rich", State.READY, 7, ""),
        ("serena-1.7.0/central_code", State.ABSENT, 0, "no Serena data folder for this project"),
        ("serena-0.1.4/flat", State.READY, 3, ""),
    ],
)
def test_every_state_of_serena_is_told_as_it_is(
    world: World, serena: Path, name: str, state: State, items: int, reason: str
) -> None:
    row = world.doctor("serena", world.scope(serena / name))
    assert (row.state, row.items, row.indexed) == (state, items, items)
    assert reason in row.reason
    assert is_all_read_back(row)
    assert bool(row.next_step) is (state is not State.READY)


def test_serenas_home_brings_its_memories_for_all_projects(world: World, serena: Path) -> None:
    env = {"SERENA_HOME": os.fspath(serena / "serena-1.7.0/home")}
    row = world.doctor("serena", world.scope(serena / "serena-1.7.0/rich", env=env))
    assert (row.state, row.items, row.asked, row.came_back) == (State.READY, 9, 9, 9)
    assert "7 memories of this project, 2 for all projects" in row.facts
    empty = world.doctor("serena", world.scope(serena / "serena-1.7.0/empty", env=env))
    assert (empty.state, empty.items) == (State.READY, 2)
    assert any("this project has none" in fact for fact in empty.facts)


def test_a_data_folder_outside_the_project_is_found(world: World, serena: Path) -> None:
    home = serena / "central-home"
    home.mkdir()
    shutil.copyfile(serena / "serena-1.7.0/home/serena_config.central.yml", home / "serena_config.yml")
    env = {"SERENA_HOME": os.fspath(home)}
    row = world.doctor("serena", world.scope(serena / "serena-1.7.0/central_code", env=env))
    assert (row.state, row.items, row.asked, row.came_back) == (State.READY, 1, 1, 1)


# -- Claude Code and Antigravity ------------------------------------------------------------------------------


@pytest.fixture
def agents(world: World) -> World:
    """The sample home and the sample repository."""
    world.copy("agents/home", world.home)
    world.copy("agents/repo", world.folder / "code" / "repo")
    return world


def of_project(world: World, path: str) -> Scope:
    """The scope of a project that is on another machine."""
    root = Path(path)
    return replace(world.scope(), cwd=root, root=root, main_root=root, names=(root.name,))


def test_the_projects_claude_memory_is_read_with_its_one_broken_file(agents: World) -> None:
    row = agents.doctor("markdown", of_project(agents, "/Users/dev/code/shop-api"))
    assert (row.state, row.indexed) == (State.DEGRADED, row.items)
    (where, reason) = row.problems[0]
    assert where.endswith("feedback_pass-means-merge.md")
    assert "not valid YAML" in reason
    assert len(row.problems) == 1
    assert row.asked > 5
    assert is_all_read_back(row)


def test_two_projects_that_share_one_folder_are_told(agents: World) -> None:
    row = agents.doctor("markdown", of_project(agents, "/Users/dev/code/정산"))
    assert any("shared by /Users/dev/code/정산, /Users/dev/code/회계" in fact for fact in row.facts)
    assert is_all_read_back(row)
    with agents.engine(of_project(agents, "/Users/dev/code/정산")) as engine:
        answer = engine.recall("정산 세금", providers=["markdown"], deadline=30)
    members = [member.row for hit in answer.hits for member in hit.ranked.members()]
    assert {row.project for row in members if row.uri.startswith("recall://markdown/claude/")} == {
        "정산",
        "회계",
    }


def test_every_project_of_the_machine_is_read_when_asked_for(agents: World) -> None:
    row = agents.doctor("markdown", agents.scope(all_projects=True))
    assert (row.state, row.items, row.indexed) == (State.DEGRADED, 15, 15)
    assert (row.asked, row.came_back) == (15, 15)
    assert any("dead links" in fact and "229" in fact for fact in row.facts)
    assert any("230 lines, of which a session loads 200" in fact for fact in row.facts)


def test_a_repository_of_unfilled_templates_and_sub_agents_is_told_apart(agents: World) -> None:
    row = agents.doctor("markdown", agents.scope(agents.folder / "code" / "repo"))
    assert (row.state, row.items, row.came_back) == (State.READY, 4, 4)
    assert any(fact.startswith("empty files or unfilled templates: 1") for fact in row.facts)
    assert any("other projects with memory of their own, outside this scope: 4" in fact for fact in row.facts)


def test_antigravitys_damaged_and_half_written_items_are_counted_and_the_rest_served(agents: World) -> None:
    row = agents.doctor("antigravity", agents.scope(agents.folder / "code" / "repo"))
    assert (row.state, row.items, row.indexed) == (State.DEGRADED, 9, 9)
    assert is_all_read_back(row)
    assert {where.removeprefix("antigravity/knowledge/"): reason for where, reason in row.problems} == {
        "api_manual/artifacts/02_mixed.md": "not valid UTF-8 at byte 47",
        "half_written/metadata.json": "not valid JSON at line 3; what it says is not used",
    }
    facts = " | ".join(row.facts)
    assert "unreadable (encrypted .pb): 1" in facts
    assert "brain documents of other projects, left out: 3" in facts
    assert "as loose_module.json" in facts


def test_antigravitys_brain_belongs_to_its_project(agents: World) -> None:
    row = agents.doctor("antigravity", agents.scope(all_projects=True))
    assert (row.items, row.indexed, row.came_back) == (12, 12, 12)


# -- all of them on one machine -------------------------------------------------------------------------------


@pytest.fixture
def machine(agents: World) -> World:
    """All four kinds of memory in one home and one project."""
    agents.copy("claude-mem/populated-13.25.3-live-wal", agents.home / ".claude-mem")
    agents.copy("serena/serena-1.7.0/rich", agents.root)
    return agents


def test_one_question_is_answered_from_every_source_and_no_file_changes(machine: World) -> None:
    before = snapshot(machine.home, machine.folder / "code")
    runs = [
        machine.recall("doctor", "--json"),
        machine.recall("query", "결제 재시도 정책", "--json", "--limit", "30", "--budget", "9000"),
        machine.recall("index", "--rebuild", "--all-projects", "--json"),
        machine.recall("query", "결제 재시도", "--cached"),
        machine.recall("providers"),
    ]
    assert snapshot(machine.home, machine.folder / "code") == before
    assert [done.returncode for done in runs] == [1, 0, 0, 0, 0]
    assert not [done.stderr for done in runs if done.stderr]
    doctor, answer = json.loads(runs[0].stdout), json.loads(runs[1].stdout)
    assert {row["provider"]: row["state"] for row in doctor["providers"]} == {
        "antigravity": "degraded",
        "basic-memory": "absent",
        "claude-mem": "ready",
        "codex": "absent",
        "decisions": "absent",
        "gemini": "absent",
        "git": "absent",
        "markdown": "ready",
        "serena": "ready",
        "state": "absent",
        "transcripts": "off",
    }
    for row in doctor["providers"]:
        if row["state"] in ("absent", "off"):
            continue  # the machine's project is a bare folder; chats are off by default
        assert row["read_back"]["came_back"] == row["read_back"]["asked"] > 0
    found = {row["provider"]: row["found"] for row in answer["outcomes"]}
    assert found["serena"] > 0
    assert found["claude-mem"] > 0
    assert found["antigravity"] > 0


OFF_TOPIC = [
    "김치찌개 맛있게 끓이는 법",
    "내일 서울에 비가 올까",
    "고양이가 밥을 안 먹을 때 어떻게 하나요",
    "피아노를 배우기 좋은 나이",
    "주말에 갈 만한 등산 코스",
    "축구 국가대표 감독 이름",
    "허리가 아플 때 하는 스트레칭",
    "제주도 여행 경비 얼마나 드나",
    "쀍뚫꿹 뛟휇 숋뷁",
    "아기 이유식 시작하는 개월 수",
    "how do I bake sourdough bread",
    "capital city of Mongolia",
    "who won the football world cup",
    "blorptang zizzle frobnak",
    "symptoms of vitamin D deficiency",
    "guitar chords for beginners",
    "what causes northern lights",
    "best hiking boots for winter",
    "asdf qwer zxcv",
    "how tall is Mount Everest",
]


def test_questions_about_nothing_remembered_find_nothing(machine: World) -> None:
    with machine.engine(machine.scope(all_projects=True)) as engine:
        engine.recall("결제", deadline=60)
        answered = [text for text in OFF_TOPIC if engine.recall(text, read=False).hits]
        assert engine.recall("결제 재시도 정책", read=False).hits
    assert len(answered) <= 2, answered


def states(rows: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {row["provider"]: row["state"] for row in rows}


def test_stores_that_break_one_after_another_never_hide_the_rest(machine: World) -> None:
    query = ("query", "결제 재시도 정책", "--json")
    assert json.loads(machine.recall(*query).stdout)["memories"]
    (machine.home / ".claude-mem" / "claude-mem.db").write_bytes(b"this is not a database" * 100)
    for suffix in ("-wal", "-shm"):
        (machine.home / ".claude-mem" / f"claude-mem.db{suffix}").unlink()
    shutil.rmtree(machine.home / ".gemini")
    os.mkfifo(machine.root / ".serena" / "memories" / "pipe.md")
    done = machine.recall(*query)
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert states(found["outcomes"]) == {
        "antigravity": "absent",
        "basic-memory": "absent",
        "claude-mem": "broken",
        "codex": "absent",
        "decisions": "absent",
        "gemini": "absent",
        "git": "absent",
        "markdown": "ready",
        "serena": "degraded",
        "state": "absent",
        "transcripts": "off",
    }
    assert all(row["reason"] for row in found["outcomes"] if row["state"] != "ready")
    shown = [memory for memory in found["memories"] if memory["source"] in ("antigravity", "claude-mem")]
    assert all(memory["vanished"] for memory in shown)
    assert "serena" in {memory["source"] for memory in found["memories"]}
