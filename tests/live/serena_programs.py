"""The versions of Serena that tests start."""

from __future__ import annotations

from live.environments import FromPyPI

_TY = "ty==0.0.25"  # a language server that both know, and that needs nothing else
SERENA_2 = FromPyPI("serena", "2.1.0", ("serena-agent==2.1.0", _TY), "bin/serena")
SERENA_1 = FromPyPI("serena", "1.7.0", ("serena-agent==1.7.0", _TY), "bin/serena")
PROGRAMS = (SERENA_2, SERENA_1)
