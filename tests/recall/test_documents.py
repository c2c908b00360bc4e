"""Markdown documents as memories."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, ClassVar

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recall import documents, files
from recall.api import Authority, Deadline, Entry, Health, Memory, Problem, Scope, State
from recall.errors import DeadlineExceeded, StoreBroken
from recall.frontmatter import parse


@pytest.mark.parametrize(
    ("note", "title"),
    [
        ("---\ntitle: 환불 규칙\nname: refund-rules\n---\n# 다른 머리\n", "환불 규칙"),
        ("---\nname: 휴일 정산 규칙\ndescription: 다음 영업일로\n---\n본문\n", "휴일 정산 규칙"),
        ("---\nname: 환불\ndescription: 부분 환불 한도\n---\n본문\n", "환불"),
        ("---\nname: retry-policy\ndescription: 결제는 세 번까지\n---\n# 머리\n", "결제는 세 번까지"),
        ("---\nname: project_core\n---\n# 핵심 규칙\n", "핵심 규칙"),
        ("---\nname: core\n---\n본문뿐\n", ""),
        ("# 배포 순서 #\n\n본문\n", "배포 순서"),
        ("본문뿐\n", ""),
        ("---\ntitle: |\n  두 줄에\n  걸친 제목\n---\n", "두 줄에 걸친 제목"),
    ],
)
def test_the_title_is_the_line_a_person_would_choose(note: str, title: str) -> None:
    assert documents.parse_document(note).title == title


def test_a_long_description_gives_way_to_the_heading_and_is_cut_where_there_is_none() -> None:
    long = "아주 긴 설명 " * 40
    assert documents.parse_document(f"---\ndescription: {long}\n---\n# 머리\n").title == "머리"
    alone = documents.parse_document(f"---\ndescription: {long}\n---\n본문\n")
    assert len(alone.title) <= 120
    assert alone.title.endswith("…")
    assert alone.text()[0].startswith(long.strip())


def test_the_text_leads_with_the_description_unless_it_is_said_already() -> None:
    led = documents.parse_document("---\nname: 정산 규칙\ndescription: 다음 영업일로\n---\n본문\n")
    assert led.text()[0] == "다음 영업일로\n\n본문"
    said = documents.parse_document(
        "---\nname: 정산 규칙\ndescription: 다음 영업일\n---\n다음 영업일로 넘긴다.\n"
    )
    assert said.text()[0] == "다음 영업일로 넘긴다."
    titled = documents.parse_document("---\ndescription: 다음 영업일로\n---\n본문\n")
    assert (titled.title, titled.text()[0]) == ("다음 영업일로", "본문")
    alone = documents.parse_document("---\ndescription: 다음 영업일로\n---\n")
    assert alone.text() == ("다음 영업일로", 1)


def test_another_lead_can_be_put_before_the_body() -> None:
    document = documents.parse_document("# 정산\n\n02:00에 시작한다.\n")
    assert document.text("요약\n두 줄") == ("요약 두 줄\n\n# 정산\n\n02:00에 시작한다.", 1)
    assert document.text("") == ("# 정산\n\n02:00에 시작한다.", 1)


def test_of_two_stacked_blocks_both_are_read_and_the_first_wins() -> None:
    note = "---\ntype: note\ndescription:\n---\n---\nname: 옛 이름\ndescription: 옛 설명\ntype: old\n---\n\n본문\n"
    document = documents.parse_document(note)
    assert (document.title, document.description, document.front.text("type")) == (
        "옛 이름",
        "옛 설명",
        "note",
    )
    assert (document.body, document.body_line) == ("본문", 11)


def test_a_rule_after_the_front_matter_is_no_second_block() -> None:
    document = documents.parse_document("---\ntype: note\n---\n---\n\n본문\n\n---\n\n끝\n")
    assert document.body == "---\n\n본문\n\n---\n\n끝"


@given(st.text(alphabet="가a \t\n-#:`x", max_size=80))
@example("\n\n  - 들여쓴 첫 줄\n")
def test_no_word_of_a_note_is_lost_and_its_line_is_right(text: str) -> None:
    document = documents.parse_document(text)
    if document.front.fields:
        return
    assert document.body.split() == text.split()
    first = document.body.split("\n")[0]
    assert text.split("\n")[document.body_line - 1].startswith(first.rstrip())


@given(st.text(alphabet="가a :", min_size=1, max_size=20), st.integers(0, 3), st.integers(1, 3))
def test_the_line_of_a_led_text_points_to_the_same_words_in_the_file(lead: str, gap: int, lines: int) -> None:
    body = "\n".join(f"본문 {number}" for number in range(lines))
    note = f"---\nname: 제목\ndescription: '{lead}'\n---\n" + "\n" * gap + body + "\n"
    text, line = documents.parse_document(note).text()
    where = line - 1 + text.count("\n")
    assert note.split("\n")[where] == text.split("\n")[-1] == f"본문 {lines - 1}"


def test_damage_is_told_and_the_rest_is_read(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_bytes("---\na: [\n---\n본문 ".encode() + "текст".encode("cp1251") + b" \xff\xfe\xfd")
    document = documents.read_document(path)
    assert document.body.startswith("본문")
    assert len(document.problems) == 2
    with pytest.raises(StoreBroken):
        documents.read_document(tmp_path)


@pytest.mark.parametrize(
    ("front", "created", "updated", "origin"),
    [
        (
            "metadata:\n  modified: 2026-09-08T19:29:56.864Z\ndate: 2020-01-01",
            None,
            (2026, 9, 8),
            "front matter",
        ),
        (
            "updated: 2026-09-01T10:00:00+09:00\ncreated: 2026-08-01",
            (2026, 8, 1),
            (2026, 9, 1),
            "front matter",
        ),
        ("created: 2026-08-01", (2026, 8, 1), (2026, 8, 1), "front matter"),
        ("modified: 어제\ndate: 2026-03-01", None, (2026, 3, 1), "front matter"),
        ("modified: 0001-01-01\ndate: 9999-12-31", None, (2026, 5, 28), "file time"),
        ("date:\n  - 2026-01-01", None, (2026, 5, 28), "file time"),
    ],
)
def test_the_date_is_the_written_one_where_it_makes_sense(
    front: str, created: tuple[int, int, int] | None, updated: tuple[int, int, int], origin: str
) -> None:
    dates = documents.dates(parse(f"---\n{front}\n---\n"), 1_780_000_000_000_000_000)
    assert dates.origin == origin
    assert dates.updated is not None
    assert (dates.updated.year, dates.updated.month, dates.updated.day) == updated
    assert dates.created == (datetime(*created, tzinfo=UTC) if created else None)


@pytest.mark.parametrize(
    ("note", "status"),
    [
        ("---\nstatus: Superseded by ADR-12\n---\n# 결정\n", "superseded by adr-12"),
        ("# 결정\n\n## Status\n\nAccepted\n\n## Context\n", "accepted"),
        ("# 결정\n\n## 상태\n폐기\n", "폐기"),
        ("# 결정\n\n* Status: rejected\n", "rejected"),
        ("# 결정\n\n**Status:** deprecated\n", "deprecated"),
        ("# 결정\n\n## Status\n\n## Context\n", ""),
        ("# 결정\n\nThe status of orders is stored.\n", ""),
    ],
)
def test_a_decision_says_whether_it_still_holds(note: str, status: str) -> None:
    assert documents.declared_status(documents.parse_document(note)) == status


@pytest.mark.parametrize(
    ("text", "blank", "template"),
    [
        ("", True, True),
        ("<!-- 아직 없음 -->\n\n---\n", True, True),
        ("# 머리\n\n## 다음 단계\n- (다음 작업 1)\n", False, True),
        ("# Progress\n\n[Describe what works]\n\nTODO\n", False, True),
        ("# 진행\n\n결제는 끝났다.\n", False, False),
        ("See [the plan](plan.md).\n", False, False),
    ],
)
def test_a_template_is_told_from_a_note(text: str, blank: bool, template: bool) -> None:
    assert (documents.is_blank(text), documents.is_template(text)) == (blank, template)


def test_a_heading_in_a_code_fence_is_none() -> None:
    assert documents.first_heading("```sh\n# 주석\n```\n\n## 진짜 머리\n") == "진짜 머리"


@pytest.mark.parametrize(
    ("name", "title"),
    [("a/b.md", "b"), ("no-extension", "no-extension"), (".env", ".env"), ("v1.2.md", "v1.2")],
)
def test_a_file_name_becomes_a_title(name: str, title: str) -> None:
    assert documents.title_from_name(name) == title


@given(st.lists(st.sampled_from(["a", "b", "a~2", "a~2~2"]), max_size=12))
def test_keys_made_unique_never_collide(wanted: list[str]) -> None:
    taken: set[str] = set()
    made = [files.unique(key, taken) for key in wanted]
    assert len(set(made)) == len(made)
    assert taken == set(made)


@dataclass
class Notes:
    """A provider of given memories and problems, by entry."""

    held: dict[str, list[Memory | Problem]]
    listed: list[Problem] = field(default_factory=list)
    name: str = "notes"
    authority: Authority = Authority.CURATED
    Options: ClassVar[type] = object

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        raise NotImplementedError

    def entries(self, scope: Scope, deadline: Deadline) -> Iterator[Entry | Problem]:
        yield from self.listed
        yield from (Entry(key, "1") for key in self.held)

    def load(self, entry: Entry, scope: Scope) -> Iterator[Memory | Problem]:
        yield from self.held[entry.key]


SCOPE = Scope(Path("/h"), Path("/p"), Path("/p"), Path("/p"), ("p",))


def judged(provider: Notes, **rest: Any) -> Health:
    survey = documents.survey(provider, SCOPE, Deadline.after(60))
    return survey.health(places=("/h",), facts=("x",), reason="nothing here", next_step="write one")


def memory(identity: str, day: int) -> Memory:
    return Memory(identity, "본문", updated=datetime(2026, 5, day, tzinfo=UTC))


def test_a_survey_counts_memories_by_the_first_part_of_their_id() -> None:
    provider = Notes({"a/1": [memory("a/1", 1)], "a/2": [memory("a/2", 9)], "b": [memory("b", 3)], "c": []})
    survey = documents.survey(provider, SCOPE, Deadline.after(60))
    assert (survey.items, survey.parts, survey.silent) == (3, {"a": 2, "b": 1}, ("c",))
    assert survey.newest == datetime(2026, 5, 9, tzinfo=UTC)


def test_a_survey_stops_when_time_is_up() -> None:
    with pytest.raises(DeadlineExceeded):
        documents.survey(Notes({"a": []}), SCOPE, Deadline(0.0, lambda: 1.0))


def test_a_corpus_without_memories_is_never_ready() -> None:
    health = judged(Notes({"a": []}))
    assert (health.state, health.items, health.reason, health.next_step) == (
        State.EMPTY,
        0,
        "nothing here",
        "write one",
    )


def test_a_corpus_read_whole_is_ready_whatever_harmless_notes_there_are() -> None:
    note = Problem("a.md", "only a remark", harmless=True)
    health = judged(Notes({"a": [memory("a", 1)]}, [note]))
    assert (health.state, health.reason, health.problems) == (State.READY, "", (note,))


def test_damage_degrades_a_corpus_and_breaks_one_that_has_nothing_else() -> None:
    problems: list[Memory | Problem] = [Problem("a.md", "binary"), Problem("b.md", "binary")]
    assert judged(Notes({"a": [memory("a", 1), *problems]})).state is State.DEGRADED
    health = judged(Notes({"a": problems}))
    assert (health.state, health.reason) == (State.BROKEN, "a.md: binary (and 1 more)")


def test_reading_a_document_leaves_it_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "note.md"
    path.write_text("---\nname: x\n---\n본문\n")
    before = (path.read_bytes(), os.stat(path).st_mtime_ns, os.stat(tmp_path).st_mtime_ns)
    documents.read_document(path)
    assert (path.read_bytes(), os.stat(path).st_mtime_ns, os.stat(tmp_path).st_mtime_ns) == before


@pytest.mark.parametrize(
    ("front", "told", "expected", "origin"),
    [
        ("date: 2026-03-01", [("2026-02-01", "text")], (2026, 3, 1), "front matter"),
        ("title: a", [("no date", "text"), ("2026-02-01-a.md", "file name")], (2026, 2, 1), "file name"),
        ("title: a", [("no date", "text")], (2026, 5, 28), "file time"),
    ],
)
def test_a_date_told_elsewhere_counts_between_front_matter_and_file(
    front: str, told: list[tuple[str, str]], expected: tuple[int, int, int], origin: str
) -> None:
    dates = documents.dates(parse(f"---\n{front}\n---\n"), 1_780_000_000_000_000_000, told)
    assert dates.updated is not None
    assert (dates.updated.year, dates.updated.month, dates.updated.day) == expected
    assert dates.origin == origin


_MILLION = 1_000_000
_HOSTILE = "<!--§#§# #§ § \t§*§**§[§(§{{§: §- §1.§```§a:§가_§-§a-b_".split("§")


@pytest.mark.parametrize("unit", _HOSTILE)
@pytest.mark.parametrize("around", ["{}", "# {}!", "x {}"])
def test_a_megabyte_of_a_hostile_note_is_read_once(unit: str, around: str) -> None:
    # Any pattern that went back over what it had read would need hours for this.
    text = around.format(unit * (_MILLION // len(unit)))
    note = documents.parse_document(text)
    assert documents.is_blank(note.body) <= documents.is_template(note.body)
    assert len(note.title) <= 120


def test_a_name_with_many_underscores_is_a_title_at_once() -> None:
    # Each underscore is a letter and a separator: tried both ways, forty of them take years.
    name = "one_" * 40 + "more (old)"
    assert documents.parse_document(f"---\nname: {name}\n---\nbody\n").title.startswith("one_one_")
    assert documents.parse_document(f"---\nname: {'one_' * 40}more\n---\nbody\n").title == ""


def test_a_comment_that_is_never_closed_is_text() -> None:
    assert not documents.is_blank("<!-- 닫지 않은 주석")
    assert not documents.is_template("# 머리\n<!-- done --> <!-- 세 번만 재시도한다")
    assert documents.is_blank("<!-- one --> <!-- two -->")
