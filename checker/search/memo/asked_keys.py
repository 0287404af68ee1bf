"""`AskedKeys`: a dict of the state to which keys were added, or from which some were taken.

What is written of it are the keys that come, with their values, and those that go: other values need not be asked for.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from checker.search.memo.asked_nodes import AskedContainer, AskedNode
from checker.search.memo.division import MOST_MEMBERS
from checker.search.memo.heads import dict_head_of, gone
from interpreter.direct.nodes import GiveUp, ValueNode, key
from interpreter.state.state import Slot
from interpreter.values.intern import Tag


class AskedKeys(AskedContainer):
    """`source`: a dict with the keys that the state has. `gone`: the indexes there of those that are taken out.

    `fresh`: by what `nodes.key` returns for a key, those that were added, with their values.
    """

    __slots__ = ("_fresh", "_gone", "_source")

    def __init__(
        self,
        source: AskedNode,
        gone: frozenset[int] = frozenset(),
        fresh: Mapping[Hashable, tuple[Any, Any]] = {},
    ) -> None:
        super().__init__(source.reader, source.slot)
        self._source = source
        self._gone = gone
        self._fresh = fresh

    def _known(self, token: Hashable) -> int | None:
        """The index in the source of a key that is still there."""
        index = self._source.shape.indexes.get(token)
        return None if index in self._gone else index

    def size(self) -> int:
        return self._source.size() - len(self._gone) + len(self._fresh)

    def has(self, place: Any) -> bool:
        """Whether there is a key."""
        token = key(place)
        return token in self._fresh or self._known(token) is not None

    def at(self, place: Any) -> Any:
        """The value at a key that is there."""
        token = key(place)
        if token in self._fresh:
            return self._fresh[token][1]
        index = self._known(token)
        if index is None:
            raise GiveUp
        return self._source.member(index)

    def put(self, place: Any, member: Any) -> AskedKeys:
        """The dict with a value at a key."""
        if type(place) is ValueNode and place.mutable:
            raise GiveUp
        token = key(place)
        index = self._known(token)
        if index is not None:
            return AskedKeys(self._source.put(index, member), self._gone, self._fresh)
        if token in self._source.shape.indexes:
            raise GiveUp  # it was taken out, and comes back, perhaps in another form
        own = self._fresh[token][0] if token in self._fresh else place
        return AskedKeys(self._source, self._gone, {**self._fresh, token: (own, member)})

    def without(self, place: Any) -> AskedKeys:
        """The dict without a key that is there."""
        token = key(place)
        if token in self._fresh:
            left = {one: pair for one, pair in self._fresh.items() if one != token}
            return AskedKeys(self._source, self._gone, left)
        index = self._known(token)
        if index is None:
            raise GiveUp
        return AskedKeys(self._source, self._gone | {index}, self._fresh)

    def _asked(self) -> ValueNode:
        nodes, number = self.reader.nodes, self.reader.nodes.number
        held = nodes.interner.payload(self._source.value().number)
        pairs = [pair for index, pair in enumerate(held) if index not in self._gone]
        pairs += [(number(place), number(member)) for place, member in self._fresh.values()]
        made: ValueNode = nodes[nodes.interner.intern_pairs(Tag.DICT, pairs)]
        if nodes.interner.payload(made.number) != tuple(pairs):
            # Those that were added come last within the step.
            self.reader.unordered.add(made.number)
        return made

    def writes(self) -> Iterator[tuple[Slot, int]]:
        nodes, source = self.reader.nodes, self._source
        if not 0 < self.size() <= MOST_MEMBERS:
            yield self.slot, nodes.number(self)
            return
        divider, interner = nodes.divider, nodes.interner
        if not source.shape.whole:
            keys = [nodes.number(one) for index, one in enumerate(source.shape.keys) if index not in self._gone]
            keys += [nodes.number(place) for place, _ in self._fresh.values()]
            yield self.slot, dict_head_of(interner, keys)
        steps = [source.shape.steps[index] for index in sorted(self._gone)]
        yield from [((*self.slot, step), gone(interner)) for step in steps]
        left = AskedNode(source.reader, source.slot, source.shape, self._changes(), ())
        yield from left.writes()
        for place, member in self._fresh.values():
            yield (*self.slot, divider.step(nodes.number(place))), nodes.number(member)

    def _changes(self) -> Mapping[int, Any]:
        """The values that were replaced at keys that are still there."""
        return {index: member for index, member in self._source.changes.items() if index not in self._gone}


def keys_of_state(value: Any) -> AskedKeys | None:
    """A dict that is known by its keys, whichever of its values are; None for others."""
    if isinstance(value, AskedKeys):
        return value
    return AskedKeys(value) if isinstance(value, AskedNode) and value.is_dict else None
