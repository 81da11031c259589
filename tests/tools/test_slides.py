"""Slides from a page's HTML and its marks: what each kind of block becomes, and what is refused."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from docutils import nodes
from docutils.utils import new_document

import slides as printing
from book_engine.slide_reader import Mark, Reader, Slide
from book_engine.slides import MARK, MARKS, SlidesBroken, decks, list_decks, make_deck

PAGE = """<article><h1>Cats<a class="headerlink" href="#cats">#</a></h1><p>A lead.</p>
<div class="pf-box pf-glance"><p class="pf-box-title"><span class="pf-box-label">At a glance</span>
</p><ul><li><p>What</p></li></ul><dl class="pf-facts"><dt>Time</dt><dd>1 minute</dd></dl></div>
<h2>Ears</h2>
<p class="pf-slide-0">A cat has <em>ears</em>. It hears <a href="#mice">mice</a>. Yes.</p>
<div class="pf-slide-1 cell"><div class="cell_output"><div class="pf-widget"
data-pf-widget="bpe_merges" id="w"><script type="application/json">{"a": "<b"}</script></div></div>
</div><details><summary>Code</summary><pre>import cats</pre></details>
<details class="pf-box pf-dropdown"><summary>Seen</summary><div><p>They turn.</p></div></details>
<div class="pf-box pf-question pf-slide-2"><p class="pf-box-title"><span class="pf-box-label"
>Question</span> <span class="pf-box-claim">How many?</span></p><ul class="pf-choices">
<li><p>One</p></li><li><p>Two</p></li></ul><details class="pf-box pf-answers"><summary>Answer
</summary><dl class="pf-replies"><dt>One</dt><dd><p>Look again.</p></dd><dt class="pf-right">Two
</dt><dd><p>Indeed.</p></dd></dl></details></div>
<div class="pf-box pf-math-box pf-slide-3"><p class="pf-box-title"><span class="pf-box-label">Math
</span> <span class="pf-box-claim">The sum</span></p><p>With an x. And more.</p><div class="math">
x</div><ul><li><p>an ear</p></li></ul><p>Source: a cat.</p></div></article>"""


def slides_of(*marks: Mark) -> list[Slide]:
    """Return what is made of the page, without its first slide and its last."""
    made = list(Reader(PAGE, ["<p>Ask.</p>"]).slides(marks))
    assert [made[0].title, made[-1].title] == ["Cats", "At a glance"]
    return made[1:-1]


def test_a_paragraph_shows_what_is_picked_and_leaves_the_rest_to_the_speaker() -> None:
    [slide] = slides_of(("slide", "", ["It hears", "A cat has"]))
    assert slide.title == "Ears"
    assert "<li>It hears mice.</li><li>A cat has <em>ears</em>.</li>" in slide.parts[0]
    assert "Yes." not in slide.parts[0] and "Yes." in slide.notes[0]


def test_a_widget_stays_alive_and_the_notes_say_what_to_ask_and_to_see() -> None:
    [slide] = slides_of(("slide", "Ears & all", []), ("also", "", []))
    assert slide.title == "Ears &amp; all" and slide.kinds == ["text", "widget"]
    assert 'data-pf-widget="bpe_merges"' in slide.parts[1] and '{"a": "<b"}' in slide.parts[1]
    assert "Ask." in slide.notes[1] and "They turn." in slide.notes[1]
    assert "import cats" not in slide.as_html() and 'id="w"' not in slide.as_html()


def test_an_answer_comes_later_and_the_wrong_ones_are_for_the_speaker() -> None:
    *_, slide = slides_of(*[("slide", "", [])] * 3)
    assert slide.title == "Question"
    before, after = slide.parts[0].split('<div class="fragment')
    assert "How many?" in before and "<li>Two</li>" in before and "Indeed." not in before
    assert "Indeed." in after and "Look again." not in after
    assert "Look again." in slide.notes[0]


def test_a_box_shows_its_formulas_and_lists_or_what_is_picked() -> None:
    *_, slide = slides_of(*[("slide", "", [])] * 4)
    assert slide.title == "The sum"
    assert "an ear" in slide.parts[0] and "With an x" not in slide.parts[0]
    picked: list[Mark] = [*[("slide", "", [])] * 3, ("slide", "", ["And more"])]
    *_, slide = slides_of(*picked)
    assert "<p>And more.</p>" in slide.parts[0] and 'class="math"' in slide.parts[0]
    assert "an ear" not in slide.parts[0] and "Source" in slide.notes[0]


@pytest.mark.parametrize(
    ("marks", "message"),
    [
        ([("slide", "", ["A dog"])], "0 sentences or items begin with 'A dog'"),
        ([("slide", "", [])] * 5, "what the mark 'slide' stands above is not on the page"),
    ],
)
def test_a_mark_that_finds_nothing_is_an_error_with_the_page(
    marks: list[Mark], message: str
) -> None:
    with pytest.raises(SlidesBroken, match=f"book/cats.md: {message}"):
        make_deck("book/cats", PAGE, marks, [])


def test_a_page_without_a_glance_has_no_deck() -> None:
    with pytest.raises(ValueError, match=r"the box \{glance\}"):
        list(Reader("<article><h1>A</h1><p>b</p></article>").slides([]))


def test_a_deck_loads_what_its_widgets_need_from_the_site() -> None:
    deck = make_deck("book/pets/cats", PAGE, [("slide", "", []), ("also", "", [])], [])
    assert 'href="../book/pets/cats.html"' in deck
    assert 'src="../_static/pf/bpe_merges/view.js"' in deck
    assert 'href="../_static/pf/kit/kit.css"' in make_deck("book/cats", PAGE, [], [])


def test_links_to_decks_are_a_list_of_all_or_a_line_of_some(tmp_path: Path) -> None:
    """In the order of the book, whatever the order in which they are named."""
    contents = "parts:\n- chapters:\n  - file: pets/cats\n  - file: pets/dogs\n"
    (tmp_path / "_toc.yml").write_text(contents)
    pages = ("pets/dogs", "pets/cats")
    titles = {page: nodes.title("", page.removeprefix("pets/")) for page in pages}
    env = SimpleNamespace(metadata={page: {MARKS: [1]} for page in pages}, titles=titles)
    document = new_document("plans")
    document += [decks(chapters=[]), decks(chapters=list(pages)), decks(chapters=["pets/dogs"])]
    list_decks(SimpleNamespace(env=env, srcdir=tmp_path), document, "teach/plans")
    every, two, one = document.children
    assert isinstance(every, nodes.bullet_list) and every["classes"] == ["pf-decks"]
    links = [link["refuri"] for link in every.findall(nodes.reference)]
    assert links == ["../slides/cats.html", "../slides/dogs.html"]
    assert [two.astext(), one.astext()] == ["Slides: cats, dogs", "Slides: dogs"]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("slide", ("slide", "", "")),
        ("slide: A title", ("slide", " A title", "")),
        ("also: | One | Two", ("also", " ", "| One | Two")),
        ("sliding is fun", None),
    ],
)
def test_only_marks_are_marks(line: str, found: tuple[str, str, str] | None) -> None:
    match = MARK.fullmatch(line)
    assert (match and match.groups()) == found


def test_what_cannot_be_printed_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printing.main(["pdf", "--site", str(tmp_path)]) == 1
    assert "run make book first" in capsys.readouterr().err
    (tmp_path / "slides").mkdir()
    (tmp_path / "slides" / "cats.html").write_text("")
    assert printing.main(["pdf", "dogs", "--site", str(tmp_path)]) == 1
    assert capsys.readouterr().err == "no deck is called 'dogs'; there are cats\n"
