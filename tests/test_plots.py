"""Pictures: alternative text, colours that follow the page, ids that never clash, no outside."""

from __future__ import annotations

import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from matplotlib.figure import Figure

from plainformer.plots import ACCENT, INK, LINE, MUTED, ROLE, SURFACE, Picture, picture, subplots


def draw() -> Figure:
    fig, ax = subplots(figsize=(4, 3))
    for height, colour in enumerate(ROLE.values()):
        ax.plot([0, 1], [height, height + 1], "o-", color=colour)
    ax.text(0, 0, "5 < 6 & 7", color=MUTED, bbox={"facecolor": SURFACE, "edgecolor": LINE})
    ax.axvline(0.5, color=ACCENT)
    ax.set_xlabel("time", color=INK)
    return fig


@pytest.fixture
def svg() -> str:
    return picture(draw(), alt='Lines "rise" & rise.').svg


def test_alt_is_required() -> None:
    with pytest.raises(TypeError):
        picture(draw())  # type: ignore[call-arg]


@pytest.mark.parametrize("alt", ["", "   ", "\n\t"])
def test_an_empty_alt_is_refused(alt: str) -> None:
    with pytest.raises(ValueError, match="alt must say what the picture shows"):
        picture(draw(), alt=alt)


def test_it_is_well_formed_and_described(svg: str) -> None:
    root = ElementTree.fromstring(svg)
    assert root.get("role") == "img"
    assert root.get("aria-label") == 'Lines "rise" & rise.'
    assert root[0].tag.endswith("title") and root[0].text == 'Lines "rise" & rise.'
    assert "5 &lt; 6 &amp; 7" in svg


def test_our_colours_become_variables(svg: str) -> None:
    for role in ROLE:
        assert f"var(--pf-{role}, {ROLE[role]})" in svg
    for name in ("accent", "ink", "muted", "line", "surface"):
        assert f"var(--pf-{name}, " in svg
    bare = re.sub(r"var\([^)]*\)", "", svg).lower()
    for colour in (*ROLE.values(), ACCENT, INK, MUTED, LINE, SURFACE):
        assert colour.lower() not in bare


def test_text_added_later_can_be_read_in_the_dark() -> None:
    fig, ax = subplots()
    ax.annotate("label", (0, 0))
    ax.set_title("title")
    texts = re.findall(r"<text[^>]*>(?:label|title)<", picture(fig, alt="Words.").svg)
    assert len(texts) == 2 and all("fill: var(--pf-ink, currentColor)" in text for text in texts)


def test_other_colours_are_left_alone() -> None:
    fig, ax = subplots()
    ax.plot([0, 1], color="#123456")
    assert "#123456" in picture(fig, alt="A line.").svg


def ids(svg: str) -> set[str]:
    return set(re.findall(r'\bid="([^"]+)"', svg))


def test_two_pictures_share_no_id() -> None:
    first, second = picture(draw(), alt="Same.").svg, picture(draw(), alt="Same.").svg
    assert ids(first) and ids(second)
    assert not ids(first) & ids(second)


def test_every_reference_has_its_target(svg: str) -> None:
    wanted = set(re.findall(r'(?:href="|url\()#([^")]+)', svg))
    assert wanted == ids(svg)


def test_nothing_refers_outside(svg: str) -> None:
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    assert all(target.startswith("#") for target in re.findall(r'href="([^"]*)"', svg))
    for leak in ("<style", "<metadata", "<!DOCTYPE", "<?xml", "<script"):
        assert leak not in svg


def test_an_image_travels_inside() -> None:
    fig, ax = subplots()
    ax.imshow([[0, 1], [1, 0]], cmap="cividis")
    assert 'href="data:image/png;base64,' in picture(fig, alt="A chequered square.").svg


def test_the_same_figure_gives_the_same_bytes() -> None:
    code = (
        "from plainformer.plots import *\n"
        "fig, ax = subplots()\n"
        "ax.plot([1, 2], [2, 1], 'o-')\n"
        "print(picture(fig, alt='A fall.').svg)"
    )
    runs = [subprocess.check_output([sys.executable, "-c", code], text=True) for _ in range(2)]
    assert runs[0] == runs[1]


def test_a_pyplot_figure_is_not_shown_twice() -> None:
    import matplotlib.pyplot as plt

    fig, ax = plt.subplots()
    ax.plot([1, 2])
    picture(fig, alt="A rise.")
    assert fig.number not in plt.get_fignums()


def test_subplots_leaves_the_global_style_alone() -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    draw()
    assert dict(mpl.rcParams) == before


def test_a_notebook_and_a_terminal_both_see_something() -> None:
    shown = picture(draw(), alt="Lines rise.")
    assert isinstance(shown, Picture)
    assert shown._repr_html_().startswith('<div class="pf-picture"><svg ')
    assert repr(shown) == "[picture: Lines rise.]"
