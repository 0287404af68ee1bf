"""etcd by the history of its clients, while it is killed and started again."""

from __future__ import annotations

import base64
import http.client
import json
import random
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fizzpy

HERE = Path(__file__).resolve().parent
CLIENTS, CALLS, KEYS = 4, 40, ["a", "b", "c"]


class Etcd:
    """A server with one member; `restart` kills it as the end of the machine's power would end the process."""

    def __init__(self, command: str, folder: Path) -> None:
        self._command, self.folder = command, folder
        self.port, self._peers = free_port(), free_port()
        self._begin()

    def _begin(self) -> None:
        client, peer = f"http://127.0.0.1:{self.port}", f"http://127.0.0.1:{self._peers}"
        words = ["--data-dir", str(self.folder), "--listen-client-urls", client, "--advertise-client-urls", client]
        words += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster"]
        self._process = subprocess.Popen(
            [self._command, *words, f"default={peer}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        for _ in range(600):
            try:
                return Client(self.port).get("a") and None
            except (OSError, http.client.HTTPException, Refused):
                assert self._process.poll() is None, "etcd ended"
                time.sleep(0.05)
        pytest.fail("etcd does not answer")

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()

    def restart(self, before: Path | None = None) -> None:
        """Kill it and start it again; `before`: with what was on its disk then."""
        self.kill()
        if before is not None:
            shutil.rmtree(self.folder)
            shutil.copytree(before, self.folder)
        self._begin()


class Refused(Exception):
    """The server answered that it cannot."""


class Client:
    """A client of the gateway that speaks JSON."""

    def __init__(self, port: int) -> None:
        self._port = port

    def _ask(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=5)
        try:
            connection.request("POST", f"/v3/kv/{path}", json.dumps(body))
            answer = connection.getresponse()
            text = answer.read()
        finally:
            connection.close()
        if answer.status != 200:
            raise Refused(text)
        found: dict[str, Any] = json.loads(text)
        return found

    def get(self, key: str) -> int | None:
        found = self._ask("range", {"key": coded(key)}).get("kvs")
        return int(base64.b64decode(found[0]["value"])) if found else None

    def put(self, key: str, v: int) -> None:
        self._ask("put", {"key": coded(key), "value": coded(str(v))})

    def cas(self, key: str, old: int | None, new: int) -> bool:
        same = {"key": coded(key), "target": "VALUE", "value": coded(str(old))}
        absent = {"key": coded(key), "target": "CREATE", "create_revision": "0"}
        put = {"requestPut": {"key": coded(key), "value": coded(str(new))}}
        answer = self._ask("txn", {"compare": [absent if old is None else same], "success": [put]})
        return bool(answer.get("succeeded", False))


def coded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@pytest.fixture
def etcd(tmp_path: Path) -> Iterator[Etcd]:
    command = shutil.which("etcd")
    if command is None:
        pytest.skip("etcd is not installed: apt-get install etcd-server")
    server = Etcd(command, tmp_path / "data")
    yield server
    server.kill()


def recorded(etcd: Etcd, history: Path, restart: Any) -> fizzpy.HistoryReport:
    """Clients call at once; in the midst of it the server is killed, and started again by `restart`."""
    recorder = fizzpy.HistoryRecorder(history)
    half = threading.Barrier(CLIENTS + 1)
    answers = threading.Event()

    def client(number: int) -> None:
        process, chance, connection = number, random.Random(number), Client(etcd.port)
        for turn in range(CALLS):
            if turn == CALLS // 2:
                half.wait()
            key, v = chance.choice(KEYS), number * 1000 + turn
            name, call, given = chance.choice(
                [
                    ("get", connection.get, {"key": key}),
                    ("put", connection.put, {"key": key, "v": v}),
                    ("cas", connection.cas, {"key": key, "old": chance.choice([None, v - 1]), "new": v}),
                ]
            )
            recorder.invoke(process, name, **given)
            try:
                recorder.respond(process, name, "ok", result=call(**given))
            except (OSError, http.client.HTTPException, Refused):
                # It may have taken effect, or may yet: the process is not used any more.
                recorder.respond(process, name, "info")
                process += CLIENTS
                answers.wait(30)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    half.wait()
    restart()
    # What was lost is seen before it is written anew.
    for key in KEYS:
        recorder.invoke("reader", "get", key=key)
        recorder.respond("reader", "get", "ok", result=Client(etcd.port).get(key))
    answers.set()
    for thread in threads:
        thread.join()
    recorder.close()
    return fizzpy.history(HERE / "cells.fizz", history)


def test_etcd_keeps_what_it_has_confirmed(etcd: Etcd, tmp_path: Path) -> None:
    """What its clients saw before and after a kill is explained by one order for each key."""
    report = recorded(etcd, tmp_path / "history.ndjson", etcd.restart)
    assert report.verdict == "accepted" and report.operations == CLIENTS * CALLS + len(KEYS)


def test_a_disk_that_forgets_is_found(etcd: Etcd, tmp_path: Path) -> None:
    """A server that comes back with an old disk has lost what it has confirmed."""
    etcd.restart()
    shutil.copytree(etcd.folder, tmp_path / "old")
    report = recorded(etcd, tmp_path / "history.ndjson", lambda: etcd.restart(tmp_path / "old"))
    assert report.verdict == "rejected"
