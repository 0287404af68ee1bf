"""Columns take over from the search of a log where many states wait: verdicts are the same, and few rules are run."""

from __future__ import annotations

import random
from functools import partial

import pytest

from checker.conformance import log_runner
from checker.conformance.log_search import search_log
from checker.conformance.step_fit import StepFit
from checker.conformance.validate_log import validate_logs
from checker.core.limits import Limits
from checker.core.patience import Patience
from tests.bridge.conftest import Write

MODELS = {
    "serial": (
        """\
---
options:
  max_concurrent_actions: 1
  max_actions: 3
---
action Init: x, y, seen = 0, 0, set()
action Up:
    d = oneof [1, 2, 3]
    x += d
    `half`
    y += d
    seen.add(y)
atomic action Tick:
    t = oneof [0, 1]
    y = (y + t) % 4
atomic action Report:
    require len(seen) > 1
    x = x % 5
""",
        "silent: {steps: [Tick, continue], most: 30}\n"
        "events: {up: {action: Up, after: {x: 'x?'}}, half: {action: Up, label: half, before: {y: 'y?'}},"
        " report: {action: Report, before: {y: 'y?'}}}\n",
        {"up": ("x", 8), "half": ("y", 5), "report": ("y", 5)},
    ),
    "many ways": (
        """\
action Init: level, met, told = [0, 0, 0], set(), 0
atomic action Move:
    i = oneof range(3)
    d = oneof [1, 2]
    require level[i] + d < 6
    level[i] += d
    met.add(level[i])
atomic action Report:
    require sum(level) > 1 and told < 2
    told += 1
atomic action Last:
    require told == 2 and sum(level) > 5
    told = len(met)
""",
        "silent: {steps: [Move], most: 2}\norder: file\n"
        "events: {report: {action: Report}, last: {action: Last, after: {told: 'k?'}}}\n",
        {"report": ("x", 2), "last": ("k", 6)},
    ),
    "roles": (
        """\
---
action_options: {Node.Push: {max_actions: 1}}
---
role Node:
    action Init: self.log, self.done = [], 0
    atomic action Push:
        require len(self.log) < 3
        one = oneof ["a", "b"]
        self.log.append(one)
    atomic action Share:
        other = oneof nodes
        require other != self and len(other.log) < len(self.log)
        other.log.append(self.log[len(other.log)])
    action Done:
        self.done += 1
        require self.done < 3
        other = oneof nodes
        other.log = list(self.log)
action Init: nodes = [Node(), Node(), Node()]
""",
        "silent: {steps: [Node.Push, Node.Share, Node.Done], most: 2}\nprocess: n\n"
        "instances: {n0: Node#0, n1: Node#1, n2: Node#2}\norder: file\n"
        "events:\n  share: {action: Node.Share, after: {len(log): 'k?'}}\n"
        "  look: {observe: Node, before: {len(log): 'k?'}}\n",
        {"share": ("k", 4), "look": ("k", 4)},
    ),
    "messages": (
        """\
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Node:
    action Init: self.got, self.sent = [], 0
    atomic action Send:
        require self.sent < 2
        self.sent += 1
        other = oneof outs
        other.receive(self.sent)
    func receive(v):
        self.got = self.got + [v]
    atomic action Flush:
        require len(self.got) > 1
        self.got = []
action Init:
    nodes = [Node(), Node()]
    outs = [Net.stub(node) for node in nodes]
""",
        "silent: {steps: [Node.Send, continue, deliver], most: 4}\nprocess: n\ninstances: {n0: Node#0, n1: Node#1}\n"
        "events:\n  flush: {action: Node.Flush, before: {len(got): 'k?'}}\n"
        "  send: {action: Node.Send, after: {sent: 'k?'}}\n",
        {"flush": ("k", 4), "send": ("k", 4)},
    ),
}


def random_log(draw: random.Random, kinds: dict[str, tuple[str, int]]) -> list[dict[str, object]]:
    """Some events, of which few tell of a value."""
    log: list[dict[str, object]] = []
    number = draw.randrange(1, 4)
    for at in range(number):
        # The last kind is that of an event that needs many before.
        kind = draw.choice([*kinds]) if at < number - 1 else draw.choice([*kinds][:1] + [*kinds][-1:])
        field, below = kinds[kind]
        event: dict[str, object] = {"event": kind, "n": draw.choice(["n0", "n1"])}
        if draw.random() < 0.4:
            event[field] = draw.randrange(below)
        log.append(event)
    return log


@pytest.mark.parametrize("name", MODELS)
def test_columns_find_what_nodes_find(name: str, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Verdicts on random logs, with columns from one, two or five nodes on, and without."""
    text, map_text, kinds = MODELS[name]
    model, path = write("m.fizz", text), write("m.yaml", map_text)
    draw = random.Random(name)
    verdicts: list[str] = []
    for number in range(12):
        events = random_log(draw, kinds)
        log = write("a.ndjson", events)
        found = []
        for wide in (None, (1, 2, 5)[number % 3]):
            monkeypatch.setattr(log_runner, "search_log", partial(search_log, wide=wide))
            (run,) = validate_logs(model, [log], path).runs
            found.append((run.verdict, run.explained, run.reason))
        assert found[0] == found[1], events
        verdicts.append(found[0][0])
    assert len(set(verdicts)) > 1, verdicts


def test_few_states_are_looked_at_one_by_one(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of states between two events those are that an event may follow, and those on the way to it."""
    model = write(
        "m.fizz",
        """\
N = 4
action Init: level, met = [0] * N, set()
atomic action Move:
    i = oneof range(N)
    d = oneof [1, 2]
    require level[i] + d < 8
    level[i] += d
    met.add(level[i])
atomic action Report:
    require sum(level) == 24 and len(met) == 7
    level = [0] * N
""",
    )
    path = write("m.yaml", "silent: {steps: [Move], most: 18}\nevents: {report: {action: Report}}\n")
    log = write("a.ndjson", [{"event": "report"}])
    calls = dict.fromkeys(("moves", "silent_steps"), 0)

    def counted(name: str) -> None:
        of = getattr(StepFit, name)

        def count(self: StepFit, *arguments: object) -> object:
            calls[name] += 1
            return of(self, *arguments)

        monkeypatch.setattr(StepFit, name, count)

    for name in calls:
        counted(name)
    monkeypatch.setattr(log_runner, "search_log", partial(search_log, wide=200))
    (run,) = validate_logs(model, [log], path).runs
    assert (run.verdict, run.explained, run.silent) == ("accepted", 1, 13)
    assert run.nodes > 20_000 and sum(calls.values()) < run.nodes / 5, (run.nodes, calls)


def test_what_was_found_when_time_is_over_is_told(write: Write) -> None:
    """A search that `--timeout` ends has a report, with how far it came."""
    model = write("m.fizz", "action Init: x, y = 0, 0\natomic action Up: x += 1\natomic action Far: require x < 0\n")
    path = write("m.yaml", "silent: {steps: [Up], most: 1000000000}\nevents: {up: {action: Up}, far: {action: Far}}\n")
    log = write("a.ndjson", [{"event": "up"}, {"event": "far"}])
    (run,) = validate_logs(model, [log], path, patience=Patience(Limits(time_s=0.5))).runs
    assert (run.verdict, run.explained) == ("inconclusive", 1) and run.nodes and "--timeout" in run.reason
