"""One bad file never hides its folder: every kind of it, in every store of files that the project itself reads."""

from __future__ import annotations

import errno
import json
import os
import re
import socket
import subprocess
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recall.answer import Answer, Outcome
from recall.api import Scope, State
from recall.engine import Engine
from recall_antigravity.provider import AntigravityOptions, AntigravityProvider
from recall_decisions.provider import DecisionsOptions, DecisionsProvider
from recall_markdown.provider import MarkdownProvider
from recall_markdown.stores import MarkdownOptions
from recall_serena.provider import SerenaOptions, SerenaProvider
from recall_state.provider import StateOptions, StateProvider
from recall_transcripts.provider import TranscriptsOptions, TranscriptsProvider
from support.worlds import make_engine, make_scope, process_env, snapshot

pytestmark = pytest.mark.skipif(os.name != "posix", reason="pipes, sockets, links and names of raw bytes")

GOOD = "환불은 영업일 사흘 안에 끝난다"
WORD = "마이그레이션"  # only in the file under test
NOTE = f"# 적어 둔 것\n\n{WORD} 잠금은 새벽에만 건다.\n"


def _slug(scope: Scope) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", os.fspath(scope.root))


def _exchange(scope: Scope, text: str) -> str:
    """A session of Claude Code whose person said the text, and was answered."""

    def line(kind: str, content: str, uuid: str) -> str:
        message = {"role": kind, "content": content}
        plain = {
            "type": kind,
            "uuid": uuid,
            "sessionId": uuid,
            "cwd": os.fspath(scope.root),
            "message": message,
        }
        return json.dumps({**plain, "timestamp": "2026-05-18T07:05:00.000Z"}, ensure_ascii=False) + "\n"

    key = f"{abs(hash(text)):x}"
    return (
        line("user", text, f"u{key}")
        + line("assistant", f"알겠다: {text}", f"a{key}")
        + line("user", "다음", f"n{key}")
    )


@dataclass(frozen=True)
class Kind:
    """A store of files."""

    name: str
    folder: Callable[[Scope], Path]
    provider: Callable[[], Any]
    ending: str = ".md"
    leaves: bool = True  # whether a link may lead out of it: what a person wrote at home may be shared

    def content(self, scope: Scope, text: str) -> str:
        return _exchange(scope, " ".join(text.split())) if self.ending == ".jsonl" else text


KINDS = [
    Kind(
        "serena", lambda scope: scope.root / ".serena" / "memories", lambda: SerenaProvider(SerenaOptions())
    ),
    Kind(
        "markdown",
        lambda scope: scope.home / ".claude" / "projects" / _slug(scope) / "memory",
        lambda: MarkdownProvider(MarkdownOptions()),
    ),
    Kind(
        "bank",
        lambda scope: scope.root / "memory-bank",
        lambda: MarkdownProvider(MarkdownOptions()),
        leaves=False,
    ),
    Kind(
        "antigravity",
        lambda scope: scope.home / ".gemini" / "antigravity" / "knowledge" / "refunds" / "artifacts",
        lambda: AntigravityProvider(AntigravityOptions()),
    ),
    Kind(
        "decisions",
        lambda scope: scope.root / "docs" / "decisions",
        lambda: DecisionsProvider(DecisionsOptions()),
        leaves=False,
    ),
    Kind(
        "state",
        lambda scope: scope.root / "docs" / "handoffs",
        lambda: StateProvider(StateOptions()),
        leaves=False,
    ),
    Kind(
        "transcripts",
        lambda scope: scope.home / ".claude" / "projects" / _slug(scope),
        lambda: TranscriptsProvider(TranscriptsOptions(max_age_days=36_500)),
        ".jsonl",
    ),
]


@dataclass
class World:
    """A store with one good file in it."""

    kind: Kind
    scope: Scope
    tmp: Path

    @property
    def folder(self) -> Path:
        return self.kind.folder(self.scope)

    def path(self, stem: str = "0002-bad") -> Path:
        return self.folder / f"{stem}{self.kind.ending}"

    def write(self, data: bytes | str, stem: str = "0002-bad") -> Path:
        path = self.path(stem)
        path.write_bytes(data if isinstance(data, bytes) else self.kind.content(self.scope, data).encode())
        return path

    def engine(self) -> Engine:
        return make_engine(self.tmp, [self.kind.provider()], scope=self.scope)

    def ask(self, question: str) -> Answer:
        engine = self.engine()
        try:
            return engine.recall(question, deadline=20.0)
        finally:
            engine.close()

    def holds(self, word: str) -> int:
        """How many memories shown hold the word."""
        return sum(word in unicodedata.normalize("NFC", hit.ranked.row.text) for hit in self.ask(word).hits)

    def outcome(self) -> Outcome:
        return self.ask("환불 영업일").outcomes[0]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    world = World(request.param, make_scope(tmp_path), tmp_path)
    world.folder.mkdir(parents=True)
    world.write(f"# 환불\n\n{GOOD}.\n", "0001-good")
    return world


# --- what cannot be read: told, and nothing else is lost ------------------------------------------------------


def _pipe(world: World) -> None:
    os.mkfifo(world.path())


def _socket(world: World) -> None:
    here = os.getcwd()
    os.chdir(world.folder)  # an address of a socket is short
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(world.path().name)
    finally:
        os.chdir(here)


def _device(world: World) -> None:
    try:
        os.mknod(world.path(), 0o20666, os.makedev(1, 5))  # /dev/zero
    except PermissionError:
        pytest.skip("devices are made by root only")


def _link_to_device(world: World) -> None:
    world.path().symlink_to("/dev/zero")


def _link_to_itself(world: World) -> None:
    world.path().symlink_to(world.path().name)


def _link_to_nothing(world: World) -> None:
    world.path().symlink_to(world.tmp / "gone")


def _binary(world: World) -> None:
    world.write(b"\x7fELF\0\0\0\0" + bytes(range(256)) * 8)


UNREADABLE = [_pipe, _socket, _device, _link_to_device, _link_to_itself, _link_to_nothing, _binary]


@pytest.mark.parametrize("make", UNREADABLE, ids=lambda make: make.__name__.strip("_"))
def test_what_is_no_text_is_told_and_hides_nothing(world: World, make: Callable[[World], None]) -> None:
    make(world)
    before = snapshot(world.scope.root, world.scope.home)
    found = world.outcome()
    assert world.holds("환불") == 1
    assert found.state is State.DEGRADED or (found.state is State.READY and found.notes), found
    said = " ".join((found.reason, *found.notes, *(f"{one.where} {one.reason}" for one in found.problems)))
    assert "0002-bad" in said
    assert snapshot(world.scope.root, world.scope.home) == before


@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.ESTALE, errno.EDEADLK, errno.ENODEV])
def test_a_file_that_the_system_refuses_is_told_and_hides_nothing(
    world: World, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = os.fspath(world.write(NOTE))
    real = os.open

    def refusing(path: Any, *rest: Any, **more: Any) -> int:
        if isinstance(path, str | os.PathLike) and os.fspath(path) == bad:
            raise OSError(number, os.strerror(number))
        return real(path, *rest, **more)

    monkeypatch.setattr(os, "open", refusing)
    found = world.outcome()
    assert (found.state, found.memories) == (State.DEGRADED, 1)
    assert os.strerror(number).lower() in found.reason
    assert "0002-bad" in found.reason


def test_a_folder_that_the_system_refuses_is_told_and_hides_nothing(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    bad = world.folder / "2026"
    bad.mkdir()
    real = os.scandir

    def refusing(path: Any = ".") -> Any:
        if os.fspath(path) == os.fspath(bad):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", refusing)
    found = world.outcome()
    assert world.holds("환불") == 1
    if world.kind.name != "transcripts":  # their sub-folders are side chains of known names
        assert found.state is State.DEGRADED
        assert "permission denied" in found.reason


# --- what holds nothing: no word of it -------------------------------------------------------------------------


@pytest.mark.parametrize("data", [b"", b" \n\t\r\n", b"\xef\xbb\xbf", b"\xff\xfe", "\u200b\u2060\n".encode()])
def test_an_empty_file_is_no_memory_and_no_damage(world: World, data: bytes) -> None:
    world.write(data)
    found = world.outcome()
    assert (found.state, found.memories) == (State.READY, 1), found


def test_a_folder_that_is_called_like_a_file_is_no_damage(world: World) -> None:
    world.path().mkdir()
    found = world.outcome()
    assert (found.state, found.memories) == (State.READY, 1), found


@pytest.mark.parametrize("target", ["..", ".", "../..", "/"])
def test_a_folder_that_leads_back_ends(world: World, target: str) -> None:
    (world.folder / "again").symlink_to(target)
    assert world.holds("환불") == 1
    assert world.outcome().state in (State.READY, State.DEGRADED)


# --- what is text all the same -----------------------------------------------------------------------------------

CODED = {
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "cr": lambda text: text.replace("\n", "\r").encode(),
    "utf-16-le": lambda text: b"\xff\xfe" + text.encode("utf-16-le"),
    "utf-16-be": lambda text: b"\xfe\xff" + text.encode("utf-16-be"),
    "cp949": lambda text: text.encode("cp949"),
    "nfd": lambda text: unicodedata.normalize("NFD", text).encode(),
    "front matter of dates, nothing and a list": lambda text: (
        f"---\ntags:\ndate: 2026-05-01\nx: [a, b]\n---\n{text}".encode()
    ),
    "front matter with a colon": lambda text: f"---\ntitle: a: b: c\n---\n{text}".encode(),
    "front matter with a tab": lambda text: f"---\ntitle:\tx\n\ty: z\n---\n{text}".encode(),
    "front matter without an end": lambda text: f"---\ntitle: x\n{text}".encode(),
    "two front matters": lambda text: f"---\na: b\n---\n---\ntitle: c\n---\n{text}".encode(),
    "a fence that is never closed": lambda text: f"{text}\n```sh\n".encode(),
}


@pytest.mark.parametrize("coded", CODED, ids=lambda name: name.replace(" ", "-"))
def test_every_way_to_write_text_is_read(world: World, coded: str) -> None:
    if world.kind.ending == ".jsonl" and coded not in ("bom", "crlf", "nfd"):
        pytest.skip("JSON lines are UTF-8 by their format")
    world.write(CODED[coded](world.kind.content(world.scope, NOTE)))
    assert world.holds(WORD) == 1
    assert world.holds("환불") == 1


@pytest.mark.parametrize("data", [b"\xc3\x28 ", b"\xed\xa0\x80 ", b"\xff\xfe\xfd"[1:], b"\xf0\x9f\x98"])
def test_stray_bytes_cost_themselves_only(world: World, data: bytes) -> None:
    text = world.kind.content(world.scope, NOTE).encode()
    world.write(text.replace("잠금".encode(), "잠금".encode() + data))
    assert world.holds(WORD) == 1
    found = world.outcome()
    if world.kind.ending == ".md":
        assert found.state is State.DEGRADED
        assert "not valid UTF-8 at byte" in found.reason


def test_one_line_of_five_million_characters_is_found_by_its_beginning(world: World) -> None:
    world.write(NOTE.rstrip() + " 가나다라" * 1_000_000)
    assert world.holds("환불") == 1
    said = world.outcome()
    if world.kind.ending == ".md":
        assert world.holds(WORD) == 1
        assert "cut after" in said.reason
    else:
        assert any("too long" in note for note in said.notes)


def test_a_sparse_file_of_eight_gigabytes_is_not_read_to_its_end(world: World) -> None:
    path = world.write(NOTE)
    with open(path, "r+b") as file:
        file.truncate(8 << 30)
    assert world.holds("환불") == 1
    assert world.outcome().state in (State.READY, State.DEGRADED)


NAMES = {
    "nfd": unicodedata.normalize("NFD", "0002-마이그레이션-절차").encode(),
    "raw bytes": b"0002-\xff\xfe\xb0\xa1",
    "cp949": "0002-한글이름".encode("cp949"),
    "line end": b"0002-a\nb",
    "escape": b"0002-\x1b[31mred\x1b[0m",
    "direction": "0002-\u202egnp".encode(),
    "quotes": b"0002-'\"`$(x);&",
    "percent": b"0002-%00%2e%2e%ff?#",
    "backslash": b"0002-a\\b",
    "dash first": b"-0002 --rf",
    "blank": b"0002 a  b ",
    "two hundred and fifty bytes": b"0002-" + b"x" * 240,
    "upper": b"0002-BAD",
}


@pytest.mark.parametrize("name", NAMES)
def test_every_name_is_read_shown_and_asked_for(world: World, name: str) -> None:
    raw = os.fsencode(world.folder) + b"/" + NAMES[name] + world.kind.ending.encode()
    with open(raw, "wb") as file:
        file.write(world.kind.content(world.scope, NOTE).encode())
    assert world.holds(WORD) == 1
    assert world.holds("환불") == 1
    (hit,) = [hit for hit in world.ask(WORD).hits if WORD in hit.ranked.row.text]
    row = hit.ranked.row
    for shown in (row.path, row.uri, row.title):
        assert shown.encode("utf-8").decode().isprintable(), ascii(shown)
    engine = world.engine()
    assert engine.show(row.uri) is not None
    engine.close()


def test_two_names_that_differ_in_their_unicode_form_are_two_memories(world: World) -> None:
    for form in ("NFC", "NFD"):
        world.write(f"{WORD} {form}는 따로 적었다", unicodedata.normalize(form, "0002-절차"))
    engine = world.engine()
    engine.recall("환불", deadline=20.0)
    assert engine.index.size() == 3
    engine.close()


# --- each real file once ----------------------------------------------------------------------------------------


def test_a_file_that_is_there_twice_by_links_is_one_memory(world: World) -> None:
    path = world.write(NOTE)
    os.link(path, world.path("0003-hard"))
    world.path("0004-soft").symlink_to(path.name)
    engine = world.engine()
    engine.recall("환불", deadline=20.0)
    assert engine.index.size() == 2
    engine.close()


def test_a_link_out_of_the_store_is_followed_only_where_that_is_a_persons_own_choice(world: World) -> None:
    outside = world.tmp / "outside"
    outside.mkdir()
    (outside / f"0002-x{world.kind.ending}").write_text(world.kind.content(world.scope, NOTE), "utf-8")
    world.path().symlink_to(outside / f"0002-x{world.kind.ending}")
    found = world.holds(WORD)
    said = world.outcome()
    if world.kind.leaves:
        assert found <= 1
    else:
        assert found == 0
        assert said.state is State.DEGRADED
        assert "leaves the store" in said.reason


# --- what changes while it is looked at ------------------------------------------------------------------------


def test_a_file_that_goes_after_it_was_listed_hides_nothing(world: World) -> None:
    world.write(NOTE)
    engine = world.engine()
    provider = engine.sources[world.kind.provider().name].provider
    load = provider.load

    def losing(entry: Any, scope: Scope) -> Any:
        world.path().unlink(missing_ok=True)
        return load(entry, scope)

    provider.load = losing
    answer = engine.recall("환불 영업일", deadline=20.0)
    assert any(GOOD in hit.ranked.row.text for hit in answer.hits)
    assert answer.outcomes[0].state in (State.READY, State.DEGRADED)
    engine.close()


def test_a_file_that_becomes_a_pipe_after_it_was_listed_hides_nothing(world: World) -> None:
    world.write(NOTE)
    engine = world.engine()
    provider = engine.sources[world.kind.provider().name].provider
    load = provider.load

    def changing(entry: Any, scope: Scope) -> Any:
        if world.path().is_file():
            world.path().unlink()
            os.mkfifo(world.path())
        return load(entry, scope)

    provider.load = changing
    answer = engine.recall("환불 영업일", deadline=20.0)
    assert any(GOOD in hit.ranked.row.text for hit in answer.hits)
    assert answer.outcomes[0].state is State.DEGRADED
    engine.close()


@pytest.mark.parametrize("encoding", ["cp949", "ascii", "utf-8"])
@pytest.mark.parametrize("command", ["query", "query --json", "query --markdown", "doctor", "doctor --json"])
def test_any_name_and_reason_can_be_printed_in_a_c_locale(
    tmp_path: Path, encoding: str, command: str
) -> None:
    scope = make_scope(tmp_path)
    folder = scope.root / ".serena" / "memories"
    folder.mkdir(parents=True)
    for name in NAMES.values():
        with open(os.fsencode(folder) + b"/" + name + b".md", "wb") as file:
            file.write(f"# {name!a} 🧊 ✓ – é\n\n{WORD} 🧊 {GOOD} ﷽ ẞ".encode() + name[-2:])
    os.mkfifo(folder / "관🧊.md")
    verb, *options = command.split()
    words = [WORD] if verb == "query" else []
    done = subprocess.run(
        [sys.executable, "-m", "recall", verb, *options, *words],
        cwd=scope.root,
        env={**process_env(scope.home), "LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=False,
    )
    shown = done.stdout.decode(encoding)
    assert done.returncode in (0, 1), done.stderr
    assert b"Traceback" not in done.stderr
    assert shown.replace("\n", "").isprintable() or verb == "query"
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", shown)
    if "--json" in options:
        json.loads(shown)
