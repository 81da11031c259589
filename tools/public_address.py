"""Where the public finds the course: `[project.urls]` in pyproject.toml, read and checked here.

Three of its lines matter: ``Homepage``, where the pages are, ``Repository``, and ``Package``, the
page of the package on the Python Package Index once it is ours there. What needs an address is
derived from them: canonical links, cards, sitemap, launch links, the notebooks' set-up cell,
CITATION.cff. Without them it is absent, and everything else is as it was.

    python tools/public_address.py                       # what is known
    python tools/public_address.py --expect ADDRESS      # and is this where the pages go?
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode, urlsplit

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "plainformer"
INDEX_PAGE = f"https://pypi.org/project/{PACKAGE}"
BRANCH = "main"  # what Colab and a JupyterHub take the notebooks from
DOWNLOADS = "downloads"  # the folder of the site that holds the package's wheel
MISTAKE_FORM = "mistake.yml"  # in .github/ISSUE_TEMPLATE; its field `page` takes the page's name
SAFE = re.compile(r"[\w.~:/@%+-]+", re.ASCII)
HOST = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")


class AddressError(ValueError):
    """An address in `[project.urls]` that nobody could follow; its text says what to do."""


@dataclass(frozen=True)
class PublicAddress:
    """The course's addresses; each is empty where there is none."""

    pages: str = ""  # ends in a slash
    repository: str = ""  # ends in none
    package: str = ""  # as the repository

    @property
    def github(self) -> str:
        """The repository as GitHub names it, or nothing.

        >>> PublicAddress(repository="https://github.com/ada/course").github
        'ada/course'
        """
        host = "https://github.com/"
        return self.repository.removeprefix(host) if self.repository.startswith(host) else ""

    def page(self, name: str) -> str:
        """Return where a page is read; the first page is the folder itself.

        >>> at = PublicAddress("https://ada.github.io/course/")
        >>> at.page("index"), at.page("book/inputs/embedding")
        ('https://ada.github.io/course/', 'https://ada.github.io/course/book/inputs/embedding.html')
        """
        return self.pages if name == "index" else f"{self.pages}{quote(name)}.html"

    def colab(self, path: str) -> str:
        """Return what opens a notebook of the repository in Colab, which knows GitHub alone."""
        if not self.github:
            return ""
        return f"https://colab.research.google.com/github/{self.github}/blob/{BRANCH}/{quote(path)}"

    def sources(self, version: str) -> list[str]:
        """Return what pip installs the package from, the best first.

        The package index comes first, but only where `Package` says that the name there is ours:
        pip would run the code of whoever registered the bare name before us. Every site carries
        its wheel, and so does a release on GitHub; where there is neither, git fetches the source.

        >>> at = PublicAddress("https://ada.org/course/", "https://codeberg.org/ada/course")
        >>> at.sources("0.1.0")  # doctest: +ELLIPSIS
        ['https://ada.org/course/downloads/plainformer-0.1.0-py3-none-any.whl', 'git+https://...']
        """
        wheel = wheel_name(version)
        found = [f"{PACKAGE}=={version}"] if self.package else []
        if self.pages:
            found.append(f"{self.pages}{DOWNLOADS}/{wheel}")
        if self.github:
            found.append(f"{self.repository}/releases/download/v{version}/{wheel}")
        if self.repository:
            found.append(f"git+{self.repository}")
        return found

    def hub_query(self, path: str) -> str:
        """Return what nbgitpuller, in whatever JupyterHub, has to know to open a notebook.

        >>> at = PublicAddress(repository="https://github.com/ada/course")
        >>> at.hub_query("a.ipynb")
        'repo=https%3A%2F%2Fgithub.com%2Fada%2Fcourse&branch=main&urlpath=lab%2Ftree%2Fcourse%2Fa.ipynb'
        """
        if not self.repository:
            return ""
        folder = self.repository.rpartition("/")[2]
        opened = f"lab/tree/{folder}/{path}"
        return urlencode({"repo": self.repository, "branch": BRANCH, "urlpath": opened})

    def mistake(self, page: str) -> str:
        """Return the form on which a reader reports a mistake on a page; GitHub has such forms."""
        if not self.github:
            return ""
        asked = urlencode({"template": MISTAKE_FORM, "title": f"{page}: ", "page": page})
        return f"{self.repository}/issues/new?{asked}"


def wheel_name(version: str) -> str:
    """Return the file name of the package's wheel."""
    return f"{PACKAGE}-{version}-py3-none-any.whl"


def read_address(root: Path = ROOT) -> PublicAddress:
    """Return the addresses that the project at `root` names; empty ones where it names none.

    Raises `AddressError` with a sentence for each line of `[project.urls]` that cannot be right.
    """
    path = root / "pyproject.toml"
    if not path.is_file():
        return PublicAddress()
    urls = tomllib.loads(path.read_text(encoding="utf-8")).get("project", {}).get("urls", {})
    if not isinstance(urls, dict):
        raise AddressError("pyproject.toml: [project.urls] is a table with a line for each address")
    found: dict[str, str] = {}
    wrong = []
    for name, url in urls.items():
        url = url.strip() if isinstance(url, str) else url
        if fault := url and address_fault(name, url):
            wrong.append(f'pyproject.toml, [project.urls]: {name} = "{url}": {fault}')
        else:
            found[name.lower()] = url
    if wrong:
        raise AddressError("\n".join(wrong))
    pages, repository = found.get("homepage", ""), found.get("repository", "")
    return PublicAddress(
        pages=f"{pages.rstrip('/')}/" if pages else "",
        repository=repository.rstrip("/").removesuffix(".git"),
        package=found.get("package", "").rstrip("/"),
    )


def address_fault(name: str, url: object) -> str:
    """Return what is wrong with an address and what to write instead; nothing for a good one.

    >>> address_fault("Homepage", "https://ada.github.io/course")
    ''
    >>> address_fault("Homepage", "/course/")
    'it is relative; write the whole address, beginning with https://'
    """
    if not isinstance(url, str):
        return "it is no text; write the address between quotes"
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError as problem:
        return f"it cannot be read ({problem}); copy it from a browser's address bar"
    if "://" not in url:
        return "it is relative; write the whole address, beginning with https://"
    if parts.scheme != "https":
        return f"it begins with {parts.scheme}: and must begin with https://"
    if not HOST.fullmatch(host):
        return "it names no host that the public can reach; write one such as ada.github.io"
    if parts.username is not None or parts.password is not None:
        return "it holds a user's name or password, which everybody would see; leave that out"
    if "?" in url or "#" in url:
        return "it goes on after a ? or a #; leave that out"
    if not SAFE.fullmatch(url) or re.search(r"%(?![0-9A-Fa-f]{2})", url):
        return "it holds blanks or signs that an address cannot; write them as %20 and so on"
    if any(step in ("", ".", "..") for step in parts.path.strip("/").split("/")[:-1]) or (
        parts.path.rstrip("/").endswith("/..") or "//" in parts.path
    ):
        return "its path has an empty step or dots in it; write the path that they lead to"
    if name.lower() == "homepage" and parts.path.endswith((".html", ".htm")):
        return "it names one page; write the folder that all the pages are in"
    if name.lower() == "repository" and not parts.path.strip("/"):
        return "it names a host alone; write the whole address of the repository"
    if name.lower() == "repository" and host == "github.com" and port is None:
        steps = parts.path.strip("/").split("/")
        if len(steps) != 2:
            return "on GitHub a repository is https://github.com/OWNER/NAME, and nothing after it"
    if name.lower() == "package" and url.rstrip("/") != INDEX_PAGE:
        return f"it must be {INDEX_PAGE}/, or absent until the package is published there"
    return ""


def main(arguments: list[str] | None = None) -> int:
    """Say what is known; return 1 where it cannot be right, or is not what is expected."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--expect", default="", help="where the pages are about to be published")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    try:
        address = read_address(chosen.root)
    except AddressError as problem:
        print(problem, file=sys.stderr)
        return 1
    # A host names its own address with http until its certificate is there.
    expected = re.sub("^http:", "https:", f"{chosen.expect.rstrip('/')}/") if chosen.expect else ""
    if expected and address.pages and expected != address.pages:
        print(
            f"The pages go to {expected}, and pyproject.toml says {address.pages}: "
            f'write Homepage = "{expected}" under [project.urls], and build again.',
            file=sys.stderr,
        )
        return 1
    print(f"Pages:      {address.pages or 'no public address'}")
    print(f"Repository: {address.repository or 'no public address'}")
    print(f"Package:    {address.package or 'not on the index'}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
