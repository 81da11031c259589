"""Read, Code, Everything: how long a chapter is, and that nothing folded is out of reach."""

from typing import TYPE_CHECKING

from tests.site import reading
from tests.site.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Page

PAGE = "book/attention/self_attention.html"
DEEPER = "what-attention-replaced"  # a section that only Everything opens

# Follow every link of the page to itself: how many there are, and which lead to what stays folded.
FOLLOW_ALL = """async () => {
  const links = document.querySelectorAll("article a[href^='#'], .bd-toc-nav a[href^='#']");
  const hashes = [...new Set([...links].map((a) => a.hash))].filter((hash) => hash.slice(1));
  const hidden = [];
  for (const hash of hashes) {
    if (hash !== location.hash) {
      const followed = new Promise((done) => addEventListener("hashchange", done, { once: true }));
      location.hash = hash;
      await followed;
    }
    const target = document.getElementById(decodeURIComponent(hash.slice(1)));
    const place = target.matches("section > span") ? target.parentElement : target;
    const own = place.matches("details") ? place : place.querySelector(":scope > .pf-further");
    if (!place.checkVisibility() && !target.parentElement.checkVisibility()) hidden.push(hash);
    else if (own && !own.open) hidden.push(hash);
  }
  return [hashes.length, hidden];
}"""


def view_of(page: "Page") -> str:
    """Return the view that the switch shows, which is the one that the page is in."""
    chosen = page.locator(".pf-views :checked").get_attribute("value")
    assert page.evaluate("document.documentElement.dataset.view") == chosen
    return str(chosen)


def is_open(page: "Page", name: str) -> bool:
    """True where the section's own fold is open."""
    return bool(page.locator(f"#{name} > .pf-further").evaluate("fold => fold.open"))


def test_read_is_short_and_the_toy_comes_first(open_file: Open, chapter: str) -> None:
    """At most 1,800 words, 12,000 pixels and 12 pages of paper; the toy within 1.5 screens."""
    with open_file(chapter, viewport={"width": 1280, "height": reading.SCREEN}) as visit:
        found = reading.measure(visit.page)
        assert found.words <= reading.WORDS
        assert found.pixels <= reading.PIXELS
        assert found.toy is not None
        assert found.toy <= reading.FIRST_TOY
        assert found.claims > 0
        assert reading.sheets(visit.page) <= reading.SHEETS


def test_a_link_into_any_fold_opens_it(open_file: Open, chapter: str) -> None:
    """Each anchor that the page links to itself is in sight once its link was followed."""
    with open_file(chapter, formulas=False) as visit:
        tried, hidden = visit.page.evaluate(FOLLOW_ALL)
        assert tried > 5
        assert not hidden


def test_the_switch_the_key_and_the_link_choose_a_view_and_it_is_kept(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        page = visit.page
        assert view_of(page) == "read"
        page.locator(".pf-views input[value=read]").focus()
        page.keyboard.press("ArrowRight")
        assert view_of(page) == "code"
        page.keyboard.press("Alt+KeyV")
        assert view_of(page) == "everything"
        assert is_open(page, DEEPER)
        page.goto(f"{visit.home}book/attention/masking.html")
        assert view_of(page) == "everything"  # on another page, too
        page.goto(f"{visit.home}{PAGE}?view=read")
        assert view_of(page) == "read"  # a link wins
        page.keyboard.press("Alt+KeyV")
        assert "view=" not in page.url  # and a choice over the link
        page.reload()
        assert view_of(page) == "code"
        assert not visit.problems


def test_a_section_opens_by_its_second_name(open_file: Open) -> None:
    with open_file("book/attention/masking.html#left-padding") as visit:
        assert is_open(visit.page, "the-nan-that-everyone-meets")


def test_a_link_to_a_folded_section_opens_it(open_either: Open) -> None:
    with open_either(f"{PAGE}#{DEEPER}") as visit:
        assert view_of(visit.page) == "read"
        assert is_open(visit.page, DEEPER)
        assert not is_open(visit.page, "what-biases-do")
        top = visit.page.locator(f"#{DEEPER}").bounding_box()
        assert top is not None
        assert abs(top["y"]) < 300  # it was scrolled to


def test_what_a_search_has_found_is_open(open_http: Open) -> None:
    with open_http(f"{PAGE}?highlight=whisper") as visit:
        visit.page.locator(".highlighted").first.wait_for(state="visible")
        assert is_open(visit.page, "what-biases-do")


def test_paper_shows_the_view(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        printed = []
        for view in reading.VIEWS:
            reading.choose(visit.page, view)
            printed.append(reading.sheets(visit.page))
        assert printed == sorted(printed)
        assert printed[0] < printed[1] < printed[2]


def test_without_scripts_everything_shows_and_there_is_no_switch(open_http: Open) -> None:
    with open_http(PAGE, java_script_enabled=False) as visit:
        folds = visit.page.locator("details[data-from]:not([data-from=asked])")
        assert folds.count() > 20
        assert folds.and_(visit.page.locator(":not([open])")).count() == 0
        assert not visit.page.locator(".pf-views").is_visible()


def test_questions_say_something_to_every_answer(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        choice, number = visit.page.locator(".pf-question").all()[:2]
        wrong, right = choice.locator("button").all()[:2]
        wrong.focus()
        visit.page.keyboard.press("Enter")
        status = choice.get_by_role("status")
        assert status.inner_text().startswith("✗ Not quite.")
        right.press("Enter")
        assert status.inner_text().startswith("✓ Right.")
        box, said = number.get_by_label("Your number"), number.get_by_role("status")
        for typed, begin in (("1", "✗"), ("7", "✗"), ("six", "Type a number"), ("6", "✓ Right.")):
            box.fill(typed)
            box.press("Enter")
            assert said.inner_text().startswith(begin)
        assert not visit.problems
