"""The module `math` (language page, 5.2)."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from interpreter.library.arguments import number
from interpreter.values import Builtin, ModuleValue
from interpreter.values.problem import ModelMistake


def _wrapped(name: str, function: Callable[..., object], least: int, most: int) -> Builtin:
    """A function of numbers whose failures are mistakes of the model."""

    def compute(*args: object) -> object:
        numbers = [number(arg, f"math.{name}()") for arg in args]
        try:
            return function(*numbers)
        except ZeroDivisionError:
            raise ModelMistake("R5", f"math.{name}: division by zero") from None
        except ValueError:
            raise ModelMistake("R4", f"math.{name}({_listed(numbers)}) is not defined") from None
        except OverflowError:
            raise ModelMistake("R24", f"math.{name}({_listed(numbers)}) is too large") from None

    return Builtin(name, compute, least, most)


def _listed(numbers: list[Any]) -> str:
    return ", ".join(str(one)[:20] for one in numbers)


def _round(value: float) -> int:
    """The nearest int, halves away from zero; exact, where `floor(v + 0.5)` is not."""
    if isinstance(value, int):
        return value
    whole = math.trunc(value)
    return whole + (int(math.copysign(1, value)) if abs(value - whole) >= 0.5 else 0)


def _remainder(left: float, right: float) -> float:
    if right == 0:
        raise ZeroDivisionError
    return math.remainder(left, right)


def _mod(left: float, right: float) -> float:
    if right == 0:
        raise ZeroDivisionError
    return math.fmod(left, right)


_ROUNDING = ("ceil", "fabs", "floor")
_ANGLES = ("acos", "asin", "atan", "cos", "degrees", "radians", "sin", "tan")
_HYPERBOLIC = ("acosh", "asinh", "atanh", "cosh", "sinh", "tanh")
_ONE = (*_ROUNDING, *_ANGLES, *_HYPERBOLIC, "exp", "gamma", "sqrt")

MATH = ModuleValue(
    "math",
    {
        "e": math.e,
        "pi": math.pi,
        **{name: _wrapped(name, getattr(math, name), 1, 1) for name in _ONE},
        **{name: _wrapped(name, getattr(math, name), 2, 2) for name in ("atan2", "copysign", "hypot", "pow")},
        "log": _wrapped("log", math.log, 1, 2),
        "mod": _wrapped("mod", _mod, 2, 2),
        "remainder": _wrapped("remainder", _remainder, 2, 2),
        "round": _wrapped("round", _round, 1, 1),
    },
)
