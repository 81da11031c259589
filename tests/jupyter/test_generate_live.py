"""GenerateBox in a real JupyterLab: a model in the page, one in Python, and one that fails."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from playwright.sync_api import expect
from tests.jupyter.lab import read_back, run_cell
from tests.widgets.pages import FRAME

if TYPE_CHECKING:
    from playwright.sync_api import Page

CELLS = [
    """import numpy as np
from plainformer.decoding import NGramModel
from plainformer.inputs import BPETokenizer
from plainformer.widgets import GenerateBox
words = "your cat is a lovely cat, and my cat is a good cat. " * 20
tokenizer = BPETokenizer.train(words, 280)
ngram = NGramModel(3, vocab_size=280).fit(tokenizer.encode(words))
inside = GenerateBox(ngram, tokenizer, prompt="your cat", max_new_tokens=30, seed=2)
inside""",
    """import torch
torch.manual_seed(0)
layers = torch.nn.Sequential(torch.nn.Embedding(280, 16), torch.nn.Linear(16, 280))
def network(ids):
    if ids.shape[1] > 12:
        raise ValueError("this model has 12 places")
    return layers(torch.as_tensor(ids)).mean(1)
asked = GenerateBox(network, tokenizer, prompt="a cat", max_new_tokens=5, seed=3, top_k=50)
asked""",
    """inside.temperature = 0.5; inside.prompt = "a good"
asked.top_p = 0.9""",
    """right = [inside.output == inside.continued(len(inside.output)),
         asked.output == asked.continued(len(asked.output))]
print("read back:", inside.prompt, inside.temperature, len(inside.output), asked.prompt,
      asked.temperature, len(asked.output), *right)""",
]
WRITE, READ = len(CELLS) - 2, len(CELLS) - 1


def test_both_models_go_on_in_jupyterlab(run_in_lab: "Callable[..., Page]") -> None:
    page = run_in_lab(CELLS)
    inside, asked = page.locator(".jp-OutputArea-output .pf-card").all()

    # From Python to the page.
    expect(inside.get_by_role("textbox")).to_have_value("a good")
    expect(inside.locator("summary")).to_contain_text("temperature 0.50")
    expect(asked.locator("summary")).to_contain_text("top-k 50, top-p 0.90")

    # From the page to Python: in the first box the page has the model, in the second Python.
    read_back(page, READ, "a good 0.5 0 a cat 1.0 0 True True")
    inside.get_by_role("button", name="Continue", exact=True).click()
    inside.get_by_role("status").get_by_text("30 tokens added").wait_for()
    asked.locator("summary").click()
    asked.get_by_role("slider", name="Temperature").press("End")
    asked.get_by_role("button", name="Continue", exact=True).click()
    asked.get_by_role("status").get_by_text("5 tokens added").wait_for()
    read_back(page, READ, "a good 0.5 30 a cat 3.0 5 True True")

    # What the model raises is told in the box, which goes on working.
    for _ in range(3):
        asked.get_by_role("button", name="Continue", exact=True).click()
        page.evaluate(FRAME)  # from here on it is called Stop
        asked.get_by_role("button", name="Stop", exact=True).wait_for(state="hidden")
    said = asked.get_by_role("status")
    said.get_by_text("The model could not answer. ValueError: this model has 12 places").wait_for()
    asked.get_by_role("button", name="Clear", exact=True).click()
    said.get_by_text("the prompt is left. Most probable now").wait_for()
    asked.get_by_role("textbox").fill("a good cat")
    read_back(page, READ, "a good 0.5 30 a good cat 3.0 0 True True")

    # And from Python once more, into the page as it is.
    run_cell(page, WRITE)
    asked.get_by_role("button", name="One token", exact=True).click()
    said.get_by_text("1 token added").wait_for()
