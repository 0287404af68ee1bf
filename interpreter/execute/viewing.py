"""Views of refinement: the values of an abstract model's variables in a state of the refining one (10.9)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fizz.base.near_names import near_hint
from interpreter.compile.program import RefinementProgram
from interpreter.execute.code import Code
from interpreter.execute.environment import located
from interpreter.execute.view import Recorder, View
from interpreter.execute.world import World
from interpreter.state.state import MISSING
from interpreter.state.step import ModelError
from interpreter.values import DictValue, FunctionValue, type_name
from interpreter.values.budget import METER
from interpreter.values.freeze import freeze
from interpreter.values.intern import Interner
from interpreter.values.problem import ModelMistake, with_article


def viewed(
    refinement: RefinementProgram, code: Code, values: Interner, recorder: Recorder, expected: Collection[str] | None
) -> Mapping[str, int]:
    """The ids of the values that the view gives in a state, by name, sorted; shared containers are written out.

    `expected`: the names that it gave in other states; None: in none yet. Raises `ModelError`, R26 if the view is no
    dict of variables of the abstract model.
    """
    METER.begin(code.budget)
    world = World(values, recorder, code)
    try:
        result = _called(refinement, code, world)
        _demand_variables(refinement, result, expected)
        found = {str(name): value for name, value in result.entries.values()}
        return {name: freeze(found[name], values) for name in sorted(found)}
    except ModelMistake as problem:
        raise located(problem, refinement.span) from None
    except RecursionError:
        raise located(ModelMistake("R16", "calls nested too deeply"), refinement.span) from None
    finally:
        METER.end()
        world.end()


def _called(refinement: RefinementProgram, code: Code, world: World) -> DictValue:
    view = code.known.constants[refinement.view]
    assert isinstance(view, FunctionValue)
    arguments = [world.get(("heap", name)) for name in refinement.parameters]
    for name, value in zip(refinement.parameters, arguments, strict=True):
        if value is MISSING:
            raise ModelMistake("R1", f"name '{name}' is not bound here", f"the view '{refinement.view}' takes it")
    result = view.call(arguments, {})
    if not isinstance(result, DictValue):
        text = f"the view '{refinement.view}' returns {with_article(type_name(result))}, not a dict"
        raise ModelMistake("R26", text, f"return a dict with values for {_all_of(refinement)}")
    return result


def _demand_variables(refinement: RefinementProgram, result: DictValue, expected: Collection[str] | None) -> None:
    known = refinement.abstract.state_variables
    for key, _ in result.entries.values():
        if not isinstance(key, str) or key not in known:
            name = f"'{key}'" if isinstance(key, str) else f"a key of type {type_name(key)}"
            text = f"the view '{refinement.view}' has {name}, which is no variable of {refinement.abstract.path}"
            hint = near_hint(key, known) if isinstance(key, str) else None
            raise ModelMistake("R26", text, hint or f"its variables are {_all_of(refinement)}")
    names = [str(key) for key, _ in result.entries.values()]
    if expected is not None and sorted(names) != sorted(expected):
        text = f"the view '{refinement.view}' has other variables than before: {', '.join(sorted(names)) or 'none'}"
        raise ModelMistake("R26", text, "return the same variables in every state; the others are hidden")


def _all_of(refinement: RefinementProgram) -> str:
    return ", ".join(refinement.abstract.state_variables) or "none"


def variable(name: str, code: Code, values: Interner, view: View) -> int | None:
    """The id of the value of a state variable, with shared containers written out; None if it is not bound.

    Raises `ModelError` if that is too large, as where it contains itself.
    """
    world = World(values, Recorder(view), code)
    try:
        value = world.get(("heap", name))
        return None if value is MISSING else freeze(value, values)
    except ModelMistake as problem:
        program = code.program
        span = None if program.init is None else program.routines[program.init].span
        raise ModelError(problem.code, f"variable '{name}': {problem.text}", span, problem.hint) from None
    finally:
        world.end()
