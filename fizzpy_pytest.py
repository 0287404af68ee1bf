"""The pytest plugin: classes decorated with `fizzpy.model_test` have tests that a model writes.

Loaded with every run of pytest in its environment: nothing heavy is imported before a test asks for it.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from checker.conformance.tested_model import ModelCall, TestedModel
    from checker.conformance.walk_plan import WalkPlan
    from checker.conformance.walk_run import WalkFailure

_SOURCES = ("transitions", "random", "hypothesis")
_MOST_NUMBER = 65_535
"""The greatest number that stands for a choice: its rest is taken among those that are possible."""
_FLAKY = (
    "The same choices did not fail again: it depends on more than the calls, as on choices or timing of the system."
)
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
    group.addoption("--fizzpy-walks", type=_number, default=None, metavar="N", help="random walks, or examples (20)")
    group.addoption("--fizzpy-steps", type=_number, default=None, metavar="N", help="most calls of a walk (50)")
    group.addoption("--fizzpy-seed", type=int, default=0, metavar="S", help="seed of random walks (0)")


def _number(text: str) -> int:
    """What walks and steps are counted by: a run of none would pass."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{number} is less than 1")
    return number


def pytest_configure(config: pytest.Config) -> None:
    """What the walks cover is kept until the summary."""
    config.stash[_PLANS] = {}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each walk."""
    if "fizzpy_walk" not in metafunc.fixturenames or metafunc.cls is None:
        return
    source, number, longest = _asked(metafunc.config, metafunc.cls)
    with _refusing(pytest.Collector.CollectError):
        model = _model_of(metafunc.cls)
        plan = None if source == "hypothesis" else _plan(model, source, number, longest, metafunc.config)
    if plan is None:
        metafunc.parametrize("fizzpy_walk", [None], ids=["hypothesis"])
        return
    where = f"{metafunc.module.__name__}.{metafunc.cls.__qualname__}"
    metafunc.config.stash[_PLANS][where] = f"{metafunc.cls.__qualname__}: {plan.sentence}"
    metafunc.parametrize("fizzpy_walk", plan.walks, ids=[f"walk{i}" for i in range(len(plan.walks))])


@contextmanager
def _refusing(kind: Callable[[str], BaseException]) -> Iterator[None]:
    """What is wrong with a model or an adapter is said in a sentence, without where it was found out."""
    from checker.core.problems import Problem
    from fizz import FizzError
    from interpreter import ModelError

    try:
        yield
    except (Problem, FizzError, ModelError) as failure:
        raise kind(str(failure)) from None


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Say what the walks cover."""
    for sentence in config.stash[_PLANS].values():
        terminalreporter.write_line(f"fizzpy: {sentence}")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """A worker of xdist tells what its walks cover to the process that prints the summary."""
    told = getattr(session.config, "workeroutput", None)
    if told is not None:
        told["fizzpy"] = session.config.stash[_PLANS]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """What a worker of xdist told; all of them plan the same."""
    node.config.stash[_PLANS].update(getattr(node, "workeroutput", {}).get("fizzpy", {}))


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


def _plan(model: TestedModel, source: str, number: int, longest: int, config: pytest.Config) -> WalkPlan:
    from checker.conformance.walk_plan import covering_walks, random_walks

    if source == "transitions":
        return covering_walks(model, longest)
    return random_walks(model, number, longest, config.getoption("--fizzpy-seed"))


@pytest.fixture
def fizzpy_run(request: pytest.FixtureRequest) -> Callable[[Any, Any], None]:
    """What runs the test of a decorated class: one walk, or one run of hypothesis if the walk is None."""

    def run(adapter: Any, walk: Any) -> None:
        __tracebackhide__ = True
        model = _model_of(type(adapter))
        with _refusing(pytest.fail.Exception):
            if walk is None:
                _, number, longest = _asked(request.config, type(adapter))
                failure = _with_hypothesis(adapter, model, number, longest)
            else:
                failure = _planned(adapter, model, walk)
        if failure is not None:
            _tell(adapter, model, failure)

    return run


def _planned(adapter: Any, model: TestedModel, walk: Any) -> WalkFailure | None:
    """How a planned walk fails, if it does, by as few calls as possible."""
    from checker.conformance.adapters import ObjectSystem
    from checker.conformance.walk_run import LeastTaken, failure_of, shortened

    found = failure_of(model, lambda: ObjectSystem(adapter), walk, LeastTaken())
    return found and shortened(model, lambda: ObjectSystem(adapter), found)


def _with_hypothesis(adapter: Any, model: TestedModel, number: int, longest: int) -> WalkFailure | None:
    """Hypothesis makes the choices, shrinks them, and keeps what failed in its database."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import strategies as st
    from hypothesis.errors import Flaky

    from checker.conformance.adapters import ObjectSystem
    from checker.conformance.walk_run import failure_of, shortened

    __tracebackhide__ = True
    failures: list[WalkFailure] = []
    traces: list[TracebackType | None] = []

    choices = st.integers(0, _MOST_NUMBER)

    # Lists of any size would be short ones mostly. All is drawn before the walk: what is possible then may depend on
    # choices of the system.
    @settings(
        max_examples=number,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
        # It would explain lines of this tool.
        phases=[phase for phase in settings().phases if phase is not Phase.explain],
        verbosity=Verbosity.quiet,
        database=_database_of(type(adapter)),
    )
    @given(numbers=st.integers(1, longest).flatmap(lambda n: st.lists(choices, min_size=n, max_size=n)))
    def walk(numbers: list[int]) -> None:
        __tracebackhide__ = True
        left = iter(numbers)

        def choose(possible: list[ModelCall]) -> ModelCall | None:
            number = next(left, None)
            return None if number is None else possible[number % len(possible)]

        failure = failure_of(model, lambda: ObjectSystem(adapter), choose)
        if failure is not None:
            failures.append(failure)
            traces.append(failure.error.__traceback__)
            raise failure.error

    try:
        walk()
    except Flaky:
        told = min(range(len(failures)), key=lambda number: len(failures[number].moves))
        failures[told].error.add_note(_FLAKY)
    except Exception:  # noqa: BLE001 - whatever the system under test raises
        # The last example that hypothesis runs is the one that it shows.
        told = -1
    else:
        return None
    found = failures[told]
    # Without the lines of hypothesis.
    found.error.__traceback__ = traces[told]
    # A number may stand for another call where one before it is left out: hypothesis can not shrink that.
    return found if told >= 0 else shortened(model, lambda: ObjectSystem(adapter), found)


def _database_of(adapter: type) -> Any:
    """The database of hypothesis, with keys of its own for each class: examples that another class passes are dropped.

    None if there is none.
    """
    from hypothesis import settings
    from hypothesis.database import ExampleDatabase

    database = settings().database
    if database is None:
        return None
    whole: ExampleDatabase = database
    prefix = f"fizzpy {adapter.__module__}.{adapter.__qualname__} ".encode()

    class OfClass(ExampleDatabase):
        def save(self, key: bytes, value: bytes) -> None:
            whole.save(prefix + key, value)

        def fetch(self, key: bytes) -> Iterable[bytes]:
            return whole.fetch(prefix + key)

        def delete(self, key: bytes, value: bytes) -> None:
            whole.delete(prefix + key, value)

    return OfClass()


def _tell(adapter: Any, model: TestedModel, failure: WalkFailure) -> None:
    """Fail, with the walk as a counterexample and as a test of its own."""
    __tracebackhide__ = True
    from checker.conformance.walk_run import Mismatch, as_function

    function = f"As a test of its own:\n\n{as_function(type(adapter), failure, model)}\n"
    if isinstance(failure.error, Mismatch):
        notes = "".join(f"\n{note}\n" for note in getattr(failure.error, "__notes__", []))
        pytest.fail(f"{failure.error}\n{notes}\n{function}", pytrace=False)
    if failure.steps:
        calls = "\n".join(f"    {move.text}" for move in failure.moves)
        failure.error.add_note(f"the calls until then:\n{calls}\n\n{function}")
    raise failure.error
