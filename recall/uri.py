"""A memory's uri as people and clients write it, and as the index spells it."""

from __future__ import annotations

from urllib.parse import unquote

from recall.intake import memory_uri

SCHEME = "recall://"


def canonical(uri: str) -> str | None:
    """A uri as the index spells it, whichever of its characters are percent-encoded; None if it is no memory's."""
    provider, slash, identity = uri.removeprefix(SCHEME).partition("/")
    if not uri.startswith(SCHEME) or not (provider and slash and identity):
        return None
    try:
        return memory_uri(provider, unquote(identity, errors="surrogatepass"))
    except UnicodeDecodeError:
        return uri
