"""What is wrong with a request, as an error of the protocol or of a tool that says what to do."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import Any

from mcp import MCPError
from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp_types import INTERNAL_ERROR, INVALID_PARAMS, METHOD_NOT_FOUND
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from recall import clean

_MOST = 5  # told of one request; a list of a million wrong names is one mistake
_NO_RESOURCE = (
    -32002
)  # the specification's code for a resource that is not there, up to 2025-11-25; then -32602
_LONGEST_URI = 8_192  # characters of a uri that is repeated whole, for programs
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
    """Middleware: the SDK says "Invalid request parameters" of all that is wrong, and sends what it did not expect."""
    try:
        return await call_next(ctx)
    except ValidationError as error:
        lines = list(mistakes(error))
        words = f"{ctx.method}: {'; '.join(lines)}"
        raise MCPError(INVALID_PARAMS, words, {"method": ctx.method, "mistakes": lines}) from None
    except MCPError as error:
        if (error.error.code, error.error.data) == (
            INVALID_PARAMS,
            "",
        ):  # no other error of the SDK is like it
            words = f"{ctx.method}: the session has not begun; send initialize first"
            raise MCPError(INVALID_PARAMS, words, {"method": ctx.method}) from None
        if error.error.code == METHOD_NOT_FOUND:
            raise MCPError(METHOD_NOT_FOUND, "Method not found", named(ctx.method)) from None
        raise
    except Exception:
        _log.exception("%s failed", ctx.method)
        raise MCPError(INTERNAL_ERROR, f"{ctx.method}: an error of recall's own; its log has more") from None


def no_such_resource(uri: str, words: str, version: str) -> MCPError:
    """The error for a resource that is not there, in a version of the protocol."""
    code = INVALID_PARAMS if version in MODERN_PROTOCOL_VERSIONS else _NO_RESOURCE
    return MCPError(code, words.replace("\n", "; "), {"uri": uri[:_LONGEST_URI]})
