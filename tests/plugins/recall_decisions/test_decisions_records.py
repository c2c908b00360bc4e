"""Records in folders: which files they are, which took the place of which, what changes a stamp."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall import conventions
from recall.api import Authority, Entry, Memory, State
from recall.errors import StoreAbsent
from recall.render import plain
from recall_decisions.provider import DecisionsOptions
from support.worlds import make_engine, snapshot

if TYPE_CHECKING:
    from conftest import World

CORPUS = Path(__file__).resolve().parents[3] / "docs/decisions"


def adr(title: str, status: str = "Accepted", more: str = "", text: str = "Orders stay in Postgres.") -> str:
    return f"# {title}\n\n## Status\n\n{status}\n\n## Decision\n\n{text}\n{more}"


# -- which took the place of which ----------------------------------------------------------------------------


def test_a_superseded_record_names_the_one_that_took_its_place(world: World) -> None:
    world.record("0004-queue", adr("4. Queue", "Accepted\n\nSuperseded by [12. Kafka](0012-kafka.md)"))
    world.record("0012-kafka", adr("12. Kafka"))
    found = world.memories()
    assert found["docs/adr/0004-queue"].withdrawn == "superseded by 0012 (docs/adr/0012-kafka.md)"
    assert found["docs/adr/0004-queue"].extra["superseded_by"] == "docs/adr/0012-kafka"
    assert found["docs/adr/0012-kafka"].withdrawn == ""


@pytest.mark.parametrize(
    "reference",
    ["ADR-0012", "ADR 12", "#12", "0012", "12", "[[0012-kafka]]", "`0012-kafka`", "[new](./0012-kafka.md)",
     "[ADR-12](0012-kafka.md#status)", "0012-kafka.md", "2026-01-02 ADR-12", "ADR-12, see the discussion"],
)  # fmt: skip
def test_a_reference_is_resolved_however_it_is_written(world: World, reference: str) -> None:
    world.record("0004-queue", adr("4. Queue", f"Superseded by {reference}"))
    world.record("0012-kafka", adr("12. Kafka"))
    assert world.withdrawn() == {"0004-queue": "superseded by 0012 (docs/adr/0012-kafka.md)"}


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("Superseded by ADR-0123", "superseded by ADR-0123"),
        ("Superseded by [the RFC](https://example.org/rfc)", "superseded by the RFC"),
        ("Superseded", "superseded"),
        ("Deprecated", "deprecated"),
        ("Rejected", "rejected"),
        ("폐기됨", "deprecated"),
        ("거부됨", "rejected"),
        ("0099로 대체됨", "superseded by 0099"),
        ("2026-01-02: Superseded", "superseded"),
        ("Superseded\n\nSee ADR-99.", "superseded by ADR-99"),
    ],
)
def test_a_record_says_why_it_no_longer_stands(world: World, status: str, expected: str) -> None:
    world.record("0004-queue", adr("4. Queue", status))
    assert world.withdrawn() == {"0004-queue": expected}


@pytest.mark.parametrize("newest", ["Accepted", "", "Amended by ADR-20", "Deprecated"])
def test_what_only_the_newer_record_says_withdraws_the_older_one(world: World, newest: str) -> None:
    world.record("0004-queue", adr("4. Queue"))
    world.record("0012-kafka", adr("12. Kafka", newest, "\nSupersedes ADR-0004.\n"))
    assert world.withdrawn()["0004-queue"] == "superseded by 0012 (docs/adr/0012-kafka.md)"


@pytest.mark.parametrize("newest", ["Proposed", "Rejected"])
def test_a_proposal_or_a_rejected_record_withdraws_nothing(world: World, newest: str) -> None:
    world.record("0004-queue", adr("4. Queue"))
    world.record("0012-kafka", adr("12. Kafka", newest, "\nSupersedes ADR-0004.\n"))
    assert "0004-queue" not in world.withdrawn()


def test_a_chain_of_records_leaves_only_the_last_one_standing(world: World) -> None:
    world.record("0001-a", adr("1. A"))
    world.record("0002-b", adr("2. B", "Accepted, supersedes [1](0001-a.md)"))
    world.record(
        "0003-c", "---\nstatus: accepted\nsupersedes:\n  - 0002\n---\n# C\n\n## Decision\n\n그렇게 한다.\n"
    )
    assert {name: why.split(" (")[0] for name, why in world.withdrawn().items()} == {
        "0001-a": "superseded by 0002",
        "0002-b": "superseded by 0003",
    }


def test_a_record_that_is_superseded_in_part_stands_and_names_what_amends_it(
    world: World, tmp_path: Path
) -> None:
    world.record("0005-queue", adr("5. Queue", text="Orders wait in a RabbitMQ queue."))
    world.record("0012-kafka", adr("12. Kafka", "Accepted, supersedes 5 in part", text="Events go to Kafka."))
    assert world.withdrawn() == {}
    engine = make_engine(tmp_path, [world.provider], scope=world.scope)
    (hit,) = engine.recall("RabbitMQ queue", deadline=30).hits
    assert (hit.ranked.row.withdrawn, hit.ranked.row.flags) == ("", "amended-by:docs/adr/0012-kafka")
    assert "amended-by docs/adr/0012-kafka" in plain.answer(engine.recall("RabbitMQ queue", deadline=30))


@pytest.mark.parametrize("form", ["Accepted, supersedes {}", "Superseded by {}"])
@pytest.mark.parametrize("count", [2, 3])
def test_records_that_supersede_each_other_all_stand_and_it_is_said(
    world: World, tmp_path: Path, form: str, count: int
) -> None:
    for number in range(1, count + 1):
        other = form.format(f"ADR-{number % count + 1}")
        world.record(f"000{number}-queue", adr(f"{number}. Queue", other, text="Orders wait in a queue."))
    assert world.withdrawn() == {}
    circle = ", ".join(f"docs/adr/000{number}-queue" for number in range(1, count + 1))
    assert f"superseding each other, so none is withdrawn: {circle}" in world.health().facts
    answer = make_engine(tmp_path, [world.provider], scope=world.scope).recall("orders queue", deadline=30)
    members = [member.row for hit in answer.hits for member in hit.ranked.members()]
    assert len(members) == count
    assert all(row.withdrawn == "" and row.flags.startswith("disputed-by:") for row in members)
    (note,) = answer.outcomes[0].notes
    assert note.startswith(f"{circle}: each is said to supersede another")


def test_records_of_one_number_are_told_apart_by_name_only(world: World) -> None:
    world.record("0004-queue", adr("4. Queue"))
    world.record("0004-cache", adr("4. Cache"))
    world.record("0005-a", adr("5. A", "Accepted, supersedes ADR-0004"))
    assert world.withdrawn() == {}
    world.record("0005-a", adr("5. A", "Accepted, supersedes [4](0004-cache.md)"))
    assert set(world.withdrawn()) == {"0004-cache"}


def test_a_line_that_says_when_and_by_what_names_the_successor(world: World) -> None:
    world.record(
        "0006-tags", "# 6. Tags\n\nSuperseded: 2019-12-19 by [ADR 14](0014-tags.md)\n\nWe decided.\n"
    )
    world.record("0014-tags", adr("14. Tags"))
    assert world.withdrawn() == {"0006-tags": "superseded by 0014 (docs/adr/0014-tags.md)"}


def test_dated_names_are_referred_to_by_name(world: World) -> None:
    world.record("20260102-queue", adr("Queue", "superseded by [Kafka](20260304-kafka.md)"))
    world.record("20260304-kafka", adr("Kafka"))
    assert world.withdrawn() == {
        "20260102-queue": "superseded by 20260304-kafka (docs/adr/20260304-kafka.md)"
    }


def test_a_korean_name_in_decomposed_letters_is_the_same_record(world: World) -> None:
    world.record(unicodedata.normalize("NFD", "0004-주문-큐"), adr("주문 큐"))
    world.record("0012-카프카", adr("카프카", "채택", "\n[[0004-주문-큐]]를 대체한다.\n"))
    assert world.withdrawn() == {"0004-주문-큐": "superseded by 0012 (docs/adr/0012-카프카.md)"}


def test_records_of_other_folders_are_not_meant(world: World) -> None:
    world.put("packages/api/docs/adr/0004-queue.md", adr("4. Queue"))
    world.record("0004-queue", adr("4. Queue"))
    world.put("packages/api/docs/adr/0005-kafka.md", adr("5. Kafka", "Accepted, supersedes ADR-4"))
    said = [old for one in world.memories().values() for old in one.withdraws]
    assert said == ["packages/api/docs/adr/0004-queue"]


def test_records_put_into_an_archive_folder_are_withdrawn(world: World) -> None:
    world.record("archive/0001-a", adr("1. A"))
    world.record("archive/0002-b", adr("2. B", "Rejected"))
    assert world.withdrawn() == {"0001-a": "archived", "0002-b": "rejected"}


# -- stamps ---------------------------------------------------------------------------------------------------


def stamps(entries: dict[str, Entry]) -> dict[str, str]:
    return {key: entry.stamp for key, entry in entries.items()}


def test_a_new_record_changes_no_other_stamp_even_if_it_supersedes_one(world: World) -> None:
    world.record("0004-queue", adr("4. Queue"))
    before = world.entries()
    assert stamps(world.entries()) == stamps(before)
    world.record("0012-kafka", adr("12. Kafka", "Accepted, supersedes ADR-4"))
    assert world.entries()["docs/adr/0004-queue.md"].stamp == before["docs/adr/0004-queue.md"].stamp


def test_a_renamed_record_changes_the_stamps_of_those_that_may_refer_to_it(world: World) -> None:
    world.record("0004-queue", adr("4. Queue"))
    world.record("0012-kafka", adr("12. Kafka", "Accepted, supersedes ADR-4"))
    before = world.entries()["docs/adr/0012-kafka.md"].stamp
    (world.root / "docs/adr/0004-queue.md").rename(world.root / "docs/adr/0004-orders.md")
    assert world.entries()["docs/adr/0012-kafka.md"].stamp != before
    assert set(world.withdrawn()) == {"0004-orders"}


def test_a_record_of_another_folder_changes_no_stamp(world: World) -> None:
    world.record("0004-queue", adr("4. Queue"))
    before = world.entries()["docs/adr/0004-queue.md"].stamp
    world.put("web/docs/adr/0001-a.md", adr("1. A"))
    assert world.entries()["docs/adr/0004-queue.md"].stamp == before


def test_a_listing_reads_no_record(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(1, 30):
        world.record(f"{number:04}-a", adr(f"{number}. A", f"Accepted, supersedes ADR-{number - 1}"))
    read: list[str] = []
    monkeypatch.setattr("recall.documents.read_document", lambda path, *_: read.append(path))
    assert len(world.entries()) == 29
    assert read == []


def test_the_index_learns_of_a_supersession_from_the_newer_record_alone(world: World, tmp_path: Path) -> None:
    world.record("0004-queue", adr("4. Queue", text="Orders wait in a RabbitMQ queue of three nodes."))
    engine = make_engine(tmp_path, [world.provider], scope=world.scope)
    (hit,) = engine.recall("orders queue", deadline=30).hits
    assert hit.ranked.row.withdrawn == ""
    kafka = adr("12. Kafka", "Accepted, supersedes ADR-4", text="Orders wait in a Kafka topic, no queue.")
    world.record("0012-kafka", kafka)
    found = engine.recall("orders queue", deadline=30)
    shown = {
        one.row.uri.rsplit("/", 1)[-1]: one.row.withdrawn
        for hit in found.hits
        for one in hit.ranked.members()
    }
    assert shown == {"0012-kafka": "", "0004-queue": "superseded by 0012 (docs/adr/0012-kafka.md)"}
    assert found.hits[0].ranked.row.uri.endswith("0012-kafka")
    os.unlink(world.root / "docs/adr/0012-kafka.md")
    (hit,) = engine.recall("orders queue", deadline=30).hits
    assert hit.ranked.row.withdrawn == ""


# -- which files they are -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "folder", [*conventions.DECISION_FOLDERS, "docs/ADR", "packages/api/docs/adr", "web/adr"]
)
def test_records_are_found_in_the_usual_places(world: World, folder: str) -> None:
    world.put(f"{folder}/0001-a.md", adr("1. A"))
    assert set(world.memories()) == {f"{folder}/0001-a"}
    assert conventions.owner(f"{folder}/0001-a.md") == "decisions"


@pytest.mark.parametrize("folder", ["src/decisions", "node_modules/x/docs/adr", ".git/adr", "a/b/c/docs/adr"])
def test_other_folders_are_not_searched(world: World, folder: str) -> None:
    world.put(f"{folder}/0001-a.md", adr("1. A"))
    with pytest.raises(StoreAbsent):
        world.listed()
    assert conventions.owner(f"{folder}/0001-a.md") == ""


def test_the_parts_of_a_repository_that_are_looked_into_are_bounded_and_the_rest_is_said(
    world: World,
) -> None:
    for number in range(305):
        (world.root / f"part-{number:03}").mkdir()
    world.put("part-000/docs/adr/0001-a.md", adr("1. A"))
    assert set(world.memories()) == {"part-000/docs/adr/0001-a"}
    (problem,) = world.problems().values()
    assert problem.harmless
    assert problem.reason.startswith("5 parts of the repository are not looked into")


def test_the_folder_that_adr_tools_was_told_is_read(world: World) -> None:
    world.put(".adr-dir", "doc/beslissingen\n")
    world.put("doc/beslissingen/0001-a.md", adr("1. A"))
    assert set(world.memories()) == {"doc/beslissingen/0001-a"}


@pytest.mark.parametrize("line", ["../outside", "/etc", ".", "", "a/../../outside", "link"])
def test_a_folder_out_of_the_project_that_adr_tools_was_told_is_not_read(
    world: World, tmp_path: Path, line: str
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "0001-a.md").write_text(adr("1. A"))
    (world.root / "link").symlink_to(outside)
    world.put(".adr-dir", line)
    world.record("0002-b", adr("2. B"))
    assert set(world.memories()) == {"docs/adr/0002-b"}


def test_further_folders_are_read_and_named_by_their_place(world: World, tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    (tmp_path / "team/0001-a.md").write_text(adr("1. A"))
    world.put("handbook/choices/0002-b.md", adr("2. B"))
    world.options = DecisionsOptions(folders=(str(tmp_path / "team"), "handbook/choices", "not/there"))
    assert set(world.memories()) == {"team/0001-a", "handbook/choices/0002-b"}


def test_a_folder_named_and_found_comes_once(world: World) -> None:
    world.record("0001-a", adr("1. A"))
    world.options = DecisionsOptions(folders=("docs/adr", "docs"))
    assert len(world.memories()) == 1


@pytest.mark.parametrize(
    "name",
    ["README", "index", "template", "adr-template", "0000-template", "000-template-record-decision", "_template",
     "adr-template-bare-minimal", "templates/0001-a", ".hidden", "템플릿"],
)  # fmt: skip
def test_pages_about_the_records_are_no_decisions(world: World, name: str) -> None:
    world.record(name, adr("How to write one"))
    health = world.health()
    assert (health.state, health.items) == (State.EMPTY, 0)
    assert health.next_step


@pytest.mark.parametrize("name", ["0012-template-engine", "0013-index-strategy", "0014-readme-badges"])
def test_decisions_about_templates_and_indexes_are_decisions(world: World, name: str) -> None:
    world.record(name, adr("12. Engine"))
    assert set(world.memories()) == {f"docs/adr/{name}"}


@pytest.mark.parametrize(
    "text",
    [
        "# 7. Title\n\nDate: 2026-01-02\n\n## Status\n\nProposed\n\n## Context\n\n"
        "The issue motivating this decision, and any context that influences or constrains the decision.\n",
        '---\nstatus: "{proposed | accepted}"\n---\n# {short title}\n\n## Context\n\n{Describe the context}\n\n'
        '## Decision Outcome\n\nChosen option: "{title of option 1}", because {why it was chosen}.\n',
        "# Title\n\n## Status\n\nAccepted\n\n## Decision\n\n[What was decided]\n",
        "",
        "<!-- nothing yet -->\n",
    ],
)
def test_a_template_that_nobody_filled_in_is_no_decision(world: World, text: str) -> None:
    world.record("0007-new", text)
    assert world.health().state is State.EMPTY


def test_a_y_statement_is_a_decision(world: World) -> None:
    world.record("0003-y", "In the context of checkout, facing lost orders, we decided for Postgres.\n")
    (memory,) = world.memories().values()
    assert (memory.title, memory.authority) == ("0003-y", None)


def test_a_page_without_any_sign_of_a_record_is_believed_as_a_note(world: World) -> None:
    world.record("glossary", "# Words\n\nAn order is what a customer sends.\n")
    (memory,) = world.memories().values()
    assert memory.authority is Authority.CURATED


def test_a_worktrees_own_record_comes_before_the_main_checkouts(world: World, tmp_path: Path) -> None:
    main = tmp_path / "main"
    for root, text in ((main, "old"), (world.root, "new")):
        (root / "docs/adr").mkdir(parents=True)
        (root / "docs/adr/0001-a.md").write_text(adr("1. A", text=text))
    (main / "docs/adr/0002-b.md").write_text(adr("2. B"))
    world.change(main_root=main)
    found = world.memories()
    assert set(found) == {"docs/adr/0001-a", "docs/adr/0002-b"}
    assert "new" in found["docs/adr/0001-a"].text


# -- odd files ------------------------------------------------------------------------------------------------


def test_links_stay_in_the_project(world: World, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text(adr("Secret"))
    world.record("0001-a", adr("1. A"))
    (world.root / "docs/adr/0002-leak.md").symlink_to(tmp_path / "secret.md")
    (world.root / "decisions").symlink_to(tmp_path)
    (world.root / "DECISIONS.md").symlink_to(tmp_path / "secret.md")
    assert set(world.memories()) == {"docs/adr/0001-a"}
    reasons = {Path(where).name: problem.reason for where, problem in world.problems().items()}
    assert "leaves the store" in reasons["0002-leak.md"]
    assert "leaves the project" in reasons["decisions"]
    assert "leaves the store" in reasons["DECISIONS.md"]
    assert world.health().state is State.DEGRADED


def test_odd_files_are_reported_and_the_rest_is_served(world: World) -> None:
    world.record("0001-a", adr("주문", text="주문은 보관한다.").encode("cp949"))
    world.record("0002-b", b"\x00\x01")
    world.record("0003-c", adr("3. C") + "가" * 2_000)
    os.mkfifo(world.root / "docs/adr/0004-pipe.md")
    world.options = DecisionsOptions(max_file_bytes=1_024)
    assert world.memories()["docs/adr/0001-a"].title == "주문"
    reasons = {where: problem.reason for where, problem in world.problems().items()}
    assert reasons.keys() == {f"docs/adr/{name}.md" for name in ("0002-b", "0003-c", "0004-pipe")}
    assert "cut after" in reasons["docs/adr/0003-c.md"]
    health = world.health()
    assert (health.state, health.items) == (State.DEGRADED, 2)


def test_nothing_that_can_be_read_is_broken(world: World) -> None:
    world.record("0002-b", b"\x00\x01")
    health = world.health()
    assert health.state is State.BROKEN
    assert "docs/adr/0002-b.md" in health.reason


def test_a_project_without_decisions_is_absent_and_says_what_to_do(world: World) -> None:
    health = world.health()
    assert (health.state, health.items) == (State.ABSENT, 0)
    assert "docs/decisions" in health.next_step
    assert str(world.root / "docs/adr") in health.places


def test_doctor_counts_what_no_longer_stands(world: World) -> None:
    world.record("0004-queue", adr("4. Queue"))
    world.record("0005-ftp", adr("5. FTP", "Deprecated"))
    world.record("0012-kafka", adr("12. Kafka", "Accepted, supersedes ADR-4"))
    health = world.health()
    assert (health.state, health.items) == (State.READY, 3)
    assert "withdrawn, as superseded or the like: 2" in health.facts


def test_reading_changes_nothing(world: World, tmp_path: Path) -> None:
    world.record("0004-queue", adr("4. Queue", "Superseded by ADR-12"))
    world.record("0012-kafka", "---\nstatus: [broken\n---\n# 12. Kafka\n\nWe decided.\n")
    world.put("DECISIONS.md", "# Decisions\n\n- 2026-01-02: Postgres.\n")
    world.put(".adr-dir", "docs/adr")
    before = snapshot(tmp_path)
    world.health()
    world.memories()
    assert snapshot(tmp_path) == before


def test_this_projects_own_decisions_are_read(world: World) -> None:
    world.options = DecisionsOptions(folders=(str(CORPUS),))
    found = [item for item in world.loaded() if isinstance(item, Memory)]
    assert len(found) == len(list(CORPUS.glob("0*.md")))
    assert all(memory.title and not memory.withdrawn for memory in found)
