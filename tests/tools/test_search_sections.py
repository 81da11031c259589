"""What a search finds of a page: each thing once, where it stands, and no answer told."""

import json

import pytest

from book_engine import search_index
from book_engine.search_sections import read_page

PAGE = """<article class="bd-article"><section id="top"><h1>Top<a class="headerlink">#</a></h1>
<p>First <em>words</em>, said
<math><semantics><mfrac><mn>1</mn><msqrt><msub><mi>d</mi><mi>k</mi></msub></msqrt></mfrac><annotation
encoding="application/x-tex">\\frac{1}{\\sqrt{d_k}}</annotation></semantics></math>.</p>
<svg><text>drawn</text></svg><div class="cell_output"><p>printed</p></div>
<section id="below"><details class="pf-further"><summary><h2>Below</h2></summary><p>Folded.</p>
</details></section>
<details class="pf-exercise" id="ex-1"><summary>Exercise 1 · Try</summary><p>Do it.</p>
<pre>def attempt(x): ...</pre></details>
<details class="pf-solution"><summary>Solution</summary><p>secret</p><pre>secret()</pre></details>
<details class="pf-box pf-qa"><summary id="qa-1"><span
class="pf-box-label">Q&amp;A</span> Why so?</summary>
<p>Because.</p></details>
<dl><dt id="term-a">alpha</dt><dd><p>The first.</p></dd><dt id="term-b">beta</dt><dd>Next.</dd></dl>
<p>Last words.</p></section></article><p>outside</p>"""


def test_each_thing_is_found_where_it_stands():
    found = {each.anchor: each for each in read_page(PAGE)}
    assert list(found) == ["top", "below", "ex-1", "qa-1", "term-a", "term-b"]
    assert found["top"].title == "Top"
    assert found["top"].blocks == ["First words, said 1/√d_k.", "Last words."]
    assert (found["below"].title, found["below"].blocks) == ("Below", ["Folded."])
    assert (found["ex-1"].names, found["ex-1"].up) == (["attempt"], "Top")
    assert (found["qa-1"].title, found["qa-1"].blocks) == ("Why so?", ["Because."])
    assert [found[f"term-{x}"].blocks for x in "ab"] == [["The first."], ["Next."]]


@pytest.mark.parametrize("word", ["secret", "printed", "drawn", "outside"])
def test_what_is_drawn_or_tells_an_answer_is_left_out(word):
    assert word not in json.dumps([vars(each) for each in read_page(PAGE)])


def test_a_page_without_an_article_has_nothing_to_find():
    assert read_page("<p>no article</p>") == []


def test_the_index_leads_from_each_word_to_its_sections(tmp_path):
    (tmp_path / "a.html").write_text(PAGE, encoding="utf-8")
    assert search_index.write(tmp_path, ["a"]) == 6
    text = (tmp_path / search_index.FOLDER / "index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("pfSearch.index = ").rstrip(";\n"))
    places = dict(zip(index["words"].split(" "), index["places"].split(" "), strict=True))
    assert places["words"] == "0b"  # twice on top
    assert places["attempt"] == "2d"  # what an exercise asks for counts as often as a word can
    assert index["sections"][4][1:3] == ["term-a", "alpha"]
    assert (tmp_path / search_index.FOLDER / "0.js").is_file()
