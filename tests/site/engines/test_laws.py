"""The laws for all engines, checked: silent on a good page and loud on bad ones, in each."""

from pathlib import Path
from typing import Any

import pytest
from tests.browser import required
from tests.site import reactions, toy, visits
from tests.site.engines import laws, tab
from tests.site.engines.firefox import Firefox
from tests.site.engines.tab import Tab
from tests.site.engines.watched import watched
from tests.site.engines.webkit import WebKit
from tests.site.server import SiteServer
from tests.site.visits import file_home

from browsers import FIREFOX, WEBKIT, Kind

TOP = "<h1>First</h1>"
TOOLS = """root.append(el);
el.classList.add("pf-card");
const tool = (name, act) => {
  const made = document.createElement("button");
  made.textContent = made.ariaLabel = name;
  made.onclick = () => act(made);
  return made;
};
const full = tool("Full screen", () => el.requestFullscreen());
el.onfullscreenchange = () => {
  full.ariaLabel = document.fullscreenElement ? "Leave full screen" : "Full screen";
};
el.addEventListener("keydown", ({ key }) => key === "Escape" && document.exitFullscreen());
const copy = tool("Copy link", async (made) => {
  await navigator.clipboard.writeText(`${location.href}?toy=toy`);
  made.ariaLabel = "Link copied";
});
const tools = document.createElement("span");
tools.className = "pf-tools";
tools.append(full, copy);
el.append(tools);"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small site without a fault, whose widget has the tools of the course's widgets."""
    folder = toy.build(tmp_path / "toy site")
    toy.spoil(folder, "first.html", "root.append(el);", TOOLS)
    return folder


def problems_of(tab: Tab, folder: Path) -> str:
    """Return what the laws report on the small site's first page."""
    copy = watched(folder, folder.with_name("watched site"))
    with SiteServer(copy) as server:
        return "\n".join(laws.problems_of(tab, server.url, file_home(copy), "first.html"))


def test_a_good_page_passes(tab: Tab, folder: Path) -> None:
    assert problems_of(tab, folder) == ""


@pytest.mark.parametrize(
    ("faults", "reports"),
    [
        (
            {TOP: TOP + r"<p>Let \(x\) and \frac12 be</p><div style='width: 1300px'>wide</div>"
             "<img alt='A cat.' src='lost.png'><script src='lost.js'></script>"
             "<script>console.error('bad'); console.warn('hm'); Promise.reject('later')</script>"
             "<script>lost()</script><img alt='A cat.' src='http://a.test/x.png'>"
             "<script>fetch('https://a.test/y').catch(() => 0)</script>"},
            ["at 320 px: the page is 13", "at 320 px: <div> wide: reaches to 13",
             "at 1280 px: the page is 13", "1 formulas are shown as they were typed",
             "does not load: http://127.0.0.1", "lost.js", "console error: bad", "console warn: hm",
             "uncaught: later", "request off the site: http://a.test/x.png (img-src",
             "request off the site: https://a.test/y (connect-src", "from the disk: uncaught: "],
        ),
        (
            {'slider.addEventListener("input", draw);': "", "slider.value++; draw();": "",
             "tools.append(full, copy);": ""},
            ['no button "Full screen"', 'no button "Copy link"', "ArrowRight: nothing changes",
             "Next, pressed: nothing changes", "says nothing new"],
        ),
        (
            {"${location.href}?toy=toy": "elsewhere", "said.textContent =": "said.title =",
             TOP: "<style>:fullscreen .bar { width: 1400px; height: 900px }</style>" + TOP},
            ["px of it are cut off at the right", "px of it are below the screen",
             "the link copied must begin with http://127.0.0.1", "says nothing new"],
        ),
        (
            {"el.requestFullscreen()": "0", 'made.ariaLabel = "Link copied";': "",
             'root.dataset.pfReady = "";': 'root.dataset.pfError = "oh";'},
            ["the card does not come to be alone", '"Link copied" is expected',
             "did not start: oh"],
        ),
        (
            {"root.append(el);\n": "root.append(el);\nconst lid = document.createElement('p');\n"
             "lid.style = 'position: fixed; inset: 0; margin: 0'; root.append(lid);\n"},
            ["Full screen: is covered by <p>", "Copy link: is covered by <p>",
             "Next: is covered by <p>"],
        ),
    ],
    ids=["page", "dead", "cut", "refused", "covered"],
)  # fmt: skip
def test_a_fault_is_reported(
    tab: Tab,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    faults: dict[str, str],
    reports: list[str],
) -> None:
    for patient in (visits, reactions):
        monkeypatch.setattr(patient, "PATIENCE", 1000)  # with what will not come
    for old, new in faults.items():
        toy.spoil(folder, "first.html", old, new)
    found = problems_of(tab, folder)
    assert [each for each in reports if each not in found] == [], found


@pytest.mark.parametrize(("engine", "kind"), [(Firefox, FIREFOX), (WebKit, WEBKIT)])
def test_an_engine_leaves_nothing_behind(engine: type[Firefox | WebKit], kind: Kind) -> None:
    running = engine(required(kind))
    home = Path(running._home.name)
    groups = {each.pid for each in (running._process, getattr(running, "_screen", None)) if each}
    assert home.is_dir() and alive(groups)
    running.close()
    assert not home.exists()
    assert alive(groups) == []


@pytest.mark.parametrize("engine", [Firefox, WebKit])
def test_an_engine_that_does_not_come_leaves_nothing_behind(
    engine: type[Firefox | WebKit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program runs and is silent; a WebKit has started its screen before it."""
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexec sleep 600\n", encoding="utf-8")
    silent.chmod(0o755)
    begun: set[int] = set()
    start = tab.started

    def noted(command: Any, **options: Any) -> Any:
        begun.add((process := start(command, **options)).pid)
        return process

    def given_up(what: str, ask: object, process: object) -> None:
        assert alive(begun)
        raise RuntimeError(f"no {what}")

    required(FIREFOX if engine is Firefox else WEBKIT)
    monkeypatch.setattr(tab, "started", noted)
    monkeypatch.setattr(tab, "wait_for", given_up)
    with pytest.raises(RuntimeError, match=r"no an? (address|port)"):
        engine(silent)
    assert begun and alive(begun) == []


def alive(groups: set[int]) -> list[str]:
    """Return the programs that run in some groups of processes, as Linux lists them."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            name, fields = stat.read_text().rsplit(")", 1)
        except OSError:
            continue  # it has ended
        state, _, group = fields.split()[:3]
        if int(group) in groups and state != "Z":
            found.append(name)
    return found


def test_a_browser_that_does_not_start_is_named() -> None:
    with pytest.raises(RuntimeError, match=r"'false'\] must give an address, but it has ended"):
        tab.wait_for("an address", lambda: None, tab.started(["false"]))
