"""A system in another language: a queue in shell, which speaks lines of JSON over its standard input and output."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import fizzpy
from checker.conformance.adapters import ObjectSystem, adapter_model
from checker.conformance.walk_plan import covering_walks
from checker.conformance.walk_run import Mismatch, failure_of, shortened

HERE = Path(__file__).resolve().parent
PAGE = HERE.parents[1] / "docs" / "from-model-to-code.md"


@fizzpy.model_test("queue.fizz")
class TestShellQueue(fizzpy.StdioSystem):
    """Each transition of the model, and a SIGKILL in each state; what was put is still there then."""

    script = HERE / "queue.sh"

    @pytest.fixture(autouse=True)
    def place(self, tmp_path: Path) -> None:
        self.folder, self.walks = tmp_path, 0

    def start(self) -> None:
        self.walks += 1
        self.command = ("sh", str(self.script), str(self.folder / f"queue{self.walks}"))
        super().start()

    def put(self, v: str) -> Any:
        return self.ask("put", v=v)

    def take(self) -> Any:
        return self.ask("take")

    def size(self) -> Any:
        return self.ask("size")

    def crash(self, instance: str) -> None:
        self.stop()

    def restart(self, instance: str) -> None:
        super().start()


def test_a_queue_that_forgets_to_take_out(tmp_path: Path) -> None:
    """A planted bug is found, by the shortest walk that shows it."""
    script = tmp_path / "wrong.sh"
    script.write_text(TestShellQueue.script.read_text(encoding="utf-8").replace('mv "$queue.new"', "true"), "utf-8")

    def system() -> ObjectSystem:
        adapter = TestShellQueue()
        adapter.script, adapter.folder, adapter.walks = script, tmp_path, 0
        (tmp_path / "queue1").unlink(missing_ok=True)
        return ObjectSystem(adapter)

    model = adapter_model(str(HERE / "queue.fizz"), TestShellQueue)
    failures = [failure_of(model, system, walk) for walk in covering_walks(model, 50).walks]
    found = shortened(model, system, next(one for one in failures if one is not None))
    assert isinstance(found.error, Mismatch)
    assert [move.method for move in found.moves] in (["put", "take", "size"], ["put", "take", "put"])


def test_the_page_shows_this_script() -> None:
    """The documentation has the script as it is here."""
    blocks = re.findall(r"^```sh queue\.sh\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    assert blocks == [TestShellQueue.script.read_text(encoding="utf-8")]
