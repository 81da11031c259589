"""Landlock and the filter of system calls: what is held, and what is said not to be."""

import os
import platform
import re
import struct
import sys
from pathlib import Path

import pytest
from tests.classroom.test_judge import RIGHT, mark, real

from plainformer.classroom import commands, syscalls
from plainformer.classroom import doctor as doctor_module
from plainformer.classroom.commands import main
from plainformer.classroom.doctor import LIMITS, examine
from plainformer.classroom.hostile import HARM
from plainformer.classroom.landlock import beneath, ruleset
from plainformer.classroom.sandbox import choose
from plainformer.classroom.sandbox import landlock as landlock_module
from plainformer.classroom.syscalls import ALONE, CALLS, CLONE, PRLIMIT, SOCKET, steps

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ALLOW, DENY = syscalls.ALLOW, syscalls.DENY


def decided(machine, number, *arguments, alone=True, of=None):
    """What the kernel would do with a call: its filter, run here step by step."""
    given = struct.pack(
        "=iIQ6Q",
        number,
        of or syscalls.MACHINES[machine],
        0,
        *arguments,
        *[0] * (6 - len(arguments)),
    )
    program, at, loaded = steps(machine, alone=alone), 0, 0
    while True:
        what, if_so, if_not, value = program[at]
        at += 1
        if what == syscalls.RETURN:
            return value
        if what == syscalls.LOAD:
            (loaded,) = struct.unpack_from("=I", given, value)
            continue
        holds = {
            syscalls.IF_EQUAL: loaded == value,
            syscalls.IF_LARGER: loaded >= value,
            syscalls.IF_ANY: bool(loaded & value),
        }[what]
        at += if_so if holds else if_not


@pytest.mark.parametrize("machine", list(HEADERS))
def test_the_filter_lets_through_what_answers_need_and_nothing_of_the_rest(machine):
    which = list(syscalls.MACHINES).index(machine)
    clone, socket, prlimit = CLONE[which], SOCKET[which], PRLIMIT[which]
    for numbers in (*CALLS.values(), *ALONE.values()):
        if numbers[which] is not None:
            assert decided(machine, numbers[which]) == DENY
    assert {decided(machine, n, alone=False) for n in (0, 1, 3, 500)} == {ALLOW}
    assert decided(machine, clone, 0x3D0F00) == ALLOW  # a thread, as pthread_create makes one
    assert decided(machine, clone, 0x01200011) == DENY  # a process, as fork makes one
    assert decided(machine, clone, 0x01200011, alone=False) == ALLOW
    assert decided(machine, clone, 0x3D0F00 | 0x10000000) == DENY  # a namespace
    assert decided(machine, socket, 2, alone=False) == ALLOW
    assert decided(machine, socket, 40, alone=False) == decided(machine, socket, 2) == DENY
    assert decided(machine, prlimit, 0, 4, 0) == ALLOW  # a limit is read
    assert decided(machine, prlimit, 0, 4, 1 << 32) == decided(machine, prlimit, 0, 4, 8) == DENY
    assert decided(machine, 0x40000000) == DENY and decided(machine, 1, of=7) == syscalls.KILL


@pytest.mark.parametrize("machine", list(HEADERS))
def test_the_numbers_are_those_of_the_systems_headers(machine):
    if not HEADERS[machine].exists():
        pytest.skip(f"{HEADERS[machine]} is not here; it comes with linux-libc-dev")
    text = HEADERS[machine].read_text()
    said = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", text)
    there = {name: int(number) for name, number in said}
    which = list(syscalls.MACHINES).index(machine)
    known = {**CALLS, **ALONE, "clone": CLONE, "socket": SOCKET, "prlimit64": PRLIMIT}
    late = {name for name, both in known.items() if min(filter(None, both)) > 448}
    wrong = {
        name: numbers[which]
        for name, numbers in known.items()
        if there.get(name) != numbers[which] and not (name in late and name not in there)
    }
    assert wrong == {}


def test_a_rule_covers_all_of_a_folder_but_the_exercises(tmp_path):
    for name in ("a", "b/c", "b/exercises", "d"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "b" / "x.py").touch()
    found = {
        each.relative_to(tmp_path).as_posix()
        for each in beneath(tmp_path, tmp_path / "b/exercises")
    }
    assert found == {"a", "b/c", "b/x.py", "d"}
    assert list(beneath(tmp_path / "b/exercises", tmp_path / "b/exercises")) == []


def test_a_ruleset_names_what_its_version_knows_and_no_more():
    assert struct.unpack("=Q", ruleset(3)) == ((1 << 15) - 1,)
    assert struct.unpack("=2Q", ruleset(4)) == ((1 << 15) - 1, 3)
    assert struct.unpack("=3Q", ruleset(7)) == ((1 << 16) - 1, 3, 3)


CHANGES = """
import os
def double(x):
    for name, change in {
        "mode": lambda: os.chmod(PLACE, 0o777), "times": lambda: os.utime(PLACE, (0, 0)),
        "owner": lambda: os.chown(PLACE, 1, 1), "length": lambda: os.truncate(PLACE, 0),
        "content": lambda: open(PLACE, "a").close(), "secret": lambda: open(PLACE).close(),
        "name": lambda: os.rename(PLACE, PLACE + "x"), "link": lambda: os.link(PLACE, "x"),
        "end": lambda: os.kill(PID, 9), "process": os.fork,
        "program": lambda: os.execv("/bin/sh", ["sh"]),
        "folder": lambda: os.mkdir("x"), "socket": lambda: __import__("socket").socket(),
    }.items():
        try: change()
        except OSError: continue
        raise OSError(f"escaped: {name}")
    open("scratch", "w").write("mine")
    return [open("scratch").read(), *os.listdir(".")]
"""


def test_a_file_of_the_teachers_can_be_neither_read_nor_changed_in_any_way(tmp_path):
    """Landlock itself lets a mode, a time and an owner be changed; the filter does not."""
    path = tmp_path / "secret.txt"
    path.write_text("secret")
    before = path.stat()
    cell = f"PLACE, PID = {str(path)!r}, {os.getpid()}\n{CHANGES}"
    got = mark(cell, real("landlock"))
    assert "escaped" not in got.text and "Your answer: ['mine', 'scratch']" in got.text
    after = path.stat()
    assert (after.st_mode, after.st_mtime_ns, after.st_uid, path.read_text()) == (
        before.st_mode, before.st_mtime_ns, before.st_uid, "secret",
    )  # fmt: skip


def test_what_a_worker_wrote_is_limited_and_goes_with_it(monkeypatch, tmp_path):
    start = real("landlock")
    monkeypatch.setattr(landlock_module.tempfile, "tempdir", str(tmp_path))
    many = "def double(x):\n    for i in range(10**6): open(str(i), 'w').close()"
    assert mark(many, start, seconds=60.0).status == "memory"
    much = "def double(x):\n    for i in range(99): open(str(i), 'wb').write(bytes(8 << 20))"
    assert mark(much, start, seconds=60.0).status in ("memory", "wrong")
    assert list(tmp_path.iterdir()) == []


def test_what_landlock_does_not_hold_is_what_it_is_said_not_to(monkeypatch):
    """Of the hostile answers, those that only look, and some of those that act."""
    start = choose("landlock", LIMITS)
    real("landlock")
    more = ("the network", "somebody else's process", "the exercises' files", "a neighbour's work")
    more += ("limits of its own", "a process that lives on", "files outside")
    names = (*landlock_module.GAPS, *more)
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", {name: HARM[name] for name in names})
    found = dict(examine(start, seconds=3.0))
    assert {name for name, wrong in found.items() if wrong} <= set(landlock_module.GAPS)


def test_a_doctor_says_what_is_known_and_still_fails_for_what_is_not(monkeypatch, capsys):
    real("landlock")
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    tried = {"the machine's name and clock": HARM["the machine's name and clock"]}
    monkeypatch.setattr(doctor_module, "HARM", tried)
    assert main(["doctor", "--sandbox", "landlock"]) == 0
    said = capsys.readouterr().out
    assert "KNOWN  the machine's name and clock: the machine's name can be seen" in said
    assert said.endswith("What is marked KNOWN it does not hold.\n")
    tried["new"] = "def double(x): raise ValueError('escaped: the cage')"
    assert main(["doctor", "--sandbox", "landlock"]) == 1
    assert "FAILED  new: the cage" in capsys.readouterr().out


def test_to_grade_with_landlock_alone_is_never_without_a_word(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(commands, "best", lambda name: ("landlock", []))
    monkeypatch.setattr(doctor_module, "best", lambda: ("landlock", ["bubblewrap is missing"]))
    (tmp_path / "course.toml").write_text('[course]\nname = "Tests"\n')
    assert main(["--course", str(tmp_path), "grade", "week-1"]) == 1
    assert "Landlock is all that is here: bubblewrap is missing." in capsys.readouterr().err


def test_where_there_is_none_it_is_said(monkeypatch):
    from plainformer.classroom import landlock

    monkeypatch.setattr(landlock, "version", lambda: 2)
    assert landlock_module.available() == landlock_module.NEEDS
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert syscalls.forbid() is False
    monkeypatch.setattr(sys, "platform", "win32")
    assert "Linux alone" in landlock_module.available()


def test_imports_work_where_folders_can_be_listed_no_more():
    cell = "import decimal, numpy.fft, plainformer.attention\nimport plainformer.decoding"
    assert mark(f"{cell}\n{RIGHT}", real("landlock")).status == "ok"
