"""GenerateBox with a model that the page fetches when a reader first asks it to write."""

import gzip
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.widgets.engine import write_files
from tests.widgets.generate_box import press, slider, status, unfold, wait_for_tokens
from tests.widgets.pages import FRAME, open_page, put, trait, watched

from plainformer.decoding import NGramModel, example
from plainformer.training.tasks import LanguageModel, course_lm
from plainformer.widgets import GenerateBox
from plainformer.widgets.engine import files_for

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return course_lm()


def make(lm: LanguageModel, **options: object) -> GenerateBox:
    settings: dict[str, object] = {"prompt": "Once upon a time", "max_new_tokens": 6, "seed": 3}
    return GenerateBox(lm.model, lm.tokenizer, checkpoint="course-lm", **(settings | options))  # type: ignore[arg-type]


def test_it_shows_the_first_bars_and_fetches_when_it_writes(
    page: "Page", tmp_path: Path, lm: LanguageModel
) -> None:
    box = make(lm, temperature=0.8, top_p=0.95)
    write_files(tmp_path, box.html())
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    (live,) = open_page(page, tmp_path, box)
    assert not [url for url in asked if "/weights/" in url]
    top = live.locator(".gen-number:visible").first.get_attribute("data-value")
    assert abs(float(top or 0) - box.probabilities.max()) < 1e-5
    assert trait(page, "data")["engine"]["most"] == 256

    press(live, "Continue")
    assert wait_for_tokens(page, 6) == box.continued(6)
    assert len([url for url in asked if "/weights/" in url]) == 2  # the weights and the code
    press(live, "One token")
    assert wait_for_tokens(page, 7) == box.continued(7)

    put(page, prompt="your cat is a", output=[])
    box.prompt = "your cat is a"
    press(live, "Continue")
    assert wait_for_tokens(page, 6) == box.continued(6)


def test_it_stops_where_the_model_reads_no_further(
    page: "Page", tmp_path: Path, lm: LanguageModel
) -> None:
    box = make(lm, prompt="cat" + " cat" * 239, max_new_tokens=200)
    start = len(box.ids)
    write_files(tmp_path, box.html())
    (live,) = open_page(page, tmp_path, box)
    press(live, "Continue")
    status(live, "The box is full.")
    assert len(trait(page, "output")) == 256 - start == len(box.continued(200))
    with pytest.raises(ValueError, match=r"^prompt must have at most 256 tokens for this model"):
        make(lm, prompt="a b " * 200)


def test_what_does_not_arrive_is_said_and_another_press_tries_again(
    browser: "Browser", tmp_path: Path, lm: LanguageModel
) -> None:
    box = make(lm)
    with watched(browser) as (page, _):  # a file that is missing is an error of its console
        (live,) = open_page(page, tmp_path, box)
        (file,) = (tmp_path / "weights").glob("course-lm-????????.js")
        file.rename(tmp_path / "away.js")
        put(page, prompt="your cat is a")
        assert (
            live.locator(".gen-title").inner_text() == "Press Continue to fetch the model, 1.1 MB"
        )
        press(live, "Continue")
        status(live, "could not be loaded")
        (tmp_path / "away.js").rename(file)
        press(live, "Continue")
        wait_for_tokens(page, 6)
        page.evaluate(FRAME)


def test_in_jupyter_it_asks_python(lm: LanguageModel) -> None:
    box = make(lm)
    assert box.data["engine"] is None
    assert box.state()["data"]["engine"]["ids"] == box.ids
    assert not box.needs_python
    with pytest.raises(ValueError, match=r"^name must be one of course-lm, .*or None; got 'mine'$"):
        GenerateBox(lm.model, lm.tokenizer, checkpoint="mine")


def manual(**options: object) -> GenerateBox:
    return GenerateBox(example.model(), example.tokenizer(), checkpoint="manual-ngram", **options)  # type: ignore[arg-type]


def test_a_counted_model_comes_when_a_reader_asks_for_more(
    browser: "Browser", tmp_path: Path
) -> None:
    box = manual(prompt="The name of the", max_new_tokens=20, top_p=0.9, seed=5)
    assert "packed" in box.data["model"]  # Jupyter has no files to fetch
    assert len(gzip.compress(box.html().encode())) < 20_000
    with watched(browser) as (page, _):  # a file that is missing is an error of its console
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        (live,) = open_page(page, tmp_path, box)
        (file,) = (tmp_path / "weights").glob("*")
        whole = file.read_text()
        top = live.locator(".gen-number:visible").first.get_attribute("data-value")
        assert abs(float(top or 0) - box.probabilities.max()) < 1e-5
        unfold(live)
        slider(live, "Temperature").fill("0.5")
        page.evaluate(FRAME)
        assert not [url for url in asked if "/weights/" in url]

        box.temperature = 0.5
        file.write_text(whole.replace("%", "&"))
        press(live, "Continue")  # the first token is drawn from what came with the page
        status(live, "did not arrive whole")
        assert trait(page, "output") == box.continued(1)
        file.unlink()
        press(live, "Continue")
        status(live, "could not be loaded")
        file.write_text(whole)
        press(live, "Continue")
        assert wait_for_tokens(page, 21) == box.continued(21)
        put(page, prompt="your cat is a", output=[])  # typing asks for nothing more
        box.prompt = "your cat is a"
        page.evaluate(FRAME)
        top = live.locator(".gen-number:visible").first.get_attribute("data-value")
        assert abs(float(top or 0) - box.probabilities.max()) < 1e-9
        assert len([url for url in asked if "/weights/" in url]) == 3


def test_only_what_is_shipped_is_fetched() -> None:
    own = NGramModel(2, vocab_size=1024).fit([1, 2, 3])
    with pytest.raises(ValueError, match=r"^name must be one of manual-ngram, or None; got 'own'$"):
        GenerateBox(own, example.tokenizer(), checkpoint="own")
    wrong = GenerateBox(own, example.tokenizer(), checkpoint="manual-ngram").html()
    with pytest.raises(ValueError, match=r"this version has manual-ngram-\w+: execute the page"):
        files_for(wrong)
    with pytest.raises(ValueError, match=r"^html names the model 'mine'; shipped are manual-"):
        files_for(wrong.replace("manual-ngram", "mine"))
