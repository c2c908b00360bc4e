"""Whether the right version leads where sources disagree, and what authority costs where it says nothing.

    python benchmarks/conflicts.py [FOLDER]

First: one hundred facts, each told by Git, a state document, a decision record, Serena, claude-mem and a chat in
their own words, half of them in Korean. The value changed five times, so each source tells another one: the higher
its authority, the newer. The question asks for the fact; right is the commit. Then: the notes of every set in
FOLDER (as for `quality.py`; default: `benchmarks/data`), each with an authority drawn by lot, and how much nDCG@10
that costs. Prints figures and never fails.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from quality import _lines as lines
from recall.answer import Answer
from recall.api import Authority
from recall.engine import Engine

_DAY = 86_400
_NOW = 1_780_000_000
_SEED = 20_260_401
_AGES = {  # of each source's version, in days
    Authority.CODE: 10,
    Authority.STATE: 25,
    Authority.DECISION: 80,
    Authority.CURATED: 140,
    Authority.CAPTURED: 200,
    Authority.CHAT: 260,
}

# What changes: a name for it, its key in code, and the values it had, newest first.
_FACTS = {
    "en": [
        ("port of the {0} service", "{0}_port", "9443 8443 9000 8081 8080 7070"),
        ("request timeout of the {0} client", "{0}Timeout", "30s 20s 15s 10s 5s 60s"),
        ("number of retries for {0} jobs", "{0}_retries", "3 4 5 2 8 10"),
        ("lifetime of cached {0} lookups", "{0}CacheTtl", "300s 120s 90s 60s 600s 900s"),
        ("batch size of the {0} importer", "{0}_batch_size", "500 250 200 100 1000 50"),
        ("rate limit of the {0} endpoint", "{0}RateLimit", "120/min 100/min 60/min 30/min 200/min 20/min"),
        ("largest {0} upload", "{0}_max_upload", "25MB 20MB 10MB 50MB 5MB 8MB"),
        ("retention of {0} logs", "{0}LogRetention", "30d 14d 90d 7d 60d 365d"),
        (
            "database that {0} writes to",
            "{0}_database",
            "orders_v3 orders_v2 orders_main core_db legacy_db old_core",
        ),
        ("schedule of the {0} report", "{0}ReportCron", "04:30 03:00 02:00 05:15 06:00 01:45"),
    ],
    "ko": [
        ("{0} 서비스 포트", "{1}_port", "9443 8443 9000 8081 8080 7070"),
        ("{0} 요청 제한 시간", "{1}Timeout", "30초 20초 15초 10초 5초 60초"),
        ("{0} 작업 재시도 횟수", "{1}_retries", "3회 4회 5회 2회 8회 10회"),
        ("{0} 조회 캐시 유지 시간", "{1}CacheTtl", "300초 120초 90초 60초 600초 900초"),
        ("{0} 일괄 처리 크기", "{1}_batch_size", "500건 250건 200건 100건 1000건 50건"),
        ("{0} 엔드포인트 호출 한도", "{1}RateLimit", "120회 100회 60회 30회 200회 20회"),
        ("{0} 업로드 최대 용량", "{1}_max_upload", "25MB 20MB 10MB 50MB 5MB 8MB"),
        ("{0} 로그 보관 기간", "{1}LogRetention", "30일 14일 90일 7일 60일 365일"),
        (
            "{0} 저장용 데이터베이스",
            "{1}_database",
            "orders_v3 orders_v2 orders_main core_db legacy_db old_core",
        ),
        ("{0} 보고서 실행 시각", "{1}ReportCron", "04:30 03:00 02:00 05:15 06:00 01:45"),
    ],
}
_SUBJECTS = {
    "en": ["billing", "search", "payment", "ledger", "webhook"],
    "ko": ["배달", "쿠폰", "회원", "주문", "리뷰"],
}
# What each source says, in its own way of speaking, by authority.
_TOLD = {
    "en": {
        Authority.CODE: [
            "Set the {fact} to {value}\n\nThe old value did not hold under load.\n\n{key} = {value}",
            "{key}: {value}\n\nThe {fact} follows what the provider asks for since this week.",
            "Change {fact} to {value}",
        ],
        Authority.STATE: [
            "Current state: the {fact} is {value} since the last release. Next: watch the graphs.",
            "Done: {fact} moved to {value} ({key}). Open: tell the other team.",
            "- {fact}: {value}\n- deploy is green\n- next: clean up the flags",
        ],
        Authority.DECISION: [
            "We decide on {value} as the {fact}. The alternatives were a smaller value and none at all.",
            "Decision: {fact} = {value}. Consequence: {key} has to be set in every environment.",
            "The {fact} shall be {value}, because the vendor's documentation asks for it.",
        ],
        Authority.CURATED: [
            "Remember: {fact}: {value}. It is read from {key} in the settings.",
            "{key} is the {fact}. Value in use: {value}. Do not change it by hand.",
            "Conventions: the {fact} is {value} everywhere.",
        ],
        Authority.CAPTURED: [
            "Discovered that {key} defines the {fact}, currently {value}; checked with the tests.",
            "Session: looked into the {fact}, set {key} to {value}, ran the tests, all green.",
            "The {fact} turned out to be {value}.",
        ],
        Authority.CHAT: [
            "what was the {fact} again? it is {value}, I looked at {key} a minute ago",
            "ok so the {fact} is {value}, got it, let us go on with the other ticket",
            "can you set the {fact} to {value} please",
        ],
    },
    "ko": {
        Authority.CODE: [
            "{fact}을(를) {value}(으)로 변경\n\n이전 값은 부하를 견디지 못했다.\n\n{key} = {value}",
            "{key}: {value}\n\n{fact}을(를) 이번 주 공급사 요구에 맞춘다.",
            "{fact} {value}(으)로 변경",
        ],
        Authority.STATE: [
            "현재 상태: 마지막 배포부터 {fact}은(는) {value}이다. 다음 할 일: 지표를 지켜본다.",
            "완료: {fact}을(를) {value}(으)로 옮김 ({key}). 남은 일: 다른 팀에 알리기.",
            "- {fact}: {value}\n- 배포 정상\n- 다음: 플래그 정리",
        ],
        Authority.DECISION: [
            "{fact}은(는) {value}(으)로 결정한다. 더 작은 값과 아예 없애는 안도 검토했다.",
            "결정: {fact} = {value}. 결과: 모든 환경에 {key}을(를) 넣어야 한다.",
            "공급사 문서가 요구하므로 {fact}은(는) {value}(으)로 한다.",
        ],
        Authority.CURATED: [
            "기억할 것: {fact} = {value}. 설정의 {key}에서 읽는다.",
            "{key}은(는) {fact}이다. 쓰는 값: {value}. 손으로 바꾸지 말 것.",
            "규칙: {fact}은(는) 어디서나 {value}.",
        ],
        Authority.CAPTURED: [
            "{key}에서 {fact}을(를) 정의하고 값이 {value}인 것을 발견, 테스트로 확인함",
            "세션: {fact}을(를) 조사하고 {key}을(를) {value}(으)로 설정, 테스트 모두 통과",
            "{fact}은(는) {value}(으)로 밝혀짐.",
        ],
        Authority.CHAT: [
            "{fact} 뭐였지? {value}이야, 방금 {key} 봤어",
            "아 그럼 {fact}은(는) {value}(이)구나, 알겠어 다른 티켓 보자",
            "{fact} {value}(으)로 바꿔 줘",
        ],
    },
}
_KEYS = {"en": _SUBJECTS["en"], "ko": ["delivery", "coupon", "member", "order", "review"]}
_ASKED = {
    "en": ["what is the {0} now", "which {0} do we use", "{0}"],
    "ko": ["{0} 얼마야", "지금 쓰는 {0} 알려줘", "{0}"],
}


class Conflict(NamedTuple):
    """One fact: its question, and what each source says of it, the newest and most authoritative first."""

    question: str
    told: Mapping[Authority, str]


class Led(NamedTuple):
    """In how many groups the right version comes first."""

    among_versions: int
    of_all: int  # also before memories about other facts, which resemble this one


def main(arguments: list[str]) -> None:
    """Measure and print."""
    folder = Path(arguments[0] if arguments else Path(__file__).parent / "data")
    groups = conflicts()
    with tempfile.TemporaryDirectory(prefix="recall-conflicts-") as temporary:
        led = leading(Path(temporary), groups)
    print(f"conflicts: the right version leads in {led.among_versions} of {len(groups)}; it comes")
    print(f"before everything else, the same fact of other services too, in {led.of_all}")
    print(f"{'set':<14} {'questions':>9} {'equal':>8} {'by lot':>8} {'loss':>7}   nDCG@10")
    for docs in sorted(folder.glob("*.docs.jsonl")):
        name = docs.name.removesuffix(".docs.jsonl")
        queries = list(lines(folder / f"{name}.queries.jsonl"))
        with tempfile.TemporaryDirectory(prefix="recall-conflicts-") as temporary:
            equal, drawn = by_lot(Path(temporary), {one["id"]: one["text"] for one in lines(docs)}, queries)
        print(f"{name:<14} {len(queries):>9} {equal:>8.4f} {drawn:>8.4f} {(equal - drawn) / equal:>7.2%}")


def conflicts(seed: int = _SEED) -> list[Conflict]:
    """One hundred facts in six versions, the wordings drawn by lot."""
    chance = random.Random(seed)
    found = []
    for language, facts in _FACTS.items():
        for subject, english in zip(_SUBJECTS[language], _KEYS[language], strict=True):
            for name, identifier, values in facts:
                fact, key = name.format(subject), identifier.format(english, english)
                told = {
                    authority: chance.choice(wordings).format(fact=fact, value=value, key=key)
                    for (authority, wordings), value in zip(
                        _TOLD[language].items(), values.split(), strict=True
                    )
                }
                found.append(Conflict(chance.choice(_ASKED[language]).format(fact), told))
    return found


def leading(folder: Path, groups: Sequence[Conflict]) -> Led:
    """Ask every question and count; in a group the commit is the newest and most authoritative version."""
    engine, commits = real_sources(folder, groups)
    led = of_all = 0
    for number, (group, commit) in enumerate(zip(groups, commits, strict=True)):
        versions = {
            f"recall://git/{commit}",
            f"recall://state/CURRENT_STATE/item-{number}",
            f"recall://decisions/docs/adr/{number:04}-record",
            f"recall://serena/note_{number}",
            f"recall://claude-mem/observation/{number + 1}",
            f"recall://transcripts/claude/u{number}",
        }
        found = list(_identities(ask(engine, group.question)))
        first = next((uri for uri in found if uri in versions), "")
        led += first == f"recall://git/{commit}"
        of_all += found[:1] == [f"recall://git/{commit}"]
    engine.close()
    return Led(led, of_all)


def real_sources(folder: Path, groups: Sequence[Conflict]) -> tuple[Engine, list[str]]:
    """An engine over a project whose six sources tell each its version, and the commits that tell the newest."""
    home, project = folder / "home", folder / "project"
    told = {authority: [group.told[authority] for group in groups] for authority in Authority}
    commits = _write_commits(project, told[Authority.CODE])
    _write(project / "CURRENT_STATE.md", _sections(told[Authority.STATE]), _AGES[Authority.STATE])
    for number, text in enumerate(told[Authority.DECISION]):
        record = f"# Record {number}\n\nStatus: accepted\n\n{text}\n"
        _write(project / f"docs/adr/{number:04}-record.md", record, _AGES[Authority.DECISION])
    for number, text in enumerate(told[Authority.CURATED]):
        _write(project / f".serena/memories/note_{number}.md", text, _AGES[Authority.CURATED])
    _write_observations(home / ".claude-mem", told[Authority.CAPTURED])
    _write_chats(home, project, told[Authority.CHAT])
    _write(folder / "config.toml", "[providers.transcripts]\nenabled = true\nmax_age_days = 36500\n", 0)
    return started(folder), commits


def _write_commits(project: Path, messages: Sequence[str]) -> list[str]:
    """A repository with a commit a message; their ids."""
    stream = []
    for number, message in enumerate(messages):
        content, text = f"value = {number}\n".encode(), message.encode()
        stream.append(
            b"commit refs/heads/main\nmark :%d\ncommitter Dev <dev@example.com> %d +0000\ndata %d\n%s\n"
            b"M 100644 inline settings/part_%d.toml\ndata %d\n%s\n"
            % (number + 1, _moment(_AGES[Authority.CODE]), len(text), text, number, len(content), content)
        )
    project.mkdir(parents=True)
    env = {"PATH": os.environ.get("PATH", os.defpath), "HOME": os.fspath(project), "GIT_CONFIG_NOSYSTEM": "1"}
    marks = project / ".git/marks"
    for command, given in (
        (["init", "-q", "-b", "main"], b""),
        (["fast-import", "--quiet", f"--export-marks={marks}"], b"".join(stream)),
        (["reset", "-q", "--hard", "main"], b""),
    ):
        subprocess.run(["git", *command], cwd=project, env=env, input=given, check=True)
    return [line.split()[1] for line in sorted(marks.read_text("ascii").splitlines(), key=_mark)]


def _mark(line: str) -> int:
    return int(line.split()[0].removeprefix(":"))


def _sections(texts: Sequence[str]) -> str:
    parts = "\n".join(f"## Item {number}\n\n{text}\n" for number, text in enumerate(texts))
    return f"# Current state\n\n{parts}"


def _write(path: Path, text: str, age: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    os.utime(path, (_moment(age), _moment(age)))


def _write_observations(place: Path, texts: Sequence[str]) -> None:
    place.mkdir(parents=True)
    connection = sqlite3.connect(place / "claude-mem.db")
    connection.execute(
        "CREATE TABLE observations (id INTEGER PRIMARY KEY, memory_session_id TEXT, project TEXT, text TEXT, "
        "type TEXT, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, "
        "files_modified TEXT, prompt_number INTEGER, created_at TEXT, created_at_epoch INTEGER)"
    )
    moment = _moment(_AGES[Authority.CAPTURED]) * 1000
    connection.executemany(
        "INSERT INTO observations (memory_session_id, project, type, title, narrative, created_at_epoch) "
        "VALUES ('session', 'project', 'discovery', 'Finding', ?, ?)",
        [(text, moment) for text in texts],
    )
    connection.commit()
    connection.close()


def _write_chats(home: Path, project: Path, texts: Sequence[str]) -> None:
    """One conversation in which each text was said, and one more question that nobody has answered."""
    when = datetime.fromtimestamp(_moment(_AGES[Authority.CHAT]), UTC).isoformat()
    records = []
    for number, text in enumerate([*texts, "and now?"]):
        shared = {"cwd": os.fspath(project), "sessionId": "session", "timestamp": when}
        records.append(
            {"type": "user", "uuid": f"u{number}", "message": {"role": "user", "content": text}, **shared}
        )
        answer = {"role": "assistant", "content": [{"type": "text", "text": "Okay."}], "model": "model"}
        if number < len(texts):
            records.append({"type": "assistant", "uuid": f"a{number}", "message": answer, **shared})
    slug = re.sub(r"[^A-Za-z0-9]", "-", os.fspath(project))
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    _write(home / f".claude/projects/{slug}/session.jsonl", lines, _AGES[Authority.CHAT])


def _moment(age: int) -> int:
    return _NOW - age * _DAY


def by_lot(
    folder: Path, texts: Mapping[str, str], queries: Sequence[Mapping[str, Any]]
) -> tuple[float, float]:
    """nDCG@10 of a set with equal authorities, and with authorities that were drawn by lot."""
    chance = random.Random(_SEED)
    notes = [(chance.choice(list(Authority)), name, text, _NOW) for name, text in texts.items()]
    engine = engine_over(folder, notes)
    drawn = ndcg(engine, queries)
    weights = {authority.value: 0.6 for authority in Authority}
    engine.settings = replace(engine.settings, authority=replace(engine.settings.authority, **weights))
    equal = ndcg(engine, queries)
    engine.close()
    return equal, drawn


def ndcg(engine: Engine, queries: Sequence[Mapping[str, Any]]) -> float:
    """The mean over the questions; every answer counts 1."""
    total = 0.0
    for line in queries:
        gold = set(line["gold"])
        places = [
            place
            for place, uri in enumerate(_identities(ask(engine, line["query"])))
            if place < 10 and uri.rsplit("/", 1)[-1] in gold
        ]
        best = sum(1 / math.log2(place + 2) for place in range(min(10, len(gold))))
        total += sum(1 / math.log2(place + 2) for place in places) / best
    return total / len(queries)


def ask(engine: Engine, question: str) -> Answer:
    """An answer from the index alone."""
    return engine.recall(question, limit=20, budget=1_000_000, deadline=60, read=False)


def engine_over(folder: Path, notes: Sequence[tuple[Authority, str, str, int]]) -> Engine:
    """An engine over notes (authority, name, text, epoch seconds), a folder of markdown for each authority."""
    home, project = folder / "home", folder / "project"
    home.mkdir()
    tables = []
    for authority in Authority:
        (project / authority).mkdir(parents=True)
        path = f'path = "{authority}"\nname = "{authority}"\nauthority = "{authority}"\n'
        tables.append(f"[[providers.markdown.folders]]\n{path}")
    for authority, name, text, moment in notes:
        path = project / authority / f"{name}.md"
        path.write_text(text, encoding="utf-8")
        os.utime(path, (moment, moment))
    (folder / "config.toml").write_text("\n".join(tables), encoding="utf-8")
    return started(folder)


def started(folder: Path) -> Engine:
    """An engine over a home and a project, which has read everything."""
    env = {
        "RECALL_CONFIG": str(folder / "config.toml"),
        "RECALL_CACHE_DIR": str(folder / "cache"),
        "RECALL_STATE_DIR": str(folder / "state"),
        "PATH": os.environ.get("PATH", os.defpath),
    }
    engine = Engine.start(folder / "project", home=folder / "home", env=env, now=lambda: float(_NOW))
    engine.recall("the first question reads all notes", deadline=600)
    return engine


def _identities(answer: Answer) -> Iterator[str]:
    """Uris in the order a reader meets them."""
    for hit in answer.hits:
        for member in hit.ranked.members():
            yield member.row.uri


if __name__ == "__main__":
    main(sys.argv[1:])
