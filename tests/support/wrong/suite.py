"""The contract for every provider of this folder; run by pytest in a process of its own."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from recall.testing import FolderCorpus, ProviderContract, SearchProviderContract
from support.wrong import providers, right, right_search

_SECONDS = {providers.Hanging: 0.2}  # nothing else is waited for


def contract(provider: Any, plugin: ModuleType | str) -> type:
    """A test class for one provider."""

    class Corpus(FolderCorpus):
        def __init__(self, folder: Path) -> None:
            super().__init__(folder, plugin, "~/notes/{name}.md", limits={"max_file_bytes": 1024})
            self.provider_class = provider
            self.options = provider.Options()

    @pytest.fixture
    def corpus(self: Any, tmp_path: Path) -> Corpus:
        return Corpus(tmp_path)

    base = SearchProviderContract if hasattr(provider, "search") else ProviderContract
    found = {"corpus": corpus, "seconds": _SECONDS.get(provider, base.seconds)}
    return type(f"Test{provider.__name__}", (base,), found)


for provider in (right.RightNotes, right_search.RightSearch, *providers.CAUGHT_BY):
    plugin = right_search if hasattr(provider, "search") else right
    globals()[f"Test{provider.__name__}"] = contract(provider, plugin)
for name in providers.IMPORT_CAUGHT_BY:
    globals()[f"Test_{name}"] = contract(right.RightNotes, f"support.wrong.{name}")
