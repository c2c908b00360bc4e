"""What never answers - standard input, a settings file, a project's folder - keeps no command waiting."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from recall.cli import context
from recall.errors import DeadlineExceeded
from support.worlds import process_env, run_recall

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes by name")


def asked(
    home: Path, sent: bytes, *, close: bool, deadline: str = "0.5"
) -> subprocess.CompletedProcess[bytes]:
    """`recall query --stdin` with an input that is closed or not."""
    ours, theirs = os.pipe()
    try:
        os.write(theirs, sent)
        if close:
            os.close(theirs)
        return subprocess.run(
            [sys.executable, "-m", "recall", "query", "--stdin", "--deadline", deadline],
            stdin=ours,
            cwd=home,
            env=process_env(home),
            capture_output=True,
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        if not close:
            os.close(theirs)


def test_an_input_that_is_never_closed_is_a_question_as_far_as_it_came(tmp_path: Path) -> None:
    done = asked(tmp_path, "결제 재시도\n".encode(), close=False)
    assert done.returncode in (1, 3)
    assert b"Sources" in done.stdout
    assert "still open after 0.5 s" in done.stderr.decode()


def test_an_input_on_which_nothing_comes_is_a_mistake_of_the_call(tmp_path: Path) -> None:
    done = asked(tmp_path, b"", close=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert "no question came on standard input within 0.5 s" in done.stderr.decode()


def test_an_input_that_is_closed_is_read_to_its_end_without_a_word(tmp_path: Path) -> None:
    done = asked(tmp_path, "결제 재시도\n".encode(), close=True, deadline="5")
    assert done.returncode in (1, 3)
    assert done.stderr == b""


@pytest.mark.parametrize("command", ["doctor --deadline 1", "providers", "config show", "index --deadline 1"])
def test_no_other_command_waits_for_standard_input(tmp_path: Path, command: str) -> None:
    ours, theirs = os.pipe()
    try:
        done = subprocess.run(
            [sys.executable, "-m", "recall", *command.split()],
            stdin=ours,
            cwd=tmp_path,
            env=process_env(tmp_path),
            capture_output=True,
            timeout=60,
            check=False,
        )
        assert done.returncode in (0, 1, 3)
    finally:
        os.close(ours)
        os.close(theirs)


@pytest.mark.parametrize("name", [".recall.toml", "home/.config/recall/config.toml"])
def test_a_settings_file_that_is_a_pipe_is_a_mistake_and_no_wait(tmp_path: Path, name: str) -> None:
    pipe = tmp_path / name
    pipe.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(pipe)
    done = run_recall(["query", "결제"], home=tmp_path / "home", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "not a regular file but a named pipe" in done.stderr


@pytest.mark.parametrize("name", ["trust.json", "plugins.json"])
def test_a_pipe_in_the_place_of_one_of_recalls_own_files_is_no_wait(tmp_path: Path, name: str) -> None:
    for folder in (".cache", ".local/state"):
        (tmp_path / folder / "recall").mkdir(parents=True)
        os.mkfifo(tmp_path / folder / "recall" / name)
    (tmp_path / ".recall.toml").write_text("[query]\nlimit = 3\n")
    done = run_recall(["query", "결제"], home=tmp_path, cwd=tmp_path)
    assert "did not answer" not in done.stderr
    assert "Sources" in done.stdout


def test_a_start_that_does_not_answer_is_given_up_and_says_where_it_hangs(tmp_path: Path) -> None:
    pipe = tmp_path / "config.toml"
    os.mkfifo(pipe)

    def read(path: Path) -> str:
        with open(path) as file:
            return file.read()

    with pytest.raises(DeadlineExceeded, match=r"did not answer within 0\.2 s, it hangs at .*/config\.toml"):
        context.within(lambda: read(pipe), 0.2)
    os.close(os.open(pipe, os.O_RDWR))


def test_a_start_in_time_gives_what_it_made_and_raises_what_it_raised() -> None:
    assert context.within(lambda: 7) == 7
    with pytest.raises(SystemExit):
        context.within(lambda: sys.exit(3))
    assert not [thread for thread in threading.enumerate() if thread.name == "recall-start"]
