"""Measure the engine that runs a model in the reader's page, beside torch on the same tokens.

    python benchmarks/glass.py [--repeats 31] [--slowdown 6]

*In the worker*: from the call of `engine.run` or `engine.next` to the steps in the page, every
one of the 55 that a trace of course-lm has, handed over from the worker. This is what a reader
waits for, but for the drawing.

*In the page*: the same computation without a worker and without the way back, first as fast as this
machine is, then slowed by Chromium's own throttle, which a worker does not feel.

*Torch*: `trace`, which keeps the same steps, and the model alone with its fused kernels, one
thread each.

*Next* is one more token after the others, with a cache. *Weights* are timed from the call of
`connect` on a page of a local server: the file, its checksum, and its numbers made wide.

Times are medians in milliseconds; the limits are for the next token, in a worker at full speed and
in a page slowed six times. Exit status 1 if one is exceeded. This is no part of the test run.
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
from tests.widgets.engine import open_client, open_model, script, write_site  # noqa: E402

from chromium import find_chromium, launch  # noqa: E402
from plainformer.blocks import trace  # noqa: E402
from plainformer.training.tasks import course_lm  # noqa: E402
from plainformer.widgets.engine import Weights  # noqa: E402

LENGTHS = (1, 16, 64, 128)
LIMIT, SLOWED_LIMIT = 20.0, 120.0  # milliseconds for one more token
TEXT = "The value of an expression is the object that its evaluation returns. " * 20

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


def throttle(page: Page, rate: float) -> None:
    """Slow the page's own thread down."""
    session = page.context.new_cdp_session(page)
    session.send("Emulation.setCPUThrottlingRate", {"rate": rate})


def show(name: str, rows: list[Times]) -> None:
    """A line for whole passes, and one for the next token after the others."""
    for kind, which in (("whole", 0), ("next", 1)):
        cells = "".join("       –" if row[which] is None else f"{row[which]:8.1f}" for row in rows)
        print(f"{name:<28}{kind:<6}{cells}")


def main() -> int:
    """Run the command line; return 1 where a limit is exceeded."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--repeats", type=int, default=31)
    parser.add_argument("--slowdown", type=float, default=6.0)
    options = parser.parse_args()
    torch.set_num_threads(1)
    trained = course_lm()
    model, weights = trained.model, Weights.of(trained.model, name="course-lm")
    texts = [trained.tokenizer.encode(TEXT)[:length] for length in LENGTHS]
    code = len(str(weights.trait()["code"]).encode())
    print(f"course-lm: {len(weights.data):,} bytes of weights, {code:,} of code, both on demand\n")
    print(f"{'milliseconds, medians':<34}" + "".join(f"{n:>8}" for n in LENGTHS) + "  tokens")

    found: dict[str, list[Times]] = {}
    chromium = find_chromium()
    if chromium is None:
        print("no Chromium was found: run python tools/chromium.py", file=sys.stderr)
        return 1
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
        open_model(page, model)
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
    return int(worst > LIMIT or (options.slowdown <= 6 and slow > SLOWED_LIMIT))


if __name__ == "__main__":
    sys.exit(main())
