"""Helpers to call builtins and methods, and to get the code of a mistake."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from interpreter.library import BUILTINS
from interpreter.library.operations import get_attribute
from interpreter.values import ModuleValue
from interpreter.values.problem import ModelMistake

Call = Callable[..., Any]


@pytest.fixture
def call() -> Call:
    """`call("len", v)`, `call("math.floor", 1.5)`: a builtin as a model calls it."""

    def run(name: str, /, *args: object, **kwargs: object) -> Any:
        module, _, member = name.rpartition(".")
        function: Any = BUILTINS[module or name]
        if isinstance(function, ModuleValue):
            function = function.members[member]
        return function.call(args, kwargs)

    return run


@pytest.fixture
def method() -> Call:
    """`method(v, "append", 1)`: a method as a model calls it."""

    def run(value: object, name: str, /, *args: object, **kwargs: object) -> Any:
        function: Any = get_attribute(value, name)
        return function.call(args, kwargs)

    return run


@pytest.fixture
def problem() -> Call:
    """`problem(function, *args)`: the problem that a call ends in; fails if it ends well."""

    def run(function: Call, /, *args: object, **kwargs: object) -> ModelMistake:
        with pytest.raises(ModelMistake) as caught:
            function(*args, **kwargs)
        return caught.value

    return run
