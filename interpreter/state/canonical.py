"""Symmetry reduction: the image of least key of a state under the allowed renamings (language page, 11.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import partial
from itertools import combinations, islice, product
from math import factorial, prod
from typing import Final

from interpreter.compile.program import RoleProgram
from interpreter.state.domains import DomainShape
from interpreter.state.encoding import MESSAGE, THREAD, Encoder
from interpreter.state.normalise import Normaliser
from interpreter.state.orbits import Orbits
from interpreter.state.renaming import HIGHEST, LOWEST, Index, Renamed, Renaming, Renumbering, by_domain, steps_of
from interpreter.state.shared_keys import SharedKeys
from interpreter.state.state import Layout, Layouts, Slot, State
from interpreter.values.budget import METER
from interpreter.values.intern import Interner, add_keys

_FEW: Final = 3
"""Up to this many values or instances, no classes of interchangeable ones are computed."""

_MANY: Final = 4
"""From so many renamings on, images of states with shared containers are remembered."""
_MOST_SUMS: Final = 2_000_000
_MOST_LISTED: Final = 720
"""Up to this many renumberings of a domain are listed while they are combined with those of other domains."""

Part = tuple[Slot, int]
"""A slot, a thread or a message, and its value."""


class Canonical:
    """Chooses images of states of one machine. `roles` are the symmetric roles."""

    def __init__(
        self,
        interner: Interner,
        layouts: Layouts,
        encoder: Encoder,
        shapes: Mapping[str, DomainShape],
        roles: tuple[RoleProgram, ...],
    ) -> None:
        self._interner = interner
        self._layouts = layouts
        self._encoder = encoder
        self._normaliser = Normaliser(interner, layouts)
        self._shapes = shapes
        self._roles = tuple(role.name for role in roles)
        self._born_later = any(role.born_later for role in roles)
        self._renamed: dict[tuple[tuple[str, tuple[tuple[Index, Index], ...]], ...], Renamed] = {}
        self._sums = 0
        self.shared = SharedKeys(interner, encoder, self._sum)
        self._same = Renamed(interner, {})
        self._orbits = Orbits(interner, self._roles, self.renamed)
        self.ranked = any(shape.kind in ("ordinal", "interval") for shape in shapes.values())
        """Whether a limit may forbid a step."""
        self.renumbers = any(shape.kind == "ordinal" for shape in shapes.values())
        """Whether steps renumber: indices become ranks."""
        self.by_renaming = True
        """Whether images are those of the renamings that this gives: a machine may have others."""

    @property
    def excluding(self) -> bool:
        """Whether images of equal keys may differ, in variables that are left out of the identity."""
        return self._encoder.excludes

    @property
    def needed(self) -> bool:
        """Whether the model declares any symmetry."""
        return bool(self._shapes or self._roles)

    @property
    def lasting(self) -> bool:
        """Whether states without symmetric values or instances only have successors without them."""
        return not self._shapes and not self._born_later

    def used(self, state: State) -> dict[str, list[Index]]:
        """The indices in use in each domain, sorted; instance numbers of symmetric roles under the role's name."""
        found = self.live(state.layout)
        for number in (*state.values, *state.threads, *state.messages):
            found |= self.names(number)
        return by_domain(found)

    def renamings_of(self, state: State) -> int:
        """How many renamings of nominal domains there are of a state."""
        return _bijections_of({name: indices for name, indices in self.used(state).items() if self.nominal(name)})

    def live(self, layout: Layout) -> set[tuple[str, Index]]:
        """The live instances of symmetric roles."""
        return {(role, number) for role in self._roles for number in layout.live.get(role, ())}

    def settled(self, state: State) -> State | None:
        """The state with its ordinals as ranks; None if a domain is over its limit or its divergence (11.2)."""
        if not self.ranked:
            return state
        renamed = self.settling(state)
        return None if renamed is None else self.image(state, renamed)

    def settling(self, state: State) -> Renamed | None:
        """The renaming that makes ordinals ranks; None if a domain is over its limit or its divergence (11.2)."""
        used = self.used(state)
        if self.exceeds(used):
            return None
        renaming: dict[str, dict[Index, Index]] = {}
        for name, indices in used.items():
            if self._kind(name) == "ordinal":
                ranks: dict[Index, Index] = {index: rank for rank, index in enumerate(indices)}
                if any(index != rank for index, rank in ranks.items()):
                    renaming[name] = ranks
        return self.renamed(renaming) if renaming else self._same

    def exceeds(self, used: Mapping[str, list[Index]]) -> bool:
        """Whether a step to states with these indices in use does not exist: over a limit or a divergence (11.2)."""
        for name, indices in used.items():
            kind = self._kind(name)
            if kind not in ("interval", "ordinal"):
                continue
            shape = self._shapes[name]
            if shape.limit is not None and len(indices) > shape.limit:
                return True
            if kind == "interval" and shape.divergence is not None and indices[-1] - indices[0] > shape.divergence:
                return True
        return False

    def least(self, state: State) -> State:
        """The image of least key."""
        if not (state.layout.cells and self.by_renaming) or self.excluding:
            return self.image(state, self.leading(state))
        used = self.used(state)
        free = {name: indices for name, indices in used.items() if self.nominal(name)}
        if _bijections_of(free) < _MANY:
            return self.image(state, self.leading(state))
        fixed = {name: next(self._in_order(self._shapes[name], used[name])) for name in used if name not in free}
        return self._orbits.least(
            state, fixed, free, self.image, lambda member: self.image(member, self.leading(member))
        )

    def leading(self, state: State) -> Renamed:
        """The renaming to the image of least key. Calls the meter's hook for each image, as there may be very many."""
        used = self.used(state)
        alike = {name: self._alike(state, name, indices) for name, indices in used.items() if self.nominal(name)}
        images = map(self.renamed, self.renamings(used, alike))
        return min(images, key=lambda renamed: self._key(state, renamed))

    def _alike(self, state: State, name: str, used: list[Index]) -> list[list[Index]]:
        """The classes of interchangeable indices: exchanging two of one class leaves the state unchanged."""
        if len(used) <= _FEW or self.excluding:
            return [[index] for index in used]
        classes: list[list[Index]] = []
        parts = [*zip(state.layout.slots, state.values, strict=True)]
        parts += [(THREAD, thread) for thread in state.threads] + [(MESSAGE, message) for message in state.messages]
        # Most indices are in few parts: an exchange is compared there alone.
        concerned = None if state.layout.cells else self._concerned(parts, name)
        key = self._encoder.key(state) if concerned is None else 0
        for index in used:
            for known in classes:
                METER.ask()
                exchange = self.renamed({name: {known[0]: index, index: known[0]}})
                if concerned is None:
                    equal = self._key(state, exchange) == key
                else:
                    some = [parts[i] for i in {*concerned[known[0]], *concerned[index], *concerned[None]}]
                    equal = self._total(some, exchange) == self._total(some, self._same)
                if equal:
                    known.append(index)
                    break
            else:
                classes.append([index])
        return classes

    def _concerned(self, parts: Sequence[Part], name: str) -> Mapping[Index | None, list[int]]:
        """The positions of the parts of a state with each index of a domain; under None those that may have any."""
        found: defaultdict[Index | None, list[int]] = defaultdict(list)
        interner = self._interner
        for position, (slot, number) in enumerate(parts):
            if slot[0] in ("count", "returns"):
                # Their instances are in labels.
                found[None].append(position)
                continue
            inside = interner.symmetric(number) | interner.roles(number) | interner.identities(number)
            indices = {index for domain, index in inside if domain == name}
            if len(slot) > 2 and slot[1] == name:
                indices.add(slot[2])
            for index in indices:
                found[index].append(position)
        return found

    def _kind(self, name: str) -> str:
        return self._shapes[name].kind if name in self._shapes else "nominal"

    def nominal(self, name: str) -> bool:
        """Whether the values of a domain are renamed by all bijections."""
        return self._kind(name) == "nominal"

    def renamings(
        self, used: Mapping[str, list[Index]], alike: Mapping[str, list[list[Index]]] | None = None
    ) -> Iterator[Renaming]:
        """All allowed renamings of states with these indices in use, as `used` gives them.

        `alike`: the classes of interchangeable indices of each nominal domain; of renamings that differ only within
        classes one is given.
        """
        choices: list[tuple[str, Callable[[], Iterable[Renumbering]]]] = []
        for name, indices in used.items():
            if self.nominal(name):
                classes = [[index] for index in indices] if alike is None else alike[name]
                choices.append((name, partial(_bijections, classes)))
            else:
                choices.append((name, partial(self._in_order, self._shapes[name], indices)))
        for renaming in _combined(choices):
            METER.ask()
            yield renaming

    def renamed(self, renaming: Renaming) -> Renamed:
        """A renaming, ready to be applied."""
        if self._sums > _MOST_SUMS:
            self._renamed.clear()
            self._sums = 0
        mark = tuple((name, tuple(indices.items())) for name, indices in renaming.items())
        known = self._renamed.get(mark)
        if known is None:
            known = self._renamed[mark] = Renamed(self._interner, renaming, self._steps(renaming))
        return known

    def _steps(self, renaming: Renaming) -> tuple[Renamed, Renamed] | None:
        """Two renamings that are the same in turn, if they are renamings that others are made of too."""
        name, *others = renaming or [""]
        if others:
            return self.renamed({name: renaming[name]}), self.renamed({other: renaming[other] for other in others})
        steps = steps_of(renaming[name]) if name and self.nominal(name) else None
        return None if steps is None else (self.renamed({name: steps[0]}), self.renamed({name: steps[1]}))

    def names(self, number: int) -> AbstractSet[tuple[str, Index]]:
        """The domains and indices that are in use in a value, instances only by their identities."""
        values, identities = self._interner.symmetric(number), self._interner.identities(number)
        return values | {found for found in identities if found[0] in self._roles} if identities else values

    def _in_order(self, shape: DomainShape, used: list[Index]) -> Iterator[Renumbering]:
        """The renumberings of a domain that is not nominal."""
        size = len(used)
        if shape.kind == "ordinal":
            yield {index: rank for rank, index in enumerate(used)}
            if shape.reflection:
                mirrored: dict[Index, Index] = {index: size - 1 - rank for rank, index in enumerate(used)}
                yield {**mirrored, LOWEST: HIGHEST, HIGHEST: LOWEST}
        elif shape.kind == "interval":
            yield {index: index - used[0] + shape.start for index in used}
            if shape.reflection:
                yield {index: used[-1] - index + shape.start for index in used}
        else:
            assert shape.limit is not None
            for shift in range(shape.limit):
                yield {index: (index + shift) % shape.limit for index in used}
                if shape.reflection:
                    yield {index: (shift - index) % shape.limit for index in used}

    # --- images ----------------------------------------------------------------------------------------------------

    def image(self, state: State, renamed: Renamed) -> State:
        """The image of a state under a renaming."""
        return self._normaliser.state(state, *self._parts(state, renamed)) if renamed.changes else state

    def order(self, state: State, renamed: Renamed) -> list[int]:
        """The order of the threads in the image of a state, as indexes in the state."""
        return self._normaliser.order(state, *self._parts(state, renamed))

    def _parts(self, state: State, renamed: Renamed) -> tuple[Layout, list[int], list[int], list[int]]:
        """The layout, values, threads and messages of the image before normalisation."""
        slots = {renamed.slot(s): renamed.value(s, n) for s, n in zip(state.layout.slots, state.values, strict=True)}
        layout = self._layouts.of(slots)
        threads = [renamed.value(THREAD, thread) for thread in state.threads]
        messages = [renamed.value(MESSAGE, message) for message in state.messages]
        return layout, [slots[slot] for slot in layout.slots], threads, messages

    def layout(self, layout: Layout, renamed: Renamed) -> Layout:
        """The layout of the images of states of a layout."""
        return self._layouts.of([renamed.slot(slot) for slot in layout.slots])

    def _key(self, state: State, renamed: Renamed) -> int:
        """The key of an image."""
        if state.layout.cells:
            known = self.shared.key(state, renamed)
            return self._encoder.key(self.image(state, renamed)) if known is None else known
        total = self._total(zip(state.layout.slots, state.values, strict=True), renamed)
        for thread in state.threads:
            total = add_keys(total, self._sum(THREAD, thread, renamed))
        for message in state.messages:
            total = add_keys(total, self._sum(MESSAGE, message, renamed))
        return total

    def _total(self, parts: Iterable[Part], renamed: Renamed) -> int:
        """What parts of a state add to the key of an image."""
        total = 0
        for slot, number in parts:
            total = add_keys(total, self._sum(slot, number, renamed))
        return total

    def _sum(self, slot: Slot, number: int, renamed: Renamed) -> int:
        sums = renamed.sums[slot]
        known = sums.get(number)
        if known is None:
            known = sums[number] = self._encoder.slot_sum(renamed.slot(slot), renamed.value(slot, number))
            self._sums += 1
        return known


def _combined(choices: Sequence[tuple[str, Callable[[], Iterable[Renumbering]]]]) -> Iterator[Renaming]:
    """All combinations of one renumbering per domain; the last domain changes first. Long lists are not stored."""
    if not choices:
        yield {}
        return
    (head, first), *others = choices
    if not others:
        for renumbering in first():
            yield {head: renumbering}
        return
    names = [name for name, _ in others]
    listed = [list(islice(renumberings(), _MOST_LISTED + 1)) for _, renumberings in others]
    few = all(len(renumberings) <= _MOST_LISTED for renumberings in listed)
    for renumbering in first():
        if few:
            for chosen in product(*listed):
                yield {head: renumbering, **dict(zip(names, chosen, strict=True))}
        else:
            for renaming in _combined(others):
                yield {head: renumbering, **renaming}


def _bijections_of(free: Mapping[str, Sequence[Index]]) -> int:
    return prod(factorial(len(indices)) for indices in free.values())


def _bijections(classes: Sequence[Sequence[Index]]) -> Iterator[Renumbering]:
    """All renumberings of the indices; within a class the numbers ascend."""
    numbers = range(sum(map(len, classes)))
    renumbering: dict[Index, Index] = {}
    left: list[Sequence[int]] = [numbers]
    choices = [combinations(numbers, len(classes[0]))]
    while choices:
        chosen = next(choices[-1], None)
        if chosen is None:
            choices.pop()
            left.pop()
            continue
        depth = len(choices)
        renumbering.update(zip(classes[depth - 1], chosen, strict=True))
        if depth == len(classes):
            yield dict(renumbering)
            continue
        METER.ask()
        taken = frozenset(chosen)
        left.append([number for number in left[-1] if number not in taken])
        choices.append(combinations(left[-1], len(classes[depth])))
