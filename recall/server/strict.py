"""Tools that take what they say they take: no unknown argument, mistakes in plain words, small schemas.

The SDK ignores unknown arguments, so that a misspelled `limit` would silently be the default, reads texts as JSON
where another type is wanted, and repeats rejected values with links to a validation library's site in its errors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata
from mcp_types import ToolAnnotations
from pydantic import ValidationError

from recall.server.mistakes import mistakes
from recall.wording import nearest

_MOST_MISTAKES = 5  # names told of one call
_LENGTHS = ("minLength", "maxLength", "maxItems")
_REPEATED = 40  # characters of an argument's name: escaped, each may take ten


class StrictTool(Tool):
    """A tool whose arguments are checked by name and whose errors hold nothing but what went wrong."""

    @classmethod
    def of(
        cls, function: Callable[..., Any], title: str, description: str, *, read_only: bool = True
    ) -> StrictTool:
        """The tool that a function is; one that is not read-only adds to recall's own records, and nothing else."""
        destructive = None if read_only else False
        hints = ToolAnnotations(read_only_hint=read_only, destructive_hint=destructive, open_world_hint=False)
        made = cls.from_function(function, title=title, description=description, annotations=hints)
        tool = made.model_copy(
            update={"parameters": {**slim(made.parameters), "additionalProperties": False}}
        )
        if made.output_schema is not None:
            tool.fn_metadata.output_schema = slim_result(made.output_schema)
        tool.fn_metadata = _AsSent.model_construct(**dict(tool.fn_metadata))
        assert isinstance(tool, StrictTool)
        return tool

    async def run(
        self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False
    ) -> Any:
        """Run the tool; raises ToolError with one line for every mistake."""
        unknown = [name for name in arguments if name not in self.parameters["properties"]]
        if unknown:
            raise ToolError("\n".join(map(self._unknown, unknown[:_MOST_MISTAKES])))
        needed = self.parameters.get("required", ())
        given = {name: value for name, value in arguments.items() if value is not None or name in needed}
        try:
            return await super().run(given, context, convert_result)
        except UnexpectedToolError:
            raise
        except ToolError as error:
            if isinstance(error.__cause__, ValidationError):
                raise ToolError("\n".join(mistakes(error.__cause__))) from None
            raise ToolError(str(error.__cause__ or error)) from None

    def _unknown(self, name: str) -> str:
        known = list(self.parameters["properties"])
        meant = nearest(name, known) if len(name) <= _REPEATED else ""
        hint = f'did you mean "{meant}"?' if meant else f"{self.name} takes {', '.join(known)}"
        return f"{name[:_REPEATED]!a}: no such argument; {hint}"


class _AsSent(FuncMetadata):
    """Arguments as they were sent; a list alone may be its JSON text, which is how Claude Desktop sends one."""

    def pre_parse_json(self, data: dict[str, Any]) -> dict[str, Any]:
        parsed = super().pre_parse_json(data)
        return {name: parsed[name] if isinstance(parsed[name], list) else data[name] for name in data}


def slim_result(schema: Any) -> Any:
    """The schema of a result, which nobody fills in: also without what every field is, or says by its name.

    Of a field that may be absent, and of which nothing is said but its type, nothing is said at all: results may
    hold more than their schema names. An empty schema in its place would be a warning of the MCP inspector.
    """
    if isinstance(schema, list):
        return [slim_result(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    always = schema.get("required", ())
    kept = {key: slim_result(value) for key, value in slim(schema).items()}
    if isinstance(always, list):
        kept.pop("required", None)
    if isinstance(properties := kept.get("properties"), dict):
        kept["properties"] = {
            name: value for name, value in properties.items() if name in always or value.keys() != {"type"}
        }
    if kept.get("items") == {"type": "string"}:
        del kept["items"]
    if kept.get("additionalProperties") in ({}, {"type": "integer"}, {"type": "string"}):
        del kept["additionalProperties"]
    return kept


def slim(schema: Any) -> Any:
    """A JSON schema without what a model learns nothing from: titles, defaults of nothing, "or null", lengths.

    Every client keeps all of it in the model's context, all the time.
    """
    if isinstance(schema, list):
        return [slim(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: slim(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
        and not (key == "default" and not value)
        and not (key in _LENGTHS and isinstance(value, int))  # nobody comes near; beyond, the error says it
        and not (key == "type" and "const" in schema)
        and not (key == "additionalProperties" and value is True)
    }
    choices = [choice for choice in kept.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = {**choices[0], **kept}
    return kept
