"""The sample: one project, four kinds of memory, one of them installed but empty.

It tells a short story. Serena's note is right. Antigravity's knowledge item is older and disagrees about the
number of attempts. Claude Code's memory repeats Serena's rule. claude-mem is installed and captures prompts, but
has stored nothing that could be recalled.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

QUESTION = "결제 재시도 정책"
_DAY = 86_400.0

_SERENA = {
    "core.md": """# shop-api

온라인 상점의 백엔드. FastAPI, PostgreSQL 16, Redis. 진입점은 `app/main.py`이다.

- 결제: `app/payments/`
- 정산 배치: `app/settlement/`
- 규칙과 예외는 `mem:payments/retry_policy`에 있다.
""",
    "payments/retry_policy.md": """# 결제 재시도 정책

실패한 결제는 최대 3번까지 재시도한다. 간격은 1초, 4초, 16초이다.

- 구현: `app/payments/retry.py`의 `RetryWorker`
- 멱등 키는 주문번호와 시도 횟수로 만든다.
- 카드사가 거절한 결제(`card_declined`)는 재시도하지 않는다.
""",
    "배포/롤백_절차.md": """# 롤백 절차

1. `make rollback TAG=<이전 태그>`를 실행한다.
2. 데이터베이스 스키마는 되돌리지 않는다.
3. 결제 워커를 마지막에 다시 시작한다.
""",
}
_CLAUDE = {
    "MEMORY.md": """# Memory

- [결제 재시도](project_payment-retry.md) — 재시도 횟수를 바꾸기 전에 연다
- [테스트 규칙](feedback_run-tests.md) — 커밋하기 전에 연다
""",
    "project_payment-retry.md": """---
name: 결제 재시도
description: 네 번째 재시도는 이중 결제 때문에 없앴다
metadata:
  node_type: memory
  type: project
---

네 번째 재시도가 주문 41건을 이중 결제했다. 그 뒤로 `RetryWorker`는 세 번에서 멈춘다.

**Why:** 멱등 키에 시도 횟수가 들어 있어서 같은 주문이 다른 요청으로 보였다.
**How to apply:** 횟수를 늘리자는 제안이 나오면 이 기록을 먼저 보여 준다.
""",
    "feedback_run-tests.md": """---
name: run-tests
description: run the payment tests before every commit
metadata:
  node_type: memory
  type: feedback
---

Run `pytest tests/payments` before every commit; the suite takes 40 seconds.
""",
}
_KNOWLEDGE = {
    "payment_retry/metadata.json": json.dumps(
        {
            "title": "결제 재시도 정책",
            "summary": "실패한 결제를 다시 시도하는 횟수와 간격",
            "references": [{"type": "file", "value": "app/payments/retry.py"}],
        },
        ensure_ascii=False,
        indent=4,
    ),
    "payment_retry/artifacts/overview.md": """# 결제 재시도 정책

실패한 결제는 최대 4번까지 재시도한다. 간격은 1초, 4초, 16초, 64초이다.

- 구현: `app/payments/retry.py`의 `RetryWorker`
- 멱등 키는 주문번호와 시도 횟수로 만든다.
""",
    "settlement_batch/metadata.json": json.dumps(
        {
            "title": "정산 배치 운영",
            "summary": "매일 02:00 정산 배치의 실행 순서와 휴일 처리",
            "references": [],
        },
        ensure_ascii=False,
        indent=4,
    ),
    "settlement_batch/artifacts/overview.md": """# 정산 배치 운영

배치는 02:00에 시작한다. 휴일 정산은 다음 영업일로 넘긴다.
""",
}


@dataclass(frozen=True, slots=True)
class Sample:
    """Where the sample was built."""

    home: Path
    project: Path


def build(folder: Path, now: float) -> Sample:
    """Write the sample below an empty folder, with dates counted back from `now` (epoch seconds)."""
    home, project = Path(os.path.realpath(folder)) / "home", Path(os.path.realpath(folder)) / "shop-api"
    home.mkdir()
    project.mkdir()
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.fspath(project))
    (project / ".serena").mkdir()
    (project / ".serena" / "project.yml").write_text('project_name: "shop-api"\n', encoding="utf-8")
    _write(project / ".serena" / "memories", _SERENA, now - 6 * _DAY)
    _write(home / ".claude" / "projects" / slug / "memory", _CLAUDE, now - 20 * _DAY)
    _write(home / ".gemini" / "antigravity" / "knowledge", _knowledge(now), now - 190 * _DAY)
    _empty_claude_mem(home / ".claude-mem", now)
    return Sample(home, project)


def _knowledge(now: float) -> dict[str, str]:
    when = {
        "created": _iso(now - 230 * _DAY),
        "modified": _iso(now - 190 * _DAY),
        "accessed": _iso(now - 3 * _DAY),
    }
    stamps = {f"{item}/timestamps.json": json.dumps(when) for item in ("payment_retry", "settlement_batch")}
    return {**_KNOWLEDGE, **stamps}


def _write(folder: Path, files: dict[str, str], modified: float) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        os.utime(path, (modified, modified))


def _empty_claude_mem(folder: Path, now: float) -> None:
    """A database as claude-mem leaves it when its observer never ran: prompts, and not one observation."""
    folder.mkdir(parents=True)
    connection = sqlite3.connect(folder / "claude-mem.db")
    try:
        connection.executescript(
            """
            CREATE TABLE observations (
                id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, type TEXT, title TEXT,
                subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
                prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER
            );
            CREATE TABLE session_summaries (
                id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, request TEXT, investigated TEXT,
                learned TEXT, completed TEXT, next_steps TEXT, notes TEXT, created_at TEXT, created_at_epoch INTEGER
            );
            CREATE TABLE user_prompts (
                id INTEGER PRIMARY KEY, content_session_id TEXT, prompt_number INTEGER, prompt_text TEXT,
                created_at TEXT, created_at_epoch INTEGER
            );
            """
        )
        prompts = ["결제 재시도 횟수를 확인해 줘", "정산 배치가 왜 늦게 시작했지?", "run the payment tests"]
        connection.executemany(
            "INSERT INTO user_prompts VALUES (NULL, 'session-1', ?, ?, ?, ?)",
            [(number, text, _iso(now), int(now * 1000)) for number, text in enumerate(prompts, 1)],
        )
        connection.commit()
    finally:
        connection.close()


def _iso(epoch: float) -> str:
    return datetime.fromtimestamp(epoch, UTC).isoformat()
