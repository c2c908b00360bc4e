"""A search over HTTP, asked by a url or by a posted JSON document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from recall.api import Deadline, Health, Memory, Problem, Query, Scope, State, option
from recall.errors import NotConfigured, ProviderError, StoreAbsent, StoreBroken, StoreBusy
from recall.transport.http import Answer, Client, Kind
from recall_asked import reading, template
from recall_asked.asking import Asked, Came
from recall_asked.reading import ReadingOptions
from recall_asked.template import Values

_PROBE = Query("recall", ("recall",), 1)  # what doctor asks
_NO_CONTENT = 204  # the status that says that there is nothing
_LATE = (Kind.TIMED_OUT, Kind.DRIPPED)


@dataclass(frozen=True, slots=True)
class HttpOptions(ReadingOptions):
    """Settings below `[providers.http.<name>]`."""

    url: str = option(
        "",
        "What to get, with places for the question: {terms}, {query}, {limit}, {project}, {root}, {home}; "
        "what fills them is percent-encoded.",
    )
    body: tuple[str, ...] = option(
        (), 'Posted as a JSON document if there is any: "query={terms}", "limit={limit}", "mode=fast".'
    )
    headers: tuple[str, ...] = option((), 'Sent with the request: "Authorization=Bearer ...".', secret=True)

    def __post_init__(self) -> None:
        """Raise ValueError for what cannot be asked."""
        self.check()
        reading.check_templates("url", [self.url], paired=False)
        reading.check_templates("body", self.body)
        reading.check_templates("headers", self.headers)
        reading.check_url(self.url)


class HttpSource(Asked):
    """Any search over HTTP: a source called http-NAME; there may be any number of these tables."""

    name = "http"
    Options: ClassVar[type] = HttpOptions

    def __init__(self, options: HttpOptions) -> None:
        if not options.url:
            raise NotConfigured("it has no url", f"set url below [providers.http.{self.name[5:] or 'NAME'}]")
        self.options: HttpOptions = options
        self._client: Client | None = None

    def health(self, scope: Scope, deadline: Deadline) -> Health:
        """One request: whether it answers, and whether the answer is understood."""
        understood = list(self.search(_PROBE, scope, deadline))
        found = [item for item in understood if isinstance(item, Memory)]
        problems = tuple(item for item in understood if isinstance(item, Problem) and not item.harmless)
        facts = (f"answers; {len(found)} found for the word {_PROBE.text!r}, it cannot be counted",)
        if problems:
            reason = problems[0].reason
            step = f'run `recall providers --try {self.name} "a question"`'
            return Health(State.DEGRADED, None, None, reason, step, facts=facts, problems=problems)
        return Health(State.READY, None, facts=facts, places=(self.options.url.partition("?")[0],))

    def ask(self, query: Query, scope: Scope, deadline: Deadline) -> Came:
        """Get or post."""
        values = Values.of(query, scope)
        url = template.fill(self.options.url, values, lambda text: quote(text, safe=""))
        if self._client is None:
            headers = {
                name: template.fill(text, values) for name, text in template.pairs(self.options.headers)
            }
            self._client = Client(scope.env, headers=headers)
        if self.options.body:
            sent: Any = template.arguments(self.options.body, values)
            answer = self._client.post(url, sent, deadline, as_json=False)
            line = f"POST {url} {sent}"
        else:
            answer = self._client.get(url, deadline, as_json=False)
            line = f"GET {url}"
        if not answer.ok:
            raise _failure(answer)
        raw = answer.text()
        if self.options.results and not raw.strip() and answer.status != _NO_CONTENT:
            raise StoreBroken("the answer is empty, where JSON was expected")
        return Came(line, raw, reading.document([raw]))

    def close(self) -> None:
        """Close the connections."""
        client, self._client = self._client, None
        if client is not None:
            client.close()


def _failure(answer: Answer) -> ProviderError:
    if answer.kind is Kind.REFUSED:
        return StoreAbsent(answer.reason, "start the server, or correct its url")
    if answer.kind in _LATE:
        return StoreBusy(answer.reason, "ask again with a longer deadline")
    if answer.retryable:
        return StoreBusy(answer.reason, "ask again; if it stays so, look into the server")
    return StoreBroken(answer.reason)
