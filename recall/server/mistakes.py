"""What is wrong with a request, as an error of the protocol or of a tool that says what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND, ErrorData
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from recall import clean

_MOST = 5  # told of one request; a list of a million wrong names is one mistake
_NO_RESOURCE = -32002  # the specification's code for one that is not there, up to 2025-11-25; then -32602
_LONGEST_URI = 3_000  # characters of a uri that is repeated for programs: with its words an error has 4,000
_LONGEST_NAME = 200  # characters of whatever else is repeated

_log = logging.getLogger(__name__)


def mistakes(error: ValidationError) -> Iterator[str]:
    """One line for every value that is wrong, without the value."""
    found = error.errors(include_url=False, include_input=False, include_context=False)
    for mistake in found[:_MOST]:
        place = ".".join(str(part)[:40] for part in mistake["loc"][:3])
        said = mistake["msg"][:1].lower() + mistake["msg"][1:]
        yield f"{place}: {said}"
    if len(found) > _MOST:
        yield f"and {len(found) - _MOST:,} more"


def named(given: str) -> str:
    """What a client gave, safe to repeat and no longer than a line."""
    rest = "…" if len(given) > _LONGEST_NAME else ""
    return clean.clean(given[:_LONGEST_NAME]).text + rest or "an empty text"


async def in_words(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """Middleware: results and errors in words that a client can read and act on.

    The SDK says "Invalid request parameters" of all that is wrong, and gives what it did not expect the code 0.
    """
    try:
        result: HandlerResult = whole(await call_next(ctx))
        return result
    except ValidationError as error:
        lines = list(mistakes(error))
        words = f"{ctx.method}: {'; '.join(lines)}"
        raise MCPError(INVALID_PARAMS, words, {"method": ctx.method, "mistakes": lines}) from None
    except MCPError as error:
        raise _in_words(error.error, ctx.method) from None
    except Exception:
        _log.exception("%s failed", named(ctx.method))
        words = f"{named(ctx.method)}: an error of recall's own; its log has more"
        raise MCPError(INTERNAL_ERROR, words) from None


def _in_words(error: ErrorData, method: str) -> MCPError:
    if (error.code, error.data) == (INVALID_PARAMS, ""):  # no other error of the SDK is like it
        words = f"{method}: the session has not begun; send initialize first"
        return MCPError(INVALID_PARAMS, words, {"method": method})
    data = named(method) if error.code == METHOD_NOT_FOUND else whole(error.data)
    return MCPError(error.code, whole(error.message), data)


def whole(value: Any) -> Any:
    """JSON values without halves of characters, which names of files may hold and no client can be sent."""
    if isinstance(value, str):
        return value if value.isascii() else value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {whole(key): whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [whole(item) for item in value]
    return value


def no_such_resource(uri: str, words: str, version: str) -> MCPError:
    """The error for a resource that is not there, in a version of the protocol."""
    code = INVALID_PARAMS if version in MODERN_PROTOCOL_VERSIONS else _NO_RESOURCE
    return MCPError(code, words.replace("\n", "; "), {"uri": uri[:_LONGEST_URI]})
