"""opencode, as it is: it connects to what `recall setup` wrote into settings with comments."""

from __future__ import annotations

from clients.packages import OPENCODE
from clients.worlds import World, program_of


def test_it_connects_to_what_setup_wrote(world: World) -> None:
    opencode = program_of(OPENCODE)
    settings = world.home / ".config" / "opencode" / "opencode.jsonc"
    settings.parent.mkdir(parents=True)
    settings.write_text('{\n  // 내 설정\n  "theme": "system",\n}\n', encoding="utf-8")
    world.set_up("opencode")
    assert settings.read_text(encoding="utf-8").startswith(
        '{\n  // 내 설정\n  "theme": "system",\n  "mcp": {'
    )
    done = world.run([opencode, "mcp", "list"])
    assert "✓ recall" in done.stdout + done.stderr
