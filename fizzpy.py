"""fizzpy: the public Python API. `fizzpy.check("model.fizz")` does what the command `fizzpy check model.fizz` does.

    import fizzpy

    report = fizzpy.check("model.fizz", engine="spark", constants={"N": 3})
    print(report.verdict, report.states)
    for entry in report.trace.entries if report.trace else ():
        print(entry.label, entry.changes)

`fizzpy.measure` computes probabilities and expected values, `fizzpy.mutate` changes a model in one place at a time, to
see whether its properties notice, `fizzpy.sweep` checks it with each combination of values for its constants,
`fizzpy.simulate` makes random walks, `fizzpy.trace` follows a guided trace,
`fizzpy.explain` says why actions have no step, `fizzpy.coverage` what ran, as the commands of these names do.

`Report`, `PropertyReport`, `Trace`, `TraceEntry` and `Change` are the types of what comes back, `SimulationReport` and
`GuidedReport` those of the walks, `ActionsReport`, `StateReport` and `Coverage` those of explanations and coverage. A
model that does not parse raises `FizzError`; a wrong request or a missing environment raises `Problem`.
"""

from __future__ import annotations

import gc
import importlib
import importlib.util
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, overload

if TYPE_CHECKING:
    from os import PathLike

    from checker.analysis.covering import Coverage
    from checker.analysis.explanation import ActionsReport, StateReport
    from checker.conformance.adapters import StdioSystem
    from checker.conformance.allowed import allowed, unordered
    from checker.conformance.history_recorder import HistoryRecorder
    from checker.conformance.history_report import HistoryReport
    from checker.conformance.public import history, model_test, validate
    from checker.conformance.validation_report import ValidationReport
    from checker.core.given import GivenTexts
    from checker.core.model_result import ModelResult
    from checker.core.problems import EnvironmentProblem, ExitCode, Problem, UsageProblem
    from checker.core.report import PropertyReport, Report
    from checker.core.trace import Change, Trace, TraceEntry
    from checker.measure.measured import Measured
    from checker.mutation.mutation_report import MutationReport
    from checker.search.spark import exported_frames as spark
    from checker.sweep.sweep_function import sweep
    from checker.sweep.sweep_report import SweepReport
    from checker.traces.walk_report import GuidedReport, SimulationReport
    from fizz import FizzError, Module

__all__ = [
    "ActionsReport",
    "Change",
    "Coverage",
    "EnvironmentProblem",
    "ExitCode",
    "FizzError",
    "GuidedReport",
    "HistoryRecorder",
    "HistoryReport",
    "Measured",
    "ModelResult",
    "MutationReport",
    "Problem",
    "PropertyReport",
    "Report",
    "SimulationReport",
    "StateReport",
    "StdioSystem",
    "SweepReport",
    "Trace",
    "TraceEntry",
    "UsageProblem",
    "ValidationReport",
    "allowed",
    "check",
    "coverage",
    "explain",
    "history",
    "main",
    "measure",
    "model_test",
    "mutate",
    "simulate",
    "spark",
    "sweep",
    "trace",
    "unordered",
    "validate",
]

# What a model given as a text is called in messages.
_SOURCE = "source.fizz"

# Where the names above live. They are fetched when they are used: `fizzpy --version` needs none of them.
_HOMES = {
    "checker.analysis.covering": ("Coverage",),
    "checker.analysis.explanation": ("ActionsReport", "StateReport"),
    "checker.conformance.adapters": ("StdioSystem",),
    "checker.conformance.allowed": ("allowed", "unordered"),
    "checker.conformance.history_recorder": ("HistoryRecorder",),
    "checker.conformance.history_report": ("HistoryReport",),
    "checker.conformance.public": ("history", "model_test", "validate"),
    "checker.conformance.validation_report": ("ValidationReport",),
    "checker.core.model_result": ("ModelResult",),
    "checker.core.problems": ("EnvironmentProblem", "Problem", "UsageProblem"),
    "checker.core.report": ("ExitCode", "PropertyReport", "Report"),
    "checker.core.trace": ("Change", "Trace", "TraceEntry"),
    "checker.measure.measured": ("Measured",),
    "checker.mutation.mutation_report": ("MutationReport",),
    "checker.sweep.sweep_function": ("sweep",),
    "checker.sweep.sweep_report": ("SweepReport",),
    "checker.traces.walk_report": ("GuidedReport", "SimulationReport"),
    "fizz": ("FizzError",),
}


def __getattr__(name: str) -> object:
    for module, names in _HOMES.items():
        if name in names:
            _refuse_strangers()
            return getattr(importlib.import_module(module), name)
    if name == "spark":
        _refuse_strangers()
        return importlib.import_module("checker.search.spark.exported_frames")
    raise AttributeError(f"module 'fizzpy' has no attribute '{name}'")


def check(
    model: str | PathLike[str] | None = None,
    *,
    engine: str = "embedded",
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: str | Sequence[str] | None = None,
    keep_going: bool = False,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    stats: bool = False,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    spark_from: int | None = None,
    checkpoint: str | PathLike[str] | None = None,
    checkpoint_every: float | None = None,
    resume: str | PathLike[str] | None = None,
    export: str | PathLike[str] | None = None,
    memory: int | None = None,
    workers: int | None = None,
    progress: Callable[..., None] | None = None,
) -> Report:
    """Explore the state space of a model and say which of its properties hold.

    model       path of a `.fizz` file, or the name of a model that comes with the tool
    source      the text of a model, instead of `model`
    engine      "embedded" (default), "plain" or "spark"; they give the same answer
    constants   values for top-level constants: None, bool, int, float, str, bytes, and list, tuple, dict, set, range
    options     any option of the front matter, as {"max_actions": 5} or {"action_options.Send.max_actions": 1}
    properties  names of the assertions to check, or one name; None: all
    keep_going  explore everything, and find the shortest counterexample of each violated property
    max_states  stop after the level at which so many states were found
    max_depth   stop after the level of this number; the initial states are level 0
    timeout     stop after so many seconds; the levels that were completed until then count
    symmetry    False: tell states apart that differ only by a permutation of symmetric values
    stats       fill `Report.stats`
    master, conf, spark_from
                Spark: master URL, configuration, and the width of the frontier from which levels run as Spark jobs
    checkpoint, checkpoint_every, resume
                a folder to save the run in, the seconds between two times, and a folder to go on from
    export      a new folder for the state space as Parquet files, or the address of one, as "s3://bucket/folder";
                `fizzpy.spark.states(report)` then is a DataFrame of Spark
    memory      how many megabytes what is stored of states may take in memory (embedded engine); more goes to the disk
    workers     how many processes share the work once it is wide enough (embedded engine); None: as many as cores
    progress    called from time to time while the search runs

    Returns a `Report`; a violated property is a result, not an exception. It is true if every property holds on the
    whole state space, and shows itself in notebooks; `report.graph()` is the state graph for networkx, `report.states`
    the number of states and `report.states()` their table for pandas. Raises `FizzError` for a model, option or
    constant that is wrong, `UsageProblem` for a missing file or an unknown property, `EnvironmentProblem` for a machine
    that lacks something.
    """
    _refuse_strangers()
    from checker.check import check as check_model
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.model_result import with_table

    given = _given(options, constants)
    chosen: dict[str, object] = {
        "spark_master": master,
        "spark_from": spark_from,
        "checkpoint_every_s": checkpoint_every,
        "checkpoint": None if checkpoint is None else str(checkpoint),
        "resume": None if resume is None else str(resume),
        "export": None if export is None else str(export),
        "memory_mb": memory,
    }
    settings = Settings(
        workers=workers,
        keep_going=keep_going,
        limits=Limits.asked_for({"max_states": max_states, "max_depth": max_depth, "timeout": timeout}),
        properties=_names(properties),
        symmetry=symmetry,
        stats=stats,
        spark_conf=tuple((conf or {}).items()),
        **{name: value for name, value in chosen.items() if value is not None},  # type: ignore[arg-type]
    )
    whole = _model(model, source, given)
    return with_table(check_model(whole, engine=engine, settings=settings, **given, progress=progress))


def simulate(
    model: str | PathLike[str] | None = None,
    *,
    runs: int = 100,
    seed: int = 0,
    steps: int | None = None,
    shorten: bool = True,
    rare: bool = False,
    workers: int | None = None,
    engine: Literal["embedded", "spark"] = "embedded",
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    timeout: float | None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: str | Sequence[str] | None = None,
    progress: Callable[..., None] | None = None,
) -> SimulationReport:
    """Walk through a model at random, until something is violated: what is found is real, the rest proves nothing.

    runs        how many walks to make
    seed        walk i, counted from 0, has the seed `seed` + i
    steps       steps of a walk at most; None: ten for each start that `max_actions` allows
    shorten     False: show a violating walk with all its steps, needed or not
    rare        True: draw those steps more often whose action a walk has taken rarely
    workers     how many processes make walks at a time; None: they are made here. The report is the same
    engine, master, conf
                "spark": make the walks as tasks on Spark, on this master, with this configuration
    timeout     end after so many seconds
    progress    called from time to time while the walks are made

    The rest is as in `check`, and so are the exceptions.
    """
    _refuse_strangers()
    from checker.core.limits import Limits
    from checker.swarm.simulate import simulate as simulate_model
    from checker.tasks.task_runner import TaskPlace

    given = _given(options, constants)
    place = TaskPlace.asked_for(engine, workers, master, (conf or {}).items())
    return simulate_model(
        _model(model, source, given),
        runs=runs,
        seed=seed,
        steps=steps,
        shorten=shorten,
        rare=rare,
        place=None if place == TaskPlace() else place,
        limits=Limits.asked_for({"timeout": timeout}),
        selected=_names(properties),
        **given,
        progress=progress,
    )


def trace(
    model: str | PathLike[str] | None = None,
    follow: str | PathLike[str] | Sequence[str] | None = None,
    *,
    extend: int = 0,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: str | Sequence[str] | None = None,
    timeout: float | None = None,
) -> GuidedReport:
    """Follow a guided trace through a model, and tell what happens.

    follow      path of a file with one step or choice per line, or a list of such lines; None: Init alone
    extend      list all steps up to so many steps beyond the end
    timeout     end after so many seconds

    The rest is as in `check`, and so are the exceptions; a line that fits no step raises `UsageProblem`.
    """
    _refuse_strangers()
    from checker.core.limits import Limits
    from checker.traces.guided import follow as follow_trace

    given = _given(options, constants)
    return follow_trace(
        _model(model, source, given),
        str(follow) if isinstance(follow, str | os.PathLike) else follow,
        extend=extend,
        selected=_names(properties),
        limits=Limits.asked_for({"timeout": timeout}),
        **given,
    )


@overload
def explain(
    model: str | PathLike[str] | None = None,
    action: str | None = None,
    *,
    follow: None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    progress: Callable[..., None] | None = None,
) -> ActionsReport: ...


@overload
def explain(
    model: str | PathLike[str] | None = None,
    action: str | None = None,
    *,
    follow: str | PathLike[str] | Sequence[str],
    step: int | None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> StateReport: ...


def explain(
    model: str | PathLike[str] | None = None,
    action: str | None = None,
    *,
    follow: str | PathLike[str] | Sequence[str] | None = None,
    step: int | None = None,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    progress: Callable[..., None] | None = None,
) -> ActionsReport | StateReport:
    """Say why actions of a model have no step: over the whole exploration, or in one state.

    action      the action, as "Act", "Node.Act" or "Node#0.Act"; None: all that never have a step (in a state: all)
    follow      the state is that at the end of this guided trace, a file or a list of lines; []: the initial state.
                None: over the whole exploration
    step        with `follow`: the state after so many of its steps

    The rest is as in `check`, and so are the exceptions. Over the exploration an `ActionsReport` tells of each action
    which guards its attempts came to and got past; in a state a `StateReport` tells the guards that are false there.
    """
    _refuse_strangers()
    from checker.analysis.explanation import explain_actions, explain_state
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.model_result import with_table

    given = _given(options, constants)
    if follow is not None:
        lines = str(follow) if isinstance(follow, str | os.PathLike) else follow
        return explain_state(_model(model, source, given), action, trace=lines, step=step, **given)
    limits = Limits.asked_for({"max_states": max_states, "max_depth": max_depth, "timeout": timeout})
    settings = Settings(limits=limits, symmetry=symmetry)
    found = explain_actions(_model(model, source, given), action, settings=settings, progress=progress, **given)
    return with_table(found)


def coverage(
    model: str | PathLike[str] | None = None,
    *,
    source: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: str | Sequence[str] | None = None,
    keep_going: bool = False,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    progress: Callable[..., None] | None = None,
) -> Coverage:
    """Count over all states of a model how often each line runs, and what its guards and branches decide.

    properties  names of the assertions to evaluate; None: all

    The rest is as in `check`, and so are the exceptions. States are visited row by row, and as far as a check would go.
    """
    _refuse_strangers()
    from checker.analysis.covering import cover
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.model_result import with_table

    settings = Settings(
        keep_going=keep_going,
        limits=Limits.asked_for({"max_states": max_states, "max_depth": max_depth, "timeout": timeout}),
        properties=_names(properties),
        symmetry=symmetry,
    )
    given = _given(options, constants)
    return with_table(cover(_model(model, source, given), settings=settings, progress=progress, **given))


def measure(
    model: str | PathLike[str],
    file: str | PathLike[str] | None = None,
    *,
    nondeterminism: Literal["uniform", "bounds"] | None = None,
    until: str | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: str | Sequence[str] | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    progress: Callable[..., None] | None = None,
) -> Measured:
    """Read the states of a model as a Markov chain: how probable, how much on average, how often in the long run.

    file        path of a YAML file with probabilities and counters by label; None: there are none
    nondeterminism
                where several steps have no probability: "uniform", each is equally probable; "bounds", the least and
                the greatest values over all schedulers; None: as the file says, else it is refused
    until       the name of an assertion: runs end in the first state where it is true
    properties  names of the assertions to measure; None: all that are true or false in a state

    The rest is as in `check`, and so are the exceptions; what cannot be measured raises `Problem`. The values of the
    `Measured` have bounds: `measured.counter("toss").expected.value`, `measured.assertion("Elected").true.greatest`.
    """
    _refuse_strangers()
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.locate import locate
    from checker.measure.measuring import measure as measure_model

    settings = Settings(
        limits=Limits.asked_for({"max_states": max_states, "max_depth": max_depth, "timeout": timeout}),
        properties=_names(properties),
        symmetry=symmetry,
    )
    return measure_model(
        locate(str(model)),
        file,
        nondeterminism=nondeterminism,
        until=until,
        settings=settings,
        progress=progress,
        **_given(options, constants),
    )


def mutate(
    model: str | PathLike[str],
    *,
    budget: int = 10,
    at_most: int | None = None,
    workers: int | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    properties: Sequence[str] | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    progress: Callable[[int, int, int], None] | None = None,
) -> MutationReport:
    """Change a model in one place at a time, and say which changes none of its properties notices.

    budget      a mutant may have so many times the states of the model
    at_most     try so many mutants, evenly chosen; None: all
    workers     mutants at a time; None: as many as cores
    timeout     end after so many seconds: the mutants tried until then count
    progress    called with the numbers of mutants tried, of those that survived, and of all

    The rest is as in `check`, and so are the exceptions; `UsageProblem` if a property is violated as it is.
    """
    _refuse_strangers()
    from checker.core.exploration import Settings
    from checker.core.limits import Limits
    from checker.core.locate import locate
    from checker.mutation.mutating import mutate as mutate_model

    return mutate_model(
        locate(str(model)),
        budget=budget,
        at_most=at_most,
        workers=workers,
        settings=Settings(
            limits=Limits.asked_for({"timeout": timeout}),
            properties=None if properties is None else tuple(properties),
            symmetry=symmetry,
        ),
        counted=progress or (lambda done, survived, total: None),
        **_given(options, constants),
    )


def _model(model: str | PathLike[str] | None, source: str | None, given: GivenTexts) -> str | Module:
    """The path of a model, or the model that a text is. Raises `UsageProblem` unless one of both is given."""
    from checker.core.locate import locate
    from checker.core.problems import UsageProblem

    if model is not None and source is None:
        return locate(str(model))
    if model is not None or source is None:
        raise UsageProblem("a model is needed, and only one", "give its path, or its text as source=…")
    from fizz import load

    return load(_SOURCE, text=source, **given)


def _names(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """A list of names; a text is one name."""
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _given(options: Mapping[str, object] | None, constants: Mapping[str, object] | None) -> GivenTexts:
    """Options and constants as the texts that the command takes."""
    from checker.core.given import given_texts

    return given_texts(options, constants)


def main() -> int:
    """The command `fizzpy`: runs it with the arguments of this process and returns its exit code."""
    # Nothing here multiplies matrices; the threads that numpy keeps ready for it would spin for a tenth of a second.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    # Nearly all that is made here is freed by counting references: to look for circles more often is a waste. To look
    # for old ones among millions of states takes seconds, in which the run cannot be ended.
    gc.set_threshold(50_000, 20, 1_000)
    unraisable, sys.unraisablehook = sys.unraisablehook, _interrupt_again
    try:
        _refuse_strangers()
        from checker.cli import run

        return run(sys.argv[1:])
    except ImportError as problem:
        print(f"fizzpy: {problem}", file=sys.stderr)  # noqa: T201 - the printers live in a package that is not ours
        return 74
    except KeyboardInterrupt:
        # Before the command has begun, or after it has ended: in between it has an answer of its own.
        _listen_no_more()
        print("fizzpy: interrupted", file=sys.stderr)  # noqa: T201 - as above
        return 130
    finally:
        _listen_no_more()
        sys.unraisablehook = unraisable
        # The process ends here: to look for circles in what it leaves behind would take longer than most runs.
        gc.freeze()


def _interrupt_again(lost: sys.UnraisableHookArgs) -> None:
    """An interruption that came where Python can raise nothing, as while an object ends, comes again."""
    if lost.exc_type is not KeyboardInterrupt:
        sys.__unraisablehook__(lost)
        return
    # A signal to another thread would not wake the main one from what it waits for; Windows knows no such difference.
    kill = getattr(signal, "pthread_kill", lambda thread, number: signal.raise_signal(number))
    again = threading.Timer(0.01, kill, (threading.main_thread().ident, signal.SIGINT))
    again.daemon = True
    again.start()


def _listen_no_more() -> None:
    """All is said: an interruption now would only make Python complain."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _refuse_strangers() -> None:
    """Raise ImportError if one of our packages, whose names are short, is hidden behind one of the same name."""
    home = Path(__file__).resolve().parent
    for name in ("fizz", "interpreter", "checker"):
        spec = importlib.util.find_spec(name)
        origin = Path(spec.origin).resolve() if spec and spec.origin else None
        if origin is None or origin.parent.parent != home:
            found = f"is {origin.parent}" if origin else "is missing"
            raise ImportError(
                f"the package '{name}' {found}, not {home / name}; "
                f"hint: install fizzpy in a virtual environment of its own, and do not put a '{name}' on PYTHONPATH"
            )


if __name__ == "__main__":
    sys.exit(main())
