"""Foreign programs: what comes back, and that nothing is left of them."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recall.api import Deadline
from recall.transport.process import Process, Result, find_program
from support.ending import is_gone

PYTHON = sys.executable


def run(argv: Sequence[str], **options: Any) -> Result:
    """Run a program to its end; with all it wrote."""
    with Process(argv, **options) as process:
        out = b"".join(process.chunks())
        return process.result()._replace(out=out)


def soon() -> Deadline:
    return Deadline.after(60)


def python(code: str, *, deadline: Deadline | None = None, **rest: object) -> Result:
    options = {"cwd": "/", "env": {}, **rest}
    return run([PYTHON, "-I", "-c", code], deadline=deadline or soon(), **options)


def test_output_exit_code_and_the_last_line_of_its_complaint_come_back() -> None:
    done = python(
        "import sys; print('안녕'); print('first\\nlast', file=sys.stderr); sys.exit(3)",
        env={"PYTHONUTF8": "1"},
    )
    assert (done.code, done.out.decode(), done.last_line) == (3, "안녕\n", "last")
    assert not done.ok


def test_a_program_that_succeeds_is_ok() -> None:
    assert python("pass") == Result(0)


def test_a_program_sees_the_environment_it_is_given_and_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OUTSIDE", "1")
    done = run(["/usr/bin/env"], cwd="/", env={"GIVEN": "a b"}, deadline=soon())
    assert done.out == b"GIVEN=a b\n"


def test_a_program_runs_in_the_folder_it_is_given(tmp_path: Path) -> None:
    done = python("import os; print(os.getcwd())", cwd=tmp_path)
    assert done.out.decode().strip() == os.path.realpath(tmp_path)


@settings(deadline=None)  # a process takes what the machine lets it
@given(st.binary(max_size=300_000))
def test_what_is_written_to_it_comes_back_whole(data: bytes) -> None:
    assert run(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=data).out == data


def test_a_stream_is_read_as_the_program_takes_it() -> None:
    pieces = (b"x" * size for size in range(2_000))
    done = run(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=pieces)
    assert len(done.out) == sum(range(2_000))


def test_a_program_that_does_not_read_its_input_is_no_trouble() -> None:
    assert python("pass", stdin=b"x" * 5_000_000).ok


def test_a_program_without_input_reads_the_end() -> None:
    assert python("import sys; print(repr(sys.stdin.read()))").out == b"''\n"


@pytest.mark.parametrize(
    ("argv", "missing"), [(["/no/such/program"], True), (["/etc/passwd"], False), (["/bin/sh\0"], False)]
)
def test_what_cannot_be_started_is_a_result(argv: list[str], missing: bool) -> None:
    done = run(argv, cwd="/", env={}, deadline=soon())
    assert done.code is None
    assert done.failed
    assert done.missing is missing


def test_a_folder_that_is_not_there_is_not_a_missing_program(tmp_path: Path) -> None:
    done = run(["/bin/true"], cwd=tmp_path / "gone", env={}, deadline=soon())
    assert "gone: no such file or directory" in done.failed
    assert not done.missing


def test_without_time_nothing_is_started(tmp_path: Path) -> None:
    done = run(["/bin/touch", str(tmp_path / "there")], cwd="/", env={}, deadline=Deadline.after(0))
    assert done == Result(None, late=True)
    assert not (tmp_path / "there").exists()


class Reached:
    """A clock that stands until it is told that the time is over."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


# Its child is told by number, so that a test can see that it is gone; both ignore every polite signal.
_FAMILY = """
import os, signal, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = os.fork()
if child == 0:
    while True: time.sleep(60)
print(os.getpid(), child, flush=True)
while True: time.sleep(60)
"""


def pids(chunks: Iterator[bytes]) -> list[int]:
    text = b""
    while b"\n" not in text:
        text += next(chunks)
    return [int(pid) for pid in text.split()]


def test_at_the_deadline_the_program_and_its_children_are_killed() -> None:
    clock = Reached()
    deadline = Deadline(0.5, clock)
    with Process([PYTHON, "-I", "-c", _FAMILY], cwd="/", env={}, deadline=deadline) as process:
        family = pids(process.chunks())
        clock.now = 1.0
        done = process.result()
    assert done.late
    assert done.code is None
    assert all(map(is_gone, family))


def test_leaving_the_block_ends_the_program_and_its_children() -> None:
    with Process([PYTHON, "-I", "-c", _FAMILY], cwd="/", env={}, deadline=soon()) as process:
        family = pids(process.chunks())
    assert all(map(is_gone, family))


def test_an_error_in_the_block_ends_the_program() -> None:
    family: list[int] = []

    def fail() -> None:
        with Process([PYTHON, "-I", "-c", _FAMILY], cwd="/", env={}, deadline=soon()) as process:
            family.extend(pids(process.chunks()))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert len(family) == 2
    assert all(map(is_gone, family))


def test_what_a_program_left_running_is_killed_when_it_ends() -> None:
    code = (
        "import os, time\nchild = os.fork()\n"
        "if child == 0:\n    [os.close(n) for n in (0, 1, 2)]\n    time.sleep(600)\n"
        "print(child, flush=True)\nos._exit(0)"
    )
    done = python(code)
    assert done.ok
    assert is_gone(int(done.out))


def test_a_child_that_holds_the_output_open_does_not_outlast_the_deadline() -> None:
    clock = Reached()
    code = "import os, time\nif os.fork() == 0:\n    time.sleep(600)\nprint('x', flush=True)\nos._exit(0)"
    with Process([PYTHON, "-I", "-c", code], cwd="/", env={}, deadline=Deadline(0.5, clock)) as process:
        assert next(process.chunks()) == b"x\n"
        clock.now = 1.0
        assert process.result().late


def test_output_without_end_is_cut_and_said() -> None:
    done = run(["/usr/bin/yes"], cwd="/", env={}, deadline=soon(), limit=100_000)
    assert done.cut
    assert len(done.out) == 100_000


def test_of_a_long_complaint_the_end_is_kept() -> None:
    done = python("import sys; sys.stderr.write('x' * 1_000_000 + '\\nthe end')")
    assert done.last_line == "the end"
    assert len(done.err) == 4_096


@settings(deadline=None)
@given(st.lists(st.binary(max_size=50).filter(lambda data: b"\0" not in data), max_size=50))
def test_records_are_those_that_were_written(records: list[bytes]) -> None:
    stdin = b"".join(record + b"\0" for record in records)
    with Process(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=stdin) as process:
        assert list(process.records()) == records
        assert process.result().ok


def test_a_torn_record_is_not_taken_for_a_whole_one() -> None:
    with Process(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=b"one\0tw") as process:
        assert list(process.records()) == [b"one"]


def test_a_record_without_end_is_cut() -> None:
    with Process(["/usr/bin/yes"], cwd="/", env={}, deadline=soon()) as process:
        assert list(process.records(limit=1_000)) == []
        assert process.result().cut


@settings(deadline=None)
@given(
    st.lists(st.binary(max_size=50).filter(lambda data: b"\0" not in data), max_size=50), st.integers(1, 60)
)
def test_long_records_are_shortened_on_demand_and_the_others_stay_whole(
    records: list[bytes], limit: int
) -> None:
    stdin = b"".join(record + b"\0" for record in records)
    with Process(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=stdin) as process:
        assert list(process.records(limit=limit, shorten=True)) == [record[:limit] for record in records]
        assert process.result().ok


def test_a_record_longer_than_many_chunks_is_passed_over_and_the_next_one_is_read() -> None:
    stdin = (b"x" * 3_000_000, b"\0next\0torn")
    with Process(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=stdin) as process:
        assert list(process.records(limit=1_000, shorten=True)) == [b"x" * 1_000, b"next"]
        assert process.result().ok


def test_a_record_beyond_the_limit_is_cut_although_it_has_an_end() -> None:
    stdin = b"one\0" + b"x" * 1_001 + b"\0two\0"
    with Process(["/bin/cat"], cwd="/", env={}, deadline=soon(), stdin=stdin) as process:
        assert list(process.records(limit=1_000)) == [b"one"]
        assert process.result().cut


def test_programs_run_beside_each_other() -> None:
    """Two that wait for each other: one writes what the other needs."""
    read, write = os.pipe()
    os.set_inheritable(read, True)
    results: list[Result] = []
    waiting = threading.Thread(
        target=lambda: results.append(
            run(["/bin/cat", f"/proc/{os.getpid()}/fd/{read}"], cwd="/", env={}, deadline=soon())
        )
    )
    waiting.start()
    done = run(
        ["/bin/sh", "-c", f"echo here > /proc/{os.getpid()}/fd/{write}"], cwd="/", env={}, deadline=soon()
    )
    os.close(write)
    waiting.join()
    os.close(read)
    assert done.ok
    assert [one.out for one in results] == [b"here\n"]


def test_a_program_is_found_by_the_path_given_and_never_in_the_folder_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "tool"
    fake.write_text("#!/bin/sh\n")
    fake.chmod(0o755)
    monkeypatch.chdir(tmp_path)
    assert find_program("tool", {"PATH": f"/nowhere:{tmp_path}"}) == str(fake)
    assert find_program("tool", {"PATH": f".::{tmp_path.name}"}) is None
    fake.chmod(0o644)
    assert find_program("tool", {"PATH": str(tmp_path)}) is None


def test_a_program_below_a_barred_folder_is_not_found_by_whatever_way(tmp_path: Path) -> None:
    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project / "bin", elsewhere):
        folder.mkdir(parents=True)
        (folder / "tool").write_text("#!/bin/sh\n")
        (folder / "tool").chmod(0o755)
    (project / "out").symlink_to(elsewhere)  # the project's own link leads where the project likes
    (tmp_path / "way").symlink_to(project)
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "tool").symlink_to(project / "bin" / "tool")
    ways = ["project/bin", "project/out", "way/bin", "way/out", "linked", "elsewhere/../project/bin"]
    for way in ways:
        path = {"PATH": f"{tmp_path / way}:{elsewhere}"}
        assert find_program("tool", path, (project,)) == str(elsewhere / "tool"), way
        assert find_program("tool", path, (tmp_path / "way",)) == str(elsewhere / "tool"), way
        assert find_program("tool", path) == str(tmp_path / way / "tool")


def test_where_the_project_is_the_whole_system_its_programs_are_found(tmp_path: Path) -> None:
    assert find_program("sh", {"PATH": "/bin"}, (Path("/"),)) == "/bin/sh"
    assert find_program("sh", {"PATH": "/bin"}, (tmp_path / "missing",)) == "/bin/sh"
