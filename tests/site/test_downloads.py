"""Every site carries the package, alone and with all notebooks, and the pages offer it."""

import zipfile
from pathlib import Path

from tests.site.report import expect_none
from tests.site.walk import find_pages, parse

import plainformer
from build_wheel import ROOT, problems
from public_address import DOWNLOADS, wheel_name

WHEEL = wheel_name(plainformer.__version__)
ZIP = f"plainformer-{plainformer.__version__}-notebooks.zip"


def test_the_site_carries_the_wheel_of_this_tree(site: Path) -> None:
    assert sorted(path.name for path in (site / DOWNLOADS).iterdir()) == sorted([WHEEL, ZIP])
    expect_none(problems(site / DOWNLOADS / WHEEL))


def test_the_zip_has_the_same_wheel_and_every_notebook(site: Path) -> None:
    notebooks = {p.relative_to(ROOT / "notebooks") for p in ROOT.glob("notebooks/*/*.ipynb")}
    folder = Path(ZIP).stem
    expected = {Path(WHEEL): (site / DOWNLOADS / WHEEL).read_bytes()}
    expected |= {name: (ROOT / "notebooks" / name).read_bytes() for name in notebooks}
    with zipfile.ZipFile(site / DOWNLOADS / ZIP) as opened:
        inside = {Path(name).relative_to(folder): opened.read(name) for name in opened.namelist()}
    assert inside.pop(Path("README.txt"))
    assert inside.keys() == expected.keys()
    assert [name for name in expected if inside[name] != expected[name]] == []


def test_each_page_with_a_notebook_offers_the_zip_and_says_where_in_it_to_look(site: Path) -> None:
    menus = {page: parse(site / page).select_one(".pf-launch") for page in find_pages(site)}
    offering = {page: menu for page, menu in menus.items() if menu}
    assert len(offering) > 25
    for page, menu in offering.items():
        link = menu.select_one('a[href$=".zip"]')
        assert (site / page).parent.joinpath(link["href"]).resolve() == site / DOWNLOADS / ZIP
        notebook = page.removeprefix("book/").replace(".html", ".ipynb")
        assert f"open {notebook} from its folder" in menu.get_text()
