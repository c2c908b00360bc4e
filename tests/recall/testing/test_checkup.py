"""What `recall providers --check` finds on a user's own memories, and how it says so."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recall.api import Authority
from recall.plugins import Plugin
from recall.sources import Source
from recall.testing import FolderCorpus, checkup, report, samples
from recall.testing.checks import imported
from recall.testing.finding import Finding
from recall.testing.traces import snapshot
from support.distributions import install
from support.worlds import REPOSITORY, run_recall
from support.wrong import providers, right, right_search

SECONDS = 20.0


def corpus(folder: Path, provider: Any = right.RightNotes) -> FolderCorpus:
    made = FolderCorpus(folder, right, "~/notes/{name}.md")
    made.make()
    for name, text in samples.NOTES.items():
        made.write(name, text)
    made.provider_class = provider
    return made


def checked(store: FolderCorpus, **changes: Any) -> checkup.Report:
    provider = store.provider()
    plugin = Plugin(provider.name, "right-providers", "1", provider, store.options)
    source = Source(provider.name, provider, Authority.CURATED, plugin)
    return checkup.check(source, store.scope, **{"deadline": SECONDS, **changes})


def test_a_right_provider_keeps_the_contract_and_nothing_of_the_store_changes(tmp_path: Path) -> None:
    store = corpus(tmp_path)
    before = snapshot(*store.sources())
    found = checked(store)
    assert found.findings == ()
    assert (found.state, found.entries, found.memories, found.unread) == ("ready", 3, 3, 0)
    assert found.not_checked == ()
    assert snapshot(*store.sources()) == before


# What can be seen without changing anything, with the sections that tell of it.
SEEN = {
    providers.Boasting: "counts",
    providers.RandomIds: "ids",
    providers.SameIds: "ids counts",
    providers.RestlessStamps: "stamps",
    providers.LocalDates: "dates",
    providers.DatesFromNowhere: "dates",
    providers.Printing: "quiet",
    providers.LeavingThread: "threads",
    providers.LeavingChild: "threads",
    providers.Timeless: "time",
    providers.Loose: "options",
    providers.Misnamed: "name",
}


@pytest.mark.parametrize("provider", SEEN, ids=lambda provider: provider.__name__)
def test_a_fault_is_seen_on_the_users_own_memories(tmp_path: Path, provider: Any) -> None:
    found = checked(corpus(tmp_path, provider))
    assert {finding.about for finding in found.findings} == {*SEEN[provider].split()}, found.findings


def test_a_provider_that_hangs_is_told_and_ends_the_check(tmp_path: Path) -> None:
    found = checked(corpus(tmp_path, providers.Hanging), deadline=0.05)
    assert "health did not end" in str(found.findings)
    assert dict(found.not_checked)["text"] == "it could not be read"


def test_a_store_that_is_written_by_its_reader_is_told(tmp_path: Path) -> None:
    class Touching(right.RightNotes):
        __module__ = right.__name__  # whose import is judged

        def load(self, entry: Any, scope: Any) -> Any:
            self.folder(scope).joinpath("lock").touch()
            os.utime(self.folder(scope), ns=(0, next(times)))
            return super().load(entry, scope)

    times = iter(range(10**9, 10**10, 10**6))
    found = checked(corpus(tmp_path, Touching))
    assert [finding.about for finding in found.findings] == ["read-only"]


def test_what_changes_once_while_it_is_looked_at_is_no_fault(tmp_path: Path) -> None:
    """Somebody works with the memories meanwhile."""

    class Meanwhile(right.RightNotes):
        __module__ = right.__name__  # whose import is judged
        made = 0

        def __init__(self, options: Any) -> None:
            super().__init__(options)
            type(self).made += 1
            if self.made == 2:
                store.write("retry-policy", samples.CHANGED)

    store = corpus(tmp_path, Meanwhile)
    assert checked(store).findings == ()


def test_of_a_large_store_the_first_entries_are_read_and_the_others_counted(tmp_path: Path) -> None:
    found = checked(corpus(tmp_path), most=2)
    assert (found.entries, found.memories, found.unread, found.kept) == (3, 2, 1, True)
    assert "not read: 1 further entry" in report.text(found)


def test_what_was_not_looked_at_is_not_said_to_be_kept(tmp_path: Path) -> None:
    store = FolderCorpus(tmp_path, right, "~/notes/{name}.md")
    found = checked(store)
    assert found.kept
    assert dict(found.not_checked)["dates"] == "there is no memory to look at"
    assert "dates" not in found.checked


def test_a_provider_that_can_only_be_asked_is_not_asked(tmp_path: Path) -> None:
    store = FolderCorpus(tmp_path, right_search, "~/notes/{name}.md")
    store.make()
    store.write("retry-policy", samples.ONE_MORE)
    found = checked(store)
    assert (found.findings, found.state) == ((), "ready")
    assert "it can only be asked" in dict(found.not_checked)["ids"]


def test_a_fault_that_quotes_a_secret_is_told_without_it(tmp_path: Path) -> None:
    fault = Finding("quiet", f"reading printed {samples.SECRET!r}\x1b[31m")
    found = replace_findings(checked(corpus(tmp_path)), fault)
    for told in (report.text(found), json.dumps(report.document(found))):
        assert samples.SECRET not in told
        assert "\x1b" not in told
        assert "docs/contract-tests.md#quiet" in told


def replace_findings(found: checkup.Report, *findings: Finding) -> checkup.Report:
    return found._replace(findings=findings)


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command, with two providers of a stranger installed."""
    points = {"right-notes": "support.wrong.right", "other": "support.wrong.heavy_import"}
    installed = folder / "installed"
    if not installed.is_dir():
        install(installed, "strangers", points, {})
    paths = [os.fspath(REPOSITORY / "tests"), os.fspath(installed), os.environ.get("PYTHONPATH", "")]
    return run_recall(
        ["providers", *arguments],
        home=folder / "home",
        cwd=folder / "shop-api",
        env={"PYTHONPATH": os.pathsep.join(paths)},
    )


def test_the_command_holds_a_source_to_the_contract(tmp_path: Path) -> None:
    store = corpus(tmp_path)
    done = run(tmp_path, "--check", "right-notes")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("right-notes: keeps the contract (ready; 3 memories in 3 entries)\n")
    store.spoil("settlement")
    told = json.loads(run(tmp_path, "--check", "right-notes", "--json").stdout)
    assert (told["provider"], told["kept"], told["state"]) == ("right-notes", True, "degraded")
    assert (told["entries"], told["memories"], told["entries_unread"]) == (3, 2, 0)
    assert told["findings"] == []
    assert "counts" in told["checked"]


def test_the_command_says_what_is_wrong_and_ends_with_one(tmp_path: Path) -> None:
    corpus(tmp_path).put(tmp_path / "home/notes/bad.md", b"")
    (tmp_path / "home/notes/bad.md").unlink()
    link = tmp_path / "home/notes/again.md"
    link.symlink_to("nowhere.md")
    done = run(tmp_path, "--check", "right-notes", "--json")
    told = json.loads(done.stdout)
    assert done.returncode == 1
    assert {finding["check"] for finding in told["findings"]} == {"errors"}
    assert told["findings"][0]["read_on"] == "docs/contract-tests.md#errors"
    assert "FileNotFoundError" in told["findings"][0]["fault"]


@pytest.mark.parametrize(
    ("name", "code", "word"),
    [
        ("nothing", 2, "no provider is called 'nothing'"),
        ("transcripts", 3, "transcripts is not loaded: off by default"),
        ("other", 3, "other is not loaded: "),
    ],
)
def test_a_source_that_is_not_there_or_not_loaded_is_an_error(
    tmp_path: Path, name: str, code: int, word: str
) -> None:
    corpus(tmp_path)
    done = run(tmp_path, "--check", name)
    assert (done.returncode, done.stdout) == (code, "")
    assert word in done.stderr
    assert "next: " in done.stderr


def test_the_check_needs_no_pytest(tmp_path: Path) -> None:
    corpus(tmp_path)
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    (blocked / "pytest.py").write_text("raise ImportError('not installed')")
    paths = [os.fspath(blocked), os.fspath(REPOSITORY / "tests"), os.environ.get("PYTHONPATH", "")]
    done = run_recall(
        ["providers", "--check", "markdown"],
        home=tmp_path / "home",
        cwd=tmp_path / "shop-api",
        env={"PYTHONPATH": os.pathsep.join(paths)},
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_a_thread_that_importing_started_is_told_and_not_waited_for(tmp_path: Path) -> None:
    module = tmp_path / "waiting_notes.py"
    module.write_text(
        "import threading\nthreading.Thread(target=threading.Event().wait, name='waiter').start()\n"
    )
    seen = imported.imported_from("waiting_notes", str(module), tmp_path)  # the thread itself never ends
    assert (seen.failed, seen.threads) == ("", ("waiter",))
