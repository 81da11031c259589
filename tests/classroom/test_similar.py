"""What is unusual in two answers is found under any disguise; what everybody writes is not."""

import ast
import json
import random

import pytest
from tests.classroom.test_grade import notebook
from tests.site.axe import axe_problems

from plainformer.classroom.borrowed import borrowed, used_by_us
from plainformer.classroom.commands import main
from plainformer.classroom.fingerprints import fingerprints, labels
from plainformer.classroom.new import new_course
from plainformer.classroom.similar import alike, imports_of, own_answers, pairs
from plainformer.exercises import exercise, exercise_ids

WINDOWS = {  # ten people's own ways to write one function
    "ada": "r = np.arange(T)\nd = r[:, None] - r\nreturn (d >= 0) & (d < window)",
    "ben": "m = np.zeros((T, T), dtype=bool)\nfor t in range(T):\n"
    "    m[t, max(0, t - window + 1) : t + 1] = True\nreturn m",
    "cem": "return np.tril(np.ones((T, T), bool)) & ~np.tril(np.ones((T, T), bool), -window)",
    "dov": "rows = []\nfor t in range(T):\n"
    "    rows.append([t - window < s <= t for s in range(T)])\n"
    "return np.array(rows, dtype=bool).reshape(T, T)",
    "eva": "i, j = np.indices((T, T))\nreturn np.logical_and(j <= i, i - j < window)",
    "fay": "out = np.full((T, T), False)\nt = 0\nwhile t < T:\n    s = t\n"
    "    while s >= 0 and t - s < window:\n        out[t, s] = True\n        s -= 1\n    t += 1\n"
    "return out",
    "gil": "f = np.vectorize(lambda t, s: 0 <= t - s < window, otypes=[bool])\n"
    "return np.fromfunction(f, (T, T)) if T else np.zeros((0, 0), bool)",
    "hal": "causal = np.tri(T, dtype=int)\nbefore = np.tri(T, k=-window, dtype=int)\n"
    "return (causal - before).astype(bool)",
    "ivy": "mask = np.eye(T, dtype=bool)\nfor k in range(1, min(window, T)):\n"
    "    mask |= np.eye(T, k=-k, dtype=bool)\nreturn mask",
    "jan": "positions = np.arange(T)\nqueries = positions.reshape(T, 1)\n"
    "keys = positions.reshape(1, T)\nnear = np.abs(queries - keys) < window\n"
    "return near & (keys <= queries)",
}


def cell(body):
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    return f"def window_mask(T, window):\n{lines}"


def disguised(source, seed=0):
    """The same code with other names, comments, docstrings, formatting and order of functions."""
    tree = ast.parse(source)
    names = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
    names |= {
        each.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store)
    }
    new = {name: f"my_{random.Random(f'{seed}{name}').randrange(10**6)}" for name in names}
    for each in ast.walk(tree):
        if isinstance(each, ast.Name):
            each.id = new.get(each.id, each.id)
        if isinstance(each, ast.arg):
            each.arg = new[each.arg]
        if isinstance(each, ast.FunctionDef):
            each.body.insert(0, ast.Expr(ast.Constant("My own words.")))
    steps = [*tree.body]
    imports = [each for each in steps if isinstance(each, ast.Import | ast.ImportFrom)]
    others = [each for each in steps if each not in imports]
    return "\n".join(["# Mine!", *map(ast.unparse, [*imports[::-1], *others[::-1]])])


@pytest.fixture
def folder(tmp_path):
    new_course(tmp_path / "c")
    work = tmp_path / "c" / "submissions" / "week-1"
    work.mkdir(parents=True)
    imports = {"cell_type": "code", "id": "imports", "metadata": {}, "source": "import numpy as np"}
    answers = {**{name: cell(body) for name, body in WINDOWS.items()}}
    answers["kim <b>"] = disguised(answers["fay"]).replace("# Mine!", "%matplotlib inline")
    answers["lee"] = "import torch\n" + cell("return torch.ones(T, T).tril().numpy() > 0")
    for name, source in answers.items():
        book = json.loads(notebook({"course.window_mask": source}))
        book["cells"].insert(0, imports)
        (work / f"{name}.ipynb").write_text(json.dumps(book))
    (work / "cut.ipynb").write_text("{")
    return tmp_path / "c"


def run(folder, capsys, *words):
    assert main(["--course", str(folder), *words]) == 0
    return capsys.readouterr().out


def test_a_copy_in_disguise_is_found_and_no_other_pair_of_a_class(folder, capsys):
    found = json.loads(run(folder, capsys, "similar", "week-1", "--json"))
    assert "never a verdict" in found["what this is"]
    assert found["pairs"] == [
        {"students": ["fay", "kim <b>"], "exercises": {"course.window_mask": 1.0}}
    ]
    assert [each["student"] for each in found["libraries"]] == ["lee"]


def test_right_answers_written_in_other_ways_are_not_alike_and_copies_are():
    """The book's own right answers, two to four of each exercise, and disguised copies of them."""
    named = compared = caught = copies = 0
    for name in exercise_ids():
        spec = exercise(name)
        texts = [f"{imports_of(spec)}\n{each}" for each in dict.fromkeys(own_answers(spec))]
        answers = {str(number): text for number, text in enumerate(texts)}
        named += len(alike(name, answers, set()))
        compared += len(answers) * (len(answers) - 1) // 2
        for text in texts:
            if len(fingerprints(text)) < 8:
                continue  # two lines or so: nobody can tell
            found = alike(name, {**answers, "copy": disguised(text)}, set())
            caught += any("copy" in pair for pair in found)
            copies += 1
    assert compared > 300 and named / compared < 0.01  # as the page for teachers says
    assert copies > 150 and caught / copies > 0.97, (caught, copies)


def test_what_the_template_or_our_own_answers_have_says_nothing():
    spec = exercise("attention.masking.2")
    text = f"{imports_of(spec)}\n{own_answers(spec)[0]}"
    class_ = {"ann": text, "bob": disguised(text)}
    assert pairs([spec], {spec.id: class_}) == []


def test_the_same_code_in_other_words_has_the_same_labels():
    for one, other in (
        ("x = 1.0e3", "y = 1000.0"),
        ("if a > b: pass", "if d < c: pass"),
        ("total += 3", "total = total + 3"),
        ("def f(x: int) -> str:\n    '''Say.'''\n    return 'a'", 'def f(z): return "a"'),
        ("import numpy as np\nnp.exp(x, a=d, b=o)", "from numpy import exp\nexp(x,b=o,a=d)"),
    ):  # fmt: skip
        bare = [[[label for label, _ in row] for row in labels(text)] for text in (one, other)]
        assert bare[0] == bare[1] != [], one
    for hostile in ("(" * 5000, "x = " + "-" * 20000 + "1", "x = 0x" + "f" * 9000, "\0", "def"):
        assert fingerprints(hostile) == {}


def test_calls_of_libraries_are_named_unless_ours_make_them_too():
    spec = exercise("inputs.tokenization.2")
    ours = used_by_us(spec)
    for source, names in (
        ("import torch.nn.functional as F\ny = F.softmax(x)", ["torch.nn.functional.softmax"]),
        ("from plainformer.blocks import mlp as a\na(q)", ["plainformer.blocks.mlp"]),
        ("from plainformer.exercises import check\ncheck(1, f)", []),
        ("x = __import__('torch')\nx.softmax", ["__import__"]),
        ("import numpy as np\nnp.exp(x)\nmodel.eval()", []),
    ):  # fmt: skip
        assert [each.name for each in borrowed(source, ours)] == names
    assert borrowed("import torch\ntorch.ones(2)", {"torch.ones"}) == []


def test_the_page_is_accessible_and_its_words_are_a_reason_to_talk(folder, capsys, browser):
    said = run(folder, capsys, "similar", "week-1")
    assert "1 pair of students, 1 answer with library calls" in said
    path = folder / "similar" / "week-1.html"
    text = path.read_text("utf-8")
    assert "a reason to talk with the students, and never a verdict" in text
    assert "kim &lt;b&gt;" in text and "kim <b>" not in text
    assert not any(word in text.lower() for word in ("plagiar", "cheat", "suspicio", "copied"))
    for scheme, width in (("light", 1000), ("dark", 360)):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        view = context.new_page()
        view.goto(path.as_uri())
        view.evaluate("document.querySelectorAll('details').forEach(each => each.open = true)")
        assert axe_problems(view) == []
        assert view.evaluate("document.documentElement.scrollWidth <= innerWidth")
        context.close()
