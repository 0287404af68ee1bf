"""`fizzpy.history`, `fizzpy.validate` and `fizzpy.model_test`: the functions of this room that the public API has."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from checker.core.given import given_texts
from checker.core.limits import Limits
from checker.core.locate import locate

if TYPE_CHECKING:
    from checker.conformance.history_report import HistoryReport
    from checker.conformance.validation_report import ValidationReport


def history(
    model: str | PathLike[str],
    files: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    consistency: str = "linearizable",
    partition: str | None = None,
    receiver: str | None = None,
    failed: str = "never",
    most: int | None = None,
    timeout: float | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> HistoryReport:
    """Say whether a concurrent history of operations is linearizable, where the funcs of a role are the operations.

    files        one file or several, which are put in order by their field `time`
    consistency  "linearizable" or "sequential"
    partition    a parameter: operations with different values of it are independent
    receiver     the role instance whose funcs are meant, as "Register#0"; None: the only one that has such funcs
    failed       what the response `fail` means: "never" (it did not happen) or "refused" (by a `require`)
    most         stop after so many configurations of a part

    The rest is as in `check`, and so are the exceptions; a file that is wrong raises `UsageProblem`.
    """
    from checker.conformance.check_history import check_history, known_consistency

    return check_history(
        locate(str(model)),
        [str(files)] if isinstance(files, str | os.PathLike) else [str(file) for file in files],
        consistency=known_consistency(consistency),
        partition=partition,
        receiver=receiver,
        failed=failed,
        most=most,
        limits=Limits.asked_for({"timeout": timeout}),
        **given_texts(options, constants),
    )


def validate(
    model: str | PathLike[str],
    logs: str | PathLike[str] | Sequence[str | PathLike[str]],
    map_file: str | PathLike[str],
    *,
    each: bool = False,
    partition: str | None = None,
    engine: Literal["embedded", "spark"] = "embedded",
    workers: int | None = None,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    explanations: Literal["one", "every", "some"] = "one",
    properties: Sequence[str] | None = None,
    most: int | None = None,
    timeout: float | None = None,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
) -> ValidationReport:
    """Say whether logs are behaviours of a model.

    logs         one file or several, of NDJSON or spans of OpenTelemetry; of a folder each log is a run of its own
    map_file     what the events mean: YAML, or Python with a function `map_event`
    each         True: each log is a run of its own; else all are one run
    partition    a field: the events of each of its values are a run of their own
    engine       where runs are done: "embedded", in this process or in processes on this machine, or "spark"
    workers      how many processes on this machine; None: runs are done one after the other, in this one
    master, conf
                 Spark: master URL and configuration
    explanations
                 which ones assertions are judged on: "one", that which is found; or all, and every one or some of them
                 must violate an assertion for the code 12
    properties   the names of the assertions that are judged; None: all `always` and `transition` ones
    most         stop after so many nodes of a search

    The rest is as in `check`, and so are the exceptions; a log or map that is wrong raises `UsageProblem`.
    """
    from checker.conformance.validate_log import validate_logs
    from checker.tasks.task_runner import TaskPlace

    place = TaskPlace.asked_for(engine, workers, master, (conf or {}).items())
    return validate_logs(
        locate(str(model)),
        [str(logs)] if isinstance(logs, str | os.PathLike) else [str(log) for log in logs],
        str(map_file),
        each=each,
        partition=partition,
        place=place if place.spark or workers is not None else None,
        most=most,
        explanations=explanations,
        selected=None if properties is None else tuple(properties),
        limits=Limits.asked_for({"timeout": timeout}),
        **given_texts(options, constants),
    )


def model_test(
    model: str | PathLike[str],
    *,
    coverage: str = "transitions",
    silent: Sequence[str] = (),
    receiver: str | None = None,
    walks: int = 20,
    steps: int = 50,
) -> Callable[[type], type]:
    """Decorate a class of pytest with a method for each action or func of a model: the model writes its tests.

    model       path of the model; a relative one is beside the file of the class
    coverage    where walks come from: "transitions" (each call of each state), "random", or "hypothesis"
    silent      actions that happen by themselves, between calls
    receiver    the role instance whose funcs are meant, as "Store#0"
    walks       how many random walks, or examples of hypothesis
    steps       most calls of a walk

    `start` and `stop`, if the class has them, begin and end each walk; `crash(instance)` and `restart(instance)` are
    called where the model crashes a role instance. Mistakes are reported when pytest collects the class.
    """

    def decorate(adapter: type) -> type:
        home = Path(sys.modules[adapter.__module__].__file__ or ".").parent
        beside = home / model
        settings = {
            "model": str(beside if beside.exists() else model),
            "coverage": coverage,
            "silent": tuple(silent),
            "receiver": receiver,
            "walks": walks,
            "steps": steps,
        }
        adapter._fizzpy = settings  # type: ignore[attr-defined]

        def test_model(self: object, fizzpy_walk: object, fizzpy_run: Callable[..., None]) -> None:
            """One walk of the model; the plugin gives the walk, and what runs it."""
            __tracebackhide__ = True
            fizzpy_run(self, fizzpy_walk)

        adapter.test_model = test_model  # type: ignore[attr-defined]
        return adapter

    return decorate
