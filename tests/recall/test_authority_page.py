"""docs/authority.md says what the settings, the contract and the sources say."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import entry_points
from typing import Any

import pytest

from recall import merge
from recall.api import Authority
from recall.settings import AuthorityWeights
from support.worlds import REPOSITORY

PAGE = (REPOSITORY / "docs/authority.md").read_text("utf-8")
ROWS = re.findall(r"^\| `(\w+)` \| ([\d.]+) \| [^|]+ \| ([^|]+) \|$", PAGE, re.MULTILINE)


def test_the_order_is_that_of_the_contract() -> None:
    assert [name for name, _weight, _sources in ROWS] == [authority.value for authority in Authority]


def test_the_weights_are_the_defaults_and_fall() -> None:
    defaults = AuthorityWeights()
    weights = {name: float(weight) for name, weight, _sources in ROWS}
    assert weights == {authority.value: getattr(defaults, authority.value) for authority in Authority}
    assert list(weights.values()) == sorted(weights.values(), reverse=True)


def providers() -> dict[str, Any]:
    """The project's own providers, by name."""
    own = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))
    names = own["project"]["entry-points"]["recall.providers"]
    found = entry_points(group="recall.providers")
    loaded = {name: found[name].load().recall_provider() for name in names}
    return {name: one for name, one in loaded.items() if not hasattr(one, "policies")}  # rules are no memory


def test_every_source_is_in_the_row_of_its_authority() -> None:
    told = {
        name: authority for authority, _weight, sources in ROWS for name in re.findall(r"`([\w-]+)`", sources)
    }
    assert told == {name: provider.authority.value for name, provider in providers().items()}


@pytest.mark.parametrize(
    ("words", "factor"),
    [
        ("loses 15 %", 1 - 0.85),
        ("sinks by 25 % or", 1 - merge._WITHDRAWN),
        ("or 20 %", 1 - merge._CONTRADICTED),
        ("vanished from its source sinks by 15 %", 1 - merge._VANISHED),
    ],
)
def test_the_shares_are_those_of_the_formula(words: str, factor: float) -> None:
    assert words in " ".join(PAGE.split())
    assert f"{factor:.0%}".replace("%", " %") in words


def test_the_example_is_one_that_the_settings_take() -> None:
    example = re.search(r"```toml\n(.*?)```", PAGE, re.DOTALL)
    assert example is not None
    values = tomllib.loads(example[1])
    assert set(values["authority"]) <= set(AuthorityWeights.__dataclass_fields__)
    assert Authority(values["providers"]["claude-mem"]["authority"])
