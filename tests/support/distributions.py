"""Installed distributions made of two files, for tests of plugin discovery."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

GOOD_PLUGIN = """
from dataclasses import dataclass
from recall.api import Authority, Entry, Health, Memory, State, hookimpl

@dataclass(frozen=True)
class Options:
    pass

class Provider:
    name = "{name}"
    authority = Authority.CURATED
    Options = Options
    def __init__(self, options): pass
    def health(self, scope, deadline): return Health(State.READY, 1)
    def entries(self, scope, deadline): return [Entry("one", "1")]
    def load(self, entry, scope): return [Memory("one", "{text}")]

@hookimpl
def recall_provider(): return Provider
"""


def install(
    folder: Path,
    distribution: str,
    entry_points: Mapping[str, str],
    modules: Mapping[str, str],
    version: str = "1.0",
) -> Path:
    """Write a distribution into `folder`, which the caller puts on the path. Returns `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    info = folder / f"{distribution.replace('-', '_')}-{version}.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: {version}\n")
    lines = "".join(f"{name} = {value}\n" for name, value in entry_points.items())
    (info / "entry_points.txt").write_text(f"[recall.providers]\n{lines}")
    for name, source in modules.items():
        (folder / f"{name}.py").write_text(source, encoding="utf-8")
    return folder


def good_plugin(name: str, text: str = "a memory of the plugin") -> str:
    """The source of a plugin that works."""
    return GOOD_PLUGIN.format(name=name, text=text)
