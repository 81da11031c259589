"""Control groups, on a folder like theirs: this machine's may be nobody's to write."""

import os
from pathlib import Path

import pytest
from tests.classroom.test_judge import RIGHT, mark

from plainformer.classroom.sandbox import cgroups, choose
from plainformer.classroom.sandbox import process as process_module
from plainformer.classroom.sandbox.cgroups import LEAF, Group, writable
from plainformer.classroom.sandbox.limits import Limits

LIMITS = Limits(memory=100 << 20, processes=5, files=1 << 20)


@pytest.fixture
def machine(tmp_path):
    """A root of groups, one of ours in it, and what says so."""
    own = tmp_path / "self"
    own.write_text("12:memory:/old\n0::/user/scope\n")
    group = tmp_path / "fs" / "user" / "scope"
    group.mkdir(parents=True)
    (group / "cgroup.controllers").write_text("cpu memory pids\n")
    (group / "cgroup.subtree_control").write_text("memory pids\n")
    (group / "cgroup.procs").touch()
    return tmp_path / "fs", own, group


def test_groups_are_made_where_both_limits_are_to_be_had(machine):
    root, own, group = machine
    assert writable(root, own) == group
    own.write_text(f"0::/user/scope/{LEAF}\n")  # as a process of a grader that has moved
    assert writable(root, own) == group
    (group / "cgroup.controllers").write_text("hugetlb\n")
    assert writable(root, own) is None
    own.write_text("12:memory:/old\n")  # version 1 alone
    assert writable(root, own) is None
    assert writable(root, root / "nothing") is None


def test_a_group_that_we_are_in_ourselves_is_left_first_and_only_if_that_helps(
    machine, monkeypatch
):
    root, own, group = machine
    control = group / "cgroup.subtree_control"
    control.write_text("")
    turns, write, needed = [], Path.write_text, [2]

    def busy(path, text, *more):
        """As the kernel does: no limits below a group with processes."""
        if path == control:
            turns.append(text)
            if len(turns) < needed[0]:
                raise OSError(16, "busy")
        return write(path, text, *more)

    monkeypatch.setattr(Path, "write_text", busy)
    for needed[0], found, ours in ((2, group, group / LEAF), (9, None, group)):
        turns.clear()
        write(control, "")
        # A real group has no files to be taken away with it; this one has.
        monkeypatch.setattr(Path, "rmdir", lambda path: None)
        assert writable(root, own) == found
        assert turns == ["+memory +pids"] * 2
        assert (ours / "cgroup.procs").read_text() == str(os.getpid())


def test_a_group_has_the_limits_and_every_process_that_comes_while_it_is_filled(machine):
    group = Group(machine[2], LIMITS, more=3)
    said = {each.name: each.read_text().strip() for each in group.folder.iterdir()}
    assert said == {"memory.max": str(101 << 20), "pids.max": "8", "memory.oom.group": "1",
                    "memory.swap.max": "0"}  # fmt: skip
    seen, added = iter(([7], [7, 8], [7, 8])), []
    group._write = lambda name, value: added.append((name, value))
    group.add(lambda: next(seen))
    assert added == [("cgroup.procs", 7), ("cgroup.procs", 8)]
    group.end()
    assert added[-1] == ("cgroup.kill", 1)


def test_a_worker_is_in_its_group_before_it_gets_any_code_and_the_group_goes_with_it(
    machine, monkeypatch
):
    group = machine[2]
    kept, removed = [], []
    monkeypatch.setattr(process_module, "place", lambda: group)
    monkeypatch.setattr(cgroups.Group, "end", lambda self: removed.append(self.folder))
    real = process_module.Process.ask

    def ask(self, message, seconds):
        kept.append((message["kind"], (self.group.folder / "cgroup.procs").read_text().strip()))
        assert str(self.popen.pid) == kept[0][1]
        return real(self, message, seconds)

    monkeypatch.setattr(process_module.Process, "ask", ask)
    assert mark(RIGHT, choose("unsafe", LIMITS)).status == "ok"
    assert kept[0][0] == "load" and len(removed) == 1
