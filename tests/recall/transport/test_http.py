"""Asking over HTTP: every way a request can end has its outcome, and none of them outlasts the deadline."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Iterator

import pytest

from recall.api import Deadline
from recall.transport.http import Answer, Client, Kind, is_loopback, proxy_for
from support.web_server import Behaviour, reply, serving


def soon() -> Deadline:
    return Deadline.after(30)


def get(*behaviours: Behaviour, seconds: float = 30, limit: int = 1_000, attempts: int = 1) -> Answer:
    with serving(*behaviours) as server:
        client = Client({}, limit=limit, sleep=lambda _seconds: None)
        try:
            return client.get(f"{server.url}/search", Deadline.after(seconds), attempts=attempts)
        finally:
            client.close()


def silent(over: threading.Event) -> Behaviour:
    return lambda _connection, _request: over.wait(60) and None


def dripping(head: bytes, stop: threading.Event) -> Behaviour:
    """Sends the head, then a byte at a time, each well within any time-out of a single read."""

    def behave(connection: socket.socket, _request: str) -> None:
        connection.sendall(head)
        while not stop.wait(0.02):
            connection.sendall(b"x")

    return behave


@pytest.fixture
def over() -> Iterator[threading.Event]:
    event = threading.Event()
    yield event
    event.set()


def test_an_answer_comes_back_as_json() -> None:
    answer = get(reply('{"results": ["결제"]}'))
    assert (answer.kind, answer.value, answer.reason) == (Kind.ANSWERED, {"results": ["결제"]}, "")


def test_nobody_listening_is_refused() -> None:
    with serving(reply("")) as server:
        pass
    answer = Client({}).get(server.url, soon())
    assert (answer.kind, answer.reason) == (Kind.REFUSED, f"nobody listens at {server.url}")


def test_a_server_that_accepts_and_says_nothing_is_out_of_time(over: threading.Event) -> None:
    answer = get(silent(over), seconds=0.2)
    assert answer.kind is Kind.TIMED_OUT
    assert answer.reason.endswith("in time")


@pytest.mark.parametrize(
    "head",
    [b"", b"HTTP/1.1 200 OK\r\nX-Slow: ", b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"],
    ids=["status line", "head", "body"],
)
def test_a_server_that_drips_is_left_at_the_deadline(head: bytes, over: threading.Event) -> None:
    with serving(dripping(head, over)) as server:
        client = Client({})
        answer = client.get(server.url, Deadline.after(0.3))
        client.close()
        assert answer.kind is Kind.DRIPPED
        assert answer.reason.startswith(f"{server.url} was not done in time")
        assert server.gone.wait(30)


def test_too_large_an_answer_is_not_taken_in() -> None:
    answer = get(reply("x" * 1_001))
    assert (answer.kind, answer.reason) == (Kind.TOO_LARGE, "answers with more than 1,000 bytes")
    assert get(reply("1" * 1_000)).ok


def test_a_packed_answer_that_nobody_asked_for_is_refused() -> None:
    answer = get(reply(gzip.compress(b"[]" * 1_000), Content_Encoding="gzip"))
    assert (answer.kind, answer.reason) == (Kind.FAILED, "answers packed as gzip, which was not asked for")


def test_a_redirect_off_the_host_is_told_and_not_followed() -> None:
    with serving(reply("[]")) as other:
        answer = get(reply("", "302 Found", Location=f"{other.url}/search?token=abc"))
        assert answer.kind is Kind.REDIRECTED
        assert answer.reason == f"it sends elsewhere, to {other.url} (status 302): not followed"
        assert other.requests == []


def test_a_redirect_on_the_same_origin_is_followed_and_not_for_ever() -> None:
    assert get(reply("", "307 Temporary Redirect", Location="/search/"), reply("[1]")).value == [1]
    answer = get(reply("", "307 Temporary Redirect", Location="/search/"))
    assert (answer.kind, answer.reason) == (Kind.REDIRECTED, "it redirected 5 times")


def test_a_bad_status_carries_the_first_line_of_the_complaint() -> None:
    answer = get(reply("\n  no such index \x1b[31m\nmore", "404 Not Found"))
    assert (answer.kind, answer.status) == (Kind.BAD_STATUS, 404)
    assert answer.reason == "status 404: no such index \\x1b[31m"


def test_what_is_not_json_is_told_by_its_first_line() -> None:
    answer = get(reply("<html>\nwelcome"))
    assert (answer.kind, answer.reason) == (Kind.NOT_JSON, "the answer is not JSON: <html>")
    assert get(reply("")).reason == "the answer is not JSON: it is empty"
    assert get(reply("[" * 900)).kind is Kind.NOT_JSON


def test_a_connection_that_breaks_is_an_outcome() -> None:
    assert get(lambda connection, _request: None).kind is Kind.FAILED
    assert get(lambda connection, _request: connection.sendall(b"SSH-2.0\r\n\r\n")).kind is Kind.FAILED


def test_what_may_do_better_is_tried_again() -> None:
    busy = reply("starting", "503 Service Unavailable")
    assert get(busy, busy, reply("[1]"), attempts=3).value == [1]
    assert get(busy, busy, reply("[1]"), attempts=2).status == 503


def test_no_attempt_is_begun_that_the_deadline_forbids() -> None:
    with serving(reply("starting", "503 Service Unavailable")) as server:
        now = [0.0]

        def sleep(seconds: float) -> None:
            now[0] += seconds

        client = Client({}, sleep=sleep)
        answer = client.get(server.url, Deadline.after(0.14, lambda: now[0]), attempts=50)
        assert answer.status == 503
        assert now[0] < 0.14
        assert len(server.requests) == 2


def test_what_is_posted_is_posted_once() -> None:
    with serving(reply("starting", "503 Service Unavailable")) as server:
        answer = Client({}).post(server.url, {"query": "결제"}, soon())
        assert answer.status == 503
        (request,) = server.requests
        assert request.endswith('{"query": "결제"}')


def test_no_cookie_is_kept() -> None:
    with serving(reply("[]", Set_Cookie="session=1; Path=/")) as server:
        client = Client({})
        for _ in range(2):
            assert client.get(server.url, soon()).ok
        client.close()
        assert not [request for request in server.requests if "session=1" in request]


def test_a_server_on_this_machine_is_never_asked_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(reply('"proxy"')) as proxy, serving(reply('"itself"')) as server:
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
            monkeypatch.setenv(name, proxy.url)
        env = {"HTTP_PROXY": proxy.url}
        assert Client(env).get(server.url, soon()).value == "itself"
        assert Client(env).get("http://memory.example/search", soon()).value == "proxy"


def test_the_environment_says_which_hosts_need_no_proxy() -> None:
    env = {"HTTPS_PROXY": "http://proxy.example:3128", "NO_PROXY": "a.b, .inside.example", "http_proxy": ""}
    assert proxy_for("https", "memory.example", env) == "http://proxy.example:3128"
    assert proxy_for("https", "inside.example", env) is None
    assert proxy_for("https", "notes.Inside.example", env) is None
    assert proxy_for("https", "notinside.example", env) == "http://proxy.example:3128"
    assert proxy_for("http", "memory.example", env) is None


@pytest.mark.parametrize(
    "host", ["localhost", "a.localhost", "127.1.2.3", "::1", "[::1]", "0.0.0.0", "LOCALHOST."]
)
def test_names_of_this_machine(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize("host", ["localhost.example", "128.0.0.1", "10.0.0.1", "example"])
def test_names_of_others(host: str) -> None:
    assert not is_loopback(host)


@pytest.mark.parametrize(
    "url", ["ftp://127.0.0.1/x", "127.0.0.1:80", "http://", "http://[::1", "", "http://a:b/"]
)
def test_what_is_no_url_is_an_outcome(url: str) -> None:
    assert Client({}).get(url, soon()).kind is Kind.FAILED


def test_with_no_time_left_nothing_is_asked() -> None:
    with serving(reply("[]")) as server:
        assert Client({}).get(server.url, Deadline.after(0)).kind is Kind.TIMED_OUT
        assert server.requests == []
