"""A new provider's project: what `recall new-provider` writes, from the texts in `templates/`."""

from __future__ import annotations

import re
import shutil
from collections.abc import Collection
from pathlib import Path
from string import Template

from recall.errors import UsageError
from recall.files import display_path
from recall.plugins import normal
from recall.version import DISTRIBUTION, version
from recall.wording import why

_TEMPLATES = Path(__file__).with_name("templates")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_LONGEST = 40  # characters: a tag that stands before every memory
_NAMES_OF_FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    ".gitignore": "gitignore",
    "{module}.py": "{kind}.py",
    "tests/test_{module}.py": "{kind}_test.py",
}
_READS = {
    "corpus": (
        "folder",
        "~/{name}",
        "folder of the notes; `~` is the home folder",
        "One Markdown file is one memory.",
    ),
    "search": (
        "database",
        "~/.{name}/notes.db",
        "the database; `~` is the home folder",
        "A table `notes` of a SQLite database, with the columns `id`, `title`, `body` and `updated` (epoch seconds).",
    ),
}


def check_name(name: str, taken: Collection[str]) -> None:
    """Raise UsageError unless a new provider can have the name.

    taken: the names of the project's own providers.
    """
    if not _NAME.fullmatch(name) or len(name) > _LONGEST:
        raise UsageError(
            f"{name[:100]!r} is no name for a provider",
            f"at most {_LONGEST} characters: small letters and digits, with single dashes between them",
        )
    if normal(name) in map(normal, taken) or normal(f"recall-{name}") == normal(DISTRIBUTION):
        raise UsageError(f"the name {name!r} is taken by recall itself", "choose another one")


def write(parent: Path, name: str, kind: str) -> list[Path]:
    """Write the project into a new folder of `parent`, all of it or nothing; returns its files, the folder first.

    kind: "corpus", whose text can be read, or "search", which can only be asked. Raises UsageError.
    """
    folder = parent / f"recall-{name}"
    texts = rendered(name, kind)
    try:
        folder.mkdir()
    except FileExistsError:
        raise UsageError(
            f"{display_path(folder)} is there already", "choose another name, or --into"
        ) from None
    except OSError as error:
        raise UsageError(f"{display_path(folder)}: cannot be made: {why(error)}", "choose --into") from None
    try:
        for relative, text in texts.items():
            path = folder / relative
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise UsageError(
            f"{display_path(folder)}: cannot be written: {why(error)}", "choose --into"
        ) from None
    return [folder, *(folder / relative for relative in texts)]


def rendered(name: str, kind: str) -> dict[str, str]:
    """The project's texts by their path in it."""
    option, default, meaning, reads = _READS[kind]
    installed = version()
    values = {
        "name": name,
        "module": f"recall_{name.replace('-', '_')}",
        "cls": "".join(part.capitalize() for part in name.split("-")),
        "distribution": f"recall-{name}",
        "requirement": DISTRIBUTION if "unknown" in installed else f"{DISTRIBUTION}>={installed}",
        "folder": default.format(name=name),
        "default": default.format(name=name),
        "option": option,
        "meaning": meaning,
        "reads": reads,
    }
    return {
        path.format(**values): Template(_text(template)).substitute(values)
        for path, template in zip(_NAMES_OF_FILES, sources(kind), strict=True)
    }


def sources(kind: str) -> list[str]:
    """The names of the templates, in the order of the project's files."""
    return [template.format(kind=kind) for template in _NAMES_OF_FILES.values()]


def _text(template: str) -> str:
    return (_TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
