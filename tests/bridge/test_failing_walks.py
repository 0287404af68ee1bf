"""Walks that fail, or go otherwise than planned: what is printed, and what it does when it is pasted into a file."""

from __future__ import annotations

import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from checker.conformance.adapters import ObjectSystem, StdioSystem, adapter_model
from checker.conformance.walk_plan import covering_walks, random_walks
from checker.conformance.walk_run import LeastTaken, as_function, failure_of, run_walk, shortened
from checker.core.problems import UsageProblem
from tests.bridge.conftest import Pytest, Write

POOL = """\
action Init:
    free = set([1, 2, 3])

atomic action Take:
    x = oneof free
    free.remove(x)
    return x

atomic action Give:
    x = oneof [1, 2, 3]
    require x not in free
    free.add(x)
"""
JOURNAL = """\
@state(durable=["disk"])
role Server:
    action Init:
        self.disk = 0
        self.memory = 0

    atomic action Append:
        require self.memory < 2
        self.memory += 1

    atomic action Sync:
        self.disk = self.memory

    atomic action Read:
        return [self.disk, self.memory]

action Init:
    server = Server()
"""


class Pool:
    """Takes what was given last, where the plan takes another one."""

    def start(self) -> None:
        self.free = [1, 2, 3]

    def take(self) -> int:
        return self.free.pop()

    def give(self, x: int) -> None:
        self.free.append(x)


class KeepsTheMiddle(Pool):
    """Forgets to remove the second one that it hands out."""

    def take(self) -> int:
        return self.free[0] if len(self.free) == 2 else self.free.pop()


class Journal:
    """A server whose disk is lost by a restart; `stopped` counts its ends."""

    stopped = 0

    def start(self) -> None:
        self.disk = self.memory = 0

    def stop(self) -> None:
        Journal.stopped += 1

    def append(self) -> None:
        self.memory += 1

    def sync(self) -> None:
        self.disk = self.memory

    def read(self) -> list[int]:
        return [self.disk, self.memory]

    def crash(self, instance: str) -> None:
        self.memory = 0

    def restart(self, instance: str) -> None:
        self.disk = 0


class Refuses(Journal):
    """Raises when it should sync an unread record."""

    restart = None  # type: ignore[assignment]

    def sync(self) -> None:
        if self.memory == 2:
            raise OSError("no space left")
        super().sync()


def _first_failure(model_file: str, adapter: type) -> tuple[Any, Any]:
    """The model of an adapter, and how its first failing walk fails, shortened."""
    model = adapter_model(model_file, adapter)

    def start() -> ObjectSystem:
        return ObjectSystem(adapter())

    failures = [failure_of(model, start, walk, LeastTaken()) for walk in covering_walks(model, 50).walks]
    return model, shortened(model, start, next(one for one in failures if one is not None))


def _run(function: str, **names: object) -> None:
    """Run a printed test function, as if it were pasted beside an adapter."""
    exec(function, names)
    names["test_found_by_the_model"]()  # type: ignore[operator]


def test_a_walk_goes_on_where_the_system_chooses_otherwise(write: Write) -> None:
    """As many calls are made as were planned; the summary says that the plan is not certain."""
    model = adapter_model(write("pool.fizz", POOL), Pool)
    plan = covering_walks(model, 50)
    assert plan.sentence == "1 walk takes 19 of 19 transitions, if the system chooses as planned"
    (walk,) = plan.walks
    assert run_walk(model, lambda: ObjectSystem(Pool()), walk) < len(walk)
    assert run_walk(model, lambda: ObjectSystem(Pool()), walk, LeastTaken()) == len(walk)
    assert random_walks(model, 2, 5, 0).sentence == "2 walks take 6 transitions, if the system chooses as planned"


def test_a_printed_walk_asserts_what_several_outcomes_allow(write: Write) -> None:
    """A result that may be one of several is asserted too, and the last one fails."""
    model, found = _first_failure(write("pool.fizz", POOL), KeepsTheMiddle)
    function = as_function(KeepsTheMiddle, found, model)
    assert "assert system.take() in [1, 2, 3]" in function
    with pytest.raises(AssertionError):
        _run(function, KeepsTheMiddle=KeepsTheMiddle)
    _run(function.replace("== 2", "in [1, 2]"), KeepsTheMiddle=Pool)


def test_a_printed_crash_restarts_and_the_system_is_stopped(write: Write) -> None:
    """What the plugin calls is printed: `restart` after `crash`, and `stop` at the end."""
    model, found = _first_failure(write("journal.fizz", JOURNAL), Journal)
    function = as_function(Journal, found, model)
    assert "system.crash(instance='Server#0')\n        system.restart('Server#0')" in function
    stopped = Journal.stopped
    with pytest.raises(AssertionError):
        _run(function, Journal=Journal)
    assert Journal.stopped == stopped + 1


def test_what_a_call_raises_is_shortened_and_printed(write: Write) -> None:
    """An exception is a failure like another: its walk is as short, and can be pasted."""
    model, found = _first_failure(write("journal.fizz", JOURNAL), Refuses)
    assert isinstance(found.error, OSError)
    assert [move.method for move in found.moves] == ["append", "append", "sync"]
    with pytest.raises(OSError, match="no space left"):
        _run(as_function(Refuses, found, model), Refuses=Refuses)


RAISES = """\
import fizzpy

@fizzpy.model_test("journal.fizz")
class TestJournal:
    def start(self): self.memory = 0
    def append(self): self.memory += 1
    def sync(self):
        if self.memory == 2: raise OSError("no space left")
    def read(self): return [0, self.memory]
"""


@pytest.mark.parametrize("coverage", ["transitions", "hypothesis"])
def test_pytest_prints_the_walk_of_what_was_raised(run_pytest: Pytest, coverage: str) -> None:
    """With the calls and the function, and none of the plugin's own lines."""
    tests = RAISES.replace("return [0, self.memory]", "return None").replace("journal", "quiet")
    quiet = JOURNAL.replace("        return [self.disk, self.memory]", "        stutter = True")
    ended = run_pytest(tests, "-x", f"--fizzpy-coverage={coverage}", quiet=quiet)
    assert ended.returncode == 1 and "no space left" in ended.stdout, ended.stdout
    function = ended.stdout[ended.stdout.index("def test_found_by_the_model") :].partition("test_it.py")[0]
    function = textwrap.dedent("\n".join(line.removeprefix("E  ") for line in ("    " + function).splitlines()))
    assert function.count("system.append()") == 2 and function.count("system.sync()") == 1
    assert "walk_run.py" not in ended.stdout


def test_workers_of_xdist_tell_what_walks_cover(run_pytest: Pytest) -> None:
    """The summary is the same with xdist, and two classes of one name are two."""
    tests = """\
import fizzpy

@fizzpy.model_test("pool.fizz")
class TestPool:
    def start(self): self.free = [1, 2, 3]
    def take(self): return self.free.pop()
    def give(self, x): self.free.append(x)

class TestOther:
    @fizzpy.model_test("pool.fizz", coverage="random", walks=3, steps=4)
    class TestPool(TestPool):
        pass
"""
    ended = run_pytest(tests, "-n", "2", pool=POOL)
    assert ended.returncode == 0, ended.stdout
    assert ended.stdout.count("fizzpy: TestPool: 1 walk takes 19 of 19 transitions") == 1
    assert ended.stdout.count("fizzpy: TestOther.TestPool: 3 walks take") == 1


@pytest.mark.parametrize("option", ["--fizzpy-walks=0", "--fizzpy-steps=-1"])
def test_no_walks_are_refused(run_pytest: Pytest, option: str) -> None:
    """Tests that do nothing would pass."""
    ended = run_pytest(RAISES, option, journal=JOURNAL)
    assert ended.returncode == 4 and "is less than 1" in ended.stderr


def test_what_is_wrong_is_said_without_a_traceback(run_pytest: Pytest) -> None:
    """A model that can not be read, and a method that is missing: a sentence each."""
    ended = run_pytest(RAISES, journal=JOURNAL + "atomic action Del:\n    stutter = 1\n")
    assert ended.returncode == 2 and "add `def del_(self)`" in ended.stdout, ended.stdout
    assert "adapters.py" not in ended.stdout
    ended = run_pytest(RAISES, journal="action Init:\n    x = {1}\n")
    assert ended.returncode == 2 and "journal.fizz:2:9" in ended.stdout
    assert "load.py" not in ended.stdout


def test_a_process_that_hangs_is_ended_with_its_own() -> None:
    """A child that it started, which has its output too, does not hold up the test."""

    class Hangs(StdioSystem):
        command = ("sh", "-c", "sleep 60; echo")
        timeout_s = 0.5

    system = Hangs()
    system.start()
    begun = time.monotonic()
    with pytest.raises(AssertionError, match=r"no answer to add for 0\.5 s"):
        system.ask("add")
    system.stop()
    assert time.monotonic() - begun < 30


def test_a_process_that_has_ended_is_told() -> None:
    """Whether it had ended when it was asked, or ended then."""

    class Ends(StdioSystem):
        command = ("sh", "-c", "exec 0<&-; echo; sleep 0.1")

    system = Ends()
    system.start()
    assert system._process is not None
    system._process.wait()
    with pytest.raises(AssertionError, match="the process ended before add was called"):
        system.ask("add")
    system.stop()


def test_methods_of_words_of_python_and_coroutines(tmp_path: Path) -> None:
    """`del_` is the method of `Del`; a method that is `async` is refused, for it would never run."""
    path = tmp_path / "n.fizz"
    path.write_text("action Init: n = 0\natomic action Del:\n    n = 1 - n\n    return n\n", encoding="utf-8")

    class Plain:
        def del_(self) -> int:
            return 0

    class Later:
        async def del_(self) -> int:
            return 0

    assert [*adapter_model(str(path), Plain).methods] == ["del_"]
    with pytest.raises(UsageProblem, match="is `async`"):
        adapter_model(str(path), Later)
