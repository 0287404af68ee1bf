"""Warnings of a run about the model itself, which change no verdict (language page, 14)."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from checker.analysis.growth import growing
from checker.analysis.unused import idle_settings, unused
from checker.analysis.vacuity import never_tested
from checker.core.exploration import Exploration
from checker.core.limits import StopReason
from checker.core.property import Property
from fizz import Diagnostic
from interpreter import Machine, Program, State, Step

_IDLE = "this is where it gave up most often; `fizzpy explain` tells how far it comes"

_MOST_IDLE = 3
"""The most actions without a step that get a warning each, with its location."""

_SAMPLE = 20
"""States on which declared symmetry is tested."""
_COSTLY = ("R20", "R24")
"""Errors after which a step may have used all of its budget."""


def audit(machine: Machine, exploration: Exploration, properties: Sequence[Property]) -> tuple[Diagnostic, ...]:
    """The warnings about a run, in the order of their codes."""
    program, noted = machine.program, exploration.noted
    return (
        *_idle(exploration),
        *(() if noted is None else unused(program, noted, exploration.idle_actions)),
        *_bounded(machine, exploration),
        *_asymmetric(machine, exploration),
        *(() if noted is None else idle_settings(program, noted)),
        *(() if noted is None else never_tested(program, _holding(program, exploration, properties), noted)),
        *_untested(program, exploration, properties),
        *growing(machine, exploration),
    )


def _idle(exploration: Exploration) -> Iterator[Diagnostic]:
    if len(exploration.idle_actions) > _MOST_IDLE:
        # A constant may disable many actions at once; a warning for each would hide other ones.
        names = ", ".join(exploration.idle_actions)
        text = f"{len(exploration.idle_actions)} actions never had a step: {names}"
        yield Diagnostic("W3", text, hint="`fizzpy explain` tells of each where it gives up")
        return
    for name, span in exploration.idle_actions.items():
        yield Diagnostic(
            "W3",
            f"action '{name}' never had a step",
            span,
            _IDLE,
        )


def _bounded(machine: Machine, exploration: Exploration) -> Iterator[Diagnostic]:
    if exploration.cut and exploration.stopped is StopReason.COMPLETE:
        bound = machine.program.options.max_actions
        states, start = ("state", "starts") if exploration.cut == 1 else ("states", "start")
        cut = f"{exploration.cut:,} {states} at max_actions = {bound} {start} no further action"
        text = f"the search was bounded: {cut}"
        yield Diagnostic("W12", text, hint="raise max_actions to see what lies beyond")


def _asymmetric(machine: Machine, exploration: Exploration) -> Iterator[Diagnostic]:
    """Whether states of a random walk, always the same one, and their least images have equal images of successors."""
    if not (exploration.reduced and machine.symmetric):
        return
    failed = None if exploration.error is None else exploration.error.error
    if failed is not None and failed.code in _COSTLY:
        # A step that takes seconds before it fails is not repeated for many states.
        return
    for state in _walk(machine):
        if machine.plain(state):
            return
        if not _mirrored(machine, state):
            text = "the declared symmetry is not respected: renamed states have other successors"
            hint = "counts and verdicts may be wrong; look for order among symmetric values, or use --no-symmetry"
            yield Diagnostic("W13", text, hint=hint)
            return


def _walk(machine: Machine) -> Iterator[State]:
    source = random.Random(0)
    initial = machine.initial()[0]
    state = source.choice(initial).state if initial else None
    for _ in range(_SAMPLE):
        if state is None:
            return
        yield state
        steps = machine.steps(state).steps
        state = source.choice(steps).target if steps else None


def _mirrored(machine: Machine, state: State) -> bool:
    """Whether the least image of a state has the images of its successors."""
    images = machine.images
    renamed = images.leading(state)
    image = images.image(state, renamed)
    if image == state:
        return True
    steps, mirrored = machine.steps(state).steps, machine.steps(image).steps
    # The same renaming nearly always leads to them, unless it gives an instance the name of a new one; to choose
    # the least of many images of each takes much longer.
    known = state.layout.owned.keys()
    is_name_free = all(step.target.layout.owned.keys() <= known for step in steps)
    if is_name_free and _keys(machine, steps, partial(images.image, renamed=renamed)) == _keys(machine, mirrored):
        return True
    return _keys(machine, steps, machine.canonical) == _keys(machine, mirrored, machine.canonical)


def _keys(
    machine: Machine, steps: Iterable[Step], image: Callable[[State], State] = lambda state: state
) -> list[tuple[bool, int]]:
    """The keys of images of the targets of steps, sorted."""
    return sorted((step.crashes, machine.key(image(step.target))) for step in steps)


def _untested(program: Program, exploration: Exploration, properties: Sequence[Property]) -> Iterator[Diagnostic]:
    spans = {assertion.name: assertion.span for assertion in program.assertions}
    for p in properties:
        for sentence in exploration.untested.get(p.key, ()):
            text = f"assertion '{p.name}' holds, but {sentence}"
            yield Diagnostic("W16", text, spans[p.name], "what it says was never put to the test")


def _holding(program: Program, exploration: Exploration, properties: Sequence[Property]) -> list[int]:
    """The assertions that hold: a violated one was tested."""
    watches = [watch for p in properties if p.key in exploration.judged for watch in p.watches]
    asked = dict.fromkeys(watch.predicate.assertion for watch in watches if watch.predicate is not None)
    # Further questions about an assertion are asked of the same text.
    return [number for number in asked if program.assertions[number].of is None]
