"""The tests' own web server: compresses text, lets a browser keep files, counts what it sends."""

import gzip
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest
from tests.site.server import SiteServer


def get(server: SiteServer, path: str, **headers: str) -> tuple[HTTPResponse, bytes]:
    """Ask for ``path`` as it stands, without a browser's tidying; return answer and body."""
    connection = HTTPConnection("127.0.0.1", server.server_address[1], timeout=60)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    return response, response.read()


def test_text_is_compressed_and_pictures_are_not(tmp_path: Path) -> None:
    (tmp_path / "a b.html").write_text("<p>word</p>" * 100)
    (tmp_path / "x.png").write_bytes(bytes(500))
    with SiteServer(tmp_path) as server:
        page, body = get(server, "/a%20b.html?q=1#x")
        assert page.status == 200
        assert page.headers["Content-Encoding"] == "gzip"
        assert gzip.decompress(body) == b"<p>word</p>" * 100
        picture, raw = get(server, "/x.png")
        assert picture.headers["Content-Encoding"] is None
        assert server.weight() == len(body) + len(raw) < 700


def test_a_browser_that_has_the_file_is_told_so_until_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "a.css"
    path.write_text("a {}")
    with SiteServer(tmp_path) as server:
        first, _ = get(server, "/a.css")
        assert first.headers["Cache-Control"] == "max-age=600"
        again, body = get(server, "/a.css", **{"If-None-Match": first.headers["ETag"]})
        assert (again.status, body) == (304, b"")
        path.write_text("b {}")
        changed, body = get(server, "/a.css", **{"If-None-Match": first.headers["ETag"]})
        assert (changed.status, body) == (200, b"b {}")


@pytest.mark.parametrize("path", ["/none.html", "/../secret.txt", "/%2e%2e/secret.txt", "/sub/"])
def test_what_is_not_in_the_folder_is_not_sent(tmp_path: Path, path: str) -> None:
    (tmp_path / "site" / "sub").mkdir(parents=True)
    (tmp_path / "secret.txt").write_text("secret")
    with SiteServer(tmp_path / "site") as server:
        response, body = get(server, path)
        assert (response.status, body) == (404, b"not found")
        assert [each.status for each in server.responses] == [404]
