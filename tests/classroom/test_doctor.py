"""What the doctor finds and advises, and what is said where a sandbox is missing."""

import os
import signal
import sys

import pytest
from tests.classroom.test_judge import RIGHT

from plainformer.classroom import doctor as doctor_module
from plainformer.classroom.doctor import advice, examine
from plainformer.classroom.hostile import HARM
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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not listed in /proc")
def test_an_examination_sees_a_process_that_lives_on(monkeypatch):
    monkeypatch.setattr(doctor_module, "FORGERIES", {})
    monkeypatch.setattr(doctor_module, "HARM", {"harm": HARM["a process that lives on"]})
    monkeypatch.setattr(doctor_module, "VANISHING", 0.5)  # it will not
    found = dict(examine(choose("unsafe"), seconds=60.0))["harm"]
    pid = int(found.removeprefix("process "))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)


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
