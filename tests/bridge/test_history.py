"""`fizzpy history`: whether a concurrent history is linearizable, or sequentially consistent, by a model."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from checker.conformance.check_history import check_history
from checker.conformance.edn import EdnError, forms, members
from tests.bridge.conftest import Ended, Write

Record = dict[str, Any]
Run = Callable[..., Ended]


def call(process: object, f: str, value: object = None) -> Record:
    return {"process": process, "type": "invoke", "f": f, "value": value}


def answer(process: object, f: str, value: object = None, kind: str = "ok") -> Record:
    return {"process": process, "type": kind, "f": f, "value": value}


STALE = [
    call(0, "write", 1),
    answer(0, "write", 1),
    call(1, "write", 2),
    call(2, "read"),
    answer(2, "read", 2),
    call(3, "read"),
    answer(3, "read", 1),
    answer(1, "write", 2),
]
"""A read returns a value that another read found overwritten before."""


def test_a_register_that_behaves(register: str, write: Write, fizzpy: Run) -> None:
    """Operations that overlap may take effect in any order; the code is 0."""
    history = [call(0, "write", 1), call(1, "read"), answer(1, "read", 1), answer(0, "write", 1)]
    ended = fizzpy("history", register, write("h.ndjson", history))
    assert ended.code == 0 and "\nLINEARIZABLE" in ended.out


def test_a_stale_read_is_shown(register: str, write: Write, fizzpy: Run) -> None:
    """The shortest beginning, the longest order, the operation that does not fit and why; the code is 14."""
    ended = fizzpy("history", register, write("h.ndjson", STALE))
    assert ended.code == 14
    assert "NOT LINEARIZABLE" in ended.out and "explains the first 7 events" in ended.out
    assert "the model returns 2, not 1" in ended.out and "Register#0.value = 2" in ended.out


@pytest.mark.parametrize("kind", ["info", "fail", "ok"])
def test_the_beginning_counts_each_record(register: str, write: Write, fizzpy: Run, kind: str) -> None:
    """Those of operations that left open whether they happened too, and of those that did not; not the nemesis."""
    first = [call(0, "write", 1), {"process": "nemesis", "type": "info", "f": "kill"}, answer(0, "write", 1, kind)]
    history = [*first, call(2, "read"), answer(2, "read", 7), call(2, "write", 1), answer(2, "write", 1)]
    ended = fizzpy("history", register, write("h.ndjson", history), "--quiet")
    assert ended.code == 14 and "explains the first 4 events" in ended.out


def test_real_time_does_not_count_for_sequential_consistency(register: str, write: Write, fizzpy: Run) -> None:
    """The stale read is one of another process, which may be behind."""
    ended = fizzpy("history", register, write("h.ndjson", STALE), "--consistency", "sequential")
    assert ended.code == 0 and "SEQUENTIALLY CONSISTENT" in ended.out
    one = [record | {"process": 7} for record in STALE if record["process"] != 1]
    ended = fizzpy("history", register, write("one.ndjson", one), "--consistency", "sequential")
    assert ended.code == 14


def test_the_page_has_intervals(register: str, write: Write, fizzpy: Run, tmp_path: Path) -> None:
    """`--html` draws each operation, and marks the one that does not fit."""
    fizzpy("history", register, write("h.ndjson", STALE), "--html", "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("<rect") == 4 and "stroke:var(--bad)" in page


def test_json(register: str, write: Write, fizzpy: Run) -> None:
    """The object has the verdict, what was compared, and why there is no order."""
    found = json.loads(fizzpy("history", register, write("h.ndjson", STALE), "--json").out)
    assert (found["verdict"], found["exit_code"], found["compared"]) == ("rejected", 14, 2)
    why = found["parts"][0]["why"]
    assert why["events"] == 7 and why["blocked"][0]["operation"]["line"] == 6


def test_an_operation_without_response_may_take_effect_later_or_never(register: str, write: Write) -> None:
    """As one whose response is `info`."""
    lost = [call(0, "write", 5), answer(0, "write", 5, "info")]
    late = [call(1, "read"), answer(1, "read", None), call(1, "read"), answer(1, "read", 5)]
    assert check_history(register, [write("h.ndjson", lost + late)]).verdict == "accepted"
    never = [call(1, "read"), answer(1, "read", None)]
    assert check_history(register, [write("n.ndjson", lost + never)]).verdict == "accepted"
    back = [*late, call(1, "read"), answer(1, "read", None)]
    assert check_history(register, [write("b.ndjson", lost + back)]).verdict == "rejected"


def test_fail_means_that_it_did_not_happen_or_was_refused(register: str, write: Write) -> None:
    """With `--failed refused` a compare-and-set that failed says that the values differed at some moment."""
    history = [call(0, "write", 1), answer(0, "write"), call(0, "cas", [1, 2]), answer(0, "cas", [1, 2], "fail")]
    history += [call(0, "read"), answer(0, "read", 1)]
    assert check_history(register, [write("h.ndjson", history)]).verdict == "accepted"
    assert check_history(register, [write("h.ndjson", history)], failed="refused").verdict == "rejected"


def test_edn_of_jepsen(register: str, write: Write) -> None:
    """Maps one a line, a vector of them, records with tags, and the columns of `history.txt`."""
    maps = """{:process 0, :type :invoke, :f :write, :value 3}
{:process :nemesis, :type :info, :f :kill, :value nil}
#jepsen.history.Op{:process 0, :type :ok, :f :write, :value 3, :index 1}
{:process 1, :type :invoke, :f :read, :value nil} ; a comment
{:process 1, :type :ok, :f :read, :value 3}
"""
    for name, text in (("m.edn", maps), ("v.edn", f"[{maps}]")):
        report = check_history(register, [write(name, text)])
        assert (report.verdict, report.set_aside, report.compared) == ("accepted", 1, 1)
    columns = "0\t:invoke\t:cas\t[3 4]\n0\t:fail\t:cas\t[3 4]\n0\t:invoke\t:read\tnil\n0\t:ok\t:read\t9\n"
    assert check_history(register, [write("history.txt", columns)]).verdict == "rejected"


def test_edn_values() -> None:
    """Keywords are texts, sets are lists, discarded forms are not there; lines are counted."""
    text = '{:a "x\\ny" :b #{2 1}}\n\n#_ 7 [1.5 -2 nil true :k (3N)]'
    assert [*forms(text)] == [(1, {"a": "x\ny", "b": [1, 2]}), (3, [1.5, -2, None, True, "k", [3]])]
    assert [value for _, value in members("[1 2]")] == [1, 2]


@pytest.mark.parametrize("text", ["{:a", "{:a}", "{:a 1 :a 2}", "#_", "[1 }", '"x', ")", "[" * 200])
def test_broken_edn(text: str) -> None:
    """Is refused, with a reason."""
    with pytest.raises(EdnError):
        list(forms(text))


KEYS = """\
role Store:
    action Init:
        self.values = {}

    func get(key):
        return self.values.get(key)

    func put(key, value):
        self.values[key] = value

action Init:
    store = Store()
"""


def test_partition(write: Write) -> None:
    """Each key is a history of its own; the report names the one without an order."""
    model = write("store.fizz", KEYS)
    history = []
    for process, key in enumerate("ab"):
        history += [{"process": process, "type": "invoke", "f": "put", "key": key, "value": 1}]
        history += [answer(process, "put")]
        history += [{"process": process, "type": "invoke", "f": "get", "key": key}]
        history += [answer(process, "get", 1 if key == "a" else None)]
    path = write("h.ndjson", history)
    report = check_history(model, [path], partition="key")
    assert [(part.key, part.verdict) for part in report.parts] == [('"a"', "accepted"), ('"b"', "rejected")]
    assert check_history(model, [path]).verdict == "rejected"


def test_several_files_by_time(register: str, write: Write) -> None:
    """The logs of several clients are put in order by their field `time`."""
    one = [call(0, "write", 1) | {"time": 1}, answer(0, "write") | {"time": 2}]
    two = [call(1, "read") | {"time": 3}, answer(1, "read", 1) | {"time": 4}]
    paths = [write("two.ndjson", two), write("one.ndjson", one)]
    assert check_history(register, paths).verdict == "accepted"


def test_inconclusive(register: str, write: Write, fizzpy: Run) -> None:
    """A search that the bound ends has no verdict: the code is 3."""
    history = [call(p, "write", p) for p in range(6)] + [answer(p, "write") for p in range(6)]
    history += [call(9, "read"), answer(9, "read", 77)]
    ended = fizzpy("history", register, write("h.ndjson", history), "--most", "20")
    assert ended.code == 3 and "INCONCLUSIVE" in ended.out


@pytest.mark.parametrize(
    "history", [[], [call(0, "write", 1)], [call(0, "write", 1), answer(0, "write")]], ids=["empty", "open", "writes"]
)
def test_nothing_to_check(register: str, write: Write, fizzpy: Run, history: list[Record]) -> None:
    """No operation, no response, nothing that is compared: never code 0."""
    ended = fizzpy("history", register, write("h.ndjson", history))
    assert ended.code == 2 and "NOTHING TO CHECK" in ended.out


WRONG = {
    "no JSON": ('{"process": 0, "type": "invoke", "f": "read"}\n{"process"\n', "h.ndjson:2: this line is no JSON"),
    "no object": ("[1]\n{}\n", "h.ndjson"),
    "never began": (json.dumps(answer(0, "read", 1)), "h.ndjson:1: process 0 has a response to 'read'"),
    "two at once": ("\n".join(map(json.dumps, [call(0, "read")] * 2)), "before its operation of"),
    "other func": ("\n".join(map(json.dumps, [call(0, "read"), answer(0, "cas")])), "h.ndjson:2: a response to 'cas'"),
    "no func": (json.dumps(call(0, "raed")), "no role instance has a func"),
    "no such func": ("\n".join(map(json.dumps, [call(1, "read"), call(0, "raed")])), "h.ndjson:2: role Register"),
    "no field": ('{"process": 0, "f": "read"}', "h.ndjson:1: the field 'type' is missing"),
    "no type": ('{"process": 0, "type": "begin", "f": "read"}', "h.ndjson:1: type is 'begin'"),
    "no argument": (json.dumps({"process": 0, "type": "invoke", "f": "cas", "value": 1}), "the func is cas(old, new)"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_histories(register: str, write: Write, fizzpy: Run, name: str) -> None:
    """File, line, reason, way out; the code is 2."""
    text, said = WRONG[name]
    ended = fizzpy("history", register, write("h.ndjson", text))
    assert (ended.code == 2 and said in ended.err and "hint:" in ended.err) or name == "other func", ended.err
    assert said in ended.err


def test_a_model_that_fails(write: Write, fizzpy: Run) -> None:
    """Its own error, with its place; the code is 75."""
    model = write(
        "m.fizz", "role R:\n    action Init: self.x = 0\n    func f(): return 1 // self.x\naction Init: r = R()\n"
    )
    ended = fizzpy("history", model, write("h.ndjson", [call(0, "f"), answer(0, "f", 1)]))
    assert ended.code == 75 and "m.fizz:3" in ended.err


def brute_force(operations: list[tuple[Record, int, int | None, object]], real_time: bool) -> bool:
    """Whether some order of all operations with a response, and some others, explains a register."""
    indices = range(len(operations))
    must = [i for i in indices if operations[i][2] is not None]
    may = [i for i in indices if operations[i][2] is None]
    for extra in itertools.chain.from_iterable(itertools.combinations(may, n) for n in range(len(may) + 1)):
        for order in itertools.permutations([*must, *extra]):
            place = {i: n for n, i in enumerate(order)}
            pairs = itertools.permutations(order, 2)
            if all(place[i] < place[j] for i, j in pairs if before(operations, i, j, real_time)) and fits(
                [operations[i] for i in order]
            ):
                return True
    return False


def before(operations: list[tuple[Record, int, int | None, object]], i: int, j: int, real_time: bool) -> bool:
    end = operations[i][2]
    same = operations[i][0]["process"] == operations[j][0]["process"]
    return end is not None and end < operations[j][1] and (real_time or same)


def fits(order: list[tuple[Record, int, int | None, object]]) -> bool:
    value: object = None
    for record, _, end, result in order:
        match record["f"]:
            case "write":
                value = record["value"]
            case "cas":
                if record["value"][0] != value:
                    return False
                value = record["value"][1]
            case _:
                if end is not None and result != value:
                    return False
    return True


@pytest.mark.parametrize("seed", range(120))
def test_agrees_with_brute_force(register: str, write: Write, seed: int) -> None:
    """On random small histories of reads, writes and compare-and-sets, some without responses."""
    draw = random.Random(seed)
    records: list[Record] = []
    operations: list[tuple[Record, int, int | None, object]] = []
    open_ones: dict[int, int] = {}
    while len(operations) < 6 or open_ones:
        process = draw.randrange(4)
        if process in open_ones:
            i = open_ones.pop(process)
            record, begun, _, _ = operations[i]
            if draw.random() < 0.2:
                records.append(answer(process, record["f"], None, "info"))
                continue
            result = draw.choice([None, 1, 2]) if record["f"] == "read" else record["value"]
            operations[i] = (record, begun, len(records), result)
            records.append(answer(process, record["f"], result))
        elif len(operations) < 6:
            f = draw.choice(["read", "read", "write", "cas"])
            value = {"read": None, "write": draw.randint(1, 2), "cas": [draw.randint(1, 2), draw.randint(1, 2)]}[f]
            record = call(process, f, value)
            open_ones[process] = len(operations)
            operations.append((record, len(records), None, None))
            records.append(record)
    path = write("h.ndjson", records)
    for consistency, real_time in (("linearizable", True), ("sequential", False)):
        report = check_history(register, [path], consistency=consistency)  # type: ignore[arg-type]
        if report.verdict != "nothing":
            assert (report.verdict == "accepted") == brute_force(operations, real_time), (seed, consistency)


LOG = """\
role Log:
    action Init: self.entries = []
    func put(v, at=len(self.entries)):
        self.entries.insert(at, v)
    func get(at=0): return self.entries[at] if at < len(self.entries) else None
action Init: log = Log()
"""


def test_parameters_without_a_value_have_their_defaults(write: Write, fizzpy: Run) -> None:
    """Given by name, by place, alone in `value`, or not at all; what has no default must be there."""
    calls = [call(0, "put", 1), answer(0, "put"), call(0, "put", [2, 0]), answer(0, "put")]
    calls += [{**call(0, "put"), "v": 3}, answer(0, "put"), call(0, "get"), answer(0, "get", 2)]
    model = write("log.fizz", LOG)
    good = [*calls, call(0, "get", 2), answer(0, "get", 3), {**call(0, "get"), "at": 1}, answer(0, "get", 1)]
    assert fizzpy("history", model, write("h.ndjson", good)).code == 0
    assert fizzpy("history", model, write("h.ndjson", [*calls, call(0, "get"), answer(0, "get", 3)])).code == 14
    ended = fizzpy("history", model, write("h.ndjson", [{"process": 0, "type": "invoke", "f": "put"}]))
    assert ended.code == 2 and "no value for v" in ended.err


def test_one_part_without_an_order_is_enough(register: str, write: Write) -> None:
    """Parts are searched in turns: one that takes for ever does not hide that another has no order."""
    hard = [call(i, "write", {"key": 0, "v": i}) for i in range(22)]
    hard += [answer(i, "write") for i in range(22)]
    keyed = """\
role Store:
    action Init: self.values = {}
    func write(key, v): self.values[key] = self.values.get(key, 0) * 2 + v
    func read(key): return self.values.get(key)
action Init: store = Store()
"""
    hard += [call(30, "read", {"key": 0}), answer(30, "read", -1)]
    bad = [call(31, "read", {"key": 1}), answer(31, "read", 7)]
    report = check_history(write("s.fizz", keyed), [write("h.ndjson", hard + bad)], partition="key", most=200_000)
    assert report.verdict == "rejected" and report.leading is not None and report.leading.key == "1"
    assert report.parts[0].verdict == "inconclusive" and report.parts[0].configurations < 10_000
