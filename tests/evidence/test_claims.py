"""What of a memory's text can be checked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall.evidence.claims import Claim, Kind, claims_of
from recall.evidence.outline import Tense

ROOT = "/home/dev/shop"


def found(text: str, kind: Kind) -> list[Claim]:
    return [claim for claim in claims_of(text, [ROOT]).claims if claim.kind is kind]


def paths(text: str) -> list[str]:
    return [claim.spellings[0] for claim in found(text, Kind.PATH) if not claim.weak]


def names(text: str) -> list[str]:
    return [claim.text for claim in found(text, Kind.NAME)]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("`src/app.py` retries", "src/app.py"),
        ("src/app.py retries", "src/app.py"),
        ("it is in src/app.py.", "src/app.py"),
        ("(see src/app.py)", "src/app.py"),
        ("src/app.py에서 재시도한다", "src/app.py"),
        ("`src/app.py`에서", "src/app.py"),
        ("경로: src/app.py:120", "src/app.py"),
        ("`src/app.py:120-140`", "src/app.py"),
        ("`src/app.py#L12`", "src/app.py"),
        ("`src\\pay\\app.py`", "src/pay/app.py"),
        ("`./src/app.py`", "src/app.py"),
        (f"`{ROOT}/src/app.py`", "src/app.py"),
        ("docs/결제/흐름.md를 보라", "docs/결제/흐름.md"),
        ("`docs/adr/`", "docs/adr/"),
        ("Makefile", "Makefile"),
        ("deploy/Dockerfile", "deploy/Dockerfile"),
        ("package.json", "package.json"),
        ("`python scripts/run.py --fast`", "scripts/run.py"),
        ("`tests/test_a.py::TestX::test_y`", "tests/test_a.py"),
        ("`docs/Meeting notes.md`", "docs/Meeting notes.md"),
    ],
)
def test_a_path_is_found_as_the_repository_spells_it(text: str, path: str) -> None:
    assert paths(text) == [path]


@pytest.mark.parametrize(
    "text",
    [
        "https://example.org/a/b/src/app.py",
        "git@example.org:a/b.git",
        "dev@example.org",
        "`src/**/*.py`",
        "src/*.py",
        "/etc/passwd",
        "~/notes/a.md",
        "../other/a.py",
        "`C:\\Users\\dev\\a.py`",
        "`{name}/a.py`",
        "$HOME/a.py",
        "`git commit -m x`",
        "and/or, read/write, TCP/IP",
        "5/10/2026",
    ],
)
def test_what_is_no_path_of_the_project_is_none(text: str) -> None:
    assert paths(text) == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`charge_card()`", ["charge_card"]),
        ("`PaymentService.retry()`", ["PaymentService", "retry"]),
        ("`def charge(amount)`", ["charge"]),
        ("`DATABASE_URL`", ["DATABASE_URL"]),
        ("`--dry-run`", ["--dry-run"]),
        ("`max-retries`", ["max-retries"]),
        ("`useState`", ["useState"]),
        ("charge_card를 부른다", ["charge_card"]),
        ("call charge() here", ["charge"]),
        ("`retry`", []),
        ("`true`", []),
        ("`npm run build`", []),
        ("```\nfoo_bar()\n```", []),
        ("plain words only", []),
    ],
)
def test_identifiers_are_told_from_words(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_flag_may_be_a_field_of_the_program() -> None:
    assert {"dry-run", "dry_run", "dryRun"} <= set(found("`--dry-run`", Kind.NAME)[0].spellings)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("`MAX_RETRIES = 3`", "3"),
        ("`MAX_RETRIES` is 3", "3"),
        ("`MAX_RETRIES`는 3이다", "3"),
        ("MAX_RETRIES: 3", "3"),
        ("`LIMIT_TOTAL` = 30_000", "30000"),
        ("`MAX_RETRIES` (3)", "3"),
        ("`MAX_RETRIES`(3) 번까지", "3"),
        ("`MAX_RETRIES` 기본값 3", "3"),
        ("`MAX_RETRIES`의 기본값은 3", "3"),
    ],
)
def test_a_number_bound_to_a_name_is_a_value(text: str, value: str) -> None:
    assert [claim.value for claim in found(text, Kind.VALUE)] == [value]


@pytest.mark.parametrize(
    "text", ["port 8080", "the port is 8080.", "포트는 8080이다", "8080 포트", "8080번 포트", "`:8080`"]
)
def test_a_port_is_a_number(text: str) -> None:
    assert [claim.value for claim in found(text, Kind.PORT)] == ["8080"]


def test_a_port_belongs_to_the_file_its_sentence_names() -> None:
    (claim,) = found("port 5432 in docker-compose.yml", Kind.PORT)
    assert claim.near == ("docker-compose.yml",)


@pytest.mark.parametrize(
    ("text", "name", "version"),
    [
        ("httpx 0.27", "httpx", "0.27"),
        ("pydantic>=2", "pydantic", "2"),
        ("React 18 is used", "React", "18"),
        ("`httpx==0.27.0`", "httpx", "0.27.0"),
        ("react@18.2.0", "react", "18.2.0"),
        ("upgraded httpx from 0.26 to 0.28", "httpx", "0.28"),
        ("httpx version is 0.27.2", "httpx", "0.27.2"),
        ("httpx is pinned at 0.27.2", "httpx", "0.27.2"),
        ("We pin httpx to 0.27.2.", "httpx", "0.27.2"),
        ("httpx: 0.27.2", "httpx", "0.27.2"),
        ("`httpx` is 0.27.2", "httpx", "0.27.2"),
        ("| httpx | 0.27.2 |", "httpx", "0.27.2"),
        ("fastapi는 0.103.2, httpx는 0.27.2이다.", "httpx", "0.27.2"),
        ("`httpx`는 0.27.2로 고정", "httpx", "0.27.2"),
        ("httpx 버전: 0.27.2", "httpx", "0.27.2"),
    ],
)
def test_a_version_stands_behind_its_name(text: str, name: str, version: str) -> None:
    assert (name, version) in [(claim.spellings[0], claim.value) for claim in found(text, Kind.VERSION)]


@pytest.mark.parametrize(
    "text",
    [
        "`timeout` is 30",
        "`MAX_RETRIES` was 3",
        "it takes 30 seconds, needs 4 workers and costs 2.5 euros",
        "at most 3, on page 4, port 8080",
        "httpx is 2.5 times faster",
        "httpx는 2.5배 빠르다",
        "httpx is 3 years old",
    ],
)
def test_a_word_of_every_text_has_no_version(text: str) -> None:
    assert not found(text, Kind.VERSION)


@pytest.mark.parametrize(
    "text",
    [
        "Superseded by [ADR 5](0005-queue.md)",
        "Status: superseded by docs/adr/0005-queue.md",
        "- superseded-by: `0005-queue.md`",
        "상태: 0005-queue.md로 대체됨",
        "Supersedes 0001-cron.md",
        "Replaced by [ADR 5](0005-queue.md)",
    ],
)
def test_a_link_to_a_successor_is_no_claim(text: str) -> None:
    assert claims_of(text).claims == ()


@pytest.mark.parametrize(
    ("text", "sha"),
    [
        ("fixed in commit 1a2b3c4d5e.", "1a2b3c4d5e"),
        ("커밋 1a2b3c4d에서", "1a2b3c4d"),
        ("`1a2b3c4d5e6f`", "1a2b3c4d5e6f"),
    ],
)
def test_a_commit_is_told_by_its_shape_and_by_what_stands_around_it(text: str, sha: str) -> None:
    assert [claim.text for claim in found(text, Kind.COMMIT)] == [sha]


def test_a_word_of_hex_letters_is_no_commit() -> None:
    assert not found("the facade was defaced, decade after decade", Kind.COMMIT)


@pytest.mark.parametrize(
    ("text", "past", "present"),
    [
        ("`src/a.py` was renamed to `src/b.py`", ["src/a.py"], ["src/b.py"]),
        ("moved retry code to `src/b.py`", [], ["src/b.py"]),
        ("`src/a.py`에서 `src/b.py`로 옮겼다", ["src/a.py"], ["src/b.py"]),
        ("src/a.py → src/b.py", ["src/a.py"], ["src/b.py"]),
        ("`src/a.py` 대신 `src/b.py`를 쓴다", ["src/a.py"], ["src/b.py"]),
        ("use `src/b.py` instead of `src/a.py`", ["src/a.py"], ["src/b.py"]),
        ("`src/b.py` replaces `src/a.py`", ["src/a.py"], ["src/b.py"]),
        ("`src/a.py` was deleted", ["src/a.py"], []),
        ("`src/a.py`는 삭제했다", ["src/a.py"], []),
        ("`src/a.py`에서 재시도한다", [], ["src/a.py"]),
        ("`src/legacy/a.py` parses", [], ["src/legacy/a.py"]),
        ("`remove_old.py` runs at night", [], ["remove_old.py"]),
    ],
)
def test_what_is_told_as_past_is_told_from_what_is_there(
    text: str, past: list[str], present: list[str]
) -> None:
    claims = found(text, Kind.PATH)
    assert [claim.text for claim in claims if claim.tense is not Tense.PRESENT] == past
    assert [claim.text for claim in claims if claim.tense is Tense.PRESENT] == present


@pytest.mark.parametrize(
    "text",
    [
        "`refund()` was removed in March.",
        "`refund()` has since been renamed to `reverse()`.",
        "Removed the flag `refund()`; nobody used it.",
        "We deleted `refund()`.",
        "`refund()` is gone.",
        "`refund()` no longer exists.",
        "`reverse()` replaces `refund()`.",
        "Use `reverse()` rather than `refund()`.",
        "- `refund()` removed",
        "`refund()`를 삭제했다.",
        "`refund()`는 제거되었다.",
        "`refund()`를 `reverse()`로 대체했다.",
        "`refund()` 대신 `reverse()`를 쓴다.",
        "`refund()`는 더 이상 없다.",
        "`refund()` 함수 삭제 완료",
        "`refund()` 함수는 이제 없다",
        "`refund()` (removed in v2)",
        "We got rid of `refund()`.",
        "`refund()` has been superseded by `reverse()`.",
    ],
)
def test_a_word_that_governs_a_name_tells_it_as_past(text: str) -> None:
    (claim,) = [claim for claim in found(text, Kind.NAME) if claim.text == "refund"]
    assert claim.tense is Tense.PAST


@pytest.mark.parametrize(
    "text",
    [
        "`refund()` handles legacy orders.",
        "`refund()` handles deleted orders.",
        "Only removed orders reach `refund()`.",
        "every migration calls `refund()` first",
        "`refund()` is switched on by a flag",
        "`refund()` is used to pay back",
        "`refund()` used to be slow, it is fast today",
        "`refund()` no longer retries.",
        "`refund()` will be removed when `reverse()` is ready.",
        "Never removed `refund()`: it is needed.",
        "`refund()` must not be deleted.",
        "If `refund()` is removed, nothing pays back.",
        "`refund()` deletes old rows that were moved to the archive.",
        "`handle()` → `refund()` → `log_it()`",
        "Upgrades run `refund()` once.",
        "After the file was deleted `refund()` cleans up.",
        "The flag `old_flag` was renamed `refund()`.",
        "Do not use `refund()`, it was never finished.",
        "`refund()`를 쓰지 않기로 했다",
        "주문을 삭제했다면 `refund()`를 부른다",
        "`refund()`는 더 이상 재시도하지 않는다",
        "환불은 수기 처리 대신 `refund()`로 한다",
        "`refund()`가 삭제된 주문을 처리한다",
        "`refund()`는 만료된 주문을 삭제했다",
        "옛 주문은 `refund()`가 처리한다",
        "`refund()`에서 금액을 원래 통화로 바꾼다",
        "`refund()`는 데이터 이동을 기다린다",
    ],
)
def test_a_word_about_something_else_tells_no_name_as_past(text: str) -> None:
    (claim,) = [claim for claim in found(text, Kind.NAME) if claim.text == "refund"]
    assert claim.tense is not Tense.PAST


@pytest.mark.parametrize(
    "text",
    [
        "`refund()` has been superseded by a cron job.",
        "`refund()` was replaced by a cron job.",
        "Do not use `refund()`.",
        "`refund()` is deprecated.",
        "`refund()` will be removed soon.",
        "Remove `refund()` after the release.",
        "`refund()`를 쓰지 않기로 했다",
        "더 이상 `refund()`를 호출하지 않는다",
        "예전에는 `refund()`를 썼다",
    ],
)
def test_what_is_told_of_a_name_that_is_given_up_is_never_the_present(text: str) -> None:
    (claim,) = [claim for claim in found(text, Kind.NAME) if claim.text == "refund"]
    assert claim.tense is not Tense.PRESENT


def test_what_one_sentence_tells_of_the_present_counts() -> None:
    (claim,) = found("`src/a.py` was removed once. `src/a.py` is back and parses.", Kind.PATH)
    assert claim.tense is Tense.PRESENT


def test_claims_beyond_the_most_are_counted() -> None:
    found = claims_of("\n".join(f"`src/file_{number}.py`" for number in range(100)))
    assert (len(found.claims), found.more) == (60, 40)


@given(st.text(max_size=400))
def test_any_text_has_claims_or_none(text: str) -> None:
    for claim in claims_of(text, [ROOT]).claims:
        assert claim.text
        assert claim.spellings
        assert "\n" not in claim.text


@pytest.mark.parametrize(
    "piece", ["a/", "a-", "a.", "`", "->", "a=1 ", "x_", "1.", "포트 ", "from 1 to 2 ", "(((", "\\a"]
)
def test_endless_repetition_is_read_in_pieces(piece: str) -> None:
    assert claims_of(piece * 30_000).more >= 0


@pytest.mark.parametrize("unit", ["`", "``a", "` "])
def test_a_megabyte_of_backticks_is_read_once(unit: str) -> None:
    # Any pattern that went back over what it had read would need hours for this.
    assert paths(unit * (1_000_000 // len(unit))) == []
