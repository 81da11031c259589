"""Where GlassModel says that numbers come from, held against torch, down to the parameters."""

import importlib
import re
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from tests.widgets.engine import open_model, script
from tests.widgets.glass import computed, glass, random_decoder
from tests.widgets.pages import FRAME, bundled, open_page, put, trait
from torch import Tensor

from plainformer.blocks import DecoderOnly, trace
from plainformer.inputs import BPETokenizer, rope_angles
from plainformer.widgets import GlassModel
from plainformer.widgets.glass_model.selection import BETWEEN, NUMBERS, PARAMETERS, check_selected

if TYPE_CHECKING:
    from playwright.sync_api import Page

ROOT = Path(__file__).parents[2]
SIZES: dict[str, Any] = {"d_model": 16, "n_layers": 2, "n_heads": 4, "d_ff": 24}
SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}
MODELS: dict[str, dict[str, Any]] = {
    "as course-lm": {"norm": "rms", "positions": "rope", "activation": "swiglu",
                     "attention_bias": False, "ff_bias": False},
    "as Llama": {"norm": "rms", "positions": "rope", "activation": "swiglu", "n_kv_heads": 2,
                 "position_layout": "half", "rope_scaling": SCALING, "tied": False},
    "as GPT-2": {"positions": "learned", "max_length": 40, "head_bias": True},
    "after the sum": {"norm_place": "post", "activation": "relu", "scale_embedding": True},
    "ALiBi, after the sum": {"norm_place": "post", "norm": "rms", "positions": "alibi"},
    "as BLOOM": {"positions": "alibi", "norm_embedding": True, "activation": "gelu_tanh",
                 "n_segments": 2},
    "without positions": {"positions": None, "norm_place": "post", "activation": "silu"},
}  # fmt: skip

WALK = """
  const [origin, places] = [await load(x.origin), await load(x.selection)];
  const steps = m.forward(model, x.ids);
  const tensor = (name) => model.tensors.get(name) ?? null;
  const given = { steps, tensor, config: x.config, ids: x.ids, positions: true };
  const [queue, met, found] = [[x.start], {}, []];
  while (queue.length) {
    const place = queue.shift();
    const at = places.read(place, x.config, x.ids.length);
    met[at.name] = (met[at.name] ?? 0) + 1;
    if (met[at.name] > 4) continue;
    const made = origin.explain(at, given);
    const size = (row) => Math.abs(row.value);
    const sorted = made.rows.toSorted((a, b) => size(b) - size(a));
    const rows = [...sorted.slice(0, 3), ...sorted.slice(-2), ...made.rows.slice(-2)];
    const factors = rows.flatMap((row) => row.factors).filter((each) => each.to);
    queue.push(...factors.map((each) => each.to), ...(made.also ?? []).map((each) => each.to));
    const sum = made.rows.reduce((total, each) => total + each.value, 0);
    const product = made.rows.every(({ factors: list, value }) => made.shares ||
      Math.abs(list.reduce((p, each) => p * each.value, 1) - value) < 1e-9);
    const { value, says, by, chapter, shares = false } = made;
    found.push({ place, general: at.general, value, says, by, chapter, shares, sum, product,
      leaf: made.rows.length === 0,
      factors: factors.map((each) => [each.to, each.of ?? each.value]) });
  }
  return found;
"""


def truth(model: DecoderOnly, ids: list[int]) -> dict[str, Tensor]:
    """Every number of a model by its name: a trace, what stands between, and the parameters."""
    with torch.no_grad():
        steps = {name: step[0] for name, step in trace(model, torch.tensor([ids])).items()}
    config = model.config.resolved()
    known = {**dict(model.named_parameters()), **steps}
    if config.positions == "rope":
        rope = {"rope_theta": config.rope_theta, "rope_scaling": config.rope_scaling}
        known["angles"] = torch.tensor(rope_angles(len(ids), config.d_head, **rope))  # type: ignore[arg-type]
    norms: dict[str, Tensor] = {}
    for i, layer in enumerate(model.layers):
        here = f"layers.{i}"
        x = steps["embedding"] if i == 0 else steps[f"layers.{i - 1}.residual_2"]
        post = config.norm_place == "post"
        read_1 = x if post else steps[f"{here}.norm_1"]
        read_2 = steps[f"{here}.{'residual_1' if post else 'norm_2'}"]
        between = steps[f"{here}.residual_1"]
        if post:
            norms[f"{here}.norm_1"] = x + steps[f"{here}.attention.output"]
            norms[f"{here}.norm_2"] = between + steps[f"{here}.feed_forward.output"]
        else:
            norms |= {f"{here}.norm_1": x, f"{here}.norm_2": between}
        for name, heads in (("queries", config.n_heads), ("keys", config.n_kv_heads)):
            made = getattr(layer.attention, f"w_{name[0]}")(read_1)
            split = made.view(len(ids), heads, -1).transpose(0, 1)
            known[f"{here}.attention.{name}.unturned"] = split
        known[f"{here}.feed_forward.up"] = layer.feed_forward.w_up(read_2)
        if config.activation == "swiglu":
            known[f"{here}.feed_forward.gate"] = layer.feed_forward.w_gate(read_2)
        last = steps[f"{here}.residual_2"]
    if config.norm_place != "post":
        norms["norm"] = last
    if config.norm_embedding:
        place = {"tokens": torch.tensor(ids), "segments": torch.zeros(len(ids), dtype=torch.long)}
        tables = {name: known[f"embedding.{name}"][each] for name, each in place.items()}
        norms["embedding.norm"] = known["embedding.sum"] = sum(tables.values())  # type: ignore[assignment]
    for name, x in norms.items():
        known[f"{name}.sum"] = x
        known[f"{name}.mean"] = x.mean(-1)
        middle = 0 if config.norm == "rms" else x.mean(-1, keepdim=True)
        known[f"{name}.variance"] = ((x - middle) ** 2).mean(-1) + config.norm_eps
    known["probabilities"] = steps["logits"].softmax(-1)
    if config.norm == "rms" and config.norm_place == "pre":
        known |= attributions(model, steps, known["norm.variance"])
    return {name: each.detach() for name, each in known.items()}


def attributions(
    model: DecoderOnly, steps: dict[str, Tensor], variance: Tensor
) -> dict[str, Tensor]:
    """What each part of a model adds to each logit, with the norm and the table as they are."""

    def read(written: Tensor) -> Tensor:  # (..., T, D) to (..., T, V)
        return (written / variance.sqrt()[:, None] * model.norm.gamma) @ model.head.table.mT

    logits = steps["logits"]
    found = {
        "embedding.attributions": read(steps["embedding"]),
        "logits.products": logits,
        "logits.difference": logits[:, :, None] - logits[:, None, :],
    }
    for i, layer in enumerate(model.layers):
        K = steps[f"layers.{i}.attention.heads"].shape[-1]
        parts = layer.attention.w_o.weight.split(K, dim=1)  # (D, K) for each head
        heads = steps[f"layers.{i}.attention.heads"]
        each = [read(head @ part.mT) for head, part in zip(heads, parts, strict=True)]
        found[f"layers.{i}.attention.attributions"] = torch.stack(each)
        written = steps[f"layers.{i}.feed_forward.output"]
        found[f"layers.{i}.feed_forward.attributions"] = read(written)
    return found


def at(known: dict[str, Tensor], place: str) -> float:
    name, index = re.fullmatch(r"(.+)\[(.+)\]", place).groups()  # type: ignore[union-attr]
    return known[name][tuple(map(int, index.split(", ")))].item()


def exists(name: str) -> bool:
    """Whether the package has something of this name."""
    package, *rest = name.removeprefix("plainformer.").split(".")
    found = importlib.import_module(f"plainformer.{package}")
    return callable(reduce(getattr, rest, found))


@pytest.mark.parametrize("name", MODELS)
def test_from_a_logit_down_to_the_parameters_all_is_torch_s(page: "Page", name: str) -> None:
    tokenizer = BPETokenizer.train("your cat is a lovely cat", vocab_size=260)
    model = random_decoder(260, **(SIZES | MODELS[name])).eval()
    with torch.no_grad():
        for each in model.parameters():  # no bias or gain that could be left out unseen
            each += 0.1 * torch.randn(each.shape, generator=torch.Generator().manual_seed(2))
    ids = [5, 17, 200, 259, 17, 3]
    config = GlassModel(model, tokenizer).data["config"]
    open_model(page, model, "float32")
    given = {
        "origin": bundled("glass_model/origin"),
        "selection": bundled("glass_model/selection"),
        "ids": ids,
        "config": config,
        "start": "logits[5, 17]",
    }
    found = script(page, WALK, given)
    known = truth(model, ids)
    for each in found:
        place = each["place"]
        assert check_selected(place, model.config) == place
        assert each["value"] == pytest.approx(at(known, place), abs=1e-4), place
        assert each["product"], place
        if not each["leaf"]:
            goal = 1 if each["shares"] else each["value"]
            assert each["sum"] == pytest.approx(goal, abs=1e-4), place
        for to, value in each["factors"]:
            assert value == pytest.approx(at(known, to), abs=1e-4), (place, to)
        assert exists(each["by"]), each["by"]
        assert (ROOT / "book" / f"{each['chapter']}.md").is_file()
        assert each["leaf"] == (each["general"] in PARAMETERS), place

    general = {re.sub(r"^layers\.\d+", "layers", name) for name in known}
    reached = {each["general"] for each in found}
    wanted = general & {*NUMBERS, *PARAMETERS}  # all of them: nothing ends before
    assert wanted <= reached, wanted - reached
    assert reached <= general & {*NUMBERS, *BETWEEN, *PARAMETERS}


def test_a_walk_by_keyboard_ends_at_a_parameter(page: "Page", tmp_path: Path) -> None:
    widget = glass(prompt="your cat is a lovely")
    (live,) = open_page(page, tmp_path, widget)
    known = truth(widget.model, widget.ids)
    put(page, selected="logits.products[5, 318]")
    live.locator(".gm-part").first.wait_for()
    live.locator(".gm-surface").focus()
    went = ["logits.products[5, 318]"]
    while ".weight[" not in went[-1]:
        page.keyboard.press("End" if "residual" in went[-1] else "Home")  # what was written last
        if ".gate[" in went[-1]:
            page.keyboard.press("ArrowRight")  # from what was read to what it is multiplied by
        page.keyboard.press("Enter")
        page.evaluate(FRAME)
        computed(live)
        page.wait_for_function(
            "place => document.querySelector('.gm-value').textContent.startsWith(place + ' = ')",
            arg=trait(page, "selected"),
        )
        went.append(trait(page, "selected"))
        assert len(went) < 40, went
        printed = live.locator(".gm-value").inner_text().split(" = ")[1].replace("−", "-")
        assert float(printed) == pytest.approx(at(known, went[-1]), abs=6e-4)
    said = live.locator(".gm-how").inner_text()
    assert "learned in training" in said
    assert "gm-surface" in str(page.evaluate("document.activeElement.className"))
    for _ in went[1:]:
        page.keyboard.press("Escape")
        page.evaluate(FRAME)
    assert trait(page, "selected") == "logits.products[5, 318]"

    page.keyboard.press("End")  # the parts that are too small for a row of their own
    page.keyboard.press("Enter")
    page.evaluate(FRAME)
    assert live.locator(".gm-part").count() == widget.model.config.d_model


def test_a_logit_opens_as_what_each_part_of_the_model_adds(page: "Page", tmp_path: Path) -> None:
    widget = glass(prompt="your cat is a lovely")
    (live,) = open_page(page, tmp_path, widget)
    known = truth(widget.model, widget.ids)
    best, second = known["logits"][5].topk(2).indices.tolist()
    put(page, selected=f"logits[5, {best}]")
    live.locator(".gm-part").first.wait_for()
    assert live.locator(".gm-part").count() == 1 + 4 * (4 + 1)
    values = [
        float(each.replace("−", "-"))
        for each in live.locator(".gm-part .gm-share").all_inner_texts()
    ]
    assert values[0] == pytest.approx(at(known, f"embedding.attributions[5, {best}]"), abs=6e-4)
    assert sum(values) == pytest.approx(at(known, f"logits[5, {best}]"), abs=0.02)
    live.get_by_text("compare with").click()
    page.evaluate(FRAME)
    assert trait(page, "selected") == f"logits.difference[5, {best}, {second}]"
    gap = at(known, f"logits.difference[5, {best}, {second}]")
    printed = live.locator(".gm-value").inner_text().split(" = ")[1].replace("−", "-")
    assert float(printed) == pytest.approx(gap, abs=6e-4)


@pytest.mark.parametrize(
    "options",
    [
        {"off": ["2"]},
        {"off": ["0.1", "3"]},
        {"other": "your dog is a lovely", "patched": [1, 2]},
        {"other": "your dog is a lovely", "patched": [1, 5]},
        {"other": "your dog is a lovely", "patched": [3, 5], "off": ["2.1"]},
    ],
    ids=str,
)
def test_a_logit_under_an_experiment_is_never_explained_by_what_was_not_written(
    page: "Page", tmp_path: Path, options: dict[str, Any]
) -> None:
    widget = glass(prompt="your cat is a lovely", **options)
    (live,) = open_page(page, tmp_path, widget)
    logits = widget.steps["logits"][0, 5]
    best, second = logits.topk(2).indices.tolist()
    for selected, value in (
        (f"logits[5, {best}]", logits[best]),
        (f"logits.difference[5, {best}, {second}]", logits[best] - logits[second]),
    ):
        put(page, selected=selected)
        computed(live)
        live.locator(".gm-part").first.wait_for()
        printed = live.locator(".gm-value").inner_text().split(" = ")[1].replace("−", "-")
        assert float(printed) == pytest.approx(float(value), abs=2e-3), selected
        assert "switched off" not in live.locator(".gm-how").inner_text()
        shares = live.locator(".gm-part .gm-share").all_inner_texts()
        total = sum(float(each.replace("−", "-")) for each in shares)
        assert total == pytest.approx(float(value), abs=0.02), selected
        # A stream that was taken in is one part, in the place of all that came before it.
        layer, token = widget.patched or [None, None]
        taken = live.get_by_text(f"the second text’s stream after layer {(layer or 0) + 1}").count()
        assert taken == (token == 5)
        assert len(shares) == (1 + 5 * (3 - layer) if taken else 1 + 4 * (4 + 1))


def test_the_stream_after_one_that_was_taken_in_is_what_was_added_to_it(
    page: "Page", tmp_path: Path
) -> None:
    widget = glass(prompt="your cat is a lovely", other="your dog is a lovely", patched=[1, 5])
    (live,) = open_page(page, tmp_path, widget)
    put(page, selected="layers.3.residual_1[5, 9]")
    computed(live)
    live.locator(".gm-part").first.wait_for()
    names = live.locator(".gm-part small").all_inner_texts()
    assert names == [
        "the second text’s stream", "layer 3, attention", "layer 3, feed-forward",
        "layer 4, attention",
    ]  # fmt: skip
    shares = live.locator(".gm-part .gm-share").all_inner_texts()
    total = sum(float(each.replace("−", "-")) for each in shares)
    wanted = widget.steps["layers.3.residual_1"][0, 5, 9].item()
    assert total == pytest.approx(wanted, abs=3e-3)
    assert "taken from the second text" not in live.locator(".gm-how").inner_text()


@pytest.mark.parametrize("temperature", [1, 2.5])
def test_from_a_logit_to_its_probability_and_back(
    page: "Page", tmp_path: Path, temperature: float
) -> None:
    widget = glass(prompt="your cat is a lovely", temperature=temperature)
    (live,) = open_page(page, tmp_path, widget)
    live.locator(".gm-bar").first.click()
    page.evaluate(FRAME)
    logit = str(trait(page, "selected"))
    computed(live)
    live.get_by_text("its probability, by softmax").click()
    page.evaluate(FRAME)
    assert trait(page, "selected") == logit.replace("logits", "probabilities")
    computed(live)
    printed = live.locator(".gm-value").inner_text().split(" = ")[1]
    assert float(printed) == pytest.approx(widget.probabilities.max(), abs=6e-4)
    shares = live.locator(".gm-part .gm-share").all_inner_texts()
    total = sum(float(each) for each in shares if "e" not in each)
    assert total == pytest.approx(1, abs=6e-3)
    assert ("temperature" in live.locator(".gm-how").inner_text()) == (temperature != 1)
    live.locator(".gm-part.gm-here .gm-asks").click()  # its logit, which it is made of
    page.evaluate(FRAME)
    assert trait(page, "selected") == logit


def test_what_each_part_adds_is_only_asked_of_models_in_which_it_is_a_sum() -> None:
    config = random_decoder(260, n_layers=1, n_heads=1).config  # LayerNorm
    for place in ("logits.difference[0, 1, 2]", "layers.0.attention.attributions[0, 0, 1]"):
        with pytest.raises(ValueError, match="selected must be"):
            check_selected(place, config)
    assert check_selected("logits.products[0, 1]", config)
