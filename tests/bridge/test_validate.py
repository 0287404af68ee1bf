"""`fizzpy validate`: whether logs are behaviours of a model."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import fizzpy as fizzpy_api
from benchmarks.log_mutations import main
from checker.conformance import step_fit, validate_log
from checker.conformance.log_model import LogModel
from checker.conformance.model_steps import ModelSteps
from checker.conformance.validate_log import validate_logs
from tests.bridge.conftest import Ended, Write

Run = Callable[..., Ended]
Event = dict[str, Any]

ELECTION = """\
NODES = 3

@state(ephemeral=["leader", "votes"])
role Node:
    action Init:
        self.term = 0
        self.leader = False
        self.votes = 0

    atomic action Campaign:
        self.term = self.term + 1
        self.votes = 1
        self.leader = False

    atomic action Vote:
        candidate = oneof nodes
        require candidate.term > self.term
        self.term = candidate.term
        self.leader = False
        candidate.votes = candidate.votes + 1

    atomic action Lead:
        require self.votes * 2 > NODES
        require not self.leader
        self.leader = True

action Init:
    nodes = []
    for i in range(NODES):
        nodes.append(Node())

always assertion OneLeader:
    leaders = [n.term for n in nodes if n.leader]
    return len(leaders) == len(set(leaders))
"""
MAP = """\
process: node
instances: {n1: "Node#0", n2: "Node#1", n3: "Node#2"}
order: file
ignore: [heartbeat]
events:
  campaign: {action: Node.Campaign, after: {term: term}}
  vote: {action: Node.Vote, choices: {candidate: for}, after: {term: term}}
  lead: {action: Node.Lead, before: {term: term}}
  killed: {crash: Node}
"""


def campaign(node: str, term: int) -> Event:
    return {"event": "campaign", "node": node, "term": term}


def vote(node: str, candidate: str, term: int) -> Event:
    return {"event": "vote", "node": node, "for": candidate, "term": term}


def lead(node: str, term: int) -> Event:
    return {"event": "lead", "node": node, "term": term}


ELECTED = [campaign("n1", 1), vote("n2", "n1", 1), {"event": "heartbeat", "node": "n2"}, lead("n1", 1)]


@pytest.fixture
def election(write: Write) -> str:
    return write("election.fizz", ELECTION)


@pytest.fixture
def election_map(write: Write) -> str:
    return write("map.yaml", MAP)


def test_an_accepted_log(election: str, election_map: str, write: Write, fizzpy: Run) -> None:
    """Code 0, and what was compared and exercised."""
    ended = fizzpy("validate", election, write("a.ndjson", ELECTED), "--map", election_map)
    assert ended.code == 0 and "ACCEPTED" in ended.out
    assert "4 lines read, 1 ignored; 3 events explained with 4 observed values and 0 silent steps" in ended.out
    assert "Node.Campaign 1, Node.Vote 1, Node.Lead 1" in ended.out


def test_a_rejected_log_says_why(election: str, election_map: str, write: Write, fizzpy: Run, tmp_path: Path) -> None:
    """The event, the states the system may be in, the nearest steps and why each does not fit."""
    log = write("a.ndjson", [ELECTED[0], vote("n2", "n1", 2), *ELECTED[2:]])
    ended = fizzpy("validate", election, log, "--map", election_map, "--html", "page.html")
    assert ended.code == 14 and "REJECTED" in ended.out and "a.ndjson:2" in ended.out
    assert "Node#1.Vote[Any:candidate=Node#0]: term is 1 after it, not 2" in ended.out
    assert "Node#0.votes = 1" in ended.out
    assert "term is 1 after it, not 2" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_guard_that_is_false_is_named(election: str, election_map: str, write: Write, fizzpy: Run) -> None:
    """With its line and its values."""
    log = write("a.ndjson", [campaign("n1", 1), lead("n1", 1)])
    ended = fizzpy("validate", election, log, "--map", election_map)
    assert ended.code == 14 and "self.votes * 2 > NODES (line 23)" in ended.out and "self.votes is 1" in ended.out


def test_silent_steps(election: str, write: Write) -> None:
    """A step of which no event tells is found, if the map says that there may be such."""
    log = write("a.ndjson", [campaign("n1", 1), lead("n1", 1)])
    silent = write("silent.yaml", MAP + "silent: {steps: [Node.Vote], most: 1}\n")
    report = validate_logs(election, [log], silent)
    assert (report.verdict, report.runs[0].silent) == ("accepted", 1)


def test_the_bound_on_silent_steps_leaves_it_open(write: Write, fizzpy: Run) -> None:
    """If silent steps were left out the log is neither accepted nor rejected: code 3."""
    model = write("m.fizz", "action Init: x = 0\natomic action Up: x += 1\natomic action Say: pass\n")
    text = "order: file\nsilent: {steps: [Up], most: %d}\nevents: {say: {action: Say, before: {x: x}}}\n"
    log = write("a.ndjson", [{"event": "say", "x": 3}])
    assert fizzpy("validate", model, log, "--map", write("two.yaml", text % 2)).code == 3
    assert fizzpy("validate", model, log, "--map", write("three.yaml", text % 3)).code == 0


def test_crashes(election: str, election_map: str, write: Write) -> None:
    """An event may mean that an instance crashed: what it does not keep is lost."""
    again = [*ELECTED, {"event": "killed", "node": "n1"}]
    assert validate_logs(election, [write("a.ndjson", again)], election_map).verdict == "accepted"
    led = [*again, lead("n1", 1)]
    assert validate_logs(election, [write("b.ndjson", led)], election_map).verdict == "rejected"


def test_a_file_for_each_process(election: str, write: Write) -> None:
    """Only the order of each process is known, unless the map says more: messages, vector clocks, time with skew."""
    plain = MAP.replace("order: file\n", "")
    one = [campaign("n1", 1) | {"sent": 7, "vc": {"n1": 1}, "ts": 10.0}, lead("n1", 1) | {"vc": {"n1": 2}, "ts": 30.0}]
    two = [vote("n2", "n1", 1) | {"received": 7, "vc": {"n1": 1, "n2": 1}, "ts": 20.0}]
    logs = [write("n2.ndjson", two), write("n1.ndjson", one)]
    orders = [
        "",
        "order: {messages: {send: sent, receive: received}}\n",
        "order: {clock: vc}\n",
        "order: {time: {field: ts, skew: 1}}\n",
    ]
    for order in orders:
        assert validate_logs(election, logs, write("m.yaml", order + plain)).verdict == "accepted", order
    late = write("late.ndjson", [two[0] | {"ts": 50.0, "vc": {"n1": 2, "n2": 1}}])
    for order, verdict in zip(orders, ["accepted", "accepted", "rejected", "rejected"], strict=True):
        assert validate_logs(election, [late, logs[1]], write("m.yaml", order + plain)).verdict == verdict, order


def test_events_inside_serial_actions(write: Write) -> None:
    """Are bound to labels; the other steps of the thread are silent."""
    model = write("m.fizz", "action Init: x = 0\naction Work:\n    x = 1\n    `mark` x = x + 5\n    x = 9\n")
    text = "order: file\nevents: {mark: {action: Work, label: mark, after: {x: x}}}\n"
    path = write("map.yaml", text)
    assert validate_logs(model, [write("a.ndjson", [{"event": "mark", "x": 6}])], path).verdict != "accepted"
    started = write("s.yaml", "silent: {steps: [Work, continue], most: 2}\n" + text)
    assert validate_logs(model, [write("a.ndjson", [{"event": "mark", "x": 6}])], started).verdict == "accepted"


@pytest.mark.parametrize("label", ["half way: 1 (#é)", "a.b", "Work.a", "x=1"])
@pytest.mark.parametrize("before", ["", "Work."])
def test_any_printable_text_is_a_label(write: Write, label: str, before: str) -> None:
    """Also with dots in it, and given with its action; another one that ends alike is not meant."""
    model = write("m.fizz", f"action Init: x = 0\naction Work:\n    `not.{label}` x = 1\n    `{label}` x = x + 5\n")
    text = "silent: {steps: [Work, continue], most: 2}\norder: file\n"
    path = write("map.yaml", text + f"events: {{mark: {{action: Work, label: '{before}{label}', after: {{x: x}}}}}}\n")
    assert validate_logs(model, [write("a.ndjson", [{"event": "mark", "x": 6}])], path).verdict == "accepted"
    assert validate_logs(model, [write("a.ndjson", [{"event": "mark", "x": 1}])], path).verdict != "accepted"


def test_assertions_on_accepted_runs(election: str, election_map: str, write: Write, fizzpy: Run) -> None:
    """An assertion that every explanation violates is reported: code 12."""
    wrong = ELECTION.replace("require candidate.term > self.term", "require candidate.term >= self.term")
    model = write("wrong.fizz", wrong)
    log = [campaign("n1", 1), campaign("n2", 1), vote("n3", "n1", 1), vote("n3", "n2", 1), lead("n1", 1), lead("n2", 1)]
    ended = fizzpy("validate", model, write("a.ndjson", log), "--map", election_map)
    assert ended.code == 12 and "OneLeader is violated on every explanation" in ended.out


def test_each_log_is_a_run(election: str, election_map: str, write: Write) -> None:
    """`--each` counts what all logs exercise together."""
    logs = [write("a.ndjson", ELECTED), write("b.ndjson", [campaign("n3", 1)])]
    report = validate_logs(election, logs, election_map, each=True)
    assert [run.verdict for run in report.runs] == ["accepted", "accepted"]
    assert report.actions == {"Node.Campaign": 2, "Node.Vote": 1, "Node.Lead": 1}


def test_the_order_of_a_file_is_that_of_one(election: str, election_map: str, write: Write, fizzpy: Run) -> None:
    """Several logs of one run have no order of lines."""
    logs = [write("a.ndjson", ELECTED), write("b.ndjson", ELECTED)]
    ended = fizzpy("validate", election, *logs, "--map", election_map)
    assert ended.code == 2 and "there are 2 logs" in ended.err and "--each" in ended.err


def test_a_map_in_python(election: str, write: Write) -> None:
    """A function returns what an event says, None to ignore it."""
    text = """\
MAP = {"order": "file"}

def map_event(event):
    if event["what"] != "grown":
        return None
    return {"action": "Node.Campaign", "instance": "Node#%d" % (event["id"] - 1), "after": {"term": event["t"]}}
"""
    log = write("a.ndjson", [{"what": "grown", "id": 2, "t": 1}, {"what": "x"}])
    report = validate_logs(election, [log], write("map.py", text))
    assert (report.verdict, report.runs[0].explained, report.runs[0].ignored) == ("accepted", 1, 1)


@pytest.mark.parametrize("text", ["{}", "def map_event(event):\n    {}\n"], ids=["at once", "at an event"])
def test_a_map_in_python_that_exits(election: str, write: Write, fizzpy: Run, text: str) -> None:
    """It does not end the command without a word."""
    written = write("m.py", text.replace("{}", "raise SystemExit(0)"))
    ended = fizzpy("validate", election, write("a.ndjson", ELECTED), "--map", written)
    assert ended.code == 2 and "m.py fails: SystemExit: 0" in ended.err


def test_spans_of_opentelemetry(election: str, write: Write) -> None:
    """Each span is an event with its attributes and those of its resource, by its end."""

    def span(name: str, end: int, **values: int) -> Event:
        attributes = [{"key": key, "value": {"intValue": str(value)}} for key, value in values.items()]
        return {"name": name, "endTimeUnixNano": str(end), "attributes": attributes}

    resource = {"attributes": [{"key": "node", "value": {"stringValue": "n1"}}]}
    spans = [span("campaign", 20, term=2), span("campaign", 10, term=1)]
    export = {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": spans}]}]}
    for name, text in (("line.json", json.dumps(export)), ("pretty.json", json.dumps(export, indent=2))):
        report = validate_logs(election, [write(name, text)], write("map.yaml", MAP))
        assert (report.verdict, report.runs[0].explained) == ("accepted", 2)


@pytest.mark.parametrize("log", [[], [{"event": "heartbeat", "node": "n1"}]], ids=["empty", "ignored"])
def test_nothing_to_validate(election: str, election_map: str, write: Write, fizzpy: Run, log: list[Event]) -> None:
    """An empty log, or one of which all is ignored, is no success."""
    ended = fizzpy("validate", election, write("a.ndjson", log), "--map", election_map)
    assert ended.code == 2 and "NOTHING TO VALIDATE" in ended.out


def test_selected_assertions(election: str, election_map: str, write: Write, fizzpy: Run) -> None:
    """Those that are named are judged, and no others; what is not judged on logs is refused."""
    more = "\nalways assertion Small:\n    return all([n.term < 1 for n in nodes])\n"
    more += "exists assertion Some:\n    return True\neventually always assertion Late:\n    return True\n"
    model = write("more.fizz", Path(election).read_text() + more)
    given = ("validate", model, write("a.ndjson", ELECTED), "--map", election_map)
    assert fizzpy(*given).code == 12
    assert fizzpy(*given, "--property", "Small").code == 12
    assert fizzpy(*given, "--property", "OneLeader").code == 0
    assert fizzpy(*given, "--property", "OneLeader", "--each", "--workers", "2").code == 0
    for name in ("Some", "Late"):
        ended = fizzpy(*given, "--property", name)
        assert ended.code == 2 and f"'{name}' is not judged on logs" in ended.err
    ended = fizzpy(*given, "--property", "OneLeadr")
    assert ended.code == 2 and "did you mean 'OneLeader'" in ended.err
    report = fizzpy_api.validate(model, write("a.ndjson", ELECTED), election_map, properties=["OneLeader"])
    assert report.exit_code == 0


WRONG_LOGS = {
    "no JSON": ('{"event": "lead"', "a.ndjson:1: this line is no JSON: Expecting ',' delimiter, column 17"),
    "NaN": ('{"event": "lead", "x": NaN}', "a.ndjson:1: this line is no JSON: NaN is no number of JSON"),
    "long": ('\n{"x": ' + "9" * 5000 + "}", "a.ndjson:2: this line is no JSON: a number of more than 4,300 digits"),
    "deep": ('{"x": ' + "[" * 99_999, "a.ndjson:1: this line is no JSON: it is nested too deep"),
    "twice": ('{"event": "lead", "event": "x"}', "a.ndjson:1: this line is no JSON: the key 'event' is given twice"),
    "one long": ('{\n"x": ' + "9" * 5000 + "}", "a.ndjson:1: this is no JSON: a number of more than 4,300 digits"),
    "one deep": ('{\n"x": ' + "[" * 99_999, "a.ndjson:1: this is no JSON: it is nested too deep"),
    "one cut": ('{\n"x": [1,\n', "a.ndjson:3: this is no JSON: Expecting value"),
    "unknown": ('{"event": "voted", "node": "n1"}', "a.ndjson:1: the map does not know the event 'voted'"),
    "no field": ('{"event": "lead", "node": "n1"}', "a.ndjson:1: the field 'term' of the event 'lead' is missing"),
    "no process": ('{"event": "lead"}', "a.ndjson:1: the field 'node', which names the process"),
    "no instance": ('{"event": "lead", "node": "n9", "term": 1}', "a.ndjson:1: 'n9' is no role instance"),
}


@pytest.mark.parametrize("name", WRONG_LOGS)
def test_wrong_logs(election: str, election_map: str, write: Write, fizzpy: Run, name: str) -> None:
    """File, line, reason, way out."""
    text, said = WRONG_LOGS[name]
    ended = fizzpy("validate", election, write("a.ndjson", text), "--map", election_map)
    assert ended.code == 2 and said in ended.err and "hint:" in ended.err, ended.err


def test_a_log_in_another_encoding(election: str, election_map: str, tmp_path: Path, fizzpy: Run) -> None:
    """The line is named, also far from the beginning."""
    log = tmp_path / "a.ndjson"
    log.write_bytes(b"\n" * 20_000 + b'{"event": "\xe9"}\n')
    ended = fizzpy("validate", election, str(log), "--map", election_map)
    assert ended.code == 2 and "a.ndjson:20001: this line is no text in UTF-8" in ended.err


WRONG_MAPS = {
    "no events": ("process: node\n", "names no event"),
    "no action": ("events:\n  lead: {after: {x: x}}\n", "m.yaml:2: the event 'lead' names no action"),
    "no such action": ("events:\n  lead: {action: Node.Laed}\n", "m.yaml:2: the model has no action 'Node.Laed'"),
    "no such key": ("event: x\nevnets: {}\n", "m.yaml:2: no key 'evnets' in a map"),
    "no such rule key": ("events:\n  lead: {action: Node.Lead, afer: {}}\n", "m.yaml:2: no key 'afer'"),
    "no YAML": ("events: [\n", "m.yaml:2: this is no YAML"),
    "no skew": (
        "order: {time: {field: ts}}\nevents: {lead: {action: Node.Lead}}\n",
        "needs a field and a bound of skew",
    ),
    "skew": ("order: {time: {field: ts, skew: x}}\nevents: {a: {action: Node.Lead}}\n", "m.yaml:1: the skew is 'x'"),
    "no place": ("events: {a: {action: Node.Lead, after: {te rm: x}}}\n", "m.yaml:1: 'te rm' in 'after'"),
    "no names": ("events: {a: {action: Node.Lead, after: {term: {field: x, as: 4}}}}\n", "'as' in 'after'"),
    "no silent step": ("silent: [Node.Lede]\nevents: {lead: {action: Node.Lead}}\n", "no silent step 'Node.Lede'"),
    "silent steps": ("silent: {steps: 5}\nevents: {lead: {action: Node.Lead}}\n", "m.yaml:1: 'steps' of 'silent'"),
    "silent most": ("silent: {most: -1}\nevents: {lead: {action: Node.Lead}}\n", "m.yaml:1: 'most' of 'silent' is -1"),
    "no role": ("events: {a: {crash: Nod}}\n", "m.yaml:1: the model has no role 'Nod'"),
    "no returns": ("events: {a: {action: Node.Lead, returns: {x: 1}}}\n", "'returns' of the event 'a' has neither"),
    "no field": ("events: {a: {action: Node.Lead, after: {term: {field: 5}}}}\n", "'field' in 'after'"),
    "no such field": (
        "events:\n  a: {action: Node.Lead, after: {trem: x}}\n",
        "m.yaml:2: the model has no field or state variable 'trem' (event 'a')",
    ),
    "no such length": ("events:\n  a: {observe: Node, before: {len(loog): x}}\n", "no field or state variable 'loog'"),
    "no such choice": (
        "events:\n  a: {action: Node.Vote, choices: {candidat.term: x}}\n",
        "no action of the model chooses 'candidat'",
    ),
    "no such label": ("events:\n  a: {action: Node.Vote, label: mark}\n", "m.yaml:2: the model has no label 'mark'"),
    "not of this action": (
        "events:\n  a: {action: Node.Vote, label: Node.Lead.mark}\n",
        "m.yaml:2: the model has no label 'Node.Lead.mark'",
    ),
    "no label": ("events: {a: {action: Node.Lead, label: [1]}}\n", "m.yaml:1: 'label' of the event 'a'"),
    "no ignored": ("ignore: [[1]]\nevents: {a: {action: Node.Lead}}\n", "m.yaml:1: 'ignore' is no list"),
    "no text": ("events: {on: {action: Node.Lead}}\n", "m.yaml: a name is True, which is no text"),
    "no clock": ("order: {clock: 5}\nevents: {a: {action: Node.Lead}}\n", "m.yaml:1: 'clock' is not the name"),
}


@pytest.mark.parametrize("name", WRONG_MAPS)
def test_wrong_maps(election: str, write: Write, fizzpy: Run, name: str) -> None:
    """File, line, reason."""
    text, said = WRONG_MAPS[name]
    ended = fizzpy("validate", election, write("a.ndjson", ELECTED), "--map", write("m.yaml", text))
    assert ended.code == 2 and said in ended.err, ended.err


def test_a_map_that_says_nothing_accepts_nothing(election: str, write: Write, fizzpy: Run) -> None:
    """A map by which no event is a step, and none has a value, has nothing to validate."""
    text = "process: node\ninstances: {n1: Node#0}\norder: file\nevents: {seen: {observe: Node}}\n"
    log = write("a.ndjson", '{"event": "seen", "node": "n1"}\n')
    ended = fizzpy("validate", election, log, "--map", write("m.yaml", text), "--quiet")
    assert ended.code == 2 and "says nothing of any event" in " ".join(ended.out.split())


def random_log(draw: random.Random, steps: int) -> list[Event]:
    """A run of the election, drawn by the rules of the model."""
    term, votes, leader = [0, 0, 0], [0, 0, 0], [False] * 3
    log: list[Event] = []
    while len(log) < steps:
        i, j = draw.randrange(3), draw.randrange(3)
        match draw.choice(["campaign", "vote", "lead"]):
            case "campaign":
                term[i], votes[i], leader[i] = term[i] + 1, 1, False
                log.append(campaign(f"n{i + 1}", term[i]))
            case "vote" if term[j] > term[i]:
                term[i], leader[i], votes[j] = term[j], False, votes[j] + 1
                log.append(vote(f"n{i + 1}", f"n{j + 1}", term[j]))
            case "lead" if votes[i] >= 2 and not leader[i]:
                leader[i] = True
                log.append(lead(f"n{i + 1}", term[i]))
    return log


@pytest.mark.parametrize("seed", range(5))
def test_mutations_are_rejected_at_their_event(election: str, election_map: str, write: Write, seed: int) -> None:
    """A run of the model is accepted; with one observed value changed it is rejected there."""
    draw = random.Random(seed)
    log = random_log(draw, 40)
    no_leaders = ELECTION.partition("always assertion")[0]
    model = write("m.fizz", no_leaders)
    assert validate_logs(model, [write("a.ndjson", log)], election_map).verdict == "accepted"
    for at in draw.sample(range(40), 8):
        changed = [dict(event) for event in log]
        changed[at]["term"] += draw.choice([-1, 1])
        report = validate_logs(model, [write("b.ndjson", changed)], election_map)
        assert report.verdict == "rejected" and report.runs[0].explained == at


def test_reports_are_those_of_the_interpreter(
    election: str, election_map: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rules run as functions of Python, from the first event on, and none: verdicts, counts, lines, what is shown."""
    draw = random.Random(1)
    accepted = 0
    maps = [election_map, write("loose.yaml", MAP.replace("order: file\n", "silent: {steps: [Node.Vote], most: 1}\n"))]
    for number in range(12):
        log = random_log(draw, 12)
        if number % 3:
            del log[draw.randrange(len(log))]
        path = write("a.ndjson", log)
        found = []
        for soon in (0, 1_000_000):
            monkeypatch.setattr(step_fit, "ModelSteps", partial(ModelSteps, soon=soon))
            found.append(validate_logs(election, [path], maps[number % 2], most=500).runs)
        assert found[0] == found[1]
        accepted += found[0][0].verdict == "accepted"
    assert 2 < accepted < 12


def test_a_new_machine_goes_on_in_a_long_log(
    election: str, election_map: str, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where too much is remembered one state goes on in a new machine: what is reported is the same, steps before it
    too, and so are the assertions that are violated."""
    log = random_log(random.Random(3), 1201)
    wrong = [*log[:1003], dict(log[1003], term=10**6)]
    for events, verdict in ((log, "accepted"), (wrong, "rejected")):
        path = write("a.ndjson", events)
        found = []
        for parts in (1, 1 << 40):
            monkeypatch.setattr(validate_log, "LogModel", partial(LogModel, most_parts=parts))
            found.append(validate_logs(election, [path], election_map).runs)
        assert found[0] == found[1] and found[0][0].verdict == verdict
        if verdict == "accepted":
            assert found[0][0].judged
        else:
            assert found[0][0].rejection is not None and len(found[0][0].rejection.entries) == 8


def test_a_long_log_needs_little_memory(write: Write) -> None:
    """What is settled is dropped: the nodes that are kept do not grow with the log."""
    model = write("m.fizz", "action Init: x = 0\natomic action Up: x = (x + 1) % 7\n")
    log = write("a.ndjson", [{"event": "up", "x": (i + 1) % 7} for i in range(5000)])
    text = "order: file\nevents: {up: {action: Up, after: {x: x}}}\n"
    report = validate_logs(model, [log], write("m.yaml", text))
    assert (report.verdict, report.runs[0].explained, report.runs[0].values) == ("accepted", 5000, 5000)
    assert report.actions == {"Up": 5000}


# --- what one event may say -------------------------------------------------------------------------------------------

POST = """\
role Clerk:
    action Init:
        self.sent = []
        self.seen = 0

    atomic action Send:
        to = oneof clerks
        require to != self
        number = oneof range(3)
        self.sent.append(struct(to=to, number=number, parts=("a", "b")))

    atomic action Receive:
        sender = oneof clerks
        m = oneof [one for one in sender.sent if one.to == self]
        sender.sent.remove(m)
        self.seen += 1

    atomic action Forget:
        self.seen = 0

action Init:
    clerks = [Clerk(), Clerk()]
"""
POST_MAP = """\
inside: entry.event
event: what
process: who
order: file
instances: {a: "Clerk#0", b: "Clerk#1", nobody: null}
events:
  send: {action: Clerk.Send, choices: {to: to}, after: {"sent[-1].number": number}}
  receive: {action: Clerk.Receive, choices: {m.number: number, len(m.parts): "parts?"}}
  idle: {observe: Clerk, before: {seen: seen}}
  change: [{action: Clerk.Forget, after: {seen: seen}}, {action: Clerk.Receive, after: {seen: seen}}]
"""


def wrapped(what: str, who: str, **said: object) -> Event:
    return {"level": "info", "entry": {"event": {"what": what, "who": who, **said}}}


SENT = [wrapped("send", "a", to="b", number=2), wrapped("send", "a", to="b", number=1)]


def verdict(write: Write, fizzpy: Run, *events: Event) -> Ended:
    log = write("a.ndjson", [*SENT, *events])
    return fizzpy("validate", write("post.fizz", POST), log, "--map", write("m.yaml", POST_MAP))


def test_a_part_of_what_is_chosen(write: Write, fizzpy: Run) -> None:
    """An event names a field of the message that is received, and its length; others do not fit, and it says why."""
    assert verdict(write, fizzpy, wrapped("receive", "b", number=1, parts=2)).code == 0
    ended = verdict(write, fizzpy, wrapped("receive", "b", number=0))
    assert ended.code == 14 and "m.number may be 2, not 0" in ended.out
    ended = verdict(write, fizzpy, wrapped("receive", "b", number=1, parts=3))
    assert ended.code == 14 and "len(m.parts) may be 2, not 3" in ended.out


def test_an_event_that_only_observes(write: Write, fizzpy: Run) -> None:
    """It is no step; what it says is true of the state, or it is rejected there."""
    events = (wrapped("idle", "b", seen=0), wrapped("receive", "b", number=2), wrapped("idle", "b", seen=1))
    assert verdict(write, fizzpy, *events).code == 0
    ended = verdict(write, fizzpy, *events, wrapped("idle", "b", seen=2))
    assert ended.code == 14 and "seen is 1 here, not 2" in ended.out and "event 6" in ended.out


def test_an_event_that_may_be_one_of_several_actions(write: Write, fizzpy: Run) -> None:
    """One of them is enough; if none is, the reasons of all are told."""
    events = (wrapped("change", "b", seen=1), wrapped("change", "b", seen=0))
    assert verdict(write, fizzpy, *events).code == 0
    ended = verdict(write, fizzpy, *events, wrapped("change", "b", seen=7))
    assert ended.code == 14 and "Clerk#1.Forget: seen is 0 after it" in ended.out and "Clerk#1.Receive" in ended.out


def test_the_event_inside_a_line(write: Write, fizzpy: Run) -> None:
    """A line without the object that the map names is refused, with its place."""
    ended = verdict(write, fizzpy, {"entry": {}})
    assert ended.code == 2 and "a.ndjson:3" in ended.err and "'entry.event'" in ended.err


def test_an_observation_has_no_choices(write: Write, fizzpy: Run) -> None:
    """The map is refused."""
    bad = POST_MAP.replace("{observe: Clerk, ", "{observe: Clerk, choices: {m: x}, ")
    ended = fizzpy("validate", write("post.fizz", POST), write("a.ndjson", SENT), "--map", write("m.yaml", bad))
    assert ended.code == 2 and "observes a state" in ended.err


def test_mutations_of_a_log_are_counted(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    """Of the values that the map reads, those changed by hand are found; one that fits anyway is named."""
    log = write("a.ndjson", [*SENT, wrapped("receive", "b", number=1), wrapped("idle", "b", seen=1)])
    assert main([write("post.fizz", POST), log, "--map", write("m.yaml", POST_MAP), "--count", "4"]) == 0
    out = capsys.readouterr().out
    assert "accepted, 4 events" in out and "of 4 mutations are rejected at their event" in out
    assert "entry" not in out.split("mutated: ")[1]
