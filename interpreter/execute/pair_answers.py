"""The answers of questions about the pairs that a `leadsto` assertion returns (language page, 10.8)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import NamedTuple

from fizz.base.light import dataclass
from interpreter.compile.pair_questions import NEW_PAIRS, ONLY
from interpreter.values import DictValue, ListValue
from interpreter.values.access import iterate, shown
from interpreter.values.basis import type_name
from interpreter.values.freeze import display
from interpreter.values.problem import ModelMistake, with_article

_HINT = "return `(p, q)`, or a list, tuple or dict of such pairs"


class Pair(NamedTuple):
    p: bool
    q: bool


@dataclass(frozen=True, slots=True)
class _Question:
    """What is asked about which assertion; `known`: the keys of its pairs by instance, None if all are allowed."""

    assertion: str
    asked: bool
    key: str | None
    known: dict[str, list[str]] | None


def answer(value: object, instance: object, question: str) -> bool:
    """The answer to a question, as text, for the value that the body returned in an instance (None: at the top level).

    Raises `ModelMistake`: R25 for what is no pair and for other pairs than in other states, `NEW_PAIRS` for an instance
    that the question does not know.
    """
    asks = _question(question)
    return _answered(asks, "" if instance is None else display(instance), pairs_of(value, asks.assertion))


def answer_of_pairs(pairs: Mapping[str, Pair], name: str, question: str) -> bool:
    """The same for pairs by their keys, as `pairs_of` gives them, of the instance of this name (empty: none)."""
    return _answered(_question(question), name, pairs)


def _answered(asks: _Question, name: str, pairs: Mapping[str, Pair]) -> bool:
    if asks.known is not None:
        keys = asks.known.get(name)
        if keys is None:
            raise ModelMistake(NEW_PAIRS, json.dumps([asks.assertion, name, list(pairs)]))
        if keys != list(pairs):
            raise _other_pairs(asks.assertion, name, keys, list(pairs))
    return answer_about(pairs, asks.asked, asks.key)


def answer_about(pairs: Mapping[str, Pair], asked: bool, key: str | None) -> bool:
    """Whether p is true, if it is `asked`, or else q: of the pair at a key; None: p of any pair, q of all."""
    if key is not None:
        return pairs[key].p if asked else pairs[key].q
    return any(pair.p for pair in pairs.values()) if asked else all(pair.q for pair in pairs.values())


@lru_cache(maxsize=1024)
def _question(text: str) -> _Question:
    return _Question(*json.loads(text))


def pairs_of(value: object, assertion: str) -> dict[str, Pair]:
    """The pairs by the texts of their indexes or keys; that of a pair alone is empty. Raises `ModelMistake` (R25)."""
    only = _pair(value)
    if only is not None:
        return {ONLY[0]: only}
    if isinstance(value, tuple) and value and not any(isinstance(one, tuple) for one in value):
        raise _no_pair(assertion, f"{shown(value)}")
    if isinstance(value, DictValue):
        found = by_keys((display(key), pair) for key, pair in value.entries.values())
    elif isinstance(value, tuple | ListValue):
        found = by_index(iterate(value))
    else:
        kind = "" if value is None else f"{with_article(type_name(value))}, "
        raise _no_pair(assertion, f"{kind}{shown(value)}")
    pairs: dict[str, Pair] = {}
    for key, one in found.items():
        pair = _pair(one)
        if pair is None:
            raise _no_pair(assertion, f"{shown(one)} at {key}")
        pairs[key] = pair
    return pairs


def by_index(pairs: Iterable[object]) -> dict[str, object]:
    """The pairs of a list or tuple by the texts that name them."""
    return {f"[{index}]": pair for index, pair in enumerate(pairs)}


def by_keys(pairs: Iterable[tuple[str, object]]) -> dict[str, object]:
    """The pairs of a dict, given with the texts of their keys, by the texts that name them."""
    return dict(sorted(((f"[{key}]", pair) for key, pair in pairs), key=itemgetter(0)))


def _no_pair(assertion: str, what: str) -> ModelMistake:
    return ModelMistake("R25", f"assertion '{assertion}' returned {what}, not a pair of bools", _HINT)


def _pair(value: object) -> Pair | None:
    if isinstance(value, tuple) and len(value) == 2:
        p, q = value
        if isinstance(p, bool) and isinstance(q, bool):
            return Pair(p, q)
    return None


def _other_pairs(assertion: str, instance: str, known: list[str], found: list[str]) -> ModelMistake:
    of = f" of {instance}" if instance else ""
    there = f"are {_named(found)} here and {_named(known)} in other states"
    text = f"the pairs{of} that assertion '{assertion}' returns {there}"
    return ModelMistake("R25", text, "return a pair for each of them in every state: (False, True) waits for nothing")


def _named(keys: list[str]) -> str:
    if keys == list(ONLY):
        return "one alone"
    return ", ".join(keys[:8]) + (", …" if len(keys) > 8 else "") if keys else "none"
