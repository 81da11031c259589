"""The site in one file: whole, readable from the disk, and the same each time."""

import zipfile
from pathlib import Path

import pytest
from tests.site import toy
from tests.site.walk import find_pages

from book_engine import checks
from zip_site import FOR_HOSTS, main, pack


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A small site without a fault, with what a host gets besides."""
    folder = toy.build(tmp_path / "site")
    (folder / "first.html").rename(folder / "index.html")
    second = folder / "part" / "second.html"
    second.write_text(second.read_text().replace("first.html", "index.html"))
    (folder / "_static/search").mkdir(parents=True)
    (folder / "_static/search/index.js").touch()  # what a build writes last
    (folder / "_static" / "é b.txt").write_text("a name that is not plain")
    for name in FOR_HOSTS:
        (folder / name).write_text('<a href="/course/index.html">for a host</a>')
    return folder


def test_unpacked_it_is_the_site_and_no_link_is_broken(site: Path, tmp_path: Path) -> None:
    target = tmp_path / "deep" / "site.zip"
    count = pack(site, target, "course")
    with zipfile.ZipFile(target) as packed:
        assert packed.testzip() is None
        packed.extractall(tmp_path / "out")
    out = tmp_path / "out" / "course"
    inside = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    before = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert inside == before - FOR_HOSTS | {"README.txt"}
    assert count == len(inside) - 1
    assert "open index.html" in (out / "README.txt").read_text()
    assert find_pages(out) == ["index.html", "part/second.html"]
    assert checks.check_site(out) == []


def test_the_same_site_makes_the_same_file(site: Path, tmp_path: Path) -> None:
    one, two = tmp_path / "one.zip", tmp_path / "two.zip"
    pack(site, one, "course")
    (site / "index.html").touch()
    pack(site, two, "course")
    assert one.read_bytes() == two.read_bytes()


def test_without_a_finished_site_nothing_is_written(
    site: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (site / "_static/search/index.js").unlink()
    target = tmp_path / "site.zip"
    assert main(["--site", str(site), "--to", str(target)]) == 1
    assert "no _static/search/index.js: run make book" in capsys.readouterr().err
    assert not list(tmp_path.glob("site.zip*"))
