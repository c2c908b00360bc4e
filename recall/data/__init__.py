"""The data files that come with the program."""

from __future__ import annotations

import os

from recall.tokens import load_glossary


def glossary() -> dict[str, tuple[str, ...]]:
    """The developer glossary: Korean term to English words."""
    path = os.path.join(os.path.dirname(__file__), "ko_en_glossary.toml")
    with open(path, encoding="utf-8") as file:
        return load_glossary(file.read())
