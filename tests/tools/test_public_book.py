"""A small book built without an address, then with one: what an address brings, and nothing else.

One book is built in turn for each, as a project is that gets an address, moves, and loses it again.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
from bs4 import BeautifulSoup
from PIL import Image
from sphinx.errors import ConfigError
from tests.site.axe import axe_problems
from tests.site.page_checks import PHONE, overflow_problems, tab_problems
from tests.site.server import SiteServer
from tests.site.visits import open_page
from tests.site.walk import find_pages
from tests.tools.toy_book import HEAD, PAGES, ToyBook

import build_book
from book_engine import checks
from book_engine.public import look_up
from zip_site import pack

REPOSITORY = "https://github.com/ada/course"
PROJECT = """
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "plainformer"
version = "1.2.3"
requires-python = ">=3.11"
[tool.hatch.build.targets.wheel]
packages = ["book/toy"]
[project.urls]
"""
SENTENCE = "A number becomes a row of a table."
CHAPTERS = f"""
- {{part: inputs, title: Inputs, chapters: [{{slug: page, title: Page, line: {SENTENCE}}}]}}
"""
TOC = """format: jb-book
root: index
parts:
  - caption: 1 Inputs
    chapters:
      - file: book/inputs/page
  - caption: Appendix
    chapters:
      - file: book/appendix/more
"""
PAGE = (
    HEAD
    + """# Embedding & "more"

This is the page of a chapter with a notebook of its own, and it has <no> cell.

:::{derivation}
It follows, and only the widest view opens it, so that the page has views.
:::
"""
)
FILES = {"inputs/page.ipynb": "whole", "inputs/page_exercises.ipynb": "exercises"}


@dataclass
class Built:
    """A site as one build left it, kept from the next."""

    site: Path
    address: str

    def soup(self, page: str) -> BeautifulSoup:
        return BeautifulSoup((self.site / page).read_text(encoding="utf-8"), "html.parser")


@pytest.fixture(scope="module")
def sites(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Built]:
    """The same book with an address below a path, at a host's root, and with none at last."""
    folder = tmp_path_factory.mktemp("public")
    pages = {"index": PAGES["index"], "inputs/page": PAGE, "appendix/more": PAGES["plain"]}
    book = ToyBook(folder / "book", pages)
    book.write("_toc.yml", TOC)
    book.write("book/map/chapters.yml", CHAPTERS)
    for name, text in FILES.items():
        book.write(f"notebooks/{name}", json.dumps({"cells": [], "metadata": {"is": text}}))
    found = {}
    for name, address in (("path", "https://ada.github.io/course"), ("root", "https://ada.org/")):
        urls = f'{PROJECT}Homepage = "{address}"\nRepository = "{REPOSITORY}"\n'
        book.write("pyproject.toml", urls)
        found[name] = build(book, folder / name, f"{address.rstrip('/')}/")
    book.write("pyproject.toml", PROJECT)
    found["none"] = build(book, folder / "none", "")
    return found


def build(book: ToyBook, kept: Path, address: str) -> Built:
    """Build the book as it is now, and keep a copy of what that made."""
    outcome = book.build()
    assert outcome.status == 0, outcome.said
    for path in (path for path in book.html.rglob("*") if path.is_file()):
        copy = kept / path.relative_to(book.html)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(path.read_bytes())
    return Built(kept, address)


@pytest.fixture(params=["path", "root"])
def public(sites: dict[str, Built], request: pytest.FixtureRequest) -> Built:
    """The site with each of the two addresses."""
    return sites[request.param]


@pytest.fixture
def server(sites: dict[str, Built]) -> Iterator[SiteServer]:
    """A web server with the site that has an address below a path."""
    with SiteServer(sites["path"].site) as running:
        yield running


def test_no_link_is_broken_with_an_address_or_without(
    sites: dict[str, Built], tmp_path: Path
) -> None:
    pack(sites["path"].site, tmp_path / "site.zip", "course")
    with zipfile.ZipFile(tmp_path / "site.zip") as packed:
        packed.extractall(tmp_path)
    for site in (tmp_path / "course", *(built.site for built in sites.values())):
        assert "book/inputs/page.html" in find_pages(site)
        assert checks.check_site(site) == []


def test_without_an_address_nothing_speaks_of_one(sites: dict[str, Built]) -> None:
    """Not even after a build that had one."""
    site = sites["none"].site
    made = {path.relative_to(site).as_posix() for path in site.rglob("*") if path.is_file()}
    assert not made & {"404.html", "robots.txt", "sitemap.xml"}
    assert not [name for name in made if "cards" in name]
    for page in find_pages(site):
        soup = sites["none"].soup(page)
        assert not soup.select('link[rel=canonical], meta[property^="og:"], meta[name^=twitter]')
        assert not soup.select(".pf-mistake, .pf-hub")
        assert not soup.find_all(href=re.compile("colab|github|ada"))


def test_the_menu_offers_this_page_s_notebooks(sites: dict[str, Built]) -> None:
    for built in sites.values():
        assert not built.soup("index.html").select(".pf-launch")
        assert not built.soup("book/appendix/more.html").select(".pf-launch")
        menu = built.soup("book/inputs/page.html").select_one(".pf-launch")
        *links, packed = [link["href"] for link in menu.select("a[download]")]
        texts = [(built.site / "book/inputs" / link).read_text(encoding="utf-8") for link in links]
        assert [json.loads(text)["metadata"]["is"] for text in texts] == ["whole", "exercises"]
        assert [link.rpartition("/")[2] for link in links] == [
            name.rpartition("/")[2] for name in FILES
        ]
        assert packed == "../../downloads/plainformer-1.2.3-notebooks.zip"
        with zipfile.ZipFile(built.site / "book/inputs" / packed) as opened:
            names = {name.partition("/")[2] for name in opened.namelist()}
        assert FILES.keys() < names
        assert "open inputs/page.ipynb from its folder" in menu.get_text()


def test_colab_and_a_hub_get_the_same_notebook(public: Built) -> None:
    soup = public.soup("book/inputs/page.html")
    [colab] = soup.select('a[href^="https://colab.research.google.com"]')
    path = "notebooks/inputs/page.ipynb"
    assert colab["href"].endswith(f"/github/ada/course/blob/main/{path}")
    assert parse_qs(soup.select_one(".pf-hub")["data-query"]) == {
        "repo": [REPOSITORY],
        "branch": ["main"],
        "urlpath": [f"lab/tree/course/{path}"],
    }


def test_a_mistake_is_reported_with_the_page_s_name(public: Built) -> None:
    for page in ("index", "book/inputs/page", "book/appendix/more"):
        [link] = public.soup(f"{page}.html").select(".pf-mistake a")
        parts = urlsplit(link["href"])
        assert f"https://{parts.netloc}{parts.path}" == f"{REPOSITORY}/issues/new"
        assert parse_qs(parts.query)["page"] == [page]


def test_a_page_has_one_address_and_a_card(public: Built) -> None:
    root = public.soup("index.html")
    [link] = root.select("link[rel=canonical]")
    assert link["href"] == public.address
    for page, card in (
        ("book/inputs/page", "inputs-page.png"),
        ("book/appendix/more", "index.png"),
    ):
        soup = public.soup(f"{page}.html")
        [link] = soup.select("link[rel=canonical]")
        assert link["href"] == f"{public.address}{page}.html"
        said = {tag["property"]: tag["content"] for tag in soup.select('meta[property^="og:"]')}
        assert said["og:url"] == link["href"]
        assert said["og:image"] == f"{public.address}_static/cards/{card}"
        assert said["og:description"] == soup.select_one("meta[name=description]")["content"]
        file = public.site / "_static" / "cards" / card
        assert file.stat().st_size < 40_000
        with Image.open(file) as picture:
            size = (int(said["og:image:width"]), int(said["og:image:height"]))
            assert picture.size == size == (1200, 630)
    said = public.soup("book/inputs/page.html").select_one('meta[property="og:title"]')["content"]
    assert said == "Embedding & “more”"
    alt = public.soup("book/inputs/page.html").select_one('meta[property="og:image:alt"]')
    assert alt["content"].endswith(SENTENCE)


def test_the_sitemap_lists_every_page_once(public: Built) -> None:
    tree = ElementTree.parse(public.site / "sitemap.xml")
    listed = [each.text or "" for each in tree.findall(".//{*}loc")]
    names = [unquote(each.removeprefix(public.address)) or "index.html" for each in listed]
    assert sorted(names) == sorted(set(find_pages(public.site)) - {"search.html"})
    assert f"Sitemap: {public.address}sitemap.xml\n" in (public.site / "robots.txt").read_text()


def test_the_page_for_wrong_addresses_works_wherever_it_is_shown(public: Built) -> None:
    """It loads nothing, and every link in it is whole and leads to a page of the site."""
    soup = public.soup("404.html")
    reader = checks.PageReader()
    reader.feed(str(soup))
    assert not [it for it in reader.loads if it and not it.startswith("data:")]
    assert not soup.select("[src]")
    forms = [str(form["action"]) for form in soup.select("form[action]")]
    found = reader.links + forms
    own = [it for it in found if it.startswith(public.address)]
    assert len(own) == 3, "the first page, the search, where the part begins"
    for link in own:
        name = link.removeprefix(public.address) or "index.html"
        assert (public.site / name).is_file()
    rest = [it for it in found if it not in own]
    assert all(it.startswith(f"{REPOSITORY}/issues/new?") for it in rest)


def test_a_reader_finds_back_from_any_depth(browser, sites: dict[str, Built]) -> None:
    """As the host would answer: with the page where there is one, else with that one page."""
    built = sites["path"]

    def answer(route) -> None:
        path = unquote(urlsplit(route.request.url).path).removeprefix("/course/") or "index.html"
        found = (built.site / path).is_file()
        file = built.site / (path if found else "404.html")
        route.fulfill(status=200 if found else 404, path=file)

    context = browser.new_context()
    context.route("**/*", answer)
    page = context.new_page()
    for wrong in ("nothing", "book/inputs/pag.html", "a/b/c/d/e/"):
        page.goto(built.address + wrong)
        page.get_by_role("link", name="The first page").click()
        page.wait_for_url(built.address)
        assert "A toy book" in page.get_by_role("heading", level=1).inner_text()
    page.goto(f"{built.address}a/b/c")
    page.get_by_label("Search the course").fill("chapter")
    page.keyboard.press("Enter")
    page.wait_for_url(f"{built.address}search.html?q=chapter")
    page.locator("#search-results a", has_text="Embedding").click()
    page.wait_for_url(f"{built.address}book/inputs/page.html*")
    context.close()


def test_it_is_for_everybody_in_both_modes_and_on_a_phone(browser, server: SiteServer) -> None:
    for options in ({"color_scheme": "light"}, {"color_scheme": "dark", **PHONE}):
        with open_page(browser, server.url, "404.html", **options) as visit:
            problems = axe_problems(visit.page) + overflow_problems(visit.page)
            problems += visit.problems
        assert not problems


REFUSED = {
    "": "Type the address",
    "   ": "Type the address",
    "javascript:alert(1)": "begins with https://",
    "data:text/html,x": "begins with https://",
    "http://hub.example.edu": "begins with https://",
    "ftp://hub.example.edu": "begins with https://",
    "https://ada:secret@hub.example.edu": "Leave out the name",
    "https://": "no address",
    "hub": "names no hub",
    "my hub.example.edu": "names no hub",
    '"><img src=x onerror=alert(1)>': "no address",
}
TAKEN = {
    "hub.example.edu": "https://hub.example.edu",
    " https://hub.example.edu/ ": "https://hub.example.edu",
    "https://example.edu/jupyter/hub/login?next=%2Fhub": "https://example.edu/jupyter",
    "https://hub.example.edu/user/ada/lab/tree/x.ipynb#y": "https://hub.example.edu",
    "hub.example.edu:8443": "https://hub.example.edu:8443",
    "http://localhost:8000": "http://localhost:8000",
}


def test_a_reader_names_a_hub_once(browser, server: SiteServer) -> None:
    """By keyboard, on a phone: what is no hub is refused in words, and what is one is kept."""
    with open_page(browser, server.url, "book/inputs/page.html", **PHONE) as visit:
        page = visit.page
        page.locator(".pf-launch > summary").focus()
        page.keyboard.press("Enter")
        field, said = page.locator("#pf-hub-address"), page.locator(".pf-hub-said")
        for typed, words in REFUSED.items():
            field.fill(typed)
            field.press("Enter")
            assert words in said.inner_text(), typed
            assert field.get_attribute("aria-invalid") == "true"
            assert field.evaluate("field => field === document.activeElement")
        assert page.evaluate("localStorage.getItem('jupyterhub')") is None
        assert not axe_problems(page) + overflow_problems(page)
        link = page.locator(".pf-hub-known a")
        for typed, hub in TAKEN.items():
            field.fill(typed)
            field.press("Enter")
            address = link.get_attribute("href")
            assert address.startswith(f"{hub}/hub/user-redirect/git-pull?repo=https%3A%2F%2F")
            assert link.evaluate("link => link === document.activeElement")
            page.locator(".pf-hub button[type=button]").click()
        page.evaluate("localStorage.setItem('jupyterhub', 'https://hub.example.edu')")
        page.goto(f"{server.url}book/inputs/page.html")
        page.locator(".pf-launch > summary").click()
        assert page.locator(".pf-hub-known").inner_text().startswith("Open in hub.example.edu")
        assert not axe_problems(page) + overflow_problems(page)
        page.keyboard.press("Escape")
        assert not page.locator(".pf-launch-menu").is_visible()
        assert page.locator(".pf-launch > summary").evaluate("it => it === document.activeElement")
        page.evaluate("localStorage.setItem('jupyterhub', 'javascript:alert(1)')")
        page.goto(f"{server.url}book/inputs/page.html")
        page.locator(".pf-launch > summary").click()
        assert field.is_visible(), "what another page may have written there is no hub"
        assert not tab_problems(page) + visit.problems


def test_a_wrong_address_stops_the_build_before_it_begins(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whether `make book` builds or ``jupyter-book build`` does."""
    (tmp_path / "pyproject.toml").write_text(f'{PROJECT}Homepage = "/course/"\n')
    words = 'Homepage = "/course/": it is relative; write the whole address'
    assert build_book.build(tmp_path, tmp_path) == 1
    assert words in capsys.readouterr().err
    with pytest.raises(ConfigError, match=re.escape(words)):
        look_up(SimpleNamespace(srcdir=tmp_path), SimpleNamespace())  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["pyproject.toml"]
