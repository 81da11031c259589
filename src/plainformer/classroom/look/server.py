"""A server for one person on one machine: the teacher's browser, and nobody else.

It listens on 127.0.0.1 alone. Every address begins with a random token, which other users of the
machine do not know. Pages of other sites that are open in the same browser are refused by two
headers: `Host`, so that a name that was made to point here does not work, and `Origin`, so that no
other page can write. No files can be asked for: what is served is made here, or is one of two texts
that were read at the start. What students wrote cannot run in the page, because it is escaped, and
because the policy that is sent along lets only our own script run.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit

from plainformer.classroom.look.desk import Desk
from plainformer.classroom.look.page import AT_ONCE, index, question, said_of
from plainformer.classroom.settings import CourseError
from plainformer.classroom.shown_code import CODE_STYLE
from plainformer.files import shipped

__all__ = ["LookServer"]

HERE = "127.0.0.1"
MAX_BODY = 1 << 16  # bytes of what a browser sends
HTML, JSON = "text/html; charset=utf-8", "application/json"
FOLDER = Path(__file__).parent
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; script-src 'self'; "
    "img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class LookServer(ThreadingHTTPServer):
    """Serves a desk until it is closed.

    Args:
        desk: what is looked at.
        port: 0 for any that is free.
    """

    daemon_threads = True
    request_queue_size = 128  # a page saves each mark by itself, so many may come at once

    def __init__(self, desk: Desk, port: int = 0) -> None:
        super().__init__((HERE, port), _Handler)
        self.desk = desk
        self.token = secrets.token_urlsafe(32)
        self.own = f"{HERE}:{self.server_address[1]}"
        style = shipped(FOLDER / "look.css").read_text(encoding="utf-8")
        script = shipped(FOLDER / "look.js").read_text(encoding="utf-8")
        self.texts = {
            "look.css": ("text/css; charset=utf-8", style + CODE_STYLE),
            "look.js": ("text/javascript; charset=utf-8", script),
        }

    def server_bind(self) -> None:
        """As the base class, without asking the network for a name of this machine."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = HERE, self.server_address[1]

    @property
    def address(self) -> str:
        """What to open; whoever has it can mark."""
        return f"http://{self.own}/{self.token}/"

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that hangs up is no fault."""
        if not isinstance(sys.exc_info()[1], ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: LookServer
    timeout = 30
    server_version, sys_version = "plainformer", ""

    def do_GET(self) -> None:
        name = self._asked()
        if name is None:
            return
        path, query = name
        desk = self.server.desk
        try:
            if path in self.server.texts:
                self._send(HTTPStatus.OK, *self.server.texts[path])
            elif path == "":
                self._send(HTTPStatus.OK, HTML, index(desk))
            elif re.fullmatch(r"[1-9]\d{0,3}", path) and int(path) <= len(desk.asked):
                page = re.fullmatch(r"page=([1-9]\d{0,5})", query)
                if query and (page is None or int(page[1]) > -(-len(desk.judged) // AT_ONCE)):
                    self._refuse(HTTPStatus.NOT_FOUND)
                    return
                shown = question(desk, int(path) - 1, int(page[1]) - 1 if page else 0)
                self._send(HTTPStatus.OK, HTML, shown)
            else:
                self._refuse(HTTPStatus.NOT_FOUND)
        except CourseError as error:  # a table that somebody edited in the meantime
            self._send(HTTPStatus.CONFLICT, "text/plain; charset=utf-8", str(error))

    def do_POST(self) -> None:
        name = self._asked()
        if name is None:
            return
        if name != ("save", ""):
            self._refuse(HTTPStatus.NOT_FOUND)
        elif self.headers.get_all("Origin") != [f"http://{self.server.own}"]:
            self._refuse(HTTPStatus.FORBIDDEN)
        elif self.headers.get("Content-Type") != JSON:
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE)
        else:
            self._save()

    def _asked(self) -> tuple[str, str] | None:
        """What is asked for behind the token, and its query; None after a refusal."""
        if self.headers.get_all("Host") != [self.server.own]:
            self._refuse(HTTPStatus.MISDIRECTED_REQUEST)
            return None
        if self.headers.get("Sec-Fetch-Site", "none") not in ("none", "same-origin"):
            self._refuse(HTTPStatus.FORBIDDEN)
            return None
        found = re.fullmatch(r"/([\w-]{1,100})/([\w.-]{0,20})", urlsplit(self.path).path, re.ASCII)
        if found is None or not hmac.compare_digest(found[1], self.server.token):
            self._refuse(HTTPStatus.NOT_FOUND)
            return None
        return found[2], urlsplit(self.path).query

    def _save(self) -> None:
        desk = self.server.desk
        try:
            number, student, points, comment, rubric = self._body()
            if not 0 <= number < len(desk.asked) or student not in desk.judged:
                raise ValueError("there is no such answer")
            mark = desk.save(number, student, points, comment, rubric)
            told = {
                "said": said_of(mark, desk.asked[number]),
                "waiting": mark.waiting,
                "left": len(desk.waiting(number)),
            }
        except (ValueError, OSError) as error:  # CourseError is one
            self._send(HTTPStatus.BAD_REQUEST, JSON, json.dumps({"error": str(error)}))
        else:
            self._send(HTTPStatus.OK, JSON, json.dumps(told))

    def _body(self) -> tuple[int, str, str, str, list[str]]:
        """What a page sent, each part of its kind."""
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"\d{1,6}", length) or int(length) > MAX_BODY:
            raise ValueError("that is more than can be kept of one answer")
        try:
            body = json.loads(self.rfile.read(int(length)))
            values = tuple(body[name] for name in ("question", "student", "points", "comment"))
            rubric = body["rubric"]
        except (ValueError, KeyError, TypeError, RecursionError):
            raise ValueError("the page sent something that is no answer's mark") from None
        kinds = (int, str, str, str)
        if tuple(map(type, values)) != kinds or type(rubric) is not list:
            raise ValueError("the page sent something that is no answer's mark")
        if not all(type(name) is str for name in rubric):
            raise ValueError("the names of deductions must be texts")
        number, student, points, comment = values
        return number, student, points, comment.replace("\r\n", "\n"), rubric

    def _refuse(self, status: HTTPStatus) -> None:
        self._send(status, "text/plain; charset=utf-8", f"{status.phrase}\n")

    def _send(self, status: HTTPStatus, kind: str, text: str) -> None:
        data = text.encode("utf-8", "replace")
        self.send_response(status)
        for name, value in {**HEADERS, "Content-Type": kind, "Content-Length": len(data)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing: an address has the token in it."""
