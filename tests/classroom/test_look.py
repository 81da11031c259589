"""The pages of `grade --look`: for the teacher alone, and nothing of a student's runs in them."""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import re
import struct
import threading
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.classroom.test_course import course
from tests.classroom.test_grade import RIGHT, notebook
from tests.classroom.test_settled import FIRST
from tests.site.axe import axe_problems

from plainformer.classroom.answers import MAX_TEXT, answers_of
from plainformer.classroom.course import load_course, new_secret
from plainformer.classroom.feedback import Extra, as_html, as_markdown
from plainformer.classroom.judge import Mark
from plainformer.classroom.look import server as server_module
from plainformer.classroom.look.desk import Desk
from plainformer.classroom.look.page import AT_ONCE
from plainformer.classroom.look.server import LookServer
from plainformer.classroom.marks import AssignmentFiles
from plainformer.classroom.overrides import Override, overrides, set_override
from plainformer.classroom.settled import settle

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SETTINGS = """\
[course]
name = "Tests"
[grading]
sandbox = "unsafe"
[assignments.week-1]
exercises = [{ id = "course.triple.1", points = 4 }]
questions = [{ id = "why", points = 2 }, { id = "heat_map", points = 3, code = true }]
[assignments.week-1.rubric.why]
"too <b>short</b>" = 0.5
"""
EVIL = (
    "</pre></code><script>document.title = 'owned'</script><img src=x onerror=\"document.title="
    "'owned'\">]]>--><svg onload=document.title='owned'></svg>\u202e\u2066\x00\x1b[31m{{7*7}}&lt;"
)
HOSTILE = (EVIL, f'x = """{EVIL}"""', f"# {EVIL}", "\ud800\udfff", "`" * 40 + "\n<script>", "")


def png(width, height):
    """The picture of one colour, or only a claim of it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    rows = zlib.compress(b"\0" * (width + 1) * height) if width * height < 1e6 else b""

    def chunk(kind, data):
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def shown(data):
    return {"output_type": "display_data", "data": data, "metadata": {}}


OUTPUTS = [
    {"output_type": "stream", "name": EVIL, "text": [EVIL, "\n", 7, None]},
    shown({"image/png": base64.b64encode(png(40, 30)).decode(), "text/plain": "a figure"}),
    shown({"image/png": base64.b64encode(png(50_000, 50_000)).decode()}),
    shown({"image/png": f"javascript:{EVIL}"}),
    shown({"image/svg+xml": "<svg onload=alert(1)>"}),
    shown({"text/html": f"<b>{EVIL}</b>", EVIL: 1}),
    shown({"text/plain": "long " * MAX_TEXT}),
    {"output_type": "error", "traceback": [EVIL, 3]},
    {"output_type": "error"},
    shown(7),
    EVIL,
    None,
]


def written(answers, more):
    """A notebook with answers, and cells for questions."""
    book = json.loads(notebook(answers))
    book["cells"] += more
    return json.dumps(book)


def cell(question, source, outputs=(), kind="code"):
    cell = {"cell_type": kind, "id": f"written-{question}", "metadata": {}, "source": source}
    return {**cell, "outputs": list(outputs)} if kind == "code" else cell


@pytest.fixture
def place(tmp_path):
    course(tmp_path, SETTINGS)
    new_secret(tmp_path)
    (tmp_path / "questions").mkdir()
    for name in ("why", "heat_map"):
        text = f"# About {name} <script>\n\nSay *{name}* {EVIL}.\n"
        (tmp_path / "questions" / f"{name}.md").write_text(text)
    loaded = load_course(tmp_path)
    made = AssignmentFiles(loaded, loaded.assignment("week-1"))
    made.submissions.mkdir(parents=True)

    def put(name, text):
        (made.submissions / f"{name}.ipynb").write_text(text)

    put(
        "<script>alert(1)</script>".replace("/", "_"),
        written(
            {FIRST: EVIL}, [cell("why", EVIL, kind="markdown"), cell("heat_map", EVIL, OUTPUTS)]
        ),
    )
    put("Ann Lee", written(RIGHT, [cell("why", "Because.", kind="markdown"),
                                   cell("heat_map", "plt.plot(x)", OUTPUTS[1:2])]))  # fmt: skip
    put("bob", written({"imports": "x"}, [cell("why", ["a", "b"], kind="markdown")]))
    put("cut", "{")
    put("odd", json.dumps({"cells": [7, None, {"id": "written-why"}, {"outputs": 3}]}))
    put("nested", "[" * 5000)
    for i, source in enumerate(HOSTILE):
        put(f"z{i}", written({FIRST: source}, [cell("why", source), cell("heat_map", source)]))
    return made


@pytest.fixture
def desk(place):
    names = sorted(path.stem for path in place.submissions.glob("*.ipynb"))
    text = f"The call: {EVIL}"
    return Desk(place, {name: [Mark(FIRST, "wrong", 1, 4, text=text, hint="H")] for name in names})


@contextlib.contextmanager
def serving(desk):
    with LookServer(desk) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def server(desk):
    with serving(desk) as running:
        yield running


def ask(server, path, method="GET", body=None, **headers):
    """One request with these headers and no others; a header that is None is left out."""
    connection = http.client.HTTPConnection(*server.server_address[:2], timeout=10)
    connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"Host": server.own, **headers}.items():
        if value is not None:
            connection.putheader(name.replace("_", "-"), value)
    if body is not None:
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    reply = connection.getresponse()
    text = reply.read().decode()
    connection.close()
    return reply.status, text, reply.headers


def save(server, body, path=None, **headers):
    given = {"Origin": f"http://{server.own}", "Content_Type": "application/json", **headers}
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return ask(server, path or f"/{server.token}/save", "POST", data, **given)


GOOD = {"question": 1, "student": "Ann Lee", "points": "1,5", "comment": "Yes.", "rubric": []}


def test_only_the_teachers_browser_with_the_token_gets_anything(server):
    assert server.server_address[0] == "127.0.0.1" and len(server.token) >= 43
    at = f"/{server.token}/"
    assert ask(server, at)[0] == 200
    wrong = [
        ("/", 404), (f"/{server.token}", 404), (f"/{server.token[:-1]}/", 404), ("//", 404),
        (f"{at}../{server.token}/", 404), (f"{at}0", 404), (f"{at}4", 404), (f"{at}9999", 404),
        (f"{at}-1", 404), (f"{at}1?page=2", 404), (f"{at}1?page=0", 404), (f"{at}1?x", 404),
        (f"{at}page.py", 404), (f"{at}..%2fsecret.txt", 404), (f"{at}../../secret.txt", 404),
        (f"{at}/etc/passwd", 404), (f"/{'x' * 60_000}/", 404), (f"{at}save", 404),
        (f"{at}secret.txt", 404), (f"{at}%EF%BC%91", 404),
    ]  # fmt: skip
    for path, status in wrong:
        assert ask(server, path)[0] == status, path
    for host in (None, "localhost", f"localhost:{server.server_address[1]}", "evil.example"):
        assert ask(server, at, Host=host)[0] == 421, host
    assert ask(server, at, Sec_Fetch_Site="cross-site")[0] == 403
    assert ask(server, at, Sec_Fetch_Site="none")[0] == 200
    for method in ("PUT", "DELETE", "OPTIONS", "HEAD", "TRACE"):
        assert ask(server, at, method)[0] == 501, method
    for path in ("", "1", "look.css", "look.js"):
        _, _, headers = ask(server, at + path)
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["Cache-Control"] == "no-store" and "Access-Control" not in str(headers)
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_only_its_own_page_can_write(server, place):
    refused = [
        (403, {"Origin": None}),
        (403, {"Origin": "null"}),
        (403, {"Origin": "http://evil.example"}),
        (403, {"Origin": f"http://localhost:{server.server_address[1]}"}),
        (403, {"Sec_Fetch_Site": "cross-site"}),
        (421, {"Host": "evil.example"}),
        (415, {"Content_Type": "text/plain"}),
        (404, {"path": "/save"}),
        (404, {"path": f"/{'A' * 43}/save"}),
    ]
    for status, headers in refused:
        assert save(server, GOOD, **headers)[0] == status, headers
    assert overrides(place) == {}
    assert save(server, GOOD)[0] == 200
    assert overrides(place)["Ann Lee", "why"] == Override(1.5, "Yes.")


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"[" * 60_000, b"7", b'"x"', b"null", b"\xff", b" " * 70_000,
        {**GOOD, "question": 7}, {**GOOD, "question": -1}, {**GOOD, "question": True},
        {**GOOD, "question": 1e9}, {**GOOD, "student": "../x"}, {**GOOD, "student": ["Ann Lee"]},
        {**GOOD, "points": "3"}, {**GOOD, "points": "nan"}, {**GOOD, "points": 1},
        {**GOOD, "rubric": ["no"]}, {**GOOD, "rubric": [1]}, {**GOOD, "rubric": "no"},
        {**GOOD, "comment": "x" * 20_000}, {**GOOD, "comment": None}, {"question": 1},
    ],
)  # fmt: skip
def test_what_is_no_mark_is_refused_and_changes_nothing(server, place, body):
    status, text, _ = save(server, body)
    assert status == 400 and json.loads(text)["error"] and overrides(place) == {}


def test_what_is_set_is_kept_at_once_and_survives(server, place, desk):
    name = "too <b>short</b>"
    told = json.loads(save(server, {**GOOD, "rubric": [name], "points": ""})[1])
    assert told == {"said": "1.5 of 2 points: 2 by hand, 0.5 off", "waiting": False,
                    "left": len(desk.judged) - 1}  # fmt: skip
    assert save(server, {**GOOD, "question": 0, "comment": "=1+1\r\nnext", "points": "3"})[0] == 200
    # What another command writes in the meantime stays.
    set_override(place, "bob", FIRST, "2")
    assert save(server, {**GOOD, "question": 2, "points": "0", "comment": ""})[0] == 200
    assert overrides(place) == {
        ("Ann Lee", "why"): Override(None, "Yes.", (name,)),
        ("Ann Lee", FIRST): Override(3, "=1+1\nnext"),
        ("Ann Lee", "heat_map"): Override(0),
        ("bob", FIRST): Override(2),
    }
    marks = settle(place, desk.judged).marks
    assert [mark.points for mark in marks["Ann Lee"]] == [3, 1.5, 0]
    page = ask(server, f"/{server.token}/1")[1]
    assert "\n=1+1\nnext</textarea>" in page and "3 of 4 points: 3 by hand" in page
    # Emptied again, the judge's mark counts, and a question waits.
    empty = {"points": " ", "comment": " "}
    assert save(server, {**GOOD, **empty, "question": 0})[0] == 200
    assert json.loads(save(server, {**GOOD, **empty})[1])["said"] == "No points yet"
    assert ("Ann Lee", "why") not in overrides(place)


def test_many_at_once_all_stay(server, place, desk):
    names = list(desk.judged)
    bodies = [{**GOOD, "student": name, "question": q} for name in names for q in (0, 1)]
    with ThreadPoolExecutor(len(bodies)) as pool:
        assert {status for status, *_ in pool.map(save, [server] * len(bodies), bodies)} == {200}
    assert len(overrides(place)) == 2 * len(names)


def test_what_a_student_wrote_is_text_and_all_of_it_is_there(server, desk):
    for number in ("1", "2", "3"):
        page = ask(server, f"/{server.token}/{number}")[1]
        assert page.count("<script") == 1 and "onerror=&quot;" in page and "<svg" not in page
        assert not re.search(r"<img (?!alt=)", page) and "<b>" not in page
        assert "⟨202E⟩" in page and "\u202e" not in page and "\x00" not in page
        assert re.findall(r'(?:src|href)="(?!data:image/png;base64,|[\w./]*"|#main")', page) == []
        for student in desk.judged:
            assert student.replace("<", "&lt;").replace(">", "&gt;") in page
    assert page.count("<img ") == 2  # the true pictures
    assert "larger than 5000 pixels" in page and "it is damaged" in page
    assert "it is image/svg+xml" in page and "{{7*7}}&amp;lt;" in page


def test_feedback_shows_the_same_text_as_text(place):
    assignment = place.assignment
    marks = [Mark(FIRST, "ok", 4, 4, comment=EVIL), Mark("why", "ok", 1, 2, text=EVIL),
             Mark("heat_map", "ok", 3, 3, taken=((EVIL, 1.0),))]  # fmt: skip
    for source in HOSTILE:
        answers = dict.fromkeys((FIRST, "why", "heat_map"), source)
        extra = Extra([EVIL], answers, frozenset(["why"]), [EVIL])
        page = as_html(EVIL, assignment, marks, extra)
        assert "<script" not in page and "<img" not in page and "<svg" not in page
        text = as_markdown("ann", assignment, marks, extra)
        fences = [line for line in text.split("\n") if re.match(r"`{3,}(python)?$", line)]
        assert len(fences) in ((6, 9) if "`" in source else (6, 0))


def test_answers_are_read_within_limits(place):
    found = answers_of(place.submissions / "Ann Lee.ipynb", place.assignment)
    assert found["why"].source == "Because." and not found["why"].code
    assert found["heat_map"].outputs[0].picture == png(40, 30)
    odd = answers_of(place.submissions / "odd.ipynb", place.assignment)
    assert odd["why"].problem and odd[FIRST].problem and odd["why"].outputs == ()
    (evil,) = (path for path in place.submissions.glob("*script*"))
    outputs = answers_of(evil, place.assignment)["heat_map"].outputs
    assert len(outputs) == 9 and all(len(each.text) <= MAX_TEXT + 1 for each in outputs)


def test_many_students_are_on_several_pages(place, desk):
    judged = {f"s{i:03}": [Mark(FIRST, "ok", 4, 4)] for i in range(AT_ONCE + 5)}
    for name in judged:
        (place.submissions / f"{name}.ipynb").write_text(notebook(RIGHT))
    with serving(Desk(place, judged)) as server:
        assert ask(server, f"/{server.token}/1")[1].count("<article") == AT_ONCE
        assert ask(server, f"/{server.token}/1?page=2")[1].count("<article") == 5


def test_a_table_that_is_damaged_meanwhile_is_said(server, place):
    (place.course.folder / "manual").mkdir(exist_ok=True)
    (place.course.folder / "manual" / "week-1-overrides.csv").write_text("student\n")
    status, text, _ = ask(server, f"/{server.token}/1")
    assert status == 409 and "line 1: there is no column" in text
    assert "there is no column" in json.loads(save(server, GOOD)[1])["error"]


def test_no_file_is_opened_for_a_request(server, monkeypatch):
    monkeypatch.setattr(server_module, "FOLDER", None)
    assert ask(server, f"/{server.token}/look.js")[0] == 200


def test_a_teacher_marks_by_keyboard_and_axe_finds_nothing(server, place, browser: Browser):
    for scheme, width, names in (("light", 1200, ("2", "3")), ("dark", 360, ("", "1"))):
        context = browser.new_context(color_scheme=scheme, viewport={"width": width, "height": 900})
        view = context.new_page()
        errors: list[str] = []
        view.on("pageerror", lambda error, errors=errors: errors.append(str(error)))
        for name in names:
            view.goto(server.address + name)
            for each in view.locator("summary").all():
                each.click()
            assert axe_problems(view) == [] and errors == []
            assert view.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
            assert view.title() != "owned"
        context.close()
    page = browser.new_page()
    page.goto(server.address + "2")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # past the links of the top
    while page.evaluate("document.activeElement.name") != "points":
        page.keyboard.press("Tab")
    page.keyboard.type("1.5")
    page.keyboard.press("Enter")
    expect(page.locator("#points-1")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Space")  # the deduction
    page.keyboard.press("Tab")
    page.keyboard.type("More,\nplease.")
    page.keyboard.press("Control+Enter")
    expect(page.locator("#points-2")).to_be_focused()
    assert (
        page.locator("[role=status]").nth(1).inner_text()
        == "Kept. 1.5 of 2 points: 2 by hand, 0.5 off"
    )
    page.keyboard.type("9")
    page.keyboard.press("Enter")
    page.wait_for_selector(".failed")
    assert "points must be a number from 0 to 2" in page.locator(".failed").inner_text()
    page.close()
    kept = sorted(overrides(place).values(), key=lambda each: each.comment)
    assert kept == [Override(1.5), Override(None, "More,\nplease.", ("too <b>short</b>",))]
