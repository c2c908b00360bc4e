"""How the files of each source look when nothing is wrong with them."""

from __future__ import annotations

import json
from collections.abc import Iterable

NUMBER = b"@@"  # stands for the file's number: ids are its own

NOTES = tuple(
    text.encode()
    for text in (
        "# 결제 재시도 정책\n\n실패한 결제는 최대 3번까지 재시도한다. 간격은 1초, 4초, 16초이다.\n\n"
        "- 구현: `app/payments/retry.py`\n"
        "- 규칙은 `mem:payments/core`에 있다.\n\n```python\nraise RetryLimit(3)\n```\n",
        "---\n"
        "name: run-tests\ndescription: run the payment tests before every commit\nmetadata:\n  type: feedback\n"
        "tags: [tests, 결제]\nupdated: 2026-05-01\n---\n\n"
        "Run `pytest tests/payments` before every commit; 40 seconds.\n"
        "\n**Why:** the retry worker broke twice.\n",
        "# Memory\n\n- [결제 재시도](project_payment-retry.md) — 재시도 횟수를 바꾸기 전에 연다\n"
        "- [Tests](feedback_run-tests.md) — before a commit\n",
        "# Rollback\n\n| step | who |\n|---|---|\n| `make rollback` | ops |\n\n"
        "> quoted <b>html</b>\n\n1. one\n2. two\n\n"
        "See file:///home/dev/shop-api/app/retry.py and https://example.com/?q=1#x\n",
    )
)
DECISIONS = tuple(
    text.encode()
    for text in (
        "# 7. Orders in Postgres\n\nDate: 2026-03-01\n\n## Status\n\n"
        "Superseded by [9](0009-events.md)\n\n## Context\n\nOne backup."
        "\n\n## Decision\n\nOrders live in Postgres.\n\n## Consequences\n\nNo second store.\n",
        "---\n"
        "status: accepted\ndate: 2026-04-02\ndeciders: [kim, lee]\nsupersedes: 0007\n---\n"
        "# 결제는 세 번 재시도한다\n\n"
        "* Status: accepted\n* Date: 2026-04-02\n\n## 맥락\n\n이중 결제가 났다.\n\n## 결정\n\n세 번에서 멈춘다.\n",
        "# Decisions\n\n## 2026-05-01: Postgres\n\nStatus: accepted. One backup.\n\n"
        "## 2026-04-01: Redis\n\n~~Rejected~~: two stores.\n\n"
        "- [x] keep the queue\n- [ ] drop the cache\n",
    )
)
HANDOVERS = tuple(
    text.encode()
    for text in (
        "# Handoff\n\nUpdated: 2026-05-27\n\n## Done\n\n- retry worker\n\n## Next\n\n"
        "- [ ] settlement on holidays\n\n## Files\n\n"
        "- `app/payments/retry.py`\n",
        "---\nstatus: superseded\nupdated: 2026-05-20\n---\n# 현재 상태\n\n정산 배치는 02:00에 시작한다.\n",
    )
)


def _dumped(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, indent=2).encode()


def _lines(records: Iterable[object]) -> bytes:
    return b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in records)


METADATA = (
    _dumped(
        {
            "title": "결제 재시도 정책",
            "summary": "실패한 결제를 다시 시도하는 횟수와 간격",
            "tags": ["결제", "retry"],
            "references": [
                {"type": "file", "value": "app/payments/retry.py"},
                "file:///srv/shop-api/a%20b.py",
            ],
            "createdAt": "2026-03-01T02:03:04Z",
        }
    ),
    _dumped(
        {
            "summary": "Plan for the batch",
            "artifactType": "ARTIFACT_TYPE_TASK",
            "updatedAt": 1_779_000_000_000,
        }
    ),
)
TIMESTAMPS = (
    _dumped(
        {"created": "2026-03-01T00:00:00Z", "modified": "2026-05-01T00:00:00Z", "accessed": 1_779_000_000}
    ),
)
JOURNAL = (
    _lines(
        (
            {
                "kind": "decision",
                "text": "Orders in Postgres",
                "at": "2026-05-20T10:00:00Z",
                "id": "c1",
                "why": "one backup",
            },
            {"kind": "blocker", "text": "The bank's sandbox is down", "at": 1_779_000_000, "id": "c2"},
            {"entry": {"type": "milestone", "summary": "재시도 완료"}, "seq": 3, "closes": ["c2"]},
        )
    ),
)
SNAPSHOT = (
    _dumped(
        {
            "state": {"goal": "세 번 재시도", "next": ["settlement", "holidays"]},
            "revision": 7,
            "updated_at": "2026-05-20",
        }
    ),
)


def claude_code(root: str) -> tuple[bytes, ...]:
    """Sessions of Claude Code in a project."""
    common = {"sessionId": "s@@", "cwd": root, "gitBranch": "main", "timestamp": "2026-05-18T07:05:00.000Z"}
    asked = {
        "type": "user",
        "uuid": "@@-u1",
        "message": {"role": "user", "content": "결제 재시도는 몇 번?"},
        **common,
    }
    said = [
        {"type": "text", "text": "세 번이다."},
        {"type": "tool_use", "name": "Bash", "input": {"command": "ls"}},
    ]
    answered = {
        "type": "assistant",
        "uuid": "@@-u2",
        "message": {"role": "assistant", "content": said},
        **common,
    }
    result = {
        "type": "user",
        "uuid": "@@-u3",
        "message": {"content": [{"type": "tool_result", "content": "x"}]},
        **common,
    }
    summed = {
        "type": "user",
        "uuid": "@@-u4",
        "isCompactSummary": True,
        "message": {"content": "요약: 세 번"},
        **common,
    }
    return (
        _lines((asked, answered, result)),
        _lines(({"type": "mode"}, asked, answered, summed, asked, answered)),
    )


def codex(root: str) -> tuple[bytes, ...]:
    """Sessions of Codex in a project."""
    when = "2026-05-18T07:05:00.000Z"
    head = {
        "timestamp": when,
        "type": "session_meta",
        "payload": {"id": "c@@", "cwd": root, "git": {"branch": "main"}},
    }

    def item(role: str, text: str) -> dict[str, object]:
        kind = "input_text" if role == "user" else "output_text"
        message = {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
        return {"timestamp": when, "type": "response_item", "payload": message}

    compacted = {"timestamp": when, "type": "compacted", "payload": {"message": "재시도를 세 번으로 정했다."}}
    talk = (
        item("user", "재시도는?"),
        item("assistant", "세 번."),
        item("user", "왜?"),
        item("assistant", "이중 결제."),
    )
    return (_lines((head, *talk)), _lines((head, *talk[:2], compacted, *talk[2:])))


def codex_document(root: str) -> tuple[bytes, ...]:
    """Older sessions of Codex, one document each."""
    asked = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "옛 질문"}]}
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "옛 답"}]}
    return (_dumped({"session": {"id": "d@@", "cwd": root}, "items": [asked, said, 7, None]}),)


def gemini_document(_root: str) -> tuple[bytes, ...]:
    """Older sessions of Gemini CLI, one document each."""
    head, *talk = map(json.loads, gemini("")[0].splitlines())
    return (_dumped({**head, "messages": talk}),)


def gemini(_root: str) -> tuple[bytes, ...]:
    """Sessions of Gemini CLI, of which a file beside them names the project."""
    head = {"sessionId": "g@@", "projectHash": "ab", "startTime": "2026-05-18T07:05:00.000Z", "kind": "main"}
    talk = (
        {
            "id": "@@-1",
            "type": "user",
            "timestamp": "2026-05-18T07:05:00Z",
            "content": [{"text": "재시도는 몇 번?"}],
        },
        {
            "id": "@@-2",
            "type": "gemini",
            "timestamp": "2026-05-18T07:05:09Z",
            "content": "세 번이다.",
            "thoughts": [],
        },
    )
    return (_lines((head, *talk)), _lines((head, *talk, *talk)))


OBSERVATION: dict[str, object] = {
    "project": "shop-api",
    "type": "decision",
    "title": "결제 재시도는 세 번",
    "subtitle": "네 번째가 이중 결제를 냈다",
    "narrative": "The retry worker stops after three attempts.",
    "text": "1초, 4초, 16초",
    "facts": '["three attempts", "16 s at most"]',
    "concepts": '["retry", "결제"]',
    "files_read": '["app/payments/retry.py"]',
    "files_modified": "app/a.py|app/b.py",
    "created_at": "2026-05-28T20:26:40.000Z",
    "created_at_epoch": 1_780_000_000_000,
}
SUMMARY: dict[str, object] = {
    "project": "shop-api",
    "request": "환불 흐름 정리",
    "investigated": "app/refund.py",
    "learned": "환불은 다음 영업일에 나간다",
    "completed": "done",
    "next_steps": "tests",
    "notes": "",
    "files_edited": '["app/refund.py"]',
    "created_at": "2026-05-28T20:26:40.000Z",
    "created_at_epoch": 1_780_000_000,
}
COMMITS = (
    b"\x02"
    + b"a" * 40
    + b"\0"
    + b"b" * 40
    + "\x001760000000\0Kim Dev\0결제 재시도를 세 번으로\0Why: double payments\n\n"
    "Signed-off-by: Kim <kim@example.com>\n\0Signed-off-by: Kim <kim@example.com>\n\0".encode()
    + b"M\0app/payments/retry.py\0R100\0old name.py\0new name.py\0A\0docs/\xea\xb0\x80.md\0",
    b"\x02"
    + b"c" * 40
    + b"\0"
    + b"a" * 40
    + b" "
    + b"b" * 40
    + b"\x001760003600\0bot[bot]\0Merge branch 'x'\0\0\0",
)
MESSAGES = tuple(
    text.encode()
    for text in (
        "결제 재시도를 세 번으로\n\n네 번째가 이중 결제를 냈다.\n\n"
        "Refs: PAY-41\nSigned-off-by: Kim <kim@example.com>\n",
        "Merge branch 'retry'\n",
        "fix(retry)!: stop after three\n\nBREAKING CHANGE: no fourth attempt\n",
    )
)
SERENA_PROJECT = (
    b'project_name: "shop-api"\nlanguages: [python]\nignored_memory_patterns: ["_archive/.*"]\nread_only: false\n',
    b"project_name: shop-api\nread_only_memory_patterns:\n- global/.*\n- (a+)+b\n",
)
SERENA_CONFIG = (
    b"projects:\n- /srv/shop-api\nproject_serena_folder_location: $projectDir/.serena\nignored_memory_patterns: []\n",
)
CLAUDE_MEM_SETTINGS = (
    _dumped(
        {
            "CLAUDE_MEM_DATA_DIR": "~/.claude-mem",
            "CLAUDE_MEM_RUNTIME": "worker",
            "env": {"CLAUDE_MEM_MODEL": "x"},
        }
    ),
)
CLAUDE_SETTINGS = (_dumped({"autoMemoryDirectory": "~/notes", "autoMemoryEnabled": True, "env": {}}),)
