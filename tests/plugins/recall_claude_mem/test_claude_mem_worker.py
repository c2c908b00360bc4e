"""claude-mem's worker: found by its rules, verified, asked in time, and never in the way of the file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from recall.answer import Answer, Outcome
from recall.api import Deadline, Health, Memory, Problem, Query, Scope, State
from recall.engine import Engine
from recall.errors import StoreBusy
from recall_claude_mem.asked import AskedClaudeMem
from recall_claude_mem.doors import find_doors
from recall_claude_mem.place import find_place
from recall_claude_mem.provider import ClaudeMemOptions, ClaudeMemProvider
from support.claude_mem_worker import FakeWorker, dripping, dying, running, silent
from support.looking import soon, write
from support.web_server import Behaviour, reply, serving
from support.worlds import make_engine, snapshot

if TYPE_CHECKING:
    from conftest import World

NOW = 1_780_000_000.0  # epoch seconds
FILES_OWN = "Webhook retries are capped at three."


def row(number: int, text: str, project: str = "shop-api", **values: Any) -> dict[str, Any]:
    return {"id": number, "project": project, "title": None, "narrative": text, "facts": "[]", **values}


@pytest.fixture
def worker(world: World) -> Iterator[FakeWorker]:
    """A worker of the world's database, which holds one row that the file has too, and one that it has not."""
    world.choose(mode="worker")
    world.store().observation("Webhook", narrative=FILES_OWN)
    made = FakeWorker(world.database, [row(1, FILES_OWN), row(7, "The webhook secret rotates weekly.")])
    with running(made):
        note_down(world, made.port)
        yield made


def note_down(world: World, port: int) -> None:
    """The file that a worker writes at its start."""
    write(world.data / "worker.pid", json.dumps({"pid": 1, "port": port, "startToken": "1"}))


def asked(
    world: World, *terms: str, provider: Any = None, seconds: float = 30.0, limit: int = 50
) -> list[Memory | Problem]:
    query = Query(" ".join(terms), terms, limit)
    return list((provider or world.provider).search(query, world.scope, Deadline.after(seconds)))


def ids(found: list[Memory | Problem]) -> list[str]:
    return [item.id for item in found if isinstance(item, Memory)]


def problem(found: list[Memory | Problem]) -> Problem:
    (one,) = [item for item in found if isinstance(item, Problem)]
    return one


# -- where it may listen ------------------------------------------------------------------------------------------


def ports(scope: Scope, user: int | None = 5) -> list[tuple[int, str]]:
    doors = find_doors(find_place(scope, ""), scope, user)
    return [(door.port, door.because) for door in doors.found]


def test_what_it_wrote_down_comes_before_environment_settings_and_defaults(world: World) -> None:
    defaults = [(37705, "by default"), (37777, "as before 12.4")]
    assert ports(world.scope) == defaults
    write(world.data / "settings.json", '\ufeff{"env": {"CLAUDE_MEM_WORKER_PORT": "4001"}}')
    assert ports(world.scope) == [(4001, "settings.json"), *defaults]
    world.change(env={"CLAUDE_MEM_WORKER_PORT": "4002"})
    assert ports(world.scope)[:2] == [(4002, "CLAUDE_MEM_WORKER_PORT"), (4001, "settings.json")]
    note_down(world, 4003)
    assert ports(world.scope)[:2] == [(4003, "worker.pid"), (4002, "CLAUDE_MEM_WORKER_PORT")]


def test_without_users_numbers_there_is_one_default(world: World) -> None:
    assert ports(world.scope, None) == [(37777, "by default")]


@pytest.mark.parametrize(
    "noted", ["", "{", "[]", '{"port": "x"}', '{"port": 0}', '{"port": 70000}', '{"port": true}']
)
def test_a_note_that_names_no_port_is_passed_over(world: World, noted: str) -> None:
    write(world.data / "worker.pid", noted)
    assert ports(world.scope)[0] == (37705, "by default")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", "http://127.0.0.1:37705"),
        ("0.0.0.0", "http://127.0.0.1:37705"),
        ("::", "http://[::1]:37705"),
        ("localhost", "http://localhost:37705"),
    ],
)
def test_it_is_reached_on_this_machine(world: World, host: str, url: str) -> None:
    world.change(env={"CLAUDE_MEM_WORKER_HOST": host})
    assert find_doors(find_place(world.scope, ""), world.scope, 5).found[0].url == url


def test_a_worker_on_another_machine_is_not_asked(world: World, worker: FakeWorker) -> None:
    world.change(env={"CLAUDE_MEM_WORKER_HOST": "build.example.com"})
    found = problem(asked(world, "webhook"))
    assert "another machine (build.example.com)" in found.reason
    assert not worker.asked


# -- who it is ----------------------------------------------------------------------------------------------------


def test_files_are_the_default_and_ask_nobody(world: World, worker: FakeWorker) -> None:
    world.choose(mode="files")
    assert type(world.provider) is ClaudeMemProvider
    assert not hasattr(world.provider, "search")
    world.health()
    assert not worker.asked


def test_a_mode_that_is_none_is_told() -> None:
    with pytest.raises(ValueError, match='mode: it is "files" or "worker"'):
        ClaudeMemOptions(mode="mcp")


def test_rows_of_a_worker_of_this_database_are_candidates(world: World, worker: FakeWorker) -> None:
    found = asked(world, "webhook")
    assert ids(found) == ["observation/1", "observation/7"]
    assert isinstance(world.provider, AskedClaudeMem)


def test_the_same_database_by_another_name_is_this_one(
    world: World, worker: FakeWorker, tmp_path: Path
) -> None:
    (tmp_path / "linked").symlink_to(world.data)
    worker.database = tmp_path / "linked" / "claude-mem.db"
    assert ids(asked(world, "webhook"))


def test_a_worker_of_another_database_is_not_asked_for_memories(world: World, worker: FakeWorker) -> None:
    worker.database = Path("/home/neighbour/.claude-mem/claude-mem.db")
    found = problem(asked(world, "webhook"))
    assert "is another's: of" in found.reason
    assert "neighbour" in found.reason
    assert not found.harmless
    assert not worker.searched


def test_another_workers_port_does_not_hide_the_own_one(world: World, worker: FakeWorker) -> None:
    with running(FakeWorker(Path("/elsewhere/claude-mem.db"))) as neighbour:
        note_down(world, neighbour.port)
        world.change(env={"CLAUDE_MEM_WORKER_PORT": str(worker.port)})
        assert "observation/7" in ids(asked(world, "webhook"))


@pytest.mark.parametrize(
    "page",
    [reply("<html>It works!</html>"), reply('{"status": "ok"}'), reply("[]"), reply("no", "404 Not Found")],
    ids=["a page", "health of another", "a list", "nothing"],
)
def test_another_program_at_the_port_is_told_and_not_asked_further(
    world: World, worker: FakeWorker, page: Behaviour
) -> None:
    with serving(page) as other:
        note_down(world, other.port)
        found = problem(asked(world, "webhook"))
        assert f"another program answers at port {other.port} (worker.pid)" in found.reason
        assert len(other.requests) == 1


def test_health_that_is_well_before_the_database_is_open_is_not_believed(
    world: World, worker: FakeWorker
) -> None:
    worker.faults["/api/readiness"] = reply('{"status": "initializing"}', "503 Service Unavailable")
    found = problem(asked(world, "webhook"))
    assert f"the worker at port {worker.port} is not ready" in found.reason
    assert worker.asked == ["/api/readiness"]


def test_nobody_at_any_port_is_a_note_and_no_fault(world: World) -> None:
    with serving(reply("")) as gone:
        pass
    world.choose(mode="worker")
    world.store().observation("Webhook", narrative=FILES_OWN)
    note_down(world, gone.port)
    found = problem(asked(world, "webhook"))
    if "nobody listens" not in found.reason:  # somebody's real worker runs at a default port of this machine
        pytest.skip(found.reason)
    assert found.harmless
    assert f"{gone.port} (worker.pid)" in found.reason


# -- what is asked ------------------------------------------------------------------------------------------------


def test_key_terms_are_asked_one_by_one_since_several_are_taken_for_a_phrase(
    world: World, worker: FakeWorker
) -> None:
    asked(world, "secret", "결제", "webhook")
    assert [search["query"] for search in worker.searched] == ["secret", "결제", "webhook"]
    assert {(search["format"], search["project"]) for search in worker.searched} == {("json", "shop-api")}
    assert not any("dateStart" in search for search in worker.searched)


def test_a_search_by_meaning_gets_all_terms_at_once_and_no_window_of_days(
    world: World, worker: FakeWorker
) -> None:
    worker.vectors = "healthy"
    asked(world, "secret", "rotation")
    (search,) = worker.searched
    assert search["query"] == "secret rotation"
    assert search["dateStart"] == "2000-01-01"


def test_words_beyond_the_first_are_counted(world: World, worker: FakeWorker) -> None:
    found = problem(asked(world, *(f"word{number}" for number in range(11))))
    assert (found.reason, found.harmless) == ("it was not asked for 3 further words", True)
    assert len(worker.searched) == 8


def test_only_rows_of_this_project_and_no_prompts_are_taken(world: World, worker: FakeWorker) -> None:
    worker.observations = [
        row(1, "webhook one", "shop-api/feature"),
        row(2, "webhook two", "other"),
        row(3, "webhook three", "observer-sessions"),
        row(4, "You are a Claude-Mem observer of a webhook"),
    ]
    worker.sessions = [row(5, "", request="webhook summary")]
    worker.prompts = [row(6, "", prompt_text="webhook prompt")]
    assert set(ids(asked(world, "webhook"))) == {"observation/1", "summary/5"}
    world.choose(prompts=True)
    assert set(ids(asked(world, "webhook"))) == {"observation/1", "summary/5", "prompt/6"}
    world.change(all_projects=True)
    assert ids(asked(world, "webhook")) == ["observation/1", "observation/2", "summary/5", "prompt/6"]
    assert "project" not in worker.searched[-1]


def test_a_project_of_many_worktrees_is_asked_for_at_once(world: World, worker: FakeWorker) -> None:
    worker.observations = [row(number, "webhook", f"shop-api/{number}") for number in range(9)]
    worker.observations.append(row(90, "webhook", "other"))
    assert len(ids(asked(world, "webhook"))) == 9
    assert len(worker.searched) == 1


def test_no_more_than_the_limit_is_given_each_row_once(world: World, worker: FakeWorker) -> None:
    worker.observations = [row(number, "webhook secret") for number in range(9)]
    assert ids(asked(world, "webhook", "secret", limit=4)) == [f"observation/{number}" for number in range(4)]


@pytest.mark.parametrize(
    "odd",
    [
        "nothing",
        {"id": "7"},
        {"id": True},
        {"project": "shop-api"},
        {"id": 8, "project": "shop-api", "facts": ["a webhook"]},
    ],
)
def test_rows_of_another_shape_are_passed_over_or_read(world: World, worker: FakeWorker, odd: Any) -> None:
    answer = json.dumps({"observations": [odd, row(7, "webhook")], "sessions": None})
    worker.faults["/api/search"] = reply(answer)
    assert "observation/7" in ids(asked(world, "webhook"))


def test_it_is_only_asked_what_reads_and_nothing_below_v1(world: World, worker: FakeWorker) -> None:
    asked(world, "webhook")
    world.health()
    world.provider.try_out(Query("webhook", ("webhook",)), world.scope, soon())
    assert {request.split(" ")[0] for request in worker.served.requests} == {"GET"}
    paths = {path.partition("?")[0] for path in worker.asked}
    assert paths == {
        "/api/readiness",
        "/api/stats",
        "/api/chroma/status",
        "/api/projects",
        "/api/search",
        "/api/processing-status",
        "/api/settings/dependency-health",
    }
    assert not any("origin:" in request.lower() for request in worker.served.requests)


# -- whatever it does, the file answers ---------------------------------------------------------------------------


@pytest.fixture
def engine(world: World, tmp_path: Path) -> Iterator[Engine]:
    world.choose(mode="worker")
    made = make_engine(tmp_path / "engine", [world.provider], scope=world.scope)
    yield made
    made.close()


def recall(engine: Engine, question: str, seconds: float = 30.0) -> tuple[Answer, Outcome]:
    answer = engine.recall(question, deadline=seconds)
    (outcome,) = answer.outcomes
    return answer, outcome


def uris(answer: Answer) -> set[str]:
    return {member.row.uri for hit in answer.hits for member in hit.ranked.members()}


def test_what_both_have_is_one_memory_and_what_only_the_worker_has_stands_beside_it(
    engine: Engine, worker: FakeWorker
) -> None:
    for _ in range(2):
        answer, outcome = recall(engine, "webhook")
        assert uris(answer) == {"recall://claude-mem/observation/1", "recall://claude-mem/observation/7"}
        assert (outcome.state, outcome.memories) == (State.READY, 2)


@pytest.mark.parametrize("path", ["/api/readiness", "/api/stats", "/api/projects", "/api/search"])
@pytest.mark.parametrize("fault", [silent, dripping, dying], ids=["silent", "dripping", "dying"])
def test_the_files_answer_is_there_in_time_whatever_the_worker_does(
    engine: Engine, worker: FakeWorker, path: str, fault: Behaviour
) -> None:
    worker.faults[path] = fault
    answer, outcome = recall(engine, "webhook", seconds=1.5)
    assert uris(answer) == {"recall://claude-mem/observation/1"}
    assert answer.seconds < 1.5
    assert outcome.state is State.DEGRADED
    assert "worker" in outcome.reason
    assert not outcome.late


def test_a_worker_that_dies_in_the_middle_leaves_what_it_gave(engine: Engine, worker: FakeWorker) -> None:
    def once(connection: Any, request: str) -> None:
        del worker.faults["/api/search"]
        worker.behave(connection, request)
        worker.faults["/api/search"] = dying

    worker.faults["/api/search"] = once
    answer, outcome = recall(engine, "webhook rotates")
    assert "recall://claude-mem/observation/7" in uris(answer)
    assert "1 of its answers came before" in outcome.reason


def test_a_port_that_says_nothing_does_not_hide_the_worker_at_the_next(
    world: World, worker: FakeWorker
) -> None:
    with serving(silent) as ghost:
        note_down(world, ghost.port)
        world.change(env={"CLAUDE_MEM_WORKER_PORT": str(worker.port)})
        assert "observation/7" in ids(asked(world, "webhook", seconds=2.0))


def test_a_database_that_is_busy_does_not_keep_the_worker_from_answering(
    engine: Engine, worker: FakeWorker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(*_: object) -> None:
        raise StoreBusy("locked by another process")

    monkeypatch.setattr("recall_claude_mem.provider._list", locked)
    answer, outcome = recall(engine, "webhook")
    assert outcome.state is State.BUSY
    assert "recall://claude-mem/observation/7" in uris(answer)


def test_asking_changes_nothing_in_the_store(world: World, worker: FakeWorker) -> None:
    before = snapshot(world.scope.home)
    asked(world, "webhook")
    world.health()
    assert snapshot(world.scope.home) == before


# -- doctor, and trying it out ------------------------------------------------------------------------------------


def told(health: Health) -> str:
    return "\n".join(health.facts)


def test_doctor_tells_of_the_worker_its_search_its_queue_and_what_it_lacks(
    world: World, worker: FakeWorker
) -> None:
    health = world.health()
    assert health.state is State.READY
    assert f"worker 13.25.3 at port {worker.port} (worker.pid): ready" in health.facts
    assert "its search by meaning: disabled" in health.facts
    assert "its queue: 3 waiting, 1 sessions parked" in health.facts
    assert "it lacks claude_cli: Claude executable not found." in health.facts


def test_what_a_worker_tells_doctor_is_bounded_and_counted(world: World, worker: FakeWorker) -> None:
    long = "x" * 100_000
    worker.vectors = long
    lacking = [{"dependency": f"{number}{long}", "message": long} for number in range(25)]
    worker.faults["/api/settings/dependency-health"] = reply(json.dumps({"statuses": lacking}))
    worker.faults["/api/processing-status"] = reply(json.dumps({"queueDepth": long}))
    stats = {"worker": {"version": long}, "database": {"path": str(world.database)}}
    worker.faults["/api/stats"] = reply(json.dumps(stats))
    health = world.health()
    assert "it lacks 15 more" in health.facts
    assert len(told(health)) < 5_000
    worker.faults["/api/stats"] = reply(json.dumps({**stats, "database": {"path": f"/{long}"}}))
    assert len(world.health().reason) < 500


def test_doctor_says_degraded_of_a_worker_that_cannot_be_asked(world: World, worker: FakeWorker) -> None:
    worker.faults["/api/readiness"] = reply("{}", "503 Service Unavailable")
    health = world.health()
    assert health.state is State.DEGRADED
    assert "is not ready" in health.reason
    assert "logs" in health.next_step
    assert health.items == 1


def observer(world: World, **values: Any) -> Health:
    write(world.data / "observer-health.json", json.dumps({"lastSuccessAt": None, **values}))
    provider = ClaudeMemProvider(world.options, now=lambda: NOW)
    return provider.health(world.scope, soon())


def test_doctor_tells_when_the_observer_stored_something_last(world: World) -> None:
    world.store().observation()
    health = observer(world, lastSuccessAt=(NOW - 7200) * 1000, consecutiveFailures=0, quotaCooldown=None)
    assert "observer: last stored something 2026-05-28 18:26 UTC" in health.facts
    assert "in a row" not in told(health)


def test_doctor_tells_of_failures_in_a_row_and_of_a_used_up_quota(world: World) -> None:
    world.store().observation()
    health = observer(
        world,
        consecutiveFailures=4,
        failingSinceAt=(NOW - 3 * 86_400) * 1000,
        lastErrorAt=(NOW - 60) * 1000,
        lastErrorMessage="401 login\nexpired",
        lastErrorProvider="claude",
        quotaCooldown={"active": True, "provider": "claude", "until": (NOW + 3600) * 1000, "window": "5h"},
    )
    since = "2026-05-25 20:26 UTC"
    assert (
        f"observer: failures of claude in a row since {since}: 4, the last: 401 login expired" in health.facts
    )
    (quota,) = [fact for fact in health.facts if fact.startswith("quota:")]
    assert quota.startswith("quota: claude is used up, 5h; nothing is stored until 2026-")


def test_failures_before_a_success_and_a_quota_that_is_over_are_not_told(world: World) -> None:
    world.store().observation()
    health = observer(
        world,
        lastSuccessAt=NOW * 1000,
        lastErrorAt=(NOW - 60) * 1000,
        consecutiveFailures=4,
        quotaCooldown={"active": True, "until": (NOW - 1) * 1000},
    )
    assert "in a row" not in told(health)
    assert "quota" not in told(health)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"quotaCooldown": 3, "consecutiveFailures": "x"}'])
def test_a_file_of_the_observer_that_says_nothing_is_passed_over(world: World, text: str) -> None:
    world.store().observation()
    write(world.data / "observer-health.json", text)
    assert world.health().state is State.READY
    assert "observer:" not in told(world.health())


def test_trying_it_out_shows_what_was_asked_answered_and_understood(world: World, worker: FakeWorker) -> None:
    tried = world.provider.try_out(Query("webhook", ("webhook",)), world.scope, soon())
    assert tried.sent.startswith(f"GET http://127.0.0.1:{worker.port}/api/search?query=webhook")
    assert "rotates weekly" in tried.raw
    assert ids(list(tried.understood)) == ["observation/1", "observation/7"]
