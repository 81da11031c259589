"""The map of the course: every chapter once, links where a page exists, and nowhere else."""

from __future__ import annotations

import re
import shutil
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest
import yaml

from book_engine import transformer_map as tm
from book_engine.chapters import load_chapters, pages_in_order, written_chapters
from book_engine.checks import chapter_faults

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "map"
CHAPTERS = load_chapters(FOLDER / "chapters.yml", pages_in_order(ROOT / "_toc.yml"))
PAGES = [chapter.page for chapter in CHAPTERS]
CARD = re.compile(
    r'<(a|span) class="chapter" data-slug="(\w+)"(?: href="([^"]*)")?>(.*?)</li>', re.DOTALL
)


def address(target: str) -> str:
    """Return where a page is, seen from ``book/index``."""
    return PurePosixPath(target).relative_to("book").as_posix() + ".html"


def cards(written: list[str]) -> dict[str, tuple[str, str, str]]:
    """Return the tag, the address and the content of every card of the map, by slug."""
    found = CARD.findall(tm.render(FOLDER, written, address))
    assert [slug for _, slug, _, _ in found] == [chapter.slug for chapter in CHAPTERS]
    return {slug: (tag, href, content) for tag, slug, href, content in found}


def test_the_project_s_own_lists_of_chapters_agree() -> None:
    assert chapter_faults(ROOT) == []


@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        ("_toc.yml", "book/blocks/encoder", "book/blocks/my_idea", "my_idea.md does not exist"),
        ("_toc.yml", "      - file: book/blocks/encoder\n", "", "_toc.yml: add the line `- file: "),
        (
            "book/map/chapters.yml",
            "slug: encoder",
            "slug: my_idea",
            "yml: add slug, title",
        ),
        ("book/map/chapters.yml", "a whole text at once.", "a text", "must end with a period"),
        ("book/map/route.yml", "masking", "my_idea", "route.yml: my_idea is no chapter"),
        ("notebooks/blocks/encoder.ipynb", None, None, "encoder.ipynb does not exist: run `make"),
    ],
)
def test_what_is_wrong_with_a_chapter_names_the_file_to_edit(
    tmp_path: Path, file: str, old: str | None, new: str | None, said: str
) -> None:
    """The build asks this before it runs a page."""
    shutil.copytree(FOLDER, tmp_path / "book" / "map")
    shutil.copy(ROOT / "_toc.yml", tmp_path)
    for page in pages_in_order(ROOT / "_toc.yml"):
        for place in (f"{page}.md", f"{page.replace('book', 'notebooks', 1)}.ipynb"):
            (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / place).touch()
    assert chapter_faults(tmp_path) == []
    if old is None or new is None:
        (tmp_path / file).unlink()
    else:
        text = (tmp_path / file).read_text(encoding="utf-8")
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new), encoding="utf-8")
    assert any(said in fault for fault in chapter_faults(tmp_path))


def test_parts_are_numbered_alike_everywhere() -> None:
    """In the list of chapters, in the side menu, and as the text counts them: 4 is decoding."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    part_of = {chapter.page: chapter.part_title for chapter in CHAPTERS}
    for part in toc["parts"]:
        expected = {part_of.get(page["file"]) for page in part["chapters"]}
        assert expected <= {part["caption"], None}, part["caption"]


def test_an_unwritten_chapter_is_no_link_and_says_so() -> None:
    for tag, href, content in cards([]).values():
        assert (tag, href) == ("span", "")
        assert "Not written yet." in content
    key = tm.render(FOLDER, PAGES[:1], address).split("pf-map-key")[-1]
    assert f"1 of the {len(CHAPTERS)} chapters are written" in key


def test_a_written_chapter_is_a_link_relative_to_the_page() -> None:
    found = cards(["book/inputs/tokenization", "book/decoding/search", "book/index"])
    links = {slug: href for slug, (tag, href, _) in found.items() if tag == "a"}
    assert links == {"tokenization": "inputs/tokenization.html", "search": "decoding/search.html"}
    assert all(tag == "a" and "Not written" not in text for tag, _, text in cards(PAGES).values())


def test_a_stop_of_the_short_route_shows_and_says_its_number() -> None:
    written = ["book/inputs/tokenization", "book/inputs/positions", "book/attention/efficient"]
    shown = {
        slug: stop[1]
        for slug, (_, _, content) in cards(written).items()
        if (stop := re.search(r'aria-label="(\d) of 2 on the short route">\1<', content))
    }
    assert shown == {"tokenization": "1", "positions": "2"}


def test_no_id_is_used_so_that_none_can_be_used_twice() -> None:
    assert not re.search(r'\sid="', tm.render(FOLDER, PAGES, address))


def test_a_chapter_without_a_picture_is_drawn_and_its_text_is_escaped(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "map")
    list_of_chapters = tmp_path / "map" / "chapters.yml"
    list_of_chapters.write_text(
        list_of_chapters.read_text(encoding="utf-8")
        + '    - {slug: my_idea, title: "<b>Q & A</b>", line: It is new.}\n',
        encoding="utf-8",
    )
    for written in ([], [*PAGES, "book/assistant/my_idea"]):
        html = tm.render(tmp_path / "map", written, address)
        assert "<b>" not in html
        assert '<span class="title">&lt;b&gt;Q &amp; A&lt;/b&gt;</span>' in html


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("{slug: embedding, title: Embedding}", "lacks line"),
        (
            "{slug: tokenization, title: T, line: L.}",
            "more than one chapter is called tokenization",
        ),
    ],
)
def test_a_mistake_in_the_list_of_chapters_is_named(
    tmp_path: Path, entry: str, message: str
) -> None:
    path = tmp_path / "chapters.yml"
    path.write_text(
        "- part: inputs\n  title: Inputs\n  chapters:\n"
        f"    - {{slug: tokenization, title: T, line: L.}}\n    - {entry}\n",
        encoding="utf-8",
    )
    with pytest.raises(ValueError, match=message):
        load_chapters(path, [])


PARTS = """
- {part: a, title: A, chapters: [{slug: one, title: 1, line: .}, {slug: two, title: 2, line: .},
  {slug: three, title: 3, line: .}, {slug: four, title: 4, line: .}]}
- {part: b, title: B, chapters: [{slug: five, title: 5, line: .}]}
"""
TOC = """
root: book/index
parts:
  - {caption: A, chapters: [{file: book/a/four}, {file: book/a/one}, {file: book/a/three}]}
  - {caption: Appendix, chapters: [{file: book/appendix/notation}]}
"""


def test_the_order_is_the_toc_s_and_an_unwritten_chapter_keeps_its_place(tmp_path: Path) -> None:
    (tmp_path / "book" / "map").mkdir(parents=True)
    (tmp_path / "_toc.yml").write_text(TOC, encoding="utf-8")
    path = tmp_path / "book" / "map" / "chapters.yml"
    path.write_text(PARTS, encoding="utf-8")
    slugs = [chapter.slug for chapter in load_chapters(path, pages_in_order(tmp_path / "_toc.yml"))]
    assert slugs == ["four", "two", "one", "three", "five"]
    assert written_chapters(tmp_path) == ["book/a/four", "book/a/one", "book/a/three"]


def test_a_page_of_a_part_that_the_map_does_not_know_is_named(tmp_path: Path) -> None:
    path = tmp_path / "chapters.yml"
    path.write_text(PARTS, encoding="utf-8")
    with pytest.raises(ValueError, match=r"chapters\.yml: add .*six.* to the part b"):
        load_chapters(path, ["book/a/one", "book/b/six", "book/appendix/notation"])


def test_the_map_is_drawn_again_when_a_chapter_comes_or_goes() -> None:
    pages = {"book/index": {"pf_map": True}, "book/inputs/tokenization": {}}
    env = SimpleNamespace(metadata=pages)  # as much of Sphinx's environment as the rule looks at
    assert tm.redraw(None, env, set(), {"book/inputs/tokenization"}, set()) == []
    assert tm.redraw(None, env, {"book/inputs/embedding"}, set(), set()) == ["book/index"]
    assert tm.redraw(None, env, set(), set(), {"book/inputs/tokenization"}) == ["book/index"]
