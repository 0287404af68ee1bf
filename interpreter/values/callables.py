"""Values that can be called inside an expression, and modules: they live for one step and are never stored."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import ClassVar

from interpreter.values.basis import Value, ValueWalk
from interpreter.values.problem import ModelMistake


class FunctionValue(Value):
    """A function that an expression can call: builtin, method, lambda, `def` helper. Equal only to itself."""

    __slots__ = ("name",)
    kind: ClassVar[str] = "function"

    def __init__(self, name: str) -> None:
        self.name = name

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        """The result for runtime values as arguments. Raises `ModelMistake`."""
        raise NotImplementedError

    def held(self) -> Iterable[object]:
        """The values that it has from one call to the next."""
        return ()

    def key(self, walk: ValueWalk) -> Hashable:
        return self


class Builtin(FunctionValue):
    """A function of the host that takes `least` to `most` positional arguments (None: any number), and named ones.

    `keywords` are the names of keyword-only arguments (None: any name is taken); `positions` maps the names of
    arguments that may be given by position or by name to their positions.
    """

    __slots__ = ("function", "keywords", "least", "most", "positions")

    def __init__(
        self,
        name: str,
        function: Callable[..., object],
        least: int = 0,
        most: int | None = None,
        keywords: frozenset[str] | None = frozenset(),
        positions: Mapping[str, int] | None = None,
    ) -> None:
        super().__init__(name)
        self.function = function
        self.least = least
        self.most = most
        self.keywords = keywords
        self.positions = positions or {}

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        self.check(len(args), kwargs)
        return self.function(*args, **kwargs)

    def check(self, count: int, kwargs: Mapping[str, object]) -> None:
        """R4 for too few or too many arguments or an unknown name."""
        named = {self.positions[name] for name in kwargs if name in self.positions} if kwargs else ()
        missing = count < self.least and any(position not in named for position in range(count, self.least))
        if missing or (self.most is not None and count > self.most):
            raise ModelMistake("R4", f"{self.name}() takes {self._wanted()}, got {count + len(named)}")
        for name in kwargs:
            position = self.positions.get(name)
            if position is not None and position < count:
                raise ModelMistake("R4", f"{self.name}() got the argument '{name}' twice")
            if position is None and self.keywords is not None and name not in self.keywords:
                raise ModelMistake("R4", f"{self.name}() has no argument named '{name}'")

    def _wanted(self) -> str:
        if self.most is None:
            return f"at least {self.least} argument{'s' if self.least != 1 else ''}"
        if self.least == self.most:
            if not self.most:
                return "no positional arguments"
            return f"{self.most} argument{'s' if self.most != 1 else ''}"
        return f"{self.least} to {self.most} arguments"


class BoundMethod(FunctionValue):
    """A method of a value, with that value: `log.append`."""

    __slots__ = ("method", "receiver")

    def __init__(self, receiver: object, method: Builtin) -> None:
        super().__init__(method.name)
        self.receiver = receiver
        self.method = method

    def held(self) -> Iterable[object]:
        return (self.receiver,)

    def call(self, args: Sequence[object], kwargs: Mapping[str, object]) -> object:
        self.method.check(len(args), kwargs)
        return self.method.function(self.receiver, *args, **kwargs)


class ModuleValue(Value):
    """`math`, `itertools`, or a `.star` helper module: a namespace. It may not be stored in state."""

    __slots__ = ("members", "name")
    kind: ClassVar[str] = "module"

    def __init__(self, name: str, members: Mapping[str, object]) -> None:
        self.name = name
        self.members = members

    def key(self, walk: ValueWalk) -> Hashable:
        return self
