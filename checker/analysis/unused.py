"""What a complete exploration never used: statements (W4, W7), and settings without effect (W14)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Set

from fizz import Diagnostic
from interpreter import Program
from interpreter.compile.program import Instruction, OneOfBlock, ParallelBlock, PickBlock, Routine, Scope
from interpreter.compile.statements import inner, instructions, own, suites
from interpreter.machine import Note
from interpreter.state.model_limits import LimitSetting

_HINT = "no step of the model comes here"


def unused(program: Program, noted: Set[Note], idle_actions: Collection[str]) -> Iterator[Diagnostic]:
    """Statements that were never executed: of each block the first, of a choice each alternative.

    `noted` are the executed ones. Actions that are known to be idle are skipped, and so are roles that executed
    nothing: variants of a model may leave them out.
    """
    idle = _routines_of(program, idle_actions)
    views = {one.view for one in program.refinements if one.abstract_view is not None}
    alive = {routine.role for routine in program.routines if _executed(routine, noted)}
    for routine in program.routines:
        if routine.kind == "assertion" or routine.number in idle or (routine.role and routine.role not in alive):
            continue
        if not _executed(routine, noted):
            if routine.span.file != program.path or (routine.role is None and routine.name in views):
                # A view is asked of states; a file that is included by several models need not be used whole by each.
                continue
            text = f"no statement of {routine.kind} '{routine.name}' was ever executed"
            yield Diagnostic("W4", text, routine.span, _HINT)
        else:
            yield from _gaps(routine.body, noted)


def _routines_of(program: Program, actions: Collection[str]) -> set[int]:
    of_program = [*program.actions, *(action for role in program.roles for action in role.actions)]
    return {action.routine for action in of_program if action.key in actions}


def _executed(routine: Routine, noted: Set[Note]) -> bool:
    """Whether any statement of a routine was executed."""
    return any(instruction.span in noted for instruction in instructions(routine.body))


def _gaps(scope: Scope, noted: Set[Note]) -> Iterator[Diagnostic]:
    for instruction in own(scope):
        if instruction.span in noted:
            yield from _gaps_within(instruction, noted)
            continue
        what = "alternative" if isinstance(scope, OneOfBlock) else "statement"
        yield Diagnostic("W4", f"this {what} was never executed", instruction.span, _HINT)
        if not isinstance(scope, OneOfBlock | ParallelBlock):
            return


def _gaps_within(instruction: Instruction, noted: Set[Note]) -> Iterator[Diagnostic]:
    if isinstance(instruction, PickBlock) and instruction.body.instructions[0].span not in noted:
        text = "there was never anything to choose from: each time the statement fell through"
        yield Diagnostic(
            "W7", text, instruction.span, "the assignment form, `v = oneof …`, would give up the step instead"
        )
        return
    for body in (*suites(instruction), *inner(instruction)):
        yield from _gaps(body, noted)


def idle_settings(program: Program, noted: Set[Note]) -> Iterator[Diagnostic]:
    """Settings of `action_options` that changed nothing."""
    for setting, value in _settings(program):
        if setting not in noted:
            name = f"action_options.{setting.key}.{setting.option}: {value}"
            crash = setting.option == "crash_on_yield"
            what = "no thread could have crashed there" if crash else "it was never reached"
            yield Diagnostic("W14", f"{name} had no effect: {what}", hint="remove it, or change it")


def _settings(program: Program) -> Iterator[tuple[LimitSetting, object]]:
    for key, option in sorted(program.options.action_options.items()):
        for name in ("max_actions", "max_concurrent_actions"):
            value = getattr(option, name)
            if value is not None:
                yield LimitSetting(key, name), value
        if not option.crash_on_yield:
            yield LimitSetting(key, "crash_on_yield"), "false"
