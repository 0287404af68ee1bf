"""The engines. A new one: a file beside this, and an entry in `ENGINES`; it is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from checker.core.problems import UsageProblem

if TYPE_CHECKING:
    from checker.search.contract.protocol import Engine
    from checker.search.engines.embedded import EmbeddedEngine
    from checker.search.engines.plain import PlainEngine
    from checker.search.spark import SparkEngine


def _embedded() -> type[EmbeddedEngine]:
    from checker.search.engines.embedded import EmbeddedEngine

    return EmbeddedEngine


def _early() -> EmbeddedEngine:
    from checker.search.columns.sizes import Sizes
    from checker.search.memo.run_choice import INTERPRETED

    return _embedded()(2, Sizes(many_values=6, few_values=3, new_paths=8), INTERPRETED)


def _recorded(wide: int | None, workers: int = 1) -> EmbeddedEngine:
    from checker.search.columns.sizes import Sizes
    from checker.search.engines.embedded import Sharing
    from checker.search.memo.run_choice import RECORDED

    return _embedded()(wide, Sizes(many_values=0, lockstep=2), RECORDED, Sharing(workers, wide=1))


def _directly(wide: int | None) -> EmbeddedEngine:
    from checker.search.memo.run_choice import ALWAYS

    return _embedded()(wide, thresholds=ALWAYS)


def _plain() -> type[PlainEngine]:
    from checker.search.engines.plain import PlainEngine

    return PlainEngine


def _spark() -> type[SparkEngine]:
    from checker.search.spark import SparkEngine

    return SparkEngine


class Entry(NamedTuple):
    """An engine in the registry: what makes it, and its purpose.

    `lasting`: its runs are `LastingRun`s, which are saved in checkpoints, and it exports what it finds. `variant_of`:
    it is that engine, restricted to one of its modes, so that tests reach each with small models.
    """

    make: Callable[[], Engine]
    purpose: str
    lasting: bool = False
    variant_of: str | None = None


ENGINES: Final[Mapping[str, Entry]] = {
    "embedded": Entry(lambda: _embedded()(), "daily work; needs nothing but Python", lasting=True),
    "plain": Entry(lambda: _plain()(), "the oracle of the tests; tiny models"),
    "spark": Entry(lambda: _spark()(), "state spaces larger than one machine", lasting=True),
    "rows": Entry(lambda: _recorded(None), "row by row to the end, rules recorded by functions", True, "embedded"),
    "columns": Entry(lambda: _recorded(0), "the same by columns, sets by elements", True, "embedded"),
    "early columns": Entry(
        lambda: _early(),
        "by columns as soon as two states wait, divided anew after a few new paths, nothing recorded by functions",
        True,
        "embedded",
    ),
    "two workers": Entry(
        lambda: _recorded(2, workers=2), "by columns in two processes, sets by elements", True, "embedded"
    ),
    "direct rows": Entry(lambda: _directly(None), "row by row, rules run directly where they can be", True, "embedded"),
    "direct columns": Entry(lambda: _directly(0), "the same by columns", True, "embedded"),
    "spark rows": Entry(lambda: _spark()(wide=None), "row by row, in the driver and in every partition", True, "spark"),
}

PUBLIC: Final = tuple(name for name, entry in ENGINES.items() if entry.variant_of is None)
"""The engines that users are offered."""


def engine_of(name: str) -> Engine:
    """The engine of that name, or the variant of one. Raises `UsageProblem` if there is none."""
    entry = ENGINES.get(name)
    if entry is None:
        raise UsageProblem(f"there is no engine '{name}'", f"the engines are {', '.join(PUBLIC)}")
    return entry.make()


def lasting_instead_of(name: str) -> str | None:
    """The hint which engines write checkpoints and exports, if the engine of that name does not; else None."""
    if ENGINES[name].lasting:
        return None
    return "use " + " or ".join(f"--engine {other}" for other in PUBLIC if ENGINES[other].lasting)
