"""What all widgets share: the state in a page, the bundle for Jupyter, the files of a site."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from plainformer.inputs import BPETokenizer
from plainformer.widgets import BPEMerges
from plainformer.widgets.kit import front_end, site
from plainformer.widgets.kit.base import MAX_STATE_BYTES
from plainformer.widgets.kit.checks import check_strings
from plainformer.widgets.kit.front_end import bare, bundle, imports, modules, source

ROOT = Path(site.__file__).parents[1]
FRONT_ENDS = sorted(str(path.relative_to(ROOT)) for path in ROOT.rglob("*.js"))


def state_in(html: str) -> dict:
    found = re.search(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_the_mime_bundle_has_the_live_view_and_html(tokenizer: BPETokenizer) -> None:
    data, _ = BPEMerges(tokenizer)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in data
    assert data["text/html"].startswith('<div class="pf-widget" data-pf-widget="bpe_merges">')
    assert data["text/plain"]


def test_the_state_in_the_page_is_the_widgets_own(tokenizer: BPETokenizer) -> None:
    widget = BPEMerges(tokenizer, text="a cat", step=1, compact=True)
    state = state_in(widget.html())
    assert set(state) == {"data", "text", "step", "compact"}
    assert (state["text"], state["step"], state["compact"]) == ("a cat", 1, True)


def test_text_cannot_end_the_script_that_carries_it(tokenizer: BPETokenizer) -> None:
    text = "</script><script>alert(1)</script><!-- & \u2028"
    html = BPEMerges(tokenizer, text=text).html()
    assert html.count("<script") == 1
    assert html.count("</script>") == 1
    assert "<!--" not in html
    assert state_in(html)["text"] == text


def test_the_state_of_4096_tokens_is_small(tokenizer: BPETokenizer) -> None:
    html = BPEMerges(tokenizer).html()
    weight = len(gzip.compress(json.dumps(state_in(html)).encode()))
    assert weight <= 50_000
    assert weight <= MAX_STATE_BYTES


def test_a_state_that_is_too_large_leaves_the_picture(
    tokenizer: BPETokenizer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("plainformer.widgets.kit.base.MAX_STATE_BYTES", 1000)
    with pytest.warns(
        UserWarning, match=r"BPEMerges weighs [\d,]+ bytes, of 1,000 that a page may"
    ):
        html = BPEMerges(tokenizer).html()
    assert "<script" not in html
    assert "data-pf-widget" not in html
    assert 'class="pf-fallback"' in html


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("cat", TypeError, "names must be a list of strings; got 'cat'"),
        (5, TypeError, "names must be a list of strings; got int"),
        (["a", b"b"], TypeError, r"names must be a list of strings; got \['a', b'b'\]"),
        (["a"], ValueError, "names must have 2 to 3 entries; got 1"),
        (list("abcd"), ValueError, "names must have 2 to 3 entries; got 4"),
        (["a", "x" * 201], ValueError, "names must be at most 200 characters long each; got 201"),
        (
            ["a", "x\ud83d"],
            ValueError,
            r"names must be whole characters; got half of one, '\\ud83d'",
        ),
        (
            ["a", "\udc00"],
            ValueError,
            r"names must be whole characters; got half of one, '\\udc00'",
        ),
    ],
)
def test_strings_are_refused(value: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        check_strings(value, "names", 2, 3)


@pytest.mark.parametrize(
    "given",
    [("x" * 200, ""), iter(["x" * 200, ""]), np.asarray(["x" * 200, ""]), ["\U0001f642", ""]],
)
def test_strings_of_any_iterable_are_taken(given: Any) -> None:
    found = check_strings(given, "names", 2, 3)
    assert found in (["x" * 200, ""], ["\U0001f642", ""])
    assert [type(each) for each in found] == [str, str]


def test_what_all_widgets_share_is_small() -> None:
    files = site.assets()
    shared = [name for name in files if name.split("/")[0] in ("kit", "formulas", "engine")]
    assert sum(len(gzip.compress(files[name].encode())) for name in shared) <= 35_000
    used_by_all = ["kit/kit.css", "kit/host.js", *(f"{name}.js" for name in modules("kit/links"))]
    assert sum(len(gzip.compress(bare(source(name)).encode())) for name in used_by_all) <= 10_000


def test_the_bundle_is_one_module_without_imports() -> None:
    whole = bundle("bpe_merges/view")
    assert re.findall(r"^\s*import\b.*", whole, re.MULTILINE) == []
    assert re.findall(r"^export\b.*", whole, re.MULTILINE) == ["export default{render};"]
    assert BPEMerges._esm == whole


def test_the_bundle_carries_what_two_modules_share_once() -> None:
    files = {
        "x/a.js": 'import * as b from "./b.js";\nimport * as c from "../c.js";\nexport default b;',
        "x/b.js": 'import * as c from "../c.js";\nexport const f = (x) => x + c;',
        "c.js": "export class One {}\nexport async function two() {}",
    }
    whole = bundle("x/a", files.__getitem__)
    assert whole.count("class One") == 1
    assert "return{One,two};" in whole
    assert whole.index("const $0=") < whole.index("class One") < whole.index("const $1=")


def test_the_bundle_has_neither_comments_nor_layout() -> None:
    code = """// Why.
/** What. */
export const f = "a // b"; // it's said "at once"
if (f) {
  /**
   * More.
   */
  g(
    `//  ${f}`, // two spaces
    'https://here',
  );
}
"""
    bare = """export const f="a // b";if(f){g(`//  ${f}`,'https://here',);}\n"""
    assert bundle("a", {"a.js": code}.__getitem__) == bare


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_what_the_bundle_counts_on(name: str) -> None:
    """No string has more than one line, for its own layout would be lost."""
    code = bare(source(name))
    assert [line for line in code.splitlines() if line.count("`") % 2] == []
    assert not re.search(r"\s//\s", code), "a comment is left"


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_only_spaces_outside_of_strings_are_left_out(name: str) -> None:
    for line in source(name).splitlines():
        tight = front_end._tight(line)
        assert re.findall(front_end.STRING, tight) == re.findall(front_end.STRING, line)
        assert "".join(tight.split()) == "".join(line.split())


def test_files_of_one_name_in_two_rooms_are_two_modules() -> None:
    files = {
        "x/view.js": 'import * as a from "./words.js";\nimport * as b from "../y/words.js";',
        "x/words.js": "export const name = 1;",
        "y/words.js": "export const name = 2;",
    }
    assert imports("x/view", files.__getitem__) == {
        "./words.js": "x/words",
        "../y/words.js": "y/words",
    }
    whole = bundle("x/view", files.__getitem__)
    assert whole.endswith("const a=$0;const b=$1;")


def test_the_bundle_refuses_another_form_of_import() -> None:
    files = {"a.js": 'import { h } from "./kit.js";'}
    with pytest.raises(ValueError, match=r"a\.js must import as in .*; got 'import \{ h \}"):
        bundle("a", files.__getitem__)


def test_the_bundle_refuses_a_circle() -> None:
    files = {f"{a}.js": f'import * as {b} from "./{b}.js";\n' for a, b in ("ab", "ba")}
    with pytest.raises(ValueError, match=r"in a circle; got a\.js -> b\.js -> a\.js$"):
        bundle("a", files.__getitem__)


def test_a_site_serves_classic_scripts_only() -> None:
    for name, text in site.assets().items():
        if name.endswith(".js"):
            assert not re.search(r"^(import|export)\b", text, re.MULTILINE), name
    assert {
        "kit/kit.js",
        "kit/kit.css",
        "bpe_merges/view.js",
        "bpe_merges/view.css",
    } <= set(site.assets())


def test_every_file_that_a_page_needs_is_served(tokenizer: BPETokenizer) -> None:
    needed = site.assets_for(BPEMerges(tokenizer).html() * 2)
    assert needed == [
        *("kit/kit.css", "bpe_merges/view.css"),
        *("kit/kit.js", "formulas/formulas.js", "bpe_merges/view.js"),
    ]
    assert set(needed) <= set(site.assets())


def test_an_unknown_widget_is_an_error() -> None:
    with pytest.raises(ValueError, match=r"'nothing'.*bpe_merges"):
        site.assets_for('<div class="pf-widget" data-pf-widget="nothing"></div>')


def test_no_front_end_file_reaches_off_the_site() -> None:
    for name, text in site.assets().items():
        addresses = set(re.findall(r"https?://[^\s\"'\\)]+", text))
        assert addresses <= {"http://www.w3.org/2000/svg"}, name


@pytest.mark.parametrize("name", FRONT_ENDS)
def test_no_front_end_file_writes_html(name: str) -> None:
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write", source(name))
