"""The views: made from the journal, bounded with counts, and what somebody wrote into one is kept."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from recall.checkpoints import VIEWS
from recall.context import viewfiles, views
from recall.context.repair import repair
from recall.files import swap

if TYPE_CHECKING:
    from conftest import Project


def test_each_view_tells_its_part_of_what_stands(project: Project) -> None:
    project.save("decision", "MySQL", project="shop-api")
    project.save(
        "decision", "Postgres", why="one backup", closes=("1",), paths=("db.py",), project="shop-api"
    )
    project.save("rejected", "Kafka")
    project.save("blocker", "Sandbox down", next=("call the bank",))
    project.save("handoff", "Refunds\nhalf done", next=("finish refunds", "배포"), project="shop-api")
    last = project.save("milestone", "배포", project="shop-api")
    decisions, handoff, session = (
        project.view(name) for name in ("DECISIONS.md", "HANDOFF.md", "SESSION_CHECKPOINT.md")
    )
    assert decisions.startswith(
        f"# Decisions: shop-api\n\nUpdated: 2026-05-28T20:31:40Z\nRevision: {last.revision}"
    )
    standing, _, gone = decisions.partition("## No longer standing")
    assert "Postgres" in standing
    assert "MySQL" not in standing
    assert "- decision: MySQL (1-" in gone
    assert "  - why: one backup\n  - paths: db.py" in standing
    for view in (handoff, session):
        assert "1. finish refunds (5-" in view
        assert "call the bank" not in view  # replaced by the hand-over's steps
        assert "배포 (5-" not in view  # done
        assert "- Sandbox down (4-" in view
        assert "- Refunds\n  half done (5-" in view
    snapshot = json.loads(project.view("SNAPSHOT.json"))
    assert [step["text"] for step in snapshot["next"]] == ["finish refunds"]
    assert (snapshot["revision"], snapshot["entries"], snapshot["closed"]) == (last.revision, 6, 1)
    assert "배포" not in [text for one in snapshot["standing"] for text in one.get("next", ())]


def test_long_lists_are_bounded_and_the_rest_is_counted(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "LISTED", 3)
    for number in range(5):
        project.save("decision", f"decision {number}", next=(f"step {number}",))
    decisions = project.view("DECISIONS.md")
    assert "decision 1 (" not in decisions
    assert "- … 2 more; `recall checkpoint list --all` lists every one" in decisions
    snapshot = json.loads(project.view("SNAPSHOT.json"))
    assert (len(snapshot["standing"]), snapshot["standing_count"]) == (3, 5)
    assert (len(snapshot["next"]), snapshot["next_count"]) == (3, 5)


def test_a_view_has_the_time_of_the_state_it_shows(project: Project) -> None:
    project.save()
    times = {os.stat(project.folder / name).st_mtime for name in VIEWS}
    assert times == {1_780_000_000.0}


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_changed_by_hand_is_kept_aside_with_a_number_and_that_is_said(
    project: Project, name: str
) -> None:
    project.save()
    stem, _, ending = name.rpartition(".")
    for number in (1, 2):
        (project.folder / name).write_text(f"by hand {number}")
        saved = project.save()
        aside = f"{stem}.edited-{number}.{ending}"
        assert saved.kept_aside == (aside,)
        assert f"a view that was changed by hand is kept as .context/{aside}" in saved.notes
        assert project.view(aside) == f"by hand {number}"
        assert "by hand" not in project.view(name)
    assert project.save().kept_aside == ()


def test_one_changed_character_is_a_change_and_an_emptied_view_holds_nothing_to_keep(
    project: Project,
) -> None:
    project.save()
    page = project.view("HANDOFF.md")
    (project.folder / "HANDOFF.md").write_text(page.replace("Hand-over", "Hand-Over"))
    assert project.save().kept_aside == ("HANDOFF.edited-1.md",)
    (project.folder / "HANDOFF.md").write_text("")
    assert project.save().kept_aside == ()


def test_a_link_or_a_folder_in_a_views_place_is_kept_aside_and_not_followed(project: Project) -> None:
    project.save()
    victim = project.root / "victim.md"
    victim.write_text("mine")
    (project.folder / "HANDOFF.md").unlink()
    (project.folder / "HANDOFF.md").symlink_to(victim)
    (project.folder / "DECISIONS.md").unlink()
    (project.folder / "DECISIONS.md").mkdir()
    assert set(project.save().kept_aside) == {"HANDOFF.edited-1.md", "DECISIONS.edited-1.md"}
    assert victim.read_text() == "mine"
    assert (project.folder / "HANDOFF.edited-1.md").is_symlink()


def test_a_change_in_the_very_moment_of_the_exchange_is_kept(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.save()
    real = swap.exchange

    def late(new: Path, path: Path) -> None:
        path.write_text(f"late {path.name}")
        real(new, path)

    monkeypatch.setattr(swap, "exchange", late)
    kept = project.save().kept_aside
    assert {project.view(name) for name in kept} == {f"late {name}" for name in VIEWS}


def test_a_change_that_a_crash_left_under_a_hidden_name_is_found_by_the_next_save(project: Project) -> None:
    project.save()
    (project.folder / ".HANDOFF.md.new").write_text("by hand")
    (project.folder / ".HANDOFF.md.part").write_text("half a vi")
    assert project.save().kept_aside == ("HANDOFF.edited-1.md",)
    assert project.view("HANDOFF.edited-1.md") == "by hand"
    assert not [name for name in project.names() if name.endswith((".new", ".part"))]


def test_the_state_of_every_view_is_told_without_changing_any(project: Project) -> None:
    project.save()
    second = project.save()
    old = project.view("DECISIONS.md")
    third = project.save()
    (project.folder / "DECISIONS.md").write_text(old)
    (project.folder / "HANDOFF.md").write_text("by hand")
    (project.folder / "SNAPSHOT.json").unlink()
    assert second.revision != third.revision
    assert viewfiles.states(project.folder, third.revision) == {
        "SNAPSHOT.json": "missing; the next save makes it",
        "SESSION_CHECKPOINT.md": "as the journal says",
        "HANDOFF.md": "changed by hand; the next save keeps it aside",
        "DECISIONS.md": "older than the journal; the next save makes it anew",
    }


def test_a_repair_makes_the_views_anew(project: Project) -> None:
    project.save()
    (project.folder / "DECISIONS.md").unlink()
    assert repair(project.root).kept_aside == ()
    assert "Postgres" in project.view("DECISIONS.md")
