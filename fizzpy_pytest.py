"""The pytest plugin: classes decorated with `fizzpy.model_test` have tests that a model writes.

Loaded with every run of pytest in its environment: nothing heavy is imported before a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from checker.conformance.tested_model import TestedModel
    from checker.conformance.walk_plan import WalkPlan
    from checker.conformance.walk_run import Mismatch

_SOURCES = ("transitions", "random", "hypothesis")
_PLANS = pytest.StashKey[dict[str, str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The options of the plugin."""
    group = parser.getgroup("fizzpy", "tests that a model writes")
    group.addoption(
        "--fizzpy-coverage",
        choices=_SOURCES,
        default=None,
        help="where walks come from: all transitions of the model (default), random walks, or hypothesis",
    )
    group.addoption("--fizzpy-walks", type=int, default=None, metavar="N", help="random walks, or examples (20)")
    group.addoption("--fizzpy-steps", type=int, default=None, metavar="N", help="most calls of a walk (50)")
    group.addoption("--fizzpy-seed", type=int, default=0, metavar="S", help="seed of random walks (0)")


def pytest_configure(config: pytest.Config) -> None:
    """What the walks cover is kept until the summary."""
    config.stash[_PLANS] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each walk."""
    if "fizzpy_walk" not in metafunc.fixturenames or metafunc.cls is None:
        return
    source, number, longest = _asked(metafunc.config, metafunc.cls)
    model = _model_of(metafunc.cls)
    if source == "hypothesis":
        metafunc.parametrize("fizzpy_walk", [None], ids=["hypothesis"])
        return
    plan = _plan(model, source, number, longest, metafunc.config.getoption("--fizzpy-seed"))
    metafunc.config.stash[_PLANS][metafunc.cls.__name__] = plan.sentence
    metafunc.parametrize("fizzpy_walk", plan.walks, ids=[f"walk{i}" for i in range(len(plan.walks))])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the walks cover."""
    for name, sentence in config.stash[_PLANS].items():
        terminalreporter.write_line(f"fizzpy: {name}: {sentence}")


def _asked(config: pytest.Config, adapter: type) -> tuple[str, int, int]:
    settings: dict[str, Any] = adapter._fizzpy  # type: ignore[attr-defined]
    source = config.getoption("--fizzpy-coverage") or settings["coverage"]
    number = config.getoption("--fizzpy-walks") or settings["walks"]
    longest = config.getoption("--fizzpy-steps") or settings["steps"]
    return str(source), int(number), int(longest)


def _model_of(adapter: type) -> TestedModel:
    """The model of an adapter class, loaded once."""
    from checker.conformance.adapters import adapter_model

    known = adapter.__dict__.get("_fizzpy_model")
    if known is None:
        settings: dict[str, Any] = adapter._fizzpy  # type: ignore[attr-defined]
        known = adapter_model(settings["model"], adapter, settings["silent"], settings["receiver"])
        adapter._fizzpy_model = known  # type: ignore[attr-defined]
    result: TestedModel = known
    return result


def _plan(model: TestedModel, source: str, number: int, longest: int, seed: int) -> WalkPlan:
    from checker.conformance.walk_plan import covering_walks, random_walks

    return covering_walks(model, longest) if source == "transitions" else random_walks(model, number, longest, seed)


@pytest.fixture
def fizzpy_run(request: pytest.FixtureRequest) -> Callable[[Any, Any], None]:
    """What runs the test of a decorated class: one walk, or one run of hypothesis if the walk is None."""

    def run(adapter: Any, walk: Any) -> None:
        model = _model_of(type(adapter))
        if walk is None:
            _, number, longest = _asked(request.config, type(adapter))
            _with_hypothesis(adapter, model, number, longest)
        else:
            _planned(adapter, model, walk)

    return run


def _planned(adapter: Any, model: TestedModel, walk: Any) -> None:
    from checker.conformance.adapters import ObjectSystem
    from checker.conformance.walk_run import Mismatch, run_walk, shortened

    story = ""
    try:
        run_walk(model, lambda: ObjectSystem(adapter), walk)
    except Mismatch as found:
        story = _story(adapter, model, shortened(model, lambda: ObjectSystem(adapter), found))
    if story:
        pytest.fail(story, pytrace=False)


def _with_hypothesis(adapter: Any, model: TestedModel, number: int, longest: int) -> None:
    """Hypothesis makes the choices, shrinks them, and keeps what failed in its database."""
    from hypothesis import HealthCheck, given, settings
    from hypothesis import strategies as st

    from checker.conformance.adapters import ObjectSystem
    from checker.conformance.tested_model import ModelCall
    from checker.conformance.walk_run import Mismatch, run_walk

    @settings(max_examples=number, deadline=None, suppress_health_check=list(HealthCheck))
    @given(data=st.data())
    def walk(data: st.DataObject) -> None:
        left = data.draw(st.integers(1, longest), label="calls")

        def choose(possible: list[ModelCall]) -> ModelCall | None:
            nonlocal left
            left -= 1
            return possible[data.draw(st.integers(0, len(possible) - 1))] if left >= 0 else None

        run_walk(model, lambda: ObjectSystem(adapter), choose)

    story = ""
    try:
        walk()
    except Mismatch as found:
        story = _story(adapter, model, found)
    if story:
        pytest.fail(story, pytrace=False)


def _story(adapter: Any, model: TestedModel, found: Mismatch) -> str:
    from checker.conformance.walk_run import as_function

    return f"{found}\n\nAs a test of its own:\n\n{as_function(type(adapter).__name__, found, model)}\n"
