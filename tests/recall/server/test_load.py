"""A thousand calls in a row and fifty at a time: no error, and nothing that grows."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import pytest
from mcp.client import Client

from recall.server import app
from recall.settings import ServerSettings
from recall.testing.fakes import Notes, Slow
from support.serving import sessions_over, with_client

pytestmark = pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="counts what /proc tells")

RETRY = "실패한 결제는 세 번까지 재시도한다"
QUESTIONS = ("결제 재시도", "정산 배치", "왜 캐시를 비우나", "webhook timeout", "롤백 절차")


class Held(NamedTuple):
    """What the process holds."""

    threads: int
    handles: int
    pages: int  # of memory


def held() -> Held:
    with open("/proc/self/statm", encoding="ascii") as file:
        pages = int(file.read().split()[1])
    return Held(threading.active_count(), len(os.listdir("/proc/self/fd")), pages)


def grown(before: Held, after: Held) -> list[str]:
    """Which of the figures grew by more than a tenth."""
    pairs = zip(Held._fields, before, after, strict=True)
    return [f"{name}: {first} -> {last}" for name, first, last in pairs if last > first * 1.1 + 1]


async def ask(client: Client, number: int) -> None:
    question = QUESTIONS[number % len(QUESTIONS)]
    result = await client.call_tool("deep_recall", {"query": question, "deadline": 30})
    assert not result.is_error


async def at_once(client: Client, count: int) -> None:
    async with anyio.create_task_group() as group:
        for number in range(count):
            group.start_soon(ask, client, number)


def test_calls_in_a_row_and_at_once_cost_no_thread_no_handle_and_no_memory(tmp_path: Path) -> None:
    notes = {f"note{number}": f"{RETRY} {number}" for number in range(20)}
    sessions = sessions_over(tmp_path, [Notes("one", notes), Notes("two", notes)])

    async def talk(client: Client) -> tuple[Held, Held]:
        await at_once(client, 50)
        for number in range(100):
            await ask(client, number)
        before = held()
        for number in range(1_000):
            await ask(client, number)
        for _ in range(5):
            await at_once(client, 50)
        return before, held()

    before, after = with_client(app.build(sessions, ServerSettings()), talk)
    assert grown(before, after) == []


def test_a_provider_that_hangs_holds_one_thread_however_often_it_is_asked(tmp_path: Path) -> None:
    hanging = Slow("stuck", {"a": "결제"})
    sessions = sessions_over(tmp_path, [Notes("one", {"a": RETRY}), hanging])

    async def talk(client: Client) -> tuple[Held, Held, Any]:
        await client.call_tool("deep_recall", {"query": "결제", "deadline": 0.2})
        await at_once(client, 50)
        before = held()
        for _ in range(3):
            await at_once(client, 50)
        return before, held(), await client.call_tool("deep_recall", {"query": "결제"})

    before, after, last = with_client(app.build(sessions, ServerSettings()), talk)
    assert grown(before, after) == []
    assert last.structured_content["memories"][0]["source"] == "one"
    assert [thread.name for thread in threading.enumerate()].count("recall-stuck") == 1
    hanging.release.set()
