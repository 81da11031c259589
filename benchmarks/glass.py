"""Measure the engine that runs a model in the reader's page, beside torch on the same tokens, and
the work of the glass model's controls.

    python benchmarks/glass.py [--repeats 31] [--slowdown 6] [--only controls|translator]

*In the worker*: from the call of `engine.run` or `engine.next` to the steps in the page, every
one of the 55 that a trace of course-lm has, handed over from the worker. This is what a reader
waits for, but for the drawing.

*In the page*: the same computation without a worker and without the way back, first as fast as this
machine is, then slowed by Chromium's own throttle, which a worker does not feel.

*Torch*: `trace`, which keeps the same steps, and the model alone with its fused kernels, one
thread each.

*Next* is one more token after the others, with a cache. *Weights* are timed from the call of
`connect` on a page of a local server: the file, its checksum, and its numbers made wide.

*Translator*: one sentence of six words with course-translator, by greedy search and with four
beams, in a worker as a page does it; and the package's own searches in torch, one thread.

*Controls*: the processor time of the page's main thread for one input to GlassModel, from the event
to the last of what it draws, from Chromium's own metrics: scripts, styles, layout and paint. Other
programs hardly change it. What a worker computes meanwhile is not in it. *Typing* goes from the key
to the overview of the new text.

Times are medians in milliseconds; the limits are for the next token, in a worker at full speed and
in a page slowed six times, and for the work of controls at the 95th percentile. Exit status 1 if
one is exceeded. This is no part of the test run.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import torch  # noqa: E402
from playwright.sync_api import Page, sync_playwright  # noqa: E402
from tests.site.server import SiteServer  # noqa: E402
from tests.widgets import pages  # noqa: E402
from tests.widgets.engine import open_client, open_model, script, write_site  # noqa: E402

from browsers import CHROMIUM, find_browser, launch  # noqa: E402
from plainformer.blocks import trace  # noqa: E402
from plainformer.training import Vocabulary  # noqa: E402
from plainformer.training.tasks import course_lm  # noqa: E402
from plainformer.training.tasks.translation import course_translator  # noqa: E402
from plainformer.widgets import GlassModel  # noqa: E402
from plainformer.widgets.engine import Weights  # noqa: E402
from plainformer.widgets.kit.front_end import bundle  # noqa: E402
from plainformer.widgets.translator.widget import MAX_WRITTEN  # noqa: E402

LENGTHS = (1, 16, 64, 128)
LIMIT, SLOWED_LIMIT = 20.0, 120.0  # milliseconds for one more token
FRAME, TYPED = 16.0, 50.0  # milliseconds of work for a control, and for a letter
PAUSE = 100  # milliseconds between two inputs
SENTENCE = "your cat is a lovely cat"
TEXT = "Once upon a time there was a little cat, and everybody was fond of it. " * 20

TIMED = """
  const timed = async (repeats, before, after) => {
    const times = [];
    for (let i = 0; i < repeats + 3; i += 1) {
      const given = await before();
      const start = performance.now();
      await after(given);
      times.push(performance.now() - start);
    }
    return times.slice(3).sort((a, b) => a - b)[Math.floor(repeats / 2)];
  };
"""
IN_WORKER = f"""{TIMED}
  const [ids, repeats] = x;
  const whole = await timed(repeats, () => ids, (ids) => engine.run(ids));
  if (ids.length < 2) return [whole, null];
  const {{ state }} = await engine.run(ids.slice(0, -1));
  return [whole, await timed(repeats, () => state, (state) => engine.next(state, ids.at(-1)))];
"""
IN_PAGE = f"""{TIMED}
  const [ids, repeats] = x;
  const whole = await timed(repeats, () => ids, (ids) => m.forward(model, ids));
  if (ids.length < 2) return [whole, null];
  const cache = m.newCache(model);
  m.forward(model, ids.slice(0, -1), {{ cache }});
  const next = (cache) => m.forward(model, ids.slice(-1), {{ cache }});
  return [whole, await timed(repeats, () => ({{ ...cache }}), next)];
"""
CONNECT = """
  const start = performance.now();
  window.engine?.stop();
  window.engine = await client.connect({ weights: x });
  return performance.now() - start;
"""

TRANSLATE = f"""{TIMED}
  const [source, k, most, [sos, eos], repeats] = x;
  return timed(repeats, () => null, async () => {{
    const states = new Map(), logits = new Map();
    const take = (place, steps) => {{
      const {{ shape: [, V], data }} = steps.get("logits");
      states.set(place, steps.state);
      logits.set(place, data.subarray(data.length - V));
    }};
    const search = searching.beamSearch({{ k, most, eos }});
    take(0, await engine.run([sos], {{ source }}));
    for (;;) {{
      search.grow(search.beams().map(({{ place }}) => searching.logSoftmax(logits.get(place))));
      if (search.isDone()) return;
      for (const {{ place, parent, token }} of search.beams()) {{
        take(place, await engine.next(states.get(parent), token));
      }}
    }}
  }});
"""

Times = list[float | None]


def median(repeats: int, call: Callable[[], Any]) -> float:
    """The median milliseconds of a call, after three that do not count."""
    times = []
    for _ in range(repeats + 3):
        start = perf_counter()
        call()
        times.append(1000 * (perf_counter() - start))
    return statistics.median(times[3:])


def of_torch(model: Any, ids: list[int], repeats: int, *, traced: bool) -> Times:
    """A whole pass, and the last token with a cache."""
    run = (lambda *a, **o: trace(model, *a, **o)) if traced else model
    whole, last = torch.tensor([ids]), torch.tensor([ids[-1:]])
    times: Times = [median(repeats, lambda: run(whole)), None]
    if len(ids) > 1:
        cache = model.new_cache(1, len(ids))
        model(whole[:, :-1], cache=cache)

        def one_more() -> None:
            cache.rewind(len(ids) - 1)
            run(last, cache=cache)

        times[1] = median(repeats, one_more)
    return times


def translations(page: Page, folder: Path, repeats: int) -> None:
    """Print a line for greedy search and for four beams: in a worker, and in torch."""
    trained = course_translator()
    weights = Weights.of(trained.model, name="course-translator")
    write_site(folder, weights)
    source = trained.vocabulary.encode(SENTENCE)
    ends = (Vocabulary.sos_id, Vocabulary.eos_id)
    with SiteServer(folder) as server:
        open_client(page, server.url + "index.html")
        script(page, "window.searching = await load(x);", bundle("formulas/beam_search"))
        script(page, CONNECT, weights.in_page())
        print(f"\n{'Translator, a sentence':<28}{'worker':>10}{'torch':>10}")
        for name, k in (("greedy", 1), ("four beams", 4)):
            given = [source, k, MAX_WRITTEN, ends, repeats]
            here = script(page, TRANSLATE, given)
            there = median(repeats, lambda k=k: trained.translate([SENTENCE], num_beams=k))
            print(f"{name:<28}{here:10.1f}{there:10.1f}")


def throttle(page: Page, rate: float) -> None:
    """Slow the page's own thread down."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def show(name: str, rows: list[Times]) -> None:
    """A line for whole passes, and one for the next token after the others."""
    for kind, which in (("whole", 0), ("next", 1)):
        cells = "".join("       –" if row[which] is None else f"{row[which]:8.1f}" for row in rows)
        print(f"{name:<28}{kind:<6}{cells}")


CONTROLS: dict[str, tuple[dict[str, Any], str, list[str]]] = {
    # name: where the reader stands, what has the focus, and the keys in turn
    "token": ({}, "Token", ["ArrowLeft", "ArrowLeft", "ArrowRight"]),
    "temperature": ({}, "Temperature", ["ArrowLeft", "ArrowLeft", "ArrowRight"]),
    "drawing": ({}, ".gm-surface", ["ArrowLeft", "ArrowDown", "ArrowLeft", "ArrowRight"]),
    "zoom in and out": ({}, ".gm-surface", ["Enter", "Escape"]),
    "a layer's token": (
        {"selected": "layers.1"},
        "Token",
        ["ArrowLeft", "ArrowLeft", "ArrowRight"],
    ),
    "a head's map": ({"selected": "layers.1.heads.1"}, ".hm-map", ["ArrowUp", "ArrowLeft"]),
    "two texts' map": ({"selected": "compare"}, ".hm-map", ["ArrowUp", "ArrowRight"]),
    "taking a stream in": ({"selected": "compare"}, ".hm-map", ["Enter"]),
    "writing on": ({}, "Write on", ["Enter"]),
    "typing": ({}, "textarea", list(" the value of a")),
}


def busy(session: Any) -> float:
    """Return the milliseconds that the page's main thread has worked."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(1000 * each["value"] for each in metrics if each["name"] == "TaskDuration")


def control(page: Page, name: str, tokens: int, repeats: int) -> list[float]:
    """Return the milliseconds of work of each input to one control, on a text of so many tokens."""
    where, focus, keys = CONTROLS[name]
    trained = course_lm()
    text = trained.tokenizer.decode(trained.tokenizer.encode(TEXT)[1:tokens])
    glass = GlassModel(
        trained.model, trained.tokenizer, name="course-lm", prompt=text, other=text[4:], **where
    )
    with tempfile.TemporaryDirectory() as folder:
        (live,) = pages.open_page(page, Path(folder), glass)
        pages.put(page, temperature=1.1)  # the weights come
        live.locator(".pf-card:not(.gm-waits)").wait_for()
        card = live.locator(".pf-card").element_handle()  # to look for it costs the page some ms
        labelled = focus[0].isupper() and live.get_by_label(focus)
        button = live.get_by_role("button", name=focus)
        at = button if focus == "Write on" else labelled or live.locator(focus).first
        at.focus()
        page.keyboard.press("End")
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        work = []
        for number in range(repeats + 3):
            before = busy(session)
            page.keyboard.press(keys[number % len(keys)])
            page.wait_for_timeout(PAUSE)
            while card.evaluate("card => card.matches('.gm-waits')"):
                page.wait_for_timeout(PAUSE)
            work.append(busy(session) - before)
        return sorted(work[3:])


def controls(page: Page, repeats: int) -> bool:
    """Print a row for each control; return whether all stay within their limits."""
    lengths = (8, 32, 128)
    heads = "".join(f"{f'{n} tokens':>16}" for n in lengths)
    print(f"\n{'work in ms, 50th and 95th':<28}{heads}")
    good = True
    for name in CONTROLS:
        limit = TYPED if name in ("typing", "writing on") else FRAME
        cells = ""
        for tokens in lengths:
            work = control(page, name, tokens, repeats)
            high = work[int(0.95 * len(work))]
            good &= high <= limit
            cells += f"{work[len(work) // 2]:8.1f}{high:7.1f}{' ' if high <= limit else '!'}"
        print(f"{name:<28}{cells}   limit {limit:g}", flush=True)
    return good


def main() -> int:
    """Run the command line; return 1 where a limit is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--slowdown", type=float, default=6.0)
    parser.add_argument("--only", choices=["engine", "controls", "translator"])
    options = parser.parse_args()
    good = True
    chromium = find_browser(CHROMIUM)
    if chromium is None:
        print("no Chromium was found: run python tools/browsers.py", file=sys.stderr)
        return 1
    torch.set_num_threads(1)
    with sync_playwright() as playwright, tempfile.TemporaryDirectory() as folder:
        browser = launch(playwright, chromium)
        if options.only in (None, "controls"):
            good = controls(browser.new_page(), options.repeats)
        if options.only in (None, "translator"):
            translations(browser.new_page(), Path(folder), options.repeats)
        browser.close()
    if options.only in ("controls", "translator"):
        return int(not good)
    trained = course_lm()
    model, weights = trained.model, Weights.of(trained.model, name="course-lm")
    texts = [trained.tokenizer.encode(TEXT)[:length] for length in LENGTHS]
    code = len(str(weights.trait()["code"]).encode())
    print(
        f"\ncourse-lm: {len(weights.data):,} bytes of weights, {code:,} of code, both on demand\n"
    )
    print(f"{'milliseconds, medians':<34}" + "".join(f"{n:>8}" for n in LENGTHS) + "  tokens")

    found: dict[str, list[Times]] = {}
    with (
        torch.no_grad(),
        tempfile.TemporaryDirectory() as folder,
        sync_playwright() as playwright,
    ):
        write_site(Path(folder), weights)
        browser = launch(playwright, chromium)
        page = browser.new_page()
        with SiteServer(Path(folder)) as server:
            open_client(page, server.url + "index.html")
            arrival = [script(page, CONNECT, weights.in_page()) for _ in range(5)]

        def ask(body: str) -> list[Times]:
            return [script(page, body, [ids, options.repeats]) for ids in texts]

        found["in the worker"] = ask(IN_WORKER)
        open_model(page, model, "int8")
        found["in the page"] = ask(IN_PAGE)
        throttle(page, options.slowdown)
        slowed = f"in the page, {options.slowdown:g} times slower"
        found[slowed] = ask(IN_PAGE)
        browser.close()
        for name, traced in (("torch, trace", True), ("torch, fused", False)):
            found[name] = [of_torch(model, ids, options.repeats, traced=traced) for ids in texts]
    for name, rows in found.items():
        show(name, rows)
    print(f"\nweights: {arrival[0]:.0f} ms at first, {statistics.median(arrival[1:]):.0f} ms again")
    worst = max(row[1] or 0 for row in found["in the worker"])
    slow = max(row[1] or 0 for row in found[slowed])
    print(f"next token: {worst:.1f} ms (limit {LIMIT:g}), slowed {slow:.1f} ms ({SLOWED_LIMIT:g})")
    return int(not good or worst > LIMIT or (options.slowdown <= 6 and slow > SLOWED_LIMIT))


if __name__ == "__main__":
    sys.exit(main())
