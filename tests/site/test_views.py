"""Read, Code, Everything: nothing folded is out of reach.

How long each chapter is in Read, and that every link into a fold opens it, is looked at in the
visits of `test_pages.py`.
"""

import re
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.site import reading
from tests.site.conftest import Open

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Locator, Page

PAGE = "book/attention/self_attention.html"
DEEPER = "how-fast-an-rnn-forgets"  # a section that only Everything opens


def view_of(page: "Page") -> str:
    """Return the view that the switch shows, which is the one that the page is in."""
    chosen = page.locator(".pf-views :checked").get_attribute("value")
    assert page.evaluate("document.documentElement.dataset.view") == chosen
    return str(chosen)


def is_open(page: "Page", name: str) -> bool:
    """True where the section's own fold is open."""
    return bool(page.locator(f"#{name} > .pf-further").evaluate("fold => fold.open"))


GOOD = "<p class='pf-checked'>3 claims</p><figure>A picture.</figure>"


@pytest.mark.parametrize(
    ("more", "report"),
    [
        (GOOD, None),
        (GOOD + f"<p>{'word ' * reading.WORDS}</p>", "words; at most 2100"),
        (GOOD + f"<div style='height: {reading.PIXELS}px'></div>", "pixels; at most 12000"),
        ("<hr style='break-after: page'>" * reading.SHEETS + GOOD, "pages of paper; at most 12"),
        (f"<div style='height: {reading.FIRST_TOY}px'></div>" + GOOD, "above the first toy"),
        ("<p class='pf-checked'>One claim</p>", "nothing to look at"),
        ("<figure>A picture.</figure>", "of no claim"),
    ],
)
def test_a_page_that_is_too_long_to_read_is_reported(
    browser: "Browser", more: str, report: str | None
) -> None:
    page = browser.new_page()
    page.set_content(f"<!doctype html><article>{more}</article>")
    found = reading.problems(page)
    page.close()
    assert any(report in each for each in found) if report else found == []


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


def says(status: "Locator", begin: str) -> None:
    """Wait for a text that begins so: what rested has none until a frame after the focus came."""
    expect(status).to_have_text(re.compile(f"^{re.escape(begin)}"), use_inner_text=True)


def test_questions_say_something_to_every_answer(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        choice, number = visit.page.locator(".pf-question").all()[:2]
        wrong, right = choice.locator("button").all()[:2]
        wrong.focus()
        visit.page.keyboard.press("Enter")
        status = choice.get_by_role("status")
        says(status, "✗ Not quite.")
        right.press("Enter")
        says(status, "✓ Right.")
        box, said = number.get_by_label("Your number"), number.get_by_role("status")
        for typed, begin in (("1", "✗"), ("7", "✗"), ("six", "Type a number"), ("6", "✓ Right.")):
            box.fill(typed)
            box.press("Enter")
            says(said, begin)
        assert not visit.problems


# Where the reply and the window end, after an answer whose button was the last thing on the screen.
REPLY = """async (question) => {
  const button = question.querySelector(".pf-choices button");
  const below = button.getBoundingClientRect().bottom - innerHeight;
  scrollTo({ top: scrollY + below + 4, behavior: "instant" });
  button.click();
  await new Promise(requestAnimationFrame);
  return [question.querySelector(".pf-reply").getBoundingClientRect().bottom, innerHeight];
}"""


def test_a_phone_shows_what_is_said_to_an_answer(open_http: Open) -> None:
    phone = {"width": 360, "height": 740}
    with open_http(PAGE, viewport=phone, reduced_motion="reduce") as visit:
        bottom, height = visit.page.locator(".pf-question").first.evaluate(REPLY)
        assert bottom <= height and not visit.problems


# How far down the passage is that a reader is at, in the middle of all that `far` finds, before and
# after each switch; where a view folds it, how far down its fold is.
TURN = """async ([first, views, far]) => {
  const frame = () => new Promise(requestAnimationFrame);
  const choose = (view) => document.querySelector(`.pf-views [value=${view}]`).click();
  choose(first);
  const blocks = [...document.querySelectorAll(far)];
  const read = blocks[Math.floor(blocks.length / 2)];
  scrollTo({ top: read.getBoundingClientRect().top + scrollY - 200, behavior: "instant" });
  await frame(); await frame();
  const place = () => {
    let place = read;
    for (let up = read.closest("details"); up; up = up.parentElement.closest("details"))
      if (!up.open) place = up.firstElementChild.checkVisibility() ? up.firstElementChild : up;
    return Math.round(place.getBoundingClientRect().top);
  };
  const found = [];
  for (const view of views) {
    choose(view);
    const then = place();
    await frame(); await frame();
    found.push([view, then, place()]);
  }
  return found;
}"""
FOLDED = {  # what a reader may look at that another view folds
    "a claim": ".pf-claims pre",
    "a section": ".pf-further > p",
    "an answer": ".pf-qa p",
    "code": ".pf-view-fold[data-from=code]:not(.pf-exercise) pre",
    "a stub": ".pf-exercise .tag_exercise pre",
}


@pytest.mark.parametrize("kind", FOLDED)
def test_what_is_read_stays_where_it_was(open_file: Open, kind: str) -> None:
    """When a view folds it, its fold stands there; back in the first view it does itself."""
    with open_file(PAGE, viewport={"width": 1280, "height": 900}) as visit:
        turns = ["read", "code", "everything", "read", "everything"]
        found = visit.page.evaluate(TURN, ["everything", turns, FOLDED[kind]])
        for view, then, later in found:
            assert then == later, f"it moves on by itself in {view}"
            assert 40 < later < 400, found
        assert {later for view, _, later in found if view == "everything"} == {200}, found


def test_the_focus_stays_with_what_is_read(open_file: Open) -> None:
    """The key changes the view, not the place; where that is folded, its fold has the focus."""
    with open_file(f"{PAGE}?view=everything") as visit:
        page = visit.page
        page.locator(".pf-further a[href]:not(.headerlink)").first.focus()
        page.keyboard.press("Alt+KeyV")
        assert page.evaluate("document.activeElement.localName") == "summary"
        assert not page.evaluate("document.activeElement.parentElement.open")
        page.keyboard.press("Alt+KeyV")
        page.locator(".pf-view-fold[data-from=code] .copybtn").first.focus()
        page.keyboard.press("Alt+KeyV")
        page.keyboard.press("Alt+KeyV")
        # In Read this fold has no line that could have the focus, so it has it itself.
        assert page.evaluate("document.activeElement.matches('.pf-view-fold:not([open])')")
        assert page.locator(".pf-views-said").text_content() == "View: read"


def test_paper_has_the_answers_with_everything_and_no_word_to_press(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        for view in reading.VIEWS:
            reading.choose(visit.page, view)
            visit.page.evaluate("dispatchEvent(new Event('beforeprint'))")
            visit.page.emulate_media(media="print")
            replies = visit.page.locator(".pf-answers dd:first-of-type").all()
            assert len(replies) >= 2
            assert {each.is_visible() for each in replies} == {view == "everything"}
            closed = "article details:not([open], .pf-exercise) > summary:visible"
            assert not visit.page.locator(closed).count(), "nobody can open it on paper"
            visit.page.emulate_media(media="screen")
            visit.page.evaluate("dispatchEvent(new Event('afterprint'))")
            assert not visit.page.locator(".pf-answers:visible").count()


@pytest.mark.parametrize("again", ["reload", "back"])
def test_what_was_open_is_open_again(open_http: Open, again: str) -> None:
    with open_http(PAGE) as visit:
        page = visit.page
        page.locator(f"#{DEEPER} > .pf-further > summary").click()
        page.evaluate("scrollTo({ top: 4000, behavior: 'instant' })")
        if again == "reload":
            page.reload()
        else:
            page.goto(f"{visit.home}index.html")
            page.go_back()
        visit.settle()
        assert is_open(page, DEEPER)
        assert not is_open(page, "what-biases-do")
        assert page.evaluate("scrollY") > 3500  # the browser's own memory, of a page as long
        page.goto(f"{visit.home}index.html")
        page.goto(f"{visit.home}{PAGE}")
        assert not is_open(page, DEEPER)  # who comes anew finds the view


def test_a_page_that_the_browser_kept_takes_the_view_chosen_since(open_http: Open) -> None:
    with open_http(PAGE) as visit:
        visit.page.evaluate(
            """() => {
              localStorage.setItem("view", "code");
              dispatchEvent(new PageTransitionEvent("pageshow", { persisted: true }));
            }"""
        )
        assert view_of(visit.page) == "code"


def test_a_page_without_folds_has_no_switch_and_no_key(open_http: Open) -> None:
    with open_http("index.html") as visit:
        assert not visit.page.locator(".pf-views").count()
        visit.page.keyboard.press("Alt+KeyV")
        assert visit.page.evaluate("localStorage.getItem('view')") is None
        assert not visit.problems


def test_the_browser_opens_what_it_finds(open_http: Open) -> None:
    """A text fragment is looked for as "find in page" does: a closed fold that holds it opens."""
    with open_http(f"{PAGE}#:~:text=whisper") as visit:
        visit.page.wait_for_function("document.querySelector('#what-biases-do > .pf-further').open")
        assert view_of(visit.page) == "read"


def test_a_row_of_words_stands_on_one_line(open_file: Open) -> None:
    """Code and badges that follow each other, where there is room for them."""
    with open_file(f"{PAGE}?view=code", viewport={"width": 1280, "height": 900}) as visit:
        tops = visit.page.evaluate(
            """() => [...document.querySelectorAll(".pf-view-fold + .pf-view-fold")].map((each) => {
              const boxes = [each.previousElementSibling, each].map((it) =>
                it.firstElementChild.getBoundingClientRect());
              const beside = boxes[0].width > 0 && boxes[1].left > boxes[0].right;
              return beside ? boxes[1].top - boxes[0].top : null;
            }).filter((off) => off !== null)"""
        )
        assert tops
        assert max(map(abs, tops)) < 2


NUMBERS = {
    " 3 ": 3,
    "−2": -2,
    "–2": -2,
    "+7": 7,
    ".5": 0.5,
    "0,125": 0.125,
    "-0,5": -0.5,
    "12,5": 12.5,
    "1_000": 1000,
    "1 000": 1000,
    "1e3": 1000,
    "1,204.5": 1204.5,
    "1,204,000": 1_204_000,
}
REFUSED = ["", "six", "1,2,3", "1.204.000", "12 3", "0x10", "Infinity", "50%", "1/2", "½", "1__000"]


def test_a_typed_number_is_understood_or_asked_for_again(open_file: Open) -> None:
    with open_file(PAGE) as visit:
        read = "texts => texts.map((text) => Number.isNaN(read(text)) ? null : read(text))"
        assert visit.page.evaluate(read, list(NUMBERS)) == list(NUMBERS.values())
        assert visit.page.evaluate(read, REFUSED) == [None] * len(REFUSED)
        number = visit.page.locator(".pf-question:has(form)").first
        number.get_by_label("Your number").fill("6,000")
        number.get_by_label("Your number").press("Enter")
        said = "Type it without the comma: 6000, or 6.000."
        expect(number.get_by_role("status")).to_have_text(said, use_inner_text=True)
