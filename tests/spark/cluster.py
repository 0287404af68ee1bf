"""A cluster of this machine: Spark's master and its workers as processes, each worker with a folder that it alone sees.

That no Python process opens a file of another folder is noted by an audit hook, which Python runs before anything else.
"""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import pyspark

from checker.search.spark.java import find_java, java_home
from tests.faults.processes import below, kill

PATIENCE_S: Final = 180.0
_HOOK: Final = '''\
"""Notes in its own folder each file that this process opens outside of it, and that is not of the system or Python."""
import os, sys

own = os.environ["OWN_FOLDER"]
fine = (own, sys.prefix, sys.base_prefix, "/usr", "/lib", "/proc", "/sys", "/dev", "/etc", "<frozen", {spark!r})
busy = []

def look(event, arguments):
    if event != "open" or busy or not isinstance(arguments[0], str):
        return
    busy.append(1)
    try:
        path = os.path.abspath(arguments[0])
        if not path.startswith(fine):
            with open(os.path.join(own, "foreign"), "a") as file:
                print(path, file=file)
        elif path.startswith(own):
            open(os.path.join(own, "audited"), "a").close()
    finally:
        busy.pop()

sys.addaudithook(look)
'''


class Cluster:
    """The processes of the master and of the workers by name, below a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        home = Path(pyspark.__file__).parent
        (folder / "hook").mkdir()
        (folder / "hook" / "sitecustomize.py").write_text(_HOOK.format(spark=str(home)))
        java = find_java(os.environ)
        self._java = [
            str(java_home(java, folder) / "bin" / "java"),
            "-cp",
            str(home / "jars" / "*"),
            "-Xmx300m",
            "-XX:TieredStopAtLevel=1",
        ]
        self._environment = {**os.environ, "JAVA_HOME": str(java_home(java, folder)), "SPARK_LOCAL_IP": "127.0.0.1"}
        self._environment |= {"SPARK_HOME": str(home), "SPARK_SCALA_VERSION": "2.13"}
        log = folder / "master.log"
        self._processes = {"master": self._start("master.Master", ["--port", "0", "--webui-port", "0"], log, {})}
        self.master = _awaited(log, r"Starting Spark master at (\S+)")

    def add_worker(self, name: str) -> None:
        """Start a worker of one core."""
        own = self.folder / name
        own.mkdir()
        named = {"OWN_FOLDER": own, "TMPDIR": own, "SPARK_LOCAL_DIRS": own, "PYTHONPATH": self.folder / "hook"}
        asked = ["--cores", "1", "--memory", "1g", "--webui-port", "0", "--work-dir", str(own / "work"), self.master]
        log = self.folder / f"{name}.log"
        self._processes[name] = self._start("worker.Worker", asked, log, {key: str(at) for key, at in named.items()})
        _awaited(log, r"Successfully (registered) with master")

    def kill_worker(self, name: str) -> None:
        """End a worker at once, with its executor and the Python processes of that."""
        process = self._processes.pop(name)
        for one in (process.pid, *below(process.pid)):
            kill(one)
        process.wait()

    def foreign(self) -> list[str]:
        """The files that Python processes of workers opened outside of their own folder."""
        notes = self.folder.glob("*/foreign")
        return sorted({f"{note.parent.name}: {line}" for note in notes for line in note.read_text().splitlines()})

    def audited(self) -> list[str]:
        """The workers whose Python processes were looked at."""
        return sorted(path.parent.name for path in self.folder.glob("*/audited"))

    def close(self) -> None:
        for process in self._processes.values():
            for one in (*below(process.pid), process.pid):
                kill(one)
            process.wait()

    def _start(
        self, name: str, arguments: Sequence[str], log: Path, environment: dict[str, str]
    ) -> subprocess.Popen[bytes]:
        command = [*self._java, f"org.apache.spark.deploy.{name}", "--host", "127.0.0.1", *arguments]
        with log.open("wb") as file:
            return subprocess.Popen(
                command, stdout=file, stderr=file, cwd=self.folder, env={**self._environment, **environment}
            )


class Check:
    """A run of the command on a cluster, as a process; what it does is read from Spark's web UI at this port."""

    def __init__(self, command: Sequence[str], port: int, folder: Path) -> None:
        folder.mkdir()
        named = {"TMPDIR": str(folder), "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "fizzpy", *command, "--conf", f"spark.ui.port={port}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, **named},
        )
        self._address = f"http://127.0.0.1:{port}/api/v1/applications"

    def wait_for(self, title: str) -> None:
        """Wait for a job whose title begins so."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end and self.process.poll() is None:
            with suppress(OSError, ValueError):
                for application in self._read(""):
                    if any(
                        str(job.get("description")).startswith(title)
                        for job in self._read(f"/{application['id']}/jobs")
                    ):
                        return
            time.sleep(0.05)
        out, err = self.process.communicate(timeout=1) if self.process.poll() is not None else ("", "")
        raise AssertionError(f"no job '{title}': {out} {err}")

    def _read(self, path: str) -> list[dict[str, Any]]:
        with urllib.request.urlopen(self._address + path, timeout=2) as answer:
            found: list[dict[str, Any]] = json.load(answer)
        return found

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                self.process.communicate(timeout=10)
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()


def _awaited(log: Path, pattern: str) -> str:
    """What a process says in its log, as soon as it says so."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        found = re.search(pattern, log.read_text(errors="replace"))
        if found is not None:
            return found.group(1)
        time.sleep(0.05)
    raise AssertionError(f"{pattern} is not said in {log}: {log.read_text(errors='replace')[-2000:]}")
