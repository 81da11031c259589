"""The recipes for clusters: scripts and manifests are sound, and the commands in them exist.

Each script runs here, with stand-ins for what a cluster has: they note how they are called.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import kubernetes_validate
import pytest
import yaml
from torch.distributed.run import parse_args

from plainformer.training.commands import new_parser

RECIPES = Path(__file__).parents[2] / "deploy" / "training"
SHELLCHECK = Path(sys.executable).parent / "shellcheck"
MANIFESTS = list(yaml.safe_load_all((RECIPES / "train.yaml").read_text()))
SERVICE, JOB = MANIFESTS
POD = JOB["spec"]["template"]["spec"]
(CONTAINER,) = POD["containers"]

needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")


def check_shell(path: Path, *options: str) -> None:
    found = subprocess.run([SHELLCHECK, *options, path], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def started(folder: Path, name: str, *command: str, **settings: str):
    """Run a script with a stand-in for `name`; return what torchrun and our command would read."""
    stand_in = folder / name
    stand_in.write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" > "{folder}/called"\n')
    hosts = folder / "scontrol"
    hosts.write_text("#!/bin/sh\nprintf 'node7\\nnode8\\n'\n")
    for each in (stand_in, hosts):
        each.chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(command, env={"PATH": path, **settings}, check=True)
    said = (folder / "called").read_text().splitlines()
    of_torchrun = parse_args(said[said.index("torch.distributed.run") + 1 :])
    assert of_torchrun.module and of_torchrun.training_script == "plainformer.training"
    return of_torchrun, new_parser().parse_args(of_torchrun.training_script_args)


def test_shellcheck_has_nothing_to_say_about_the_slurm_script():
    check_shell(RECIPES / "train.sbatch")


@needs_bash
@pytest.mark.parametrize("begun", [False, True])
def test_the_slurm_script_starts_our_command(tmp_path, begun):
    out = tmp_path / "my run"  # a blank in a name breaks nothing
    out.mkdir()
    if begun:
        (out / "run.safetensors").touch()
    slurm = {"SLURM_JOB_NODELIST": "node[7-8]", "SLURM_JOB_NUM_NODES": "2", "SLURM_JOB_ID": "12"}
    script = str(RECIPES / "train.sbatch")
    torchrun, ours = started(tmp_path, "srun", "bash", script, OUT=str(out), **slurm)
    assert (torchrun.nnodes, torchrun.nproc_per_node) == ("2", "4")
    assert (torchrun.rdzv_endpoint, torchrun.rdzv_id) == ("node7:29500", "12")
    assert (ours.out, ours.parallel, ours.device) == (out, "fsdp", "cuda")
    assert ours.resume is begun and ours.bfloat16


@needs_bash
def test_the_slurm_script_asks_for_a_folder():
    found = subprocess.run(
        ["bash", RECIPES / "train.sbatch"], env={"PATH": os.environ["PATH"]}, capture_output=True
    )
    assert found.returncode and b"OUT: name a folder that all machines share" in found.stderr


@pytest.mark.parametrize("manifest", MANIFESTS, ids=["Service", "Job"])
def test_kubernetes_would_take_the_manifest(manifest):
    kubernetes_validate.validate(manifest, "1.31", strict=True)
    kubernetes_validate.validate(manifest, kubernetes_validate.latest_version(), strict=True)


def test_a_wrong_manifest_would_be_noticed():
    wrong = {**JOB, "spec": {**JOB["spec"], "completionMode": 7, "completion": 2}}
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(wrong, kubernetes_validate.latest_version(), strict=True)


def test_the_pods_find_each_other():
    name = SERVICE["metadata"]["name"]
    assert SERVICE["spec"]["clusterIP"] == "None"
    assert POD["subdomain"] == name
    assert (
        SERVICE["spec"]["selector"].items() <= JOB["spec"]["template"]["metadata"]["labels"].items()
    )
    assert JOB["spec"]["completionMode"] == "Indexed"
    mounted = {each["name"] for each in CONTAINER["volumeMounts"]}
    assert mounted == {each["name"] for each in POD["volumes"]}


@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no sh")
def test_the_pods_start_our_command(tmp_path):
    script = tmp_path / "pod.sh"
    (text,) = CONTAINER["args"]
    script.write_text("#!/bin/sh\n" + text)
    # The option that may be empty has to fall apart.
    check_shell(script, "--exclude", "SC2086")
    torchrun, ours = started(tmp_path, "python", *CONTAINER["command"], text)
    pods = JOB["spec"]["completions"]
    assert torchrun.nnodes == str(pods) and JOB["spec"]["parallelism"] == pods
    assert torchrun.nproc_per_node == str(CONTAINER["resources"]["limits"]["nvidia.com/gpu"])
    host, port = torchrun.rdzv_endpoint.split(":")
    assert host == f"{JOB['metadata']['name']}-0.{SERVICE['metadata']['name']}"
    assert (
        int(port) == SERVICE["spec"]["ports"][0]["port"] == CONTAINER["ports"][0]["containerPort"]
    )
    assert (ours.parallel, ours.device, ours.resume) == ("fsdp", "cuda", False)
    assert any(ours.out.is_relative_to(each["mountPath"]) for each in CONTAINER["volumeMounts"])
