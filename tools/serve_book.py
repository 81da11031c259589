"""Show the built book on a local web server; called by ``make serve``.

    python tools/serve_book.py [--port 8000] [--folder _build/live]

It takes the first free port from the one asked for, and serves this computer only.
"""

from __future__ import annotations

import argparse
import functools
import http.server
from pathlib import Path

PAGES = Path(__file__).resolve().parents[1] / "_build" / "html"
TRIES = 50


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files, quietly, and asks the browser to look for newer ones."""

    def end_headers(self) -> None:
        """Let a reload show the newest build."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for every file served."""


def make_server(folder: Path, port: int) -> http.server.ThreadingHTTPServer:
    """Return a server of `folder` on the first free port from `port` on.

    Raises FileNotFoundError where there are no pages, OSError where no port is free.
    """
    if not (folder / "index.html").is_file():
        raise FileNotFoundError(
            f"there are no pages in {folder}; run `make book` (or tools/course.py book) first"
        )
    handler = functools.partial(Handler, directory=str(folder))
    for number in range(port, port + TRIES):
        try:
            return http.server.ThreadingHTTPServer(("127.0.0.1", number), handler)
        except OSError:
            continue
    raise OSError(f"no free port between {port} and {port + TRIES - 1}")


def main() -> None:
    """Serve until interrupted."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--port", type=int, default=8000, help="the first port to try")
    parser.add_argument("--folder", type=Path, default=PAGES, help="the site to show")
    chosen = parser.parse_args()
    server = make_server(chosen.folder, chosen.port)
    print(f"The book is at http://127.0.0.1:{server.server_port}/   (Ctrl+C stops)", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        print()
    finally:
        server.server_close()


if __name__ == "__main__":
    main()
