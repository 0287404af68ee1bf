"""What generated code can name: variables of a kind, and the places inside of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Place:
    """Something of a kind that can be read. `writable`: it may be assigned; `mutable`: its content may be changed."""

    text: str
    kind: str
    writable: bool = True
    mutable: bool = True


@dataclass(slots=True)
class Function:
    """A func: parameters are (name, kind, default or None); `rank`: it calls only funcs of less rank."""

    name: str
    parameters: list[tuple[str, str, str | None]]
    returns: str | None
    flow: str | None
    rank: int


@dataclass(slots=True)
class Role:
    """A role: what its instances have, by name and kind."""

    name: str
    symmetric: bool
    params: dict[str, str] = field(default_factory=dict)
    fields: dict[str, str] = field(default_factory=dict)
    functions: list[Function] = field(default_factory=list)
    methods: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    constants: list[Place] = field(default_factory=list)


@dataclass(slots=True)
class Scope:
    """Where a statement stands."""

    places: list[Place]
    flow: str
    where: str  # init, action, func, role init, assertion, transition
    role: Role | None = None
    loop: bool = False
    depth: int = 0
    rank: int = 99
    returns: str | None = None
    settled: bool = True  # False while Init has not bound everything: nothing may be called

    def inner(self, **changes: object) -> Scope:
        """The scope of a block inside: what is bound there is not known outside."""
        return replace(self, **{"places": list(self.places), "depth": self.depth + 1, **changes})  # type: ignore[arg-type]

    @property
    def asserts(self) -> bool:
        return self.where in ("assertion", "transition")

    @property
    def may_call(self) -> bool:
        return self.settled and not self.asserts and (self.role is not None or self.flow == "atomic")


PARTS: Mapping[str, tuple[tuple[str, str, bool], ...]] = {
    "lists": (("[0]", "ints", True), ("[1]", "ints", True)),
    "rec": ((".f", "int", True), (".g", "ints", True)),
    "recs": (("[0]", "rec", True), ("[1]", "rec", True)),
    "dictl": (('["p"]', "ints", True), ('["q"]', "ints", True)),
    "tup": (("[0]", "int", False), ("[1]", "ints", False)),
    "struct": ((".a", "int", False), (".b", "ints", False)),
    "link": ((".v", "int", True),),
}
"""The parts that a value of a kind always has: how to name them, their kind, and whether they may be assigned."""


def inside(places: Iterable[Place], roles: Mapping[str, Role], depth: int = 2) -> list[Place]:
    """The places, and the places inside of them."""
    found: list[Place] = []
    for place in places:
        found.append(place)
        if depth:
            found += inside(_parts(place, roles), roles, depth - 1)
    return found


def _parts(place: Place, roles: Mapping[str, Role]) -> Iterator[Place]:
    for suffix, kind, writable in PARTS.get(place.kind, ()):
        yield Place(place.text + suffix, kind, writable and place.mutable, place.mutable)
    word, _, name = place.kind.partition(":")
    if word == "role":
        role = roles[name]
        yield from (Place(f"{place.text}.{p}", kind, False, False) for p, kind in role.params.items())
        yield from (Place(f"{place.text}.{f}", kind, place.mutable, place.mutable) for f, kind in role.fields.items())
