"""Cases of what programs recorded: logs, the maps that say what they mean, and histories of operations."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

from tests.hostile import texts
from tests.hostile.case import MODEL, Case, Content, Node

Chance = random.Random

_LOG: Final = "log.ndjson"
_MAP: Final = "map.yaml"
_HISTORY: Final = "history.ndjson"
_TIME: Final = ("--timeout", "4", "--most", "3000")

_MODEL: Final = """\
@state(ephemeral=["votes"])
role Node:
    action Init: self.term, self.votes, self.log = 0, 0, []
    atomic action Vote:
        peer = oneof nodes
        term = oneof range(4)
        require term > self.term
        self.term = term
        peer.votes += 1
    atomic action Write:
        entry = oneof [struct(term=self.term, data=data) for data in ["a", "b"]]
        self.log.append(entry)
        return len(self.log)
    func read(): return self.log
    func write(v, at=0):
        require at <= len(self.log)
        self.log.insert(at, v)
        return len(self.log)
action Init: nodes = [Node(), Node()]
"""
_GOOD_MAP: Final = """\
process: node
instances: {n1: "Node#0", n2: "Node#1"}
silent: {steps: [Node.Vote], most: 2}
order: {messages: {send: sent, receive: got}, time: {field: ts, skew: 0.5}}
ignore: [beat]
events:
  vote: &vote {action: Node.Vote, choices: {peer: for, term: term}, after: {term: "term?"}}
  write: [{action: Node.Write, choices: {entry.data: data}, returns: at, after: {"log[-1].data": data, len(log): at}},
    {<<: *vote}]
  down: {crash: Node}
  look: {observe: Node, before: {term: {field: term, as: {zero: 0}}}}
"""
_RECORDS: Final[Sequence[dict[str, Any]]] = (
    {"event": "vote", "node": "n1", "for": "n2", "term": 1, "ts": 1.0, "sent": "a"},
    {"event": "beat", "node": "n2", "ts": 1.2},
    {"event": "write", "node": "n1", "data": "a", "at": 1, "ts": 2.0, "for": "n1", "term": 2},
    {"event": "down", "node": "n2", "ts": 3.0, "got": "a"},
    {"event": "look", "node": "n1", "term": 1, "ts": 4.0},
)
_CALLS: Final[Sequence[dict[str, Any]]] = (
    {"process": 0, "type": "invoke", "f": "write", "v": 1},
    {"process": 1, "type": "invoke", "f": "read", "value": None},
    {"process": 0, "type": "ok", "f": "write", "result": 1},
    {"process": 1, "type": "ok", "f": "read", "value": [1]},
    {"process": "c", "type": "invoke", "f": "write", "v": 2, "at": 1},
    {"process": "c", "type": "info", "f": "write", "error": "timed-out"},
)
_EDN: Final = b"""\
{:process 0, :type :invoke, :f :write, :value [1 0]}
{:process 0, :type :ok, :f :write, :value #{1 2}}
"""

_VALUES: Final[Sequence[Any]] = (
    None, True, False, 0, -1, 10**30, 10**400, 1e308, -0.0, "", "n1", "Node#0", "Node#9", "x" * 3000, [], {}, [[]],
    ["n1", "n2"], {"a": {"b": []}}, "\u202e", "\x1b[31m", "\x00", "\ud800", "\u00e9",
)  # fmt: skip
_RAW: Final = (
    b"", b"\n\n\n", b"{", b"[1]", b"null", b"1", b'"x"', b"{}", b'{"event": "vote"', b"\xff\xfe{}", b"\xef\xbb\xbf{}",
    b"\x00" * 50, b"[" * 5000, b'{"a":' * 3000 + b"1" + b"}" * 3000, b'{"event": ' + b"9" * 5000 + b"}", b"NaN",
    b'{"event": NaN}', b'{"event": 1e999}', b'{"event": "vote", "event": "write"}', b"{" + b" " * 2_000_000 + b"}",
    b'{"resourceSpans": 3}', b'{"resourceSpans": [{"scopeSpans": [{"spans": [{"name": []}]}]}]}', b"{\n", b"{:a",
    b"#inst 1", b"(((", b"[" * 2000, b"{:process 0 :type :invoke :f :read}" * 3, b"\x1f\x8b\x08\x00",
)  # fmt: skip
_BOMB: Final = "a: &a [x, x, x, x, x, x, x, x]\n" + "".join(
    f"{two}: &{two} [{', '.join([f'*{one}'] * 8)}]\n" for one, two in pairwise("abcdefghi")
)
_MAPS: Final = (
    "", "[]", "1", "events: 1", "events: {}", "events: {vote: }", "events: {vote: []}", "events: {vote: [1]}",
    "events: {vote: {action: Node.Nothing}}", "events: {vote: {action: 1}}", "events: {vote: {crash: }}",
    "events: {vote: {observe: Node}}", "events: {vote: {action: Node.Vote, crash: Node}}", "evnts: {}", "a: &a [*a]",
    "a: &a {b: *a}", "events: *x", "events: {vote: {action: Node.Vote, choices: 1}}", "order: sideways\nevents: {}",
    "events: {vote: {action: Node.Vote, after: {'a b': x}}}", "silent: {most: -1}\nevents: {vote: {action: Node.Vote}}",
    "events: {vote: {action: Node.Vote, after: {term: {field: }}}}", "{" * 200, "\t", "%YAML 9", "--- 1\n--- 2",
    "events: {vote: {action: Node.Vote, instance: }}", "instances: [n1]\nevents: {vote: {action: Node.Vote}}",
    "inside: a.b\nevents: {vote: {action: Node.Vote}}", "process: [1]\nevents: {vote: {action: Node.Vote}}",
_BOMB,
    "events: {vote: {action: Node.Vote, after: {term: {is: !!python/object:os.system x}}}}",
    "order: {time: {field: ts, skew: .inf}}\nevents: {vote: {action: Node.Vote}}", "events: {? [a] : b}",
    "silent: {steps: [continue, crash, deliver, Node.Vote, Node.Write], most: 99999999}\n"
    "events: {vote: {action: Node.Vote}}",
)  # fmt: skip
REFUSED: Final = frozenset((2,))


def _node(chance: Chance) -> Content:
    return chance.choice((Node("fifo"), Node("folder"), Node("link", "nowhere"), Node("link", "/dev/zero"), b""))


def _refused(chosen: Content) -> frozenset[int] | None:
    """What is no file, or has nothing in it that could be read, is refused, and never taken for an empty answer."""
    return REFUSED if not isinstance(chosen, bytes) or not chosen.strip() or chosen in _RAW else None


def _lines(records: Sequence[dict[str, Any]], chance: Chance) -> bytes:
    """Records, of which some have lost a field, or have a strange one."""
    found = [dict(one) for one in records]
    for _ in range(chance.choice((1, 1, 2, 4))):
        one = chance.choice(found)
        field = chance.choice([*one, "event", "f", "v", "at", "new", "time", "resourceSpans"])
        if chance.random() < 0.3:
            one.pop(field, None)
        else:
            one[field] = chance.choice(_VALUES)
    if chance.random() < 0.3:
        chance.shuffle(found)
    if chance.random() < 0.2:
        found = found * chance.choice((2, 50))
    lines = [json.dumps(one).encode() for one in found]
    if chance.random() < 0.2:
        lines.insert(chance.randrange(len(lines)), chance.choice(_RAW))
    data = b"\n".join(lines)
    return data[: chance.randrange(len(data))] if chance.random() < 0.15 else data


def _content(records: Sequence[dict[str, Any]], chance: Chance) -> Content:
    roll = chance.random()
    if roll < 0.1:
        return _node(chance)
    if roll < 0.3:
        return chance.choice(_RAW)
    if roll < 0.4:
        return texts.spoiled_bytes(_lines(records, chance), chance)
    return _lines(records, chance)


def logs(number: int, chance: Chance) -> Case:
    """A log that is none, or that says strange things, beside a map that is fine."""
    chosen = _content(_RECORDS, chance)
    more = chance.choice(((), (), ("--json",), ("--each",), ("--html", "o.html")))
    files = {MODEL: _MODEL.encode(), _MAP: _GOOD_MAP.encode(), _LOG: chosen}
    hostile = (_LOG,) if isinstance(chosen, bytes) else ()
    words = ("validate", MODEL, _LOG, "--map", _MAP, *_TIME, *more)
    return Case("logs", number, words, files, hostile, codes=_refused(chosen))


def maps(number: int, chance: Chance) -> Case:
    """A map that is none, or spoiled, beside a log that is fine."""
    roll = chance.random()
    chosen: Content
    if roll < 0.1:
        chosen = _node(chance)
    elif roll < 0.45:
        chosen = chance.choice(_MAPS).encode()
    elif roll < 0.55:
        chosen = texts.spoiled_bytes(_GOOD_MAP.encode(), chance)
    else:
        chosen = texts.spoiled_tokens(_GOOD_MAP, chance).encode("utf-8", "surrogatepass")
    log = "\n".join(map(json.dumps, _RECORDS)).encode()
    files = {MODEL: _MODEL.encode(), _MAP: chosen, _LOG: log}
    hostile = (_MAP,) if isinstance(chosen, bytes) else ()
    words = ("validate", MODEL, _LOG, "--map", _MAP, *_TIME)
    return Case("maps", number, words, files, hostile, codes=_refused(chosen))


def histories(number: int, chance: Chance) -> Case:
    """A history that is none, or says strange things."""
    chosen = texts.spoiled_bytes(_EDN, chance) if chance.random() < 0.15 else _content(_CALLS, chance)
    ways = ((), (), ("--json",), ("--partition", "v"), ("--consistency", "sequential"), ("--failed", "refused"))
    files = {MODEL: _MODEL.encode(), _HISTORY: chosen}
    hostile = (_HISTORY,) if isinstance(chosen, bytes) else ()
    words = ("history", MODEL, _HISTORY, "--object", "Node#0", *_TIME, *chance.choice(ways))
    return Case("histories", number, words, files, hostile, codes=_refused(chosen))
