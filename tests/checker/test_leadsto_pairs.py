"""`leadsto` (language page, 10.8): several pairs, in roles, with instances that come and go; against brute force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from random import Random

import pytest

import fizz
from checker.check import check
from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.problems import ExitCode, UsageProblem
from checker.core.report import Report
from checker.properties import properties_of
from checker.search.explore import explore
from checker.search.known_pairs import PairsOfModel
from checker.search.registry import engine_of
from checker.swarm.simulate import simulate
from interpreter import Machine, compile_module
from tests.checker.conftest import IN_PROCESS
from tests.checker.test_fair_programs import Graph
from tests.checker.test_leads_to import Oracle, states_with
from tests.random.laws import told

NAMES = ("A", "B", "C")


def random_model(chance: Random) -> tuple[str, dict[str, str], list[tuple[list[int], list[int]]]]:
    """A model of one variable, its fair actions, and for each pair the values where p and where q is true."""
    lines = ["---", "deadlock_detection: false", "options: {max_actions: 100}", "---", "action Init: x = 0"]
    if chance.random() < 0.4:
        lines[1] += f"\nliveness: {chance.choice(('nondeterministic', 'strict'))}"
    fairness: dict[str, str] = {}
    for i in range(chance.randint(2, 6)):
        word = chance.choice(("", "fair ", "fair<strong> "))
        if word:
            fairness[f"Do{i}"] = "strong" if "strong" in word else "weak"
        before, after = chance.randrange(6), chance.randrange(6)
        lines += [f"atomic {word}action Do{i}:", f"    require x == {before}", f"    x = {after}"]
    pairs = [
        ([x for x in range(6) if chance.random() < 0.4], [x for x in range(6) if chance.random() < 0.25])
        for _ in range(chance.randint(1, 3))
    ]
    written = [f"(x in {p}, x in {q})" for p, q in pairs]
    keyed = ", ".join(f'"{name}": {pair}' for name, pair in zip(NAMES, written, strict=False))
    body = chance.choice((f"[{', '.join(written)}]", f"{{{keyed}}}", f"({', '.join(written)},)"))
    lines += ["leadsto assertion P:", f"    return {body}"]
    return "\n".join(lines) + "\n", fairness, pairs


def test_random_models() -> None:
    """What is told is the least violation of all pairs, and every engine tells the same."""
    found: Counter[tuple[str, bool]] = Counter()
    for seed in range(40):
        text, fairness, pairs = random_model(Random(seed))
        module = fizz.load("m.fizz", text=text)
        machine = Machine(compile_module(module))
        states = Graph(machine, fairness).states
        oracles = [
            Oracle(machine, fairness, states_with(machine, states, p), states_with(machine, states, q))
            for p, q in pairs
        ]
        liveness = module.options.liveness
        costs = [one.nondeterministic() if liveness == "nondeterministic" else one.strict() for one in oracles]
        expected = min((cost for cost in costs if cost is not None), default=None)
        known = PairsOfModel(module)
        if known.seen_by(Machine(known.program())):
            program = known.program()
        for engine in ("plain", "columns", "rows"):
            finding = explore(engine_of(engine), program, properties_of(program, None), Settings()).findings.get("P")
            if expected is None or finding is None:
                assert expected is None and finding is None, (seed, engine)
                continue
            which = finding.waiting
            texts = ([""] if len(pairs) == 1 and which == "" else []) + [f"[{i}]" for i in range(3)]
            texts += [f'["{name}"]' for name in NAMES]
            assert which in texts
            number = 0 if which == "" else int(which[1:-1]) if which[1:-1].isdigit() else NAMES.index(which[2:-2])
            assert oracles[number].cost(finding) == expected, (seed, engine)
        found[liveness, expected is not None] += 1
    assert len(found) == 4 and min(found.values()) >= 3, found


ROLES = """\
---
deadlock_detection: false
options: {max_actions: 5}
---
%(symmetric)srole Client:
    action Init:
        self.wants, self.has = False, False
    atomic action Ask:
        require not self.wants and not self.has
        self.wants = True
    atomic fair%(strength)s action Get:
        require self.wants and not any([c.has for c in clients])
        self.wants, self.has = False, True
    atomic fair action Leave:
        require self.has
        self.has = False
    leadsto assertion Served:
        return (self.wants, self.has)
action Init:
    clients = %(clients)s
%(more)s
"""


def report_on(text: str, engine: str = "plain", **settings: object) -> Report:
    return check(fizz.load("m.fizz", text=text), engine=engine, settings=Settings(**settings))  # type: ignore[arg-type]


def verdicts(report: Report) -> dict[str, str]:
    return {one.name: one.verdict for one in report.properties}


@pytest.mark.parametrize("engine", IN_PROCESS)
@pytest.mark.parametrize(("strength", "verdict"), [("", "violated"), ("<strong>", "holds")])
def test_each_instance_waits_for_itself(engine: str, strength: str, verdict: str) -> None:
    """One client is served again and again, while the other waits: what is weakly fair is not always possible."""
    text = ROLES % {"symmetric": "", "strength": strength, "clients": "[Client() for i in range(2)]", "more": ""}
    text = text.replace("max_actions: 5", "max_actions: 100")
    report = report_on(text, engine)
    assert told(report) == told(report_on(text))
    assert verdicts(report) == {"Served": verdict}
    if report.trace is not None:
        assert report.trace.waiting is not None and report.trace.waiting.pair in ("Client#0", "Client#1")
        assert report.trace.why is not None and report.trace.why.facts[0] == ("self.has", "False")


@pytest.mark.parametrize(("strength", "verdict"), [("", "violated"), ("<strong>", "holds")])
def test_symmetric_instances(strength: str, verdict: str) -> None:
    """Among least images an instance has no name: whether it waits in vain is judged in the whole space."""
    clients = "set([Client() for i in range(2)])"
    text = ROLES % {"symmetric": "symmetric ", "strength": strength, "clients": clients, "more": ""}
    text = text.replace("max_actions: 5", "max_actions: 100")
    for engine in IN_PROCESS:
        reduced, whole = report_on(text, engine), report_on(text, engine, symmetry=False)
        assert verdicts(reduced) == verdicts(whole) == {"Served": verdict}
        assert reduced.states < whole.states


@pytest.mark.parametrize("engine", IN_PROCESS)
def test_instances_that_are_created_later(engine: str) -> None:
    """Pairs of instances that the first initial state does not have are learnt when they appear."""
    more = """\
atomic action Come:
    require len(clients) < 3
    clients.append(Client())
atomic action Go:
    require len(clients) > 2
    clients.pop()
"""
    text = ROLES % {"symmetric": "", "strength": "<strong>", "clients": "[]", "more": more}
    report = report_on(text, engine)
    assert told(report) == told(report_on(text))
    assert verdicts(report) == {"Served": "holds-within-bound"}
    broken = text.replace("atomic fair<strong> action Get", "atomic action Get")
    report = report_on(broken, engine)
    assert told(report) == told(report_on(broken))
    assert report.trace is not None and report.trace.waiting is not None
    assert report.trace.waiting.pair in ("Client#0", "Client#1") and verdicts(report) == {"Served": "violated"}


def test_an_instance_that_is_dropped_waits_for_nothing() -> None:
    """It is gone from the state, and with it what it waited for."""
    text = """\
---
deadlock_detection: false
---
role Job:
    action Init: self.asked = False
    atomic action Ask:
        require not self.asked
        self.asked = True
    leadsto assertion Done: return (self.asked, False == True)
action Init: jobs = [Job()]
atomic fair action Drop:
    require len(jobs) > 0 and jobs[0].asked
    jobs.pop()
"""
    assert verdicts(report_on(text)) == {"Done": "holds"}
    assert verdicts(report_on(text.replace("fair action", "action"))) == {"Done": "violated"}


def test_walks_learn_pairs() -> None:
    """A random walk that meets a new instance begins again with its pairs: the same seed finds the same."""
    more = "atomic action Come:\n    require len(clients) < 2\n    clients.append(Client())\n"
    text = ROLES % {"symmetric": "", "strength": "", "clients": "[]", "more": more}
    text = text.replace("atomic fair action Get", "atomic action Get")
    module = fizz.load("m.fizz", text=text)
    reports = [simulate(module, runs=40, seed=3) for _ in range(2)]
    assert reports[0].exit_code == 13 and reports[0].trace == reports[1].trace
    trace = reports[0].trace
    assert trace is not None and trace.waiting is not None and trace.waiting.pair.startswith("Client#")
    values = dict(trace.entries[trace.waiting.step].state)
    assert values[f"{trace.waiting.pair}.wants"] == "True"


def test_walks_mark_where_a_pair_waits() -> None:
    """The mark stands at a state where p is true, from which q never comes, and where nothing waited before."""
    marked = Counter[str]()
    for seed in range(60):
        text, _, pairs = random_model(Random(seed))
        report = simulate(fizz.load("m.fizz", text=text.replace("100}", "15}")), runs=30, seed=seed)
        trace = report.trace
        if trace is None or trace.waiting is None:
            continue
        key = trace.waiting.pair
        p, q = pairs[NAMES.index(key[2]) if '"' in key else int(key[1]) if key else 0]
        values = [int(dict(entry.state)["x"]) for entry in trace.entries]
        since = trace.waiting.step
        assert values[since] in p and not set(values[since:]) & set(q)
        before = [value for value in values[:since] if value in p or value in q]
        assert not before or before[-1] in q
        marked["at the beginning" if since == 0 else "later"] += 1
        marked["long before the end"] += since + 1 < (trace.cycle_start or len(values))
    assert len(marked) == 3 and min(marked.values()) >= 3, marked


def test_walks_mark_where_a_pair_waits_that_is_true_again_on_the_cycle() -> None:
    """Where p is true in the loop too, it waited from where it was true first since q was."""
    text = """\
action Init: x, served = 0, 0
atomic fair action Flip:
    require x < 2
    x = 1 - x
atomic action Serve:
    require x == 1 and served < 2
    x, served = 2, served + 1
atomic fair action Rest:
    require x == 2
    x = 0
leadsto assertion Served: return (x == 1, x == 2)
"""
    for seed in range(8):
        trace = simulate(fizz.load("m.fizz", text=text), runs=20, seed=seed).trace
        assert trace is not None and trace.waiting is not None and trace.cycle_start is not None
        values = [dict(entry.state)["x"] for entry in trace.entries]
        assert "1" in values[trace.cycle_start :]
        last_served = max((i for i, x in enumerate(values) if x == "2"), default=0)
        assert trace.waiting.step == values.index("1", last_served)


def test_walks_mark_where_a_pair_of_an_instance_waits() -> None:
    """The pair of an instance waits where it asks; steps of others lie between that and what goes on for ever."""
    text = ROLES % {"symmetric": "", "strength": "", "clients": "[Client(), Client()]", "more": ""}
    text = text.replace("atomic fair action Get", "atomic action Get") + "atomic action Rest: pass\n"
    for seed in range(5):
        trace = simulate(fizz.load("m.fizz", text=text), runs=30, seed=seed).trace
        assert trace is not None and trace.waiting is not None
        wants = [dict(entry.state)[f"{trace.waiting.pair}.wants"] for entry in trace.entries]
        since = trace.waiting.step
        assert wants[since - 1] == "False" and set(wants[since:]) == {"True"}


def warned(report: Report) -> Iterable[str]:
    return [one.text for one in report.warnings if one.code == "W16"]


def test_what_was_never_asked_for() -> None:
    """A p that is never true proves nothing (W16), one by one."""
    head = "action Init: x = 0\natomic fair action Flip: x = 1 - x\n"
    assert warned(report_on(head + "leadsto assertion P: return (x == 1, x == 0)\n")) == []
    never = "assertion 'P' holds, but its p is true in no state"
    assert warned(report_on(head + "leadsto assertion P: return (x == 2, x == 0)\n")) == [never]
    assert warned(report_on(head + "leadsto assertion P: return []\n")) == [never]
    both = report_on(head + "leadsto assertion P: return [(x == 1, x == 0), (x > 4, x == 0)]\n")
    assert warned(both) == ["assertion 'P' holds, but the p of its pair [1] is true in no state"]
    roles = "role R:\n    action Init: self.n = 0\n    leadsto assertion P: return (x > 4, x == 0)\n"
    init = "action Init:\n    x = 0\n    r = R()\n"
    assert warned(report_on(roles + init + head.partition("\n")[2])) == [never]


@pytest.mark.parametrize("engine", IN_PROCESS)
@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("x == 1", "returned a bool, False, not a pair of bools"),
        ("(x, x == 1)", "returned (0, False)"),
        ("[(x == 1, 3)]", "returned (False, 3) at [0], not a pair of bools"),
        ('{"a": 1}', 'returned 1 at ["a"]'),
        ("(x == 1, x == 1, x == 1)", "returned (False, False, False), not a pair"),
        ("True", "returned a bool, True, not a pair of bools"),
        ("(1, True)", "returned (1, True), not a pair of bools"),
        ("None", "returned None, not a pair of bools"),
        ('"ab"', 'returned a string, "ab", not a pair of bools'),
        ("[(x == 0, x == 1), None] if x else [(True, True)]", "returned None at [1]"),
        ("[(x == 1, x == 2)] * x", "are [0] here and none in other states"),
        ("{x: (True, x == 0)}", "are [1] here and [0] in other states"),
        ("(x == 1, x == 0) if x == 0 else [(True, False)]", "are [0] here and one alone in other states"),
    ],
)
def test_other_values(engine: str, body: str, words: str) -> None:
    """What is no pair, and pairs that differ from state to state, are errors (R25) with their place."""
    text = f"action Init: x = 0\natomic action Up:\n    x = 1\nleadsto assertion P:\n    return {body}\n"
    report = report_on(text, engine)
    assert report.exit_code is ExitCode.MODEL_ERROR and report.error is not None
    found = report.error.diagnostic
    assert (found.code, found.span and found.span.line) == ("R25", 5) and words in found.text
    assert found.hint
    assert told(report) == told(report_on(text))


def test_checkpoints(tmp_path: Path) -> None:
    """A run with pairs goes on from a checkpoint; one that would lack answers in what was saved is refused."""
    clients = "[Client() for i in range(2)]"
    text = ROLES % {"symmetric": "", "strength": "", "clients": clients, "more": ""}
    whole = report_on(text, "embedded")
    folder = str(tmp_path / "here")
    kept = {"checkpoint": folder, "checkpoint_every_s": 0.0}
    stopped = report_on(text, "embedded", limits=Limits(depth=3), **kept)
    assert stopped.exit_code == 3
    assert verdicts(report_on(text, "embedded", resume=folder)) == verdicts(whole) == {"Served": "violated"}
    late = ROLES % {
        "symmetric": "",
        "strength": "",
        "clients": "[]",
        "more": "atomic action Come:\n    require len(clients) < 2\n    clients.append(Client())\n",
    }
    with pytest.raises(UsageProblem, match="pairs of an instance"):
        report_on(late, "embedded", checkpoint=str(tmp_path / "other"))
