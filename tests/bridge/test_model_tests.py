"""Tests that a model writes: `fizzpy.model_test`, run by pytest as users run it."""

from __future__ import annotations

import json
import textwrap
import threading
from pathlib import Path

import pytest

import fizzpy as api
from checker.conformance.adapters import ObjectSystem, adapter_model
from checker.conformance.check_history import check_history
from checker.conformance.walk_plan import covering_walks
from checker.conformance.walk_run import Mismatch, failure_of, run_walk, shortened
from tests.bridge.conftest import Pytest

STORE = """\
KEYS = ["a", "b"]

action Init:
    values = {}

atomic action Put:
    key = oneof KEYS
    value = oneof [1, 2]
    values[key] = value

atomic action Get:
    key = oneof KEYS
    return values.get(key, 0)

atomic action Remove:
    key = oneof KEYS
    require key in values
    values.pop(key)
"""
SQLITE = """\
import sqlite3
import fizzpy

@fizzpy.model_test("store.fizz")
class TestSqlite:
    def start(self):
        self.db = sqlite3.connect(":memory:")
        self.db.execute("create table kv (key text primary key, value int)")

    def stop(self):
        self.db.close()

    def put(self, key, value):
        self.db.execute("insert or replace into kv values (?, ?)", (key, value))

    def get(self, key):
        row = self.db.execute("select value from kv where key = ?", (key,)).fetchone()
        return row[0] if row else 0

    def remove(self, key):
        self.db.execute("delete from kv where key = ?", (key,))
"""
BUGGY = """\
import fizzpy

@fizzpy.model_test("store.fizz", coverage="COVERAGE")
class TestStore:
    def start(self):
        self.values = {}

    def put(self, key, value):
        if key not in self.values or value > 1:
            self.values[key] = value

    def get(self, key):
        return self.values.get(key, 0)

    def remove(self, key):
        del self.values[key]
"""


def test_sqlite_is_a_store(run_pytest: Pytest) -> None:
    """Each transition of the model is taken on sqlite3; what the walks cover is printed; `-k` chooses as usual."""
    ended = run_pytest(SQLITE, "-k", "Sqlite", store=STORE)
    assert ended.returncode == 0, ended.stdout
    assert "TestSqlite: 2 walks take 66 of 66 transitions" in ended.stdout


@pytest.mark.parametrize("coverage", ["transitions", "random", "hypothesis"])
def test_a_bug_is_told_like_a_counterexample(run_pytest: Pytest, coverage: str) -> None:
    """The shortest walk, what the model allows, the state, and a function to paste."""
    ended = run_pytest(BUGGY.replace("COVERAGE", coverage), "-x", store=STORE)
    assert ended.returncode == 1
    assert "returned 2; the model allows 1" in ended.stdout
    assert "During handling" not in ended.stdout
    function = textwrap.dedent(ended.stdout[ended.stdout.index("def test_found_by_the_model") :].partition("\n\n")[0])
    assert function.count("system.put") == 2 and function.count("assert system.get") == 1
    names: dict[str, object] = {}
    exec(BUGGY.replace('@fizzpy.model_test("store.fizz", coverage="COVERAGE")\n', "") + function, names)
    with pytest.raises(AssertionError):
        names["test_found_by_the_model"]()  # type: ignore[operator]


def test_fixtures_work(run_pytest: Pytest) -> None:
    """A class has its fixtures as any other one."""
    tests = """\
import pytest, fizzpy

@fizzpy.model_test("m.fizz")
class TestFile:
    @pytest.fixture(autouse=True)
    def place(self, tmp_path):
        self.path = tmp_path / "n"

    def start(self):
        self.path.write_text("0")

    def up(self):
        self.path.write_text(str((int(self.path.read_text()) + 1) % 3))
        return int(self.path.read_text())
"""
    model = "action Init: n = 0\natomic action Up:\n    n = (n + 1) % 3\n    return n\n"
    assert run_pytest(tests, m=model).returncode == 0


def test_a_missing_method_is_named(run_pytest: Pytest) -> None:
    """Nothing is left out silently: the action, and the way out."""
    tests = 'import fizzpy\n@fizzpy.model_test("store.fizz")\nclass TestIt:\n    def put(self, key, value): pass\n'
    ended = run_pytest(tests, store=STORE)
    assert ended.returncode != 0 and "no method for Get, Remove" in ended.stdout


class Durable:
    """A counter with a durable and a volatile part; `loses` is the planted bug."""

    loses = False

    def start(self) -> None:
        self.kept = self.cached = 0

    def add(self) -> int:
        self.cached += 1
        return self.cached

    def save(self) -> None:
        self.kept = 0 if self.loses else self.cached

    def read(self) -> int:
        return self.cached

    def crash(self, instance: str) -> None:
        assert instance == "Counter#0"
        self.cached = -1

    def restart(self, instance: str) -> None:
        self.cached = self.kept


COUNTER = """\
@state(ephemeral=["cached"])
role Counter:
    action Init:
        self.kept = 0
        self.cached = 0

    atomic action Add:
        require self.cached < 2
        require self.cached >= self.kept
        self.cached += 1
        return self.cached

    atomic action Save:
        self.kept = self.cached

    atomic action Read:
        return self.cached

action Init:
    counter = Counter()
"""


def test_crashes_call_the_adapter(tmp_path: Path) -> None:
    """Where the model crashes a role, `crash` and `restart` are called."""
    model_file = tmp_path / "counter.fizz"
    # After a crash the model's cache is what Init gave it: the system must agree.
    model_file.write_text(COUNTER, encoding="utf-8")

    class Volatile(Durable):
        def restart(self, instance: str) -> None:
            self.cached = 0

    model = adapter_model(str(model_file), Volatile)
    plan = covering_walks(model, 50)
    assert plan.whole and plan.covered == plan.calls
    assert any(move.method == "crash" for walk in plan.walks for move in walk)
    for walk in plan.walks:
        run_walk(model, lambda: ObjectSystem(Volatile()), walk)
    wrong = adapter_model(str(model_file), Durable)
    failures = [failure_of(wrong, lambda: ObjectSystem(Durable()), walk) for walk in covering_walks(wrong, 50).walks]
    found = next(one for one in failures if one is not None)
    assert isinstance(found.error, Mismatch)
    best = shortened(wrong, lambda: ObjectSystem(Durable()), found)
    assert [move.method for move in best.moves[-2:]] == ["crash", "read"] or best.moves[-2].method == "crash"


def test_the_choices_of_the_system_are_its_own(tmp_path: Path) -> None:
    """A choice that is no parameter of the method may be any: the states are those that explain what was returned."""
    path = tmp_path / "bag.fizz"
    path.write_text(
        "action Init: bag = set([1, 2, 3])\natomic action Take:\n    x = oneof bag\n    bag.remove(x)\n    return x\n",
        encoding="utf-8",
    )

    class Bag:
        order = (2, 3, 1)

        def start(self) -> None:
            self.left = list(self.order)

        def take(self) -> int:
            return self.left.pop(0)

    class Twice(Bag):
        order = (2, 3, 2)

    model = adapter_model(str(path), Bag)
    (move,) = model.moves(model.beginnings())
    assert run_walk(model, lambda: ObjectSystem(Bag()), [move] * 3) == 3
    with pytest.raises(Mismatch, match="returned 2; the model allows 1"):
        run_walk(model, lambda: ObjectSystem(Twice()), [move] * 3)


def test_funcs_are_called_with_the_values_of_the_adapter(register: str) -> None:
    """A class may have methods of the names of funcs; `arguments` has the values that they are called with."""

    class Register:
        arguments = {"write": {"v": [1, 2]}, "cas": {"old": [1], "new": [2]}}  # noqa: RUF012

        def start(self) -> None:
            self.value: object = None

        def read(self) -> object:
            return self.value

        def write(self, v: int) -> None:
            self.value = v

        def cas(self, old: int, new: int) -> None:
            assert self.value == old
            self.value = new

    model = adapter_model(register, Register)
    plan = covering_walks(model, 30)
    # Three states, in each read and two writes, and in one of them cas.
    assert (plan.states, plan.calls, plan.covered) == (3, 10, 10)
    for walk in plan.walks:
        run_walk(model, lambda: ObjectSystem(Register()), walk)


SHELL = """\
n=0
while read -r line; do
  case "$line" in
    *'"add"'*) n=$((n + 1)); echo "{\\"result\\": $n}" ;;
    *) echo '{"error": "no such call"}' ;;
  esac
done
"""


def test_an_adapter_in_shell(tmp_path: Path) -> None:
    """A process speaks JSON lines over stdio, started anew for each walk."""
    (tmp_path / "adapter.sh").write_text(SHELL, encoding="utf-8")
    path = tmp_path / "n.fizz"
    path.write_text(
        "action Init: n = 0\natomic action Add:\n    require n < 4\n    n += 1\n    return n\n", encoding="utf-8"
    )

    class Shell(api.StdioSystem):
        command = ("sh", str(tmp_path / "adapter.sh"))

        def add(self) -> object:
            return self.ask("add")

    model = adapter_model(str(path), Shell)
    plan = covering_walks(model, 10)
    assert [len(walk) for walk in plan.walks] == [4]
    for walk in (*plan.walks, *plan.walks):
        assert run_walk(model, lambda: ObjectSystem(Shell()), walk) == 4
    system = Shell()
    system.start()
    with pytest.raises(AssertionError, match="no such call"):
        system.ask("multiply")
    system.stop()


def test_threads_record_a_history(register: str, tmp_path: Path) -> None:
    """Several threads call at once; what was recorded is checked as a history."""
    lock = threading.Lock()
    value: list[object] = [None]

    def read() -> object:
        with lock:
            return value[0]

    def write(v: int) -> None:
        with lock:
            value[0] = v

    recorder = api.HistoryRecorder(tmp_path / "h.ndjson")

    def work(process: int) -> None:
        for i in range(20):
            recorder.call(process, "write", write, v=process * 100 + i)
            recorder.call(process, "read", read)

    threads = [threading.Thread(target=work, args=(process,)) for process in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    recorder.close()
    report = check_history(register, [str(tmp_path / "h.ndjson")])
    assert (report.verdict, report.operations, report.compared) == ("accepted", 120, 60)
    first = json.loads((tmp_path / "h.ndjson").read_text().splitlines()[0])
    assert first["type"] == "invoke" and isinstance(first["time"], int)
