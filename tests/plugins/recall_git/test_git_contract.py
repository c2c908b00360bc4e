"""A project's history keeps the contract."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import ClassVar

import pytest

import recall_git
from recall.testing import Corpus, ProviderContract
from support.repositories import ENV, Repo, needs_git


class History(Corpus):
    """A commit a memory; to change or delete one is to write history anew."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder, recall_git)
        self.scope = replace(self.scope, env=ENV)
        self.messages: dict[str, str] = {}

    def make(self) -> None:
        self.repo = Repo.new(self.scope.root, self.scope.home)
        self.scope = replace(self.scope, in_git=True)

    def write(self, name: str, text: str) -> None:
        changed = name in self.messages
        self.messages[name] = text
        if changed:
            self._anew()
        else:
            self.repo.commit(text)

    def spoil(self, name: str) -> None:
        self.cannot("an unreadable commit ends the history; test_git_provider.py damages objects")

    def remove(self, name: str) -> None:
        del self.messages[name]
        self._anew()

    def _anew(self) -> None:
        """The same history without what is not in it any more."""
        self.repo.git("update-ref", "-d", "HEAD")
        self.repo.commits = 0
        for text in self.messages.values():
            self.repo.commit(text)


@needs_git
class TestGit(ProviderContract):
    skips: ClassVar[dict[str, str]] = {
        "test_blank_text_is_not_content": "a commit without a message still is one",
        "test_template_text_is_not_content": "nobody fills in a commit's message later",
        "test_an_entry_that_is_gone_loads_nothing": "Git keeps a commit that is in no history any more for weeks",
    }

    @pytest.fixture
    def corpus(self, tmp_path: Path) -> Corpus:
        return History(tmp_path)
