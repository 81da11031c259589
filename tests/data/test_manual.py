"""The two texts that the package carries: the words that the book's numbers depend on."""

import gzip
import hashlib
import re

import pytest

from plainformer.data import python_manual, shipped_texts
from plainformer.data.shipped_texts import FOLDER, SHA256, read_shipped_text


def test_the_manual_is_long_and_reads_as_english():
    text = python_manual()
    assert len(text) == 464_524
    words = text.lower().split()
    assert sum(word in {"the", "a", "of", "is", "to", "and", "in"} for word in words) > 9_000
    assert text == text.strip() + "\n"
    topics = text.split("\n\n\n")
    assert len(topics) == len(set(topics))


def test_every_text_in_the_folder_has_its_hash():
    assert {path.name for path in FOLDER.iterdir()} == {f"{name}.gz" for name in SHA256}
    for name, expected in SHA256.items():
        assert hashlib.sha256(read_shipped_text(name).encode()).hexdigest() == expected


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-100],
        lambda data: b"",
        lambda data: b"not compressed at all",
        lambda data: gzip.compress(gzip.decompress(data).replace(b"loop", b"hoop", 1)),
    ],
    ids=["cut short", "empty", "something else", "one word changed"],
)
def test_a_damaged_text_is_refused_with_what_to_do(damage, tmp_path, monkeypatch):
    whole = (FOLDER / "manual.txt.gz").read_bytes()
    (tmp_path / "manual.txt.gz").write_bytes(damage(whole))
    monkeypatch.setattr(shipped_texts, "FOLDER", tmp_path)
    said = f"manual.txt.gz must hold the text with the sha256 {SHA256['manual.txt'][:12]}"
    with pytest.raises(ValueError, match=re.escape(said) + ".*Install plainformer again"):
        python_manual()


def test_a_missing_text_is_named(tmp_path, monkeypatch):
    monkeypatch.setattr(shipped_texts, "FOLDER", tmp_path)
    with pytest.raises(FileNotFoundError, match=r"installed without .*manual\.txt\.gz"):
        python_manual()
