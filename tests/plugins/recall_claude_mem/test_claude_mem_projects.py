"""Which rows belong to the project in hand."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recall_claude_mem.projects import is_observer, own_labels

if TYPE_CHECKING:
    from conftest import World


def titles(world: World) -> list[str]:
    return sorted(memory.title for memory in world.memories().values())


def test_only_rows_of_the_project_are_listed_with_their_label(world: World) -> None:
    store = world.store()
    store.observation("우리 것")
    store.observation("남의 것", project="lighthouse")
    store.summary("남의 요약", project="lighthouse")
    assert titles(world) == ["우리 것"]
    world.change(all_projects=True)
    assert {memory.title: memory.project for memory in world.memories().values()} == {
        "우리 것": "shop-api",
        "남의 것": "lighthouse",
        "남의 요약": "lighthouse",
    }


def test_worktrees_and_merged_projects_belong_to_it(world: World) -> None:
    store = world.store(52)
    store.observation("본 저장소")
    store.observation("작업 폴더", project="shop-api/feat-pay")
    store.observation("합친 것", project="old-name", merged_into_project="shop-api")
    store.observation("이름만 비슷", project="shop-api-docs")
    store.summary("합친 요약", project="old-name", merged_into_project="shop-api")
    assert titles(world) == ["본 저장소", "작업 폴더", "합친 것", "합친 요약"]


def test_every_name_of_the_scope_counts_and_so_do_names_from_the_settings(world: World) -> None:
    store = world.store(23)
    store.observation("원격 이름", project="shop-backend")
    store.observation("설정에서", project="legacy")
    store.observation("다른 것", project="blog")
    world.change(names=("shop-api", "shop-backend"))
    assert titles(world) == ["원격 이름"]
    world.choose(projects=("legacy",))
    assert titles(world) == ["설정에서", "원격 이름"]


def test_names_with_wildcards_match_themselves_only(world: World) -> None:
    store = world.store()
    store.observation("밑줄", project="a_b%")
    store.observation("아님", project="axbyy")
    store.observation("아래", project="a_b%/feat")
    world.change(names=("a_b%",))
    assert titles(world) == ["밑줄", "아래"]


@pytest.mark.parametrize("stored", ["NFC", "NFD"])
def test_names_match_in_every_unicode_form(world: World, stored: str) -> None:
    world.store().observation("글", project=unicodedata.normalize(stored, "한글-블로그"))  # type: ignore[arg-type]
    world.change(names=("한글-블로그",))
    assert [memory.project for memory in world.memories().values()] == ["한글-블로그"]


def test_another_case_counts_only_where_the_exact_name_is_unknown() -> None:
    assert own_labels(["Shop-API", "blog"], ["shop-api"]) == {"Shop-API"}
    assert own_labels(["Shop-API", "shop-api"], ["shop-api"]) == {"shop-api"}


@given(st.lists(st.text(max_size=6)), st.lists(st.text(max_size=6)))
def test_own_labels_are_labels_and_an_equal_name_is_always_among_them(
    labels: list[str], names: list[str]
) -> None:
    own = own_labels(labels, names)
    assert own <= set(labels)
    assert own >= {label for label in labels if label and label in names}


@pytest.mark.parametrize("label", ["observer-sessions", "observer-sessions/x", "13.12.4", "12.0.0-beta.1"])
def test_claude_mem_watching_itself_is_left_out(world: World, label: str) -> None:
    store = world.store()
    store.observation("관찰자", project=label)
    store.observation("진짜")
    world.change(all_projects=True)
    assert titles(world) == ["진짜"]
    health = world.health()
    assert health.items == 1
    assert "1 rows of claude-mem watching itself, left out" in health.facts


def test_a_project_that_is_really_called_like_a_version_is_kept() -> None:
    assert is_observer("1.2.3")
    assert not is_observer("1.2.3", ["1.2.3"])
    assert not is_observer("v1.2")


def test_the_observer_s_own_words_are_left_out_wherever_they_were_stored(world: World) -> None:
    store = world.store()
    store.observation("제목", narrative="<observed_from_primary_session> tool output")
    store.observation("You are a Claude-Mem, a specialized observer")
    store.summary("Hello memory agent, you are continuing")
    store.observation(
        "관찰 도구를 고쳤다", narrative="The tag <observed_from_primary_session> is now closed."
    )
    assert titles(world) == ["관찰 도구를 고쳤다"]
    assert world.health().items == 1
