"""Corpora by name and by path: from a server on this machine, never from the internet."""

import errno
import hashlib
import re
import socket
from dataclasses import replace

import pytest
from tests.data.server import GOOD, TEXT, serve

from plainformer.data import CORPORA, Corpus, CorpusUnavailable, load


@pytest.fixture(scope="module")
def server():
    with serve() as (address, requests):
        yield address, requests


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """A cache folder of the test's own, and no folder of the person's."""
    folder = tmp_path / "cache"
    monkeypatch.setattr("plainformer.data.loading.cache_folder", lambda: folder)
    monkeypatch.delenv("PLAINFORMER_DATA", raising=False)
    monkeypatch.setenv("no_proxy", "*")
    return folder


@pytest.fixture
def toy(server, cache, monkeypatch):
    """Register a corpus at a path of the server; return the list of requests made from now on."""
    address, requests = server

    def register(path: str) -> list[str]:
        corpus = Corpus(
            name="toy",
            file="toy.txt",
            url=address + path,
            size=len(GOOD),
            sha256=hashlib.sha256(GOOD).hexdigest(),
            licence="none needed",
            about="a toy",
        )
        monkeypatch.setitem(CORPORA, "toy", corpus)
        requests.clear()
        return requests

    return register


@pytest.mark.parametrize("path", ["/good", "/unannounced"])
def test_a_download_is_checked_kept_and_not_repeated(toy, cache, path):
    requests = toy(path)
    assert load("toy") == TEXT  # line ends included
    assert (cache / "toy.txt").read_bytes() == GOOD
    assert load("toy") == TEXT
    assert requests == [path]
    assert [file.name for file in cache.iterdir()] == ["toy.txt"]


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("/corrupt", "the downloaded file is not the expected one, because its checksum"),
        ("/another", "the downloaded file is not the expected one, because its checksum"),
        ("/truncated", "the connection ended after "),
        ("/chunked-truncated", "IncompleteRead"),
        ("/missing", "HTTP Error 404"),
    ],
)
def test_a_bad_download_leaves_nothing_behind_and_says_what_to_do(toy, cache, path, why):
    toy(path)
    with pytest.raises(CorpusUnavailable, match=re.escape(why)) as caught:
        load("toy")
    assert list(cache.iterdir()) == []
    message = str(caught.value)
    for part in ("toy.txt", str(cache), "PLAINFORMER_DATA", f"{len(GOOD):,} bytes", "sha256"):
        assert part in message
    toy("/good")  # and the next attempt is not spoilt by this one
    assert load("toy") == TEXT


def test_without_a_network_the_error_says_which_file_to_put_where(toy, cache, monkeypatch):
    with socket.socket() as unused:  # a port on which nobody listens
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    toy("/good")
    monkeypatch.setitem(CORPORA, "toy", replace(CORPORA["toy"], url=f"http://127.0.0.1:{port}/x"))
    with pytest.raises(CorpusUnavailable, match=r"refused.* put it at .*toy\.txt") as caught:
        load("toy")
    assert isinstance(caught.value, OSError)
    (cache / "toy.txt").write_bytes(GOOD)  # what the message asks for
    assert load("toy") == TEXT


def test_a_full_disk_is_no_fault_of_the_network(toy, cache, monkeypatch):
    toy("/good")

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("plainformer.files.os.fsync", full)
    with pytest.raises(OSError, match=r"No space left on device: '.*toy.txt'") as caught:
        load("toy")
    assert caught.value.errno == errno.ENOSPC
    assert not isinstance(caught.value, CorpusUnavailable)
    assert list(cache.iterdir()) == []


def test_a_cache_that_cannot_be_a_folder_is_named(toy, cache):
    cache.write_text("a file where the folder should be")
    toy("/good")
    with pytest.raises(FileExistsError, match="cache"):
        load("toy")


def test_a_spoilt_copy_in_the_cache_is_fetched_anew_and_kept_until_then(toy, cache):
    cache.mkdir()
    (cache / "toy.txt").write_bytes(GOOD[:100])
    toy("/missing")
    with pytest.raises(CorpusUnavailable):
        load("toy")
    assert (cache / "toy.txt").read_bytes() == GOOD[:100]
    requests = toy("/good")
    assert load("toy") == TEXT
    assert requests == ["/good"]


def test_a_download_says_what_it_fetches_and_where_to(toy, cache, capsys):
    toy("/good")
    load("toy")
    assert capsys.readouterr().out == f"downloading toy ({len(GOOD):,} bytes) to {cache}/toy.txt\n"
    load("toy")
    assert capsys.readouterr().out == ""


def test_a_folder_in_plainformer_data_that_does_not_exist_is_named(toy, tmp_path, monkeypatch):
    requests = toy("/good")
    monkeypatch.setenv("PLAINFORMER_DATA", str(tmp_path / "gone"))
    with pytest.raises(ValueError, match=r"PLAINFORMER_DATA must be a folder; '.*gone' is not"):
        load("toy")
    assert requests == []


def test_the_folder_in_plainformer_data_comes_first(toy, cache, tmp_path, monkeypatch):
    requests = toy("/good")
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / "toy.txt").write_bytes(GOOD)
    monkeypatch.setenv("PLAINFORMER_DATA", str(folder))
    assert load("toy") == TEXT
    assert requests == [] and not cache.exists()

    (folder / "toy.txt").write_bytes(GOOD + b"x")
    with pytest.raises(ValueError, match=r"toy\.txt is not the corpus 'toy'.*wrong sha256"):
        load("toy")
    (folder / "toy.txt").unlink()  # a folder without it is no hindrance
    assert load("toy") == TEXT
    assert requests == ["/good"] and list(folder.iterdir()) == []


def test_an_unknown_name_lists_the_known_ones(cache):
    message = "a known corpus, which are 'tinyshakespeare' and 'stories'; got 'shakespeare'"
    with pytest.raises(ValueError, match=message):
        load("shakespeare")


@pytest.mark.parametrize("kind", [str, lambda path: path])
def test_a_file_of_ones_own_works_too(tmp_path, kind):
    path = tmp_path / "mine.txt"
    path.write_bytes(TEXT.encode())
    assert load(kind(path)) == TEXT
    path.write_bytes(TEXT.encode("utf-8-sig"))
    assert load(kind(path)) == TEXT


def test_a_file_without_suffix_in_the_working_folder_works_too(tmp_path, monkeypatch):
    (tmp_path / "notes").write_text("hello", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert load("notes") == load("./notes") == "hello"


def test_what_is_wrong_with_ones_own_file_is_told(tmp_path, monkeypatch):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*gone\.txt"):
        load(tmp_path / "gone.txt")
    with pytest.raises(ValueError, match=r".* is a folder; expected an ordinary file"):
        load(tmp_path)
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="folder is a folder; expected an ordinary file"):
        load("folder")
    with pytest.raises(ValueError, match="/dev/null is a device or a pipe"):
        load("/dev/null")
    (tmp_path / "latin.txt").write_bytes("voilà".encode("latin-1"))
    with pytest.raises(ValueError, match=r"latin\.txt must be UTF-8 text; byte 4 is not"):
        load(tmp_path / "latin.txt")
    for wrong in (None, 3, b"tinyshakespeare", ["tinyshakespeare"]):
        with pytest.raises(TypeError, match="name must be the name of a corpus or the path"):
            load(wrong)


def test_every_registered_corpus_is_fully_described():
    for name, corpus in CORPORA.items():
        assert name == corpus.name
        assert re.fullmatch(r"[0-9a-f]{64}", corpus.sha256)
        assert (corpus.url is None or corpus.url.startswith("https://")) and corpus.size > 0
        assert corpus.licence.endswith(".") and corpus.about.endswith(".")
        assert "/" not in corpus.file


def test_the_real_corpus_is_the_one_that_the_registry_names(tinyshakespeare):
    assert load("tinyshakespeare") == tinyshakespeare
    assert len(tinyshakespeare.encode()) == CORPORA["tinyshakespeare"].size


def test_a_corpus_without_an_address_says_what_it_is_and_where_it_belongs(cache):
    with pytest.raises(CorpusUnavailable, match="no public address has exactly this") as caught:
        load("stories")
    for part in ("TinyStories", "stories.txt", str(cache), "PLAINFORMER_DATA", "sha256"):
        assert part in str(caught.value)
