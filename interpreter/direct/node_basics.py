"""Asking about the values of compiled rules, and making new ones. What is not done raises `GiveUp`, never a mistake.

Each operation charges `fuel` for the parts that it visits. A rule that runs out of fuel is left to the interpreter long
before it could exceed the budget of a step, so that what a step costs is decided in one place.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Any, Final, NamedTuple

from fizz.syntax.module import Budget
from interpreter.direct.node_sets import OF_SETS, MadeOfTwo
from interpreter.direct.nodes import SET_TAGS, GiveUp, Nodes, ValueNode, key
from interpreter.library import BUILTINS
from interpreter.library.operations import BINARY, slice_of
from interpreter.values import FunctionValue
from interpreter.values.budget import METER
from interpreter.values.freeze import freeze, thaw
from interpreter.values.intern import Tag
from interpreter.values.tags import FIELD_TAGS

_LARGE: Final = 1 << 62
_LONG: Final = 400
"""The texts of alternatives are charged for if they are longer, by their mean."""
_MOST_KNOWN: Final = 1 << 18
"""The number of results of one operation that are cached."""

# Members of an enum are slow to look up.
_DICT: Final = Tag.DICT
_INT: Final = Tag.INT
_BAG: Final = Tag.BAG
_LIST: Final = Tag.LIST
_SET: Final = Tag.SET
_ORDERLESS: Final = SET_TAGS | {Tag.DICT}
_STRING: Final = Tag.STRING
_STRUCT: Final = Tag.STRUCT
_SYMMETRIC: Final = Tag.SYMMETRIC
_TUPLE: Final = Tag.TUPLE
_ADDED: Final = frozenset({_STRUCT, _SYMMETRIC})
"""The types of values that the interpreter adds to others."""

ANY_ORDER: Final = frozenset(
    {"|", "&", "-", "^", "<", "<=", ">", ">=", ".union", ".intersection", ".difference", ".symmetric_difference",
     ".issubset", ".issuperset"}
)  # fmt: skip
"""Operations on sets and dicts in whatever order; that of a set or dict that they make is not known."""


class _Offered(NamedTuple):
    """The distinct alternatives of a choice with their texts, and what is charged for these."""

    alternatives: tuple[Sequence[Any], Sequence[str]]
    charged: int


class Basics:
    """The operations that ask about values and make new ones. `fuel[0]`: what a rule may still spend."""

    def __init__(self, nodes: Nodes, fuel: list[int], budget: Budget) -> None:
        self.nodes = nodes
        self._budget = budget
        self.fuel = fuel
        self._known: dict[str, dict[tuple[int, ...], tuple[Any, int]]] = {}
        self._added: dict[tuple[int, int], tuple[ValueNode, bool]] = {}
        self._put: dict[tuple[int, int, int], tuple[ValueNode, bool]] = {}
        self._of_two = MadeOfTwo(nodes)
        self._offered: dict[tuple[Hashable, ...], _Offered] = {}
        self.unordered: set[int] = set()
        """The ids of dicts and sets that this rule has made, whose order of insertion may not be the canonical one."""

    # --- making values ---------------------------------------------------------------------------------------------

    def tuple_of(self, *items: Any) -> Any:
        number = self.nodes.number
        return self.nodes[self.nodes.interner.intern(_TUPLE, tuple(map(number, items)))]

    def list_of(self, items: Iterable[Any]) -> Any:
        """A list of these values, which are no containers or new ones."""
        return self.nodes[self.nodes.interner.intern(_LIST, tuple(map(self.nodes.number, items)))]

    def set_of(self, items: Iterable[Any]) -> Any:
        found = {key(item): item for item in items}
        if any(type(item) is ValueNode and item.mutable for item in found.values()):
            raise GiveUp
        self.fuel[0] -= len(found)
        inserted = list(map(self.nodes.number, found.values()))
        number = self.nodes.interner.intern_members(_SET, inserted)
        if list(self.nodes.interner.payload(number)) != inserted:
            self.unordered.add(number)
        return self.nodes[number]

    def distinct(self, items: Iterable[Any]) -> int:
        """`len(set(items))`."""
        found = {key(item): item for item in items}
        if any(type(item) is ValueNode and item.mutable for item in found.values()):
            raise GiveUp
        return len(found)

    def dict_of(self, pairs: Iterable[tuple[Any, Any]]) -> Any:
        found: dict[Any, tuple[Any, Any]] = {}
        for k, v in pairs:
            if type(k) is ValueNode and k.mutable:
                raise GiveUp
            token = key(k)
            found[token] = (k, v)
        number = self.nodes.number
        self.fuel[0] -= 2 * len(found)
        made_of = [(number(k), number(v)) for k, v in found.values()]
        made = self.nodes.interner.intern_pairs(_DICT, made_of)
        if tuple(made_of) != self.nodes.interner.payload(made):
            self.unordered.add(made)
        return self.nodes[made]

    def fields_of(self, tag: Tag, names: tuple[str, ...]) -> Callable[..., Any]:
        """A constructor of structs, records or dicts with these names, given in the order of their sorting."""
        known: dict[tuple[int, ...], ValueNode] = {}
        nodes, number, interner = self.nodes, self.nodes.number, self.nodes.interner
        titles = tuple(map(number, names)) if tag is _DICT else names

        def make(*values: Any) -> Any:
            ids = tuple(map(number, values))
            found = known.get(ids)
            if found is None:
                if len(known) > _MOST_KNOWN:
                    known.clear()
                found = known[ids] = nodes[interner.intern(tag, tuple(zip(titles, ids, strict=True)))]
            return found

        return make

    def own(self, value: Any) -> Any:
        """A new container that is stored: its members may not be containers that were not made for it."""
        if type(value) is ValueNode and value.deep:
            raise GiveUp
        return value

    def kept(self, value: Any, owner: Any = None, added: int = 0) -> Any:
        """A container that takes the place of another, of which it keeps members: those before one place and those from
        another on, with `added` new ones, if the other is given as `owner`."""
        if owner is not None and self.size(value) - added > self.size(owner):
            raise GiveUp
        return value

    def plain(self, value: Any) -> Any:
        """A value that is stored, or bound where containers are changed in place: no mutable container is in it."""
        if type(value) is ValueNode and value.mutable:
            raise GiveUp
        return value

    # --- asking about values ---------------------------------------------------------------------------------------

    def eq(self, left: Any, right: Any) -> bool:
        if left is right:
            if type(left) is ValueNode:
                self.fuel[0] -= left.weight
            return True
        kind = type(left)
        if kind is not type(right):
            return False
        if kind is str or kind is int:
            return left == right  # type: ignore[no-any-return]
        if kind is ValueNode:
            self.fuel[0] -= left.weight
            if left.symmetric and right.symmetric and len(left.symmetric | right.symmetric) > 1:
                raise GiveUp  # it may be a mistake to compare values of two domains
            return False
        return bool(left == right)

    def ne(self, left: Any, right: Any) -> bool:
        return not self.eq(left, right)

    def lt(self, left: Any, right: Any) -> bool:
        return left < right if type(left) is int is type(right) else self._compared("<", left, right)

    def le(self, left: Any, right: Any) -> bool:
        return left <= right if type(left) is int is type(right) else self._compared("<=", left, right)

    def gt(self, left: Any, right: Any) -> bool:
        return left > right if type(left) is int is type(right) else self._compared(">", left, right)

    def ge(self, left: Any, right: Any) -> bool:
        return left >= right if type(left) is int is type(right) else self._compared(">=", left, right)

    def _compared(self, operator: str, left: Any, right: Any) -> bool:
        if type(left) is ValueNode and type(right) is ValueNode and left.tag is right.tag is _SET:
            self.fuel[0] -= left.weight + right.weight
            mine, others = (set(self.nodes.interner.payload(one.number)) for one in (left, right))
            return _SETS_COMPARED[operator](mine, others)
        return bool(self.apply(operator, BINARY[operator], (left, right)))

    def contains(self, item: Any, group: Any) -> bool:
        kind = type(item)
        if type(group) is not ValueNode:
            if kind is str and type(group) is str:
                return item in group
            raise GiveUp
        self.fuel[0] -= item.weight if kind is ValueNode else 1
        if group.table is not None:
            return self.holds(group, item)
        if group.tag not in (_LIST, _TUPLE, _BAG):
            raise GiveUp
        return self.contained(item, group.items)

    def holds(self, group: ValueNode, item: Any) -> bool:
        """Whether a set has an element, or a dict a key."""
        if type(item) is ValueNode:
            if group.tag is Tag.GENERICSET:
                # It compares values, which may be a mistake: see `eq`.
                if item.symmetric and len(item.symmetric | group.symmetric) > 1:
                    raise GiveUp
            elif item.mutable:
                raise GiveUp
        assert group.table is not None
        return key(item) in group.table

    def contained(self, item: Any, items: Sequence[Any]) -> bool:
        """Whether an equal value is among these."""
        kind = type(item)
        self.fuel[0] -= len(items)
        if kind is int or kind is bool:
            return any(other is item or (type(other) is kind and other == item) for other in items)
        if kind is ValueNode and item.symmetric:
            return any(self.eq(item, other) for other in items)
        return item in items

    def lacks(self, item: Any, group: Any) -> bool:
        return not self.contains(item, group)

    def size(self, value: Any) -> int:
        if type(value) is ValueNode:
            if value.sized:
                return len(value.items)
        elif type(value) is str:
            return len(value)
        raise GiveUp

    def at(self, value: Any, place: Any) -> Any:
        """`value[place]`"""
        if type(value) is ValueNode:
            tag = value.tag
            if tag is _LIST or tag is _TUPLE:
                if type(place) is int:
                    return value.items[place]
            elif tag is _DICT and value.table is not None:
                kind = type(place)
                if kind is ValueNode:
                    self.fuel[0] -= place.weight
                elif kind is bool:
                    return value.table[key(place)]
                return value.table[place]
        elif type(value) is str and type(place) is int:
            return value[place]
        raise GiveUp

    def attribute_named(self, owner: Any, name: Any, *default: Any) -> Any:
        """`getattr(owner, name, default)` of a struct or record."""
        if type(owner) is not ValueNode or owner.tag not in FIELD_TAGS or type(name) is not str:
            raise GiveUp
        self.fuel[0] -= 1
        fields = owner.fields or {}
        if name not in fields and not default:
            raise GiveUp
        return fields[name] if name in fields else default[0]

    def part(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        """`value[start:stop:step]`"""
        if type(value) is ValueNode and value.tag in (_LIST, _TUPLE):
            for bound in (start, stop, step):
                if bound is not None and type(bound) is not int:
                    raise GiveUp
            if step == 0:
                raise GiveUp
            ids = self.nodes.interner.payload(value.number)[start:stop:step]
            self.fuel[0] -= len(ids)
            return self.nodes[self.nodes.interner.intern(value.tag, ids)]
        return self.apply("[:]", slice_of, (value, start, stop, step))

    # --- iteration -------------------------------------------------------------------------------------------------

    def each(self, value: Any, cost: int) -> Sequence[Any]:
        """The elements that a `for` or a choice takes; `cost` is charged for each."""
        if (
            type(value) is not ValueNode
            or not value.sized
            or (value.tag is _DICT and self.unordered and value.number in self.unordered)
        ):
            raise GiveUp
        items = value.items
        fuel = self.fuel[0] = self.fuel[0] - 1 - value.weight - len(items) * cost
        if fuel < 0:
            raise GiveUp
        return items

    def disordered(self, value: Any) -> bool:
        """Whether a set or dict may not be in canonical order."""
        return type(value) is ValueNode and value.number in self.unordered

    def any_order(self, value: Any, cost: int) -> Sequence[Any]:
        """The elements for a result that does not depend on their order."""
        if type(value) is not ValueNode or not value.sized:
            raise GiveUp
        self.fuel[0] -= value.weight
        return self.turns(value.items, cost)

    def live(self, value: Any, cost: int) -> Sequence[Any]:
        """The elements that a comprehension takes: sets and dicts in the order of this step."""
        if type(value) is not ValueNode or not value.sized or (self.unordered and value.number in self.unordered):
            raise GiveUp
        items = value.items
        fuel = self.fuel[0] = self.fuel[0] - 1 - value.weight - len(items) * cost
        if fuel < 0:
            raise GiveUp
        return items

    def turns(self, items: Sequence[Any], cost: int) -> Sequence[Any]:
        """The same elements; `cost` is charged for each."""
        fuel = self.fuel[0] = self.fuel[0] - 1 - len(items) * cost
        if fuel < 0:
            raise GiveUp
        return items

    def numbers(self, *bounds: Any) -> range:
        """`range(…)`"""
        for bound in bounds:
            if type(bound) is not int:
                raise GiveUp
        if len(bounds) == 3 and not bounds[2]:
            raise GiveUp
        return range(*bounds)

    def unpacked(self, items: Sequence[Any], count: int) -> Sequence[Sequence[Any]]:
        """The members of elements that are each unpacked into so many variables."""
        found = []
        for item in items:
            if type(item) is not ValueNode or item.tag not in (_LIST, _TUPLE) or len(item.items) != count:
                raise GiveUp
            found.append(item.items)
        return found

    def members(self, value: Any, count: int) -> Sequence[Any]:
        """The members of a value that is unpacked into so many targets."""
        if type(value) is ValueNode and value.tag in (_LIST, _TUPLE) and len(value.items) == count:
            return value.items
        raise GiveUp

    def entries(self, value: Any, cost: int) -> list[tuple[Any, Any]]:
        """The pairs of a dict, for a loop over `value.items()`."""
        if type(value) is ValueNode and value.number in self.unordered:
            raise GiveUp
        return self.entries_any(value, cost)

    def entries_any(self, value: Any, cost: int) -> list[tuple[Any, Any]]:
        """The pairs of a dict, for a result that does not depend on their order."""
        if type(value) is not ValueNode or value.tag is not _DICT:
            raise GiveUp
        assert value.table is not None
        self.turns(value.items, cost)
        return list(zip(value.items, value.table.values(), strict=True))

    def alternatives(self, value: Any, prefix: str, apart: bool) -> tuple[Sequence[Any], Sequence[str]]:
        """The distinct alternatives of a choice, and their texts. `apart`: equal containers are different ones."""
        kind = type(value)
        if kind is ValueNode:
            if not value.sized:
                raise GiveUp
            items = self.each(value, 8)
            known = value.choices
            if known is None or known[0] != (prefix, apart):
                known = value.choices = ((prefix, apart), self._offer(items, prefix, apart))
            offered: _Offered = known[1]
        elif kind is range or kind is list:
            offered = self._offer_of(self.turns(value, 8), prefix, apart)
        else:
            raise GiveUp
        if offered.charged:
            self.fuel[0] -= offered.charged
            if self.fuel[0] < 0:
                raise GiveUp
        return offered.alternatives

    def places(self, value: Any) -> range:
        """The places of the members of a list that is not shared, each of which is a container."""
        if type(value) is not ValueNode or value.tag is not _LIST or not all(map(is_container, value.items)):
            raise GiveUp
        return range(len(value.items))

    def place(self, value: Any, index: Any) -> Any:
        """The index of a member that is a container; of a list counted from its beginning."""
        if not is_container(self.at(value, index)):
            raise GiveUp
        return index + len(value.items) if value.tag is _LIST and index < 0 else index

    def members_taken(self, places: Sequence[int], value: Any, prefix: str) -> tuple[Sequence[int], Sequence[str]]:
        """The alternatives of a choice among the members at these places, or keys, and their texts: equal ones are
        different."""
        text, number = self.nodes.interner.text, self.nodes.number
        texts = [prefix + text(number(self.at(value, place))) for place in self.turns(places, 8)]
        self.fuel[0] -= sum(map(len, texts)) >> 2
        return places, texts

    def _offer_of(self, items: Sequence[Any], prefix: str, apart: bool) -> _Offered:
        token = (prefix, apart, items) if type(items) is range else (prefix, apart, *map(key, items))
        found = self._offered.get(token)
        if found is None:
            if len(self._offered) > _MOST_KNOWN:
                self._offered.clear()
            found = self._offered[token] = self._offer(items, prefix, apart)
        return found

    def _offer(self, items: Sequence[Any], prefix: str, apart: bool) -> _Offered:
        distinct: dict[Hashable, Any] = {}
        for place, item in enumerate(items):
            mutable = type(item) is ValueNode and item.mutable
            if mutable and not apart and item in distinct:
                raise GiveUp  # equal containers may be different ones
            distinct.setdefault((place, item) if mutable and apart else key(item), item)
        chosen = tuple(distinct.values())
        text, number = self.nodes.interner.text, self.nodes.number
        texts = tuple([prefix + text(number(item)) for item in chosen])
        size = sum(map(len, texts))
        return _Offered((chosen, texts), size if size > _LONG * len(texts) else 0)

    # --- arithmetic ------------------------------------------------------------------------------------------------

    def add(self, left: Any, right: Any) -> Any:
        if type(left) is int is type(right):
            return self.small(left + right)
        if (
            type(left) is ValueNode
            and type(right) is ValueNode
            and left.tag is right.tag
            and left.tag in (_LIST, _TUPLE)
        ):
            payload = self.nodes.interner.payload
            self.fuel[0] -= left.weight + right.weight
            return self.nodes[self.nodes.interner.intern(left.tag, payload(left.number) + payload(right.number))]
        if type(left) is str and type(right) is str and len(left) + len(right) <= self.nodes.most_characters:
            return left + right
        if (type(left) is ValueNode and left.tag in _ADDED) or (type(right) is ValueNode and right.tag is _SYMMETRIC):
            return self.apply("+", BINARY["+"], (left, right))
        raise GiveUp

    def sub(self, left: Any, right: Any) -> Any:
        if type(left) is int is type(right):
            return self.small(left - right)
        return self.binary("-", left, right)

    def mul(self, left: Any, right: Any) -> Any:
        if type(left) is int is type(right):
            return self.small(left * right)
        return self.apply("*", BINARY["*"], (left, right))

    def floordiv(self, left: Any, right: Any) -> Any:
        if type(left) is int is type(right) and right:
            return self.small(left // right)
        raise GiveUp

    def mod(self, left: Any, right: Any) -> Any:
        if type(left) is int is type(right) and right:
            return self.small(left % right)
        return self.apply("%", BINARY["%"], (left, right))

    def neg(self, value: Any) -> Any:
        if type(value) is int:
            return -value
        raise GiveUp

    def small(self, number: int) -> int:
        if -_LARGE < number < _LARGE:
            return number
        raise GiveUp

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        """Any other operator."""
        sets = type(left) is ValueNode and type(right) is ValueNode and left.tag is right.tag is _SET
        if sets and operator in OF_SETS:
            return self._of_sets(operator, left, right)
        return self.apply(operator, BINARY[operator], (left, right))

    def _of_sets(self, operator: str, left: ValueNode, right: ValueNode) -> Any:
        self.fuel[0] -= left.weight + right.weight
        made, in_order = self._of_two.of(operator, left.number, right.number)
        unordered = self.unordered
        both = (left.number, right.number)
        if not in_order or (unordered and len(made.items) > 1 and not unordered.isdisjoint(both)):
            unordered.add(made.number)
        return made

    def text(self, *parts: Any) -> str:
        """An f-string."""
        found = []
        for part in parts:
            kind = type(part)
            if kind is str:
                found.append(part)
            elif kind is int or kind is bool or part is None:
                found.append(str(part))
            else:
                raise GiveUp
        made = "".join(found)
        if len(made) > self.nodes.most_characters:
            raise GiveUp
        return made

    # --- what the interpreter does ---------------------------------------------------------------------------------

    def function(self, name: str, *args: Any) -> Any:
        """A builtin that depends on its arguments alone."""
        builtin = BUILTINS[name]
        assert isinstance(builtin, FunctionValue)
        return self.apply(name, lambda *values: builtin.call(list(values), {}), args)

    def apply(self, name: str, function: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """The result of an operation of the interpreter on these values; cached by their ids."""
        if self.unordered and name not in ANY_ORDER and not all(map(self.in_order, args)):
            raise GiveUp
        numbers = tuple(map(self.nodes.number, args))
        known = self._known.setdefault(name, {})
        found = known.get(numbers)
        if found is None:
            if len(known) > _MOST_KNOWN:
                known.clear()
            found = known[numbers] = self._applied(function, numbers)
        self.fuel[0] -= found[1]
        if self.fuel[0] < 0:
            raise GiveUp
        result = found[0]
        if type(result) is ValueNode and result.tag in _ORDERLESS and len(result.items) > 1:
            self.unordered.add(result.number)
        return result

    def in_order(self, value: Any) -> bool:
        """Whether all sets and dicts in a value are in canonical order."""
        if type(value) is not ValueNode or value.tag in (_INT, _STRING):
            return True
        if value.number in self.unordered:
            return False
        self.fuel[0] -= 1
        parts: Iterable[Any] = value.items if value.fields is None else value.fields.values()
        if value.tag is _DICT and value.table is not None:
            parts = (*value.items, *value.table.values())
        return all(map(self.in_order, parts))

    def _applied(self, function: Callable[..., Any], numbers: tuple[int, ...]) -> tuple[Any, int]:
        interner = self.nodes.interner
        METER.begin(self._budget)
        try:
            values = [thaw(number, interner, _NO_WORLD, _no_reference) for number in numbers]
            result = function(*values)
            if type(result) is range:
                raise GiveUp
            return self.nodes[freeze(result, interner)], METER.count
        finally:
            METER.end()


_SETS_COMPARED: Final[dict[str, Callable[[set[int], set[int]], bool]]] = {
    "<": set.__lt__,
    "<=": set.__le__,
    ">": set.__gt__,
    ">=": set.__ge__,
}


class _NoWorld:
    """Role instances in values that an operation compares or moves: they have no fields here."""

    def get(self, slot: object) -> object:
        raise GiveUp

    def get_attribute(self, instance: object, name: str) -> object:
        raise GiveUp

    def set_attribute(self, instance: object, name: str, value: object) -> None:
        raise GiveUp


_NO_WORLD: Any = _NoWorld()


def _no_reference(cell: int) -> object:
    raise GiveUp


def is_container(value: Any) -> bool:
    """Whether a value can be changed in place, or something in it."""
    return type(value) is ValueNode and bool(value.mutable)
