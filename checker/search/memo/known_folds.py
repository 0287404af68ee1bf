"""What is known of folds: the turns of each, by element, or by what is passed on and element."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

from checker.search.memo.turn_trees import Turn, TurnNode, with_turn
from fizz import Span
from interpreter.state.state import Slot
from interpreter.state.step import Event, Read
from interpreter.values.budget import METER
from interpreter.values.folding import BREAKS, GOES_ON, Site
from interpreter.values.intern import Interner, Tag

_AS_MANY: Final = 20
"""What is kept for a beginning is that much more than what is kept for a turn, roughly."""


class Kind(Enum):
    """What a fold is over: the elements of sets or bags, the members of lists, the keys of dicts, or what is the same
    in all states."""

    SET = 1
    LIST = 2
    DICT = 3
    FIXED = 4


class UnknownElement(Exception):
    """Some rows have elements for which a fold has no turn yet."""

    def __init__(self, rows: Sequence[int] = ()) -> None:
        super().__init__()
        self.rows = rows


class KnownFold:
    """The turns of one fold by element. `key`: what it is known by; `reads`: what they ask of the state.

    `kind`: what it is over; `fixed`: the elements of one over what is the same in all states.
    `decisive`: the result that decides `any` or `all`. `stops`: elements after one whose
    results count are not evaluated.
    """

    def __init__(self, key: Hashable, site: Site, interner: Interner, kind: Kind, fixed: tuple[int, ...]) -> None:
        self.key = key
        self.site = site
        self.kind = kind
        self.fixed = fixed
        self.functions = functions = site[1]
        self.turns: dict[int, TurnNode] = {}
        self.reads: set[Slot] = set()
        self._most = (0, 0)
        """What a turn that reads the state charges and makes, at most."""
        self._largest = 0
        self.stops = functions[0] != "list"
        decides = functions[-1] in ("any", "all")
        self.decisive = interner.intern(Tag.BOOL, functions[-1] == "any") if decides else None

    def learn(self, element: int, events: Sequence[Event], turn: Turn) -> None:
        """Know the turn for an element that asked these questions."""
        self.turns[element] = with_turn(self.turns.get(element), events, turn)
        self._largest = max(self._largest, turn.charged, turn.made)
        if events:
            self.reads |= {event.slot for event in events if isinstance(event, Read)}
            self._most = (max(self._most[0], turn.charged), max(self._most[1], turn.made))

    def matters(self, element: int, noted: set[Span]) -> bool:
        """Whether the value may depend on an element, or what is noted as evaluated does."""
        turn = self.turns.get(element)
        if not isinstance(turn, Turn) or turn.results is None or not turn.met <= noted:
            return True
        return self.counts(turn.results)

    def counts(self, results: tuple[int, ...]) -> bool:
        """Whether the value of the fold may depend on these results of a turn: they decide, or there are any."""
        return bool(results) if self.decisive is None else self.decisive in results

    def forget(self) -> None:
        """Forget all turns."""
        self.turns.clear()
        self.reads.clear()

    def charge(self, element: int) -> None:
        """Charge for the turn of an element, which is known in part at least."""
        charged, made = self._cost(element)
        METER.charge(charged)
        METER.make(made)

    def _cost(self, element: int) -> tuple[int, int]:
        """What the turn for an element charges and makes, at most."""
        turn = self.turns[element]
        return (turn.charged, turn.made) if isinstance(turn, Turn) else self._most

    def cost_of(self, elements: Iterable[int] | None) -> int:
        """What the turns for these elements charge or make, at most, or any turn (None)."""
        if elements is None:
            return self._largest
        costs = [self._cost(element) for element in elements]
        return max(sum(charged for charged, _ in costs), sum(made for _, made in costs))


class PassedTurns:
    """The turns of a loop that passes something on, by what they are given and the element, both ids.

    The single result of a turn is what it passes on. `reads`: what turns ask of the state. `ends`: what is passed on
    by turns that end the loop, with the answer then.
    """

    def __init__(self, interner: Interner) -> None:
        self._interner = interner
        self._goes_on = interner.intern(Tag.STRING, GOES_ON)
        self._breaks = interner.intern(Tag.STRING, BREAKS)
        self.turns: dict[tuple[int, int], TurnNode] = {}
        self.reads: set[Slot] = set()
        self.ends: dict[int, int] = {}
        self._starts: set[int] = set()
        self._most = (0, 0)
        """What a turn charges and makes, at most."""
        self._ahead: dict[int, int] = {}

    def start(self, values: tuple[int, ...]) -> int:
        """What is passed on by these values, given to a first turn."""
        given = self._interner.intern(Tag.LIST, values)
        self._starts.add(given)
        return given

    def learn(self, given: int, element: int, events: Sequence[Event], turn: Turn) -> Turn:
        """Know a turn that asked these questions, with the values that it passes on as results; it as it is known."""
        if turn.results is not None:
            turn = turn._replace(results=(self._passed_on(turn.results),))
        self.turns[given, element] = with_turn(self.turns.get((given, element)), events, turn)
        self.reads |= {event.slot for event in events if isinstance(event, Read)}
        self._most = (max(self._most[0], turn.charged), max(self._most[1], turn.made))
        return turn

    def _passed_on(self, values: tuple[int, ...]) -> int:
        intern = self._interner.intern
        number = intern(Tag.LIST, values)
        if values[0] != self._goes_on:
            # What follows is the same after a `break`.
            broken = values[0] == self._breaks
            self.ends[number] = intern(Tag.LIST, (self._goes_on, *values[1:])) if broken else number
        return number

    @property
    def met(self) -> int:
        """How many turns are known; a beginning counts as many."""
        return len(self.turns) + _AS_MANY * len(self._starts)

    def note_ahead(self, start: int, elements: int) -> None:
        """Note that all turns are known that may follow this start where so many elements were met."""
        self._ahead[start] = elements

    def is_ahead(self, start: int, elements: int) -> bool:
        """Whether that was noted."""
        return self._ahead.get(start) == elements

    @property
    def turns_cost(self) -> int:
        """What a turn charges or makes, at most."""
        return max(self._most)

    def forget(self) -> None:
        """Forget all turns."""
        self.turns.clear()
        self.reads.clear()
        self.ends.clear()
        self._ahead.clear()


class KnownPassing:
    """A loop that passes something on: its turns, shared by all beginnings, and what its first turn is given.

    `key`: what these turns are known by; `kind`, `fixed`: as of `KnownFold`.
    """

    def __init__(
        self, key: tuple[Site, Hashable], shared: PassedTurns, start: int, kind: Kind, fixed: tuple[int, ...]
    ) -> None:
        self.key = key
        self.site = key[0]
        self.kind = kind
        self.fixed = fixed
        self.shared = shared
        self.start = start

    @property
    def turns(self) -> Mapping[tuple[int, int], TurnNode]:
        """The turns by what they are given and the element."""
        return self.shared.turns

    @property
    def reads(self) -> set[Slot]:
        """What turns ask of the state."""
        return self.shared.reads

    def forget(self) -> None:
        """Forget all turns."""
        self.shared.forget()

    def answer(self, given: int) -> int:
        """The answer if this is passed on in the end."""
        return self.shared.ends.get(given, given)
