"""Walks whose choices hypothesis makes: its database, systems that choose themselves, and failures that come and go."""

from __future__ import annotations

from pathlib import Path

from tests.bridge.conftest import Pytest
from tests.bridge.test_model_tests import STORE

STORES = """\
import fizzpy

class Store:
    def start(self):
        self.values = {}
        open(f"{type(self).__name__}.runs", "a").write("\\n")
    def put(self, key, value):
        self.values[key] = value
        open(f"{type(self).__name__}.runs", "a").write("p")
    def get(self, key):
        return self.values.get(key, 0)
    def remove(self, key):
        del self.values[key]

@fizzpy.model_test("store.fizz", coverage="hypothesis", walks=100)
class TestForgets(Store):
    def put(self, key, value):
        if key not in self.values or value > 1:
            super().put(key, value)

@fizzpy.model_test("store.fizz", coverage="hypothesis", walks=10)
class TestFine(Store):
    pass

@fizzpy.model_test("store.fizz", coverage="hypothesis", walks=100)
class TestTwice(Store):
    def put(self, key, value):
        if key not in self.values or value > 1:
            super().put(key, value)
    def remove(self, key):
        if len(self.values) == 2:
            raise OSError("two")
        del self.values[key]

@fizzpy.model_test("store.fizz", coverage="hypothesis", walks=100)
class TestComesAndGoes(Store):
    gets = 0
    def get(self, key):
        TestComesAndGoes.gets += 1
        return -1 if TestComesAndGoes.gets == 7 else super().get(key)
"""


def _runs(folder: Path, name: str) -> list[str]:
    """What the runs since the last call did."""
    path = folder / f"{name}.runs"
    found = path.read_text(encoding="utf-8").splitlines()[1:]
    path.unlink()
    return found


_WITH_DATABASE = "--hypothesis-profile=default"
"""Where CI is set, hypothesis has no database and takes the same examples in each run."""


def test_what_failed_is_replayed_first(run_pytest: Pytest, tmp_path: Path) -> None:
    """In the next run too, and whatever other classes pass in between."""
    first = run_pytest(STORES, "-k", "Forgets", _WITH_DATABASE, store=STORE)
    assert first.returncode == 1 and len(_runs(tmp_path, "TestForgets")) > 20
    assert run_pytest(STORES, "-k", "Fine", _WITH_DATABASE, store=STORE).returncode == 0
    again = run_pytest(STORES, "-k", "Forgets", _WITH_DATABASE, store=STORE)
    assert again.returncode == 1 and len(_runs(tmp_path, "TestForgets")) <= 10
    shown = [one.stdout[one.stdout.index("returned") : one.stdout.index("=== short")] for one in (first, again)]
    assert shown[0] == shown[1]
    assert shown[0].count("system.put") == 2 and shown[0].count("system.get") == 1


def test_one_of_several_failures_is_told(run_pytest: Pytest) -> None:
    """By its calls, without words of hypothesis about lines of the tool."""
    ended = run_pytest(STORES, "-k", "Twice", store=STORE)
    assert ended.returncode == 1 and "def test_found_by_the_model():" in ended.stdout
    for word in ("ExceptionGroup", "Draw 1", "fizzpy_pytest.py", "public.py", "walk_run.py"):
        assert word not in ended.stdout, ended.stdout


def test_a_failure_that_does_not_come_again(run_pytest: Pytest) -> None:
    """It is told like others, and that it depends on more than the calls."""
    ended = run_pytest(STORES, "-k", "ComesAndGoes", store=STORE)
    assert ended.returncode == 1 and "returned -1; the model allows" in ended.stdout, ended.stdout
    assert "The same choices did not fail again" in ended.stdout and "Traceback" not in ended.stdout


DICE = """\
action Init:
    left = 0

atomic action Roll:
    n = oneof [1, 2, 3]
    left = n
    return n

atomic action Step:
    require left > 0
    left -= 1
"""


def test_a_system_that_chooses_itself(run_pytest: Pytest) -> None:
    """How many calls are possible then may differ from run to run: that is no failure."""
    tests = """\
import random
import fizzpy

@fizzpy.model_test("dice.fizz", coverage="hypothesis", walks=200)
class TestDice:
    chance = random.SystemRandom()
    def roll(self):
        return self.chance.randint(1, 3)
    def step(self):
        pass
"""
    ended = run_pytest(tests, dice=DICE)
    assert ended.returncode == 0, ended.stdout
