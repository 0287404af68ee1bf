"""The operations that compiled rules call: changes of containers, role instances, methods; see also `node_basics`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from interpreter.direct.node_pairs import Pairs
from interpreter.direct.nodes import SET_TAGS, GiveUp, ValueNode, key
from interpreter.direct.opened_ids import OpenedIds
from interpreter.library import BUILTINS
from interpreter.library.attributes import METHODS
from interpreter.library.operations import get_attribute
from interpreter.values import FunctionValue, Instance
from interpreter.values.basis import type_name
from interpreter.values.intern import Tag

UNSET: Final = object()
"""The value of a variable that has none yet."""
_MOST_KNOWN: Final = 1 << 18
"""The number of results of one operation that are cached."""
_MOST_PUT: Final = 1 << 15
"""The number of changed lists and dicts that are cached."""
_MOST_REMEMBERED: Final = 1 << 16
"""The number of results of one `def` that are remembered."""
_WINDOW: Final = 1_024
_REMEMBERING: Final = 20
"""What looking up and remembering the result of one call takes, in charges of some 0.1 microseconds."""
_PAUSE: Final = 16 * _WINDOW
"""After how many calls remembering the results of a `def` is tried again."""
_KEYS: Final = frozenset({bool, int, str, type(None), ValueNode})
"""The types of values that tell themselves from others as members of a dict."""

PURE_METHODS: Final = frozenset(
    {"count", "difference", "endswith", "find", "get", "index", "intersection", "issubset", "issuperset", "items",
     "join", "keys", "lower", "replace", "split", "startswith", "strip", "symmetric_difference", "title", "union",
     "upper", "values"}
)  # fmt: skip
"""Methods that change nothing; of what they are called on, see `Operations.method`."""
PURE_FUNCTIONS: Final = frozenset(
    {"abs", "all", "any", "bag", "bool", "chr", "dict", "enumerate", "hash", "int", "len", "list", "max", "min", "ord",
     "repr", "reversed", "set", "sorted", "str", "sum", "tuple", "type", "zip"}
)  # fmt: skip
"""Builtins that depend on their arguments alone."""
FRESH: Final = frozenset(
    {"bag", "dict", "enumerate", "list", "reversed", "set", "sorted", "zip", "items", "keys", "values", "split",
     "difference", "intersection", "symmetric_difference", "union"}
)  # fmt: skip
"""Functions and methods whose result is a new container."""

# Members of an enum are slow to look up.
_BAG: Final = Tag.BAG
_DICT: Final = Tag.DICT
_LIST: Final = Tag.LIST
_RECORD: Final = Tag.RECORD
_MODEL_VALUE: Final = Tag.MODEL_VALUE
_ROLE: Final = Tag.ROLE
_SET: Final = Tag.SET
_TUPLE: Final = Tag.TUPLE


class Results:
    """What one `def` has returned and charged, by its arguments.

    Of `_WINDOW` calls those that were known must have saved what it took to remember the others, or remembering stops
    for some time. `hits` counts the calls that were known, `saved` what they would have charged; `pause`: so many calls
    are not remembered.
    """

    __slots__ = ("_misses", "hits", "kinds", "known", "pause", "saved")

    def __init__(self) -> None:
        self.known: dict[tuple[tuple[Any, ...], tuple[type, ...]], tuple[Any, int]] = {}
        self.kinds: dict[tuple[type, ...], tuple[type, ...]] = {}
        """Types of arguments that all tell themselves from others as members of a dict: one object for equal ones."""
        self.hits = 0
        self.saved = 0
        self.pause = 0
        self._misses = 0

    def add(self, token: tuple[tuple[Any, ...], tuple[type, ...]], result: Any, charged: int) -> None:
        """Remember what a call has returned."""
        self._misses += 1
        if self.hits + self._misses >= _WINDOW:
            if self.saved < _REMEMBERING * self._misses:
                self.pause = _PAUSE
            self.hits = self.saved = self._misses = 0
        if len(self.known) >= _MOST_REMEMBERED:
            self.known.clear()
        self.known[token] = (result, charged)


class Operations(Pairs):
    """The operations over the nodes of one machine."""

    def same(self, left: Any, right: Any) -> bool | None:
        """Whether two containers of the state are equal, if that is asked without reading them; else None."""
        return None

    # --- changes ---------------------------------------------------------------------------------------------------

    def copied(self, value: Any) -> Any:
        """`dict(value)`."""
        if type(value) is ValueNode and value.tag is _DICT:
            return self.dict_of(self.entries_any(value, 1))
        return self.function("dict", value)

    def set_add(self, group: Any, item: Any) -> Any:
        """`group.add(item)`: the set or bag after."""
        if type(group) is ValueNode and group.tag is _BAG:
            return self._bag_add(group, item)
        if type(group) is not ValueNode or group.tag not in SET_TAGS:
            raise GiveUp
        self.fuel[0] -= 1
        if self.holds(group, item):
            return group
        number = self.nodes.number(item)
        found = self._added.get((group.number, number))
        if found is None:
            interner = self.nodes.interner
            if len(self._added) > _MOST_KNOWN:
                self._added.clear()
            inserted = (*interner.payload(group.number), number)
            made = interner.intern_members(group.tag, list(inserted))
            found = self._added[group.number, number] = self.nodes[made], interner.payload(made) != inserted
        after, unordered = found
        if unordered or group.number in self.unordered:
            self.unordered.add(after.number)
        return after

    def _bag_add(self, group: ValueNode, item: Any) -> Any:
        """`group.add(item)` of a bag: the bag after, whose order is always the canonical one."""
        if type(item) is ValueNode and item.mutable:
            raise GiveUp
        self.fuel[0] -= 1 + (group.weight >> 4)
        interner = self.nodes.interner
        return self.nodes[interner.intern_members(_BAG, [*interner.payload(group.number), self.nodes.number(item)])]

    def _bag_discard(self, group: ValueNode, item: Any, must: bool) -> Any:
        """`group.discard(item)` of a bag, or `group.remove(item)` if it `must` be there: one of several goes."""
        if type(item) is ValueNode and item.mutable:
            raise GiveUp
        self.fuel[0] -= group.weight
        interner, number = self.nodes.interner, self.nodes.number(item)
        payload = list(interner.payload(group.number))
        if number in payload:
            payload.remove(number)
        elif must:
            raise GiveUp
        return self.nodes[interner.intern(_BAG, tuple(payload))]

    def set_discard(self, group: Any, item: Any, must: bool) -> Any:
        """`group.discard(item)`, or `group.remove(item)` if it `must` be there."""
        if type(group) is ValueNode and group.tag is _BAG:
            return self._bag_discard(group, item, must)
        if type(group) is not ValueNode or group.tag not in SET_TAGS:
            raise GiveUp
        self.fuel[0] -= group.weight
        if not self.holds(group, item):
            if must:
                raise GiveUp
            return group
        own = self.nodes.number(item)
        left = tuple([n for n in self.nodes.interner.payload(group.number) if n != own])
        return self._after(group, self.nodes.interner.intern(group.tag, left))

    def _after(self, group: ValueNode, number: int) -> Any:
        """A set or dict that has lost something: its order is as unknown as that of the one before."""
        if group.number in self.unordered and len(self.nodes[number].items) > 1:
            self.unordered.add(number)
        return self.nodes[number]

    def append(self, group: Any, item: Any) -> Any:
        """`group.append(item)`: the list after."""
        if type(group) is not ValueNode or group.tag is not _LIST:
            raise GiveUp
        self.fuel[0] -= 1 + (group.weight >> 4)
        interner = self.nodes.interner
        return self.nodes[interner.intern(_LIST, (*interner.payload(group.number), self.nodes.number(item)))]

    def put(self, group: Any, place: Any, item: Any) -> Any:
        """`group[place] = item`: the list or dict after."""
        if type(group) is not ValueNode:
            raise GiveUp
        self.fuel[0] -= 1 + (group.weight >> 4)
        token = (group.number, self.nodes.number(place), self.nodes.number(item))
        found = self._put.get(token)
        if found is None:
            if len(self._put) > _MOST_PUT:
                self._put.clear()
            found = self._put[token] = self._made_by(group, place, token)
        made, unordered = found
        if unordered or group.number in self.unordered:
            self.unordered.add(made.number)
        return made

    def _made_by(self, group: ValueNode, place: Any, token: tuple[int, int, int]) -> tuple[ValueNode, bool]:
        """The list or dict after `group[place] = item`, whose ids are the `token`; whether its order is unknown now."""
        interner = self.nodes.interner
        payload = interner.payload(group.number)
        _, own, number = token
        if group.tag is _LIST:
            if type(place) is not int or not -len(payload) <= place < len(payload):
                raise GiveUp
            ids = list(payload)
            ids[place] = number
            return self.nodes[interner.intern(_LIST, tuple(ids))], False
        if group.tag is not _DICT or (type(place) is ValueNode and place.mutable):
            raise GiveUp
        assert group.table is not None
        if key(place) in group.table:
            pairs = tuple([(k, number) if k == own else (k, v) for k, v in payload])
            return self.nodes[interner.intern(_DICT, pairs)], False
        inserted = (*payload, (own, number))
        made = interner.intern_pairs(_DICT, list(inserted))
        return self.nodes[made], interner.payload(made) != inserted

    def put_all(self, group: Any, *changes: Any) -> Any:
        """`group[place] = item` for several places and items, one after the other."""
        pairs = zip(changes[::2], changes[1::2], strict=True)
        if type(group) is not ValueNode or group.tag is not _LIST:
            for place, item in pairs:
                group = self.put(group, place, item)
            return group
        ids = list(self.nodes.interner.payload(group.number))
        self.fuel[0] -= (len(changes) >> 1) * (1 + (group.weight >> 4))
        ints, number = self.nodes.interner.ints, self.nodes.number
        for place, item in pairs:
            if type(place) is not int:
                raise GiveUp
            known = ints.get(item) if type(item) is int else None
            ids[place] = number(item) if known is None else known
        return self.nodes[self.nodes.interner.intern(_LIST, tuple(ids))]

    def put_inside(self, group: Any, *changes: Any) -> Any:
        """`group[place][index] = item` for several of these, one after the other."""
        triples = [changes[i : i + 3] for i in range(0, len(changes), 3)]
        made = self._put_at_once(group, triples) if type(group) is ValueNode else None
        if made is not None:
            return made
        for place, index, item in triples:
            group = self.put(group, place, self.put(self.at(group, place), index, item))
        return group

    def _put_at_once(self, group: ValueNode, changes: Sequence[Any]) -> Any:
        """As `put_inside`, without the values between; None: one by one."""
        interner, number = self.nodes.interner, self.nodes.number
        outer = self._opened(group.number)
        if outer is None:
            return None
        spent = 0
        inside: dict[int, OpenedIds] = {}
        for place, index, item in changes:
            at = outer.place(place, number)
            if at is None:
                return None
            opened = inside.get(at) or self._opened(outer.ids[at])
            within = None if opened is None else opened.place(index, number)
            if opened is None or within is None:
                return None
            spent += 2 + (group.weight >> 4) + (interner.weight(outer.ids[at]) >> 4)
            opened.ids[within] = number(item)
            inside[at] = opened
        self.fuel[0] -= spent
        for at, opened in inside.items():
            outer.ids[at] = opened.interned()
        return self.nodes[outer.interned()]

    def _opened(self, number: int) -> OpenedIds | None:
        """The members of a list, or of a dict in canonical order."""
        if self.nodes.interner.tag(number) not in (_LIST, _DICT) or number in self.unordered:
            return None
        return OpenedIds(self.nodes.interner, number)

    def field_put(self, group: Any, name: str, value: Any) -> Any:
        """`group.name = value` of a record: the record after."""
        if type(group) is not ValueNode or group.tag is not _RECORD or group.fields is None or name not in group.fields:
            raise GiveUp
        interner, number = self.nodes.interner, self.nodes.number(value)
        self.fuel[0] -= 1
        pairs = tuple([(own, number if own == name else old) for own, old in interner.payload(group.number)])
        return self.nodes[interner.intern(_RECORD, pairs)]

    def removed(self, group: Any, item: Any) -> Any:
        """`group.remove(item)`: the list, set or bag after."""
        if type(group) is ValueNode and group.tag is _LIST:
            for place, other in enumerate(self.turns(group.items, 1)):
                if self.eq(other, item):
                    return self.dropped(group, place)
            raise GiveUp
        return self.set_discard(group, item, True)

    def discarded(self, group: Any, item: Any) -> Any:
        """`group.discard(item)`: the set or bag after."""
        return self.set_discard(group, item, False)

    def cleared(self, group: Any) -> Any:
        """`group.clear()`"""
        if type(group) is not ValueNode or group.tag not in (_LIST, _DICT, _BAG, *SET_TAGS):
            raise GiveUp
        return self.nodes[self.nodes.interner.intern(group.tag, ())]

    def bound(self, value: Any) -> Any:
        """The value of a variable that may have none."""
        if value is UNSET:
            raise GiveUp
        return value

    def spend(self, cost: int) -> None:
        """Charge for a call."""
        self.fuel[0] -= cost
        if self.fuel[0] < 0:
            raise GiveUp

    def dropped(self, group: Any, place: Any) -> Any:
        """`group.pop(place)` of a dict: the dict after. Or of a list."""
        if type(group) is not ValueNode:
            raise GiveUp
        interner = self.nodes.interner
        payload = interner.payload(group.number)
        self.fuel[0] -= 1 + (group.weight >> 4)
        if group.tag is _LIST:
            if type(place) is not int or not -len(payload) <= place < len(payload):
                raise GiveUp
            ids = list(payload)
            del ids[place]
            return self.nodes[interner.intern(_LIST, tuple(ids))]
        if group.tag is not _DICT:
            raise GiveUp
        assert group.table is not None
        if key(place) not in group.table:
            raise GiveUp
        own = self.nodes.number(place)
        return self._after(group, interner.intern(_DICT, tuple([(k, v) for k, v in payload if k != own])))

    def without(self, group: Any, place: Any) -> Any:
        """`group.pop(place, default)` of a dict: the dict after."""
        if type(group) is not ValueNode or group.tag is not _DICT or group.table is None:
            raise GiveUp
        return self.dropped(group, place) if key(place) in group.table else group

    def with_default(self, group: Any, place: Any, item: Any) -> Any:
        """`group.setdefault(place, item)`: the dict after."""
        if type(group) is not ValueNode or group.tag is not _DICT or group.table is None:
            raise GiveUp
        return group if key(place) in group.table else self.put(group, place, item)

    def inserted(self, group: Any, place: Any, item: Any) -> Any:
        """`group.insert(place, item)`: the list after."""
        if type(group) is not ValueNode or group.tag is not _LIST or type(place) is not int:
            raise GiveUp
        self.fuel[0] -= 1 + (group.weight >> 4)
        ids = list(self.nodes.interner.payload(group.number))
        ids.insert(place, self.nodes.number(item))
        return self.nodes[self.nodes.interner.intern(_LIST, tuple(ids))]

    def turned(self, group: Any) -> Any:
        """`group.reverse()`: the list after."""
        if type(group) is not ValueNode or group.tag is not _LIST:
            raise GiveUp
        self.fuel[0] -= group.weight
        return self.nodes[self.nodes.interner.intern(_LIST, self.nodes.interner.payload(group.number)[::-1])]

    def sorted_list(self, group: Any) -> Any:
        """`group.sort()`: the list after."""
        if type(group) is not ValueNode or group.tag is not _LIST:
            raise GiveUp
        return self.list_of(self.ordered(group.items))

    def updated(self, group: Any, items: Any) -> Any:
        """`group.update(items)` of a dict by a dict, or of a set: the dict or set after."""
        if type(group) is not ValueNode:
            raise GiveUp
        if group.tag is _DICT and type(items) is ValueNode and items.tag is _DICT:
            if items.mutable:
                raise GiveUp
            return self.binary("|", group, items)
        if group.tag is _SET:
            return self.method("union", group, items)
        raise GiveUp

    def last(self, group: Any) -> int:
        """The position that `group.pop()` takes, of a list."""
        if type(group) is not ValueNode or group.tag is not _LIST:
            raise GiveUp
        return -1

    def extended(self, group: Any, items: Any) -> Any:
        """`group.extend(items)`: the list after."""
        if type(group) is not ValueNode or group.tag is not _LIST:
            raise GiveUp
        return self.added(group, items)

    def added(self, left: Any, right: Any) -> Any:
        """`left += right`, where no name may refer to a container in `left`."""
        if type(left) is int is type(right):
            return self.small(left + right)
        if type(left) is ValueNode and left.tag is _LIST and type(right) is ValueNode and right.tag is _TUPLE:
            right = self.list_of(right.items)
        return self.add(left, right)

    def united(self, left: Any, right: Any) -> Any:
        """`left |= right`, where no name may refer to a container in `left`."""
        is_set = type(right) is ValueNode and right.tag is _SET
        return self.binary("|", left, right if is_set else self.plain(right))

    # --- role instances --------------------------------------------------------------------------------------------

    def is_role(self, value: Any) -> bool:
        return type(value) is ValueNode and value.tag is _ROLE

    def role_of(self, value: Any, role: str) -> Any:
        """An instance of this role, which a func is called on."""
        if (
            type(value) is not ValueNode
            or value.tag is not _ROLE
            or self.nodes.interner.payload(value.number)[0] != role
        ):
            raise GiveUp
        return value

    def identity(self, value: Any) -> Any:
        """`value.__id__`"""
        if type(value) is not ValueNode or value.tag is not _ROLE:
            raise GiveUp
        interner = self.nodes.interner
        return self.nodes[interner.intern(_MODEL_VALUE, interner.payload(value.number))]

    def give_up(self) -> Any:
        raise GiveUp

    def remembering(self, function: Callable[..., Any], given: int, results: Results) -> Callable[..., Any]:
        """A function that remembers what it has returned and charged, where that depends on its arguments alone.

        The first `given` arguments are the values of the state: of these it can read the fields of instances.
        """
        known, kinds, fuel = results.known, results.kinds, self.fuel

        def remembered(*args: Any) -> Any:
            if self.unordered:
                return function(*args)
            if results.pause:
                results.pause -= 1
                return function(*args)
            values = args[given:]
            types = kinds.get(tuple(map(type, values)))
            if types is None:
                values = tuple(map(self.argument, values))
                types = tuple(map(type, values))
                if not _KEYS.issuperset(types):
                    # What the function gives to others is looked up there.
                    return function(*args[:given], *values)
                types = kinds.setdefault(types, types)
            # The types tell `True` from 1.
            token = (values, types)
            found = known.get(token)
            if found is not None:
                results.hits += 1
                results.saved += found[1]
                fuel[0] -= found[1]
                if fuel[0] < 0:
                    raise GiveUp
                return found[0]
            if given and any(type(value) is ValueNode and value.roles for value in values):
                return function(*args)
            before = fuel[0]
            result = function(*args[:given], *values)
            if not self.unordered:
                results.add(token, result, before - fuel[0])
            return result

        return remembered

    def argument(self, value: Any) -> Any:
        """A value as a function is given it."""
        return value

    # --- anything else ---------------------------------------------------------------------------------------------

    def module(self, path: str, *args: Any) -> Any:
        """A function of a module: `math.floor`, `itertools.combinations`."""
        module, _, name = path.partition(".")
        function = get_attribute(BUILTINS[module], name)
        if not isinstance(function, FunctionValue):
            raise GiveUp
        return self.apply(path, lambda *values: function.call(list(values), {}), args)

    def method(self, name: str, owner: Any, *args: Any) -> Any:
        """A method of a container or text that changes nothing."""
        if name == "get" and type(owner) is ValueNode and owner.table is not None and owner.tag is _DICT:
            if not 0 < len(args) < 3 or (type(args[0]) is ValueNode and args[0].mutable):
                raise GiveUp
            self.fuel[0] -= 1
            return owner.table.get(key(args[0]), args[1] if len(args) > 1 else None)
        if type(owner) is ValueNode and owner.tag is _LIST and len(args) == 1:
            if name == "index":
                return self.position_of(owner.items, args[0])
            if name == "count":
                return self.occurrences(owner.items, args[0])
        if name == "count" and type(owner) is ValueNode and owner.tag is _BAG and len(args) == 1:
            return self.occurrences(owner.items, args[0])
        if name in _OPERATORS and len(args) == 1 and type(owner) is ValueNode and owner.tag is _SET:
            (other,) = args
            if type(other) is ValueNode and other.tag is _SET:
                operator = _OPERATORS[name]
                return (
                    self._compared(operator, owner, other) if "=" in operator else self.binary(operator, owner, other)
                )
        return self.apply("." + name, lambda value, *values: _called(name, value, list(values)), (owner, *args))


_OPERATORS: Final = {
    "difference": "-",
    "intersection": "&",
    "issubset": "<=",
    "issuperset": ">=",
    "symmetric_difference": "^",
    "union": "|",
}
"""The operators that do what methods of sets do."""


def _called(name: str, value: object, args: list[object]) -> object:
    methods = METHODS.get(type_name(value))
    if isinstance(value, Instance) or methods is None or name not in methods:
        raise GiveUp
    function = get_attribute(value, name)
    assert isinstance(function, FunctionValue)
    return function.call(args, {})
