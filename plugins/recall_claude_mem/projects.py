"""Which of the store's project labels are the project in hand.

claude-mem names a project after its folder and a worktree "<repository>/<worktree>"; older versions used the
worktree's own folder name. A label is no path: two checkouts of one name share it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_OBSERVER = "observer-sessions"
_VERSION = re.compile(r"\d+\.\d+\.\d+([-.+][\w.]+)?")  # the plugin's own folder, recorded as a project


def own_labels(labels: Iterable[str], names: Iterable[str]) -> frozenset[str]:
    """Labels that equal a name, or a worktree's below it, in any Unicode form; else those that do but for case."""
    wanted = {_composed(name) for name in names if name}
    found = [label for label in labels if label]
    exact = frozenset(label for label in found if _belongs(_composed(label), wanted))
    if exact:
        return exact
    folded = {name.casefold() for name in wanted}
    return frozenset(label for label in found if _belongs(_composed(label).casefold(), folded))


def is_observer(label: str, names: Iterable[str] = ()) -> bool:
    """Whether a label stands for claude-mem watching itself, unless somebody's project is called that."""
    watched = label == _OBSERVER or label.startswith(_OBSERVER + "/") or _VERSION.fullmatch(label) is not None
    return watched and label not in names


def _belongs(label: str, names: set[str]) -> bool:
    return label in names or any(label.startswith(name + "/") for name in names)


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)
