"""The answers of questions about the pairs that a `leadsto` assertion returns, in rules that are run directly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from interpreter.compile.pair_questions import ONLY
from interpreter.direct.node_sequences import Sequences
from interpreter.direct.nodes import GiveUp, ValueNode
from interpreter.execute.pair_answers import Pair, answer_of_pairs, by_index, by_keys
from interpreter.values.intern import Tag
from interpreter.values.problem import ModelMistake

# Members of an enum are slow to look up.
_DICT: Final = Tag.DICT
_LIST: Final = Tag.LIST
_TUPLE: Final = Tag.TUPLE


class Pairs(Sequences):
    """The operation that answers a question about pairs. `answered_pairs`: those that it was last asked about."""

    answered_pairs: Mapping[str, Pair] | None = None

    def answered(self, value: Any, instance: Any, question: str) -> bool:
        """The answer for what the body returned in an instance; `value`: a node, or rows of two members each."""
        pairs = self.answered_pairs = self._pairs(value)
        self.fuel[0] -= 2 * len(pairs)
        name = "" if instance is None else self.nodes.interner.text(self.nodes.number(instance))
        try:
            return answer_of_pairs(pairs, name, question)
        except ModelMistake:
            raise GiveUp from None

    def _pairs(self, value: Any) -> dict[str, Pair]:
        """As `pairs_of`, which tells of values that are none."""
        if type(value) is list:
            return {key: _pair(row) for key, row in dict[str, Any](by_index(value)).items()}
        if type(value) is not ValueNode:
            raise GiveUp
        if value.tag is _TUPLE and len(value.items) == 2 and type(value.items[0]) is bool:
            return {ONLY[0]: _pair(value.items)}
        found: dict[str, Any]
        if value.tag is _TUPLE or value.tag is _LIST:
            found = by_index(value.items)
        elif value.tag is _DICT:
            text, number = self.nodes.interner.text, self.nodes.number
            found = by_keys([(text(number(key)), pair) for key, pair in self.entries_any(value, 1)])
        else:
            raise GiveUp
        return {
            key: _pair(one.items if type(one) is ValueNode and one.tag is _TUPLE else ()) for key, one in found.items()
        }


def _pair(members: Sequence[Any]) -> Pair:
    if len(members) != 2 or type(members[0]) is not bool or type(members[1]) is not bool:
        raise GiveUp
    return Pair(members[0], members[1])
