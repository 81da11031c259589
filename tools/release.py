"""What a release must agree on before it is made, and what is said about it.

    python tools/release.py check v0.2.0     # the tag, the package, the changelog and the citation
    python tools/release.py notes v0.2.0     # the changelog's section, for the page of the release
    python tools/release.py citation         # write version and addresses into CITATION.cff

A section of CHANGELOG.md begins with a heading such as ``## 0.2.0 (2027-03-01)``; brackets around
the version are welcome.
"""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from public_address import PACKAGE, AddressError, PublicAddress, read_address

ROOT = Path(__file__).resolve().parents[1]
HEADING = re.compile(r"^## +\[?v?(\d[\w.]*)\]?(.*)$", re.M)
DATE = re.compile(r"\b\d{4}-\d{2}-\d{2}\b")
CITED = ("url", "repository-code")  # what CITATION.cff names of the public address


def package_version(root: Path = ROOT) -> str:
    """Return the package's version, which stands in it alone; nothing where there is none."""
    path = root / "src" / PACKAGE / "__init__.py"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = re.search(r"""^__version__ = ["'](\d[\w.]*)["']$""", text, re.M)
    return found[1] if found else ""


def section(changelog: str, version: str) -> tuple[str, str]:
    """Return what follows the version in its heading, and the section below it; or nothing twice.

    >>> section("# Changes\\n## [0.2.0] - 2027-03-01\\n- new\\n\\n## 0.1.0\\n- first\\n", "0.2.0")
    (' - 2027-03-01', '- new')
    """
    for found in HEADING.finditer(changelog):
        if found[1] == version:
            rest = changelog[found.end() :]
            following = re.search(r"^## ", rest, re.M)
            return found[2], rest[: following.start() if following else None].strip()
    return "", ""


def cited(text: str, version: str, address: PublicAddress) -> str:
    """Return the text of a CITATION.cff that names this version and these addresses.

    >>> print(cited("title: x\\nversion: 0.1.0\\n", "0.2.0", PublicAddress("https://ada.github.io/")))
    title: x
    version: 0.2.0
    url: "https://ada.github.io/"
    <BLANKLINE>
    """
    lines = [line for line in text.splitlines() if line.partition(":")[0] not in CITED]
    place = next((n for n, line in enumerate(lines) if line.startswith("version:")), len(lines))
    known = zip(CITED, (address.pages, address.repository), strict=True)
    named = [f'{key}: "{value}"' for key, value in known if value]
    lines[place : place + 1] = [f"version: {version}", *named]
    return "\n".join(lines) + "\n"


def citation_fault(root: Path) -> str:
    """Return what is wrong with CITATION.cff; nothing where it names what the project names."""
    text = (root / "CITATION.cff").read_text(encoding="utf-8")
    if text == cited(text, package_version(root), read_address(root)):
        return ""
    return "CITATION.cff names another version or address: run python tools/release.py citation"


def faults(root: Path, tag: str) -> list[str]:
    """Return every reason why the tag cannot be released, each with what to do; [] is good."""
    version, wrong = package_version(root), []
    if tag != f"v{version}":
        wrong.append(
            f"the tag is {tag}, and the package's version is {version or 'not to be found'}: "
            f"tag v{version or '…'}, or change __version__ in src/{PACKAGE}/__init__.py"
        )
    path = root / "CHANGELOG.md"
    heading, text = section(path.read_text("utf-8") if path.is_file() else "", version)
    if not text:
        wrong.append(f"CHANGELOG.md says nothing of {version}: write it under ## {version} (date)")
    elif not DATE.search(heading):
        wrong.append(f"CHANGELOG.md gives {version} no date: write ## {version} (2027-03-01)")
    released = re.search(
        r'^date-released: "?([\d-]+)', (root / "CITATION.cff").read_text("utf-8"), re.M
    )
    if text and (day := DATE.search(heading)) and (not released or released[1] != day[0]):
        wrong.append(f"CITATION.cff gives another date than CHANGELOG.md: date-released: {day[0]}")
    return [*wrong, *filter(None, [citation_fault(root)])]


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; return 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("do", choices=["check", "notes", "citation"])
    parser.add_argument("tag", nargs="?", default="", help="such as v0.2.0; not for citation")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    chosen = parser.parse_args(arguments)
    root: Path = chosen.root
    try:
        if chosen.do == "citation":
            path = root / "CITATION.cff"
            text = cited(path.read_text("utf-8"), package_version(root), read_address(root))
            path.write_text(text, encoding="utf-8", newline="\n")
            return 0
        wrong = faults(root, chosen.tag)
    except AddressError as problem:
        wrong = [str(problem)]
    if wrong:
        print("\n".join(["Not released:", *wrong]), file=sys.stderr)
        return 1
    changelog = (root / "CHANGELOG.md").read_text("utf-8")
    print(section(changelog, package_version(root))[1] if chosen.do == "notes" else "in step")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
