"""The map of a transformer: every chapter once, links where a page exists, and nowhere else."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path, PurePosixPath
from types import SimpleNamespace

import pytest
import yaml

from book_engine import transformer_map as tm
from book_engine.chapters import load_chapters, pages_in_order, written_chapters
from book_engine.route import load_route

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "book" / "map"
SVG = f"{{{tm.SVG}}}"

# What the course must teach. Written down again here, so that a chapter cannot fall off the map.
SYLLABUS = {
    "inputs": "tokenization embedding positions relative_positions",
    "attention": "lookup self_attention attention_gradients masking cross_attention multi_head"
    " efficient",
    "blocks": "feed_forward residual_norm encoder decoder transformer lm_head published_weights",
    "decoding": "next_token temperature penalties search sampling",
    "training": "language_model sequence_pairs translation classification many_machines capstone",
}
PAGES = [f"book/{part}/{slug}" for part, slugs in SYLLABUS.items() for slug in slugs.split()]
WRITTEN = pages_in_order(ROOT / "_toc.yml")
CHAPTERS = load_chapters(FOLDER / "chapters.yml", WRITTEN)
PARTS_OF_THE_COURSE = ["1 Inputs", "2 Attention", "3 Blocks", "4 Decoding", "5 Training"]


def address(target: str) -> str:
    """Return where a page is, seen from ``book/index``."""
    return PurePosixPath(target).relative_to("book").as_posix() + ".html"


def drawing(name: str, written: list[str]) -> ET.Element:
    """Return one of the two drawings, as the page would carry it."""
    html = tm.render(FOLDER, written, address)
    found = re.search(rf'<svg[^>]*class="pf-map-{name}".*?</svg>', html, re.DOTALL)
    assert found, f"no {name} drawing"
    return ET.fromstring(found[0])  # well-formed, or this raises


def parts(svg: ET.Element) -> dict[str, ET.Element]:
    """Return the chapters in a drawing, by slug."""
    return {e.get("data-slug", ""): e for e in svg.iter() if e.get("class") == "chapter"}


def test_chapters_are_those_of_the_syllabus_in_its_order() -> None:
    assert [chapter.page for chapter in CHAPTERS] == PAGES


def test_parts_are_numbered_alike_everywhere() -> None:
    """In the list of chapters, in the side menu, and as the text counts them: 4 is decoding."""
    assert list(dict.fromkeys(chapter.part_title for chapter in CHAPTERS)) == PARTS_OF_THE_COURSE
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    part_of = {chapter.page: chapter.part_title for chapter in CHAPTERS}
    for part in toc["parts"]:
        expected = {part_of.get(page["file"]) for page in part["chapters"]}
        assert expected <= {part["caption"], None}, part["caption"]


def test_every_written_page_is_on_the_map() -> None:
    """Chapters lie in folders named after their part; a page that the map lacks has no way in."""
    for part in SYLLABUS:
        pages = {f"book/{part}/{path.stem}" for path in (ROOT / "book" / part).glob("*.md")}
        assert pages <= set(PAGES)


def test_every_chapter_says_what_it_is_about() -> None:
    for chapter in CHAPTERS:
        assert chapter.title and chapter.line.endswith("."), chapter.slug


@pytest.mark.parametrize("name", ["wide", "tall"])
class TestDrawing:
    """The drawings for wide and narrow pages carry the same chapters."""

    def test_every_chapter_once_in_the_order_of_the_parts(self, name: str) -> None:
        slugs = [e.get("data-slug") for e in drawing(name, set()).iter() if e.get("data-slug")]
        assert sorted(slugs) == sorted(chapter.slug for chapter in CHAPTERS)
        assert slugs[:3] == ["tokenization", "embedding", "positions"]

    def test_an_unwritten_chapter_is_no_link_and_says_so(self, name: str) -> None:
        svg = drawing(name, set())
        assert not list(svg.iter(f"{SVG}a"))
        for chapter in CHAPTERS:
            part = parts(svg)[chapter.slug]
            assert part.get("href") is None and part.get("tabindex") is None
            assert part.get("aria-disabled") == "true"
            assert part.get("aria-label") == f"{chapter.title}, not written yet"

    def test_a_written_chapter_is_a_link_relative_to_the_page(self, name: str) -> None:
        svg = drawing(name, {"book/inputs/tokenization", "book/decoding/search", "book/index"})
        links = {a.get("data-slug"): a.get("href") for a in svg.iter(f"{SVG}a")}
        assert links == {
            "tokenization": "inputs/tokenization.html",
            "search": "decoding/search.html",
        }

    @pytest.mark.parametrize("written", [[], PAGES], ids=["none", "all"])
    def test_every_part_has_name_title_and_text(self, name: str, written: list[str]) -> None:
        for slug, part in parts(drawing(name, written)).items():
            title, text = part.find(f"{SVG}title"), part.find(f"{SVG}text")
            assert title is not None and title.text, slug
            assert text is not None and text.text, slug
            assert (part.get("aria-label") or "").startswith(text.text), slug

    def test_no_two_boxes_lie_over_each_other(self, name: str) -> None:
        boxes = []
        for slug, part in parts(drawing(name, set())).items():
            rect = part.find(f"{SVG}rect")
            assert rect is not None
            x, y, w, h = (float(rect.get(key, "nan")) for key in ("x", "y", "width", "height"))
            boxes.append((slug, x, y, x + w, y + h))
        for i, (a, ax, ay, ar, ab) in enumerate(boxes):
            for b, bx, by, br, bb in boxes[i + 1 :]:
                assert ar <= bx or br <= ax or ab <= by or bb <= ay, f"{a} and {b}"

    def test_every_part_stands_in_the_drawing_with_its_number(self, name: str) -> None:
        names = [e.text or "" for e in drawing(name, []).iter() if e.get("class") == "part"]
        for part in PARTS_OF_THE_COURSE:
            assert len([text for text in names if text.startswith(part)]) == 1, part

    def test_a_stop_of_the_short_route_shows_and_says_its_number(self, name: str) -> None:
        written = ["book/inputs/tokenization", "book/inputs/positions", "book/attention/efficient"]
        shown = {}
        for slug, part in parts(drawing(name, written)).items():
            number = [e.text for e in part.iter(f"{SVG}text") if e.get("class") == "stop"]
            said = re.findall(r", (\d) of 2 on the short route$", part.get("aria-label") or "")
            assert number == said, slug
            shown.update({slug: number[0]} if number else {})
        assert shown == {"tokenization": "1", "positions": "2"}

    def test_a_place_without_chapter_is_an_error_that_names_it(self, name: str) -> None:
        template = (FOLDER / f"{name}.svg").read_text(encoding="utf-8")
        glyphs = (FOLDER / "glyphs.svg").read_text(encoding="utf-8")
        with pytest.raises(ValueError, match="lm_head"):
            without = [chapter for chapter in CHAPTERS if chapter.slug != "lm_head"]
            route = load_route(FOLDER / "route.yml", CHAPTERS, [])
            tm.draw(template, glyphs, without, lambda chapter: None, route, name)


def test_no_id_is_used_so_that_none_can_be_used_twice() -> None:
    assert not re.search(r'\sid="', tm.render(FOLDER, PAGES, address))


def test_the_list_says_the_same_as_the_drawing() -> None:
    html = tm.render(FOLDER, ["book/inputs/tokenization"], address)
    text = html[html.index("<details") :]
    assert re.findall(r'href="([^"]*)"', text) == ["inputs/tokenization.html"]
    assert text.count("(not written yet)") == len(CHAPTERS) - 1
    assert f"1 of {len(CHAPTERS)} is written" in html
    whole = tm.render(FOLDER, [chapter.page for chapter in CHAPTERS], address)
    assert "Each box opens a chapter." in whole
    assert "not written yet" not in whole[whole.index("pf-map-key") :]


def test_text_from_the_list_of_chapters_is_escaped(tmp_path: Path) -> None:
    for name in tm.FILES:
        (tmp_path / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    chapters = (tmp_path / "chapters.yml").read_text(encoding="utf-8")
    chapters = chapters.replace("title: Embedding", 'title: "<b>Q & A</b>"')
    (tmp_path / "chapters.yml").write_text(chapters, encoding="utf-8")
    for written in ([], PAGES):
        html = tm.render(tmp_path, written, address)
        assert "<b>" not in html
        assert "&lt;b&gt;Q &amp; A&lt;/b&gt;" in html


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
    with pytest.raises(ValueError, match=r"chapters\.yml: .*six.* of b"):
        load_chapters(path, ["book/a/one", "book/b/six", "book/appendix/notation"])


def test_the_map_is_drawn_again_when_a_chapter_comes_or_goes() -> None:
    pages = {"book/index": {"pf_map": True}, "book/inputs/tokenization": {}}
    env = SimpleNamespace(metadata=pages)  # as much of Sphinx's environment as the rule looks at
    assert tm.redraw(None, env, set(), {"book/inputs/tokenization"}, set()) == []
    assert tm.redraw(None, env, {"book/inputs/embedding"}, set(), set()) == ["book/index"]
    assert tm.redraw(None, env, set(), set(), {"book/inputs/tokenization"}) == ["book/index"]
