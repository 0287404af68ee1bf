"""Folds over a set or bag to which elements were added earlier in the same step.

The container as it was answers for itself, as it would unchanged; the turns for what was added are taken where the fold
is asked, after those, as the elements come last within the step (language page, 5.5).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeGuard

from interpreter.library.builtin_functions import FUNCTIONS
from interpreter.state.step import ModelError
from interpreter.values import ListValue, SetValue
from interpreter.values.basis import hash_key
from interpreter.values.budget import METER
from interpreter.values.folding import INTO_ONE, OF_SETS, AskedFold, Fold
from interpreter.values.problem import ModelMistake

_OF_TRUTHS: Final = ("any", "all")
Ask = Callable[[AskedFold], tuple[object] | None]


def is_joined(fold: AskedFold, ordered: bool) -> TypeGuard[Fold]:
    """Whether the value of a fold follows from its value over a container as it was, and the turns for what was added.

    `ordered`: the container keeps its elements in the order of the step.
    """
    functions = fold.site[1]
    return isinstance(fold, Fold) and (_is_of_all(functions) or (ordered and functions in (("list",), OF_SETS)))


def fold_with(ask: Ask, added: Sequence[object], fold: Fold) -> tuple[object] | None:
    """The value of such a fold over a container that has these elements more; None: it is to be computed as it is
    written. `ask` gives the value over the container as it was."""
    functions = fold.site[1]
    found = ask(fold)
    if found is None or (functions[0] != "list" and found[0] is (functions[-1] == "any")):
        return found
    spent, depth = METER.spent, METER.depth
    try:
        return _joined(functions, found[0], [result for item in added for result in fold.turn(item)])
    except (ModelMistake, ModelError):
        # Evaluated again as it is written, with the place of the error.
        METER.resume(spent)
        METER.depth = depth
        return None


def _is_of_all(functions: tuple[str, ...]) -> bool:
    """Whether the value over two parts follows from the values over each."""
    return functions == ("list", "len") or functions[-1] in INTO_ONE or functions[-1] in _OF_TRUTHS


def _joined(functions: tuple[str, ...], value: object, results: list[object]) -> tuple[object] | None:
    """The value of a fold that has this value without some results, which come last."""
    into_one = functions[-1] in INTO_ONE
    if into_one and any(type(result) is not int for result in results):
        return None
    if into_one or functions[-1] in _OF_TRUTHS:
        return (FUNCTIONS[functions[-1]].call([ListValue([value, *results])], {}),)
    if functions == ("list", "len"):
        assert isinstance(value, int)
        return (value + len(results),)
    METER.make(len(results))
    if isinstance(value, SetValue):
        for result in results:
            value.entries.setdefault(hash_key(result), result)
    else:
        assert isinstance(value, ListValue)
        value.items += results
    return (value,)
