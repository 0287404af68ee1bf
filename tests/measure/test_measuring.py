"""What labels, choices, crashes and loops mean for probabilities, and what is told of chains that do not end."""

from __future__ import annotations

import pytest

from checker.measure.measured import Interval, Quantity
from tests.measure.conftest import Measures

LOOP = """\
action Init: at = 0
atomic action Toss:
    require at == 0
    while True:
        `toss` pass
        side = oneof ["heads", "tails"]
        other = oneof ["heads", "tails"]
        if side != other:
            at = 1
            return side
exists assertion Done: return at == 1
"""


def test_loops_inside_a_step(written: Measures) -> None:
    """A path given up goes on where the lesser one is: von Neumann's coin takes 1/(pq) tosses, and 2 pq end a round."""
    found = written(
        LOOP, "configs:\n  Toss.side=\"heads\": {probability: 0.9}\n  Toss.other=\"heads\": {probability: 0.9}\n"
        "  Toss.toss: {counters: {rounds: {numeric: 1}}}\n",
    )  # fmt: skip
    rounds = found.counter("rounds")
    assert rounds.expected.value == pytest.approx(1 / 0.18, rel=1e-12)
    assert [share for _, share in rounds.distribution[:3]] == pytest.approx([0.18, 0.82 * 0.18, 0.82**2 * 0.18])
    assert found.assertion("Done").true == Quantity(*[found.assertion("Done").true.greatest] * 2)


def test_choices_of_init(written: Measures) -> None:
    """Init's choices are alternatives like others; a call's label counts."""
    text = """\
action Init:
    x = oneof [1, 2, 3]
exists assertion One: return x == 1
exists assertion Two: return x == 2
"""
    found = written(text, "nondeterminism: uniform\nconfigs:\n  Init.x=1: {probability: 1/2}\n")
    assert found.assertion("One").true.value == pytest.approx(0.5, abs=1e-12)
    assert found.assertion("Two").true.value == pytest.approx(0.25, abs=1e-12)


CRASHING = """\
---
deadlock_detection: false
---
@state(ephemeral=["up"])
role Server:
    action Init:
        self.up = False
    action Start:
        require not self.up
        self.up = True
    atomic action Serve:
        require self.up
        self.up = True
action Init:
    server = Server()
exists assertion Available: return server.up
"""


def test_crashes_happen_only_with_a_probability(written: Measures) -> None:
    """Without one, crash steps are no part of the chain; with one, availability is what renewal theory says."""
    certain = written(CRASHING)
    assert certain.assertion("Available").often == Interval(1.0, 1.0) or certain.assertion(
        "Available"
    ).often.value == pytest.approx(1)  # type: ignore[union-attr]
    found = written(CRASHING, "configs:\n  crash Server: {probability: 0.1}\n")
    # Down it lasts 1/0.9 steps, for a crash of what is down changes nothing; up it lasts 1/0.1.
    often = found.assertion("Available").often
    assert often is not None
    assert often.value == pytest.approx((1 / 0.1) / (1 / 0.1 + 1 / 0.9), abs=1e-9)


def test_a_thread_may_crash_when_it_yields(written: Measures) -> None:
    """`crash Act` is decided at the end of each of its steps from which it could go on."""
    text = """\
---
deadlock_detection: false
---
action Init: x = 0
action Two:
    require x == 0
    x = 1
    x = 2
exists assertion Done: return x == 2
"""
    found = written(text, "configs:\n  crash Two: {probability: 0.25}\n")
    assert found.assertion("Done").true.value == pytest.approx(0.75, abs=1e-12)


def test_instances_may_differ(written: Measures) -> None:
    """A label with an instance comes before that of the role."""
    text = """\
role Node:
    action Init:
        self.x = 0
    atomic action Go:
        self.x = 1
action Init:
    first = Node()
    second = Node()
    winner = None
atomic action Look: pass
exists assertion First: return first.x == 1 and second.x == 0
"""
    file = "configs:\n  Node#0.Go: {probability: 0.3}\n  Node.Go: {probability: 0.1}\n"
    assert written(text, file).assertion("First").true.value == pytest.approx(0.75, abs=1e-12)


SCHEDULED = """\
action Init: at, tries = 0, 0
atomic action Safe:
    require at == 0
    at = 1
atomic action Risky:
    require at == 0
    oneof:
        `good` at = 2
        `bad` at = 0
exists assertion Won: return at == 2
exists assertion Settled: return at == 1
"""
GOOD = "configs:\n  Risky.good: {probability: 0.2}\n  Risky: {counters: {risks: {numeric: 1}}}\n"


def test_schedulers(written: Measures) -> None:
    """With free choices there are least and greatest values; a scheduler may try again until it wins."""
    found = written(SCHEDULED, GOOD, nondeterminism="bounds")
    won = found.assertion("Won").true
    assert won.least is not None and won.greatest is not None
    assert won.least.high < 1e-9 and won.greatest.low == pytest.approx(1, abs=1e-8)
    assert won.least.low <= won.least.high and won.greatest.high <= 1
    risks = found.counter("risks").expected
    assert risks.least is not None and risks.least.high < 1e-8
    assert risks.greatest is not None and risks.greatest.value == pytest.approx(5, abs=1e-6)
    assert found.assertion("Won").often is None


def test_schedulers_that_go_round(written: Measures) -> None:
    """Where a scheduler can go round without end, both bounds still meet, and a counter there has no greatest value."""
    text = """\
action Init: at = 0
atomic action Left:
    require at == 1
    at = 0
atomic action Right:
    require at == 0
    at = 1
atomic action Leave:
    require at == 1
    oneof:
        `good` at = 2
        `bad` at = 3
exists assertion Good: return at == 2
"""
    file = "configs:\n  Leave.good: {probability: 0.3}\n  Left: {counters: {rounds: {numeric: 1}}}\n"
    found = written(text, file, nondeterminism="bounds")
    good = found.assertion("Good").true
    assert good.least == Interval(0.0, pytest.approx(0, abs=1e-8))
    assert good.greatest is not None and good.greatest.value == pytest.approx(0.3, abs=1e-8)
    assert found.counter("rounds").expected.greatest is None
    assert found.counter("rounds").expected.least == Interval(0.0, 0.0)


def test_uniform_lies_between(written: Measures) -> None:
    """The uniform scheduler is one of all."""
    bounds = written(SCHEDULED, GOOD, nondeterminism="bounds").assertion("Won").true
    uniform = written(SCHEDULED, GOOD, nondeterminism="uniform").assertion("Won").true.value
    assert bounds.least is not None and bounds.greatest is not None
    assert bounds.least.low <= uniform <= bounds.greatest.high
    assert uniform == pytest.approx(0.1 / 0.6)


def test_there_is_no_end(written: Measures) -> None:
    """A counter that is added to for ever has no expectation, but a rate, and a state where that is."""
    text = "action Init: x = 0\natomic action Go: x = 1 - x\n"
    found = written(text, "configs:\n  Go: {counters: {steps: {numeric: 0.5}}}\n")
    steps = found.counter("steps")
    assert steps.expected == Quantity(None, None) and not steps.percentiles
    assert steps.rate == pytest.approx(0.5) and steps.endless == "x = 0"
    assert repr(found) == f"<Measured {found.model}: 2 states; steps=infinite>"


def test_runs_end_at_the_bound(written: Measures) -> None:
    """States that max_actions cuts are ends of runs, which the exit code and the report say."""
    text = "---\noptions: {max_actions: 3}\n---\naction Init: x = 0\natomic action Go: x += 1\n"
    found = written(text, "configs:\n  Go: {counters: {steps: {numeric: 1}}}\n")
    assert found.cut == 1 and found.exit_code == 3
    assert found.counter("steps").expected.value == pytest.approx(3)


def test_symmetry_changes_no_figure(written: Measures) -> None:
    """The chain of least images is the chain, seen up to renaming."""
    text = """\
symmetric role Node:
    action Init:
        self.s = 0
    atomic action Go:
        require self.s < 2
        oneof:
            `on` self.s += 1
            `back` self.s = 0
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node()])
exists assertion Both: return all([node.s == 2 for node in nodes])
"""
    file = "nondeterminism: uniform\nconfigs:\n  Node.Go.on: {probability: 0.3}\n"
    file += "  Node.Go: {counters: {n: {numeric: 1}}}\n"
    reduced, full = written(text, file), written(text, file, symmetry=False)
    assert reduced.states < full.states
    assert reduced.counter("n").expected.value == pytest.approx(full.counter("n").expected.value, rel=1e-10)


def test_messages(written: Measures) -> None:
    """Deliveries are steps like others."""
    text = """\
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Sink:
    action Init:
        self.s = 0
    func put(v):
        require self.s == 0
        self.s = v
action Init:
    sink = Sink()
    out = Net.stub(sink)
    sent = False
atomic action Send:
    require not sent
    out.put(1)
    out.put(2)
    sent = True
exists assertion One: return sink.s == 1
"""
    assert written(text, nondeterminism="uniform").assertion("One").true.value == pytest.approx(0.5, abs=1e-12)


def test_labels_of_any_text(written: Measures) -> None:
    """A label is any printable text, with blanks, colons, equal signs and dots."""
    model = (
        "---\ndeadlock_detection: false\n---\naction Init: at = 0\natomic action Toss:\n    require at == 0\n"
        "    oneof:\n        `step 1: é = #2 (x)` at = 1\n"
        "        `x=1.5` at = 2\nexists assertion One: return at == 1\n"
    )
    result = written(
        model, 'configs:\n  "Toss.step 1: é = #2 (x)": {probability: 0.25}\n  Toss.x=1.5: {probability: 0.75}\n'
    )
    assert result.assertion("One").true.value == pytest.approx(0.25)
