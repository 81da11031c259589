"""How a page gets the engine and talks to it: from a server, from a disk, and from Jupyter."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tests.site.server import SiteServer
from tests.widgets.engine import (
    as_numpy,
    check_same,
    open_client,
    packed,
    read,
    script,
    write_site,
)

from plainformer.blocks import DecoderOnly, trace
from plainformer.training.tasks import course_lm
from plainformer.widgets.engine import Weights
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

IDS = [5, 17, 300, 9]
CONNECT = """
  const told = [];
  const onProgress = (got, size) => told.push([got, size]);
  const weights = x;
"""


@pytest.fixture(scope="module")
def model() -> DecoderOnly:
    return course_lm().model


@pytest.fixture(scope="module")
def weights(model: DecoderOnly) -> Weights:
    return Weights.of(model, name="course-lm")


@pytest.fixture(scope="module")
def wanted(model: DecoderOnly) -> Any:
    with torch.no_grad():
        return as_numpy(trace(model, torch.tensor([IDS])))


def run_once(page: "Page", in_page: Any) -> tuple[Any, bool, list[list[int]]]:
    """Connect, read the ids, and stop: the steps, whether a worker did it, what progress said."""
    body = f"""{CONNECT}
      const engine = await client.connect({{ weights, onProgress }});
      const steps = await engine.run({IDS});
      engine.stop();
      return [pack(steps), engine.isWorker, told];
    """
    steps, is_worker, told = script(page, body, in_page)
    return read(steps), is_worker, told


@pytest.mark.parametrize("how", ["http", "file"])
def test_the_weights_come_from_a_site(
    page: "Page", tmp_path: Path, weights: Weights, wanted: Any, how: str
) -> None:
    address = write_site(tmp_path, weights).as_uri()
    with SiteServer(tmp_path) as server:
        open_client(page, server.url + "index.html" if how == "http" else address)
        assert len(server.responses) <= 2, "nothing is loaded before it is asked for"
        steps, is_worker, told = run_once(page, weights.in_page())
    check_same(steps, wanted)
    size = len(weights.data)
    assert is_worker
    assert told[0] == [0, size]
    assert told[-1] == [size, size]
    assert [got for got, _ in told] == sorted(got for got, _ in told)


def test_they_come_from_jupyter_without_a_site(page: "Page", weights: Weights, wanted: Any) -> None:
    script(page, "window.client = await load(x);", bundle("engine/client"))
    body = f"""
      const bytes = unpack(x[0]);
      const data = new DataView(bytes.buffer); // as a kernel's bytes come
      const weights = {{ data, size: bytes.length, code: x[1] }};
      const engine = await client.connect({{ weights }});
      const steps = await engine.run({IDS});
      const again = await client.connect({{ weights }});
      engine.stop();
      again.stop();
      return pack(steps);
    """
    alone = failing(page, weights)  # a page that names files, away from the site that has them
    assert alone == "This page came without the model's weights. The course's site has them."
    trait = weights.trait()
    check_same(read(script(page, body, [packed(trait["data"]), trait["code"]])), wanted)


@pytest.mark.parametrize("broken", ["throws", "errs"])
def test_without_a_worker_the_page_computes_in_slices(
    page: "Page", tmp_path: Path, weights: Weights, wanted: Any, broken: str
) -> None:
    open_client(page, write_site(tmp_path, weights).as_uri())
    script(
        page,
        """window.Worker = class {
          constructor() {
            if (x === "throws") throw new DOMException("no", "SecurityError");
            setTimeout(() => this.onerror({}));
          }
          terminate() {}
        };""",
        broken,
    )
    steps, is_worker, _ = run_once(page, weights.in_page())
    assert not is_worker
    check_same(steps, wanted)


def test_the_next_token_goes_on_from_a_state(
    page: "Page", tmp_path: Path, weights: Weights, model: DecoderOnly
) -> None:
    """From one state twice, and with the switches of the run."""
    open_client(page, write_site(tmp_path, weights).as_uri())
    body = f"""{CONNECT}
      const engine = await client.connect({{ weights }});
      const first = await engine.run({IDS}, {{ hidden: [1] }});
      const seven = await engine.next(first.state, 7);
      const eight = await engine.next(seven.state, 8);
      for (let i = 0; i < 20; i += 1) await engine.next(first.state, i); // it stays, being used
      const nine = await engine.next(first.state, 9);
      const dropped = await engine.next(seven.state, 8).catch((error) => error.message);
      const whole = await engine.run([...{IDS}, 7, 8], {{ hidden: [1] }});
      const other = await engine.run([...{IDS}, 9], {{ hidden: [1] }});
      const lens = await engine.lens(whole, 1);
      const table = await engine.tensor("embedding.tokens");
      const failed = await engine.run([2400]).catch((error) => error.message);
      const lost = await engine.next({{ number: 999 }}, 1).catch((error) => error.message);
      const last = (steps) => Array.from(steps.get("logits").data.slice(-2400));
      engine.stop();
      return [[eight, whole, nine, other].map(last), eight.state.length, lens.shape, table.shape,
        engine.config.d_model, engine.shapes.get("norm.gamma"), failed, lost, dropped];
    """
    found = script(page, body, weights.in_page())
    (eight, whole, nine, other), length, lens, table, width, gamma, failed, lost, dropped = found
    torch.testing.assert_close(torch.tensor(eight), torch.tensor(whole), rtol=0, atol=1e-5)
    torch.testing.assert_close(torch.tensor(nine), torch.tensor(other), rtol=0, atol=1e-5)
    assert (length, lens, table, width, gamma) == (6, [6, 2400], [2400, 128], 128, [128])
    assert failed == "ids must be from 0 to 2399; got 2400"
    assert lost == dropped == "this text is no longer kept: read it again"


def test_a_newer_run_overtakes_one_that_waits(
    page: "Page", tmp_path: Path, weights: Weights
) -> None:
    open_client(page, write_site(tmp_path, weights).as_uri())
    body = f"""{CONNECT}
      const engine = await client.connect({{ weights }});
      const all = await Promise.all([1, 2, 3, 4].map((id) => engine.run([id])));
      const busy = engine.run([5]);
      engine.stop();
      const late = engine.run([6]);
      return [all.map((steps) => steps !== null), await busy, await late];
    """
    ran, busy, late = script(page, body, weights.in_page())
    assert ran[-1] is True
    assert ran[1:-1] == [False, False]
    assert (busy, late) == (None, None)


def test_what_arrives_damaged_is_said_and_can_be_tried_again(
    browser: "Browser", tmp_path: Path, weights: Weights, wanted: Any
) -> None:
    """A bit that is wrong, half a file, none: from a server, whose answers the browser keeps."""
    write_site(tmp_path, weights)
    file = tmp_path / "weights" / f"{weights.file}.bin"
    wrong = bytearray(weights.data)
    wrong[700_000] ^= 1
    context = browser.new_context()
    page = context.new_page()  # not `page`: a missing file is an error of its console
    with SiteServer(tmp_path) as server:
        open_client(page, server.url + "index.html")
        for damage in (bytes(wrong), weights.data[:1000], b"", None):
            if damage is None:
                file.unlink()
            else:
                file.write_bytes(damage)
            said = failing(page, weights)
            assert "again" in said
            assert ("404" in said) == (damage is None)
        file.write_bytes(weights.data)
        steps, _, _ = run_once(page, weights.in_page())
        check_same(steps, wanted)
    context.close()


def test_a_damaged_script_is_said_too(browser: "Browser", tmp_path: Path, weights: Weights) -> None:
    address = write_site(tmp_path, weights).as_uri()
    file = tmp_path / "weights" / f"{weights.file}.js"
    whole = file.read_text()
    context = browser.new_context()
    page = context.new_page()
    open_client(page, address)
    for damage in (whole[:5000], whole.replace("A", "B", 1), whole.replace("A", "?", 1), None):
        if damage is None:
            file.unlink()
        else:
            file.write_text(damage)
        assert "again" in failing(page, weights)
    file.write_text(whole)
    run_once(page, weights.in_page())
    context.close()


def failing(page: "Page", weights: Weights) -> str:
    """What a connection says that must fail."""
    body = "return client.connect({ weights: x }).then(() => '', (error) => error.message);"
    said: str = script(page, body, weights.in_page())
    assert said
    return said
