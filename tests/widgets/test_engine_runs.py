"""Training runs in the page: from a server, from a disk, without a worker, and interrupted."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.site.server import SiteServer
from tests.widgets.engine import read, script, write_files

from plainformer.blocks import DecoderOnly, TransformerConfig
from plainformer.widgets.engine import files_for, trainer_in_page, trainer_trait
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

TEXT = "the cat sat on the mat, and the dog sat on the cat. " * 4
BEGIN = f"""
  const run = {{ text: {json.dumps(TEXT)}, seed: 3 }};
  const options = {{ learningRate: 0.005 }};
  const flat = ([name, data]) => [name, {{ shape: [data.length], data }}];
  const bits = ({{ step, losses, checkpoint }}) =>
    [step, losses, pack(Array.from(checkpoint.weights, flat))];
"""


@pytest.fixture
def trainer(page: "Page") -> "Page":
    """A page with a session as `t`, and what makes another as `newSession`."""
    body = "await load(x); window.newSession = plainformerTraining.makeSession;"
    script(page, f"{body} window.t = newSession();", trainer_trait()["code"])
    return page


def site(folder: Path) -> Path:
    """A page of a site with the trainer's files, and the mark of its host."""
    write_files(folder, json.dumps({"engine": trainer_in_page()}, separators=(",", ":")))
    (folder / "kit").mkdir()
    (folder / "kit" / "kit.js").write_text("")
    page = folder / "index.html"
    page.write_text(
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Training</title>'
        '<link rel="icon" href="data:,"><script src="kit/kit.js"></script><body></body></html>'
    )
    return page


def open_client(page: "Page", address: str) -> None:
    """Open a page with the client as `client`."""
    page.goto(address)
    script(page, "window.client = await load(x);", bundle("engine/training_client"))


def test_a_new_model_is_one_of_ours(trainer: "Page") -> None:
    """The same names and shapes as torch's, and weights of the same spread."""
    body = """
      const sizes = { vocab_size: 40, d_model: 36, n_layers: 2, n_heads: 4, d_ff: 144 };
      const { config, tensors } = plainformerTraining.newModel(sizes, 7);
      const again = plainformerTraining.newModel(sizes, 7);
      return [config, pack(tensors), pack(again.tensors)];
    """
    config, first, second = script(trainer, body)
    assert first == second
    found = read(first)
    torchs = DecoderOnly(TransformerConfig(**config))
    wanted = {name: each.detach().numpy() for name, each in torchs.named_parameters()}
    assert {n: each.shape for n, each in found.items()} == {n: w.shape for n, w in wanted.items()}
    for name, weights in wanted.items():
        assert found[name].std() == pytest.approx(weights.std(), rel=0.1), name
    assert 30_000 <= sum(each.size for each in found.values()) <= 100_000


def test_a_run_learns_its_text(trainer: "Page") -> None:
    """And writes words of it; each option makes a difference."""
    body = f"""{BEGIN}
      const begun = t.begin(run);
      const untrained = t.write({{ length: 40 }});
      const {{ losses }} = t.train({{ steps: 120, options }});
      const written = t.write({{ length: 200 }});
      const seen = t.attention({{ text: "the cat", layer: 1 }});
      const ways = [{{ residuals: false }}, {{ learningRate: 0.5 }}];
      const others = ways.map((more) => {{
        t.begin(run);
        return t.train({{ steps: 60, options: {{ ...options, ...more }} }}).losses;
      }});
      return [begun.vocabulary, untrained, losses, written, seen.tokens,
        pack([["attention", seen.attention]]), others];
    """
    vocabulary, untrained, losses, written, tokens, attention, others = script(trainer, body)
    assert vocabulary == len(set(TEXT))
    assert losses[0] == pytest.approx(np.log(vocabulary), rel=0.3)
    assert losses[-1] < 0.3 * losses[0]
    words = set(TEXT.replace(",", "").replace(".", "").split())
    share = np.mean([word.strip(".,") in words for word in written.split()])
    assert share > 0.7
    assert written[0] == untrained[0] == TEXT[0]
    assert tokens == list("the cat")
    weights = read(attention)["attention"]
    assert weights.shape == (4, 7, 7)
    np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
    assert (np.triu(weights, 1) == 0).all()
    no_residuals, fast = (np.mean(each[-10:]) for each in others)
    usual = np.mean(losses[50:60])
    assert no_residuals > 1.1 * usual
    assert fast > 1.2 * usual


def test_without_the_mask_what_cannot_be_predicted_is_copied(trainer: "Page") -> None:
    """Random letters have nothing to learn; who sees the next one needs no learning."""
    letters = "".join(np.random.default_rng(2).choice(list("abcdefgh"), 2000))
    body = """
      t.begin({ text: x[0], seed: 0 });
      return t.train({ steps: 200, options: { learningRate: 0.005, causal: x[1] } }).losses;
    """
    usual, peeking = (np.mean(script(trainer, body, [letters, c])[-10:]) for c in (True, False))
    assert usual > 0.95 * np.log(8)
    assert peeking < 0.7 * usual


def test_a_run_that_was_interrupted_is_the_same_run(trainer: "Page") -> None:
    """Bit for bit: in slices, and from a checkpoint in another session."""
    body = f"""{BEGIN}
      t.begin(run);
      const straight = bits(t.train({{ steps: 6, options }}));
      const first = newSession();
      first.begin(run);
      const half = first.train({{ steps: 2, options }});
      first.write({{ length: 9 }});
      const third = first.train({{ steps: 1, options }});
      const second = newSession();
      second.resume(structuredClone(third.checkpoint));
      const rest = second.train({{ steps: 3, options }});
      const losses = [...half.losses, ...third.losses, ...rest.losses];
      return [straight, bits({{ ...rest, losses }})];
    """
    straight, sliced = script(trainer, body)
    assert straight == sliced
    assert straight[0] == 6


@pytest.mark.parametrize("how", ["http", "file"])
def test_a_worker_that_breaks_down_loses_nothing(page: "Page", tmp_path: Path, how: str) -> None:
    """From a server and from a disk; another worker goes on, and the losses are the same."""
    address = site(tmp_path).as_uri()
    body = f"""{BEGIN}
      const workers = [];
      window.Worker = class extends Worker {{
        constructor(address) {{ super(address); workers.push(this); }}
      }};
      const breakDown = () => {{ workers.at(-1).terminate(); workers.at(-1).onerror({{}}); }};
      const losses = [];
      const trainer = await client.connect({{ code: x }});
      await trainer.begin(run);
      losses.push(...(await trainer.train({{ steps: 2, options }})).losses);
      const waiting = trainer.train({{ steps: 2, options }});
      breakDown(); // in the middle of a slice
      losses.push(...(await waiting).losses);
      breakDown(); // between two
      await trainer.write({{ length: 5 }});
      const last = await trainer.train({{ steps: 2, options }});
      losses.push(...last.losses);
      trainer.stop();
      const other = await client.connect({{ code: x }});
      await other.begin(run);
      const straight = await other.train({{ steps: 6, options }});
      other.stop();
      return [bits({{ ...last, losses }}), bits(straight), workers.length, trainer.isWorker];
    """
    with SiteServer(tmp_path) as server:
        open_client(page, server.url + "index.html" if how == "http" else address)
        broken, straight, workers, is_worker = script(page, body, trainer_in_page())
    assert broken == straight
    assert workers == 4
    assert is_worker


def test_in_jupyter_and_without_a_worker(page: "Page") -> None:
    """The code is in the trait, and the page takes the same steps by itself."""
    script(page, "window.client = await load(x);", bundle("engine/training_client"))
    body = f"""{BEGIN}
      const losses = async () => {{
        const trainer = await client.connect({{ code: x }});
        await trainer.begin(run);
        const found = await trainer.train({{ steps: 3, options }});
        trainer.stop();
        return [trainer.isWorker, found.losses];
      }};
      const there = await losses();
      const refuse = () => {{ throw new DOMException("no", "SecurityError"); }};
      window.Worker = class {{ constructor() {{ refuse(); }} }};
      return [there, await losses()];
    """
    (there, first), (here, second) = script(page, body, trainer_trait())
    assert (there, here) == (True, False)
    assert first == second


def test_what_cannot_be_trained_on_is_refused(trainer: "Page") -> None:
    body = """
      try { t.begin({ text: "x".repeat(33), seed: 0 }); } catch (error) { return error.message; }
    """
    assert script(trainer, body) == "a text must have more than 33 characters; got 33"


def test_rare_characters_share_a_place(trainer: "Page") -> None:
    """A text in many scripts: its vocabulary stays small, and what is rare is one token."""
    text = "the cat sat. " * 20 + "".join(chr(0x4E00 + i) for i in range(300)) + "👩"
    body = """
      const begun = t.begin({ text: x, seed: 0 });
      t.train({ steps: 1, options: { learningRate: 0.01 } });
      return [begun.vocabulary, Array.from(t.write({ length: 30 })).length];
    """
    assert script(trainer, body, text) == [161, 30]


def test_an_outdated_trainer_is_noticed() -> None:
    state: dict[str, Any] = {"code": "training-00000000"}
    with pytest.raises(ValueError, match="execute the page anew"):
        files_for(json.dumps(state, separators=(",", ":")))
