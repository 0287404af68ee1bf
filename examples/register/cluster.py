"""Three servers as processes of the operating system: started, killed, cut off from each other, asked."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

NAMES = ("n1", "n2", "n3")
TIMEOUT_S = 60.0


class Cluster:
    """The servers, with their files in a folder. Nothing waits for time to pass: each call waits for its answer."""

    def __init__(self, folder: Path, bug: str = "") -> None:
        self.folder, self.bug = folder, bug
        self.processes: dict[str, subprocess.Popen[str]] = {}
        self.ports: dict[str, int] = {}
        self.cut: set[tuple[str, str]] = set()
        for name in NAMES:
            self._spawn(name)
        self._introduce()

    def _spawn(self, name: str) -> None:
        command = [sys.executable, str(Path(__file__).with_name("server.py")), name, str(self.folder), self.bug]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        self.processes[name] = process
        self.ports[name] = int(process.stdout.readline())

    def _introduce(self) -> None:
        for name in self.processes:
            dropped = [two for one, two in self.cut if one == name]
            self.ask(name, do="peers", ports=self.ports, dropped=dropped)

    def ask(self, name: str, **request: Any) -> dict[str, Any]:
        """The answer of a server."""
        with socket.create_connection(("127.0.0.1", self.ports[name]), timeout=TIMEOUT_S) as connection:
            connection.sendall(json.dumps(request).encode() + b"\n")
            with connection.makefile(encoding="utf-8") as answers:
                return dict(json.loads(answers.readline()))

    def kill(self, *names: str) -> None:
        """End servers with SIGKILL, and start them again."""
        for name in names:
            process = self.processes.pop(name)
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        for name in names:
            self._spawn(name)
        self._introduce()

    def cut_off(self, name: str) -> None:
        """Drop what is sent between a server and the others."""
        self.cut = {pair for other in NAMES if other != name for pair in ((name, other), (other, name))}
        self._introduce()

    def heal(self) -> None:
        """Drop nothing any more."""
        self.cut = set()
        self._introduce()

    def logs(self) -> list[str]:
        """The logs of the servers."""
        return [str(self.folder / f"{name}.ndjson") for name in NAMES]

    def stop(self) -> None:
        """End all servers."""
        for process in self.processes.values():
            process.kill()
            process.wait()
            assert process.stdout is not None
            process.stdout.close()
        self.processes = {}
