"""The recipes for classrooms: scripts and manifests are sound, and shards make the same marks."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import kubernetes_validate
import pytest
import yaml
from tests.classroom.test_course import course
from tests.classroom.test_grade import HANDED_IN, SETTINGS, files

from plainformer.classroom.course import new_secret
from plainformer.classroom.grade import grade

RECIPES = Path(__file__).parents[2] / "deploy" / "classroom"
SHELLCHECK = Path(sys.executable).parent / "shellcheck"
MANIFESTS = list(yaml.safe_load_all((RECIPES / "grade.yaml").read_text()))
JOB, POLICY = MANIFESTS
POD = JOB["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]
spec = importlib.util.spec_from_file_location("link", RECIPES / "link.py")
link = importlib.util.module_from_spec(spec)
spec.loader.exec_module(link)

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "my course"  # a blank in a name breaks nothing
    made.mkdir()
    course(made, SETTINGS)
    new_secret(made)
    place = made / "submissions" / "week-1"
    place.mkdir(parents=True)
    for name in ("ann", "bob", "cut"):
        (place / f"{name}.ipynb").write_text(HANDED_IN[name])
    return made


def check_shell(path):
    found = subprocess.run([SHELLCHECK, path], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


@needs_bash
def test_two_tasks_of_the_array_make_the_marks_of_one_process(folder):
    check_shell(RECIPES / "grade.sbatch")
    said = {**os.environ, "COURSE": str(folder), "ASSIGNMENT": "week-1", "PYTHON": sys.executable}
    slurm = {"SLURM_ARRAY_TASK_COUNT": "2", "SLURM_CPUS_PER_TASK": "1"}
    tasks = [
        subprocess.Popen(
            ["bash", RECIPES / "grade.sbatch"], env={**said, **slurm, "SLURM_ARRAY_TASK_ID": part}
        )
        for part in ("1", "2")
    ]
    assert [task.wait() for task in tasks] == [0, 0]
    parts = files(folder)
    shutil.rmtree(folder / "marks")
    grade(folder, "week-1", jobs=1, quiet=True)
    assert files(folder) == parts and len(parts) == 6


@needs_bash
def test_the_slurm_script_asks_for_what_it_needs():
    for given in ({}, {"COURSE": "x"}):
        found = subprocess.run(
            ["bash", RECIPES / "grade.sbatch"],
            env={"PATH": os.environ["PATH"], **given},
            capture_output=True,
        )
        assert found.returncode and b"name the" in found.stderr


@pytest.mark.parametrize("manifest", MANIFESTS, ids=["Job", "NetworkPolicy"])
def test_kubernetes_would_take_the_manifest(manifest):
    kubernetes_validate.validate(manifest, "1.31", strict=True)
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_each_pod_examines_its_sandbox_and_marks_its_part(tmp_path):
    (text,) = CONTAINER["args"]
    script = tmp_path / "pod.sh"
    script.write_text("#!/bin/sh\n" + text)
    check_shell(script)
    noted = tmp_path / "called"
    stand_in = tmp_path / "plainformer-class"
    stand_in.write_text(f'#!/bin/sh\necho "$@" >> "{noted}"\n[ "$1" != doctor ] || exit $HOLDS\n')
    stand_in.chmod(0o755)
    told = {each["name"]: each["value"] for each in CONTAINER["env"]}
    pods = JOB["spec"]["completions"]
    assert JOB["spec"]["completionMode"] == "Indexed" and told["PARTS"] == str(pods)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for index in range(pods):
        known = {"PATH": path, "JOB_COMPLETION_INDEX": str(index), "HOLDS": "0", **told}
        subprocess.run([*CONTAINER["command"], text], env=known, check=True)
    lines = noted.read_text().splitlines()
    (mount,) = CONTAINER["volumeMounts"]
    assert lines[::2] == ["doctor"] * pods
    assert lines[1::2] == [
        f"--course {mount['mountPath']} grade week-1 --shard {part}/{pods} --jobs 4"
        for part in range(1, pods + 1)
    ]
    assert subprocess.run([*CONTAINER["command"], text], env={**known, "HOLDS": "1"}).returncode
    assert noted.read_text().splitlines()[len(lines) :] == ["doctor"], "it marks nothing"


def test_the_pods_are_as_locked_up_as_sandboxes_allow():
    assert POD["hostUsers"] is False and POD["automountServiceAccountToken"] is False
    labels = JOB["spec"]["template"]["metadata"]["labels"]
    assert POLICY["spec"]["podSelector"]["matchLabels"].items() <= labels.items()
    assert set(POLICY["spec"]) == {"podSelector", "policyTypes"}, "no rule lets anything through"


def test_the_hubs_settings_can_be_read():
    hub = yaml.safe_load((RECIPES / "hub.yaml").read_text())
    assert hub["singleuser"]["image"]["name"] == CONTAINER["image"].removesuffix(":latest")
    littlest = yaml.safe_load((RECIPES / "littlest.yaml").read_text())
    assert littlest["limits"]["memory"] == hub["singleuser"]["memory"]["limit"]
    image = (RECIPES / "Dockerfile").read_text()
    assert all(name in image for name in ("bubblewrap", "nbgitpuller", "jupyterhub-singleuser"))


def test_a_link_leads_to_the_notebook(capsys):
    hub, repository = "https://hub.example.edu/jupyter/", "https://example.org/ann/week-1.git"
    assert link.main([hub, repository, "a & b.ipynb"]) == 0
    parts = urlsplit(capsys.readouterr().out.strip())
    assert parts.path == "/jupyter/hub/user-redirect/git-pull"
    assert parse_qs(parts.query) == {
        "repo": [repository], "branch": ["main"], "urlpath": ["lab/tree/week-1/a & b.ipynb"],
    }  # fmt: skip
    for wrong in (
        ("hub", repository, "a.ipynb"),
        ("https://me:secret@hub.example.edu", repository, "a.ipynb"),
        (hub, "git@example.org:x", "a.ipynb"),
        (hub, repository, "../a.ipynb"),
        (hub, repository, "a.html"),
    ):
        assert link.main(list(wrong)) == 1
        assert "must" in capsys.readouterr().err
