"""`recall serve` over a Serena that is asked: one process for all questions, gone with the server however it ends."""

from __future__ import annotations

import os
import signal

import pytest

from support.serena_world import Serving, is_gone
from support.serving import served
from support.worlds import run_recall


def settings(serving: Serving, behaviour: str = "answers") -> None:
    path = serving.scope.home / ".config/recall/config.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    command = ", ".join(f"'{part}'" for part in serving.command("2.1.0", behaviour))
    path.write_text(f'[providers.serena]\nmode = "mcp"\ncode = true\ncommand = [{command}]\n')


def temporary(serving: Serving) -> dict[str, str]:
    return {"TMPDIR": str(serving.folder.parent / "tmp")}


@pytest.mark.parametrize("end", ["end of input", "terminated", "killed"])
def test_one_serena_is_kept_for_all_questions_and_goes_with_the_server(serving: Serving, end: str) -> None:
    settings(serving)
    serving.note("retry", "결제는 세 번 재시도한다.\n")
    with served(serving.scope.home, serving.scope.root, temporary(serving)) as server:
        server.greet()
        for question in ("결제 재시도", "retry of charge_card"):
            answer = server.call("deep_recall", query=question, deadline=60)
            assert "recall://serena/retry" in answer["content"][0]["text"]
        (pid,) = serving.started()
        keeper = os.getpgid(pid)
        assert len(serving.private_homes()) == 1
        if end == "end of input":
            server.end_of_input()
        else:
            server.process.send_signal(signal.SIGTERM if end == "terminated" else signal.SIGKILL)
        assert is_gone(pid)
        assert is_gone(keeper)
    assert serving.private_homes() == []


def test_a_command_starts_one_serena_and_leaves_nothing(serving: Serving) -> None:
    settings(serving)
    serving.note("retry", "결제는 세 번 재시도한다.\n")
    done = run_recall(
        ["query", "--deadline", "60", "--provider", "serena", "결제 재시도"],
        home=serving.scope.home,
        cwd=serving.scope.root,
        env=temporary(serving),
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "recall://serena/retry" in done.stdout
    assert len(serving.started()) == 1


def test_a_serena_that_hangs_costs_an_answer_no_time(serving: Serving) -> None:
    settings(serving, "hangs in the handshake")
    serving.note("retry", "결제는 세 번 재시도한다.\n")
    arguments = ["query", "--deadline", "2", "--provider", "serena", "결제 재시도"]
    done = run_recall(arguments, home=serving.scope.home, cwd=serving.scope.root, env=temporary(serving))
    assert done.returncode == 3
    assert "BUSY" in done.stdout


def test_the_command_tries_it(serving: Serving) -> None:
    settings(serving)
    serving.note("retry", "결제는 세 번 재시도한다.\n")
    arguments = ["providers", "--try", "serena", "결제 재시도"]
    done = run_recall(arguments, home=serving.scope.home, cwd=serving.scope.root, env=temporary(serving))
    assert (done.returncode, done.stderr) == (0, "")
    assert "asked: list_memories, read_memory of 1" in done.stdout
    assert "understood: 1 memory\n  1. retry\n" in done.stdout
