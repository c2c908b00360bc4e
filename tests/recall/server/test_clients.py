"""The sessions of HTTP clients: how many are kept, and what a second request under one id comes to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import pytest

from recall.server import clients, http
from recall.testing.fakes import Notes, Slow
from support.serving import server_over
from support.web import Web, web

SLOW = {"query": "결제", "deadline": 60.0}


def talking(folder: Path, provider: Any, talk: Callable[[Web], Awaitable[None]], **limits: Any) -> None:
    """Hold a conversation with a server over one provider."""

    async def main() -> None:
        async with web(server_over(folder, [provider]), **limits) as found:
            await talk(found)

    anyio.run(main)


async def begun(hanging: Slow) -> None:
    assert await anyio.to_thread.run_sync(hanging.began.wait, 30)


# -- one request an id ----------------------------------------------------------------------------------------


def test_a_second_request_of_an_id_is_refused_at_once_and_the_first_is_answered(tmp_path: Path) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        one, other = await found.open(), await found.open()
        replies: list[Any] = []

        async def ask(session: str) -> None:
            replies.append(await found.call(session, "deep_recall", 9, **SLOW))

        async with anyio.create_task_group() as group:
            group.start_soon(ask, one)
            await begun(hanging)
            for again in (9, "9", " 9"):
                refused = await found.call(one, "deep_recall", again, query="결제")
                assert (refused.status, refused.message["id"]) == (400, again)
                assert refused.message["error"]["code"] == -32600
                assert "still being answered" in refused.message["error"]["message"]
            assert (await found.post(one, {"id": 10, "method": "ping"})).message["result"] == {}
            assert (await found.post(other, {"id": 9, "method": "ping"})).message["result"] == {}
            hanging.release.set()
        (first,) = replies
        assert first.message["id"] == 9
        assert first.message["result"]["structuredContent"]["memories"]
        assert (await found.post(one, {"id": 9, "method": "ping"})).message["result"] == {}

    talking(tmp_path, hanging, talk)


def test_an_id_is_taken_as_long_as_the_work_for_a_client_that_left_goes_on(tmp_path: Path) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        session = await found.open()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: found.call(session, "deep_recall", 9, **SLOW))
            await begun(hanging)
            group.cancel_scope.cancel()
        assert (await found.post(session, {"id": 9, "method": "ping"})).status == 400
        hanging.release.set()

    talking(tmp_path, hanging, talk)


@pytest.mark.parametrize("meant", ["9", "09", " 9", 9.0, None, 10, [9]])
def test_a_cancellation_of_another_id_ends_nothing(tmp_path: Path, meant: Any) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        session = await found.open()
        replies: list[Any] = []

        async def ask() -> None:
            replies.append(await found.call(session, "deep_recall", 9, **SLOW))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await begun(hanging)
            cancel = {"method": "notifications/cancelled", "params": {"requestId": meant}}
            assert (await found.post(session, cancel)).status == 202
            hanging.release.set()
        assert replies[0].message["result"]["structuredContent"]["memories"]

    talking(tmp_path, hanging, talk)


def test_a_cancellation_of_its_id_ends_a_request(tmp_path: Path) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        session = await found.open()
        replies: list[Any] = []

        async def ask() -> None:
            replies.append(await found.call(session, "deep_recall", "a9", **SLOW))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await begun(hanging)
            cancel = {"method": "notifications/cancelled", "params": {"requestId": "a9"}}
            assert (await found.post(session, cancel)).status == 202
        assert replies[0].message["error"]["code"] == -32800
        hanging.release.set()

    talking(tmp_path, hanging, talk)


# -- how many sessions ----------------------------------------------------------------------------------------


def test_the_session_that_was_used_least_recently_is_ended_when_there_are_too_many(tmp_path: Path) -> None:
    async def talk(found: Web) -> None:
        first, second = await found.open(), await found.open()
        assert await found.alive(first)
        third = await found.open()
        assert [await found.alive(one) for one in (second, first, third)] == [False, True, True]

    talking(tmp_path, Notes(), talk, most=2)


def test_clients_that_never_say_goodbye_leave_no_more_than_so_many_sessions(tmp_path: Path) -> None:
    async def main() -> None:
        server = server_over(tmp_path, [Notes()])
        async with web(server, most=5) as found:
            opened = [await found.open() for _ in range(30)]
            await anyio.wait_all_tasks_blocked()
            assert set(server.session_manager._server_instances) == set(opened[-5:])

    anyio.run(main)


def test_a_session_that_is_being_answered_is_not_ended(tmp_path: Path) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        busy = await found.open()
        replies: list[Any] = []

        async def ask() -> None:
            replies.append(await found.call(busy, "deep_recall", **SLOW))

        async with anyio.create_task_group() as group:
            group.start_soon(ask)
            await begun(hanging)
            second, third = await found.open(), await found.open()
            assert [await found.alive(one) for one in (second, third)] == [False, True]
            hanging.release.set()
        assert replies[0].message["result"]["structuredContent"]["memories"]

    talking(tmp_path, hanging, talk, most=2)


def test_a_new_session_is_not_ended_for_those_that_are_being_answered(tmp_path: Path) -> None:
    hanging = Slow("slow", {"a": "결제"})

    async def talk(found: Web) -> None:
        busy = await found.open()
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: found.call(busy, "deep_recall", **SLOW))
            await begun(hanging)
            assert await found.alive(await found.open())
            hanging.release.set()

    talking(tmp_path, hanging, talk, most=1)


def test_a_session_that_its_client_ended_makes_room(tmp_path: Path) -> None:
    async def talk(found: Web) -> None:
        first, second = await found.open(), await found.open()
        assert await found.end(second) == 200
        third = await found.open()
        assert [await found.alive(one) for one in (first, second, third)] == [True, False, True]

    talking(tmp_path, Notes(), talk, most=2)


@pytest.mark.parametrize("path", ["/", "/mcp/", "/none"])
def test_a_session_is_kept_in_mind_whatever_is_asked_for_elsewhere_in_its_name(
    tmp_path: Path, path: str
) -> None:
    async def talk(found: Web) -> None:
        first = await found.open()
        for method in ("POST", "DELETE", "GET"):
            assert (await found.elsewhere(first, method, path)) in (307, 404, 405)
        await found.open()
        assert not await found.alive(first)

    talking(tmp_path, Notes(), talk, most=1)


def test_a_refused_greeting_opens_no_session(tmp_path: Path) -> None:
    async def talk(found: Web) -> None:
        first = await found.open()
        for _ in range(3):
            assert (await found.post("", {"id": 1, "method": "ping"})).status == 400
        assert await found.alive(first)

    talking(tmp_path, Notes(), talk, most=1)


class _Ahead(asyncio.SelectorEventLoop):
    """An event loop whose clock can be put forward."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


def test_a_session_that_nobody_uses_is_forgotten(tmp_path: Path) -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, _Ahead)
        async with web(server_over(tmp_path, [Notes()])) as found:
            kept, idle = await found.open(), await found.open()
            loop.ahead += http.IDLE * 0.6
            assert await found.alive(kept)
            loop.ahead += http.IDLE * 0.6
            await anyio.wait_all_tasks_blocked()
            assert [await found.alive(one) for one in (kept, idle)] == [True, False]

    anyio.run(main, backend_options={"loop_factory": _Ahead})


def test_the_sessions_of_one_machine_fit() -> None:
    assert 100 <= clients.MOST <= 1_000
