"""GenerateBox in Chromium tokenises, counts, weighs and draws as Python does."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from tests.awkward import AWKWARD
from tests.widgets.generate_box import SETTINGS, make, press, wait_for_tokens
from tests.widgets.pages import open_page, put, run

from plainformer.decoding import NGramModel
from plainformer.decoding.example import ids, model, tokenizer
from plainformer.widgets.generate_box.pack import pack_model
from plainformer.widgets.generate_box.picture import probability
from plainformer.widgets.generate_box.widget import MAX_PROMPT

if TYPE_CHECKING:
    from playwright.sync_api import Page


def test_a_prompt_becomes_the_same_tokens(page: "Page", tmp_path: Path) -> None:
    (live,) = open_page(page, tmp_path, make())
    rng = np.random.default_rng(5)
    alphabet = [*"aeinorst  \n'!_1é€🙂猫", "<|endoftext|>", "\r\n", "\u200d", "\ufeff"]
    random = ["".join(rng.choice(alphabet, 40)) for _ in range(40)]
    texts = [text for text in [*AWKWARD, *random] if 0 < len(text) <= MAX_PROMPT]
    assert len(texts) > 60
    for text in texts:
        put(page, prompt=text)
        shown: Any = live.locator(".pf-card").get_attribute("data-prompt")
        assert [int(each) for each in shown.split()] == tokenizer().encode(text), repr(text)


def test_the_counting_is_that_of_the_model(page: "Page") -> None:
    """Several texts, all orders, histories that never occurred or reach over the start."""
    rng = np.random.default_rng(3)
    for order in (1, 2, 3, 5):
        size = 7
        texts = [rng.integers(0, size - 1, n) for n in (40, 1, 2, 25)]
        fitted = NGramModel(order, vocab_size=size).fit(texts)
        histories = [rng.integers(0, size, n).tolist() for n in (1, 1, 2, 3, 4, 6) * 10]
        histories += [text[:n].tolist() for text in texts for n in (1, 2, 3) if len(text) >= n]
        packed = pack_model(fitted, most=10_000)
        script = "(({ logits }) => x[1].map((h) => Array.from(logits(h))))(m.makeModel(x[0]))"
        found = run(page, "formulas/ngram", script, [packed, histories])
        for row, history in zip(found, histories, strict=True):
            right = fitted(np.array([history]))[0]
            np.testing.assert_allclose(row, right, rtol=0, atol=1e-12)


def test_probabilities_are_pythons(page: "Page") -> None:
    rng = np.random.default_rng(7)
    box = make()
    text = ids()
    cases = []
    for i in range(48):
        start, length = int(rng.integers(len(text) - 20)), int(rng.integers(1, 9))
        prompt = tokenizer().decode(text[start : start + length].tolist()) if i % 4 else "zq 猫!"
        output = text[start + length : start + length + int(rng.integers(0, 9))].tolist()
        cases.append((prompt, output, SETTINGS[i % len(SETTINGS)]))
    given, right = [], []
    for prompt, output, settings in cases:
        for name, value in ({"temperature": 1, "top_k": None, "top_p": None, "min_p": None,
                             "frequency_penalty": 0, "presence_penalty": 0,
                             "repetition_penalty": 1, "seed": 0}
                            | settings).items():  # fmt: skip
            setattr(box, name, value)
        box.prompt, box.output = prompt, output
        now = {name: getattr(box, name) for name in box.state() if name != "data"}
        given.append([tokenizer().encode(prompt), output, now])
        right.append(box.probabilities)
    logits = run(
        page,
        "formulas/ngram",
        """(({ logits }) => x[1].map(([p, o]) => Array.from(logits([...p, ...o]))))(
            m.makeModel(x[0]))""",
        [box.data["model"], given],
    )
    found = run(
        page,
        "generate_box/probabilities",
        "x.map(([z, p, o, s]) => Array.from(m.outcome(Float64Array.from(z), p, o, s).after))",
        [[z, *each] for z, each in zip(logits, given, strict=True)],
    )
    np.testing.assert_allclose(np.array(found), np.array(right), rtol=0, atol=1e-6)
    assert ((np.array(found) == 0) == (np.array(right) == 0)).all()  # the same tokens are cut


@pytest.mark.parametrize("number", range(len(SETTINGS)))
def test_the_same_seed_draws_the_same_tokens(number: int, page: "Page", tmp_path: Path) -> None:
    count = 40 if number else 200  # a token is added with each frame: once for as many as may be
    box = make(seed=number, max_new_tokens=count)
    for name, value in SETTINGS[number].items():
        setattr(box, name, value)
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    right = box.continued(2 * count)
    assert wait_for_tokens(page, count) == right[:count]
    press(live, "Continue")  # and on from there
    assert wait_for_tokens(page, 2 * count) == right


def test_the_bars_are_pythons(page: "Page", tmp_path: Path) -> None:
    box = make(temperature=0.8, top_p=0.9, repetition_penalty=1.3)
    (live,) = open_page(page, tmp_path, box)
    press(live, "One token")
    box.output = wait_for_tokens(page, 1)
    shown = live.locator(".gen-number:visible").evaluate_all(
        "all => all.map((each) => Number(each.dataset.value))"
    )
    right = np.sort(box.probabilities)[::-1][:8]
    np.testing.assert_allclose(shown[:8], right, rtol=0, atol=1e-6)
    press(live, "Show as table")
    rows = live.get_by_role("table", name="What could stand next").locator("tbody tr")
    cells = [row.locator("td").all_text_contents() for row in rows.all()]
    before = np.exp(model()(np.array([box.ids]))[0])
    assert len(cells) >= 20
    for _, number, raw, after in cells:
        assert abs(float(raw) - before[int(number)]) < 1e-6
        expected = box.probabilities[int(number)]
        assert after == "cut" if expected == 0 else abs(float(after) - expected) < 1e-6
    added = (
        live.get_by_role("table", name="Tokens added").locator("tbody tr td").all_text_contents()
    )
    assert int(added[2]) == box.output[0]


def test_a_probability_reads_as_in_python(page: "Page") -> None:
    numbers = [0, 1e-300, 0.0004, 0.0005, 0.0042, 0.0994, 0.0996, 0.314, 0.9951, 1 - 1e-12, 1]
    found = run(page, "generate_box/panel", "x.map((p) => m.probability(p))", numbers)
    assert found == [probability(p) for p in numbers]
