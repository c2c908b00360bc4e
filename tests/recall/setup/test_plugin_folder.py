"""The plugin folder for Claude Code says the same as `recall setup claude-code`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from recall.setup.clients import CLIENTS
from recall.setup.merge import snippet
from recall.version import version
from support.worlds import REPOSITORY, run_recall

PLUGIN = REPOSITORY / "integrations" / "claude-code"


def document(name: str) -> Any:
    return json.loads((PLUGIN / name).read_text(encoding="utf-8"))


def test_it_starts_the_server_that_setup_would_start() -> None:
    assert document(".mcp.json") == json.loads(
        snippet(CLIENTS["claude-code"], ["${RECALL_BIN:-recall}", "serve"])
    )


def test_it_has_the_project_s_version_and_its_marketplace_names_it() -> None:
    plugin = document(".claude-plugin/plugin.json")
    assert plugin["version"] == version()
    (listed,) = document(".claude-plugin/marketplace.json")["plugins"]
    assert (listed["name"], listed["source"]) == (plugin["name"], "./")


def test_it_has_the_project_s_licence() -> None:
    assert (PLUGIN / "LICENSE").read_text() == (REPOSITORY / "LICENSE").read_text()


def test_the_variable_that_names_the_program_is_no_unknown_setting(tmp_path: Path) -> None:
    done = run_recall(["config", "path"], home=tmp_path, cwd=tmp_path, env={"RECALL_BIN": "/opt/bin/recall"})
    assert (done.returncode, done.stderr) == (0, "")
