"""The judge marks what a function computes, and nothing else that a student's code may do."""

import contextlib
import os
import re
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from plainformer.classroom import judge as judge_module
from plainformer.classroom import verdict as verdict_module
from plainformer.classroom.channel import TimeUp
from plainformer.classroom.doctor import examine
from plainformer.classroom.hostile import FORGERIES, HARM
from plainformer.classroom.judge import judge, seed_of
from plainformer.classroom.sandbox import Limits, choose
from plainformer.classroom.sandbox import bubblewrap as bubblewrap_module
from plainformer.classroom.sandbox import zygote as zygote_module
from plainformer.classroom.sandbox.choice import SANDBOXES
from plainformer.classroom.sandbox.limits import OutOfMemory
from plainformer.classroom.sandbox.process import Launched
from plainformer.classroom.wire import pack, unpack
from plainformer.exercises import exercise
from plainformer.exercises.spec import Case, Exercise

EVERYWHERE = ["unsafe", "bubblewrap", "zygote"]


def double(numbers):
    """Twice each number."""
    return [2 * each for each in numbers]


EXERCISE = Exercise(
    id="tests.classroom.1",
    title="Twice",
    reference=double,
    cases=(Case(([1, 2],), [2, 4]), Case(([],), [])),
    generate=lambda rng: (rng.integers(100, size=3).tolist(),),
    hints=("Multiply.",),
    mutants={"That is the square.": "2 * each -> each * each"},
    n_generated=5,
    seconds=60.0,
)
RIGHT = "def double(x):\n    return [2 * each for each in x]"


def real(name):
    """A real sandbox; a machine that has none skips, except under CI, where it fails."""
    why = SANDBOXES[name].available()
    if why and not os.environ.get("CI"):
        pytest.skip(why)
    assert why is None, why
    return choose(name, Limits(memory=400 << 20))


@pytest.fixture
def sandbox():
    """The best one."""
    return real("zygote")


def mark(cell, start, **options):
    return judge(EXERCISE, [cell], start, secret=b"secret", student="ann", **options)


@pytest.mark.parametrize("name", EVERYWHERE)
def test_a_right_answer_earns_its_points_and_a_stub_none(name):
    start = choose(name) if name == "unsafe" else real(name)
    right = mark(RIGHT, start)
    assert (right.status, right.points, right.public, right.hidden) == ("ok", 1, (2, 2), (5, 5))
    stub = mark("def double(x):\n    ...", start)
    assert (stub.status, stub.points) == ("missing", 0)
    assert mark("", start).status == "missing"


@pytest.mark.parametrize(
    ("cell", "status", "said"),
    [
        ("def double(x): return [each * each for each in x]", "wrong", "Expected:    \\[2, 4\\]"),
        ("def double(x, y): return x", "wrong", "called as double\\(numbers\\)"),
        ("def double(x) return x", "wrong", "SyntaxError"),
        ("import nothing_of_this_name", "wrong", "ModuleNotFoundError"),
        ("def double(x):\n    return 1 / 0", "wrong", "In line:     return 1 / 0"),
        ("def double(x):\n    x.append(0)\n    return [2 * e for e in x[:-1]]", "wrong", "changed"),
        ("import os\ndef double(x): os._exit(0)", "crashed", "Python itself stopped"),
    ],
)
def test_what_is_wrong_is_said(sandbox, cell, status, said):
    got = mark(cell, sandbox)
    assert (got.status, got.points) == (status, 0)
    assert got.text and re.search(said, got.text)


class Lying:
    """A worker that says what it likes."""

    def __init__(self, *replies):
        self.replies = iter(replies)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def ask(self, message, seconds):
        if message["kind"] == "load" and not message["cells"]:  # the judge's own
            return LOADED
        return unpack(pack(next(self.replies)))


LOADED = {"kind": "loaded", "callable": True, "fits": True}
MANY = np.zeros(2, "int8")
RETURNED = {"kind": "returned", "value": [2, 4], "changed": [], "printed": ""}


@pytest.mark.parametrize(
    ("replies", "status"),
    [
        ([LOADED | {"kind": MANY}], "violation"),
        ([LOADED | {"callable": MANY}], "missing"),
        ([LOADED | {"fits": MANY}], "wrong"),
        ([{}], "violation"),
        ([LOADED, RETURNED | {"kind": MANY}], "violation"),
        ([LOADED, RETURNED | {"changed": MANY}], "violation"),
        ([LOADED, RETURNED | {"changed": None}], "violation"),
        ([LOADED, RETURNED | {"printed": MANY}], "violation"),
        ([LOADED, RETURNED | {"value": MANY}] + 6 * [RETURNED], "wrong"),
    ],
)
def test_whatever_a_worker_says_ends_in_a_mark(replies, status):
    got = mark(" ", lambda: Lying(*replies))
    assert (got.status, got.points) == (status, 0)


def test_a_huge_wrong_answer_is_neither_kept_nor_written_out(monkeypatch):
    seen = []
    recognise = verdict_module.recognise
    monkeypatch.setattr(
        verdict_module, "recognise", lambda *given: seen.append(given) or recognise(*given)
    )
    many = RETURNED | {"value": np.zeros((2,) * 19, "int8")}
    got = mark("", lambda: Lying(LOADED, *[many] * 7))
    assert got.status == "wrong" and "Your answer: a NumPy array of shape (2, 2" in got.text
    assert all(trial.outcome.value is None for trial in seen[0][1])


def test_a_case_that_is_too_big_to_travel_is_not_the_students_fault():
    case = Case(([0] * 600_000,), [])
    with pytest.raises(ValueError, match="small enough to travel"):
        judge(replace(EXERCISE, cases=(case,)), [RIGHT], Lying, secret=b"", student="")


def test_a_graded_exercises_module_never_reaches_a_worker():
    own = type("Own", (), {"__module__": "course_exercises.secret"})
    with pytest.raises(ValueError, match="must be plain data"):
        graded = replace(EXERCISE, cases=(Case((own(),), []),))
        judge(graded, [RIGHT], Lying, secret=b"", student="")


def test_a_known_mistake_gets_its_own_hint(sandbox):
    assert mark("def double(x): return [e * e for e in x]", sandbox).hint == "That is the square."


def counted(numbers):
    """How often each number stands there."""
    return Counter(numbers)


def test_a_reference_may_return_a_class_of_its_own_where_a_plain_answer_is_right(sandbox):
    spec = replace(EXERCISE, reference=counted, cases=(Case(([1, 1],), {1: 2}),))
    cell = "def counted(x): return {each: x.count(each) for each in x}"
    assert judge(spec, [cell], sandbox, secret=b"", student="").status == "ok"


def test_of_hidden_cases_nothing_is_told_but_how_they_failed(sandbox):
    cell = "def double(x):\n    assert len(x) < 3, x\n    return [2 * e for e in x]"
    got = mark(cell, sandbox)
    assert got.public == (2, 2) and got.hidden == (0, 5)
    rng = np.random.default_rng(seed_of(b"secret", EXERCISE.id, "ann"))
    for _ in range(5):
        (numbers,) = EXERCISE.generate(rng)
        assert str(numbers) not in got.text and str(double(numbers)) not in got.text
    told = got.text
    assert told.endswith("In some of them your function stopped with an exception.")
    # Of whatever class: a student could choose it, by the input, among those that there are.
    cell = "def double(x):\n    if len(x) < 3: return [2 * e for e in x]\n    raise "
    for error in ("type('x'.join(map(str, x)), (Exception,), {})()", "KeyError", "[OSError][0]"):
        assert mark(cell + error, sandbox).text == told


def test_magics_and_checks_in_a_cell_do_nothing(sandbox):
    cell = (
        "%matplotlib inline\n!echo hello\nfrom plainformer.exercises import check\n"
        f"{RIGHT}\ncheck('tests.classroom.1', double)"
    )
    assert mark(cell, sandbox).status == "ok"


def test_an_argument_that_is_a_model_is_made_in_the_worker(sandbox):
    pytest.importorskip("torch")
    train = exercise("training.capstone.6")
    start = choose("zygote", Limits(memory=2 << 30), torch=True)
    cell = ["from plainformer.exercises.training.capstone.train import train"]
    modules = [train.reference.__module__]
    got = judge(train, cell, start, secret=b"", student="", modules=modules, seconds=120.0)
    assert (got.status, got.text) == ("ok", "All cases are right, the hidden ones too.")


def test_every_hostile_answer_is_kept_inside_and_earns_nothing(sandbox, monkeypatch):
    assert mark(RIGHT, sandbox).status == "ok"  # now a zygote is there, whose forks load at once
    monkeypatch.setenv("COURSE_SECRET", "secret")
    tried = dict(examine(sandbox, seconds=1.0))
    assert len(tried) == 1 + len(FORGERIES) + len(HARM)
    assert {name: wrong for name, wrong in tried.items() if wrong} == {}


def test_the_time_of_a_device_is_nobodys_to_set(sandbox):
    """Every later submission would see it, as it is the machine's own."""
    for name in ("null", "zero", "full", "random", "urandom", "tty"):
        said = mark(f"import os\nos.utime('/dev/{name}')\n{RIGHT}", sandbox).text
        assert "Read-only file system" in said, name


LEAVES = """
import builtins, fcntl, os, random, sys, tempfile
import numpy as np
builtins.left = np.left = True
os.environ["LEFT"] = sys.modules["left"] = "here"
for place in ("/tmp", "/dev/shm"): open(f"{place}/left", "w").write("here")
kept = [os.open("/dev/null", 0) for _ in range(9)]
for each in range(3): fcntl.fcntl(each, fcntl.F_SETSIG, 10)
fcntl.flock(0, fcntl.LOCK_EX)
np.random.seed(7); random.seed(7); sys.setrecursionlimit(77); os.chdir("/")
"""
FINDS = """
import builtins, fcntl, glob, os, random, stat, sys
import numpy as np
assert all(stat.S_ISCHR(os.fstat(each).st_mode) for each in range(3))  # no pipe that all share
assert all(fcntl.fcntl(each, fcntl.F_GETSIG) == 0 for each in range(3))
fcntl.flock(0, fcntl.LOCK_EX | fcntl.LOCK_NB)
assert not hasattr(builtins, "left") and not hasattr(np, "left")
assert "LEFT" not in os.environ and "left" not in sys.modules
assert not glob.glob("/tmp/*") + glob.glob("/dev/shm/*") and os.getcwd() == "/tmp"
assert sorted(os.listdir("/proc/self/fd")) == list("012345")  # the last is the listing's own
assert [each for each in os.listdir("/proc") if each.isdigit()] == ["1"]
kinds = ("user", "pid", "net", "ipc", "mnt")
said = [os.readlink(f"/proc/self/ns/{each}") for each in kinds]
said += [str(np.random.random()), str(random.random()), str(np.random.default_rng().random())]
raise ValueError(" ".join(said))
"""


def test_nothing_of_one_submission_reaches_the_next(sandbox):
    """Both are forks of one zygote; no name, number or namespace of its or theirs is seen again."""
    seen = []
    for _ in range(2):
        assert mark(LEAVES + RIGHT, sandbox).status == "ok"
        text = mark(FINDS, sandbox).text
        assert "ValueError: user:" in text, text
        seen.append(text.partition("ValueError: ")[2].partition("\n")[0].split())
        with sandbox() as worker:
            of_zygote = Path(f"/proc/{worker.zygote.pid}/ns")
            kinds = [each.partition(":")[0] for each in seen[-1][:5]]
            assert not {str((of_zygote / each).readlink()) for each in kinds} & set(seen[-1])
    assert len(seen[0]) == 8 and not set(seen[0][5:]) & set(seen[1])


def test_a_device_of_the_machines_keeps_its_permissions_whoever_grades():
    """Where root grades, it is the owner of `/dev/null` in there as well."""
    cell = HARM["the machine's devices"]
    for name in ("bubblewrap", "zygote"):
        assert "escaped" not in mark(cell, real(name)).text
        uses = "open('/dev/null', 'w').write('x'), open('/dev/urandom', 'rb').read(1)"
        assert mark(f"{RIGHT}\n{uses}\nopen('/tmp/x', 'w')", real(name)).status == "ok"


def test_root_without_power_of_roots_makes_a_user_namespace_as_everybody_does(monkeypatch):
    """As in a container; so does an ordinary user, who needs no test of this."""
    start = real("bubblewrap")
    line = bubblewrap_module.command(3, 4, Limits())
    assert ("--unshare-user" in line) is not bubblewrap_module.rules()
    monkeypatch.setattr(bubblewrap_module, "rules", lambda: False)
    assert "--unshare-user" in bubblewrap_module.command(3, 4, Limits())
    assert mark(RIGHT, start).status == "ok"


def test_cells_may_not_sleep_longer_than_their_calls(sandbox, monkeypatch):
    """Twenty seconds for each exercise would be hours for a class; imports are waited for."""
    assert EXERCISE.seconds > 10 * judge_module.LOADING
    monkeypatch.setattr(judge_module, "LOADING", 1.0)
    got = mark(f"import time\ntime.sleep(3)\n{RIGHT}", sandbox, seconds=1.0)
    assert got.status == "timeout" and "busy with your cells" in got.text


def test_slow_libraries_are_imported_before_a_students_time_begins():
    """By a load of the judge's own, in which nothing of the student's is run."""
    heard = []

    class Listening(Lying):
        def ask(self, message, seconds):
            heard.append((message, seconds))
            return unpack(pack(LOADED if message["kind"] == "load" else RETURNED))

    mark(f"import torch\n{RIGHT}", Listening, seconds=2.0)
    (first, waits), (load, limit) = heard[:2]
    assert waits == judge_module.STARTING and limit == judge_module.LOADING
    assert first["cells"] == ["try:\n    import torch\nexcept ImportError:\n    pass"]
    assert RIGHT in load["cells"][0]


CORE = """
import resource as r
def double(x):
    try: r.setrlimit(r.RLIMIT_CORE, (0, 0))
    except (OSError, ValueError): pass
    return [*r.getrlimit(r.RLIMIT_CORE)]
"""


@pytest.mark.parametrize("name", EVERYWHERE)
def test_no_copy_of_a_memory_is_left_or_sent_anywhere(name):
    """0 would let a program have it that the machine hands such copies to; 1 does not."""
    start = choose(name) if name == "unsafe" else real(name)
    kept = "[0, 0]" if name == "unsafe" else "[1, 1]"
    assert f"Your answer: {kept}" in mark(CORE, start).text


def test_a_worker_that_does_not_start_is_asked_for_once_more():
    turns = []

    def start():
        turns.append(1)
        if len(turns) == 1:
            raise OSError("no room")
        return Lying(LOADED, *7 * [RETURNED])

    assert mark("", start).status == "wrong" and len(turns) == 2
    with pytest.raises(OSError, match="never"):
        mark("", _never)


def _never():
    raise OSError("never")


def test_a_zygote_that_is_gone_costs_nobody_a_mark(sandbox):
    assert mark(RIGHT, sandbox).status == "ok"
    for waiting in zygote_module._waiting.values():
        for each in waiting:
            os.kill(each.pid, signal.SIGKILL)
    assert mark(RIGHT, sandbox).status == "ok"


@pytest.mark.parametrize(
    "cell",
    [
        "import ctypes, mmap\nctypes.CDLL(None).prctl(15, b'\\xff')\n"  # a name that is no text
        "def double(x):\n    y = mmap.mmap(-1, 90 << 20)\n    y.write(bytes(90 << 20))",
        "import mmap\ndef double(x):\n"  # nothing but tables: a page of them for each that is read
        "    y = mmap.mmap(-1, 1 << 40, mmap.MAP_PRIVATE | 0x4020, mmap.PROT_READ)\n"
        "    for i in range(30_000): y[i << 21]",
        "import os\ndef double(x):\n    for _ in range(9):\n        if not os.fork(): break",
        "import _thread as t\ndef double(x):\n    for _ in range(9): t.start_new_thread(wait, ())",
    ],
)  # fmt: skip
def test_shared_memory_processes_and_threads_are_counted_whoever_grades(cell):
    wait = "import time\ndef wait(): time.sleep(600)\n"  # they are found, and ended, long before
    start = choose("unsafe", Limits(memory=100 << 20, processes=4))
    got = judge(EXERCISE, [f"{wait}{cell}\n    wait()"], start, secret=b"", student="")
    assert got.status == "memory"


def test_exercises_are_hidden_where_the_package_was_installed_too(monkeypatch, tmp_path):
    installed = tmp_path / "site-packages" / "plainformer"
    installed.mkdir(parents=True)
    monkeypatch.setattr(bubblewrap_module.plainformer, "__file__", str(installed / "__init__.py"))
    monkeypatch.setattr(bubblewrap_module.sys, "path", [str(installed.parent)])
    line = bubblewrap_module.command(3, 4, Limits())
    for place in ("/course/plainformer/exercises", "/packages/0/plainformer/exercises"):
        assert line[line.index(place) - 1 :][:4] == ["--tmpfs", place, "--remount-ro", place]


def test_everybody_has_cases_of_their_own_and_keeps_them():
    drawn = [
        EXERCISE.generate(np.random.default_rng(seed_of(secret, "a.b.1", student)))
        for secret, student in ((b"s", "ann"), (b"s", "ann"), (b"s", "bob"), (b"t", "ann"))
    ]
    assert drawn[0] == drawn[1] and drawn[0] != drawn[2] and drawn[0] != drawn[3]


@pytest.mark.parametrize(
    ("ended", "means"),
    [
        ((-signal.SIGXCPU, 60.0), TimeUp),
        ((-signal.SIGKILL, 60.2), TimeUp),
        ((-signal.SIGKILL, 0.1), OutOfMemory),
        ((128 + signal.SIGKILL, 0.1), OutOfMemory),
        ((0, 0.1), None),
        (None, None),
    ],
)
def test_a_kill_before_the_limit_of_processor_time_means_memory(ended, means):
    worker = object.__new__(Launched)
    worker.limits = Limits(cpu=60)
    with pytest.raises(means) if means else contextlib.nullcontext():
        worker._explain(ended)
