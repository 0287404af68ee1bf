"""A counterexample as a guided trace, which `follow` takes again step by step."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from checker.core.given import Given
from checker.core.problems import UsageProblem
from checker.core.trace import Trace, TraceEntry
from checker.core.visible import printable
from checker.search.contract.bounds import is_cut
from checker.traces.possible import Possible, possible_inits, possible_steps, spelled
from fizz import Module
from interpreter import Machine, State, Step, compile_module
from interpreter.state.step import InitialState


def guide_text(module: Module, trace: Trace, remarks: Sequence[str] = ()) -> str:
    """The explicit guided trace of a counterexample, with remarks as comments at its head.

    A lasso becomes its prefix and its cycle, taken once. Raises `UsageProblem` if the steps cannot be found again.
    """
    return machine_guide_text(Machine(compile_module(module)), trace, remarks)


def machine_guide_text(machine: Machine, trace: Trace, remarks: Sequence[str] = ()) -> str:
    """The same for a model that is a machine already."""
    lines = [f"# {printable(remark, lines=False)}" for remark in remarks]
    lines.append("[explicit]")
    options = machine.program.options
    starts = sum(entry.kind == "start" for entry in trace.entries)
    if is_cut(starts - 1, options.max_actions):
        # A state is cut by the fewest starts that lead to it; this path may have more of them before its last one.
        lines.append("[unbounded]")
    lines += _links(machine, trace)
    return "\n".join(lines) + "\n"


def replay_command(model: str, given: Given, path: str) -> str:
    """The command that replays a guided trace, as it stands at the head of the file."""
    pairs = [("--set", pair) for pair in given.constants.items()]
    pairs += [("--option", pair) for pair in given.options.items()]
    words = [word for option, (name, value) in pairs for word in (option, f"{name}={value}")]
    return shlex.join(["fizzpy", "trace", model, *words, "--follow", path])


def _links(machine: Machine, trace: Trace) -> Iterator[str]:
    state: State | None = None
    for number, entry in enumerate(trace.entries):
        if number == trace.cycle_start:
            yield "# --- cycle ---"
        possible = (
            possible_inits(machine) if state is None else list(possible_steps(machine, state, True, crashes=True))
        )
        chosen = _step_of(machine, entry, possible)
        yield chosen.name
        yield from spelled(chosen, possible)
        if chosen.crashes:
            yield "crash"
        state = _target(chosen) or state
    if trace.stutter:
        yield "# --- stutter ---"


def _step_of(machine: Machine, entry: TraceEntry, possible: Sequence[Possible]) -> Possible:
    """The step of an entry: the one of its name that leads to its state. Raises `UsageProblem`."""
    named = [one for one in possible if one.full_name == entry.label]
    for one in named:
        target = _target(one)
        if target is not None and tuple(machine.describe(target)) == entry.state:
            return one
    failing = [one for one in named if _target(one) is None]
    if failing:
        return failing[0]
    raise UsageProblem(
        f"the trace can not be saved: no step '{entry.label}' leads to the state that it tells of", why_no_run(machine)
    )


def why_no_run(machine: Machine) -> str:
    """Why a counterexample may be no run of the model, and a remedy."""
    excluded = machine.program.options.exclude
    if excluded and not machine.symmetric:
        names = ", ".join(excluded)
        return f"states that differ only in {names} were one state to the check: check without identity.exclude"
    return "the model does not respect the symmetry that it declares; check it with --no-symmetry"


def _target(one: Possible) -> State | None:
    match one.result:
        case Step(target=target):
            return target
        case InitialState(state=state):
            return state
    return None
