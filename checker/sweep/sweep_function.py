"""`fizzpy.sweep`: what the command `fizzpy sweep` does, for scripts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Literal

from checker.core.exploration import Settings
from checker.core.limits import Limits
from checker.core.locate import locate
from checker.sweep.grid import axes_in_file, axes_of_values
from checker.sweep.sweep_report import PointResult, SweepReport
from checker.sweep.sweeping import sweep as sweep_model
from checker.tasks.task_runner import TaskPlace


def sweep(
    model: str | PathLike[str],
    *,
    constants: Mapping[str, object] | None = None,
    options: Mapping[str, object] | None = None,
    grid: str | PathLike[str] | None = None,
    properties: str | Sequence[str] | None = None,
    keep_going: bool = False,
    point_timeout: float | None = None,
    max_states: int | None = None,
    max_depth: int | None = None,
    timeout: float | None = None,
    symmetry: bool = True,
    engine: Literal["embedded", "spark"] = "embedded",
    workers: int | None = None,
    master: str | None = None,
    conf: Mapping[str, str] | None = None,
    progress: Callable[[Sequence[PointResult], int], None] | None = None,
) -> SweepReport:
    """Check a model with each combination of values for its constants, each on one core.

    constants, options
                values by name: a list, tuple or range has a value for each member, as {"N": range(2, 6)}; anything
                else is one value, as in `check`
    grid        path of a YAML file with more of them
    point_timeout, max_states, max_depth
                the seconds that a point may take, and how far it is explored
    timeout     end after so many seconds: the points done until then count
    engine      where the checks run: "embedded", in processes on this machine, or "spark"
    workers     how many points at a time on this machine; None: as many as cores
    master, conf
                Spark: master URL and configuration
    progress    called from time to time with the results so far and the number of points

    The rest is as in `check`, and so are the exceptions; what is wrong at a point is in its result. `results` has the
    points by cost, each with a `row` for tables, as `pandas.DataFrame(one.row for one in report.results)`;
    `first_violation` is the smallest one that is wrong, and `forecasts` say how many states the next ones have.
    """
    names = [properties] if isinstance(properties, str) else properties or ()
    axes = [] if grid is None else axes_in_file(str(grid))
    axes += axes_of_values(constants or {}) + axes_of_values(options or {}, option=True)
    return sweep_model(
        locate(str(model)),
        axes,
        place=TaskPlace.asked_for(engine, workers, master, (conf or {}).items()),
        settings=Settings(
            keep_going=keep_going,
            limits=Limits.asked_for({"max_states": max_states, "max_depth": max_depth, "timeout": timeout}),
            properties=None if properties is None else tuple(names),
            symmetry=symmetry,
        ),
        point_timeout=point_timeout,
        counted=progress or (lambda results, total: None),
    )
