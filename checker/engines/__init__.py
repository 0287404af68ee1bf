"""The engines. A new one: a file beside this one, and a line in `ENGINES`; it is imported only when it is asked for."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, cast

from checker.problems import UsageProblem

if TYPE_CHECKING:
    from checker.engines.protocol import Engine

ENGINES = {
    "embedded": "checker.engines.embedded:EmbeddedEngine",
    "plain": "checker.engines.plain:PlainEngine",
    "spark": "checker.engines.spark:SparkEngine",
}


def engine_of(name: str) -> Engine:
    """The engine of that name. Raises `UsageProblem` if there is none."""
    if name not in ENGINES:
        raise UsageProblem(f"there is no engine '{name}'", f"the engines are {', '.join(ENGINES)}")
    module, _, factory = ENGINES[name].partition(":")
    return cast("Engine", getattr(importlib.import_module(module), factory)())
