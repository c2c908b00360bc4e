"""Discovery without import, loading in isolation, refused duplicates."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

from recall import plugins
from recall.plugins import Candidate, Plugin
from support.distributions import good_plugin, install


def defaults(_name: str, options_class: type) -> Any:
    return options_class()


def load_source(
    folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, source: str, name: str = "mem"
) -> Plugin:
    install(folder, f"recall-{module}", {name: module}, {module: source})
    monkeypatch.syspath_prepend(str(folder))
    return plugins.load(Candidate(name, module, f"recall-{module}", "1.0"), defaults)


def test_discovery_lists_the_projects_own_sources_and_strangers_without_importing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(
        tmp_path, "recall-extra", {"extra": "recall_extra_never"}, {"recall_extra_never": "raise SystemExit"}
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    names = {candidate.name for candidate in plugins.discover()}
    assert {"antigravity", "claude-mem", "markdown", "serena", "extra"} <= names
    assert "recall_extra_never" not in sys.modules


def test_the_scan_is_kept_and_made_anew_when_something_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache, site = tmp_path / "cache", tmp_path / "site"
    cache.mkdir()
    site.mkdir()
    monkeypatch.syspath_prepend(str(site))
    before = plugins.discover(str(cache))
    monkeypatch.setattr(plugins, "_scan", lambda: pytest.fail("scanned again"))
    assert plugins.discover(str(cache)) == before
    monkeypatch.undo()
    monkeypatch.syspath_prepend(str(site))
    install(site, "recall-late", {"late": "recall_late"}, {})
    assert "late" in {candidate.name for candidate in plugins.discover(str(cache))}


def test_a_damaged_cache_is_ignored(tmp_path: Path) -> None:
    kept = plugins.discover(str(tmp_path))
    for path in tmp_path.iterdir():
        path.write_text('{"not": "a list"}')
    assert plugins.discover(str(tmp_path)) == kept


def test_a_good_plugin_is_constructed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = load_source(tmp_path, monkeypatch, "recall_fine", good_plugin("mem"))
    assert (row.broken, row.provider.name, row.version) == (False, "mem", "1.0")


@pytest.mark.parametrize(
    ("module", "source", "reason"),
    [
        ("recall_syntax", "def broken(:", "SyntaxError"),
        ("recall_missing", "import a_module_nobody_has", "a_module_nobody_has"),
        ("recall_exits", "import sys; sys.exit('bye')", "SystemExit while importing"),
        ("recall_raises", "raise RuntimeError('boom')", "RuntimeError: boom"),
        ("recall_base", "class Odd(BaseException): pass\nraise Odd('left')", "Odd: left"),
        ("recall_interrupts", "raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("recall_generator", "raise GeneratorExit", "GeneratorExit"),
        (
            "recall_mumbles",
            "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd",
            "an error that cannot be told",
        ),
        (
            "recall_boss",
            good_plugin("mem").replace("Authority.CURATED", "'boss'"),
            "'boss' is not a valid Authority",
        ),
        (
            "recall_leaks",
            "raise RuntimeError('token ghp_" + "a1B2c3D4e5" * 3 + "a1B2c3 \\x1b[31m')",
            "[masked",
        ),
        ("recall_hookless", "x = 1", "implements no recall_provider hook"),
        ("recall_misnamed", good_plugin("other"), "its entry point says 'mem'"),
        ("recall_mute", good_plugin("mem").replace("def health", "def wealth"), "has no health method"),
        (
            "recall_half",
            good_plugin("mem").replace("def load", "def lode"),
            "neither entries and load nor search",
        ),
        ("recall_bare", good_plugin("mem").replace("    Options = Options\n", ""), "has no Options"),
        (
            "recall_off",
            good_plugin("mem").replace("def __init__(self, options): pass", "def __init__(self): pass"),
            "TypeError",
        ),
    ],
)
def test_whatever_is_wrong_with_a_plugin_becomes_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, source: str, reason: str
) -> None:
    row = load_source(tmp_path, monkeypatch, module, source)
    assert row.broken
    assert reason in row.reason
    assert "\n" not in row.reason
    assert row.next_step


def test_a_plugin_that_is_not_configured_is_off_and_not_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = good_plugin("mem").replace(
        "def __init__(self, options): pass",
        "def __init__(self, options):\n"
        "        from recall.errors import NotConfigured\n"
        "        raise NotConfigured('needs a url', 'set providers.mem.url')",
    )
    row = load_source(tmp_path, monkeypatch, "recall_unset", source)
    assert (row.broken, row.reason, row.next_step) == (False, "needs a url", "set providers.mem.url")


def test_what_a_plugin_prints_while_it_is_imported_goes_to_stderr(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    load_source(tmp_path, monkeypatch, "recall_chatty", "print('hello')\n" + good_plugin("mem"))
    captured = capsys.readouterr()
    assert (captured.out, captured.err) == ("", "hello\n")


def offer(name: str, distribution: str) -> Candidate:
    return Candidate(name, "module", distribution, "1")


def test_a_stranger_cannot_take_one_of_the_projects_names() -> None:
    own, stranger = offer("serena", "recall-orchestrator"), offer("serena", "aaa-recall-dup")
    chosen, refused = plugins.choose([stranger, own], lambda name: "")
    assert chosen == [own]
    assert [(row.distribution, row.reason) for row in refused] == [
        ("aaa-recall-dup", "the name is taken by recall-orchestrator")
    ]


def test_a_name_that_differs_only_in_dashes_is_the_same_name() -> None:
    own, stranger = offer("claude-mem", "recall-orchestrator"), offer("claude_mem", "other")
    chosen, refused = plugins.choose([own, stranger], lambda name: "")
    assert (chosen, len(refused)) == ([own], 1)


def test_two_strangers_with_one_name_are_both_refused() -> None:
    chosen, refused = plugins.choose([offer("mem", "one"), offer("mem", "two")], lambda name: "")
    assert chosen == []
    assert {row.distribution for row in refused} == {"one", "two"}
    assert all("distribution" in row.next_step for row in refused)


def test_the_settings_decide_between_distributions() -> None:
    chosen, refused = plugins.choose(
        [offer("serena", "recall-orchestrator"), offer("serena", "better-serena")],
        lambda name: "better_serena",
    )
    assert [one.distribution for one in chosen] == ["better-serena"]
    assert [row.distribution for row in refused] == ["recall-orchestrator"]


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("recall_slow_import", "import threading; threading.Event().wait()\n" + good_plugin("mem")),
        (
            "recall_slow_start",
            good_plugin("mem").replace(
                "def __init__(self, options): pass",
                "def __init__(self, options):\n        import threading; threading.Event().wait()",
            ),
        ),
    ],
)
def test_a_plugin_that_hangs_while_it_is_loaded_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, source: str
) -> None:
    install(tmp_path, f"recall-{module}", {"mem": module}, {module: source})
    monkeypatch.syspath_prepend(str(tmp_path))
    row = plugins.load(Candidate("mem", module, f"recall-{module}", "1.0"), defaults, limit=0.1)
    assert row.broken
    assert "within 0.1 s" in row.reason
