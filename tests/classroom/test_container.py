"""A container: asked for what holds it, and tried for real where podman is."""

import sys

import pytest
from tests.classroom.test_judge import RIGHT, mark

from plainformer.classroom.hostile import HARM
from plainformer.classroom.sandbox import Limits, choose
from plainformer.classroom.sandbox import container as container_module

FAKE = """#!/bin/sh
case "$1" in
  rm) echo "$4" >> "$0.removed"; exit 0;;
  run) printf '%s\\n' "$@" >> "$0.asked";;
esac
while [ "$1" != -c ]; do shift; done
exec PYTHON -c "$2"
"""


def test_a_container_is_asked_for_what_holds_it_and_removed(monkeypatch, tmp_path):
    """As far as its command line: this program starts the worker, and no container."""
    fake = tmp_path / "podman"
    fake.write_text(FAKE.replace("PYTHON", sys.executable))
    fake.chmod(0o755)
    monkeypatch.setattr(container_module.shutil, "which", {"podman": str(fake)}.get)
    monkeypatch.setattr(container_module, "_way", container_module._way.__wrapped__)
    assert mark(RIGHT + "\nprint('words')", choose("container")).status == "ok"
    asked = fake.with_suffix(".asked").read_text().splitlines()
    for word in ("network=none", "read-only", "cap-drop=ALL", "pids-limit=64", "pull=never",
                 "security-opt=no-new-privileges", f"memory={1 << 30}", "env=HOME=/tmp",
                 "ulimit=nproc=64:64",
                 "tmpfs=/course/plainformer/exercises:ro,size=4k,notmpcopyup"):  # fmt: skip
        assert f"--{word}" in asked
    (removed,) = fake.with_suffix(".removed").read_text().split()
    assert f"--name={removed}" in asked


def test_a_container_without_an_image_holds_where_podman_is():
    """For real, from a root folder; some of the hostile answers, for each takes a second."""
    if why := container_module.available():
        pytest.skip(why)
    start = choose("container", Limits(memory=400 << 20))
    assert mark(RIGHT, start).status == "ok"
    for name in ("the exercises' files", "the network", "what it may do", "the machine's devices",
                 "other people's files", "a neighbour's work"):  # fmt: skip
        got = mark(HARM[name], start)
        assert got.points == 0 and "escaped" not in got.text, name
