"""The checks of the site, checked: silent on a good page, and loud on every kind of bad one."""

import base64
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image
from playwright.sync_api import Error as BrowserError
from tests.site import html_checks, page_checks, reactions, toy, visits, walk, widget_checks
from tests.site.axe import axe_problems
from tests.site.server import SiteServer
from tests.site.visits import Visit, file_home, open_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

PAGES = ["first.html", "part/second.html"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site without a fault."""
    return toy.build(tmp_path / "toy site")  # with a space, as folders of people have


def of_html(folder: Path) -> list[str]:
    """Return everything that the checks of plain HTML report."""
    problems = html_checks.style_problems(folder)
    for page in walk.find_pages(folder):
        problems += html_checks.head_problems(folder, page)
        problems += html_checks.heading_problems(folder, page)
        problems += html_checks.repeated_ids(folder, page)
        problems += html_checks.formula_problems(folder, page)
    return problems


def test_a_good_site_passes_every_check_of_html(folder: Path) -> None:
    assert walk.find_pages(folder) == PAGES
    assert [str(place) for place in walk.find_widgets(folder)] == ["first.html:0:toy"]
    assert of_html(folder) == []
    assert html_checks.linked_pages(folder, "first.html") == ["part/second.html"]


@pytest.mark.parametrize(
    ("old", "new", "report"),
    [
        ("<title>First</title>", "", "no title"),
        (' lang="en"', "", "no lang"),
        ('<meta charset="utf-8">', "", "charset"),
        ('name="viewport"', 'name="port"', "viewport"),
        ("A page of a small site on which nothing is wrong.", "Short.", "description"),
        (toy.ICON, "", "no icon"),
        ("h2", "h3", "h3 after an h1"),
        ("<h1>First</h1>", "", "one h1"),
        ("<h1>First</h1>", "<h1>First</h1><h1>Once more</h1>", "one h1"),
        ('id="below"', 'id="main"', "stands 2 times"),
        ("<h1>First</h1>", r"<h1>First</h1><p>Let \(x\) be</p>", "TeX in the text"),
        ("<h1>First</h1>", r"<h1>First</h1><dt>is \[y\]</dt>", "TeX in the text"),
        ("<h1>First</h1>", "<h1>First</h1><div class='math'><code>x</code></div>", "not MathML"),
        ("<h1>First</h1>", "<h1>First</h1><math><merror>x</merror></math>", "not converted"),
        ("<h1>First</h1>", "<h1>First</h1><math><mi>x</mi></math>", "does not say its TeX"),
    ],
)
def test_a_fault_in_the_html_is_reported(folder: Path, old: str, new: str, report: str) -> None:
    toy.spoil(folder, "first.html", old, new)
    assert any(report in problem for problem in of_html(folder)), of_html(folder)


def test_a_fault_in_a_style_sheet_is_reported(folder: Path) -> None:
    (folder / "style.css").write_text(
        "/* url(no.png) */ b { background: url(lost.png) }"
        "i { background: url('data:image/png;base64,AA==') }"
    )
    assert html_checks.style_problems(folder) == ["style.css: 'lost.png': there is no such file"]


@contextmanager
def opened(browser: "Browser", folder: Path, how: str, **options: object) -> Iterator[Visit]:
    """Open the small site's first page from a server or from the disk."""
    if how == "file":
        with open_page(browser, file_home(folder), "first.html", **options) as visit:
            yield visit
        return
    with (
        SiteServer(folder) as server,
        open_page(browser, server.url, "first.html", **options) as visit,
    ):
        yield visit


TOP = "<h1>First</h1>"
GIF = "src='data:image/gif;base64,R0lGODlhAQABAAAAACw='"
TRAP = "el.onkeydown = event => event.key === 'Tab' && event.preventDefault();"
SELECT = "<select aria-label='Which'><option>one</option><option>two</option></select>"
FAULTS: dict[str, list[tuple[str, str, str]]] = {
    "loading": [
        (TOP, TOP + "<script src='http://a.test/x.js'></script>", "off the site: http://a.test"),
        (TOP, TOP + "<script>fetch('https://a.test/').catch(() => 0)</script>", "off the site"),
        (TOP, TOP + "<script>new WebSocket('ws://a.test/')</script>", "web socket: ws://a.test"),
        (TOP, TOP + "<script>console.error('bad')</script>", "console error: bad"),
        (TOP, TOP + "<script>console.warn('hm')</script>", "console warning: hm"),
        (TOP, TOP + "<script>lost()</script>", "uncaught: lost is not defined"),
        (TOP, TOP + "<script src='lost.js'></script>", "lost.js"),
        (TOP, TOP + "<details ontoggle='lost()'>folded</details>", "uncaught"),
    ],
    "pictures": [
        (TOP, TOP + f"<img {GIF}>", "no alternative"),
        (TOP, TOP + f"<img alt='' {GIF}>", "no alternative"),
        (TOP, TOP + f"<img alt='figure 3' {GIF}>", "says nothing"),
        (TOP, TOP + f"<img alt='../_images/b.png' {GIF}>", "says nothing"),
        (TOP, TOP + "<canvas></canvas>", "no alternative"),
        (TOP, TOP + "<figure><p></p></figure>", "no alternative"),
        (TOP, TOP + "<div role='img'>x</div>", "no alternative"),
        (' role="img" aria-label="A dark box', ' data-old="A dark box', "needs a role"),
        (' aria-label="A dark box that says yes."', "", "no alternative"),
        (TOP, TOP + f"<a href='#below'><img alt='' {GIF}></a>", "no alternative"),
        (TOP, TOP + "<button><svg></svg></button>", "needs a role"),
        ('id="below"', 'id="main"', "id main twice"),
        ("draw();\nroot", "el.id = 'main';\nroot", "id main twice"),
    ],
    "legible": [
        ('fill="#222222"', 'fill="#dddddd"', "yes: contrast"),
        ('fill="#222222"', 'fill="none"', "yes: contrast"),
        ('fill="#222222"', 'fill="#222222" opacity="0.1"', "yes: contrast"),
        (TOP, TOP + "<p style='color: #999; background: #fff'>faint</p>", "color-contrast"),
        (TOP, TOP + "<button></button>", "button-name"),
        ("<label>Step ", "<label>", "label"),
        ("html[data-theme=light] body { background: #ffffff", "body { background: #222", "ground"),
        ('? "dark" : "light"', '? "light" : "dark"', "must be light; it is dark"),
    ],
    "keyboard": [
        ('class="skip" href="#main"', 'href="part/second.html"', "first stop of Tab"),
        ('class="skip" href="#main"', 'class="skip" href="#nowhere"', "not there"),
        (".skip:focus { top: 0; }", "", "cannot be seen"),
        (":focus-visible { outline: 3px solid #cc5500; }", ":focus { outline: 0 }", "no focus"),
        (TOP, TOP + "<p><a href='#below' onfocus='this.blur()'>x</a></p>", "no stop of the Tab"),
        (TOP, TOP + "<a href='#below' style='position: absolute; left: 0'></a>", "cannot be seen"),
        ("</main>", f"{'<input aria-label=x>' * 41}</main>", "the end of the page"),
    ],
    "folds": [
        (
            TOP,
            TOP + "<article><a href='#x'>x</a><div hidden><p id='x'>y</p></div></article>",
            "#x leads to what stays folded",
        ),
    ],
    "drawing": [
        ('root.dataset.pfReady = "";', 'root.dataset.pfError = "oh";', "did not start: oh"),
        ("[data-pf-ready] > .pf-fallback { display: none; }", "", "beside the live widget"),
        ("root.append(el);", "root.append(el); el.style.height = 0;", "nothing to speak of"),
        ('<p aria-live="polite">', "<p>", "no live region"),
    ],
    "working": [
        ("<button>Next</button>", "<button onfocus='this.blur()'>Next</button>", "passes over"),
        ("root.append(el);", f"root.append(el); {TRAP}", "does not get out"),
        (":focus-visible { outline: 3px solid #cc5500; }", ":focus { outline: 0 }", "no focus"),
        ("said.textContent =", "said.title =", "says nothing new"),
        ('slider.addEventListener("input", draw);', "", "range> Step, ArrowRight: nothing changes"),
        ('slider.addEventListener("input", draw);', "", "range> Step, dragged: nothing changes"),
        ("slider.value++; draw();", "", "Next, Enter: nothing changes"),
        ("slider.value++; draw();", "", "Next, click: nothing changes"),
        ("<button>", "<button disabled>", "Next: is disabled"),
        ('max="9"', 'max="0"', "nowhere to go"),
        ("<button>", "<input aria-label='Text'><button>", "Text, typed in: nothing changes"),
        ("<button>", "<input type=checkbox aria-label='Box'><button>", "Box, Space: nothing"),
        ("<button>", f"{SELECT}<button>", "Which, arrow key: nothing changes"),
    ],
    "table": [
        ("Show as table", "More", "no control named"),
        ('<tr><th scope="col">step</th></tr>', "", "no headings or no content"),
        ("<caption>Steps</caption>", "", "no caption"),
        ("<table>", "<table hidden>", "shows no table"),
    ],
    "printed": [
        ('class="pf-fallback"', 'class="other"', "no stand-in"),
        ("@media print", "@media speech", "stand-in shows nothing"),
        (".pf-live { display: none; }", "", "beside its stand-in"),
    ],
}


def look(visit: Visit, what: str) -> list[str]:
    """Return what the checks of one kind report on an open page."""
    page, widget = visit.page, widget_checks.widget_at(visit.page, 0)
    if what == "loading":
        visit.unfold()
        page.wait_for_load_state("networkidle")
        return visit.problems
    if what == "pictures":
        return page_checks.picture_problems(page) + page_checks.repeated_id_problems(page)
    if what == "legible":
        problems = page_checks.mode_problems(page, "light") + axe_problems(page)
        return problems + page_checks.drawn_text_problems(page)
    if what == "keyboard":
        return page_checks.skip_link_problems(page) + page_checks.tab_problems(page)
    if what == "folds":
        return page_checks.fold_problems(page, least=0)
    if what == "drawing":
        return widget_checks.drawing_problems(widget)
    if what == "working":
        problems = widget_checks.tab_through(page, widget)
        return problems + widget_checks.hand_problems(page, widget)
    if what == "table":
        return widget_checks.table_problems(page, widget)
    page.emulate_media(media="print")
    return widget_checks.stand_in_problems(widget)


@pytest.mark.parametrize(
    ("how", "what"),
    [*(("http", what) for what in FAULTS), ("file", "loading"), ("file", "working")],
)
def test_a_good_page_passes(browser: "Browser", folder: Path, how: str, what: str) -> None:
    with opened(browser, folder, how) as visit:
        assert look(visit, what) == []
        assert visit.problems == []


def test_text_on_an_image_is_judged_by_its_pixels(browser: "Browser", folder: Path) -> None:
    """A heat map is an image, whose `fill`, black by default, paints nothing of it.

    This one, of 2 x 1 pixels, is light on the left and dark on the right, and is turned round.
    """
    png = io.BytesIO()
    Image.frombytes("RGB", (2, 1), bytes([255, 255, 255, 0, 0, 0])).save(png, "png")
    address = f"data:image/png;base64,{base64.b64encode(png.getvalue()).decode()}"
    drawing = (
        "<svg role='img' aria-label='A cell.' width='160' height='40'>"
        f"<image width='160' height='40' preserveAspectRatio='none' href='{address}'"
        " transform='translate(160) scale(-1 1)'/>"
        "<text x='{x}' y='25' fill='#222222'>.77</text></svg>"
    )
    for x, reports in ((100, 0), (20, 1), (70, 1)):  # on light, on dark, on both
        spoilt = TOP + drawing.format(x=x)
        toy.spoil(folder, "first.html", TOP, spoilt)
        with opened(browser, folder, "http") as visit:
            found = page_checks.drawn_text_problems(visit.page)
        assert ["contrast" in each for each in found] == [True] * reports
        toy.spoil(folder, "first.html", spoilt, TOP)


@pytest.mark.parametrize(
    ("what", "old", "new", "report"),
    [(what, *fault) for what, faults in FAULTS.items() for fault in faults],
)
def test_a_fault_on_an_open_page_is_reported(
    browser: "Browser",
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    what: str,
    old: str,
    new: str,
    report: str,
) -> None:
    monkeypatch.setattr(reactions, "PATIENCE", 100)  # with what will not come
    monkeypatch.setattr(page_checks, "TABS", 40)
    toy.spoil(toy.build(folder), "first.html" if old in toy.FIRST else "style.css", old, new)
    with opened(browser, folder, "http") as visit:
        problems = look(visit, what)
        assert any(report in problem for problem in problems), problems


def test_a_widget_that_is_never_drawn_is_reported_as_soon_as_its_page_opens(
    browser: "Browser", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "PATIENCE", 100)
    toy.spoil(toy.build(folder), "first.html", 'root.dataset.pfReady = "";', "")
    with (
        pytest.raises(BrowserError, match="toy is never drawn"),
        opened(browser, folder, "http"),
    ):
        pass


def test_a_page_that_draws_no_frames_is_reported(
    browser: "Browser", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(visits, "PATIENCE", 100)
    still = TOP + "<script>window.requestAnimationFrame = () => 0</script>"
    toy.spoil(toy.build(folder), "first.html", TOP, still)
    with pytest.raises(BrowserError, match=visits.STALLED), opened(browser, folder, "http"):
        pass


REPLACED = """
const text = el.querySelector("textarea");
text.addEventListener("input", () => {
  el.setAttribute("aria-busy", "true");
  said.textContent = `Reading ${text.value}.`;
  clearTimeout(window.late);
  window.late = setTimeout(() => {
    el.querySelector("input").replaceWith(slider.cloneNode());
    slider = el.querySelector("input");
    slider.value = 6;
    slider.addEventListener("input", draw);
    draw();
    el.setAttribute("aria-busy", "false");
  }, 300);
});
draw();"""


def test_a_slider_that_is_replaced_once_a_model_answers_is_dragged_then(
    browser: "Browser", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The drag ends at 6, where the new slider begins: no difference, had it not gone to 0."""
    monkeypatch.setattr(reactions, "PATIENCE", 2000)
    toy.spoil(folder, "first.html", "<button>", "<textarea aria-label='Text'></textarea><button>")
    toy.spoil(folder, "first.html", "const slider", "let slider")
    toy.spoil(folder, "first.html", "\ndraw();", REPLACED)
    with opened(browser, folder, "http") as visit:
        widget = widget_checks.widget_at(visit.page, 0)
        assert widget_checks.choices(visit.page, widget) == []
        assert widget_checks.slider_drag(visit.page, widget) == []


CALLS: list[int] = []


def test_a_test_whose_browser_stopped_drawing_begins_again_once() -> None:
    CALLS.append(1)
    if len(CALLS) == 1:
        raise RuntimeError(visits.STALLED)
    assert len(CALLS) == 2


def test_a_good_page_passes_in_dark_on_a_phone_and_without_scripts(
    browser: "Browser", folder: Path
) -> None:
    with opened(browser, folder, "http", color_scheme="dark") as visit:
        assert page_checks.mode_problems(visit.page, "dark") == []
        assert axe_problems(visit.page) == []
        assert page_checks.mode_problems(visit.page, "light") != []
    with opened(browser, folder, "http", **page_checks.PHONE) as visit:
        assert page_checks.overflow_problems(visit.page) == []
        assert widget_checks.touch(visit.page, widget_checks.widget_at(visit.page, 0)) == []
    with opened(browser, folder, "file", java_script_enabled=False) as visit:
        assert widget_checks.stand_in_problems(widget_checks.widget_at(visit.page, 0)) == []
        assert page_checks.picture_problems(visit.page) == []


def test_a_widget_below_the_first_screen_of_a_phone_is_reported(
    browser: "Browser", folder: Path
) -> None:
    toy.spoil(folder, "first.html", TOP, TOP + "<div style='height: 800px'>much</div>")
    with opened(browser, folder, "http", **page_checks.PHONE) as visit:
        [problem] = page_checks.late_toy_problems(visit.page)
        assert "pixels down, of 844" in problem
        assert page_checks.late_toy_problems(visit.page, height=2000) == []


WIDE = "<div style='width: 500px'>wide</div>"
CARD = (
    "<div style='overflow-x: auto' tabindex=0><div class='pf-card'>"
    "<div style='width: {}px'>wide</div></div></div>"
)


@pytest.mark.parametrize(
    ("old", "new", "report"),
    [
        (TOP, TOP + WIDE, "wide: reaches to 5"),
        (TOP, TOP + WIDE, "the page is 5"),
        (TOP, TOP + f"<div style='overflow: hidden'>{WIDE}</div>", "wide: reaches to 5"),
        ("body { margin", "body { overflow-x: clip; margin", ""),
        (TOP, TOP + f"<div style='overflow-x: auto' tabindex=0>{WIDE}</div>", ""),
        (
            TOP,
            TOP + CARD.format(500),
            "516, beyond its card, which ends at 344 px",
        ),
        (TOP, TOP + CARD.format(250), ""),
    ],
)
def test_what_is_too_wide_for_a_phone_is_reported(
    browser: "Browser", folder: Path, old: str, new: str, report: str
) -> None:
    """But not what scrolls in a box of its own."""
    toy.spoil(toy.build(folder), "first.html" if old in toy.FIRST else "style.css", old, new)
    with opened(browser, folder, "http", **page_checks.PHONE) as visit:
        problems = page_checks.overflow_problems(visit.page)
        assert any(report in problem for problem in problems) if report else not problems, problems


def test_what_is_too_wide_for_one_window_alone_is_reported(
    browser: "Browser", folder: Path
) -> None:
    toy.spoil(toy.build(folder), "first.html", TOP, TOP + WIDE.replace("500", "350"))
    with opened(browser, folder, "http", **page_checks.PHONE) as visit:
        problems = page_checks.overflow_at(visit.page, [320, 390, 360])
    assert {problem.split(":")[0] for problem in problems} == {"at 320 px", "at 360 px"}


@pytest.mark.parametrize(
    ("more", "reports"),
    [
        (r"<p>Let \(x\) be, and \frac12</p><p>\[y\]</p><p>$$z$$</p>", 1),
        (r"<details open><summary>More</summary><p>\sqrt{2}</p></details>", 1),
        (r"<p><code>\(x\)</code> and C:\n, $5</p><p hidden>\(x\)</p>", 0),
        (r"<math><semantics><mi>x</mi><annotation>\frac12</annotation></semantics></math>", 0),
    ],
)
def test_a_formula_that_is_shown_as_it_was_typed_is_reported(
    browser: "Browser", folder: Path, more: str, reports: int
) -> None:
    toy.spoil(toy.build(folder), "first.html", TOP, TOP + more)
    with opened(browser, folder, "http") as visit:
        assert len(page_checks.formula_problems(visit.page)) == reports


def test_a_picture_in_a_control_that_has_words_needs_none(browser: "Browser", folder: Path) -> None:
    more = f"<a href='#below'><img alt='' {GIF}>Home</a><button>Copy<svg></svg></button>"
    toy.spoil(toy.build(folder), "first.html", TOP, TOP + more)
    with opened(browser, folder, "http") as visit:
        assert page_checks.picture_problems(visit.page) == []


def test_a_focus_that_shows_by_colour_alone_is_seen(browser: "Browser", folder: Path) -> None:
    old = ":focus-visible { outline: 3px solid #cc5500; }"
    new = ":focus { outline: 0; background: yellow; color: red }"
    toy.spoil(toy.build(folder), "style.css", old, new)
    with opened(browser, folder, "http") as visit:
        shown = [each for each in page_checks.tab_problems(visit.page) if "<input>" not in each]
        assert shown == []


def test_a_tap_that_does_nothing_is_reported(
    browser: "Browser", folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reactions, "PATIENCE", 100)
    toy.spoil(toy.build(folder), "first.html", 'slider.addEventListener("input", draw);', "")
    with opened(browser, folder, "http", **page_checks.PHONE) as visit:
        widget = widget_checks.widget_at(visit.page, 0)
        assert "tapped: nothing changes" in widget_checks.touch(visit.page, widget)[0]
