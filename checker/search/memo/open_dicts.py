"""Dicts that are read value by value, also after keys were added or taken out: other values need not be asked for."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import ClassVar

from checker.search.memo.lazy_members import LazyMembers
from checker.search.memo.open_containers import Compares, ContainerShape, OpenContainer, PendingMembers, Undo
from interpreter.execute.reach import changed
from interpreter.state.state import Slot
from interpreter.values import Container, DictValue, Value, ValueWalk
from interpreter.values.basis import equal_sequences, sought_key
from interpreter.values.budget import METER, parts_of_keys
from interpreter.values.folding import AskedFold


class PendingDict(PendingMembers):
    """The values of one dict that were read so far. `fresh`: by hash key, the keys that were added, with their values;
    `gone`: the indexes of those that were taken out."""

    __slots__ = ("fresh", "gone")

    def __init__(
        self,
        shape: ContainerShape,
        load: Callable[[str], object],
        load_all: Callable[[], list[object]] | None,
        fold: Callable[[AskedFold], tuple[object] | None],
        world: Compares,
        slot: Slot,
    ) -> None:
        super().__init__(shape, load, load_all, fold, world, slot)
        self.fresh: dict[Hashable, tuple[object, object]] = {}
        self.gone: set[int] = set()

    @property
    def has_other_keys(self) -> bool:
        """Whether keys were added or taken out."""
        return bool(self.fresh or self.gone)

    def known(self, token: Hashable) -> int | None:
        """The index of a key that is there as it was; None for others."""
        index = self.shape.tokens.get(token)
        return None if index in self.gone else index

    def take(self, index: int) -> object:
        """Take out a key of the dict as it was; the value there."""
        value = self.member(index)
        del self.loaded[index]
        self.gone.add(index)
        return value

    def undo(self) -> Undo:
        restore, fresh, gone = super().undo(), self.fresh.copy(), self.gone.copy()

        def put_back() -> None:
            restore()
            self.fresh, self.gone = fresh.copy(), gone.copy()

        return put_back


class OpenDict(OpenContainer, DictValue):
    """A dict of which the keys are known, and which is read value by value."""

    __slots__ = ()
    closed: ClassVar[type[Container]] = DictValue
    pending = DictValue.__dict__["entries"]
    entries = property(OpenContainer.fill, OpenContainer.close)

    def filled(self) -> dict[Hashable, tuple[object, object]]:
        pending: PendingDict = self.pending
        members, shape = pending.members(), pending.shape
        found = {token: (shape.keys[index], members[index]) for token, index in shape.tokens.items()}
        for token in [token for token, index in shape.tokens.items() if index in pending.gone]:
            del found[token]
        return found | pending.fresh

    def met(self) -> list[object]:
        pending: PendingDict = self.pending
        return [*super().met(), *[value for _, value in pending.fresh.values()]]

    def size(self) -> int:
        pending: PendingDict = self.pending
        return pending.size() + len(pending.fresh) - len(pending.gone)

    def equals(self, other: Value, walk: ValueWalk) -> bool:
        assert isinstance(other, DictValue)
        if not isinstance(other, OpenDict):
            return super().equals(other, walk)
        answer = None if changed(self) or changed(other) else self.pending.alike(other.pending)
        if answer is not None:
            return bool(answer)
        whole = any(one.shape.whole or one.has_other_keys for one in (self.pending, other.pending))
        return super().equals(other, walk) if whole else self._has_values_of(other, walk)

    def _has_values_of(self, other: OpenDict, walk: ValueWalk) -> bool:
        """As `equals`, of what is read up to the first difference."""
        mine, others = self.pending.shape.tokens, other.pending.shape.tokens
        METER.charge(parts_of_keys(mine))
        if mine.keys() != others.keys():
            return False
        at = [(one, others[token]) for token, one in mine.items()]
        values = LazyMembers(len(at), lambda index: self.pending.member(at[index][0]))
        return equal_sequences(values, LazyMembers(len(at), lambda index: other.pending.member(at[index][1])), walk)

    def known_keys(self) -> list[object]:
        pending: PendingDict = self.pending
        before = [key for index, key in enumerate(pending.shape.keys) if index not in pending.gone]
        return before + [key for key, _ in pending.fresh.values()]

    def folded(self, fold: AskedFold) -> tuple[object] | None:
        found: tuple[object] | None = None if self.changed else self.pending.fold(fold)
        return found

    def has(self, key: object) -> bool:
        pending: PendingDict = self.pending
        token = sought_key(key)
        return pending.known(token) is not None or token in pending.fresh

    def find(self, key: object) -> tuple[object, object] | None:
        pending: PendingDict = self.pending
        token = sought_key(key)
        index = pending.known(token)
        return pending.fresh.get(token) if index is None else (pending.shape.keys[index], pending.member(index))

    def bind(self, token: Hashable, key: object, value: object) -> None:
        pending: PendingDict = self.pending
        index = pending.known(token)
        if index is not None:
            self.change()
            pending.put(index, value)
        elif token in pending.shape.tokens:
            # It was taken out, and comes back at the end, perhaps in another form.
            super().bind(token, key, value)
        else:
            old = pending.fresh.get(token)
            self.change(self.size() + (old is None))
            if old is None:
                METER.made += 2
            pending.fresh[token] = (key if old is None else old[0], value)

    def take(self, key: object) -> object:
        pending: PendingDict = self.pending
        token = sought_key(key)
        self.change()
        if token in pending.fresh:
            return pending.fresh.pop(token)[1]
        index = pending.known(token)
        assert index is not None
        return pending.take(index)
