"""The text that needs no download."""

import builtins
import hashlib
import subprocess
import sys

import pytest

from plainformer.data import python_manual


def test_it_is_long_and_reads_as_english():
    text = python_manual()
    assert 400_000 < len(text) < 600_000
    words = text.lower().split()
    assert sum(word in {"the", "a", "of", "is", "to", "and", "in"} for word in words) > 9_000
    assert text == text.strip() + "\n"


def test_no_topic_stands_there_twice():
    from pydoc_data.topics import topics

    text = python_manual()
    for name in topics:
        assert text.count(topics[name].strip()) == 1, name


def test_it_is_the_same_in_every_process():
    code = (
        "import hashlib; from plainformer.data import python_manual;"
        "print(hashlib.sha256(python_manual().encode()).hexdigest())"
    )
    ours = hashlib.sha256(python_manual().encode()).hexdigest()
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ours


def test_a_python_without_it_is_told_what_to_install(monkeypatch):
    real = builtins.__import__

    def without(name, *args):
        if name.startswith("pydoc_data"):
            raise ModuleNotFoundError(name)
        return real(name, *args)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ModuleNotFoundError, match="install the full standard library"):
        python_manual()
