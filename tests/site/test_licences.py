"""What a site has from others stands in LICENSES.md, and nothing that it has not."""

from fnmatch import fnmatchcase
from pathlib import Path

from build_wheel import ROOT, listed
from plainformer.widgets.kit import site as widgets

# What the build makes of the book itself: the terms, the index of the search, cards of pages, the
# tasks; and of the package's checkpoints, which have their lines in the wheel's table.
MADE = ("glossary.js", "search/*", "cards/*", "practice/*", "pf/weights/*")
OWN = {"plainformer.css", *(f"pf/{name}" for name in widgets.assets())}


def test_every_file_of_others_has_its_licence_listed(site: Path) -> None:
    static = site / "_static"
    names = {path.relative_to(static).as_posix() for path in static.rglob("*") if path.is_file()}
    patterns = listed("In the built site")
    others = {name for name in names - OWN if not (ROOT / "book" / "_static" / name).is_file()}
    others = {name for name in others if not any(fnmatchcase(name, each) for each in MADE)}
    unlisted = [n for n in sorted(others) if not any(fnmatchcase(n, p) for p in patterns)]
    assert unlisted == []
    assert [p for p in patterns if not any(fnmatchcase(name, p) for name in names)] == []
