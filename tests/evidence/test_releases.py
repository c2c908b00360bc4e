"""How a sentence speaks of a version."""

from __future__ import annotations

import pytest

from recall.evidence.claims import Claim, Kind, claims_of
from recall.evidence.dependencies import agrees
from recall.evidence.outline import Tense


def version(text: str) -> Claim:
    return next(claim for claim in claims_of(text).claims if claim.kind is Kind.VERSION)


@pytest.mark.parametrize(
    "text",
    [
        "React 18 introduced batching.",
        "React 17 no longer pools events.",
        "In React 18 effects run twice.",
        "Coming from React 17 you change the root call.",
        "Upgrade to React 19 when it is out.",
        "Tested against React 17, 18 and 19.",
        "httpx 0.26 had a bug.",
        "React 17에서는 이벤트가 모인다.",
    ],
)
def test_what_is_said_of_a_release_is_not_said_of_the_project(text: str) -> None:
    assert version(text).tense is not Tense.PRESENT


@pytest.mark.parametrize(
    "text",
    [
        "At least httpx 0.27.",
        "Do not go below httpx 0.27.",
        "It works since httpx 0.27.",
        "httpx 0.27+ is needed.",
        "httpx 0.27 or newer.",
        "httpx 0.27 이상",
    ],
)
def test_a_bound_holds_for_what_is_newer(text: str) -> None:
    assert version(text).operator == ">="


@pytest.mark.parametrize(
    "text", ["React 17 class components.", "We use React 17 because of the map.", "React 17 is pinned."]
)
def test_what_is_said_of_the_project_is_asserted(text: str) -> None:
    assert version(text).tense is Tense.PRESENT
    assert version(text).operator == ""


@pytest.mark.parametrize(
    ("demanded", "holds"),
    [(">=0.28,<0.29", True), ("==0.27.2", True), (">=0.26,<0.27", False), ("==0.26", False)],
)
def test_a_lower_bound_agrees_with_what_is_demanded_above_it(demanded: str, holds: bool) -> None:
    assert agrees("0.27", ">=", demanded) is holds
