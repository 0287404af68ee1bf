"""Random models beside random abstract ones: the verdict is that of a few lines written straight from the page."""

from __future__ import annotations

import random
from functools import partial

import pytest

from checker.search.engines.embedded import EmbeddedEngine
from checker.search.refinement import concrete_run
from tests.refinement.conftest import Refine, verdict
from tests.sample import one_in

State = tuple[int, int]
Steps = dict[State, list[State]]

PAIRS = [(a, b) for a in range(3) for b in range(2)]


def _steps(source: random.Random, most: int) -> Steps:
    return {pair: source.choices(PAIRS, k=source.randint(0, most)) for pair in PAIRS}


def _text(first: str, second: str, begin: list[State], steps: Steps) -> str:
    return f"""\
BEGIN_{first} = {begin}
STEPS_{first} = {steps}
action Init:
    {first}, {second} = oneof BEGIN_{first}
atomic action Go:
    {first}, {second} = oneof STEPS_{first}[({first}, {second})]
"""


def _shortest(
    begin: list[State], steps: Steps, seen: dict[State, int], others: list[State], theirs: Steps
) -> int | None:
    """The steps of a shortest run that nothing explains, if there is one. Of `theirs` the first part is seen."""

    def closed(states: set[State]) -> frozenset[State]:
        found = set(states)
        while new := {t for s in found for t in theirs[s] if t[0] == s[0]} - found:
            found |= new
        return frozenset(found)

    level = {(state, closed({one for one in others if one[0] == seen[state]})) for state in begin}
    known = set(level)
    length = 0
    while level:
        if any(not explained for _, explained in level):
            return length
        length += 1
        reached = set()
        for state, explained in level:
            for target in steps[state]:
                then = explained
                if seen[target] != seen[state]:
                    then = closed({t for s in explained for t in theirs[s] if t[0] == seen[target]})
                reached.add((target, then))
        level = reached - known
        known |= level
    return None


@pytest.mark.parametrize("wide", [None, 0, 2])
@pytest.mark.parametrize("block", one_in(3, range(3)))
def test_random_models(refine: Refine, block: int, wide: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The length of the shortest counterexample, or that there is none; row by row, by columns, and first one way."""
    monkeypatch.setattr(concrete_run, "EmbeddedEngine", partial(EmbeddedEngine, wide))
    found = set()
    for seed in range(30 * block, 30 * block + 30):
        source = random.Random(seed)
        begin, others = source.choices(PAIRS, k=2), PAIRS if source.random() < 0.5 else source.choices(PAIRS, k=4)
        steps, theirs = _steps(source, 2), _steps(source, 5)
        seen = {pair: source.randrange(3) if source.random() < 0.3 else pair[0] for pair in PAIRS}
        text = _text("x", "y", begin, steps) + f"SEEN = {seen}\n"
        text += 'def view(x, y): return {"u": SEEN[(x, y)]}\nrefines "abstract.fizz" with view\n'
        report = refine("---\ndeadlock_detection: false\n---\n" + text, _text("u", "v", others, theirs))
        expected = _shortest(begin, steps, seen, others, theirs)
        told = verdict(report)
        assert (told.verdict == "violated", told.steps) == (expected is not None, expected), (seed, text)
        found.add(expected)
    assert len(found) > 2
