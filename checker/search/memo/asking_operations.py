"""The operations of rules that are recorded as functions of Python: they ask for no more of a container than they use.

An operation that is not here asks for all of each container that it is given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeGuard

from checker.search.memo.asked_keys import AskedKeys, keys_of_state
from checker.search.memo.asked_nodes import AskedContainer, AskedNode, AskedSet
from checker.search.memo.asked_queues import AskedQueue, queue_of
from checker.search.memo.comparisons import BEGINS, CHARGED, CHARGED_OF_SETS, MOST_PARTS, SAME, first
from checker.search.memo.lazy_members import LazyMembers
from interpreter.direct.node_basics import is_container
from interpreter.direct.node_operations import Operations
from interpreter.direct.nodes import GiveUp, ValueNode, key
from interpreter.values.intern import Tag

_DICT: Final = Tag.DICT
_LIST: Final = Tag.LIST
_RECORD: Final = Tag.RECORD
_SET: Final = Tag.SET

_SCALARS: Final = frozenset({bool, int, str, type(None)})
_MOST_TAKEN: Final = 8
"""So many members at the beginning of a list are taken one by one."""
_MOST_PUT: Final = 256
"""So many elements are put into a set, or taken out, one by one."""
_WHOLE: Final = frozenset({*_SCALARS, ValueNode})
"""The types of values of which everything is known."""
BY_PARTS: Final = frozenset(
    {"alternatives", "any_order", "append", "at", "begin_alike", "begins_with", "binary", "bound", "compared",
     "contains", "discarded", "dropped", "each", "entries", "entries_any", "entries_lazily", "eq", "equals",
     "field_put", "fields_of", "give_up", "is_empty", "is_role", "joined", "kept", "keys_of", "lacks", "last",
     "left_out", "live", "live_lazily", "member_at", "member_is", "members_taken", "method", "ne", "own", "part",
     "place", "places", "plain", "put", "put_all", "put_inside", "removed", "role_of", "set_add", "size",
     "size_is", "sliced", "spend", "sub", "tuples", "turns", "united", "updated", "value_places", "values_any",
     "values_in_any_order", "values_lazily", "values_of", "with_default", "without", "zipped"}
)  # fmt: skip
"""The operations that may be given containers of which only the head is known."""


def whole(value: Any) -> Any:
    """A value of which everything is known."""
    if isinstance(value, AskedContainer):
        return value.value()
    if type(value) is list and any(isinstance(item, AskedContainer) for item in value):
        return [whole(item) for item in value]
    return value


def of_whole(operation: Callable[..., Any]) -> Callable[..., Any]:
    """An operation that is given values of which everything is known."""

    def operate(*values: Any) -> Any:
        if _WHOLE.issuperset(map(type, values)):
            return operation(*values)
        return operation(*map(whole, values))

    return operate


class AskedMember(AskedContainer):
    """A member of a list or dict of the state that is only compared: only whether it has some value is asked."""

    __slots__ = ("group", "index")

    def __init__(self, group: AskedNode, index: int) -> None:
        super().__init__(group.reader, group.slot)
        self.group = group
        self.index = index

    def taken(self) -> Any:
        """The member as it is."""
        return self.group.member(self.index)

    def value(self) -> Any:
        return whole(self.taken())


class AskingOperations(Operations):
    """The operations over values some of which are known by their heads."""

    def eq(self, left: Any, right: Any) -> bool:
        kind, other = type(left), type(right)
        if kind in _SCALARS and other in _SCALARS:
            return kind is other and bool(left == right)
        answer = self.same(left, right)
        return super().eq(whole(left), whole(right)) if answer is None else answer

    def same(self, left: Any, right: Any) -> bool | None:
        return self._asked(SAME, left, right)

    def _asked(self, question: str, left: Any, right: Any) -> bool | None:
        """The answer to a question about two containers; None: they are to be read."""
        if left is right or not (isinstance(left, AskedContainer) and isinstance(right, AskedContainer)):
            return None
        answer = left.compared(question, right)
        if answer is not None:
            self.fuel[0] -= CHARGED_OF_SETS if isinstance(left, AskedSet) else CHARGED
        return answer

    def ne(self, left: Any, right: Any) -> bool:
        return not self.eq(left, right)

    def at(self, value: Any, place: Any) -> Any:
        place = whole(place)
        if isinstance(value, AskedNode | AskedQueue):
            return value.member(value.index(place))
        if isinstance(value, AskedKeys):
            return value.at(place)
        return super().at(whole(value), place)

    def member_is(self, group: Any, place: Any, item: Any) -> bool:
        """Whether a member of a container has a value."""
        place = whole(place)
        if isinstance(group, AskedNode) and type(item) in _SCALARS:
            return self._has(group, group.index(place), item)
        return self.eq(self.at(group, place), item)

    def _has(self, group: AskedNode, index: int, item: Any) -> bool:
        """Whether the member at an index has a value: it is asked as such, and not which one it has."""
        found = group.member_is(index, item)
        return self.eq(group.member(index), item) if found is None else found

    def _position(self, group: AskedNode, item: Any) -> int | None:
        """The index of the first member of a list with a value; None if there is none."""
        indexes = self.turns(range(group.size()), 1)
        return next((index for index in indexes if self._has(group, index, item)), None)

    def size(self, value: Any) -> int:
        if isinstance(value, AskedContainer):
            if value.fields is not None:
                raise GiveUp
            return value.size()
        return super().size(value)

    def size_is(self, operator: str, group: Any, size: Any) -> bool:
        """`len(group) < size`, or another comparison: a list is asked for that only, not for its size."""
        if not isinstance(group, AskedNode | AskedQueue) or type(size) is not int:
            return bool(_COMPARED[operator](self, self.size(group), whole(size)))
        if group.fields is not None:
            raise GiveUp
        if operator in ("==", "!="):
            return (group.is_shorter(size + 1) and not group.is_shorter(size)) is (operator == "==")
        fewer = group.is_shorter(size + (operator in ("<=", ">")))
        return fewer is (operator in ("<", "<="))

    def is_empty(self, value: Any, is_dict: bool) -> bool:
        """`value == []`, or `value == {}`: of a list it is asked whether it has a member."""
        if _is_list(value):
            return not is_dict and value.is_shorter(1)
        if isinstance(value, AskedNode) and value.is_dict:
            return is_dict and not value.size()
        value = whole(value)
        return type(value) is ValueNode and value.tag is (_DICT if is_dict else _LIST) and not value.items

    def part(self, value: Any, start: Any, stop: Any, step: Any) -> Any:
        bounds = [whole(bound) for bound in (start, stop, step)]
        if bounds == [None, -1, None] and (queue := queue_of(value)) is not None:
            return queue if queue.is_shorter(1) else queue.without(queue.size() - 1)
        inside = all(place is None or (type(place) is int and place >= 0) for place in bounds)
        if not inside or bounds[2] not in (None, 1) or not _is_list(value):
            return super().part(whole(value), *bounds)
        first, end = bounds[0] or 0, bounds[1]
        queue = queue_of(value) if end is None else None
        if queue is not None and first <= _MOST_TAKEN and not queue.is_shorter(first):
            for _ in range(first):
                queue = queue.without(0)
            return queue
        if end is None or value.is_shorter(end):
            end = value.size()
        self.fuel[0] -= max(0, end - first)
        return self.list_of([value.member(index) for index in range(first, end)])

    def left_out(self, group: Any, place: Any) -> Any:
        """`group[:place] + group[place + 1:]`"""
        queue, place = queue_of(group), whole(place)
        if queue is None or type(place) is not int or place < 0:
            after = self.part(group, self.add(place, 1), None, None)
            return self.add(whole(self.part(group, None, place, None)), whole(after))
        self.fuel[0] -= 1
        return queue if queue.is_shorter(place + 1) else queue.without(place)

    def begins_with(self, group: Any, stop: Any, items: Any, same: Callable[[Any, Any], bool] | None = None) -> bool:
        """`group[:stop] == items`. `same`: whether two members are equal, where instances of several states are."""
        compared = same or self.eq
        stop = whole(stop)
        size = self.size(items) if _is_list(items) or (type(items) is ValueNode and items.tag is _LIST) else None
        if size is None or type(stop) is not int or stop < 0 or not _is_list(group):
            return compared(self.part(group, None, stop, None), items)
        if size > stop or not self.size_is("==" if size < stop else ">=", group, size):
            return False
        answer = self._asked(BEGINS, group, items) if size == stop else None
        if answer is not None:
            return answer
        self.fuel[0] -= size
        members = items.members() if _is_list(items) else items.items
        if same is not None:
            return all(same(group.member(index), member) for index, member in enumerate(members))
        return all(self._is_at(group, index, member) for index, member in enumerate(members))

    def begin_alike(
        self, group: Any, stop: Any, other: Any, end: Any, same: Callable[[Any, Any], bool] | None = None
    ) -> bool:
        """`group[:stop] == other[:end]`; `same` as of `begins_with`."""
        stop, end = whole(stop), whole(end)
        if (
            type(stop) is type(end) is int
            and 0 < stop <= MOST_PARTS
            and stop == end
            and _is_list(group)
            and _is_list(other)
        ):
            short = group.is_shorter(stop) or other.is_shorter(stop)
            answer = None if short else self._asked(first(stop), group, other)
            if answer is not None:
                return answer
        return self.begins_with(group, stop, self.part(other, None, end, None), same)

    def _is_at(self, group: AskedNode | AskedQueue, index: int, item: Any) -> bool:
        if isinstance(group, AskedNode) and type(item) in _SCALARS:
            return self._has(group, index, item)
        return self.eq(group.member(index), item)

    def contains(self, item: Any, group: Any) -> bool:
        item = whole(item)
        if isinstance(group, AskedNode | AskedSet | AskedKeys):
            self.fuel[0] -= 1
            if type(item) is ValueNode and item.mutable:
                raise GiveUp
            if type(group) is AskedSet:
                return group.holds(item)
            if isinstance(group, AskedKeys):
                return group.has(item)
            if isinstance(group, AskedNode) and group.is_dict:
                return _key(item) in group.shape.indexes
            if _is_searched(group, item):
                return self._position(group, item) is not None
        return super().contains(item, whole(group))

    def plain(self, value: Any) -> Any:
        if isinstance(value, AskedContainer):
            raise GiveUp
        return super().plain(value)

    def argument(self, value: Any) -> Any:
        return value.known() if isinstance(value, AskedNode) else value

    # --- iteration -------------------------------------------------------------------------------------------------

    def each(self, value: Any, cost: int) -> Sequence[Any]:
        return self._gone_through(value, cost) or super().each(whole(value), cost)

    def disordered(self, value: Any) -> bool:
        return bool(isinstance(value, AskedSet) and value.changes) or super().disordered(value)

    def any_order(self, value: Any, cost: int) -> Sequence[Any]:
        return self._gone_through(value, cost) or super().any_order(whole(value), cost)

    def live(self, value: Any, cost: int) -> Sequence[Any]:
        return self._gone_through(value, cost) or super().live(whole(value), cost)

    def _gone_through(self, value: Any, cost: int) -> Sequence[Any] | None:
        if isinstance(value, AskedNode) and value.is_dict:
            value.gone_through()
        return self._taken(value, cost)

    def _taken(self, value: Any, cost: int) -> Sequence[Any] | None:
        """The members of a list that are asked for one by one, or the keys of a dict."""
        if not isinstance(value, AskedNode):
            return None
        if value.is_dict:
            return self.turns(value.shape.keys, cost)
        if not value.is_list:
            return None
        value.gone_through()
        return self.turns(value.members(), cost)

    def alternatives(self, value: Any, prefix: str, apart: bool) -> tuple[Sequence[Any], Sequence[str]]:
        taken = self._taken(value, 0)
        return super().alternatives(whole(value) if taken is None else whole(list(taken)), prefix, apart)

    def places(self, value: Any) -> range:
        if not isinstance(value, AskedNode) or not value.is_list or value.shape.whole:
            return super().places(whole(value))
        if not all(_is_container(value.member(place)) for place in range(value.size())):
            raise GiveUp
        return range(value.size())

    def value_places(self, value: Any) -> list[Any]:
        if not isinstance(value, AskedNode) or not value.is_dict or value.shape.whole:
            return super().value_places(whole(value))
        if not all(_is_container(value.member(index)) for index in range(value.size())):
            raise GiveUp
        return self.keys_of(value)

    def place(self, value: Any, index: Any) -> Any:
        if not isinstance(value, AskedNode) or value.shape.whole:
            return super().place(whole(value), index)
        if not _is_container(self.at(value, index)):
            raise GiveUp
        return value.index(index) if value.is_list else index

    def members_taken(self, places: Sequence[int], value: Any, prefix: str) -> tuple[Sequence[int], Sequence[str]]:
        if not isinstance(value, AskedNode) or value.shape.whole:
            return super().members_taken(places, whole(value), prefix)
        indexes = [value.shape.indexes[_key(place)] for place in places] if value.is_dict else places
        return places, AskedTexts(self.turns(indexes, 8), value, prefix)

    def keys_of(self, value: Any) -> list[Any]:
        if isinstance(value, AskedNode) and value.is_dict:
            return list(self.turns(value.shape.keys, 1))
        return super().keys_of(whole(value))

    def entries(self, value: Any, cost: int) -> list[tuple[Any, Any]]:
        if isinstance(value, AskedNode) and value.is_dict:
            self.turns(value.shape.keys, cost)
            return list(zip(value.shape.keys, value.members(), strict=True))
        return super().entries(whole(value), cost)

    def entries_any(self, value: Any, cost: int) -> list[tuple[Any, Any]]:
        asked = isinstance(value, AskedNode) and value.is_dict
        return self.entries(value, cost) if asked else super().entries_any(whole(value), cost)

    def live_lazily(self, value: Any, cost: int) -> Sequence[Any]:
        """As `live`, of which each element is asked for when it is taken."""
        if not isinstance(value, AskedNode) or not value.is_list:
            return self.live(value, cost)
        value.gone_through()
        self.turns(value.shape.steps, cost)
        return LazyMembers(value.size(), value.member)

    def entries_lazily(self, value: Any, cost: int) -> Sequence[Any]:
        """As `entries`, of which each value is asked for when it is taken."""
        if not isinstance(value, AskedNode) or not value.is_dict:
            return self.entries(value, cost)
        keys = self.turns(value.shape.keys, cost)
        return LazyMembers(value.size(), lambda index: (keys[index], value.member(index)))

    def values_lazily(self, value: Any, cost: int) -> Sequence[Any]:
        """As `values_of`, of which each value is asked for when it is taken."""
        if not isinstance(value, AskedNode) or not value.is_dict:
            return self.turns(self.values_of(value), cost)
        self.turns(value.shape.keys, cost)
        return LazyMembers(value.size(), value.member)

    def values_in_any_order(self, value: Any, cost: int) -> Sequence[Any]:
        """The values of a dict, whatever order it has."""
        return self.turns(self.values_any(value), cost)

    # --- members that are only compared ----------------------------------------------------------------------------

    def compared(self, value: Any, cost: int, operation: Callable[[Any, int], Sequence[Any]]) -> Sequence[Any]:
        """What an operation gives of a container: members of lists and dicts of the state are not asked for."""
        if not isinstance(value, AskedNode) or value.shape.whole:
            return operation(value, cost)
        in_dict = operation not in (self.live, self.each, self.any_order)
        if not (value.is_dict if in_dict else value.is_list):
            return operation(value, cost)
        members = [AskedMember(value, index) for index in range(value.size())]
        if not in_dict:
            value.gone_through()
            return self.turns(members, cost)
        keys = self.turns(value.shape.keys, cost)
        return list(zip(keys, members, strict=True)) if operation in (self.entries, self.entries_any) else members

    def equals(self, member: Any, item: Any) -> bool:
        """Whether one of the members that `compared` gives has a value."""
        if type(item) is AskedMember:
            item = item.taken()
        if type(member) is not AskedMember:
            return self.eq(member, item)
        if type(item) in _SCALARS:
            return self._has(member.group, member.index, item)
        return self.eq(member.taken(), item)

    # --- changes ---------------------------------------------------------------------------------------------------

    def set_add(self, group: Any, item: Any) -> Any:
        item = whole(item)
        if type(group) is AskedSet:
            self.fuel[0] -= 1
            return group.put(_element(item), True)
        return super().set_add(whole(group), item)

    def discarded(self, group: Any, item: Any) -> Any:
        item = whole(item)
        if type(group) is AskedSet:
            self.fuel[0] -= 1
            return group.put(_element(item), False)
        return super().discarded(whole(group), item)

    def binary(self, operator: str, left: Any, right: Any) -> Any:
        made = self._changed_by(left, right, True) if operator == "|" else None
        return super().binary(operator, whole(left), whole(right)) if made is None else made

    def united(self, left: Any, right: Any) -> Any:
        return super().united(left, whole(right))

    def updated(self, group: Any, items: Any) -> Any:
        made = self._changed_by(group, items, True)
        return super().updated(whole(group), whole(items)) if made is None else made

    def sub(self, left: Any, right: Any) -> Any:
        made = self._changed_by(left, right, False)
        return super().sub(whole(left), whole(right)) if made is None else made

    def _changed_by(self, group: Any, items: Any, there: bool) -> AskedSet | None:
        """A set with, or without, all elements of another one, of which alone is asked; None for other values."""
        if type(group) is not AskedSet:
            return None
        items = items.content() if type(items) is AskedSet else whole(items)
        if type(items) is not ValueNode or items.tag is not _SET or len(items.items) > _MOST_PUT:
            return None
        self.fuel[0] -= 1 + len(items.items)
        return group.put_all(items.items, there)

    def removed(self, group: Any, item: Any) -> Any:
        item = whole(item)
        if type(group) is AskedSet:
            if not group.holds(_element(item)):
                raise GiveUp
            return self.discarded(group, item)
        queue = queue_of(group)
        if queue is not None:
            for place in self.turns(range(queue.size()), 1):
                if self.eq(queue.member(place), item):
                    return queue.without(place)
            raise GiveUp
        return super().removed(whole(group), item)

    def own(self, value: Any) -> Any:
        return value if type(value) in (AskedQueue, AskedSet) else super().own(whole(value))

    def kept(self, value: Any, owner: Any = None, added: int = 0) -> Any:
        # A queue has each member of the list once.
        return value if type(value) is AskedQueue else super().kept(whole(value), whole(owner), added)

    def last(self, group: Any) -> int:
        return -1 if _is_list(group) else super().last(whole(group))

    def dropped(self, group: Any, place: Any) -> Any:
        queue, keys, place = queue_of(group), keys_of_state(group), whole(place)
        if keys is not None:
            self.fuel[0] -= 1
            return keys.without(place)
        if queue is None:
            return super().dropped(whole(group), place)
        self.fuel[0] -= 1
        return queue.without(queue.index(place))

    def append(self, group: Any, item: Any) -> Any:
        queue = queue_of(group)
        if queue is not None:
            self.fuel[0] -= 1
            return queue.append(item)
        if isinstance(group, AskedNode) and group.is_list:
            self.fuel[0] -= 1
            return group.append(item)
        return super().append(whole(group), item)

    def put(self, group: Any, place: Any, item: Any) -> Any:
        place = whole(place)
        if isinstance(group, AskedNode):
            self.fuel[0] -= 1
            if group.is_list or _key(place) in group.shape.indexes:
                return group.put(group.index(place), item)
        keys = keys_of_state(group)
        return super().put(whole(group), place, item) if keys is None else keys.put(place, item)

    def without(self, group: Any, place: Any) -> Any:
        keys, place = keys_of_state(group), whole(place)
        if keys is None:
            return super().without(whole(group), place)
        return keys.without(place) if keys.has(place) else group

    def with_default(self, group: Any, place: Any, item: Any) -> Any:
        keys, place = keys_of_state(group), whole(place)
        if keys is None:
            return super().with_default(whole(group), place, item)
        return group if keys.has(place) else keys.put(place, item)

    def field_put(self, group: Any, name: str, value: Any) -> Any:
        if isinstance(group, AskedNode) and group.shape.tag is _RECORD:
            self.fuel[0] -= 1
            return group.put(group.shape.indexes[name], value)
        return super().field_put(whole(group), name, value)

    def method(self, name: str, owner: Any, *args: Any) -> Any:
        if name == "get" and isinstance(owner, AskedNode) and owner.is_dict and 0 < len(args) < 3:
            index = owner.shape.indexes.get(_key(whole(args[0])))
            self.fuel[0] -= 1
            if index is not None:
                return owner.member(index)
            return args[1] if len(args) > 1 else None
        if name == "index" and len(args) == 1 and _is_searched(owner, args[0]):
            position = self._position(owner, args[0])
            if position is None:
                raise GiveUp
            return position
        if name in ("union", "difference") and len(args) == 1:
            made = self._changed_by(owner, args[0], name == "union")
            if made is not None:
                return made
        return super().method(name, whole(owner), *map(whole, args))


_COMPARED: Final[Mapping[str, Callable[[AskingOperations, Any, Any], bool]]] = {
    "<": AskingOperations.lt,
    "<=": AskingOperations.le,
    ">": AskingOperations.gt,
    ">=": AskingOperations.ge,
    "==": AskingOperations.eq,
    "!=": AskingOperations.ne,
}


class AskedTexts(Sequence[str]):
    """The texts of alternatives, the members at some places of a list, each of which is asked for when it is taken."""

    def __init__(self, places: Sequence[int], container: AskedNode, prefix: str) -> None:
        self._places = places
        self._container = container
        self._prefix = prefix

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, index: Any) -> Any:
        nodes = self._container.reader.nodes
        return self._prefix + nodes.interner.text(nodes.number(self._container.member(self._places[index])))


def _is_container(value: Any) -> bool:
    return isinstance(value, AskedContainer) or is_container(value)


def _is_list(group: Any) -> TypeGuard[AskedNode | AskedQueue]:
    return type(group) is AskedQueue or (isinstance(group, AskedNode) and group.is_list)


def _is_searched(group: Any, item: Any) -> TypeGuard[AskedNode]:
    """Whether the members of a list are asked one by one whether they have a value."""
    if not isinstance(group, AskedNode) or not group.is_list or group.shape.whole:
        return False
    return type(item) in _SCALARS


def _key(place: Any) -> Any:
    """What `nodes.key` returns for a key, which is no container."""
    if type(place) is ValueNode and place.mutable:
        raise GiveUp
    return key(place)


def _element(item: Any) -> Any:
    """An element of a set, which is no container."""
    if type(item) is ValueNode and item.mutable:
        raise GiveUp
    return item
