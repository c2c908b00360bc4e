"""A small HTTP server that misbehaves as it is told, on a free port of this machine."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Behaviour = Callable[[socket.socket, str], None]


class Served:
    """A running server and the heads of the requests that came."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.requests: list[str] = []
        self.gone = threading.Event()  # a client left while it was being served
        self.over = threading.Event()  # the test has ended

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def reply(body: bytes | str, status: str = "200 OK", **headers: str) -> Behaviour:
    """A whole answer; `_` in a header's name stands for `-`."""
    data = body.encode() if isinstance(body, str) else body
    named = "".join(f"{name.replace('_', '-')}: {value}\r\n" for name, value in headers.items())
    head = f"HTTP/1.1 {status}\r\n{named}Content-Length: {len(data)}\r\nConnection: close\r\n\r\n"

    def behave(connection: socket.socket, _request: str) -> None:
        connection.sendall(head.encode() + data)

    return behave


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Served]:
    """Serve: each connection gets the next behaviour, those beyond the last one the last."""
    listener = socket.create_server(("127.0.0.1", 0))
    served = Served(listener.getsockname()[1])
    left = list(behaviours)

    def serve(connection: socket.socket, behave: Behaviour) -> None:
        with connection:
            try:
                served.requests.append(_request(connection))
                behave(connection, served.requests[-1])
            except OSError:
                served.gone.set()

    def accept() -> None:
        while True:
            try:
                connection, _address = listener.accept()
            except OSError:
                return
            behave = left.pop(0) if len(left) > 1 else left[0]
            threading.Thread(target=serve, args=(connection, behave), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield served
    finally:
        served.over.set()
        listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        listener.close()


def _request(connection: socket.socket) -> str:
    """A request, with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        came = connection.recv(65_536)
        if not came:
            break
        data += came
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (
            int(line.split(b":")[1])
            for line in head.splitlines()
            if line.lower().startswith(b"content-length")
        ),
        0,
    )
    while len(body) < length and (came := connection.recv(65_536)):
        body += came
    return (head + b"\r\n\r\n" + body).decode("utf-8", "replace")
