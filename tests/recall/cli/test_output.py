"""stdout is data: nobody else gets into it, whatever its encoding, whoever stops reading it."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from recall.demo import sample
from support.distributions import good_plugin, install
from support.worlds import process_env, run_recall

on_posix = pytest.mark.skipif(os.name != "posix", reason="pipes and signals as POSIX knows them")


def run_python(
    code: str, folder: Path, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """Code in a process of its own, with real pipes for its streams."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        env=process_env(folder, env),
        capture_output=True,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=False,
    )


INTRUDERS = {
    "print": "print('chatter')",
    "sys.stdout": "sys.stdout.write('chatter'); sys.stdout.flush()",
    "the original stdout": "sys.__stdout__.write('chatter'); sys.__stdout__.flush()",
    "the descriptor": "os.write(1, b'chatter')",
    "a child": "import subprocess; subprocess.run([sys.executable, '-c', 'print(\"chatter\")'])",
    "a shell": "os.system('echo chatter')",
    "a thread": "import threading; t = threading.Thread(target=print, args=('chatter',)); t.start(); t.join()",
}


@on_posix
@pytest.mark.parametrize("kind", INTRUDERS)
def test_nobody_else_gets_into_the_data(tmp_path: Path, kind: str) -> None:
    code = (
        "import os, sys\nfrom recall.cli.output import Output\noutput = Output()\noutput.write('one\\n')\n"
        f"{INTRUDERS[kind]}\noutput.write('two\\n')\noutput.flush()\n"
    )
    done = run_python(code, tmp_path)
    assert done.stdout == b"one\ntwo\n"
    assert b"chatter" in done.stderr


@on_posix
def test_what_was_printed_before_comes_before_the_data(tmp_path: Path) -> None:
    code = (
        "from recall.cli.output import Output\nprint('before')\noutput = Output()\n"
        "output.write('data\\n')\noutput.flush()\n"
    )
    assert run_python(code, tmp_path).stdout == b"before\ndata\n"


@on_posix
def test_stdout_can_be_given_back(tmp_path: Path) -> None:
    code = (
        "import os\nfrom recall.cli.output import Output\noutput = Output()\noutput.write('data\\n')\n"
        "output.release()\nprint('after', flush=True)\nos.write(1, b'raw\\n')\n"
    )
    done = run_python(code, tmp_path)
    assert done.stdout == b"data\nafter\nraw\n"
    assert done.stderr == b""


def test_without_a_real_stdout_data_still_goes_where_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    from recall.cli.output import Output

    output = Output()
    try:
        output.write("결제\n")
        print("chatter")
    finally:
        output.release()
    assert capsys.readouterr() == ("결제\n", "chatter\n")


def test_a_stdout_without_a_file_takes_what_its_encoding_cannot_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    from recall.cli.output import Output

    memory = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(memory, encoding="ascii"))
    output = Output()
    output.write("결제\n")
    output.release()
    assert memory.getvalue() == b"\\uacb0\\uc81c\n"


# -- encodings ------------------------------------------------------------------------------------------------

WRITE = "from recall.cli.output import Output\noutput = Output()\n{}\noutput.flush()\n"
TEXT = "output.write('결제 😀 \\udcff\\n')"
DOCUMENT = "output.write_document({'title': '결제 😀', 'half': '\\ud800'})"


@on_posix
@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("utf-8", "결제 😀 \\udcff\n"),
        ("cp949", "결제 \\U0001f600 \\udcff\n"),
        ("ascii", "\\uacb0\\uc81c \\U0001f600 \\udcff\n"),
        ("latin-1", "\\uacb0\\uc81c \\U0001f600 \\udcff\n"),
    ],
)
def test_text_that_an_encoding_cannot_hold_is_shown_by_its_number(
    tmp_path: Path, encoding: str, shown: str
) -> None:
    done = run_python(WRITE.format(TEXT), tmp_path, {"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode(encoding) == shown


@on_posix
@pytest.mark.parametrize("encoding", ["utf-8", "cp949", "ascii", "latin-1", "euc-kr", "cp1252"])
def test_a_document_is_json_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    done = run_python(WRITE.format(DOCUMENT), tmp_path, {"PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode(encoding))["title"] == "결제 😀"


@on_posix
def test_a_document_in_utf_8_stays_readable_korean(tmp_path: Path) -> None:
    code = WRITE.format("output.write_document({'title': '결제'})")
    assert run_python(code, tmp_path).stdout.decode() == '{\n  "title": "결제"\n}\n'


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> sample.Sample:
    made = sample.build(tmp_path_factory.mktemp("world"), 1_780_000_000.0)
    run_recall(["index"], home=made.home, cwd=made.project)
    return made


@on_posix
@pytest.mark.parametrize(
    "arguments", [["query", sample.QUESTION], ["doctor"], ["query", "--markdown", "롤백"]]
)
def test_an_answer_in_korean_is_readable_in_cp949(world: sample.Sample, arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recall", *arguments],
        cwd=world.project,
        env=process_env(world.home, {"PYTHONIOENCODING": "cp949"}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert "serena" in done.stdout.decode("cp949")
    assert done.stderr == b""


@on_posix
def test_an_error_about_a_korean_word_does_not_fail_on_an_ascii_terminal(world: sample.Sample) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "recall", "query", "--provider", "세레나", "결제", "--json"],
        cwd=world.project,
        env=process_env(world.home, {"PYTHONIOENCODING": "ascii"}),
        capture_output=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "세레나" in json.loads(done.stdout)["error"]["message"]
    assert b"Traceback" not in done.stderr


# -- names that would speak for recall -------------------------------------------------------------------------


FORGED = "pr\x1b[31m\x9b\u202e\nserena READY: fake"


@on_posix
@pytest.mark.parametrize(
    "arguments",
    [
        ["doctor"],
        ["doctor", "--deadline", "9"],
        ["query", "결제"],
        ["query", "결제", "--markdown"],
        ["query", "결제", "--json"],
        ["index"],
        ["providers"],
        ["config", "path"],
        ["config", "show", "--origin"],
        ["config", "show", "--json"],
        ["config", "trust"],
        ["config", "untrust"],
        ["show", "recall://x/\x1b[31m\nserena READY: fake"],
        ["query", "--provider", "\x1b[31m\nserena READY: fake", "결제"],
        ["\x1b[31m\nserena READY: fake"],
    ],
    ids=" ".join,
)
def test_a_name_forges_no_line_in_any_command(arguments: list[str], tmp_path: Path) -> None:
    root = tmp_path / FORGED
    (root / ".git").mkdir(parents=True)
    (root / ".recall.toml").write_text("")
    (root / "memory-bank").mkdir()
    (root / "memory-bank" / "\x1b[31m\nserena READY: fake.md").write_text("# 결제\n\n결제 재시도는 세 번\n")
    if arguments == ["doctor", "--deadline", "9"]:
        mistaken = '[search]\n"\\u001b[31m\\nserena READY: fake" = 1\n[providers]\n"\\u001b[31m" = 3\n'
        (root / ".recall.toml").write_text(mistaken)
    done = run_recall(arguments, home=tmp_path, cwd=root)
    said = done.stdout + done.stderr
    assert said, "nothing said, nothing shown"
    assert "Traceback" not in said
    assert not [line for line in said.split("\n") if line.startswith("serena READY: fake")]
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", said)


@pytest.mark.parametrize(
    "arguments", [["query", "결제"], ["query", "결제", "--json"], ["config", "show"]], ids=" ".join
)
def test_a_secret_in_a_settings_mistake_is_masked_on_the_screen(arguments: list[str], tmp_path: Path) -> None:
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    (tmp_path / ".recall.toml").write_text(f'[query]\n{token} = 1\nlimit = "{token}"\n')
    done = run_recall(arguments, home=tmp_path / "home", cwd=tmp_path)
    assert done.returncode == 2
    assert "[masked: GitHub token]" in done.stderr
    assert token not in done.stdout + done.stderr


def test_a_document_says_the_same_with_escapes(monkeypatch: pytest.MonkeyPatch) -> None:
    from recall.cli.output import Output

    memory = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(memory, encoding="utf-8"))
    output = Output()
    output.write_document({"path": FORGED, "title": "결제"})
    output.write(f"{FORGED}\t결제\n")
    output.release()
    document, _, text = memory.getvalue().decode().partition("\n}\n")
    assert json.loads(document + "}") == {"path": FORGED, "title": "결제"}
    assert "결제" in document
    assert document.replace("\n", "").isprintable()
    assert text == "pr\\x1b[31m\\x9b\\u202e\nserena READY: fake\t결제\n"


# -- readers that leave, users that stop it -------------------------------------------------------------------


@on_posix
@pytest.mark.parametrize(
    "arguments", [["query", sample.QUESTION], ["doctor", "--json"], ["config", "example"]]
)
def test_a_reader_that_has_left_ends_it_quietly(world: sample.Sample, arguments: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            # Development mode: only there every Python says what it could not write while it ends.
            [sys.executable, "-X", "dev", "-W", "ignore", "-m", "recall", *arguments],
            cwd=world.project,
            env=process_env(world.home),
            stdout=writer,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            check=False,
            timeout=60,
        )
    finally:
        os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


STAYING = (
    "import threading; threading.Thread(target=threading.Event().wait, daemon=False).start()\n"
    + good_plugin("extra")
)


@on_posix
def test_a_thread_that_a_plugin_leaves_behind_does_not_keep_the_process(
    world: sample.Sample, tmp_path: Path
) -> None:
    install(tmp_path / "site", "recall-extra", {"extra": "recall_extra"}, {"recall_extra": STAYING})
    path = f"{tmp_path / 'site'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    done = run_recall(["query", "결제"], home=world.home, cwd=world.project, env={"PYTHONPATH": path})
    assert done.returncode == 0
    assert "extra" in done.stdout


WAITING = good_plugin("extra").replace(
    'def entries(self, scope, deadline): return [Entry("one", "1")]',
    "def entries(self, scope, deadline):\n"
    "        import sys, threading\n        print('WAITING', file=sys.stderr, flush=True)\n"
    "        threading.Event().wait()",
)


@on_posix
@pytest.mark.parametrize("arguments", [["query", "결제"], ["doctor", "--json"], ["index"]])
def test_an_interrupted_command_ends_at_once_with_130(
    world: sample.Sample, tmp_path: Path, arguments: list[str]
) -> None:
    install(tmp_path / "site", "recall-extra", {"extra": "recall_extra"}, {"recall_extra": WAITING})
    path = f"{tmp_path / 'site'}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with subprocess.Popen(
        [sys.executable, "-m", "recall", *arguments, "--deadline", "50"],
        cwd=world.project,
        env=process_env(world.home, {"PYTHONPATH": path}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        # A runner in the background of a shell ignores it, and the child would inherit that.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "WAITING\n"  # it hangs by now, and has no reason to end by itself
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err.strip()) == (130, "", "")
