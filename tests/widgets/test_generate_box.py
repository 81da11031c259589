"""GenerateBox in Python: its traits, its mistakes, its weight, its picture, its answers."""

import gzip
import json
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.awkward import AWKWARD

from plainformer.decoding import CounterRNG, LogitsPipeline, NGramModel, sample
from plainformer.decoding.example import ids, model, tokenizer
from plainformer.inputs import BPETokenizer
from plainformer.widgets import GenerateBox
from plainformer.widgets.generate_box.pack import ALPHABET, pack_model
from plainformer.widgets.generate_box.widget import MAX_BYTES, MAX_OUTPUT, MAX_PROMPT

V = tokenizer().vocab_size


def make(**options: Any) -> GenerateBox:
    return GenerateBox(model(), tokenizer(), **options)


def even(array: Any) -> Any:
    """A model that knows nothing, in Python."""
    return np.zeros((len(array), V))


def weight_of(box: GenerateBox) -> int:
    return len(gzip.compress(json.dumps(box.state(), separators=(",", ":")).encode()))


def test_the_manuals_model_fits_into_the_page() -> None:
    box = make(prompt="x" * MAX_PROMPT)
    box.output = ids()[:MAX_OUTPUT]
    assert box.max_state_bytes == 300_000
    assert weight_of(box) < 160_000  # about half of what is granted
    assert 'data-pf-widget="generate_box"' in box.html()


def test_what_is_not_the_model_fits_beside_it() -> None:
    """The model may have all but 20,000 bytes: the fullest box needs no more for the rest."""
    rng = np.random.default_rng(0)
    prompt = "".join(map(chr, rng.integers(0x4E00, 0x9FFF, MAX_PROMPT)))
    box = make(prompt=prompt)
    box.output = rng.integers(0, V, MAX_OUTPUT)
    packed = len(gzip.compress(box.data["model"]["packed"].encode()))
    assert weight_of(box) - packed < 20_000


def test_a_model_that_is_too_large_says_what_to_do() -> None:
    noise = np.random.default_rng(0).integers(0, V, 250_000)
    large = NGramModel(2, vocab_size=V).fit(noise)
    with pytest.raises(
        ValueError, match=r"of a page; its 250,000 tokens take [\d,]+, [\d,]+ too"
    ) as e:
        GenerateBox(large, tokenizer())
    fits = int(re.search(r"about ([\d,]+) of them", str(e.value))[1].replace(",", ""))  # type: ignore[index]
    assert fits < 250_000
    smaller = NGramModel(2, vocab_size=V).fit(noise[:fits])
    assert weight_of(GenerateBox(smaller, tokenizer())) <= MAX_BYTES
    assert GenerateBox(lambda x: large(x), tokenizer()).needs_python


@pytest.mark.parametrize("size", [1, 2, 90, 91, 92, 1024, 8280, 8281, 100_000])
def test_packed_texts_can_be_read_again(size: int) -> None:
    rng = np.random.default_rng(size)
    texts = [rng.integers(0, size, n) for n in (1, 30, 2)]
    packed = pack_model(NGramModel(3, vocab_size=size).fit(texts), most=10_000)
    base, digits = len(ALPHABET), packed["digits"]
    found = [0] * (len(packed["packed"]) // digits)
    for i in range(len(found)):
        for sign in packed["packed"][i * digits : (i + 1) * digits]:
            found[i] = found[i] * base + ALPHABET.index(sign)
    expected = [*texts[0].tolist(), size, *texts[1].tolist(), size, *texts[2].tolist()]
    assert found == expected
    assert base ** (digits - 1) <= size < base**digits
    assert (packed["order"], packed["size"]) == (3, size)


def test_packed_texts_need_no_escape() -> None:
    assert json.dumps(ALPHABET) == f'"{ALPHABET}"'
    assert not set(ALPHABET) & set('<"\\') and len(set(ALPHABET)) == 91


@given(
    st.integers(0, 2**31),
    st.sampled_from([0, 0.3, 1, 2.5]),
    st.sampled_from([None, 1, 5, 200]),
    st.sampled_from([None, 0.3, 0.9, 1]),
    st.sampled_from([None, 0.05, 0.5]),
    st.sampled_from([-1, 0, 0.8]),
)
@settings(max_examples=25, deadline=None)
def test_probabilities_are_those_that_sample_draws_from(
    start: int, temperature: float, k: Any, p: Any, least: Any, penalty: float
) -> None:
    rng = np.random.default_rng(start)
    prompt = tokenizer().decode(rng.integers(1, V, 3)).replace("\ufffd", "?")
    box = make(prompt=prompt, temperature=temperature, top_k=k, top_p=p, min_p=least,
               frequency_penalty=penalty, repetition_penalty=1.2, seed=start % 1000)  # fmt: skip
    for _ in range(3):
        q = box.probabilities
        assert q.shape == (V,) and abs(q.sum() - 1) < 1e-12 and q.min() >= 0
        u = CounterRNG(box.seed, len(box.output)).random()
        box.output = [*box.output, int(np.searchsorted(np.cumsum(q), u, side="right"))]
    assert box.output == box.continued(3)
    assert box.text == tokenizer().decode(box.ids)


def test_continued_is_what_sample_gives() -> None:
    box = make(prompt="The value", top_p=0.8, seed=11)
    prompt = tokenizer().encode("The value")
    right = sample(
        model(),
        prompt,
        max_new_tokens=60,
        pipeline=LogitsPipeline.standard(top_p=0.8),
        rng=CounterRNG(11),
    )
    assert prompt + box.continued(60) == right


def test_the_end_of_text_ends_it() -> None:
    for seed in range(30):
        box = make(prompt="The value", eos_token_id=0, seed=seed)
        found = box.continued(200)
        assert 0 not in found[:-1]
        if len(found) < 200:
            assert found[-1] == 0
            return
    pytest.fail("none of thirty texts came to an end")


def test_a_new_prompt_starts_over() -> None:
    box = make(prompt="one")
    box.output = [5, 6]
    box.prompt = "one"  # no other prompt
    assert box.output == [5, 6]
    box.prompt = "two"
    assert box.output == []


@pytest.mark.parametrize("text", [t for t in AWKWARD if 0 < len(t) <= MAX_PROMPT])
def test_any_text_is_a_prompt(text: str) -> None:
    box = make(prompt=text)
    assert box.ids == tokenizer().encode(text)
    assert box.text == text


def test_models_and_tokenizers_that_will_not_do() -> None:
    with pytest.raises(TypeError, match=r"model must be a function of \(B, T\) ids; got str"):
        GenerateBox("gpt", tokenizer())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="tokenizer must be a BPETokenizer; got str"):
        GenerateBox(model(), "bpe")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="must be fitted before"):
        GenerateBox(NGramModel(2), tokenizer())
    few = NGramModel(2, vocab_size=260).fit([1, 2])
    with pytest.raises(ValueError, match="all 1,024 tokens of the tokenizer; it knows 260: make"):
        GenerateBox(few, tokenizer())


@pytest.mark.parametrize(
    ("output", "error", "message"),
    [
        ("cat", TypeError, "output must be a list of token ids; got 'cat'"),
        (5, TypeError, "output must be a list of token ids; got 5"),
        ([1.5], TypeError, "each id of output must be a whole number"),
        ([1024], ValueError, "each id of output must be from 0 to 1,?023; got 1,?024"),
        ([1] * 2001, ValueError, "output must have at most 2,000 tokens; got 2,001"),
    ],
)
def test_an_output_that_is_none(output: Any, error: type[Exception], message: str) -> None:
    box = make()
    with pytest.raises(error, match=message):
        box.output = output
    assert box.output == []


# The picture


def test_the_picture_shows_what_a_press_would_add() -> None:
    box = make(prompt="The value <b>", max_new_tokens=12, seed=4)
    text = re.sub(r"<[^>]*>", "", box.picture().split('<div class="gen-panel">')[0])
    spelt = tokenizer().decode(box.continued(12)).replace("\n", "↵\n")
    assert text == "The value &lt;b&gt;" + spelt.replace("<", "&lt;").replace(">", "&gt;").replace(
        '"', "&quot;"
    ).replace("'", "&#x27;")
    assert box.picture().count('class="gen-token') == 12
    assert box.picture().count('class="gen-bar"') == 8
    assert "The first token after the prompt" in box.picture()
    assert f"continued by 12 tokens: “{tokenizer().decode(box.continued(12))}”" in box.description()


def test_the_picture_shows_what_was_added() -> None:
    box = make(prompt="The", top_k=3)
    box.output = tokenizer().encode(" value")
    assert "The next token" in box.picture()
    assert box.picture().count('class="gen-bar"') == 3
    best = int(box.probabilities.argmax())
    token = tokenizer().decode([best]).replace("\n", "↵")
    words = f"the most probable token is “{token}”, with probability {box.probabilities[best]:.2f}."
    assert words in box.description()


def test_the_picture_of_bytes_that_are_no_character_yet() -> None:
    box = make(prompt="a")
    box.output = tokenizer().encode("€")
    assert len(box.output) == 3
    assert re.findall(r'gen-\w+">([^<]+)</span>', box.picture())[:4] == ["a", "⋯", "⋯", "€"]
    box.output = box.output[:2]
    assert re.findall(r'gen-\w+">([^<]+)</span>', box.picture())[:3] == ["a", "⋯", "\ufffd"]


def test_special_tokens_typed_by_a_reader_are_text() -> None:
    box = make(prompt="<|endoftext|>")
    assert 0 not in box.ids
    box.output = [0]
    assert box.text == "<|endoftext|>" * 2
    assert "&lt;|endoftext|&gt;</span>" in box.picture()


# A model in Python


def ask(box: GenerateBox, prompt: list[int]) -> tuple[dict[str, Any], list[bytes]]:
    """What the box sends to the front end that asks for the logits after these ids."""
    sent: list[Any] = []
    box.send = lambda content, buffers=None: sent.append((content, buffers or []))  # type: ignore
    box._handle_custom_msg({"kind": "ask", "ids": prompt}, [])
    (answer,) = sent
    return answer


def test_python_answers_with_logits() -> None:
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(V, V + 7))  # a few more than the tokenizer has, as in padded tables
    box = GenerateBox(lambda x: rows[x[:, -1]], tokenizer())
    content, buffers = ask(box, [5, 9])
    assert content == {"kind": "logits", "ids": [5, 9]}
    assert np.frombuffer(buffers[0]).tolist() == rows[9].tolist()


def test_python_answers_with_logits_of_torch() -> None:
    torch = pytest.importorskip("torch")
    table = torch.nn.Embedding(V, V).to(torch.bfloat16)
    box = GenerateBox(lambda x: table(torch.as_tensor(x)[:, -1]), tokenizer())
    _, buffers = ask(box, [3])
    assert np.frombuffer(buffers[0]).tolist() == table.weight[3].double().tolist()


def test_an_error_of_the_model_is_sent_in_words() -> None:
    def long(x: Any) -> Any:
        raise IndexError(f"only 4 positions; got {x.shape[1]}")

    content, buffers = ask(GenerateBox(long, tokenizer()), [1] * 5)
    text = "IndexError: only 4 positions; got 5"
    assert (content, buffers) == ({"kind": "error", "ids": [1] * 5, "text": text}, [])
    content, _ = ask(GenerateBox(lambda x: np.zeros((len(x), 3)), tokenizer()), [1])
    assert content["text"] == (
        "ValueError: it must return logits for 1,024 tokens or more, as many as the tokenizer has; "
        "got 3"
    )
    content, _ = ask(GenerateBox(lambda x: np.full((len(x), V), np.nan), tokenizer()), [1])
    assert content["text"].startswith("ValueError: the model's logits[0, 0, 0] must be finite")


def test_a_page_without_python_has_the_picture_of_such_a_box() -> None:
    calls = []

    def count(x: Any) -> Any:
        calls.append(x)
        return even(x)

    box = GenerateBox(count, tokenizer(), prompt="your cat")
    html = box.html()
    assert "data-pf-widget" not in html and "<script" not in html
    assert "runs in Python: open the page as a notebook" in html
    assert 'aria-label="The prompt “your cat”."' in html
    assert calls == []  # a picture asks no large model for anything
    assert box.probabilities.tolist() == [1 / V] * V
    assert len(calls) == 1


def test_a_tokenizer_of_characters() -> None:
    letters = BPETokenizer.train("a cat sat", 12, special_tokens=["<unk>"], byte_level=False)
    fitted = NGramModel(2, vocab_size=letters.vocab_size).fit(letters.encode("a cat sat"))
    box = GenerateBox(fitted, letters, prompt="a cät")
    assert letters.special_tokens["<unk>"] in box.ids
    box.output = [letters.special_tokens["<unk>"], 3]
    assert "&lt;unk&gt;" in box.picture()
