"""A web server for the built site that does what an ordinary static host does.

Python's own `http.server` sends files as they lie on the disk. Real hosts compress text and let a
browser keep what it has for a while, so only with both can a page's weight be measured. Every
response is written down with the bytes of its body, which is what "transferred" means here:
headers are not counted (some hundred bytes a response, and different on every host).
"""

from __future__ import annotations

import gzip
import mimetypes
from dataclasses import dataclass
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import unquote, urlsplit

COMPRESSED = {".html", ".css", ".js", ".json", ".svg", ".txt", ".md", ".ipynb", ".xml", ".ico"}
TYPES = {
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".svg": "image/svg+xml",
    ".json": "application/json",
    ".woff2": "font/woff2",
    ".woff": "font/woff",
}
SECONDS_KEPT = 600  # what GitHub Pages allows a browser to keep a file for


@dataclass(frozen=True)
class Response:
    """What was sent for one request: the path asked for, the status, the bytes of the body."""

    path: str
    status: int
    size: int


@cache
def body_of(path: Path, changed: int) -> bytes:
    """Return the bytes to send for ``path``: compressed if it is text that gains from it.

    ``changed`` is the file's time of change, so that an edited file is read anew.
    """
    raw = path.read_bytes()
    if path.suffix not in COMPRESSED:
        return raw
    packed = gzip.compress(raw, compresslevel=6, mtime=0)
    return packed if len(packed) < len(raw) else raw


class Handler(SimpleHTTPRequestHandler):
    """Answers GET with the file, compressed and cacheable, and writes down what it sent."""

    protocol_version = "HTTP/1.1"
    server: SiteServer

    def do_GET(self) -> None:
        """Send the file that the path names, 304 if the browser has it already, or 404."""
        asked = urlsplit(self.path).path
        path = self.server.folder / unquote(asked).lstrip("/")
        if path.is_dir():
            path /= "index.html"
        if not path.is_file() or not path.resolve().is_relative_to(self.server.folder):
            self._send(asked, 404, b"not found", {"Content-Type": "text/plain"})
            return
        changed = path.stat().st_mtime_ns
        body = body_of(path, changed)
        guessed = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
        headers = {
            "Content-Type": TYPES.get(path.suffix, guessed),
            "Cache-Control": f"max-age={SECONDS_KEPT}",
            "ETag": f'"{changed:x}"',
        }
        if self.headers.get("If-None-Match") == headers["ETag"]:
            self._send(asked, 304, b"", headers)
            return
        if body[:2] == b"\x1f\x8b":
            headers["Content-Encoding"] = "gzip"
        self._send(asked, 200, body, headers)

    def _send(self, asked: str, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.server.responses.append(Response(asked, status, len(body)))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Stay silent; what was sent is in the server's list."""


class SiteServer(ThreadingHTTPServer):
    """Serves ``folder`` on a free local port for the length of a ``with`` block.

    ``url`` ends in a slash; ``responses`` lists everything sent so far and may be cleared.
    """

    daemon_threads = True

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.responses: list[Response] = []
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/"

    def __enter__(self) -> SiteServer:
        Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *details: object) -> None:
        self.shutdown()
        self.server_close()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a page early breaks connections; that is no news."""

    def weight(self) -> int:
        """Return the bytes sent since the list was last cleared."""
        return sum(response.size for response in self.responses)
