"""A search over HTTP as a source."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recall.api import Deadline, Memory, Query, Scope, State
from recall.errors import NotConfigured, StoreAbsent, StoreBroken, StoreBusy
from recall_asked.http_provider import HttpOptions, HttpSource
from support.web_server import reply, serving

SCOPE = Scope(Path("/home/u"), Path("/p/api"), Path("/p/api"), Path("/p/api"), ("api",))
QUERY = Query("왜 결제가?", ("결제",), 7)
FOUND = reply('{"hits": [{"id": 3, "body": "두 번만 재시도한다", "url": "http://x/3"}]}')
READ: dict[str, Any] = {"results": "hits[*]", "text": ("body",), "path": "url"}


def soon() -> Deadline:
    return Deadline.after(30)


def search(source: HttpSource) -> list[Any]:
    return list(source.search(QUERY, SCOPE, soon()))


def test_candidates_are_found_by_a_url() -> None:
    with serving(FOUND) as server:
        source = HttpSource(HttpOptions(url=f"{server.url}/s?q={{terms}}&n={{limit}}", **READ))
        assert search(source) == [Memory("3", "두 번만 재시도한다", path="http://x/3", kind="result")]
        source.close()
        assert server.requests[0].startswith("GET /s?q=%EA%B2%B0%EC%A0%9C&n=7 HTTP/1.1")


def test_candidates_are_found_by_a_posted_document() -> None:
    with serving(FOUND) as server:
        options = HttpOptions(
            url=server.url,
            body=("query={terms}", "top_k={limit}"),
            headers=("Authorization=Bearer abc",),
            **READ,
        )
        assert len(search(HttpSource(options))) == 1
        (request,) = server.requests
        assert request.startswith("POST / HTTP/1.1")
        assert request.endswith('{"query": "결제", "top_k": 7}')
        assert "authorization: bearer abc" in request.lower()


def test_nobody_listening_is_an_absent_store() -> None:
    with serving(FOUND) as server:
        pass
    with pytest.raises(StoreAbsent, match="nobody listens at"):
        search(HttpSource(HttpOptions(url=server.url)))


def test_a_silent_server_is_busy_and_a_wrong_page_broken() -> None:
    with serving(lambda connection, _request: server.over.wait(60) and None) as server:
        source = HttpSource(HttpOptions(url=server.url))
        with pytest.raises(StoreBusy, match="in time"):
            list(source.search(QUERY, SCOPE, Deadline.after(0.2)))
    with (
        serving(reply("no such page", "404 Not Found")) as server,
        pytest.raises(StoreBroken, match="status 404: no such page"),
    ):
        search(HttpSource(HttpOptions(url=server.url)))


def test_doctor_asks_once_and_never_calls_it_counted() -> None:
    with serving(FOUND) as server:
        health = HttpSource(HttpOptions(url=server.url, **READ)).health(SCOPE, soon())
        assert (health.state, health.items) == (State.READY, None)
        assert health.facts == ("answers; 1 found for the word 'recall', it cannot be counted",)
        assert len(server.requests) == 1


def test_doctor_tells_what_is_not_understood() -> None:
    with serving(FOUND) as server:
        health = HttpSource(HttpOptions(url=server.url, results="hits[*]")).health(SCOPE, soon())
        assert health.state is State.DEGRADED
        assert health.reason.startswith("1 of the results without text")
        with pytest.raises(StoreBroken, match="nothing is at results"):
            HttpSource(HttpOptions(url=server.url, results="results[*]")).health(SCOPE, soon())


def test_what_was_sent_and_came_is_shown() -> None:
    with serving(FOUND) as server:
        tried = HttpSource(HttpOptions(url=f"{server.url}/?q={{terms}}", **READ)).try_out(
            QUERY, SCOPE, soon()
        )
        assert tried.sent == f"GET {server.url}/?q=%EA%B2%B0%EC%A0%9C"
        assert '"hits"' in tried.raw
        assert len(tried.understood) == 1
        tried = HttpSource(HttpOptions(url=server.url, results="x")).try_out(QUERY, SCOPE, soon())
        assert tried.trouble == "nothing is at results = 'x'; the answer holds hits"


def test_without_a_url_it_is_not_configured() -> None:
    with pytest.raises(NotConfigured, match="it has no url"):
        HttpSource(HttpOptions())


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (lambda: HttpOptions(url="ftp://x"), "url: it begins with http:// or https://"),
        (lambda: HttpOptions(url="http://x/{quer}"), r"url: nothing fills \{quer\}"),
        (lambda: HttpOptions(body=("query",)), "body: number 1 is not NAME=VALUE"),
        (lambda: HttpOptions(results="a[["), "results: .* is no path"),
        (lambda: HttpOptions(text=("a", "b b")), "text: .* is no path"),
    ],
)
def test_what_cannot_be_asked_is_told_at_the_start(options: Callable[[], HttpOptions], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        options()


JSON = '{"hits": [{"id": 3, "body": "두 번만"}]}'


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (JSON.encode("cp949"), "application/json; charset=euc-kr"),
        (JSON.encode("utf-8-sig"), "application/json"),
        (JSON.encode("utf-16"), "application/json"),
        (JSON.encode(), "application/json; charset=latin-1"),
        (JSON.encode(), "application/json; charset=none-such"),
    ],
)
def test_an_answer_is_read_by_its_mark_or_as_utf8_or_by_its_charset(body: bytes, kind: str) -> None:
    with serving(reply(body, Content_Type=kind)) as server:
        (memory,) = search(HttpSource(HttpOptions(url=server.url, **READ)))
        assert memory.text == "두 번만"


@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain; charset=none-such", "text/plain; charset=hex"]
)
def test_what_cannot_be_read_as_text_is_counted(kind: str) -> None:
    with serving(reply(b'{"hits": [{"body": "retry \xff twice"}]}', Content_Type=kind)) as server:
        memory, problem = search(HttpSource(HttpOptions(url=server.url, **READ)))
        assert memory.text == "retry \ufffd twice"
        assert problem.reason == "characters of it that could not be read: 1"


def test_an_empty_answer_is_no_empty_list_unless_its_status_says_so() -> None:
    with serving(reply("")) as server, pytest.raises(StoreBroken, match="empty, where JSON was expected"):
        search(HttpSource(HttpOptions(url=server.url, **READ)))
    with serving(reply("", "204 No Content")) as server:
        assert search(HttpSource(HttpOptions(url=server.url, **READ))) == []
