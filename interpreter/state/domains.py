"""Symmetry domains: constants whose values a model can only compare, and that provide fresh values (section 11).

Results of a domain's methods depend on which of its values are in use. A domain is a constant without a state; its
methods are bound to the world of the step when they are looked up (`attribute_in`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal

from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from interpreter.state.step import Abort
from interpreter.values import Builtin, HostValue, ListValue, ModuleValue, SymmetricValue, ValueWalk
from interpreter.values.budget import METER, check_size
from interpreter.values.problem import ModelMistake, with_article
from interpreter.values.tags import Tag

Kind = Literal["nominal", "ordinal", "interval", "rotational"]
Index = int | Fraction


@dataclass(frozen=True, slots=True)
class DomainShape:
    """The declaration of a domain."""

    name: str
    kind: Kind
    limit: int | None
    divergence: int | None = None
    start: int = 0
    reflection: bool = False
    materialize: bool = False


class Domain(HostValue):
    """A symmetry domain."""

    __slots__ = ("shape",)
    kind = "domain"

    def __init__(self, shape: DomainShape) -> None:
        self.shape = shape

    def key(self, walk: ValueWalk) -> Hashable:
        return ("domain", self.shape.name)

    def intern(self, interner: Any) -> int:
        return int(interner.intern(Tag.DOMAIN, (self.shape.name,)))

    def attributes(self) -> Mapping[str, object]:
        shown: dict[str, object] = {"name": self.shape.name, "limit": self.shape.limit}
        if self.shape.kind == "interval":
            shown |= {"divergence": self.shape.divergence, "start": self.shape.start}
        return shown

    def attribute_in(self, world: Any, name: str) -> object:
        """An attribute, or a method bound to a world; R3 for other names."""
        known = self.attributes()
        if name in known:
            return known[name]
        methods = self._methods(world)
        if name in methods:
            return methods[name]
        text = f"no attribute '{name}' on {with_article(self.shape.kind)} domain"
        names = sorted([*known, *methods])
        raise ModelMistake("R3", text, near_hint(name, names) or f"it has {', '.join(names)}")

    def _methods(self, world: Any) -> dict[str, Builtin]:
        kind = self.shape.kind
        found = {
            "fresh": Builtin("fresh", lambda: self.fresh(world), 0, 0),
            "values": Builtin("values", lambda: ListValue(self.values(world)), 0, 0),
        }
        if kind in ("nominal", "rotational"):
            found["choices"] = Builtin("choices", lambda: ListValue(self.choices(world)), 0, 0)
            found["choose"] = Builtin("choose", lambda: self.choose(world), 0, 0)
        if kind in ("ordinal", "interval"):
            found["min"] = Builtin("min", lambda: self.extreme(world, min), 0, 0)
            found["max"] = Builtin("max", lambda: self.extreme(world, max), 0, 0)
        if kind == "ordinal":
            keywords = frozenset({"after", "before"})
            found["segments"] = Builtin("segments", lambda *a, **k: self.segments(world, *a, **k), 0, 2, keywords)
        return found

    # --- drawing values --------------------------------------------------------------------------------------------

    def value(self, index: Index) -> SymmetricValue:
        return SymmetricValue(self.shape.name, self.shape.kind, index, self.shape.limit)

    def draw(self, world: Any, index: Index) -> SymmetricValue:
        """A value that is marked as in use, until the end of the statement even if nothing holds it."""
        world.drawn.add((self.shape.name, index))
        return self.value(index)

    def fresh(self, world: Any) -> SymmetricValue:
        """A value that is not in use; the step does not exist if there is none."""
        if self.shape.materialize:
            raise ModelMistake("R15", f"fresh() on the materialised domain '{self.shape.name}'", "use values()")
        used = world.used(self.shape.name)
        METER.charge(len(used))
        self.check_room(used)
        return self.draw(world, self._free(used))

    def check_room(self, used: set[Index]) -> None:
        """ABORT if the domain is exhausted."""
        if self.shape.limit is not None and len(used) >= self.shape.limit:
            raise Abort(f"domain '{self.shape.name}' is exhausted")

    def _free(self, used: set[Index]) -> Index:
        shape = self.shape
        if shape.kind == "nominal":
            return next(i for i in range(len(used) + 1) if i not in used)
        if shape.kind == "rotational":
            assert shape.limit is not None
            METER.charge(2 * shape.limit * len(used))
            return _free_rotation({int(i) for i in used}, shape.limit)
        if not used:
            return shape.start
        index = max(used) + 1
        if shape.kind == "interval" and shape.divergence is not None and index - min(used) > shape.divergence:
            raise Abort(f"domain '{shape.name}' is exhausted")
        return index

    def values(self, world: Any) -> list[object]:
        """The values in use, by index; of a materialised domain all of them."""
        shape = self.shape
        if shape.materialize:
            check_size(shape.limit or 0, f"domain '{shape.name}'")
            METER.make(shape.limit or 0)
            first = shape.start if shape.kind == "interval" else 0
            return [self.value(first + i) for i in range(shape.limit or 0)]
        used = world.used(shape.name)
        METER.make(len(used))
        return [self.value(index) for index in sorted(used)]

    def choices(self, world: Any) -> list[object]:
        """The values in use and one fresh one, unless exhausted."""
        found = self.values(world)
        if self.shape.materialize:
            return found
        used = world.used(self.shape.name)
        if self.shape.limit is None or len(used) < self.shape.limit:
            found.append(self.draw(world, self._free(used)))
        return found

    def choose(self, world: Any) -> object:
        """The least value in use, else a fresh one."""
        found = self.values(world)
        return found[0] if found else self.fresh(world)

    def extreme(self, world: Any, pick: Callable[..., object]) -> object:
        """The least or greatest value in use, else a fresh one."""
        found = self.values(world)
        return pick(found, key=lambda value: value.index) if found else self.fresh(world)

    def segments(self, world: Any, after: object = None, before: object = None) -> ListValue:
        """The gaps between values in use, open head and tail included, at or above `after`, at or below `before`."""
        low, high = self._bound(after), self._bound(before)
        used = sorted(world.used(self.shape.name))
        METER.make(len(used) + 1)
        ends: list[Index | None] = [None, *used, None]
        gaps = []
        for left, right in pairwise(ends):
            above = low is None or (left is not None and left >= low)
            below = high is None or (right is not None and right <= high)
            if above and below:
                gaps.append(Segment(self, left, right))
        return ListValue(list(gaps))

    def _bound(self, value: object) -> Index | None:
        if value is None:
            return None
        if not isinstance(value, SymmetricValue) or value.domain != self.shape.name:
            raise ModelMistake("R14", f"segments() of '{self.shape.name}' takes values of that domain")
        return value.index


class Segment(HostValue):
    """A gap between two neighbouring ordinals; None: open. A segment in use keeps its ends in use."""

    __slots__ = ("domain", "after", "before")
    kind = "segment"

    def __init__(self, domain: Domain, after: Index | None, before: Index | None) -> None:
        self.domain = domain
        self.after = after
        self.before = before

    @property
    def ends(self) -> list[SymmetricValue]:
        """The values at the ends of the gap."""
        return [self.domain.value(end) for end in (self.after, self.before) if end is not None]

    def key(self, walk: ValueWalk) -> Hashable:
        return ("segment", self.domain.shape.name, self.after, self.before)

    def intern(self, interner: Any) -> int:
        return int(interner.intern(Tag.SEGMENT, (self.domain.shape.name, self.after, self.before)))

    def attributes(self) -> Mapping[str, object]:
        return {}

    def attribute_in(self, world: Any, name: str) -> object:
        """`fresh`, bound to a world."""
        if name != "fresh":
            raise ModelMistake("R3", f"no attribute '{name}' on a segment", near_hint(name, ["fresh"]))
        return Builtin("fresh", lambda: self.fresh(world), 0, 0)

    def fresh(self, world: Any) -> SymmetricValue:
        """A value inside the gap, below those drawn from it before."""
        used = world.used(self.domain.shape.name)
        METER.charge(len(used))
        self.domain.check_room(used)
        above = [i for i in used if self.after is None or i > self.after]
        inside = [i for i in above if self.before is None or i < self.before]
        before = min(inside) if inside else self.before
        if self.after is None:
            index: Index = 0 if before is None else before - 1
        else:
            index = self.after + 1 if before is None else Fraction(self.after + before) / 2
        return self.domain.draw(world, index)


def _free_rotation(used: set[int], limit: int) -> int:
    """A fresh index determined by the used set alone: chosen in its least rotation, and rotated back."""
    if not used:
        return 0
    images = {shift: tuple(sorted((i + shift) % limit for i in used)) for shift in range(limit)}
    least = min(images.values())
    found = []
    for shift, image in images.items():
        if image == least:
            free = next(i for i in range(limit) if i not in image)
            found.append((free - shift) % limit)
    return min(found)


class Domains:
    """The domains of a program, by name, in order of declaration; constructors register here until it is closed.

    `roles`: the symmetric roles, whose instances are domains too.
    """

    def __init__(self, roles: frozenset[str] = frozenset()) -> None:
        self.roles = roles
        self.shapes: dict[str, DomainShape] = {}
        self.closed = False

    def declare(self, shape: DomainShape) -> Domain:
        if self.closed:
            raise ModelMistake(
                "R4", "a symmetry domain can not be created in a step", "make it a constant at the top level"
            )
        if not shape.name:
            raise ModelMistake("R4", "the name of a symmetry domain must not be empty")
        if shape.name in self.roles:
            text = f"the symmetric role '{shape.name}' is a symmetry domain of that name already"
            raise ModelMistake("R4", text, "give the domain another name")
        if shape.name in self.shapes:
            raise ModelMistake("R4", f"there are two symmetry domains named '{shape.name}'")
        least = 2 if shape.kind == "rotational" else 1
        if shape.limit is not None and shape.limit < least:
            raise ModelMistake("R4", f"the limit of a {shape.kind} domain must be at least {least}")
        if shape.limit is not None:
            check_size(shape.limit, f"the symmetry domain '{shape.name}'")
        self.shapes[shape.name] = shape
        return Domain(shape)

    def host(self, tag: Tag, payload: tuple[Any, ...]) -> object:
        """The runtime value of an interned domain or segment."""
        domain = Domain(self.shapes[payload[0]])
        return domain if tag is Tag.DOMAIN else Segment(domain, payload[1], payload[2])

    def values(self, *args: object) -> tuple[SymmetricValue, ...]:
        """`symmetric_values("k", 3)`"""
        name, count = args if len(args) == 2 else ("symmetric", *args)
        if not isinstance(name, str) or type(count) is not int:
            raise ModelMistake("R4", 'symmetric_values() takes a name and a number: symmetric_values("k", 3)')
        check_size(count, f"domain {name!r}")
        METER.make(max(count, 0))
        domain = self.declare(DomainShape(name, "nominal", count, materialize=True))
        return tuple(domain.value(index) for index in range(count))

    def module(self) -> ModuleValue:
        """The module `symmetry`."""
        common = {"name", "limit", "materialize"}
        kinds: dict[Kind, set[str]] = {
            "nominal": common,
            "ordinal": common | {"reflection"},
            "interval": common | {"divergence", "start", "reflection"},
            "rotational": common | {"reflection"},
        }
        return ModuleValue(
            "symmetry",
            {kind: Builtin(kind, self._constructor(kind), 0, 0, frozenset(names)) for kind, names in kinds.items()},
        )

    def _constructor(self, kind: Kind) -> Callable[..., Domain]:
        def make(**options: object) -> Domain:
            own = options.pop("name", None)
            if not isinstance(own, str):
                raise ModelMistake("R4", f"symmetry.{kind}() needs name=, a string")
            for option, value in options.items():
                wanted = bool if option in ("reflection", "materialize") else int
                if value is not None and type(value) is not wanted:
                    name = "a bool" if wanted is bool else "an int"
                    raise ModelMistake("R4", f"{option}= of symmetry.{kind}() must be {name}")
            given: dict[str, Any] = {option: value for option, value in options.items() if value is not None}
            if kind == "interval":
                _complete_interval(given)
            elif "limit" not in given:
                raise ModelMistake("R4", f"symmetry.{kind}() needs limit=")
            return self.declare(DomainShape(own, kind, **{"limit": None, **given}))

        return make


def _complete_interval(given: dict[str, Any]) -> None:
    """Computes a missing `limit` or `divergence` from the other."""
    if "limit" not in given and "divergence" not in given:
        raise ModelMistake("R4", "symmetry.interval() needs divergence= or limit=")
    if given.get("divergence", 0) < 0:
        raise ModelMistake("R4", "the divergence of an interval domain must be at least 0")
    given.setdefault("limit", given.get("divergence", 0) + 1)
    given.setdefault("divergence", given["limit"] - 1)
    if given["limit"] > given["divergence"] + 1:
        raise ModelMistake("R4", "limit= of an interval domain is at most divergence + 1")
