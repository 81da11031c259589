"""No printed equation is false: random states of every widget that prints one, read as printed."""

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.widgets.equations import disagreements, unit, value
from tests.widgets.pages import FRAME, open_page, run, slider

from plainformer.widgets import BeamTree, BlockSweep, LookupDial
from plainformer.widgets.kit import equations
from plainformer.widgets.kit.front_end import bundle

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

DRAWN = 240  # states of each kind
MOST_ABOUT = 0.05  # of the equations may say "≈": where hardly any digit could tell

# What a list of modules makes of a list of arguments; each module is a variable.
RUN = """async ([codes, expression, all]) => {
  const load = (code) => import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const modules = await Promise.all(Object.values(codes).map(load));
  const f = new Function(...Object.keys(codes), "x", `return ${expression}`);
  return all.map((x) => f(...modules, x));
}"""


def made(page: "Page", modules: dict[str, str], expression: str, arguments: list[Any]) -> list[Any]:
    """The values of an expression of modules, by their names here, and of x, each argument."""
    codes = {name: bundle(module) for name, module in modules.items()}
    found: list[Any] = page.evaluate(RUN, [codes, expression, arguments])
    return found


def check(printed: list[str], exact: list[Any] | None = None) -> None:
    """Hold every equation against itself, and its result against the exact one."""
    assert printed
    known = [None] * len(printed) if exact is None else exact
    wrong = [
        (text, why)
        for text, real in zip(printed, known, strict=True)
        if (why := disagreements(text, real))
    ]
    assert wrong == []
    assert sum("≈" in text for text in printed) <= MOST_ABOUT * len(printed)


def matrices(seed: int) -> dict[str, Any]:
    """Random q, k and v, of numbers small and large, with and without a mask."""
    rng = np.random.default_rng(seed)
    T, K, Dv = rng.integers(1, [8, 4, 4], endpoint=True)
    scale = [0.1, 1, 3, 30][seed % 4]
    q, k = scale * rng.normal(size=(T, K)), rng.normal(size=(T, K)) * [1, scale][seed % 3 == 0]
    v = 3 * rng.normal(size=(T, Dv))
    draw = {"q": q, "k": k, "v": v}
    if seed % 5 == 0:
        draw = {name: array.round() for name, array in draw.items()}
    draw = {name: array.clip(-100, 100) for name, array in draw.items()}
    state: dict[str, Any] = {name: array.tolist() for name, array in draw.items()}
    return {**state, "causal": bool(seed % 2), "i": int(rng.integers(T)), "j": 0}


@pytest.mark.parametrize(
    ("step", "name"), [(0, "scores"), (1, "scaled"), (3, "weights"), (4, "output")]
)
def test_every_sum_of_the_stepper_is_true(step: int, name: str, page: "Page") -> None:
    modules = {"sums": "attention_stepper/sums", "formula": "formulas/self_attention"}
    expression = f"""(() => {{
      const state = {{ ...x, all: formula.attention(x) }};
      return [sums.text(sums.sum({step}, x.i, x.j, state)), state.all.{name}[x.i][x.j]];
    }})()"""
    pairs = made(page, modules, expression, [matrices(seed) for seed in range(DRAWN)])
    printed = [text.rpartition("everywhere: ")[2] for text, _ in pairs]
    assert len(set(printed)) > DRAWN / 2
    # A weight may be so near to 0 or 1 that no sum could show the difference: those say "≈".
    check([text for text in printed if "≈" not in text or name != "weights"])
    for text, (_, exact) in zip(printed, pairs, strict=True):
        if "≈" in text:
            assert abs(exact - round(exact)) < 5e-7 or name != "weights", text
        else:
            assert disagreements(text, exact) == []


def test_the_sum_of_the_chapter_says_what_the_page_says(page: "Page") -> None:
    """cat asks louder, (0, 5): its scaled score for lovely is 7.07, and its weight 0.996, not 1."""
    row = [[0, 5]]
    state = {"q": row, "k": [[0, 0]] * 5 + [[0, 2]], "v": [[0]] * 6, "causal": False}
    modules = {"sums": "attention_stepper/sums", "formula": "formulas/self_attention"}
    text = "sums.text(sums.sum(3, 0, 5, { ...x, all: formula.attention(x) }))"
    (said,) = made(page, modules, text, [state])
    assert said.replace("\u00a0", " ").endswith(" = 1,177 / 1,182 = 0.996")


def test_every_path_and_every_division_of_the_tree_is_true(page: "Page") -> None:
    rng = np.random.default_rng(3)
    paths = []
    for _ in range(DRAWN):
        logs = np.log(rng.dirichlet(0.4 * np.ones(6), size=rng.integers(1, 6))[:, 0].clip(1e-6))
        paths.append(logs.tolist())
    grow = """(() => {
      let node = { parent: null };
      for (const logProb of x) node = { parent: node, logProb };
      node.score = x.reduce((a, b) => a + b, 0);
      return words.pathSum(node);
    })()"""
    check(made(page, {"words": "beam_tree/words"}, grow, paths), [sum(logs) for logs in paths])
    given = [
        [-float(rng.uniform(0.01, 40)), float(base), float(alpha)]
        for base, alpha in zip(rng.integers(1, 25, DRAWN), rng.uniform(-2, 3, DRAWN), strict=True)
    ]
    given += [[score, (5 + base) / 6, alpha] for score, base, alpha in given]
    exact = [score / base**alpha for score, base, alpha in given]
    divide = "words.division(...x, x[0] / x[1] ** x[2])"
    check(made(page, {"words": "beam_tree/words"}, divide, given), exact)


def test_every_row_of_the_ledger_is_true(page: "Page") -> None:
    sweeps = []
    for seed in range(DRAWN // 4):
        rng = np.random.default_rng(seed)
        scores = rng.normal(size=6) * [0.5, 2, 8][seed % 3]
        values = rng.normal(size=(6, 1 + seed % 3)) * [1, 50][seed % 2]
        sweeps.append({"scores": scores.tolist(), "values": values.tolist(), "size": 1 + seed % 3})
    expression = """(() => {
      const kept = math.sweep(x.scores, x.values, x.size);
      const lines = kept.slice(1).flatMap((now, b) => {
        const { fade, rows } = words.ledger(kept[b], now);
        const [fading] = words.fading(b + 1, kept[b], now).replace("fade = ", "").split(": ");
        return [fading, ...rows.map(([old, add, sum]) => `${fade} × (${old}) + ${add} = ${sum}`)];
      });
      const last = kept.at(-1);
      const { sum, result } = words.quotient(last.output, last.total);
      return [...lines, sum + result];
    })()"""
    modules = {"words": "block_sweep/words", "math": "formulas/blockwise"}
    check([text for all_ in made(page, modules, expression, sweeps) for text in all_])


def test_every_angle_is_true(page: "Page") -> None:
    rng = np.random.default_rng(1)
    given = [
        [int(m), float(10_000.0**-power)]
        for m, power in zip(rng.integers(0, 65, DRAWN), rng.uniform(0, 0.7, DRAWN), strict=True)
    ]
    turn = "(({ product, result }) => `${product} = ${result}`)(words.turning(...x, x[0] * x[1]))"
    check(made(page, {"words": "rotary_vectors/words"}, turn, given))


@pytest.mark.parametrize("seed", range(4))
def test_every_sum_of_the_dial_is_true(seed: int, page: "Page", tmp_path: "Path") -> None:
    rng = np.random.default_rng(seed)
    count, width = 2 + seed, 1 + 3 * (seed % 2)
    dial = LookupDial(
        rng.normal(size=(count, 2)), rng.normal(size=(count, width)) * 20, [*"abcdefgh"][:count]
    )
    (live,) = open_page(page, tmp_path, dial)
    turn = slider(live, "Query points")
    for angle in range(-170, 180, 25):
        turn.fill(str(angle))
        page.evaluate(FRAME)
        text = live.locator(".dial-sum").inner_text()
        found = page.evaluate("plainformer.widgets[0].model.get('angle')")
        dial.angle = found
        assert disagreements(text, dial.answer) == [], text
        _, still = dial.picture().split('class="pf-note">')
        plain = still.removesuffix("</p>").replace("<b>", "").replace("</b>", "")
        assert disagreements(plain, dial.answer) == [], plain


def test_the_picture_of_the_tree_prints_true_divisions() -> None:
    tree = BeamTree(length_penalty=0.35)
    divisions = re.findall(r"−[\d.]+ / [\d.]+\^[\d.]+ [=≈] −[\d.]+", tree.picture())
    assert len(divisions) == len(tree.ranked(tree.last_step, 0.35))
    check(divisions)


@pytest.mark.parametrize("least", [2, 3])
def test_python_writes_what_the_page_writes(least: int, page: "Page") -> None:
    rng = np.random.default_rng(7)
    sizes = 10 ** rng.uniform(-9, 11, 2 * DRAWN)
    numbers = [*(sizes * rng.choice([-1, 1], 2 * DRAWN)), 0.0, 1.0, -1.0, 0.125, -2.5, 99.995]
    asked = [[float(x), int(d)] for x in numbers for d in (2, 4, 7)]
    for name in ("text", "fixed"):
        write = getattr(equations, name)
        said = run(page, "kit/equations", f"x.map(([v, d]) => m.{name}(v, d))", asked)
        assert said == [write(v, d) for v, d in asked]
    pairs = [[float(a), float(b)] for a, b in rng.normal(size=(DRAWN, 2)) * 5]
    ours = [
        tuple(equations.equation(pair, [pair[0] / pair[1]], lambda x: [x[0] / x[1]], least))
        for pair in pairs
    ]
    script = f"""x.map((pair) => {{
      const sides = [[[pair[0] / pair[1]], ([a, b]) => [a / b]]];
      const {{ decimals, sign }} = m.equation(pair, sides, {least});
      return [...decimals, sign];
    }})"""
    theirs = [tuple(each) for each in run(page, "kit/equations", script, pairs)]
    assert ours == theirs


@given(st.floats(-1e8, 1e8), st.integers(2, 9))
@settings(max_examples=300)
def test_what_is_written_is_read_to_its_last_digit(number: float, decimals: int) -> None:
    said = equations.text(number, decimals)
    assert abs(value(said) - number) <= unit(said) / 2 + 1e-9 * (1 + abs(number))


def test_what_is_false_is_found() -> None:
    assert disagreements("1,177.4 / 1,182.4 = 0.996", 0.99577) == []
    assert disagreements("4 / √2 = 4 / 1.414 = 2.83", 8**0.5) == []
    assert disagreements("4 / √2 = 4 / 1.41 = 2.83")
    assert disagreements("1,177.4 / 1,182.4 = 1", 0.99577)
    assert disagreements("0.05 · (−2) + 0.77 · 4 = 2.95")
    assert disagreements("log 0.5 + log 0.4 = −0.69 − 0.92 = −1.62")
    assert disagreements("[1.0, 3.0] / 2.0 = [0.5, 1.6]")


def test_the_block_sweep_shows_the_ledger_that_is_tested(page: "Page", tmp_path: "Path") -> None:
    q = np.array([[0.3, -1.2]])
    rng = np.random.default_rng(0)
    (live,) = open_page(
        page, tmp_path, BlockSweep(q, rng.normal(size=(5, 2)), rng.normal(size=(5, 2)), step=2)
    )
    for row in live.locator(".bs-ledger tbody tr").all()[1:]:
        was, fade, add, now = row.locator("td").all_text_contents()
        assert disagreements(f"({was}) {fade} {add} = {now}") == []
