"""The identity of states: their encoding and their key (language page, 5.6 and 5.6.1)."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable, Iterable
from itertools import compress
from typing import Final

from interpreter.compile.program import Program
from interpreter.state.normalise import MOST_SHARING, Sharing, sharing_of
from interpreter.state.parked import composite_json
from interpreter.state.state import Layout, Slot, State, slot_text
from interpreter.values.intern import Interner, Tag, add_keys, subtract_keys
from interpreter.values.key_parts import Resolve, digest

THREAD: Final[Slot] = ("thread",)
MESSAGE: Final[Slot] = ("message",)
"""The slot under which the sums of any thread or message are cached."""
_COUNTER: Final = "count "
"""How the path of a counter of starts begins."""


class Encoder:
    """Computes keys and encodings of states of one machine."""

    def __init__(self, program: Program, interner: Interner) -> None:
        self._interner = interner
        self._excluded = frozenset(("heap", name) for name in program.options.exclude)
        self._crashing = frozenset(role.name for role in program.roles if role.crashes)
        # The slots of the last state, and their sum: most states differ from the one before in a few slots.
        self._last: tuple[Layout, tuple[int, ...], int] | None = None
        self._of_sharing: dict[Sharing, int] = {}
        self._none = interner.intern(Tag.INT, 0)
        """What a counter of starts holds that adds nothing."""
        self._places: dict[Layout, tuple[int, dict[int, str]]] = {}
        self._last_apart: tuple[Layout, tuple[int, ...], int] | None = None

    def key(self, state: State) -> int:
        """The 128-bit key of a state: the sum of the digests of its parts."""
        if state.layout.cells:
            return self._key_with_cells(state)
        total = self._slots_sum(state)
        for thread in state.threads:
            total = add_keys(total, self.slot_sum(THREAD, thread))
        for message in state.messages:
            total = add_keys(total, self.slot_sum(MESSAGE, message))
        return total

    def _slots_sum(self, state: State) -> int:
        layout, values = state.layout, state.values
        slots = layout.slots
        if self._last is not None and self._last[0] is layout:
            _, before, total = self._last
            if before is values:
                return total
            for i in compress(range(len(slots)), map(operator.ne, before, values)):
                total = add_keys(total, self.slot_sum(slots[i], values[i]))
                total = subtract_keys(total, self.slot_sum(slots[i], before[i]))
        else:
            total = 0
            for slot, number in zip(slots, values, strict=True):
                total = add_keys(total, self.slot_sum(slot, number))
        self._last = (layout, values, total)
        return total

    @property
    def excludes(self) -> bool:
        """Whether some variables are excluded from the identity."""
        return bool(self._excluded)

    def slot_sum(self, slot: Slot, number: int) -> int:
        """What a slot, thread or message with this value adds to the key."""
        if slot in self._excluded:
            return 0
        if slot[0] == "role":
            return digest(slot_text(slot), "role")
        if slot[0] == "count" and number == self._none:
            return 0
        return self._interner.part_sum(slot_text(slot), number)

    def element_sum(self, slot: Slot, element: int) -> int:
        """What an element of the set in a slot, without aliases, adds to the key."""
        if slot in self._excluded:
            return 0
        return digest(f"{slot_text(slot)}{{}}", self._interner.json(element))

    def _key_with_cells(self, state: State) -> int:
        layout, values = state.layout, state.values
        sharing = sharing_of(self._interner, layout, values)
        held = (layout, sharing, tuple([values[i] for i in sharing]), state.threads, state.messages)
        total = self._of_sharing.get(held)
        if total is None:
            if len(self._of_sharing) > MOST_SHARING:
                self._of_sharing.clear()
            total = self._of_sharing[held] = self._sharing_sum(state, sharing)
        return add_keys(total, self._sum_apart(layout, values))

    def _sum_apart(self, layout: Layout, values: tuple[int, ...]) -> int:
        """What instances and the slots without aliases add to the key: that of the state before, and what differs."""
        places = self._places.get(layout)
        if places is None:
            places = self._places[layout] = self._own_places(layout)
        of_instances, paths = places
        adds = self._adds
        if self._last_apart is not None and self._last_apart[0] is layout:
            _, before, total = self._last_apart
            for i in compress(range(len(values)), map(operator.ne, before, values)):
                if i in paths:
                    total = add_keys(total, adds(paths[i], values[i]))
                    total = subtract_keys(total, adds(paths[i], before[i]))
        else:
            total = of_instances
            for i, path in paths.items():
                total = add_keys(total, adds(path, values[i]))
        self._last_apart = (layout, values, total)
        return total

    def _adds(self, path: str, number: int) -> int:
        """What a value at the path of a slot that is not excluded adds to the key, unless it has aliases."""
        if self._interner.references(number) or (number == self._none and path.startswith(_COUNTER)):
            return 0
        return self._interner.part_sum(path, number)

    def _own_places(self, layout: Layout) -> tuple[int, dict[int, str]]:
        """What the instances in a layout add to the key; the positions of the other slots that matter and are no
        cells, with their paths."""
        of_instances, others = 0, dict[int, str]()
        for i, slot in enumerate(layout.slots):
            if slot[0] == "role":
                of_instances = add_keys(of_instances, digest(slot_text(slot), "role"))
            elif slot[0] != "cell" and slot not in self._excluded:
                others[i] = slot_text(slot)
        return of_instances, others

    def _sharing_sum(self, state: State, sharing: tuple[int, ...]) -> int:
        """What the slots with aliases add to the key, with threads and messages."""
        resolve = self._resolver(state)
        total = 0
        for i in sharing:
            slot = state.layout.slots[i]
            if slot[0] != "cell" and slot not in self._excluded:
                total = add_keys(total, self._interner.shared_sum(slot_text(slot), state.values[i], resolve))
        for kind, numbers in (("thread", state.threads), ("message", state.messages)):
            for position, number in enumerate(numbers):
                # References to containers inside a thread contain its position, which is part of the state then.
                path = f"{kind}-{position}" if self._interner.references(number) else kind
                total = add_keys(total, digest(path, self._composite(f"{kind}-{position}", number, resolve)))
        return total

    def shared_sum(self, slot: Slot, number: int, resolve: Resolve) -> int:
        """What a slot with aliases in its value adds to the key."""
        return 0 if slot in self._excluded else self._interner.shared_sum(slot_text(slot), number, resolve)

    def _resolver(self, state: State) -> Resolve:
        return self.resolver(lambda k: state.get(("cell", k)))

    def resolver(self, content: Callable[[int], int]) -> Resolve:
        """Writes a cell out at its first occurrence, and the path of that one at later occurrences.

        `content` gives the id of what is in a cell.
        """
        paths: dict[int, str] = {}
        interner = self._interner

        def resolve(path: str, reference: int) -> int | str:
            k = interner.payload(reference)[0]
            if k in paths:
                return f'{{"$ref":{json.dumps(paths[k], ensure_ascii=False)}}}'
            paths[k] = path
            return content(k)

        return resolve

    def _composite(self, path: str, number: int, resolve: Resolve) -> str:
        if not self._interner.references(number):
            return self._interner.json(number)
        children, extra, _ = self._interner.payload(number)
        texts = [
            self._composite(f"{path}.{i}", child, resolve)
            if self._interner.tag(child) is Tag.FRAME
            else self._interner.encode(f"{path}.{i}", child, resolve)
            for i, child in enumerate(children)
        ]
        return composite_json(self._interner.tag(number), extra, texts)

    def encoding(self, state: State) -> str:
        """The encoding as compact JSON, excluded variables included."""
        resolve = self._resolver(state)
        heap = [(str(slot[1]), self._value(slot, state, resolve)) for slot in state.layout.slots if slot[0] == "heap"]
        roles = [self._role(role, number, state, resolve) for role, number in state.layout.owned]
        threads = [self._composite(f"thread-{i}", t, resolve) for i, t in enumerate(state.threads)]
        messages = [self._composite(f"message-{i}", m, resolve) for i, m in enumerate(state.messages)]
        counters = [slot for slot in state.layout.slots if slot[0] == "count" and state.get(slot) != self._none]
        counts = [(str(slot[1]), self._value(slot, state, resolve)) for slot in counters]
        text = (
            f'{{"heap":{_object(heap)},"roles":[{",".join(roles)}],"threads":[{",".join(threads)}],'
            f'"messages":[{",".join(messages)}],"counters":{_object(counts)}'
        )
        if ("returns",) in state.layout.index:
            text += f',"returns":{self._value(("returns",), state, resolve)}'
        return text + "}"

    def _role(self, role: str, number: int, state: State, resolve: Resolve) -> str:
        parts = []
        for kind in ("param", "field", "reset"):
            names = state.layout.names(kind, role, number)
            parts.append(_object((name, self._value((kind, role, number, name), state, resolve)) for name in names))
        reset = parts[2] if role in self._crashing else "null"
        return f"[{json.dumps(role)},{number},{parts[0]},{parts[1]},{reset}]"

    def _value(self, slot: Slot, state: State, resolve: Resolve) -> str:
        return self._interner.encode(slot_text(slot), state.get(slot), resolve)


def _object(pairs: Iterable[tuple[str, str]]) -> str:
    return "{" + ",".join(f"{json.dumps(name, ensure_ascii=False)}:{text}" for name, text in pairs) + "}"
