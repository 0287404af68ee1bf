"""Which containers of a state are read part by part, and what their parts are.

A list, dict, record or set of a state variable, field or param is known by its *head*; its members have slots of their
own, which are the slot of the container and one step more. Containers that are shared, large, or empty and no set are
read whole.

How a container is read does not say how it is *stored* in columns: sets are stored whole, and so are the containers in
slots where a trial has shown that paths that open them read all of them (`Divider.gather`). These can be asked for
all members by the step `WHOLE`. A set is asked for one element by the step that `Divider.element` gives: the answer is
the element as it is in the set, or UNBOUND; `SIZE` asks for the number of elements. To write an element is to add it,
to write `gone` there is to remove it. A part is asked whether it has some value by the step that `equality` gives: the
answer is the value, or UNBOUND for any other. The step `LISTED` asks whether a part is a list with members, and the
one that `shorter` gives whether that has fewer members than some number. Written at the step that `taken` gives, a
list is added to the end of one that is stored whole, from which some members are taken. A write at a key that a dict
has not adds it, and `gone` takes it out; the head that is then true is written too, if the dict is stored by parts.

Genericsets and bags are asked in the same way, by the steps of `Divider.bag_element`: whether there is an element, and
by those of `of_copy` whether a bag has a second copy, and so on. What is written of a bag is how many more there are,
or fewer.

Where sets and bags are stored `by_elements`, each element that a set ever had is a part of its own, of bags each copy
of one, which holds the element or UNBOUND, and the other questions for a set are answered from these parts. The copies
of an element that a bag has are the first ones.

How a container is read depends only on its value and its slot: a write of a part never changes how others are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, Final, NamedTuple

from checker.search.memo.alike_slots import SlotSet, alike
from checker.search.memo.element_names import is_alike, name_of
from checker.search.memo.heads import (
    COUNTED,
    container_of,
    copies,
    dict_head,
    dict_step,
    gone,
    list_head,
    list_steps,
    listed,
    record_head,
    set_head,
)
from checker.search.memo.list_places import Places, place_of
from checker.search.memo.part_writes import changes_keys, with_key, with_members_taken
from interpreter.state.state import UNBOUND, Slot, State
from interpreter.state.step import Outcome
from interpreter.values.intern import Interner, Tag
from interpreter.values.tags import MUTABLE_TAGS, SHAPES

SHAPES[Tag.HEAD] = tuple[int, tuple[str, ...], bool]

ROOT_LENGTH: Final = {"heap": 2, "field": 4, "param": 4}
"""The lengths of slots whose values may be divided; what follows in a slot are the steps to a part."""

MOST_MEMBERS: Final = 256
"""Longer containers are read whole."""

MOST_ELEMENTS: Final = 1_000
"""Larger sets are read whole, and so are those of more parts than ten times as many."""

NEARLY_ALL: Final = 0.75
WHOLE: Final = "*"
SIZE: Final = "#"
FOLD: Final = "@"
"""The questions for all elements of a set together: the set, its size, and the beginning of the steps of folds (see
`folds`)."""
FIXED: Final = "fixed"
"""Stands instead of the slot of a container in questions for folds over what is the same in all states."""
LISTED: Final = "?"
"""The question whether a part is a list with members that is divided: the answer is `listed`, else what it is."""
ROOMY: Final = 10 * MOST_ELEMENTS
"""Sets and bags are asked by elements if the model lets them have so many: how many they have is not asked then."""
_DIVIDED: Final = frozenset({Tag.LIST, Tag.DICT, Tag.RECORD})


def root_of(slot: Slot) -> Slot:
    """The slot of the state that a part belongs to; of a slot that is no part, itself."""
    return slot[: ROOT_LENGTH.get(str(slot[0]), len(slot))]


def is_element(slot: Slot) -> bool:
    """Whether a slot is that of an element of a set."""
    return isinstance(slot[-1], str) and slot[-1].startswith(_ELEMENT)


def of_copy(step: str, copy: int) -> str:
    """The step to a copy of an element of a bag, given the step to the first one. Copies have numbers from 1 on."""
    # No text of an element begins so.
    return step if copy == 1 else f"{_ELEMENT}{copy}*{step[1:]}"


def asks_all(slot: Slot) -> bool:
    """Whether a slot is a question for all of a container."""
    step = slot[-1]
    return step in _OF_ALL or (isinstance(step, str) and step.startswith(FOLD))


class Division(NamedTuple):
    """A container as its head and its members by step. `flat`: no member is a container itself.

    `whole`: it is stored as one value.
    """

    head: int
    members: dict[str, int]
    flat: bool
    whole: bool = False


class Divider:
    """Divides the values of one interner. `most`: so many elements may a set or bag have."""

    def __init__(self, interner: Interner, most: int = ROOMY) -> None:
        self._interner = interner
        self._roomy = most >= ROOMY
        self.compares = False
        """Whether it may be asked whether two containers are equal."""
        self.any_by_elements = False
        """Whether sets in some slots are stored by elements."""
        self._sets_by_elements: SlotSet | None = SlotSet()
        """These slots; None: all."""
        self._and_alike = False
        """Whether slots that a renaming may exchange are stored in one way."""
        self._sets: dict[int, Division | None] = {}
        """The divisions of sets and bags that are stored by elements."""
        self.kinds: dict[Slot, Tag] = {}
        """Whether it is the sets or the bags in a slot that are stored by elements, or in all that are alike."""
        self.met: dict[Slot, list[int]] = {}
        """By slot, the elements that were met in its sets, if these are stored by elements."""
        self.lists_by_turns: Places = frozenset()
        """Where lists or dicts are that answer folds."""
        self.listed: dict[Slot, dict[int, None]] = {}
        """By slot, the members that were met in lists that answered folds."""
        self.spread = 0
        """What it may cost, in charges, to name each element that was met in any set."""
        self._divisions: dict[int, Division | None] = {}
        self._wholes: dict[int, Division | None] = {}
        self._steps: dict[int, str | None] = {}
        self._alike: dict[int, bool] = {}
        """Whether all that equals an element looks like it."""
        self._elements: dict[str, list[int]] = {}
        """By step, its elements: equal ones that are written differently, like 1 and 1.0."""
        self._gathered: set[Slot] = set()
        self._stored_whole = SlotSet()
        self._nested: set[Slot] = set()
        self.queues: Places = frozenset()
        """Where lists are from which members are taken: they are stored whole if they were opened."""
        self._opened: Counter[Slot] = Counter()
        self._emptied: Counter[Slot] = Counter()
        self._replaced: dict[tuple[int, tuple[str, ...], int], int] = {}
        self._keys: dict[str, int] = {}
        self._heads = 0
        """The number of heads whose keys are in `_keys`."""

    def division(self, slot: Slot, number: int) -> Division | None:
        """The division of a value in a slot; None if it is read whole."""
        if number == UNBOUND or slot[0] not in ROOT_LENGTH:
            return None
        if slot in self._gathered:
            return self._whole(number)
        known = self._known(number)
        if known is not None and is_element(slot):
            return None
        if known is not None and not known.flat:
            self._nested.add(slot)
        if known is not None and self.any_by_elements and self.by_elements(slot) and self.counted(number):
            return self._by_element(number, known) if self.meets(slot, self._interner.tag(number)) else None
        return known

    def meets(self, slot: Slot, tag: Tag) -> bool:
        """A set or bag is met in a slot. Whether it is those that are stored by elements there: the first ones are."""
        return self.kinds.setdefault(alike(slot) if self._and_alike else slot, tag) is tag

    def note(self, slot: Slot, emptied: bool) -> None:
        """Note that an execution path opened the container in a slot. `emptied`: it read all of it."""
        self._opened[slot] += 1
        self._emptied[slot] += emptied

    def gather(self, lists: Places = frozenset()) -> set[Slot]:
        """Store flat containers whole from now on that were mostly read whole when they were opened, but for `lists`
        there, and lists from which members are taken; their slots.

        What was remembered of them must be forgotten.
        """
        flat = [slot for slot in self._opened if slot not in self._nested]
        chosen = {slot for slot in flat if self._emptied[slot] > NEARLY_ALL * self._opened[slot]}
        chosen = {slot for slot in chosen if place_of(slot) not in lists}
        chosen |= {slot for slot in self._opened if place_of(slot) in self.queues}
        self._gathered |= chosen
        return chosen

    def by_elements(self, slot: Slot) -> bool:
        """Whether sets in a slot are stored by elements."""
        if self.is_gathered(slot):
            return False
        if self.lists_by_turns and place_of(slot) in self.lists_by_turns:
            return False
        return self._sets_by_elements is None or slot in self._sets_by_elements

    def by_turns(self, slot: Slot) -> bool:
        """Whether lists or dicts in a slot answer folds, from what the turns for their members or keys give."""
        return bool(self.lists_by_turns) and place_of(slot) in self.lists_by_turns and slot not in self._gathered

    @property
    def answers_folds(self) -> bool:
        """Whether anything does."""
        return self.any_by_elements or bool(self.lists_by_turns)

    @property
    def sets_by_elements(self) -> frozenset[Slot] | None:
        """The slots that `ask_by_elements` was given."""
        return None if self._sets_by_elements is None else frozenset(self._sets_by_elements.slots)

    def kind(self, slot: Slot) -> Tag:
        """Whether it is the sets or the bags in a slot that are stored by elements."""
        return self.kinds.get(alike(slot) if self._and_alike else slot, Tag.SET)

    def counted(self, number: int) -> bool:
        """Whether a value is a set or bag, which is asked for elements."""
        return number != UNBOUND and self._interner.tag(number) in COUNTED

    def store_whole(self, slots: Iterable[Slot]) -> None:
        """Store the sets in these slots whole from now on. What was remembered of them must be forgotten."""
        if self._and_alike:
            self._stored_whole.add(slots, True)
        else:
            self._gathered.update(slots)
        for slot in slots:
            self.met.pop(slot, None)

    @property
    def gathered(self) -> frozenset[Slot]:
        """The slots that are stored whole since `gather`."""
        return frozenset(self._gathered | self._stored_whole.slots)

    def is_gathered(self, slot: Slot) -> bool:
        """Whether a slot is stored whole since `gather`."""
        return slot in self._gathered or slot in self._stored_whole

    def containers(self, slot: Slot, number: int, tag: Tag) -> Iterator[tuple[Slot, int]]:
        """The lists without containers in them (`tag` LIST), or all dicts, in a value of a slot, that are divided."""
        division = self.division(slot, number)
        if division is None or division.whole:
            return
        if self._interner.tag(number) is tag and (division.flat or tag is not Tag.LIST):
            yield slot, number
        for step, member in division.members.items():
            yield from self.containers((*slot, step), member, tag)

    def ask_by_elements(
        self, slots: frozenset[Slot] | None, lists: Places = frozenset(), and_alike: bool = False
    ) -> None:
        """Store sets in these slots (None: in all) by elements from now on, and let the `lists` there answer folds.

        `and_alike`: and in all slots that a renaming may exchange for these. What was remembered must be forgotten.
        """
        self.lists_by_turns = lists
        self._and_alike = and_alike
        self._sets_by_elements = None if slots is None else SlotSet(slots, and_alike)
        self.any_by_elements = slots is None or bool(slots)

    def _known(self, number: int) -> Division | None:
        known = self._divisions.get(number, _UNKNOWN)
        if known is _UNKNOWN:
            known = self._divisions[number] = self._divide(number)
        return known

    def _whole(self, number: int) -> Division | None:
        """A container that is stored whole though it could be divided."""
        known = self._wholes.get(number, _UNKNOWN)
        if known is _UNKNOWN:
            known = self._known(number)
            if known is not None and not known.whole:
                keys, (rank, steps, _), text = self._interner.payload(known.head)
                head = self._interner.intern_composite(Tag.HEAD, keys, (rank, steps, True), f"{text} whole")
                known = known._replace(head=head, whole=True)
            self._wholes[number] = known
        return known

    def stored(self, slot: Slot) -> Slot:
        """The slot in which a write to a slot is stored: that of the container, if it is stored whole."""
        if slot == root_of(slot):
            return slot
        base = slot[:-1]
        questions = _OF_ALL if self.by_elements(base) else _QUESTIONS
        return base if base in self._gathered or slot[-1][0] in questions else slot

    def answer(self, slot: Slot, step: str | None, number: int) -> int:
        """The answer to a question for a stored value in a slot (`step` None), or for a part of it."""
        division = self.division(slot, number)
        if step is None:
            return number if division is None or not division.whole else division.head
        if step[0] in _ASIDE:
            return self._aside(step, number if division is None else division.head)
        return UNBOUND if division is None or not division.whole else self._part(division, number, step)

    def _part(self, division: Division, number: int, step: str) -> int:
        if step in _OF_ALL:
            return self.answer_for(step, number)
        if step[0] == _ELEMENT:
            return self._found(number, *_copy_of(step))
        return division.members.get(step, UNBOUND)

    def answer_for(self, step: str, number: int) -> int:
        """The answer to a question for all of a container."""
        if step == WHOLE:
            return number
        return self._interner.intern(Tag.INT, len(self._interner.payload(number)))

    def _found(self, number: int, step: str, copy: int = 1) -> int:
        """The element of a set to which a step leads; the set was divided before. UNBOUND if there is none.

        Of a bag it must have so many copies.
        """
        members = self._interner.payload(number)
        found = next((element for element in self._elements.get(step, ()) if element in members), UNBOUND)
        return found if copy == 1 or members.count(found) >= copy else UNBOUND

    def element(self, number: int) -> str | None:
        """The step to an element: equal elements have equal steps. None if a set cannot be asked for it alone."""
        if number not in self._steps:
            text = name_of(self._interner, number) if self._interner.weight(number) <= MOST_ELEMENTS else None
            step = self._steps[number] = None if text is None else f"{_ELEMENT}{text}"
            if step is not None:
                self._elements.setdefault(step, []).append(number)
                self.spread += 2 + len(step)
        return self._steps[number]

    def bag_element(self, number: int) -> str | None:
        """As `element`, of a genericset, or of a bag: the step to the first copy."""
        if number not in self._alike:
            few = self._interner.weight(number) <= MOST_ELEMENTS
            self._alike[number] = few and is_alike(self._interner, number)
        return self.element(number) if self._alike[number] else None

    @property
    def named(self) -> int:
        """How many elements of sets and copies of those of bags were named: no bag that was divided has more."""
        return len(self._elements)

    def equality(self, number: int) -> str | None:
        """The step that asks a part whether it has this value; None if it cannot be asked so."""
        return f"{_EQUAL}{self._interner.json(number)}" if self._interner.tag(number) in _COMPARED else None

    def _aside(self, step: str, number: int) -> int:
        """What is answered about a part, which is known by its head if it is divided."""
        if step[0] == _EQUAL:
            return self._equal(step, number)
        interner = self._interner
        is_head = number != UNBOUND and interner.tag(number) is Tag.HEAD
        _, (rank, steps, _), _ = interner.payload(number) if is_head else _NO_HEAD
        if rank != Tag.LIST:
            return number if step == LISTED else UNBOUND
        return listed(interner) if step == LISTED else interner.intern(Tag.BOOL, len(steps) < int(step[1:]))

    def _equal(self, step: str, number: int) -> int:
        """The value that a part has, if it is the one that the step asks for."""
        if number == UNBOUND:
            return UNBOUND
        tag = self._interner.tag(number)
        text = name_of(self._interner, number) if tag in _COMPARED or tag is Tag.FLOAT else None
        return number if text == step[1:] else UNBOUND

    def read(self, slot: Slot, root: int) -> int:
        """The answer to a read of a root or of a part of it, the root's value being given."""
        begin = ROOT_LENGTH[str(slot[0])]
        at, number = slot[:begin], root
        division = self.division(at, number)
        for step in slot[begin:]:
            if step[0] in _ASIDE:
                return self._aside(step, number if division is None else division.head)
            if division is None:
                return UNBOUND
            if division.whole or step in _OF_ALL:
                return self._part(division, number, step)
            if step.startswith(FOLD):
                return UNBOUND  # asked as it is written
            number = division.members.get(step, UNBOUND)
            if number == UNBOUND:
                return UNBOUND
            at = (*at, step)
            division = self.division(at, number)
        return number if division is None else division.head

    def parts(self, slot: Slot, number: int) -> Iterator[tuple[Slot, int]]:
        """The slots that a value takes up where it is stored, with their heads and values."""
        division = self.division(slot, number)
        if division is None or division.whole:
            yield slot, number
            return
        yield slot, division.head
        for step, member in division.members.items():
            yield from self.parts((*slot, step), member)

    def joined(self, state: State, outcome: Outcome) -> Outcome:
        """The outcome of an execution path from a state with the writes of parts as writes of whole values."""
        writes = outcome.writes
        # A loop, because this is asked for each step of each state, and nearly always nothing is to do.
        for slot, _ in writes:
            if len(slot) > ROOT_LENGTH.get(slot[0], len(slot)):
                break
        else:
            return outcome
        found: dict[Slot, int] = {}
        for slot, number in writes:
            root = root_of(slot)
            if number == UNBOUND:
                found[root] = number
            else:
                before = found[root] if root in found else state.get(root)
                found[root] = self.replaced(before, slot[len(root) :], number)
        return replace(outcome, writes=tuple(found.items()))

    def replaced(self, root: int, steps: tuple[str, ...], new: int) -> int:
        """The value of a root after one of its parts was written."""
        if not steps:
            # A head alone comes with the members that make it true.
            return root if self._interner.tag(new) is Tag.HEAD else new
        key = (root, steps, new)
        known = self._replaced.get(key)
        if known is None and self.counted(root):
            known = self._replaced[key] = self._changed(root, steps[0], new)
        if known is None and steps[0][0] == _TAKEN:
            known = self._replaced[key] = with_members_taken(self._interner, root, steps[0], new)
        if known is None and changes_keys(self._interner, root, steps, new):
            known = self._replaced[key] = with_key(self._interner, root, steps[0], self._key(steps[0]), new)
        if known is None:
            division = self._known(root)
            assert division is not None
            # A step beyond the members appends to a list.
            old = division.members.get(steps[0], UNBOUND)
            members = {**division.members, steps[0]: self.replaced(old, steps[1:], new)}
            keys, (rank, _, _), _ = self._interner.payload(division.head)
            made = container_of(self._interner, Tag(rank), tuple(members), keys, list(members.values()))
            known = self._replaced[key] = made
        return known

    def _changed(self, number: int, step: str, new: int) -> int:
        """A set with an element added or removed, a bag with more copies or fewer."""
        interner = self._interner
        self._known(number)
        members, old = interner.payload(number), self._found(number, step)
        if interner.tag(number) is Tag.BAG:
            more = copies(interner, new)
            assert more is not None
            if more > 0:
                return interner.intern_members(Tag.BAG, [*members, *interner.payload(new)])
            at = members.index(old)
            return interner.intern(Tag.BAG, (*members[:at], *members[at - more :]))
        out, tag = new == gone(interner), interner.tag(number)
        if (old == UNBOUND) == out:
            return number
        if out:
            return interner.intern(tag, tuple([member for member in members if member != old]))
        return interner.intern_members(tag, [*members, new])

    def step(self, key: int) -> str:
        """The step to the value of a dict at a key."""
        step = dict_step(self._interner, key)
        self._keys[step] = key
        return step

    def renamed(self, step: str, rename: Callable[[int], int]) -> str:
        """The step to a part of the image of a container, given the step to that part and what values become."""
        if step[0] == _ELEMENT:
            first, copy = _copy_of(step)
            image = self.element(rename(self._elements[first][0]))
            assert image is not None
            return of_copy(image, copy)
        key = self._key(step)
        return step if key is None else self.step(rename(key))

    def _key(self, step: str) -> int | None:
        """The key that a step of a dict stands for. The dict may have been divided in another process."""
        heads = self._interner.payloads(Tag.HEAD)
        for keys, (rank, steps, _), _ in islice(heads, self._heads, None):
            if rank == Tag.DICT:
                self._keys.update(zip(steps, keys, strict=True))
        self._heads = len(heads)
        return self._keys.get(step)

    def _divide(self, number: int) -> Division | None:
        interner = self._interner
        tag, payload = interner.tag(number), interner.payload(number)
        if tag in COUNTED:
            return self._divide_set(number)
        if tag not in _DIVIDED or not 0 < len(payload) <= MOST_MEMBERS or interner.references(number):
            return None
        if tag is Tag.LIST:
            steps, members = list_steps(len(payload)), payload
            head = list_head(interner, len(payload))
        elif tag is Tag.DICT:
            keys = tuple(key for key, _ in payload)
            steps, members = tuple(self.step(key) for key in keys), [member for _, member in payload]
            head = dict_head(interner, keys)
        else:
            steps, members = tuple(f".{name}" for name, _ in payload), [member for _, member in payload]
            head = record_head(interner, steps)
        flat = not any(interner.tag(member) in MUTABLE_TAGS for member in members)
        return Division(head, dict(zip(steps, members, strict=True)), flat)

    def _divide_set(self, number: int) -> Division | None:
        interner = self._interner
        tag, members = interner.tag(number), interner.payload(number)
        small = self._roomy and len(members) <= MOST_ELEMENTS and interner.weight(number) <= 10 * MOST_ELEMENTS
        if not small or interner.references(number):
            return None
        if tag is Tag.SET:
            for member in members:
                self.element(member)
        elif self._by_step(tag, members) is None:
            return None
        return Division(set_head(interner, tag), {}, True, True)

    def _by_step(self, tag: Tag, members: Sequence[int]) -> dict[str, int] | None:
        """The elements of a set by the steps to them, of a bag to each copy; None if one cannot be asked for alone."""
        if tag is Tag.BAG:
            return self._copies(members)
        step_to = self.element if tag is Tag.SET else self.bag_element
        found = {step: member for member in members if (step := step_to(member)) is not None}
        # A genericset has equal elements if one was changed in place.
        return found if len(found) == len(members) else None

    def _copies(self, members: Sequence[int]) -> dict[str, int] | None:
        """As `_by_step`, of a bag."""
        found: dict[str, int] = {}
        for member, count in Counter(members).items():
            step = self.bag_element(member)
            # Of two equal containers each may be chosen, and they may be changed apart.
            if step is None or (count > 1 and self._interner.mutable(member)):
                return None
            found |= {of_copy(step, copy): member for copy in range(1, count + 1)}
        for step in found:
            if step not in self._elements:
                self._elements[step] = []
                self.spread += 2 + len(step)
        return found

    def _by_element(self, number: int, whole: Division) -> Division | None:
        """The division of a set that is stored by elements; None if it has one that cannot be asked for alone."""
        known = self._sets.get(number, _UNKNOWN)
        if known is _UNKNOWN:
            by_step = self._by_step(self._interner.tag(number), self._interner.payload(number))
            known = self._sets[number] = None if by_step is None else Division(whole.head, by_step, True)
        return known


def shorter(size: int) -> str:
    """The step that asks whether a list has fewer members: true or false, and UNBOUND if it is no divided list."""
    return f"{_SHORTER}{size}"


def taken(places: Sequence[int]) -> str:
    """The step at which the members of a list are written that come to one when those at these places are taken."""
    return f"{_TAKEN}{','.join(map(str, places))}"


@cache
def _copy_of(step: str) -> tuple[str, int]:
    """The step to the first copy of an element, and the number of the copy to which a step leads."""
    number, star, text = step[1:].partition("*")
    return (f"{_ELEMENT}{text}", int(number)) if star and number.isdigit() else (step, 1)


_ELEMENT: Final = "="
_EQUAL: Final = "~"
_SHORTER: Final = "<"
_TAKEN: Final = "-"
_ASIDE: Final = frozenset({_EQUAL, LISTED, _SHORTER})
"""The beginnings of steps that are questions about a part, whatever it is."""
_NO_HEAD: Final[Any] = ((), (None, (), False), "")
_COMPARED: Final = frozenset({Tag.NONE, Tag.BOOL, Tag.INT, Tag.STRING})
"""The values that a part may be asked for."""
_OF_ALL: Final = frozenset({WHOLE, SIZE})
_QUESTIONS: Final = frozenset({_ELEMENT, *_OF_ALL})
"""The beginnings of steps that are questions for containers that are stored whole."""
_UNKNOWN: Final = Division(UNBOUND, {}, True)
