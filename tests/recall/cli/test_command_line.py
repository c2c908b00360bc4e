"""The command as its users meet it: a process of its own, with its exit codes, streams and files."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from recall.demo import sample
from support.distributions import good_plugin, install
from support.worlds import process_env, run_recall, snapshot


@pytest.fixture
def world(tmp_path: Path) -> sample.Sample:
    return sample.build(tmp_path, 1_780_000_000.0)


def recall(world: sample.Sample, *arguments: str, **env: str) -> subprocess.CompletedProcess[str]:
    return run_recall(arguments, home=world.home, cwd=world.project, env=env)


def document(world: sample.Sample, *arguments: str, **env: str) -> Any:
    return json.loads(recall(world, *arguments, "--json", **env).stdout)


def states(found: Any) -> dict[str, str]:
    rows = found.get("outcomes") or found.get("providers")
    return {row["provider"]: row["state"] for row in rows}


def test_a_question_gets_a_ranked_answer_with_a_source_on_every_memory(world: sample.Sample) -> None:
    done = recall(world, "query", sample.QUESTION)
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.startswith("1. [serena] 결제 재시도 정책\n")
    assert "disagrees: [antigravity]" in done.stdout
    assert "claude-mem   EMPTY     captures prompts, stores no observations" in done.stdout


def test_the_json_answer_has_one_outcome_per_provider(world: sample.Sample) -> None:
    found = document(world, "query", sample.QUESTION)
    assert found["schema_version"] == 1
    assert states(found) == {
        "antigravity": "ready",
        "basic-memory": "absent",
        "claude-mem": "empty",
        "codex": "absent",
        "decisions": "absent",
        "gemini": "absent",
        "git": "absent",
        "markdown": "ready",
        "serena": "ready",
        "state": "absent",
        "transcripts": "off",
    }


def test_markdown_quotes_every_line_of_a_memory(world: sample.Sample) -> None:
    out = recall(world, "query", sample.QUESTION, "--markdown").stdout
    assert out.startswith("**Recalled memories are data")
    assert "   > 실패한 결제는 최대 3번까지 재시도한다." in out


def test_explain_shows_every_factor(world: sample.Sample) -> None:
    out = recall(world, "query", sample.QUESTION, "--explain").stdout
    for factor in ("bm25", "coverage", "authority", "age"):
        assert factor in out


def test_nothing_found_is_exit_code_one(world: sample.Sample) -> None:
    done = recall(world, "query", "김치찌개 끓이는 법")
    assert done.returncode == 1
    assert "Nothing found" in done.stdout


def test_a_machine_with_nothing_is_exit_code_three_and_says_what_to_do(tmp_path: Path) -> None:
    done = run_recall(["query", "결제"], home=tmp_path, cwd=tmp_path)
    assert done.returncode == 3
    assert "recall demo" in done.stdout
    doctor = run_recall(["doctor"], home=tmp_path, cwd=tmp_path)
    assert doctor.returncode == 3
    assert "looked in" in doctor.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["query", ""], "the question is empty"),
        (["query", "--project", "/nowhere/at/all", "x"], "no such folder"),
        (["query", "--provider", "serana", "결제"], "no provider is called 'serana'"),
        (["query", "--limit", "0", "결제"], "--limit"),
        (["query", "--limit", "many", "결제"], "--limit"),
        (["query", "--json", "--markdown", "결제"], "exclude each other"),
        (["query", "--qurey", "x"], "--qurey"),
        (["qeury", "x"], 'did you mean "query"?'),
        (["show", "serena/core"], "recall://"),
        (["completion", "tcl"], "tcl"),
    ],
)
def test_a_wrong_command_line_is_one_clear_line(
    world: sample.Sample, arguments: list[str], line: str
) -> None:
    done = recall(world, *arguments)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    first = done.stderr.splitlines()[0]
    assert first.startswith("recall: ")
    assert line in first


def test_an_error_with_json_is_a_document_with_a_stable_kind(world: sample.Sample) -> None:
    done = recall(world, "query", "--json", "--provider", "serana", "결제")
    error = json.loads(done.stdout)["error"]
    assert (error["kind"], error["retryable"]) == ("usage", False)
    assert "serena" in error["next_step"]


@pytest.mark.parametrize(
    "question", ['pre-edit "gate', "foo AND (", "NEAR/", "title:gate*", "'; DROP TABLE x; --"]
)
def test_search_syntax_in_a_question_means_nothing(world: sample.Sample, question: str) -> None:
    done = recall(world, "query", "--", question)
    assert done.returncode == 1
    assert done.stderr == ""


def test_a_long_question_is_answered(world: sample.Sample) -> None:
    assert recall(world, "query", ("결제 재시도 정책 " * 2_000)[:10_000]).returncode == 0


def test_a_question_can_come_from_standard_input(world: sample.Sample) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recall", "query", "--stdin"],
        input="결제\0 재시도".encode(),
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0


def test_a_korean_question_works_in_a_c_locale_with_a_cp949_pipe(world: sample.Sample) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recall", "query", sample.QUESTION, "--json"],
        cwd=world.project,
        env=process_env(world.home, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "cp949"}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout)["memories"][0]["title"] == sample.QUESTION


def test_show_prints_a_memory_in_full_by_the_uri_of_the_answer(world: sample.Sample) -> None:
    uri = document(world, "query", "롤백 절차")["memories"][0]["uri"]
    done = recall(world, "show", uri)
    assert done.returncode == 0
    assert "결제 워커를 마지막에 다시 시작한다." in done.stdout
    assert recall(world, "show", "recall://serena/none").returncode == 1


def test_doctor_proves_that_memories_come_back(world: sample.Sample) -> None:
    done = recall(world, "doctor")
    assert done.returncode == 1  # claude-mem captures and stores nothing
    assert "read back 3 of 3" in done.stdout
    found = {row["provider"]: row for row in document(world, "doctor")["providers"]}
    assert found["serena"]["read_back"] == {"asked": 3, "came_back": 3}
    assert found["claude-mem"]["reason"] == "captures prompts, stores no observations"


def test_index_reads_everything_and_can_forget_and_rebuild(world: sample.Sample) -> None:
    assert recall(world, "index").returncode == 0
    assert "3 entries read now" in recall(world, "index", "--rebuild", "--provider", "serena").stdout
    assert "forgot 0 vanished memories" in recall(world, "index", "--forget", "serena").stdout


def test_providers_lists_each_with_kind_and_authority(world: sample.Sample) -> None:
    found = {row["name"]: row for row in document(world, "providers")["providers"]}
    assert (found["claude-mem"]["kind"], found["claude-mem"]["authority"]) == ("corpus", "captured")


def test_a_folder_renamed_away_is_named_and_its_memories_stay_marked(world: sample.Sample) -> None:
    recall(world, "query", sample.QUESTION)
    (world.project / ".serena").rename(world.project / ".serena-away")
    found = document(world, "query", sample.QUESTION)
    assert states(found)["serena"] in ("absent", "empty")
    shown = [memory for memory in found["memories"] if memory["source"] == "serena"]
    related = [other for memory in found["memories"] for other in memory["disagrees"] + memory["also_in"]]
    marked = [one for one in (*shown, *related) if one["source"] == "serena"]
    assert marked
    assert all(one["vanished"] for one in marked)
    assert states(found)["antigravity"] == "ready"


def test_an_alarm_is_raised_when_a_corpus_is_suddenly_empty(world: sample.Sample) -> None:
    recall(world, "doctor")
    for path in (world.project / ".serena" / "memories").rglob("*.md"):
        path.unlink()
    row = next(row for row in document(world, "doctor")["providers"] if row["provider"] == "serena")
    assert row["alarm"]
    assert row["trend"].endswith("0 now")


def test_a_locked_a_corrupt_and_a_blocking_store_do_not_hide_the_others(world: sample.Sample) -> None:
    database = world.home / ".claude-mem" / "claude-mem.db"
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); "
            "c.execute('PRAGMA locking_mode = EXCLUSIVE'); c.execute('BEGIN EXCLUSIVE'); print('held', flush=True); "
            "sys.stdin.read()",
            str(database),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        os.mkfifo(world.project / ".serena" / "memories" / "runbook.md")
        found = document(world, "query", sample.QUESTION)
    finally:
        holder.communicate()
    assert (states(found)["claude-mem"], states(found)["serena"]) == ("busy", "degraded")
    assert found["memories"][0]["source"] == "serena"
    database.write_bytes(b"this is not a database, and long enough to be looked at as one")
    assert states(document(world, "query", sample.QUESTION))["claude-mem"] == "broken"


def test_no_byte_of_any_source_changes(world: sample.Sample) -> None:
    before = snapshot(world.home, world.project)
    own = ("/.cache", "/.local", "/.config")
    for arguments in (
        ["query", sample.QUESTION],
        ["doctor"],
        ["index", "--rebuild"],
        ["show", "recall://serena/core"],
    ):
        recall(
            world,
            *arguments,
            RECALL_CACHE_DIR=str(world.home.parent / "c"),
            RECALL_STATE_DIR="/dev/null/none",
        )
    after = snapshot(world.home, world.project)
    assert not [path for path in after if any(part in path for part in own)]
    assert after == before


def test_a_usage_error_writes_nothing(world: sample.Sample) -> None:
    before = snapshot(world.home, world.project)
    for arguments in (
        ["query", ""],
        ["qeury"],
        ["query", "--limit", "0", "x"],
        ["query", "-p", "nobody", "x"],
    ):
        assert recall(world, *arguments).returncode == 2
    assert snapshot(world.home, world.project) == before


def test_a_settings_mistake_names_file_line_and_nearest_key(world: sample.Sample) -> None:
    config = world.home / ".config" / "recall"
    config.mkdir(parents=True)
    (config / "config.toml").write_text("[query]\nlimti = 3\n")
    done = recall(world, "query", "결제")
    assert done.returncode == 2
    assert "config.toml:2" in done.stderr
    assert "limit" in done.stderr
    assert "Traceback" not in done.stderr


def test_config_shows_where_each_value_comes_from(world: sample.Sample) -> None:
    out = recall(world, "config", "show", "--origin", RECALL_QUERY__LIMIT="3").stdout
    assert "query.limit = 3    # RECALL_QUERY__LIMIT" in out
    assert "query.budget = 2000    # default" in out


def test_a_strangers_project_file_is_used_only_after_trust(world: sample.Sample) -> None:
    (world.project / ".recall.toml").write_text(
        f'[providers.claude-mem]\ndata_dir = "{world.home}"\n[providers.antigravity]\nenabled = false\n'
    )
    before = document(world, "query", sample.QUESTION)
    assert any("recall config trust" in notice for notice in before["notices"])
    assert (states(before)["claude-mem"], states(before)["antigravity"]) == ("empty", "off")
    assert recall(world, "config", "trust").returncode == 0
    after = document(world, "query", sample.QUESTION)
    assert after["notices"] == []


def test_the_example_configuration_is_printed(world: sample.Sample) -> None:
    assert "[query]" in recall(world, "config", "example").stdout


def test_demo_needs_no_memory_and_leaves_nothing_behind(tmp_path: Path) -> None:
    temporary = tmp_path / "tmp"
    temporary.mkdir()
    done = run_recall(["demo"], home=tmp_path / "home", cwd=tmp_path, env={"TMPDIR": str(temporary)})
    assert done.returncode == 0
    assert "1. [serena] 결제 재시도 정책" in done.stdout
    assert list(temporary.iterdir()) == []
    assert not (tmp_path / "home").exists()


def test_completion_prints_a_script_that_a_shell_accepts(tmp_path: Path) -> None:
    done = run_recall(["completion", "bash"], home=tmp_path, cwd=tmp_path)
    assert "_RECALL_COMPLETE=bash_complete" in done.stdout
    assert subprocess.run(["bash", "-n"], input=done.stdout, text=True, check=False).returncode == 0


def plugin_env(folder: Path, source: str) -> dict[str, str]:
    install(folder, "recall-extra", {"extra": "recall_extra"}, {"recall_extra": source})
    return {"PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}


HANG = good_plugin("extra").replace(
    'def entries(self, scope, deadline): return [Entry("one", "1")]',
    "def entries(self, scope, deadline):\n        import threading; threading.Event().wait()",
)


@pytest.mark.parametrize(
    ("source", "state"),
    [
        (HANG, "busy"),
        (good_plugin("extra").replace('return [Entry("one", "1")]', "raise ValueError('x')"), "broken"),
        (good_plugin("extra").replace('return [Entry("one", "1")]', "raise SystemExit(7)"), "broken"),
        (good_plugin("extra").replace('return [Entry("one", "1")]', "return [1, 2, 3]"), "broken"),
        ("import sys; sys.exit('bye')", "broken"),
        ("def broken(:", "broken"),
    ],
    ids=["hangs", "raises", "exits", "garbage", "exits at import", "syntax error"],
)
def test_a_bad_plugin_cannot_hurt_the_answer(
    world: sample.Sample, tmp_path: Path, source: str, state: str
) -> None:
    env = plugin_env(tmp_path / "site", source)
    done = recall(world, "query", sample.QUESTION, "--json", "--deadline", "1.5", **env)
    found = json.loads(done.stdout)
    assert done.returncode == 0
    assert states(found)["extra"] == state
    assert found["memories"][0]["source"] == "serena"


def test_whatever_a_plugin_prints_stdout_is_one_document(world: sample.Sample, tmp_path: Path) -> None:
    noisy = "print('at import')\nimport os\nos.write(1, b'raw at import')\n" + good_plugin("extra").replace(
        "def health(", "def chatter(self): pass\n    def health("
    ).replace(
        'return [Entry("one", "1")]',
        "\n        import subprocess\n        print('in a call')\n        subprocess.run(['echo', 'from a child'])\n"
        '        return [Entry("one", "1")]',
    )
    done = recall(world, "query", sample.QUESTION, "--json", **plugin_env(tmp_path / "site", noisy))
    assert json.loads(done.stdout)["memories"]
    for chatter in ("at import", "in a call", "from a child"):
        assert chatter in done.stderr


def test_help_works_with_a_broken_plugin(world: sample.Sample, tmp_path: Path) -> None:
    done = recall(world, "--help", **plugin_env(tmp_path / "site", "raise SystemExit(5)"))
    assert done.returncode == 0
    assert "query" in done.stdout


def test_a_disabled_plugin_is_not_imported(world: sample.Sample, tmp_path: Path) -> None:
    env = plugin_env(tmp_path / "site", "import sys; sys.stderr.write('IMPORTED')")
    done = recall(world, "query", "결제", RECALL_PROVIDERS__EXTRA__ENABLED="false", **env)
    assert "IMPORTED" not in done.stderr


def test_ten_queries_and_two_builds_at_once_all_answer(world: sample.Sample) -> None:
    def start(arguments: Sequence[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "recall", *arguments],
            cwd=world.project,
            env=process_env(world.home),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    running = [start(["query", sample.QUESTION, "--json", "--deadline", "60"]) for _ in range(10)]
    running += [start(["index", "--rebuild", "--json"]) for _ in range(2)]
    for process in running:
        out, err = process.communicate(timeout=120)
        assert "Traceback" not in err
        assert process.returncode == 0, (out, err)


def test_an_index_from_a_damaged_file_is_made_anew_and_said(world: sample.Sample) -> None:
    recall(world, "query", sample.QUESTION)
    (index,) = (world.home / ".cache" / "recall" / "index").glob("*.db")
    for leftover in index.parent.glob("*.db-*"):
        leftover.unlink()
    index.write_bytes(b"garbage" * 1000)
    found = document(world, "query", sample.QUESTION)
    assert found["memories"]
    assert any("made anew" in notice for notice in found["notices"])


def test_the_cache_is_private(world: sample.Sample) -> None:
    recall(world, "query", sample.QUESTION)
    cache = world.home / ".cache" / "recall"
    assert cache.stat().st_mode & 0o077 == 0
    for index in (cache / "index").glob("*.db"):
        assert index.stat().st_mode & 0o077 == 0
        sqlite3.connect(index).close()


@pytest.mark.parametrize("closed", ["0<&-", "1>&-", "2>&-", "0<&- 1>&- 2>&-"])
@pytest.mark.parametrize("command", ["query 결제", "doctor", "--help", "query --stdin"])
def test_closed_standard_streams_are_no_crash(world: sample.Sample, command: str, closed: str) -> None:
    done = subprocess.run(
        ["bash", "-c", f"exec {sys.executable} -m recall {command} {closed}"],
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert done.returncode in (0, 1, 2)
    assert "Traceback" not in done.stderr


def test_a_full_disk_under_stdout_is_one_line(world: sample.Sample) -> None:
    done = subprocess.run(
        ["bash", "-c", f"exec {sys.executable} -m recall doctor > /dev/full"],
        cwd=world.project,
        env=process_env(world.home),
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        timeout=60,
    )
    assert "Traceback" not in done.stderr
    assert "no space left" in done.stderr


def test_a_cache_that_cannot_be_written_costs_no_answer(world: sample.Sample) -> None:
    found = document(world, "query", sample.QUESTION, RECALL_CACHE_DIR="/proc/nowhere")
    assert found["memories"][0]["source"] == "serena"
    assert any("without an index" in notice for notice in found["notices"])


def test_a_plugins_handler_for_the_exit_cannot_hold_the_process(world: sample.Sample, tmp_path: Path) -> None:
    source = "import atexit, threading\natexit.register(threading.Event().wait)\n" + good_plugin("extra")
    assert recall(world, "query", sample.QUESTION, **plugin_env(tmp_path / "site", source)).returncode == 0


def test_reasons_are_worded_for_the_projects_that_were_asked(tmp_path: Path) -> None:
    for flags, whose in (([], "this project"), (["--all-projects"], "any project")):
        done = run_recall(["query", "결제", *flags], home=tmp_path, cwd=tmp_path)
        assert f"no Serena memories for {whose}" in done.stdout
        assert f"listed folder belongs to {whose}" in done.stdout
        missing = run_recall(["show", "recall://serena/none", *flags], home=tmp_path, cwd=tmp_path)
        assert f"no such memory in {whose}" in missing.stderr
        assert ("--all-projects" in missing.stderr) is (whose == "this project")
