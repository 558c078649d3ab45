"""Web servers within this process."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from flask import Flask
from werkzeug.serving import make_server


class Quiet(BaseHTTPRequestHandler):
    """A handler that logs nothing."""

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serve(what: type[BaseHTTPRequestHandler] | Path | Flask) -> Iterator[str]:
    """Serve a handler, the files of a folder, or an app."""
    if isinstance(what, Flask):
        server = make_server("127.0.0.1", 0, what, threaded=True)
    else:
        handler = partial(SimpleHTTPRequestHandler, directory=what) if isinstance(what, Path) else what
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
