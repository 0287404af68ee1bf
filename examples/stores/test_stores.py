"""Libraries and servers of others: a queue on the disk under generated tests, Redis by its history."""

from __future__ import annotations

import random
import shutil
import socket
import subprocess
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import diskcache
import pytest

import fizzpy

HERE = Path(__file__).resolve().parent


@fizzpy.model_test("queue.fizz")
class TestDiskcacheQueue:
    """`diskcache.Deque`: each transition of the model, and a crash in each state, which leaves the object behind."""

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.folder, self.walks = tmp_path, 0

    def start(self) -> None:
        self.walks += 1
        self.queue = diskcache.Deque(directory=str(self.folder / str(self.walks)))

    def put(self, v: str) -> int:
        self.queue.append(v)
        return len(self.queue)

    def take(self) -> Any:
        return self.queue.popleft()

    def size(self) -> int:
        return len(self.queue)

    def crash(self, instance: str) -> None:
        self.queue = diskcache.Deque(directory=self.queue.directory)


class Redis:
    """A connection that speaks the protocol of Redis."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._answers = self._socket.makefile("rb")

    def ask(self, *words: object) -> str | int | None:
        """The answer to a command."""
        parts = [str(word).encode() for word in words]
        lines = b"".join(b"$%d\r\n%s\r\n" % (len(part), part) for part in parts)
        self._socket.sendall(b"*%d\r\n%s" % (len(parts), lines))
        line = self._answers.readline().strip()
        match line[:1]:
            case b":":
                return int(line[1:])
            case b"$":
                size = int(line[1:])
                return None if size < 0 else self._answers.read(size + 2)[:-2].decode()
            case b"+":
                return line[1:].decode()
        raise ConnectionError(line.decode())

    def close(self) -> None:
        self._answers.close()
        self._socket.close()


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[Path]:
    """The socket of a server of its own; it writes nothing to the disk."""
    command = shutil.which("redis-server")
    if command is None:
        pytest.skip("redis-server is not installed: apt-get install redis-server")
    path = tmp_path / "redis.sock"
    words = ["--port", "0", "--unixsocket", str(path), "--save", "", "--appendonly", "no", "--dir", str(tmp_path)]
    process = subprocess.Popen([command, *words], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    while "ready to accept" not in (line := process.stdout.readline()).lower():
        assert line, "redis-server ended"
    yield path
    process.kill()
    process.wait()
    process.stdout.close()


@fizzpy.model_test("store.fizz")
class TestRedis:
    """A server of Redis: each call that clients make, in each state of two keys with two values."""

    arguments = {  # noqa: RUF012
        "get": {"key": ["a", "b"]},
        "set": {"key": ["a", "b"], "v": [1, 2]},
    }
    connection: Redis | None = None

    @pytest.fixture(autouse=True)
    def place(self, redis: Path) -> None:
        self.path = redis

    def start(self) -> None:
        self.connection = Redis(self.path)
        self.connection.ask("FLUSHALL")

    def stop(self) -> None:
        if self.connection is not None:
            self.connection.close()

    def get(self, key: str) -> int | None:
        assert self.connection is not None
        found = self.connection.ask("GET", key)
        return None if found is None else int(found)

    def set(self, key: str, v: int) -> None:
        assert self.connection is not None
        self.connection.ask("SET", key, v)


def recorded(path: Path, history: Path, stale: bool = False) -> fizzpy.HistoryReport:
    """Four clients call at once; a `stale` one answers reads from what it has read before."""
    recorder = fizzpy.HistoryRecorder(history)

    def client(process: int) -> None:
        connection, chance, cache = Redis(path), random.Random(process), dict[str, Any]()

        def get(key: str) -> int | None:
            if not (stale and key in cache):
                found = connection.ask("GET", key)
                cache[key] = None if found is None else int(found)
            return cache[key]

        for _ in range(60):
            key = chance.choice(["a", "b", "c"])
            match chance.randrange(3):
                case 0:
                    recorder.call(process, "get", get, key=key)
                case 1:
                    value = chance.randrange(100)
                    recorder.invoke(process, "set", key=key, v=value)
                    connection.ask("SET", key, value)
                    recorder.respond(process, "set", "ok")
                case _:
                    recorder.call(process, "incr", lambda key: connection.ask("INCR", key), key=key)
        connection.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    return fizzpy.history(HERE / "store.fizz", history, partition="key")


def test_redis_is_linearizable(redis: Path, tmp_path: Path) -> None:
    """What four clients saw of three keys is explained by an order for each key."""
    report = recorded(redis, tmp_path / "history.ndjson")
    assert report.verdict == "accepted" and report.operations == 240


def test_clients_with_a_cache_are_not(redis: Path, tmp_path: Path) -> None:
    """A client that answers from what it read before is found."""
    report = recorded(redis, tmp_path / "history.ndjson", stale=True)
    assert report.verdict == "rejected"
    assert report.leading.why.blocked[0].operation.function == "get"


def test_walks_find_a_client_with_a_cache(redis: Path) -> None:
    """The same mistake is found by one client: it reads, writes and reads again."""
    from checker.conformance.adapters import ObjectSystem, adapter_model
    from checker.conformance.walk_plan import covering_walks
    from checker.conformance.walk_run import Mismatch, failure_of, shortened

    class Forgetful(TestRedis):
        def start(self) -> None:
            super().start()
            self.cache: dict[str, int | None] = {}

        def get(self, key: str) -> int | None:
            if key not in self.cache:
                self.cache[key] = super().get(key)
            return self.cache[key]

    def system() -> ObjectSystem:
        adapter = Forgetful()
        adapter.path = redis
        return ObjectSystem(adapter)

    model = adapter_model(str(HERE / "store.fizz"), Forgetful)
    failures = [failure_of(model, system, walk) for walk in covering_walks(model, 50).walks]
    found = shortened(model, system, next(one for one in failures if one is not None))
    assert isinstance(found.error, Mismatch)
    assert [move.method for move in found.moves] == ["get", "set", "get"]
