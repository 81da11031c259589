"""What the doctor finds and advises, and what is said where a sandbox is missing."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys

import pytest
from tests.classroom.test_judge import RIGHT

from plainformer.classroom import commands as commands_module
from plainformer.classroom import doctor as doctor_module
from plainformer.classroom.commands import main
from plainformer.classroom.doctor import admitted, advice, examine
from plainformer.classroom.hostile import HARM, NOT_PROMISED
from plainformer.classroom.sandbox import bubblewrap as bubblewrap_module
from plainformer.classroom.sandbox import choose
from plainformer.classroom.sandbox import container as container_module


@pytest.mark.parametrize(
    ("cell", "wrong"),
    [
        (RIGHT, "it earned a point"),
        ("def double(x): raise ValueError('escaped: the cage')", "the cage"),
        (HARM["the network"], "the machine's network"),
    ],
)
def test_an_examination_sees_what_escapes(cell, wrong, monkeypatch):
    """Without a sandbox: so that of every hostile answer, in `test_judge.py`, can fail."""
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", {"harm": cell})
    assert dict(examine(choose("unsafe"), seconds=60.0)) == {"an honest answer": "", "harm": wrong}


@pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="one port has one listener here")
def test_a_doctor_still_listens_when_another_has_ended():
    """Two may examine at once, each with the hostile answer that looks for port 47629."""
    with contextlib.ExitStack() as first:
        first.enter_context(doctor_module._somebody_who_listens())
        with doctor_module._somebody_who_listens():
            first.close()
            socket.create_connection(("127.0.0.1", 47629), timeout=10).close()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not listed in /proc")
def test_an_examination_sees_a_process_that_lives_on(monkeypatch):
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", {"harm": HARM["a process that lives on"]})
    monkeypatch.setattr(doctor_module, "VANISHING", 0.5)  # it will not
    found = dict(examine(choose("unsafe"), seconds=60.0))["harm"]
    pid = int(found.removeprefix("process "))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


def test_what_is_not_promised_is_tried_and_said(monkeypatch, capsys):
    """An answer that hides a change of its argument, by patching the worker in its own process."""
    assert dict(admitted(choose("unsafe"))) == dict.fromkeys(NOT_PROMISED, False)
    monkeypatch.setattr(commands_module, "choose", lambda name, limits: choose("unsafe"))
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", {})
    assert main(["doctor"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[-2:] == [
        "NOT CONTAINED, AND NOT PROMISED  a change of its argument that it hides",
        "Everything that is promised was contained.",
    ]
    assert main(["doctor", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["not_promised"] == dict(admitted(choose("unsafe")))


def test_what_is_left_for_the_next_submission_is_seen(monkeypatch):
    """Where two share a descriptor, as two forks of one zygote did."""
    left = {name: cell for name, cell in HARM.items() if "open file" in name}
    assert len(left) == 2 and len(set(left.values())) == 1
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", left)
    with shared_null() as start:
        found = list(dict(examine(start, seconds=60.0)).values())
    assert found == ["", "", "what another submission has set on descriptor 0"]


@contextlib.contextmanager
def shared_null():
    """What starts workers that have one open file on their three standard descriptors."""
    nothing = os.open(os.devnull, os.O_RDWR)
    popen = subprocess.Popen
    standard = dict.fromkeys(("stdin", "stdout", "stderr"), nothing)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(subprocess, "Popen", lambda line, **more: popen(line, **more | standard))
            yield choose("unsafe")
    finally:
        os.close(nothing)


def test_a_doctor_advises_against_root_and_against_no_sandbox_at_all(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setattr(container_module.shutil, "which", lambda name: None)
    root, none = advice()
    assert "an ordinary user is enough" in root and "do not run" in none


def test_a_sandbox_that_is_not_here_is_named_with_the_command_that_mends_it(monkeypatch):
    monkeypatch.setattr(bubblewrap_module.shutil, "which", lambda name: None)
    for name in ("best", "bubblewrap"):
        with pytest.raises(OSError, match=r"apt-get install bubblewrap.*--unsafe"):
            choose(name)
    with pytest.raises(ValueError, match="sandbox"):
        choose("docker-in-docker")


def test_a_bubblewrap_that_may_not_work_is_said_before_anybody_is_marked(monkeypatch, tmp_path):
    fake = tmp_path / "bwrap"
    fake.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setattr(bubblewrap_module.shutil, "which", lambda name: str(fake))
    monkeypatch.setattr(container_module, "available", lambda: "no containers")
    with pytest.raises(OSError, match=r"no worker starts .*\(bwrap: setting up uid map.*--unsafe"):
        choose("best")
