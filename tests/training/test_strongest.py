"""The strongest places of units and heads: searched once more, and those that are shipped."""

import json
import math
from itertools import chain

import pytest
import torch

from plainformer.blocks import DecoderOnly, TransformerConfig, trace
from plainformer.training.strongest import strongest_places
from plainformer.training.tasks import course_lm, course_lm_stories, course_lm_strongest

CONFIG = TransformerConfig(
    family="decoder", vocab_size=11, d_model=8, n_layers=2, n_heads=2, d_ff=12, max_length=9
)


def texts(count: int) -> list[list[int]]:
    generator = torch.Generator().manual_seed(5)
    return [torch.randint(11, (3 + n,), generator=generator).tolist() for n in range(count)]


@pytest.mark.parametrize("count", [2, 6])
def test_each_place_is_the_strongest_of_its_text(count: int) -> None:
    model = DecoderOnly(CONFIG, rng=torch.Generator().manual_seed(1)).eval()
    given = texts(count)
    found = strongest_places(model, given)
    with torch.no_grad():
        steps = [trace(model, torch.tensor([text])) for text in given]
    for layer in range(2):
        for unit in range(12):
            rows = [each[f"layers.{layer}.feed_forward.activations"][0, :, unit] for each in steps]
            best = sorted((float(row.abs().max()) for row in rows), reverse=True)[:4]
            places = found["units"][layer][unit]
            assert [abs(value) for *_, value in places] == pytest.approx(best, abs=6e-4)
            assert len({n for n, *_ in places}) == len(places) == min(4, count)
            for n, t, value in places:
                assert value == pytest.approx(float(rows[n][t]), abs=6e-4)
        for head in range(2):
            maps = [each[f"layers.{layer}.attention.weights"][0, head] for each in steps]
            best = sorted(
                (max(float(m[t, s]) for t in range(len(m)) for s in range(1, t)) for m in maps),
                reverse=True,
            )[:4]
            places = found["heads"][layer][head]
            assert [weight for *_, weight in places] == pytest.approx(best, abs=6e-4)
            for n, t, s, weight in places:
                assert 0 < s < t and weight == pytest.approx(float(maps[n][t, s]), abs=6e-4)


def test_what_is_shipped_is_what_course_lm_does() -> None:
    """The strengths, to three decimals: another CPU may prefer another of two places alike."""
    lm = course_lm()
    read = [lm.tokenizer.encode(each)[: lm.model.config.max_length] for each in course_lm_stories()]
    shipped, again = json.loads(course_lm_strongest()), strongest_places(lm.model, read)
    assert shipped["texts"] == again["texts"] == read
    for kind in ("units", "heads"):
        pairs = zip(chain(*shipped[kind]), chain(*again[kind]), strict=True)
        for mine, theirs in pairs:
            strengths = [[abs(place[-1]) for place in places] for places in (mine, theirs)]
            assert strengths[0] == sorted(strengths[0], reverse=True) and len(mine) == 4
            assert all(map(math.isfinite, strengths[0]))
            assert strengths[0] == pytest.approx(strengths[1], abs=0.01)
