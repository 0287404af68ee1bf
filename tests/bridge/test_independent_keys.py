"""Histories whose keys are independent by the text of the model are parted by key; others are not."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from checker.conformance import check_history as module
from checker.conformance.check_history import check_history
from tests.bridge.conftest import Ended, Write
from tests.bridge.test_history import Record

Run = Callable[..., Ended]
STORE = """\
LIMIT = 9
SHARED = []

role Store:
    action Init:
        self.values = {}
        self.logs = {}
        self.size = 0

    func get(key):
        return self.values.get(key, 0)

    func put(key, value):
        require value < LIMIT
        old = self.values.get(key, None)
        self.values[key] = value
        if key in self.logs:
            self.logs[key].append(value)
        else:
            self.logs[key] = [v for v in [value] if v != old]
        MORE

action Init:
    store = Store()
    other = 0
"""
DEPENDENT = {
    "another field": "self.size += 1",
    "the whole dict": "require len(self.values) < 3",
    "another entry": "require self.values.get('a', 0) < 5",
    "a loop over it": "require all([v < 9 for v in self.values.values()])",
    "another key": "key = 'a'\n        self.values[key] = value",
    "a key of a loop": "for key in ['a', 'b']:\n            self.values[key] = value",
    "a chosen key": "key = oneof ['a', 'b']\n        self.values[key] = value",
    "a state variable": "other = value",
    "a shared constant": "self.logs[key] = SHARED",
    "the receiver": "value = self",
    "a func": "self.get(key)",
    "a method of itself": "self.values.update({key: value})",
    "as a default": "old = self.values.get(key, self.size)",
}


def history(draw: random.Random, size: int) -> list[Record]:
    """Operations of three processes on two keys, with answers that are mostly right."""
    values: dict[str, int] = {}
    records: list[Record] = []
    open_ones: dict[int, tuple[Record, Record]] = {}
    while len(records) < size:
        process = draw.randrange(3)
        if process in open_ones:
            records.append(open_ones.pop(process)[1])
            continue
        key, value = draw.choice("ab"), draw.randrange(4)
        if draw.random() < 0.5:
            begin: Record = {"process": process, "type": "invoke", "f": "put", "key": key, "value": value}
            end = begin | {"type": "ok"}
            values[key] = value
        else:
            begin = {"process": process, "type": "invoke", "f": "get", "key": key}
            end = begin | {"type": "ok", "result": values.get(key, 0) if draw.random() < 0.95 else 3}
        records.append(begin)
        open_ones[process] = (begin, end)
    return records


def test_the_verdict_is_that_of_the_whole(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Parted by key without being asked, or searched as one."""
    model = write("store.fizz", STORE.replace("MORE", "pass"))
    verdicts = set()
    for seed in range(30):
        path = write("h.ndjson", history(random.Random(seed), 24))
        parted = check_history(model, [path])
        assert parted.by_itself and parted.partition == "key" and {part.key for part in parted.parts} <= {'"a"', '"b"'}
        with monkeypatch.context() as patched:
            patched.setattr(module, "independent_parameter", lambda *given: None)
            whole = check_history(model, [path])
        assert whole.partition is None and parted.verdict == whole.verdict, seed
        verdicts.add(whole.verdict)
    assert verdicts == {"accepted", "rejected"}


@pytest.mark.parametrize("name", DEPENDENT)
def test_what_depends_on_more_is_one_part(write: Write, name: str) -> None:
    """Whatever else a func may touch."""
    model = write("store.fizz", STORE.replace("MORE", DEPENDENT[name]))
    report = check_history(model, [write("h.ndjson", history(random.Random(0), 8))])
    assert report.partition is None and not report.by_itself


@pytest.mark.parametrize("values", [("a", 1), (1.0, 2.0), (True, False)], ids=str)
def test_keys_that_may_be_equal(write: Write, values: tuple[Any, Any]) -> None:
    """1 and 1.0 are one key of a dict, but two texts."""
    model = write("store.fizz", STORE.replace("MORE", "pass"))
    records = [
        {"process": 0, "type": kind, "f": "put", "key": k, "value": 1} for k in values for kind in ("invoke", "ok")
    ]
    assert check_history(model, [write("h.ndjson", records)]).partition is None


def test_what_is_shared_in_the_beginning(write: Write) -> None:
    """Two entries that are one list are no objects of their own."""
    text = STORE.replace("MORE", "pass").replace("self.logs = {}", "one = []\n        self.logs = {'a': one, 'b': one}")
    report = check_history(write("store.fizz", text), [write("h.ndjson", history(random.Random(0), 8))])
    assert report.partition is None


def test_what_is_said(write: Write, fizzpy: Run) -> None:
    """That each key is searched by itself, and why; a hint where it might be asked for; not for other consistency."""
    model = write("store.fizz", STORE.replace("MORE", "pass"))
    path = write("h.ndjson", history(random.Random(1), 24))
    ended = fizzpy("history", model, path)
    assert "each key by itself: the funcs touch only the entries of their key" in ended.out
    assert "by itself" not in fizzpy("history", model, path, "--consistency", "sequential").out
    dependent = write("size.fizz", STORE.replace("MORE", "self.size += 1"))
    ended = fizzpy("history", dependent, path, "--most", "2")
    assert ended.code == 3 and "hint: --partition key is much faster" in " ".join(ended.out.split())
