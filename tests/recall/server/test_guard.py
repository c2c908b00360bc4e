"""Who may talk to the HTTP server, and its token."""

from __future__ import annotations

import os
import stat
import threading
from collections.abc import MutableMapping
from pathlib import Path
from typing import Any

import anyio
import pytest

from recall.errors import UsageError
from recall.server import guard, http
from recall.server.bearer import token
from support.worlds import REPOSITORY

TOKEN = "t" * 43


def answered(headers: list[tuple[bytes, bytes]], kind: str = "http", path: str = "/mcp") -> Any:
    """The first message that a guarded application sends, "through" if the request reached it."""
    sent: list[Any] = []

    async def inner(scope: Any, receive: Any, send: Any) -> None:
        sent.append("through")

    async def send(message: MutableMapping[str, Any]) -> None:
        sent.append(message)

    async def receive() -> MutableMapping[str, Any]:
        return {}

    scope = {"type": kind, "path": path, "headers": headers}
    anyio.run(guard.TokenGuard(inner, TOKEN), scope, receive, send)
    return sent[0]


@pytest.mark.parametrize("header", [f"Bearer {TOKEN}", f"bearer {TOKEN}", f"BEARER  {TOKEN} "])
def test_the_token_opens(header: str) -> None:
    assert answered([(b"authorization", header.encode())]) == "through"


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [(b"authorization", b"")],
        [(b"authorization", b"Bearer")],
        [(b"authorization", b"Bearer wrong")],
        [(b"authorization", b"Bearer " + TOKEN[:-1].encode())],
        [(b"authorization", b"Basic " + TOKEN.encode())],
        [(b"authorization", b"Bearer \xff")],
        [(b"x-authorization", b"Bearer " + TOKEN.encode())],
        [(b"authorization", b"Bearer wrong"), (b"authorization", b"Bearer " + TOKEN.encode())],
    ],
)
def test_everything_else_is_refused(headers: list[tuple[bytes, bytes]]) -> None:
    refusal = answered(headers)
    assert refusal["status"] == 401
    assert dict(refusal["headers"])[b"www-authenticate"].startswith(b"Bearer")
    assert answered(headers, kind="websocket")["type"] == "websocket.close"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b"host", b"localhost:1@evil.example"),
        (b"host", b"127.0.0.1:x.evil.example"),
        (b"host", b"[::1]:evil.example"),
        (b"host", b"localhost:evil"),
        (b"origin", b"http://localhost:1.evil.example"),
        (b"origin", b"http://localhost:@evil.example"),
        (b"origin", b"http://localhost:65536"),
        (b"origin", b"http://localhost:99999"),
        (b"host", b"127.0.0.1:65536"),
        (b"host", b"[::1]:70000"),
    ],
)
def test_what_follows_the_colon_of_host_and_origin_is_a_port(name: bytes, value: bytes) -> None:
    opened = (b"authorization", b"Bearer " + TOKEN.encode())
    assert answered([opened, (name, value)])["status"] == 400


@pytest.mark.parametrize("name", [b"host", b"Host", b"origin", b"ORIGIN"])
def test_an_empty_host_or_origin_is_none_that_can_be_checked(name: bytes) -> None:
    opened = (b"authorization", b"Bearer " + TOKEN.encode())
    assert answered([opened, (name, b"")])["status"] == 400


@pytest.mark.parametrize("second", [b"http://localhost", b"http://evil.example", b""])
@pytest.mark.parametrize("name", [b"host", b"origin"])
def test_two_hosts_or_origins_are_refused_though_one_is_this_machines(name: bytes, second: bytes) -> None:
    opened = (b"authorization", b"Bearer " + TOKEN.encode())
    assert answered([opened, (name, b"http://localhost"), (name, second)])["status"] == 400


@pytest.mark.parametrize(
    "value",
    [b"localhost", b"127.0.0.1:65535", b"127.0.0.1:8377", b"[::1]:80", b"http://localhost:3000", b"null"],
)
def test_an_ordinary_host_or_origin_passes_on_to_its_check(value: bytes) -> None:
    opened = (b"authorization", b"Bearer " + TOKEN.encode())
    assert answered([opened, (b"host", value)]) == "through"


def test_a_client_that_looks_for_oauth_is_told_that_there_is_none() -> None:
    assert answered([], path="/.well-known/oauth-protected-resource") == "through"
    assert answered([], kind="lifespan") == "through"


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.9.9.9", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.5", False),
        ("example.org", False),
        ("", False),
    ],
)
def test_loopback_is_told_from_what_others_reach(host: str, loopback: bool) -> None:
    assert guard.is_loopback(host) is loopback


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.0.0.2", "::1", "192.168.1.5", "0.0.0.0", "::", "localhost"]
)
def test_a_server_is_reached_under_the_names_that_are_printed(host: str) -> None:
    printed = guard.reached_at(host)
    assert {f"{name}:*" for name in printed} <= set(guard.names(host, []).allowed_hosts)
    assert not {"0.0.0.0", "[::]"} & set(printed)


def test_names_are_this_machines_and_those_that_are_allowed() -> None:
    here = guard.names("127.0.0.1", ["tunnel.example.org"])
    assert here.enable_dns_rebinding_protection
    assert {"localhost:*", "127.0.0.1:*", "tunnel.example.org"} <= set(here.allowed_hosts)
    assert "https://tunnel.example.org" in here.allowed_origins
    assert "127.0.0.2:*" in guard.names("127.0.0.2", []).allowed_hosts
    assert "192.168.1.5:*" not in here.allowed_hosts
    assert "192.168.1.5:*" in guard.names("192.168.1.5", []).allowed_hosts
    assert not [name for name in guard.names("0.0.0.0", []).allowed_hosts if name.startswith("*")]


# -- the token ------------------------------------------------------------------------------------------------


def test_a_token_is_made_once_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    made = token(tmp_path)
    assert token(tmp_path) == made
    assert len(made) == 43
    (path,) = tmp_path.iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("content", ["", "short\n", "x" * 10_000, "한글" * 20])
def test_a_file_without_a_token_gets_one(tmp_path: Path, content: str) -> None:
    path = tmp_path / "server-token"
    path.write_text(content, encoding="utf-8")
    path.chmod(0o600)
    made = token(tmp_path)
    assert path.read_text(encoding="utf-8").strip() == made != content


def test_a_token_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    old = token(tmp_path)
    (tmp_path / "server-token").chmod(0o644)
    assert token(tmp_path) != old
    assert stat.S_IMODE((tmp_path / "server-token").stat().st_mode) == 0o600


def test_a_link_is_no_token_and_what_it_points_to_stays_as_it_is(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("x" * 43, encoding="utf-8")
    state = tmp_path / "state"
    state.mkdir()
    (state / "server-token").symlink_to(elsewhere)
    assert token(state) != "x" * 43
    assert elsewhere.read_text(encoding="utf-8") == "x" * 43


def test_a_state_folder_that_is_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        token(tmp_path / "state")


def test_a_token_that_cannot_be_put_in_its_place_leaves_no_rest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.link", full)
    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UsageError, match="no space left on device"):
        token(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_those_who_come_together_get_the_same_token(tmp_path: Path) -> None:
    met = threading.Barrier(8)

    made: list[str] = []

    def make() -> None:
        met.wait(30)
        made.append(token(tmp_path))

    makers = [threading.Thread(target=make) for _ in range(8)]
    for maker in makers:
        maker.start()
    for maker in makers:
        maker.join(30)
    assert os.listdir(tmp_path) == ["server-token"]
    assert made == [token(tmp_path)] * 8


# -- listening ------------------------------------------------------------------------------------------------


def test_a_port_that_is_taken_is_a_usage_error() -> None:
    with http.listen("127.0.0.1", 0) as first:
        port = first.getsockname()[1]
        assert http.urls(first) == [f"http://127.0.0.1:{port}/mcp"]
        with pytest.raises(UsageError, match=f"cannot listen on 127.0.0.1:{port}"):
            http.listen("127.0.0.1", port)


@pytest.mark.parametrize("host", ["256.1.1.1", "not an address", "::1%none", "a\0b", "x" * 300, "\ud800"])
def test_an_address_that_is_none_is_a_usage_error_that_names_it_once(host: str) -> None:
    with pytest.raises(UsageError, match="cannot listen on ") as raised:
        http.listen(host, 0)
    assert str(raised.value).count(host) == 1


def test_only_this_room_and_the_transport_import_the_protocol_and_only_these_files_its_web_server() -> None:
    importers: dict[str, set[str]] = {"mcp": set(), "uvicorn": set()}
    for path in (REPOSITORY / "recall").rglob("*.py"):
        for line in path.read_text(encoding="utf-8").splitlines():
            words = line.split()
            if len(words) > 1 and words[0] in ("import", "from") and words[1].split(".")[0] in importers:
                importers[words[1].split(".")[0]].add(path.relative_to(REPOSITORY / "recall").as_posix())
    assert {name.split("/")[0] for name in importers["mcp"]} == {"server", "transport"}
    assert importers["uvicorn"] == {"server/http.py"}
    assert not importers["mcp"] & {"server/wire.py", "server/ending.py", "server/bearer.py"}
