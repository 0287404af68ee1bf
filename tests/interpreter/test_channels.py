"""Channels: messages are queued, form a multiset, are delivered one by one, and may crash while they are handled."""

from __future__ import annotations

import pytest

from fizz import FizzError
from interpreter import StepKind
from tests.interpreter.running import ends_of, error_of, machine_of, states_of, walk

PING = """
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
Other = Channel()
role Sink:
    action Init: self.got = []
    func put(v, w=0):
        require len(self.got) < 4
        self.got.append(v)
        self.got.append(w)
    atomic func take(v): self.got.append(v)
action Init:
    a, b = Sink(), Sink()
    sent = 0
atomic action Send:
    require sent == 0
    sent = 1
{sends}
"""


def ping(*sends: str) -> str:
    return PING.format(sends="\n".join(f"    {send}" for send in sends))


def test_messages_are_a_multiset() -> None:
    """Equal messages are one step; the order is that of channels, then of the texts; arguments are bound when sent."""
    machine = machine_of(ping("x = 2", "Other.stub(a).take(1)", "Net.stub(b).take(x)", "Net.stub(a).take(2)",
                              "Net.stub(a).take(v=2)", "x = 9"))  # fmt: skip
    states = list(walk(machine))
    sent = next((s, steps) for s, steps in states if len(s.messages) == 4)
    assert [step.name for step in sent[1]] == ["channel-0-message-0", "channel-0-message-2", "channel-1-message-0"]
    assert [machine.actor(step.rule) for step in sent[1]] == ["Sink#0.take", "Sink#1.take", "Sink#0.take"]
    ends = [dict(machine.describe(s)) for s, steps in states if not steps]
    assert {(end["Sink#0.got"], end["Sink#1.got"]) for end in ends} == {
        ("[1, 2, 2]", "[2]"), ("[2, 1, 2]", "[2]"), ("[2, 2, 1]", "[2]"),
    }  # fmt: skip


def test_a_delivery_is_a_thread() -> None:
    """It runs to its first yield, may crash there, and counts among the threads without being held back by limits."""
    machine = machine_of(
        "---\noptions: {max_concurrent_actions: 1}\ndeadlock_detection: false\n---\n"
        + ping("net = Net.stub(a)", "net.put(1)", "net.put(2, w=5)")
    )
    names = {step.name for _, steps in walk(machine) for step in steps}
    assert names == {
        "Send", "channel-0-message-0", "channel-0-message-1", "channel-0-message-0 crash", "channel-0-message-1 crash",
        "thread-0", "thread-1",
    }  # fmt: skip
    assert max(len(state.threads) for state, _ in walk(machine)) == 2


def test_sending_enables_and_shows() -> None:
    """A state includes its queued messages."""
    (first, second) = states_of(
        """
        Net = Channel()
        role Sink:
            action Init: self.got = 0
            func put(v):
                require False
        action Init: s = Sink()
        atomic action Send:
            Net.stub(s).put([1])
    """,
        **{"action_options.Send.max_actions": "1"},
    )
    assert "message-0" not in first
    assert second["message-0"] == "Channel#0: Sink#0.put(v = [1])"


def test_a_message_that_is_not_wanted_waits() -> None:
    """A false `require` at the start of a func leaves the message undelivered; one that does nothing is consumed."""
    ends = ends_of("""
        Net = Channel()
        role Sink:
            action Init: self.open = False
            func put():
                require self.open
            atomic action Open:
                require not self.open
                self.open = True
        action Init: s, sent = Sink(), False
        atomic action Send:
            require not sent
            sent = True
            Net.stub(s).put()
    """)
    assert ends == [{"s": "Sink#0", "sent": "True", "Sink#0.open": "True"}]


def test_a_receiver_that_crashed_keeps_its_messages() -> None:
    """The message stays, and is handled by the instance as it is then."""
    machine = machine_of("""
        ---
        deadlock_detection: false
        ---
        Net = Channel()
        @state(ephemeral=["c"])
        role Sink:
            action Init: self.c = 0
            atomic func put(v): self.c += v
        action Init: s, sent = Sink(), False
        atomic action Send:
            require not sent
            sent = True
            s.c = 7
            Net.stub(s).put(1)
    """)
    crashed = [
        step.target
        for state, steps in walk(machine)
        for step in steps
        if step.rule.kind is StepKind.CRASH_ROLE and state.messages
    ]
    assert all(len(target.messages) == 1 for target in crashed) and crashed
    assert {dict(machine.describe(state))["Sink#0.c"] for state, _ in walk(machine)} == {"0", "7", "8", "1"}


@pytest.mark.parametrize(
    ("send", "code"),
    [
        ("x = Net.stub(a).take(1)", "R4"),
        ("x = [Net.stub(a).take(1)]", None),
        ("Net.stub(a).nothing()", "R12"),
        ("Net.stub(5).take(1)", "R4"),
        ("Net.stub(a).take()", None),
        ("Net.open()", "R3"),
    ],
)
def test_mistakes(send: str, code: str | None) -> None:
    """A stub only sends; a target or any other use is an error."""
    try:
        found = error_of(ping(send)).code
    except FizzError as refused:
        found = str(refused.diagnostics[0].code)
    assert found == code if code else found in ("L24", "L26", "R3", "R4", "R11")


def test_other_kinds_of_channels() -> None:
    """The defaults are the only kinds there are."""
    error = error_of('Net = Channel(ordering="fifo")\naction Init: x = 0\natomic action Go: x = 1\n')
    assert error.code == "R4" and "unordered" in error.text
