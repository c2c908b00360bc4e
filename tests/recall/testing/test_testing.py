"""The suite for plugin authors itself: what it imports, what it says to who forgot something, its fakes."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import recall.testing
from recall.api import Deadline, State
from recall.testing import Corpus, ProviderContract, SearchProviderContract, checkup, fakes, look, traces
from recall.testing.finding import PAGE
from recall.testing.watched import watched
from support.worlds import REPOSITORY, make_engine, make_scope, process_env
from support.wrong import right


def names_of(contract: type) -> set[str]:
    return {name for name in dir(contract) if name.startswith("test_")}


def test_each_contract_has_at_least_twenty_tests() -> None:
    assert len(names_of(ProviderContract)) >= 20
    assert len(names_of(SearchProviderContract)) >= 20


def test_every_section_that_a_finding_names_is_on_the_page_and_no_other() -> None:
    page = (REPOSITORY / PAGE).read_text("utf-8")
    sources = (REPOSITORY / "recall/testing").rglob("*.py")
    named = {
        about
        for source in sources
        for about in re.findall(r"\b(?:Finding|fault)\(\s*\"([\w-]+)\"", source.read_text("utf-8"))
    }
    assert named == set(re.findall(r"^### (\S+)$", page, re.MULTILINE))
    linked = set(re.findall(r"\(#([\w-]+)\)", page))
    assert linked <= named
    assert {*checkup.ALWAYS, *checkup.WHEN_READ} <= named


def test_importing_the_package_imports_no_pytest_until_a_class_is_taken(tmp_path: Path) -> None:
    code = (
        "import sys, recall.testing, recall.testing.checkup, recall.testing.corpus, recall.testing.fakes\n"
        "assert 'pytest' not in sys.modules\n"
        "from recall.testing import ProviderContract\n"
        "assert 'pytest' in sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=process_env(tmp_path), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_every_public_name_is_there_and_no_other() -> None:
    assert all(getattr(recall.testing, name) for name in recall.testing.__all__)
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = recall.testing.Nothing  # type: ignore[attr-defined]


def test_pytest_loads_nothing_of_recall_by_itself() -> None:
    assert not [one for one in entry_points(group="pytest11") if one.value.startswith("recall")]


def test_who_gives_no_corpus_is_told_what_to_give(tmp_path: Path) -> None:
    done = run_suite(tmp_path, "class TestContract(ProviderContract): pass")
    assert "TestContract has no fixture `corpus`: return FolderCorpus(" in done
    assert "Traceback" not in done


def test_who_forgot_a_method_of_the_corpus_is_told_which(tmp_path: Path) -> None:
    store = Corpus(tmp_path, right)
    for call, word in (
        (store.make, "no make()"),
        (lambda: store.write("a", "b"), "no write(name, text)"),
        (lambda: store.remove("a"), "no remove(name)"),
    ):
        with pytest.raises(NotImplementedError) as raised:
            call()
        assert word in str(raised.value)


def test_what_a_store_cannot_express_is_skipped_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(pytest.skip.Exception, match="spoil"):
        Corpus(tmp_path, right).spoil("a")
    done = run_suite(
        tmp_path,
        "class TestContract(ProviderContract):\n"
        "    skips = {'test_korean_is_found': 'it has no words'}\n"
        "    @pytest.fixture\n"
        "    def corpus(self, tmp_path): return FolderCorpus(tmp_path, right, '~/notes/{name}.md')",
        "-k",
        "test_korean_is_found or cut_is_told",
    )
    assert "it has no words" in done
    assert "no limits are declared" in done
    assert "2 skipped" in done


def run_suite(folder: Path, text: str, *arguments: str) -> str:
    """The output of a child pytest over one test file."""
    head = "import pytest\nfrom recall.testing import *\nfrom support.wrong import right\n\n"
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(head + text)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "test_it.py", *arguments],
        cwd=folder,
        env=process_env(folder, {"PYTHONPATH": str(REPOSITORY / "tests")}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.stdout + done.stderr


def test_the_same_corpus_elsewhere_has_no_path_of_the_first(tmp_path: Path) -> None:
    options = right.NotesOptions(folder=str(tmp_path / "home/notes"))
    other = Corpus(tmp_path, right, options).elsewhere()
    assert other.options.folder == str(tmp_path / "elsewhere/home/notes")
    assert other.scope.home == tmp_path / "elsewhere/home"


@pytest.mark.parametrize(
    ("fake", "state"),
    [
        (fakes.Notes("notes", {"a": "결제"}), State.READY),
        (fakes.Empty(), State.EMPTY),
        (fakes.Lying(), State.BROKEN),
        (fakes.Broken("broken", ValueError("oops")), State.BROKEN),
        (fakes.Exiting(), State.BROKEN),
        (fakes.Printing("printing", {"a": "결제"}), State.READY),
    ],
    ids=lambda value: getattr(value, "name", str(value)),
)
def test_a_fake_does_its_one_thing_and_the_engine_lives_on(
    tmp_path: Path, fake: fakes.Notes, state: State, capfd: pytest.CaptureFixture[str]
) -> None:
    answer = make_engine(tmp_path, [fake]).recall("결제", deadline=30)
    assert [one.state for one in answer.outcomes] == [state]
    assert ("chatter" in capfd.readouterr().out) == (fake.name == "printing")


def test_a_slow_fake_waits_for_its_release(tmp_path: Path) -> None:
    slow = fakes.Slow("slow", {"a": "결제"})
    scope = make_scope(tmp_path)
    done = watched(lambda: list(slow.entries(scope, Deadline.after(60))), 0.01)
    assert done.hung
    slow.release.set()
    assert look.look(slow, scope).read.value.ids == ("a",)  # type: ignore[union-attr]


def test_a_change_of_one_byte_a_time_or_a_new_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("one")
    before = traces.snapshot(tmp_path)
    assert traces.differences(before, traces.snapshot(tmp_path)) == []
    (tmp_path / "a").write_text("two")
    (tmp_path / "b").write_text("")
    changed = traces.differences(before, traces.snapshot(tmp_path))
    assert {line.split(":")[0] for line in changed} == {"new", "changed"}


def test_an_ended_child_that_nobody_waited_for_is_seen(tmp_path: Path) -> None:
    if not Path("/proc/self/stat").exists():
        pytest.skip("children are told by /proc, which is not there")
    before = traces.children()
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert traces.children() - before == {child.pid}
        child.communicate(b"\n")
    assert traces.children() - before == set()
