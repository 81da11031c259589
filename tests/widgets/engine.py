"""A page with the engine on it, and its steps as NumPy arrays beside those of torch."""

import base64
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from plainformer.blocks import DecoderOnly, EncoderDecoder
from plainformer.widgets.engine import Weights
from plainformer.widgets.engine.travel import FOLDER, engine_code, files_for
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

Steps = dict[str, np.ndarray]

PACK = """
  const pack = (steps) => Array.from(steps, ([name, { shape, data }]) => {
    const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    let letters = "";
    for (let i = 0; i < bytes.length; i += 8192) {
      letters += String.fromCharCode(...bytes.subarray(i, i + 8192));
    }
    return [name, shape, btoa(letters)];
  });
  const unpack = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const load = async (code) =>
    import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
"""


def packed(data: bytes) -> str:
    """Bytes as a script takes them."""
    return base64.b64encode(data).decode("ascii")


def read(steps: list[list[Any]]) -> Steps:
    """The steps that a script packed."""
    return {
        name: np.frombuffer(base64.b64decode(data), dtype=np.float32).reshape(shape)
        for name, shape, data in steps
    }


def script(page: "Page", body: str, argument: Any = None) -> Any:
    """What the body of an async function returns; it has `pack`, `unpack`, `load` and `x`."""
    return page.evaluate(f"async (x) => {{ {PACK} {body} }}", argument)


def open_model(page: "Page", model: DecoderOnly | EncoderDecoder, dtype: Any = "float16") -> None:
    """Put the engine and a model on the page, as `m` and `model`, without a worker."""
    data = packed(Weights.of(model, dtype=dtype).data)
    body = "await load(x[0]); window.m = plainformerEngine; window.model = m.load(unpack(x[1]));"
    script(page, body, [engine_code(), data])


def forward(page: "Page", ids: list[int], options: str = "{}") -> Steps:
    """All steps of the page's model; the options are written in JavaScript."""
    return read(script(page, f"return pack(m.forward(model, x, {options}));", ids))


def as_numpy(steps: dict[str, torch.Tensor]) -> Steps:
    """A trace without its batch."""
    return {name: step[0].detach().numpy() for name, step in steps.items()}


def check_same(found: Steps, wanted: Steps, atol: float = 1e-4) -> None:
    """The same names in the same order, the same shapes, the same numbers.

    Numbers of a hundred and more may differ by a few more units of their last place.
    """
    assert list(found) == list(wanted)
    for name, step in wanted.items():
        assert found[name].shape == step.shape, name
        np.testing.assert_allclose(found[name], step, rtol=2e-6, atol=atol, err_msg=name)


def write_files(folder: Path, html: str) -> None:
    """The files that a page's widgets load on demand, where the site has them."""
    (folder / FOLDER).mkdir()
    for name, data in files_for(html).items():
        (folder / FOLDER / name).write_bytes(data)


def write_site(folder: Path, weights: Weights) -> Path:
    """A page of a site: the mark of its host, the engine's files, and the client as `client`."""
    write_files(folder, json.dumps({"weights": weights.in_page()}, separators=(",", ":")))
    (folder / "kit").mkdir()
    (folder / "kit" / "kit.js").write_text("")
    page = folder / "index.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Engine</title>'
        '<link rel="icon" href="data:,"><script src="kit/kit.js"></script><body></body></html>'
    )
    return page


def open_client(page: "Page", address: str) -> None:
    """Open a page of `write_site` with the client in it."""
    page.goto(address)
    script(page, "window.client = await load(x);", bundle("engine/client"))
