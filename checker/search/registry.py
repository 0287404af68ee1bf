"""The engines. A new one: a file beside this, and an entry in `ENGINES`; it is imported when it is asked for."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, NamedTuple, cast

from checker.core.problems import UsageProblem

if TYPE_CHECKING:
    from checker.search.contract.protocol import Engine


class Entry(NamedTuple):
    """An engine in the registry: what makes it, from which values, and its purpose.

    `variant_of`: it is that engine, restricted to one of its modes, so that tests reach each with small models.
    """

    factory: str
    purpose: str
    given: Mapping[str, object] = {}
    variant_of: str | None = None


_EMBEDDED: Final = "checker.search.engines.embedded:EmbeddedEngine"
_SPARK: Final = "checker.search.spark:SparkEngine"

ENGINES: Final[Mapping[str, Entry]] = {
    "embedded": Entry(_EMBEDDED, "daily work; needs nothing but Python"),
    "plain": Entry("checker.search.engines.plain:PlainEngine", "the oracle of the tests; tiny models"),
    "spark": Entry(_SPARK, "state spaces larger than one machine"),
    "rows": Entry(_EMBEDDED, "row by row to the end", {"wide": None}, "embedded"),
    "columns": Entry(_EMBEDDED, "by columns from the first state on", {"wide": 0}, "embedded"),
    "early columns": Entry(_EMBEDDED, "by columns as soon as two states wait", {"wide": 2}, "embedded"),
    "spark rows": Entry(_SPARK, "row by row, in the driver and in every partition", {"wide": None}, "spark"),
}

PUBLIC: Final = tuple(name for name, entry in ENGINES.items() if entry.variant_of is None)
"""The engines that users are offered."""


def engine_of(name: str) -> Engine:
    """The engine of that name, or the variant of one. Raises `UsageProblem` if there is none."""
    entry = ENGINES.get(name)
    if entry is None:
        raise UsageProblem(f"there is no engine '{name}'", f"the engines are {', '.join(PUBLIC)}")
    module, _, factory = entry.factory.partition(":")
    return cast("Engine", getattr(importlib.import_module(module), factory)(**entry.given))
