"""The engine in the page against torch: every step of course-lm, on thirty texts."""

from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from tests.widgets.engine import as_numpy, check_same, forward, open_model

from plainformer.blocks import trace
from plainformer.training.tasks import LanguageModel, course_lm

if TYPE_CHECKING:
    from playwright.sync_api import Page

ATOL = 1e-4

LONG = "Once upon a time there was a little cat, and everybody was fond of it. " * 20

TEXTS = [
    "",  # nothing but the token to begin with
    "a",
    "The",
    " ",
    "Once upon a time",
    "One day, a little girl named Lily found a needle in her room.",
    "your cat is a",
    "def f(x):\n    return x + 1\n",
    "for i in range(10):\n\tprint(i)\n",
    "import sys\n\nif __name__ == '__main__':\n    sys.exit(main())",
    "your cat is a lovely cat",
    "aaaaaaaaaaaaaaaaaaaaaaaa",
    "the the the the the the the the",
    "0 1 2 3 4 5 6 7 8 9 10 11 12",
    "!?.,;:()[]{}<>/\\|@#$%^&*",
    "<script>alert('x')</script>",
    "   indented\r\n\r\n",
    "Die Größe des Straußes überraschte",
    "Être ou ne pas être",
    "Война и мир",
    "吾輩は猫である。",
    "人工智能的语言模型",
    "שלום עולם",
    "مرحبا بالعالم",
    "नमस्ते दुनिया",
    "ไม่มีช่องว่าง",
    "🙂🚀👩‍👩‍👧",
    "a\u0000b\u200d\ufeffc",
    LONG[:300],
    LONG,
]


@pytest.fixture(scope="module")
def lm() -> LanguageModel:
    return course_lm()


def test_every_step_of_thirty_texts(page: "Page", lm: LanguageModel) -> None:
    assert len(TEXTS) == 30
    open_model(page, lm.model, "int8")
    lengths = set()
    for text in TEXTS:
        ids = lm.tokenizer.encode(text)[:128]
        lengths.add(len(ids))
        with torch.no_grad():
            wanted = as_numpy(trace(lm.model, torch.tensor([ids])))
        found = forward(page, ids)
        check_same(found, wanted, ATOL)
        check_order(found["logits"], wanted["logits"])
    assert {1, 128} <= lengths


def check_order(found: np.ndarray, wanted: np.ndarray) -> None:
    """Of two tokens whose logits lie further apart than both may err, the same one is ahead."""
    order = np.argsort(-wanted, axis=-1)
    ahead = np.take_along_axis(wanted, order, -1)
    ours = np.take_along_axis(found, order, -1)
    clear = ahead[:, :-1] - ahead[:, 1:] > 2 * ATOL
    assert clear.mean() > 0.5
    assert (ours[:, :-1] > ours[:, 1:])[clear].all()
