"""A server of S3 on this machine, by moto, between which and its clients stands all that can go wrong on the way."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from unittest.mock import patch

from moto.moto_server.werkzeug_app import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import WSGIRequestHandler, make_server

BUCKET = "bucket"


class S3Server:
    """Requests go to moto. `slow_s`: what each takes. `errors`: how many of the next are answered with `status`.

    `halved`: how many of the next answers to GET end in their middle. `changed`: the objects of which the last byte is
    another one, as a regular expression.
    """

    def __init__(self) -> None:
        self._moto = DomainDispatcherApplication(create_backend_app)
        self.calm()

    def calm(self) -> None:
        """Without faults."""
        self.slow_s = 0.0
        self.errors = self.halved = 0
        self.status = "503 Slow Down"
        self.changed = ""

    def __call__(self, environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
        path, reads = environ["PATH_INFO"], environ["REQUEST_METHOD"] == "GET"
        time.sleep(self.slow_s)
        if self.errors:
            self.errors -= 1
            environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
            start(self.status, [("Content-Length", "0")])
            return [b""]
        body = b"".join(self._moto(environ, start))
        if reads and self.halved and len(body) > 1:
            self.halved -= 1
            return [body[: len(body) // 2]]
        if reads and self.changed and re.search(self.changed, path):
            return [body[:-1] + bytes([body[-1] ^ 1])]
        return [body]


class _Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *arguments: object) -> None:
        """Nothing is written."""


@contextmanager
def served() -> Iterator[S3Server]:
    """While the block runs, addresses of S3 lead to a server with an empty bucket, also in other processes."""
    found = S3Server()
    server = make_server("127.0.0.1", 0, found, threaded=True, request_handler=_Quiet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    settings = {
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{server.server_port}",
        "AWS_ACCESS_KEY_ID": "key",
        "AWS_SECRET_ACCESS_KEY": "secret",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }
    try:
        with patch.dict("os.environ", settings):
            connection = HTTPConnection("127.0.0.1", server.server_port)
            connection.request("PUT", f"/{BUCKET}")
            assert connection.getresponse().status == 200
            connection.close()
            yield found
    finally:
        server.shutdown()
        server.server_close()
