"""The versions of Serena that tests start."""

from __future__ import annotations

from live.environments import FromPyPI

SERENA_2 = FromPyPI("serena", "2.1.0", ("serena-agent==2.1.0",), "bin/serena")
SERENA_1 = FromPyPI("serena", "1.7.0", ("serena-agent==1.7.0",), "bin/serena")
PROGRAMS = (SERENA_2, SERENA_1)
