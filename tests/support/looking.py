"""A scope, a provider's options, and what the provider makes of them: what the tests of each source begin with."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from recall.api import Deadline, Entry, Health, Memory, Problem, Scope
from recall.errors import StoreBroken


def soon() -> Deadline:
    """A deadline that no test comes near."""
    return Deadline.after(60)


def write(path: Path, text: str | bytes) -> Path:
    """A file with its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def made_scope(folder: Path) -> Scope:
    """A home and a project in Git below `folder`."""
    home, root = folder / "home", folder / "code" / "shop-api"
    home.mkdir()
    root.mkdir(parents=True)
    return Scope(home=home, cwd=root, root=root, main_root=root, names=("shop-api",), in_git=True)


@dataclass
class Looking:
    """Subclass it with the provider's class, and with what puts something into its stores."""

    scope: Scope
    options: Any

    provider_class: ClassVar[Any]

    @property
    def root(self) -> Path:
        return self.scope.root

    @property
    def provider(self) -> Any:
        """A new instance with the options of now."""
        return type(self).provider_class(self.options)

    def change(self, **changes: object) -> None:
        """Set fields of the scope."""
        self.scope = replace(self.scope, **changes)  # type: ignore[arg-type]

    def choose(self, **changes: object) -> None:
        """Set options."""
        self.options = replace(self.options, **changes)

    def put(self, name: str, text: str | bytes) -> Path:
        """A file of the project."""
        return write(self.root / name, text)

    def listed(self, deadline: Deadline | None = None) -> list[Entry | Problem]:
        return list(self.provider.entries(self.scope, deadline or soon()))

    def entries(self) -> dict[str, Entry]:
        """By key."""
        return {item.key: item for item in self.listed() if isinstance(item, Entry)}

    def stamps(self) -> dict[str, str]:
        """By key."""
        return {key: entry.stamp for key, entry in self.entries().items()}

    def loaded(self) -> Iterator[Memory | Problem]:
        """All memories and problems, of listing and reading."""
        for item in self.listed():
            try:
                yield from self.provider.load(item, self.scope) if isinstance(item, Entry) else [item]
            except StoreBroken as error:  # of this entry alone, as the host takes it
                yield Problem(item.key, str(error))

    def memories(self) -> dict[str, Memory]:
        """By id; no two have the same."""
        found = [item for item in self.loaded() if isinstance(item, Memory)]
        by_id = {memory.id: memory for memory in found}
        assert len(by_id) == len(found)
        return by_id

    def problems(self) -> dict[str, Problem]:
        """By place."""
        return {item.where: item for item in self.loaded() if isinstance(item, Problem)}

    def health(self) -> Health:
        return self.provider.health(self.scope, soon())  # type: ignore[no-any-return]
