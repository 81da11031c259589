"""Question banks: what is written is read back, compared with the tasks and held to the format."""

import ast
import io
import json
import zipfile
from pathlib import Path
from xml.etree.ElementTree import fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.classroom.bank import gift_reader, qti_reader
from tests.classroom.bank.comparing import compare_gift, compare_qti

from plainformer.classroom.bank.gift import as_gift, escaped
from plainformer.classroom.bank.markup import legal
from plainformer.classroom.bank.package import as_package
from plainformer.classroom.bank.qti import as_item
from plainformer.classroom.bank.questions import Block, Choose, LeftOut, Option, TypeIn
from plainformer.classroom.bank.spellings import spellings
from plainformer.classroom.commands import main
from plainformer.exercises.practice import chapter_tasks
from plainformer.exercises.practice.values import alike

CHAPTERS = ("attention.masking", "blocks.cost", "decoding.sampling")
PACKAGING = "{http://www.imsglobal.org/xsd/imscp_v1p1}"

# Any text but what XML cannot hold, and the characters that the reader keeps for itself.
texts = st.text(st.characters(exclude_categories=["Cs", "Co"]), max_size=30)
signs = st.text("\\~=#{}:\n[]%*`<>&'\"-/ ->ab", max_size=30)
anything = st.one_of(texts, signs)


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_gift_says_what_the_tasks_say(chapter: str) -> None:
    tasks = chapter_tasks(chapter)
    bugs = sum(task.kind == "bug" for task in tasks)
    assert compare_gift(chapter, tasks) == len(tasks) + bugs


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_items_say_what_the_tasks_say(chapter: str) -> None:
    tasks = chapter_tasks(chapter)
    bugs = sum(task.kind == "bug" for task in tasks)
    count, without = compare_qti(tasks)
    assert without == (["blocks.cost.1/order"] if chapter == "blocks.cost" else [])
    assert count == len(tasks) + bugs - len(without)


def question_of(stem: str, code: str, reply: str) -> Choose:
    options = (Option(code, reply, True), Option("x", "no", False, "Line 2"))
    return Choose("a/b", "title", (Block(stem), Block(code, code=True)), options)


@given(stem=anything, code=anything, reply=anything)
def test_gift_keeps_every_sign(stem: str, code: str, reply: str) -> None:
    (read,) = gift_reader.read_gift(as_gift("c", [question_of(stem, code, reply)]))[1]
    assert gift_reader.as_text(read.text) == legal(stem) + legal(code)
    right, wrong = read.answers
    assert gift_reader.as_text(right.text) in (legal(code), f"`{legal(code)}`")
    assert gift_reader.as_text(right.reply) == legal(reply)
    assert (right.share, wrong.share) == (1, 0)
    assert gift_reader.as_text(wrong.text) == "Line 2: `x`"


@given(stem=anything, code=anything, reply=anything)
def test_items_keep_every_sign(stem: str, code: str, reply: str) -> None:
    item = fromstring(as_item(question_of(stem, code, reply)))
    qti_reader.check_shape(item)
    (body,) = qti_reader.all_of(item, "itemBody")
    assert "".join(qti_reader.as_text(each) for each in body[:2]) == legal(stem) + legal(code)
    first, _ = qti_reader.all_of(item, "simpleChoice")
    assert qti_reader.as_text(first) in (legal(code), f"`{legal(code)}`")
    assert qti_reader.processed(item, qti_reader.right_response(item)) == (1, legal(reply))


@given(answer=anything, wrong=anything)
def test_a_text_to_type_comes_back_or_is_refused(answer: str, wrong: str) -> None:
    answer, wrong = legal(answer), legal(wrong)
    question = TypeIn("a/b", "title", (Block("?"),), answer, "yes", repr(answer), ((wrong, "no"),))
    typed = (answer, wrong, repr(answer))
    if any("->" in text or "\n" in text or text != text.strip() for text in typed):
        with pytest.raises(LeftOut):
            as_gift("c", [question])
        return
    file = as_gift("c", [question])
    (read,) = gift_reader.read_gift(file)[1]
    assert gift_reader.marked(read, answer) == (1, "yes")
    item = fromstring(as_item(question))
    qti_reader.check_shape(item)
    assert qti_reader.processed(item, answer) == (1, "yes")


@given(texts)
def test_an_escaped_text_has_no_sign_of_its_own(text: str) -> None:
    assert "\n" not in escaped(text)
    assert not {*"~=#{}:"} & {
        each for i, each in enumerate(escaped(text)) if i == 0 or escaped(text)[i - 1] != "\\"
    }


numbers = st.one_of(
    st.floats(-1000, 1000).map(lambda x: round(x, 6)), st.integers(-99, 99), st.booleans()
)


@given(st.recursive(numbers, lambda inner: st.lists(inner, max_size=3), max_leaves=6))
def test_every_spelling_is_the_value_to_a_reader_who_rounds(value: object) -> None:
    for text in spellings(value):
        assert alike(ast.literal_eval(text), value), text


def test_the_package_lists_each_file_once_and_is_always_the_same() -> None:
    questions = [question_of("?", "x", "yes")]
    data = as_package({"a.b": questions})
    assert data == as_package({"a.b": questions})
    archive = zipfile.ZipFile(io.BytesIO(data))
    manifest = fromstring(archive.read("imsmanifest.xml"))
    assert [each.tag.removeprefix(PACKAGING) for each in manifest] == [
        "metadata", "organizations", "resources",
    ]  # fmt: skip
    (resource,) = manifest.iter(f"{PACKAGING}resource")
    (file,) = resource
    assert resource.get("type") == "imsqti_item_xmlv2p1"
    assert ["imsmanifest.xml", resource.get("href")] == archive.namelist()
    assert file.get("href") == resource.get("href")


def test_the_command_writes_a_file_for_each_chapter(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bank", "--format", "gift", "--out", str(tmp_path), "--chapter", *CHAPTERS[::2]]
    assert main([*words, "--dry-run"]) == 0 and not [*tmp_path.iterdir()]
    assert main(words) == 0
    assert sorted(each.name for each in tmp_path.iterdir()) == [
        "attention.masking.txt", "decoding.sampling.txt",
    ]  # fmt: skip
    said = capsys.readouterr().out.splitlines()
    assert f"{tmp_path}/attention.masking.txt: 29 questions" in said


def test_the_command_says_what_a_format_cannot_ask(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bank", "--format", "qti", "--out", str(tmp_path), "--chapter", CHAPTERS[1]]
    assert main(words) == 0
    assert "blocks.cost.1/order is left out: more than 24" in capsys.readouterr().err
    assert main([*words, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    (path,) = told["files"]
    names = zipfile.ZipFile(path).namelist()
    assert len({*names}) == len(names) == told["files"][path] + 1
    assert [*told["left out"]] == ["blocks.cost.1/order"]


def test_a_chapter_that_is_not_there_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["bank", "--format", "gift", "--chapter", "attention.nothing"])
    assert "attention.nothing" in capsys.readouterr().err
