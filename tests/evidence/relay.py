"""A fourth history: a Java service with a Python tool and Terraform; memories whose words mislead.

Like `atlas.py` it was measured before anything was changed for it.
"""

from __future__ import annotations

from pathlib import Path

from evidence.labelled import CHANGED, CONTRADICTED, CURRENT, UNVERIFIABLE, Built, Labelled
from evidence.repository import Repository

RELAY = """package org.example.relay;

public class RelayService {
    static final int MAX_BATCH = 200;
    static final int LINGER_MS = 15;

    public void publishBatch(List<Event> events) {
        sender.sendAll(events);
    }

    void dropExpired(Instant now) {
        queue.removeIf(event -> event.isBefore(now));
    }

    void compactQueue() {
        queue.compact();
    }
}
"""
CONSUMER = """package org.example.relay;

public class DeadLetterConsumer {
    private int retryBudget = 4;

    void replayOnce(Event event) {
        service.publishBatch(List.of(event));
    }
}
"""
TOOL = """import argparse

CHUNK_ROWS = 1_000


def backfill_events(since, *, verbose=False):
    return since


def export_offsets(path):
    return path


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--skip-archived", action="store_true")
    parser.parse_args()
"""
FIRST = {
    "src/main/java/org/example/relay/RelayService.java": RELAY,
    "src/main/java/org/example/relay/DeadLetterConsumer.java": CONSUMER,
    "src/main/java/org/example/relay/OldFormat.java": (
        "class OldFormat {\n    Event parseLegacy(String raw) { return null; }\n}\n"
    ),
    "src/main/resources/application.yml": "server:\n  port: 8085\nrelay:\n  pool-size: 12\n  lease_seconds: 45\n",
    "tools/backfill.py": TOOL,
    "tools/requirements.txt": "psycopg==3.1.18\ntyper>=0.9,<0.10\n",
    "infra/main.tf": 'variable "node_count" { default = 3 }\nresource "queue" "events" { retention_hours = 72 }\n',
    "infra/proxy.conf": "listen 8443;\nupstream relay:8085;\n",
    "ui/package.json": '{"dependencies": {"svelte": "^4.2.0", "d3": "^7.8.0"}}\n',
    "docs/decisions/0001-batching.md": "# 1. Batching\n\nWe send in batches.\n",
    "docs/운영.md": "# 운영\n\n큐를 비우고 재시작한다.\n",
}
SERVICE = "src/main/java/org/example/relay/RelayService.java"


def build(top: Path) -> Built:
    """Write the history."""
    repo = Repository(top)
    first = repo.commit(0, FIRST, "Begin")
    repo.replace(
        10, {SERVICE: ("    void compactQueue() {\n        queue.compact();\n    }\n", "")}, "No compaction"
    )
    repo.replace(
        15,
        {
            SERVICE: ("publishBatch", "publishAll"),
            "src/main/java/org/example/relay/DeadLetterConsumer.java": ("publishBatch", "publishAll"),
        },
    )
    repo.replace(20, {SERVICE: ("MAX_BATCH = 200", "MAX_BATCH = 500")})
    repo.commit(25, {"src/main/java/org/example/relay/OldFormat.java": None}, "Drop the old format")
    repo.move(28, "tools/backfill.py", "tools/replay/backfill.py")
    repo.replace(
        30,
        {
            "src/main/resources/application.yml": ("port: 8085", "port: 8095"),
            "infra/proxy.conf": ("relay:8085", "relay:8095"),
        },
    )
    repo.replace(
        35,
        {
            "tools/requirements.txt": ("psycopg==3.1.18", "psycopg==3.2.1"),
            "ui/package.json": ("^4.2.0", "^5.0.0"),
        },
    )
    repo.commit(40, {"docs/decisions/0002-streams.md": "# 2. Streams\n\nEvents are streamed.\n"})
    repo.replace(
        41,
        {
            "docs/decisions/0001-batching.md": (
                "# 1. Batching\n",
                "# 1. Batching\n\nStatus: superseded by 0002-streams.md\n",
            )
        },
    )
    repo.replace(45, {"tools/replay/backfill.py": ("def export_offsets(path):\n    return path\n", "")})
    repo.replace(50, {"tools/replay/backfill.py": ('"--skip-archived"', '"--live-only"')})
    repo.replace(55, {"infra/main.tf": ("retention_hours = 72", "retention_hours = 96")})
    aside = repo.aside(56, {"tools/fast.py": "def fast_replay():\n    pass\n"}, first)
    repo.write({"tools/audit.py": "def audit_offsets():\n    return 0\n"})
    return Built(repo, first, aside)


def memories(built: Built) -> list[Labelled]:
    """The set."""
    aside = built.aside
    return [
        # true now, with words of the past about something else
        Labelled("`dropExpired` throws away events that were deleted upstream.", 5, CURRENT),
        Labelled("`RelayService` replaced three cron jobs.", 5, CURRENT),
        Labelled("만료된 이벤트는 `dropExpired`가 제거한다.", 5, CURRENT),
        Labelled("`replayOnce()` used to loop; since then one event a call.", 5, CURRENT),
        Labelled("LINGER_MS = 15 was chosen when we moved off Kafka.", 5, CURRENT),
        Labelled("`lease_seconds` is 45, the old lease was longer.", 5, CURRENT),
        Labelled("`audit_offsets()` is new and not committed.", 90, CURRENT),
        Labelled("The proxy listens on port 8443 in infra/proxy.conf.", 58, CURRENT),
        Labelled("이전에는 둘이었지만 지금은 `DeadLetterConsumer` 하나다.", 5, CURRENT),
        Labelled("`node_count` defaults to 3 after the last migration.", 5, CURRENT),
        Labelled("typer 0.9 parses the tool's flags.", 5, CURRENT),
        # told after the change
        Labelled("`compactQueue()` was removed; `dropExpired` is enough.", 11, CURRENT),
        Labelled("Renamed `publishBatch` to `publishAll`.", 16, CURRENT),
        Labelled("`publishBatch` 대신 `publishAll`을 부른다.", 16, CURRENT),
        Labelled("OldFormat.java와 `parseLegacy`를 삭제했다. 진입점은 `RelayService`다.", 26, CURRENT),
        Labelled("tools/backfill.py is now tools/replay/backfill.py", 29, CHANGED),
        Labelled("Raised `MAX_BATCH` from 200 to 500.", 21, CURRENT),
        Labelled("Upgraded psycopg from 3.1 to 3.2, nothing broke.", 36, CURRENT),
        Labelled("`retention_hours` went from 72 to 96.", 56, CURRENT),
        Labelled(
            "# 1. Batching\n\nStatus: superseded by [2](0002-streams.md)\n\nBatches are built in `RelayService`.",
            3,
            CURRENT,
        ),
        # stale, with words of the past about something else
        Labelled("`publishBatch` skips deleted events.", 5, CONTRADICTED),
        Labelled("`parseLegacy` reads legacy payloads.", 5, CONTRADICTED),
        Labelled("`compactQueue` runs after each migration.", 5, CONTRADICTED),
        Labelled("삭제된 이벤트는 `publishBatch`가 건너뛴다.", 5, CONTRADICTED),
        Labelled("배치는 직접 전송 대신 `publishBatch`로 보낸다.", 5, CONTRADICTED),
        Labelled("과거 데이터는 `export_offsets`로 내보낸다.", 5, CONTRADICTED),
        Labelled("Pass `--skip-archived` to leave out retired topics.", 5, CONTRADICTED),
        Labelled("`MAX_BATCH` is 200, agreed after the outage.", 5, CONTRADICTED),
        Labelled("The relay opens port 8085 (src/main/resources/application.yml).", 5, CONTRADICTED),
        Labelled("릴레이 포트는 8085다.", 5, CONTRADICTED),
        Labelled("psycopg 3.1 is pinned.", 5, CONTRADICTED),
        Labelled("Svelte 4 stores everywhere.", 5, CONTRADICTED),
        Labelled("Backfills start in `tools/backfill.py`.", 5, CONTRADICTED),
        Labelled("`retention_hours = 72` in infra/main.tf", 5, CONTRADICTED),
        # changed
        Labelled("`RelayService` is in RelayService.java; legacy callers too.", 5, CHANGED),
        Labelled("application.yml has the pool size, `pool-size`.", 5, CHANGED),
        Labelled("docs/decisions/0001-batching.md says how we send.", 5, CHANGED),
        # cannot be told
        Labelled("`publishBatch` no longer blocks.", 5, UNVERIFIABLE),
        Labelled("`export_offsets`는 더 이상 느리지 않다.", 5, UNVERIFIABLE),
        Labelled("`MAX_BATCH` is 50.", 58, UNVERIFIABLE),
        Labelled("`LINGER_MS`는 20이다.", 5, UNVERIFIABLE),
        Labelled("The proxy listens on port 9443 in infra/proxy.conf.", 31, UNVERIFIABLE),
        Labelled("d3 6.1 draws the charts of `RelayService`.", 5, UNVERIFIABLE),
        Labelled("`replayOnce()` should replace `compactQueue()` one day.", 30, UNVERIFIABLE),
        Labelled(f"`fast_replay` was tried in commit {aside[:10]}.", 57, UNVERIFIABLE),
        Labelled("Removed feature requests are archived yearly.", 5, UNVERIFIABLE),
        Labelled("이전 담당자는 더 이상 없다.", 5, UNVERIFIABLE),
        Labelled("Latency is 30 ms, it was 45 ms before.", 5, UNVERIFIABLE),
    ]
