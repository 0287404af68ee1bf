"""How many wrong values in a log are found where they are: a measure of a model and its map.

`python -m benchmarks.log_mutations MODEL LOG --map MAP [--set NAME=VALUE ...] [--count 100] [--seed 0]`

Each mutation changes one value of one event: a number by 1, a boolean to the other, a string to one that the same field
has elsewhere in the log. Values that the map does not read are not mutated. The log is validated once; at each mutated
event it is asked whether the model, in the states that explain all events before, has a step for it. For a log whose
map has no silent steps and one order of events this is exactly what a validation of the mutated log finds.
"""

from __future__ import annotations

import argparse
import copy
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from checker.conformance.event_map import EventMap, read_map
from checker.conformance.event_sources import EventCounts, event_of, log_lines
from checker.conformance.event_streams import InOrder
from checker.conformance.log_files import LogLine
from checker.conformance.log_model import LogModel
from checker.conformance.log_nodes import LogNode
from checker.conformance.log_search import search_log
from checker.conformance.observed_event import Observed
from checker.core.patience import Patience
from fizz import load
from interpreter import State, compile_module

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class Mutation:
    """One changed value. `event`: counted from 1, without ignored ones."""

    event: int
    path: Path
    before: Any
    after: Any
    observed: Observed


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """The values of an object of JSON that have no parts."""
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, (*path, key))
    else:
        yield path, value


def changed(value: Any, path: Path, new: Any) -> Any:
    """A copy with another value at a path."""
    found = copy.deepcopy(value)
    inside = found
    for key in path[:-1]:
        inside = inside[key]
    inside[path[-1]] = new
    return found


def mutations(lines: list[LogLine], event_map: EventMap, count: int, seed: int) -> list[Mutation]:
    """Random changes of values that the map reads, each of another event."""
    chance = random.Random(seed)
    met: dict[Path, set[str]] = {}
    events: list[tuple[LogLine, Observed]] = []
    for line in lines:
        observed = event_of(line, event_map)
        if observed is not None:
            events.append((line, observed))
            for path, value in leaves(line.data):
                if isinstance(value, str):
                    met.setdefault(path, set()).add(value)
    found: dict[int, Mutation] = {}
    for _ in range(count * 1000):
        if len(found) == min(count, len(events)):
            break
        number = chance.randrange(len(events))
        line, observed = events[number]
        path, value = chance.choice(list(leaves(line.data)))
        new = _other(value, sorted(met.get(path, ())), chance)
        if number + 1 in found or new is None or path[-1] == event_map.event:
            continue
        mutated = event_of(LogLine(line.place, changed(line.data, path, new)), event_map)
        if mutated is not None and [one.key for one in mutated.readings] != [one.key for one in observed.readings]:
            found[number + 1] = Mutation(number + 1, path, value, new, mutated)
    return [found[number] for number in sorted(found)]


def _other(value: Any, known: list[str], chance: random.Random) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + chance.choice((-1, 1)) if value else 1
        case str() if len(known) > 1:
            return chance.choice([one for one in known if one != value])
    return None


def main(arguments: list[str]) -> int:
    """Count, and say which mutations fit."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("log")
    parser.add_argument("--map", required=True)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    event_map = read_map(given.map)
    lines = list(log_lines([given.log], event_map, EventCounts()))
    chosen = mutations(lines, event_map, given.count, given.seed)
    constants = dict(setting.split("=", 1) for setting in given.set)
    program = compile_module(load(given.model, constants=constants))
    # States of all events are kept: they are of one machine.
    model = LogModel(program, event_map.silent, most_parts=1 << 62)
    before: dict[int, list[State]] = {one.event - 1: [] for one in chosen}

    class Noting:
        chooses = False

        def look(self, node: LogNode) -> bool:
            if node.consumed in before:
                before[node.consumed].append(node.state)
            return True

        def settled(self, nodes: list[LogNode]) -> None:
            pass

        def leaving(self, node: LogNode) -> None:
            pass

    begun = time.process_time()
    events = (event for line in lines if (event := event_of(line, event_map)) is not None)
    found = search_log(model, InOrder(events), Patience(None), None, Noting())
    spent = time.process_time() - begun
    verdict = "accepted" if found.accepted is not None else f"rejected after {found.most:,} events"
    print(f"{given.log}: {verdict}, {found.most:,} events in {spent:.1f} s of CPU, {found.most / spent:,.0f} a second")
    if found.accepted is None:
        print("mutations of a log are tried where it is accepted itself")
        return 1
    fitting = [
        one
        for one in chosen
        if any(model.fit.moves(s, e) for s in before[one.event - 1] for e in one.observed.readings)
    ]
    print(f"{len(chosen) - len(fitting)} of {len(chosen)} mutations are rejected at their event")
    fields = Counter(".".join(map(str, one.path)) for one in chosen)
    print("mutated: " + ", ".join(f"{name} {number}" for name, number in sorted(fields.items())))
    for one in fitting:
        field, values = ".".join(map(str, one.path)), f"{json.dumps(one.before)} to {json.dumps(one.after)}"
        print(f"  fits: event {one.event} {field}: {values}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
