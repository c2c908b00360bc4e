"""Looking changes nothing, and a deadline is kept."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

from support.worlds import snapshot

if TYPE_CHECKING:
    from conftest import World

RETRY = "# 재시도\n\n결제 재시도는 세 번까지만 한다.\n"


def test_no_byte_time_or_name_changes(world: World) -> None:
    world.config("agent_interface: REPL\nignored_memory_patterns: ['a']\n")
    world.project_config("ignored_memory_patterns: ['b']\n")
    memories = world.note("core", RETRY).parent
    world.shared_note("style", RETRY + "1")
    os.mkfifo(memories / "pipe.md")
    (memories / "gone.md").symlink_to("nowhere")
    before = snapshot(world.scope.home.parent)
    assert len(world.memories()) == 2
    world.health()
    assert snapshot(world.scope.home.parent) == before


def test_a_listing_under_default_settings_loads_no_yaml(world: World) -> None:
    world.config('project_serena_folder_location: "$projectDir/.serena"\nignored_memory_patterns: []\n')
    world.project_config("ignored_memory_patterns: []\n")
    world.note("core", RETRY)
    program = f"""
import sys
from pathlib import Path
from recall.api import Deadline, Scope
from recall_serena.provider import SerenaProvider
root = Path({str(world.root)!r})
scope = Scope(Path({str(world.scope.home)!r}), root, root, root, ("shop-api",))
entries = list(SerenaProvider().entries(scope, Deadline.after(60)))
print([entry.key for entry in entries], "yaml" in sys.modules)
"""
    env = {"PYTHONPATH": os.pathsep.join(sys.path)}
    answer = subprocess.run(
        [sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True
    )
    assert answer.stdout.strip() == "['core'] False"
