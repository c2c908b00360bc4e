"""The contract as a test suite: subclass it, say how a store is filled, and be told what is still wrong.

    import pytest
    from recall.testing import FolderCorpus, ProviderContract

    import my_notes                                    # the module that the entry point names

    class TestContract(ProviderContract):
        @pytest.fixture
        def corpus(self, tmp_path):
            return FolderCorpus(tmp_path, my_notes, "~/notes/{name}.md")

`~/` is the home folder of the test, any other place lies below its project; nothing of the machine is read.
`limits={"max_file_bytes": 1024}` names option values under which a text of 20,000 characters is too long. A store that
is no folder of texts is a subclass of `Corpus` with `make`, `write` and `remove`. What a store cannot express, as an
unreadable memory, is skipped with the reason: `self.cannot("why")` in a method of the corpus, or
`skips = {"test_name": "why"}` in the test class. A provider that can only be asked subclasses `SearchProviderContract`.

`docs/contract-tests.md` explains every test. The checks that only read are plain functions in `recall.testing.checks`;
`recall providers --check NAME` runs them on the user's own memories, without pytest. `recall.testing.fakes` has
providers that are slow, broken, empty, lying, printing or exiting, for tests of what uses providers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall.testing.asked import SearchProviderContract as SearchProviderContract
    from recall.testing.contract import ProviderContract as ProviderContract
    from recall.testing.corpus import Corpus as Corpus
    from recall.testing.corpus import FolderCorpus as FolderCorpus

__all__ = ["Corpus", "FolderCorpus", "ProviderContract", "SearchProviderContract"]

_HOMES = {
    "Corpus": "corpus",
    "FolderCorpus": "corpus",
    "ProviderContract": "contract",
    "SearchProviderContract": "asked",
}


def __getattr__(name: str) -> Any:
    # Lazily: the two classes import pytest, which a user's installation need not have.
    if name not in _HOMES:
        raise AttributeError(f"module 'recall.testing' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"recall.testing.{_HOMES[name]}"), name)
