"""A web server on this machine that serves a corpus well, badly, or not at all."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TEXT = "All the world's a stage,\r\nand every token a player: naïve, €5, 🐈.\n" * 4000
GOOD = TEXT.encode()


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.server.requests.append(self.path)  # type: ignore[attr-defined]  # our own
        if self.path == "/missing":
            self.send_error(404)
            return
        body = {"/corrupt": GOOD[:-1] + b"!", "/another": GOOD + b"more" * 100_000}
        data = body.get(self.path, GOOD)
        self.send_response(200)
        if self.path == "/chunked-truncated":
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"10000\r\n" + GOOD[:1000])  # promises 65,536 bytes
            return
        if self.path != "/unannounced":
            self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if self.path == "/truncated" else data)

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serve() -> Iterator[tuple[str, list[str]]]:
    """Yield the server's address and the list of paths that were asked for."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    server.requests = []  # type: ignore[attr-defined]  # our own
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", server.requests  # type: ignore[attr-defined]  # our own
    finally:
        server.shutdown()
        server.server_close()
