"""Keeps a server from outliving its host; run as a program of its own, with nothing but the standard library.

    python -I -S keeper.py WATCH SCRATCH PROGRAM [ARGUMENT ...]

It leads a process group, starts the program in it with its own three streams, and watches the host by WATCH, one
end of a pair of sockets. When the host closes the other end or is gone, however it ended, the program has a moment
to end by itself, since its stdin was closed too; then the whole group is told to, and then it is killed. When the
program ends first, its exit code is written to WATCH, and what it left running in the group is killed. SCRATCH is a
folder that is the program's alone, removed once the program has ended; "" is none.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time

GRACE = 1.0  # seconds that the program has to end by itself
MERCY = 0.5  # seconds between telling the group to end and killing it


def main(watch: int, scratch: str, argv: list[str]) -> None:
    """Run the program and end the group, this process too."""
    os.set_inheritable(watch, False)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        program = os.posix_spawn(
            argv[0], argv, os.environ, setsigdef=(signal.SIGTERM, signal.SIGPIPE, signal.SIGXFSZ)
        )
    except OSError as error:
        os.write(2, f"{argv[0]}: {error.strerror}\n".encode("utf-8", "surrogateescape"))
        _remove(scratch)
        return
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    _thread.start_new_thread(_end_with_the_host, (watch, program))
    _, status = os.waitpid(program, 0)
    try:
        os.write(watch, str(os.waitstatus_to_exitcode(status)).encode())
    except OSError:
        pass  # the host is gone
    _remove(scratch)
    os.killpg(0, signal.SIGKILL)


def _end_with_the_host(watch: int, program: int) -> None:
    try:
        os.read(watch, 1)
    except OSError:
        pass  # it went without a word
    time.sleep(GRACE)
    os.killpg(0, signal.SIGTERM)
    time.sleep(MERCY)
    os.kill(program, signal.SIGKILL)  # and then the group, once that is known to have ended
    time.sleep(MERCY)
    os.killpg(0, signal.SIGKILL)


def _remove(scratch: str) -> None:
    if scratch:
        import shutil

        shutil.rmtree(scratch, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3:])
