"""recall: one question to every agent memory on this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from recall.engine import Engine as Engine

__all__ = ["Engine", "__version__"]


def __getattr__(name: str) -> Any:
    # Lazily, so that `import recall` costs nothing and a plugin's import of recall.api loads no engine.
    if name == "Engine":
        from recall.engine import Engine

        return Engine
    if name == "__version__":
        from recall.version import version

        return version()
    raise AttributeError(f"module 'recall' has no attribute {name!r}")
