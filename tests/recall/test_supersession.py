"""What comes of memories that say which took the place of which."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from recall.supersession import Said, standing


def says(*pairs: str, in_part: bool = False) -> list[Said]:
    """ "ab": a was superseded by b."""
    return [Said(pair[0], pair[1], f"superseded by {pair[1]}", in_part) for pair in pairs]


def test_a_chain_withdraws_all_but_its_last() -> None:
    found = standing(says("ab", "bc"))
    assert found.withdrawn == {"a": "superseded by b", "b": "superseded by c"}
    assert found.circles == ()


def test_two_that_supersede_each_other_are_disputed_and_both_stand() -> None:
    found = standing(says("ab", "ba"))
    assert found.withdrawn == {}
    assert found.disputed == {"a": ("b",), "b": ("a",)}
    assert found.circles == (("a", "b"),)


def test_a_circle_of_three_withdraws_none_of_them() -> None:
    found = standing(says("ab", "bc", "ca"))
    assert found.withdrawn == {}
    assert found.circles == (("a", "b", "c"),)


def test_what_a_memory_outside_of_a_circle_says_still_counts() -> None:
    found = standing(says("ab", "ba", "ac", "xa"))
    assert found.withdrawn == {"a": "superseded by c", "x": "superseded by a"}
    assert found.disputed == {"a": ("b",), "b": ("a",)}


def test_what_lies_between_two_circles_is_in_neither() -> None:
    found = standing(says("ab", "ba", "bc", "cd", "de", "ed"))
    assert found.circles == (("a", "b"), ("d", "e"))
    assert found.withdrawn == {"b": "superseded by c", "c": "superseded by d"}


def test_a_part_that_was_replaced_withdraws_nothing_and_makes_no_circle() -> None:
    found = standing([*says("ab", in_part=True), *says("ba")])
    assert found.amended == {"a": ("b",)}
    assert found.withdrawn == {"b": "superseded by a"}
    assert found.circles == ()


def test_a_memory_that_names_itself_says_nothing() -> None:
    assert standing(says("aa")).withdrawn == {}


def test_of_two_reasons_one_is_given_whatever_their_order() -> None:
    for said in (says("ab", "ac"), says("ac", "ab")):
        assert standing(said).withdrawn == {"a": "superseded by c"}


def test_a_chain_of_any_length_is_followed() -> None:
    names = [f"{number:06}" for number in range(20_000)]
    said = [Said(old, new, "x") for old, new in zip(names, [*names[1:], names[0]], strict=True)]
    assert standing(said).circles == (tuple(names),)


@given(st.lists(st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), max_size=20))
def test_a_memory_is_in_a_circle_if_its_successors_lead_back_to_it(pairs: list[tuple[str, str]]) -> None:
    found = standing(Said(old, new, "x") for old, new in pairs)

    def reached(start: str) -> set[str]:
        seen = {start}
        for _step in pairs:
            seen |= {new for old, new in pairs if old in seen}
        return seen

    for one in "abcdef":
        mates = {other for other in reached(one) if one in reached(other)} - {one}
        assert {other for circle in found.circles if one in circle for other in circle} - {one} == mates
