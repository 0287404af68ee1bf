"""Why a lasso is fair, in sentences for people."""

from __future__ import annotations

from collections.abc import Iterable

from checker.liveness.components import whole_weak
from checker.liveness.graph import Graph, Obligation, Strength
from checker.liveness.lasso import Lasso


def sentences(graph: Graph, lasso: Lasso) -> tuple[str, ...]:
    """One sentence per name that is available on the cycle, then one per fair choice that it passes."""
    if lasso.stutter:
        return ("no fair action and no unfinished thread can take a step here, so the run may stop",)
    states = [lasso.head, *(graph.targets[e] for e in lasso.cycle)]
    taken = {o for e in lasso.cycle for o in graph.mark(e).takes}
    names = sorted({o for s in states for o in graph.need(s)})
    said = [_name(name, name in taken) for name in names]
    if not whole_weak(graph, states) <= taken:
        raise AssertionError("the cycle is not fair")
    said += _choices(o for o in sorted(taken) if o.strength == Strength.ALTERNATIVE)
    return tuple(said) or ("no fair action and no unfinished thread can take a step in the cycle",)


def _name(name: Obligation, taken: bool) -> str:
    if name.thread:
        return f"every unfinished thread that can go on does: {name.name} goes on in the cycle"
    if taken:
        word = "strongly" if name.strength == Strength.STRONG else "weakly"
        return f"{name.name} is {word} fair, and the cycle takes it"
    return f"{name.name} is weakly fair, and it is not available in every state of the cycle"


def _choices(alternatives: Iterable[Obligation]) -> list[str]:
    values: dict[tuple[str, str], list[str]] = {}
    for alternative in alternatives:
        values.setdefault((alternative.place, alternative.name), []).append(alternative.value)
    said = []
    for (place, instance), taken in values.items():
        where = f"{place} in {instance}" if instance else place
        said.append(f"the fair choice at {where} takes all that it offers: {', '.join(taken)}")
    return said
