"""Run a command with no network but loopback, where the system allows that; else say so and run it all the same.

python tests/clients/isolate.py COMMAND...
"""

from __future__ import annotations

import os
import shutil
import socket
import struct
import subprocess
import sys

_MARK = "TESTS_START_ISOLATED"
_SET_FLAGS = 0x8914  # SIOCSIFFLAGS
_UP_LOOPBACK_RUNNING = 0x49


def main(arguments: list[str]) -> None:
    """Start again inside a network namespace, bring loopback up there, become the command."""
    if os.environ.pop(_MARK, ""):
        _loopback_up()
        print("network: loopback only", flush=True)
    elif (unshare := _unshare()) is not None:
        os.environ[_MARK] = "yes"
        os.execv(unshare[0], [*unshare, sys.executable, __file__, *arguments])
    else:
        print("network: this machine's, since no network namespace can be made here", flush=True)
    os.execvp(arguments[0], arguments)


def _unshare() -> list[str] | None:
    """The command that starts another one without a network, for root or for a user who may map herself to root."""
    program = shutil.which("unshare")
    ways = [[program, "-n"], [program, "-rn"]] if program else []
    return next((way for way in ways if _succeeds([*way, "true"])), None)


def _succeeds(command: list[str]) -> bool:
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


def _loopback_up() -> None:
    import fcntl

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        request = struct.pack("16sh14x", b"lo", _UP_LOOPBACK_RUNNING)
        fcntl.ioctl(any_socket, _SET_FLAGS, request)


if __name__ == "__main__":
    main(sys.argv[1:])
