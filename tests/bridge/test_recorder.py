"""`fizzpy.HistoryRecorder`: what it writes, and what it refuses to write."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import fizzpy as api
from checker.conformance.check_history import check_history

Record = dict[str, Any]


def _read(path: Path) -> list[Record]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _one_read(path: Path, **existing: Any) -> None:
    with api.HistoryRecorder(path, **existing) as recorder:
        recorder.call(0, "read", lambda: 7)


def test_a_file_with_a_history_is_refused(tmp_path: Path) -> None:
    """Two histories in one file would be read as one; an empty file is none."""
    path = tmp_path / "h.ndjson"
    path.touch()
    _one_read(path)
    before = path.read_bytes()
    with pytest.raises(api.UsageProblem, match=r'h\.ndjson has a history already(.|\n)*existing="overwrite"'):
        api.HistoryRecorder(path)
    assert path.read_bytes() == before
    _one_read(path, existing="append")
    assert len(_read(path)) == 4
    _one_read(path, existing="overwrite")
    assert len(_read(path)) == 2


@pytest.mark.parametrize(
    ("name", "existing", "said"),
    [
        (".", "append", r"cannot be written: Is a directory"),
        ("none/h.ndjson", "refuse", r"cannot be written: No such file"),
        ("h.ndjson", "replace", r"existing='replace' is not known"),
    ],
)
def test_files_that_can_not_be_written(tmp_path: Path, name: str, existing: Any, said: str) -> None:
    """They are refused with a sentence."""
    with pytest.raises(api.UsageProblem, match=said):
        api.HistoryRecorder(tmp_path / name, existing=existing)


class _Cell:
    """A value that is read and written by coroutines, which overlap."""

    value: int | None = None

    async def read(self) -> int | None:
        await asyncio.sleep(0.001)
        return self.value

    async def write(self, v: int) -> None:
        await asyncio.sleep(0.001)
        self.value = v
        await asyncio.sleep(0.001)


def test_tasks_record_a_history(register: str, tmp_path: Path) -> None:
    """The response of an `async` function is noted when it is done, and what was awaited is returned."""
    path, cell = tmp_path / "h.ndjson", _Cell()
    recorder = api.HistoryRecorder(path)

    async def work(process: int) -> None:
        for i in range(10):
            await recorder.call(process, "write", cell.write, v=process * 100 + i)
            # Some functions are not `async`, but return what one of those returned.
            assert isinstance(await recorder.call(process, "read", lambda: cell.read()), int)
            await recorder.call(process, "read", functools.partial(cell.read))

    async def all_of_them() -> None:
        await asyncio.gather(*(work(process) for process in range(3)))

    asyncio.run(all_of_them())
    recorder.close()
    records = _read(path)
    overlapping = [two["type"] for one, two in itertools.pairwise(records) if one["type"] == "invoke"]
    assert "invoke" in overlapping
    assert all(isinstance(one["result"], int) for one in records if one["type"] == "ok" and one["f"] == "read")
    report = check_history(register, [str(path)])
    assert (report.verdict, report.operations, report.compared) == ("accepted", 90, 60)


def test_an_async_function_that_is_not_awaited_has_not_begun(tmp_path: Path) -> None:
    """It begins when it is awaited, so that a process does one operation at a time; one that fails is "info"."""
    path = tmp_path / "h.ndjson"
    recorder = api.HistoryRecorder(path)

    async def fails() -> None:
        raise OSError("lost")

    async def both() -> None:
        one, two = recorder.call(0, "read", _Cell().read), recorder.call(0, "lose", fails)
        await one
        with pytest.raises(OSError, match="lost"):
            await two

    asyncio.run(both())
    recorder.close()
    kinds = [(one["f"], one["type"]) for one in _read(path)]
    assert kinds == [("read", "invoke"), ("read", "ok"), ("lose", "invoke"), ("lose", "info")]


def _generated() -> Any:
    yield 1


@pytest.mark.parametrize("later", [_generated, concurrent.futures.Future], ids=["generator", "future"])
def test_functions_that_are_not_done_are_refused(tmp_path: Path, later: Any) -> None:
    """What they return does not say when the operation took effect: it is not noted as done."""
    path = tmp_path / "h.ndjson"
    with api.HistoryRecorder(path) as recorder, pytest.raises(api.UsageProblem, match="give a function that"):
        recorder.call(0, "read", later)
    assert [one["type"] for one in _read(path)] == ["invoke", "info"]


def test_arguments_of_any_kind(tmp_path: Path) -> None:
    """They are written as values of JSON; a parameter with the name of a field of the record is refused."""
    path = tmp_path / "h.ndjson"
    with api.HistoryRecorder(path) as recorder:
        recorder.call(0, "add", lambda members: (1, members), members={2, 3})
        with pytest.raises(api.UsageProblem, match=r"the parameter 'time' of wait(.|\n)*args=\[\.\.\.\]"):
            recorder.call(1, "wait", lambda time: None, time=3)
    invoked, done = _read(path)
    assert invoked["members"] == [2, 3] and done["result"] == [1, [2, 3]]
