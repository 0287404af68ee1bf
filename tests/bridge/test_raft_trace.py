"""A trace in the form that `models/raft/raft_map.yaml` reads, written by a run of the model, is a behaviour of it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import fizz
import fizzpy
from benchmarks.log_mutations import main
from interpreter import Machine, State, Step, compile_module
from interpreter.values.observed import to_plain
from tests.bridge.conftest import Write

FOLDER = Path(__file__).parents[2] / "models/raft"
MODEL, MAP = FOLDER / "RaftLibrary.fizz", FOLDER / "raft_map.yaml"
CONSTANTS = {"TRACED": True, "VOTERS": 3, "SPARES": 1}
SELDOM = {"Campaign": 0.02, "ProposeChange": 0.2, "Heartbeat": 0.3, "Commit": 0.3}
"""How likely a walk takes a step of these actions, where it was chosen; those of the others it takes."""
NAMES = {
    "Boot": "InitState",
    "Bootstrap": "BecomeFollower",
    "StepDown": "BecomeFollower",
    "Campaign": "BecomeCandidate",
    "BecomeLeader": "BecomeLeader",
    "AskVote": "SendRequestVoteRequest",
    "AnswerVote": "SendRequestVoteResponse",
    "Propose": "Replicate",
    "ProposeChange": "ChangeConf",
    "AnswerSelf": "SendAppendEntriesResponse",
    "Append": "SendAppendEntriesRequest",
    "Heartbeat": "SendAppendEntriesRequest",
    "AnswerAppend": "SendAppendEntriesResponse",
    "Commit": "Commit",
    "Receive": "ReceiveAppendEntriesRequest",
    "ApplyChange": "ApplyConfChange",
}
TOLD_BEFORE = {"AnswerVote", "Propose", "ProposeChange", "AnswerSelf", "Receive", "ApplyChange"}
"""The actions whose events tell of the server before the step."""
KINDS = {
    "Vote": "MsgVote",
    "VoteAnswer": "MsgVoteResp",
    "Append": "MsgApp",
    "AppendAnswer": "MsgAppResp",
    "Heartbeat": "MsgHeartbeat",
    "HeartbeatAnswer": "MsgHeartbeatResp",
}
Event = dict[str, Any]


class TraceWriter:
    """Writes the steps of a run as such an implementation does."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine

    def event(self, state: State, step: Step) -> Event:
        role, _, action = str(step.actor).rpartition(".")
        number = int(role.partition("#")[2])
        after = step.target
        event: Event = {"name": NAMES[action], "nid": str(number + 1)}
        told = state if action in TOLD_BEFORE else after
        # Of a bootstrap, what the log was is told before it, and the rest after it.
        event |= self._server(told, state if action == "Bootstrap" else told, number)
        sent = self._field(after, number, "sent")
        if len(sent) > len(self._field(state, number, "sent")):
            event["msg"] = self._message(sent[-1])
            if sent[-1]["to"] == role and action == "AskVote":
                event["name"] = "SendRequestVoteResponse"
        if action == "Receive":
            event["msg"] = self._message(self._received(state, after))
        if action == "ProposeChange":
            how, server = self._field(after, number, "log")[-1][1]
            change = {"action": {"add": "AddNewServer", "remove": "RemoveServer"}[how], "nid": _nid(server)}
            event["prop"] = {"cc": {"changes": [change]}}
        return event

    def _field(self, state: State, number: int, name: str) -> Any:
        return to_plain(self.machine.values, state.get(("field", "Server", number, name)))

    def _server(self, state: State, log_of: State, number: int) -> Event:
        field = self._field
        vote, role = field(state, number, "vote"), field(state, number, "role")
        return {
            "state": {
                "term": field(state, number, "term"),
                "vote": "0" if vote is None else _nid(vote),
                "commit": field(log_of, number, "commit"),
            },
            "role": f"State{role.capitalize()}",
            "log": len(field(log_of, number, "log")),
            "conf": [[_nid(one) for one in field(state, number, "members")], []],
        }

    def _message(self, message: Event) -> Event:
        return {
            "type": KINDS[message["kind"]],
            "term": message["term"],
            "from": message.get("from", "0"),
            "to": _nid(message["to"]),
            "entries": len(message["entries"]),
            "logTerm": message["log_term"],
            "index": message["index"],
            "commit": message["commit"],
            "reject": message["reject"],
            "rejectHint": message["hint"],
        }

    def _received(self, state: State, after: State) -> Event:
        for number in range(4):
            before, left = self._field(state, number, "sent"), self._field(after, number, "sent")
            if len(left) < len(before):
                at = next(i for i, one in enumerate(before) if [*before[:i], *before[i + 1 :]] == left)
                return {**before[at], "from": str(number + 1)}
        raise AssertionError("nothing was received")


def _nid(server: str) -> str:
    return str(int(server.partition("#")[2]) + 1)


def _run(machine: Machine, seed: int, steps: int) -> Iterator[tuple[State, Step]]:
    chance = random.Random(seed)
    state = machine.initial()[0][0].state
    for _ in range(steps):
        found = machine.steps(state).steps
        step = None
        while step is None:
            one = chance.choice(found)
            step = one if chance.random() < SELDOM.get(str(one.actor).rpartition(".")[2], 1) else None
        yield state, step
        state = step.target


def _trace(seed: int, steps: int) -> list[Event]:
    module = fizz.load(str(MODEL), constants={name: str(value) for name, value in CONSTANTS.items()})
    machine = Machine(compile_module(module))
    writer = TraceWriter(machine)
    return [{"event": writer.event(state, step)} for state, step in _run(machine, seed, steps)]


def test_the_map_is_short() -> None:
    """What the events of a Raft mean is said in fewer than 40 lines of at most 120 characters."""
    lines = MAP.read_text(encoding="utf-8").splitlines()
    assert len(lines) < 40 and max(map(len, lines)) <= 120


def test_a_run_of_the_model_is_accepted(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """So are its properties, which hold of the model: none is said to be violated by what a trace says. Values of it
    that are changed are noticed at their event."""
    log = write("trace.ndjson", _trace(1, 250))
    (run,) = fizzpy.validate(MODEL, log, MAP, constants=CONSTANTS).runs
    assert (run.verdict, run.explained, run.judged) == ("accepted", 250, ())
    assert run.values > 2_500 and len(run.actions) == len(NAMES)
    given = [part for name, value in CONSTANTS.items() for part in ("--set", f"{name}={value}")]
    assert main([str(MODEL), log, "--map", str(MAP), *given, "--count", "40"]) == 0
    (found,) = re.findall(r"(\d+) of 40 mutations are rejected", capsys.readouterr().out)
    assert int(found) >= 38
