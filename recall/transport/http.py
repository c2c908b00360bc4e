"""Asking a server over HTTP: one deadline for all of it, bounded size, no cookies, nothing off the host.

Nothing is raised for what a server does: an `Answer` says how it ended. A server on this machine is never asked
through a proxy; elsewhere those of the environment are used. Redirects are followed on the very same origin only.
The client library is imported when a request is made, and not before.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from recall.api import Deadline
from recall.transport.said import first_line
from recall.wording import counted, visible

if TYPE_CHECKING:
    import httpx

    from recall.transport.timed import Transport

BODY_LIMIT = 8 << 20  # bytes of one answer
ATTEMPTS = 3  # of a request that may do better a moment later
_MOST_REDIRECTS = 5
_FIRST_PAUSE, _LONGEST_PAUSE = 0.05, 0.5  # seconds between attempts
_HEAD = 4_096  # bytes of a complaint that are looked at
_TRY_AGAIN = frozenset({429, 502, 503, 504})


class Kind(StrEnum):
    """How a request ended."""

    ANSWERED = "answered"
    REFUSED = "refused"  # nobody listens there
    TIMED_OUT = "timed out"  # not a byte came in time
    DRIPPED = "dripped"  # it had begun to answer, and was not done in time
    TOO_LARGE = "too large"
    REDIRECTED = "redirected"  # off its origin, or for ever
    BAD_STATUS = "bad status"
    NOT_JSON = "not JSON"
    FAILED = "failed"  # everything else: no such host, a broken connection, no HTTP


@dataclass(frozen=True, slots=True)
class Answer:
    """What became of one request."""

    kind: Kind
    reason: str = ""  # one line; "" if it was answered
    status: int | None = None
    body: bytes = b""
    value: Any = None  # the body as JSON, where JSON was asked for
    charset: str = ""  # as the answer tells it
    retryable: bool = False  # a moment later it may do better

    @property
    def ok(self) -> bool:
        """Whether there is an answer to use."""
        return self.kind is Kind.ANSWERED

    def text(self) -> str:
        """The body as text: by its byte order mark, else by the charset it tells, else as UTF-8."""
        for mark, name in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
            if self.body.startswith(mark):
                return self.body.decode(name, "replace")
        try:
            return self.body.decode("utf-8")
        except UnicodeDecodeError:
            pass
        try:
            return self.body.decode(self.charset or "utf-8", "replace")
        except (LookupError, ValueError):  # no such charset, or none of text
            return self.body.decode("utf-8", "replace")


class Client:
    """Asks servers, one request at a time; connections are kept until `close`."""

    def __init__(
        self,
        env: Mapping[str, str],
        *,
        headers: Mapping[str, str] | None = None,
        limit: int = BODY_LIMIT,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        """env: holds the proxies; headers: sent with every request; limit: bytes of one answer."""
        self._env = env
        self._headers = {"Accept-Encoding": "identity", **(headers or {})}
        self._limit = limit
        self._sleep = sleep
        self._open: dict[str, tuple[httpx.Client, Transport]] = {}  # by origin

    def get(self, url: str, deadline: Deadline, *, as_json: bool = True, attempts: int = ATTEMPTS) -> Answer:
        """Get a url; tried again within the deadline, and never past it, when a moment later may do better."""
        return self._retried(lambda: self._once("GET", url, None, deadline, as_json), deadline, attempts)

    def post(self, url: str, value: object, deadline: Deadline, *, as_json: bool = True) -> Answer:
        """Post a value as JSON, once: what a server did before it failed is not known."""
        body = json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
        return self._once("POST", url, body, deadline, as_json)

    def close(self) -> None:
        """Close all connections."""
        opened, self._open = self._open, {}
        for client, _transport in opened.values():
            client.close()

    def _retried(self, once: Callable[[], Answer], deadline: Deadline, attempts: int) -> Answer:
        answer = once()
        if not answer.retryable or attempts < 2 or deadline.remaining() <= _FIRST_PAUSE:
            return answer
        import tenacity

        retrying = tenacity.Retrying(
            retry=tenacity.retry_if_result(lambda answer: answer.retryable),
            stop=lambda state: (
                state.attempt_number >= attempts - 1 or deadline.remaining() <= state.upcoming_sleep
            ),
            wait=tenacity.wait_exponential(_FIRST_PAUSE * 2, max=_LONGEST_PAUSE),
            sleep=self._sleep,
            retry_error_callback=lambda state: state.outcome.result() if state.outcome else answer,
        )
        self._sleep(_FIRST_PAUSE)
        again: Answer = retrying(once)
        return again

    def _once(self, method: str, url: str, body: bytes | None, deadline: Deadline, as_json: bool) -> Answer:
        import httpcore
        import httpx

        if deadline.expired():
            return Answer(Kind.TIMED_OUT, "there was no time left to ask")
        try:
            client, transport = self._client_for(httpx.URL(url))
        except (httpx.InvalidURL, ValueError) as error:
            return Answer(Kind.FAILED, f"not a url: {first_line(str(error))}")
        transport.begin(deadline)
        try:
            answer = self._exchange(client, httpx.URL(url), method, body)
        except httpcore.TimeoutException:
            return self._late(transport, httpx.URL(url))
        except (httpcore.ConnectError, httpcore.ProxyError) as error:
            return _unreachable(error, httpx.URL(url), transport.refused)
        except (httpcore.NetworkError, httpcore.ProtocolError, httpx.HTTPError, httpx.StreamError) as error:
            reason = f"the connection broke: {first_line(str(error)) or type(error).__name__}"
            return Answer(Kind.FAILED, reason, retryable=True)
        except (httpcore.UnsupportedProtocol, httpx.InvalidURL, ValueError, OSError) as error:
            return Answer(Kind.FAILED, f"cannot be asked: {first_line(str(error))}")
        return _parsed(answer) if as_json and answer.ok else answer

    def _exchange(self, client: httpx.Client, url: httpx.URL, method: str, body: bytes | None) -> Answer:
        request = client.build_request(method, url, content=body)
        if body is not None:
            request.headers["Content-Type"] = "application/json"
        for _ in range(_MOST_REDIRECTS):
            response = client.send(request, stream=True)
            try:
                following = response.next_request
                if following is None:
                    return self._read(response)
                if method != "GET" or _origin(following.url) != _origin(url):
                    where = visible(_origin(following.url))
                    reason = f"it sends elsewhere, to {where} (status {response.status_code}): not followed"
                    return Answer(Kind.REDIRECTED, reason, response.status_code)
                request = following
            finally:
                response.close()
        return Answer(Kind.REDIRECTED, f"it redirected {_MOST_REDIRECTS} times", response.status_code)

    def _read(self, response: httpx.Response) -> Answer:
        status = response.status_code
        if not response.is_success:
            head = b""
            for chunk in response.iter_raw():
                head += chunk
                if len(head) >= _HEAD:
                    break
            said = first_line(head[:_HEAD].decode("utf-8", "replace"))
            reason = f"status {status}{f': {said}' if said else ''}"
            return Answer(Kind.BAD_STATUS, reason, status, retryable=status in _TRY_AGAIN)
        packed = response.headers.get("content-encoding", "identity")
        if packed != "identity":  # it was asked not to: a small answer could become an endless one
            return Answer(
                Kind.FAILED, f"answers packed as {first_line(packed)}, which was not asked for", status
            )
        found = bytearray()
        for chunk in response.iter_raw():
            found += chunk
            if len(found) > self._limit:
                return Answer(Kind.TOO_LARGE, f"answers with more than {self._limit:,} bytes", status)
        charset = response.charset_encoding or ""
        return Answer(Kind.ANSWERED, status=status, body=bytes(found), charset=charset)

    def _late(self, transport: Transport, url: httpx.URL) -> Answer:
        if not transport.received:
            return Answer(Kind.TIMED_OUT, f"no answer from {visible(_origin(url))} in time")
        came = counted(transport.received, "byte")
        return Answer(Kind.DRIPPED, f"{visible(_origin(url))} was not done in time: {came} came")

    def _client_for(self, url: httpx.URL) -> tuple[httpx.Client, Transport]:
        origin = _origin(url)
        if origin not in self._open:
            from http.cookiejar import CookieJar, DefaultCookiePolicy

            import httpx

            from recall.transport.timed import Transport

            if url.scheme not in ("http", "https") or not url.host:
                raise ValueError(f"{origin} is not http:// or https://")
            transport = Transport(url.scheme, proxy_for(url.scheme, url.host, self._env))
            jar = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
            client = httpx.Client(
                transport=transport, headers=self._headers, cookies=jar, timeout=None, trust_env=False
            )
            self._open[origin] = client, transport
        return self._open[origin]


def is_loopback(host: str) -> bool:
    """Whether a host's name or address is this machine's own."""
    from ipaddress import ip_address

    name = host.strip("[]").rstrip(".").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        address = ip_address(name)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def proxy_for(scheme: str, host: str, env: Mapping[str, str]) -> str | None:
    """The environment's proxy for a host; None for this machine, and where there is none."""
    if is_loopback(host):
        return None
    found = {name.lower(): value for name, value in env.items() if name.lower().endswith("_proxy") and value}
    proxy = found.get(f"{scheme}_proxy") or found.get("all_proxy")
    if not proxy:
        return None
    return None if _needs_no_proxy(host, found.get("no_proxy", "")) else proxy


def _needs_no_proxy(host: str, listed: str) -> bool:
    """Whether a list of names, with or without a dot before them, holds a host or a domain above it."""
    names = [name.strip().lstrip(".").lower() for name in listed.split(",")]
    return any(name and (name == "*" or f".{host.lower()}".endswith(f".{name}")) for name in names)


def _origin(url: httpx.URL) -> str:
    """Scheme, host and port: never a name or password, nor what is asked for."""
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def _parsed(answer: Answer) -> Answer:
    try:
        return replace(answer, value=json.loads(answer.body))
    except (ValueError, RecursionError):
        head = answer.body[:_HEAD].decode("utf-8", "replace")
        reason = f"the answer is not JSON: {first_line(head) or 'it is empty'}"
        return replace(answer, kind=Kind.NOT_JSON, reason=reason)


def _unreachable(error: Exception, url: httpx.URL, refused: bool) -> Answer:
    where = visible(_origin(url))
    if refused:
        return Answer(Kind.REFUSED, f"nobody listens at {where}")
    return Answer(Kind.FAILED, f"{where} cannot be reached: {first_line(str(error)) or type(error).__name__}")
