"""Random toys.

Every engine gives the answer of the plain one, and the plain one that of a few lines written straight from the page.
"""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from checker import properties
from checker.core.exploration import Exploration, Settings
from checker.core.limits import Limits
from checker.core.property import watches_of
from checker.liveness.graph_search import GraphSearch
from checker.properties import properties_of
from checker.search.contract.protocol import Task
from checker.search.registry import engine_of
from checker.traces.replay import story_of
from tests.checker.conftest import IN_PROCESS, explore_toy
from tests.checker.toy import Alternative, Pair, Toy, ToyAssertion, ToyMachine, ToyRule, toy_program

_PATHS = tuple(engine for engine in IN_PROCESS if engine != "embedded")
"""Toys are too small for the embedded engine to change its method, so each method is tested by itself."""

NUMBERS = st.integers(0, 2)
PAIRS = st.tuples(NUMBERS, NUMBERS)
HALVES = st.none() | NUMBERS
KINDS = tuple(kind.kind for kind in properties.KINDS)


@st.composite
def alternatives(draw: st.DrawFn, faults: bool) -> tuple[Alternative, ...]:
    fair = draw(st.booleans())
    count = draw(st.integers(1, 3))
    found = []
    for _ in range(count):
        value = draw(st.sampled_from("uvw"))
        found.append(
            Alternative(
                draw(HALVES),
                draw(HALVES),
                draw(st.none() | PAIRS),
                value,
                fair,
                aborts=draw(st.integers(0, 5)) == 0,
                fails=faults and draw(st.integers(0, 20)) == 0,
            )
        )
    return tuple(found)


@st.composite
def rules(draw: st.DrawFn, name: str, faults: bool) -> ToyRule:
    sees_b = draw(st.booleans())
    looks = PAIRS if sees_b else st.tuples(NUMBERS, st.none())
    table = draw(st.dictionaries(looks, alternatives(faults), max_size=5))
    return ToyRule(name, dict(table), sees_b, draw(st.sampled_from((None, "weak", "strong"))))


@st.composite
def assertions(draw: st.DrawFn, name: str, faults: bool) -> ToyAssertion:
    kind = draw(st.sampled_from(KINDS))
    sees_b = kind != "transition" and draw(st.booleans())
    looks = PAIRS if sees_b or kind == "transition" else st.tuples(NUMBERS, st.none())
    answers = st.booleans() | st.just("error") if faults else st.booleans()
    default = draw(st.booleans()) if kind != "always" else True
    return ToyAssertion(name, kind, dict(draw(st.dictionaries(looks, answers, max_size=3))), default, sees_b)


@st.composite
def toys(draw: st.DrawFn) -> Toy:
    faults = draw(st.integers(0, 4)) == 0
    return Toy(
        initial=tuple(draw(st.lists(PAIRS, min_size=1, max_size=2))),
        actions=tuple(draw(rules(f"Act{i}", faults)) for i in range(draw(st.integers(1, 3)))),
        continues=tuple(draw(rules(f"Thread{i}", faults)) for i in range(2)),
        threads={
            pair: tuple(threads)
            for pair, threads in draw(
                st.dictionaries(PAIRS, st.lists(st.integers(0, 1), max_size=2), max_size=4)
            ).items()
        },
        role_crashes=draw(st.dictionaries(PAIRS, PAIRS, max_size=2)),
        assertions=tuple(draw(assertions(f"P{i}", faults)) for i in range(draw(st.integers(0, 3)))),
        symmetric=draw(st.booleans()),
        seed=draw(st.integers(0, 3)),
    )


LIMITS = st.builds(Limits, states=st.none() | st.integers(1, 8), depth=st.none() | st.integers(0, 4))
SETTINGS = st.builds(Settings, keep_going=st.booleans(), limits=LIMITS)
OPTIONS = st.fixed_dictionaries(
    {
        "max_actions": st.integers(1, 4) | st.just(100),
        "deadlock_detection": st.booleans(),
        "liveness": st.sampled_from(("strict", "strict", "nondeterministic", "probabilistic", "off")),
        "exclude": st.sampled_from(((), (), ("b",))),
        "continue_on_invariant_failures": st.booleans(),
    }
)


@settings(max_examples=100, deadline=None)
@given(toys(), SETTINGS, OPTIONS)
def test_engines_agree(toy: Toy, given_settings: Settings, options: dict[str, object]) -> None:
    """Counts, findings with their paths and cycles, and judgement are equal; each finding has a trace."""
    plain = comparable(explore_toy("plain", toy, given_settings, **options))
    for engine in _PATHS:
        assert comparable(explore_toy(engine, toy, given_settings, **options)) == plain
    check_traces(toy, plain, options)


def check_traces(toy: Toy, found: Exploration, options: dict[str, object]) -> None:
    """Each finding has a trace; unless states are merged, its last state is the bad one, and a cycle closes.

    Where a variable is excluded that the model depends on, a story may break off: the states kept are not those met.
    """
    exact = not toy.symmetric and not options["exclude"]
    machine = ToyMachine(toy_program(toy, **options))
    for key, finding in found.findings.items():
        story = story_of(machine, finding)
        assert options["exclude"] or (story is None) == (not finding.path)
        if story is None:
            continue
        assert len(story.entries) == finding.steps + 1
        if exact and finding.cycle:
            assert story.entries[-1].state == story.entries[len(finding.path) - 1].state
        wrong = next((a for a in toy.assertions if a.name == key and a.kind == "always"), None)
        if exact and wrong is not None:
            (_, a), (_, b) = story.entries[-1].state[:2]
            assert answer(wrong, (int(a), int(b))) is False


def comparable(found: Exploration) -> Exploration:
    """An exploration without what may differ between engines; mistakes compare by what they say."""
    error = found.error
    if error is not None and error.error is not None:
        error = replace(error, error=error.error.diagnostic)  # type: ignore[arg-type]
    return replace(found, stats={}, error=error)


@settings(max_examples=40, deadline=None)
@given(toys(), OPTIONS)
def test_graphs_agree(toy: Toy, options: dict[str, object]) -> None:
    """The graphs on which liveness is judged are equal, edge by edge."""
    wanted = ToyAssertion("Live", "always eventually", {(0, 0): True}, default=False)
    toy = replace(toy, assertions=(wanted,))
    shapes = [graph_of(engine, toy, options) for engine in _PATHS]
    assert all(shape == shapes[0] for shape in shapes)


def graph_of(engine: str, toy: Toy, options: dict[str, object]) -> list[object]:
    program = toy_program(toy, **(options | {"liveness": "strict"}))
    watches = watches_of(properties_of(program, None), program.options)
    run = engine_of(engine).begin(Task(program, watches, Settings(), graph=True, machine=ToyMachine))
    level = run.first()
    while level.frontier:
        level = run.next()
    search = run.search()
    assert isinstance(search, GraphSearch)
    graph = search.graph
    rows: list[object] = [
        (
            graph.key(s),
            [(graph.mark(e), graph.targets[e]) for e in graph.edges(s)],
            graph.need(s),
            graph.quiet[s],
            graph.cut[s],
        )
        for s in range(graph.states)
    ]
    return [*rows, search.answers("Live")]


@settings(max_examples=50, deadline=None)
@given(toys())
def test_counts_are_those_of_the_page(toy: Toy) -> None:
    """States, transitions, crash steps and depth, and the shortest violation, against a naive search."""
    toy = replace(toy, symmetric=False, assertions=tuple(a for a in toy.assertions if a.kind == "always"))
    found = explore_toy("plain", toy, Settings(keep_going=True))
    if found.error is not None:
        return
    levels, transitions, crashes = naive(toy)
    assert found.states == len(levels)
    assert found.depth == max(levels.values())
    assert (found.transitions, found.crash_steps) == (transitions, crashes)
    for assertion in toy.assertions:
        wrong = [level for pair, level in levels.items() if not answer(assertion, pair)]
        finding = found.findings.get(assertion.name)
        assert (None if finding is None else finding.steps) == (min(wrong) if wrong else None)


def naive(toy: Toy) -> tuple[dict[Pair, int], int, int]:
    machine = ToyMachine(toy_program(toy))
    levels = dict.fromkeys(toy.initial, 0)
    steps: set[tuple[Pair, str]] = set()
    crashes: set[tuple[Pair, str]] = set()
    work = list(levels)
    for pair in work:
        for step in machine.steps(machine.state(pair)).steps:
            (crashes if step.crashes else steps).add((pair, step.name))
            target = machine.pair(step.target)
            if target not in levels:
                levels[target] = levels[pair] + 1
                work.append(target)
    return levels, len(steps), len(crashes)


def answer(assertion: ToyAssertion, pair: Pair) -> bool | str:
    look: object = pair if assertion.sees_b else (pair[0], None)
    return assertion.table.get(look, assertion.default)
