"""A model as it is run: one that composes others is joined first."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

from checker.core.problems import UsageProblem
from fizz import Module, load


def load_whole(
    model: str | PathLike[str] | Module,
    *,
    text: str | None = None,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
) -> Module:
    """A model as it is run: read if it is given by its path, as `fizz.load` does, and joined if it composes others.

    Raises OSError and FizzError.
    """
    module = model if isinstance(model, Module) else load(model, text=text, options=options, constants=constants)
    if not module.components:
        return module
    from checker.search.composition.joined_model import joined_model

    return joined_model(module)


def load_one(
    model: str | PathLike[str] | Module,
    task: str,
    *,
    options: Mapping[str, str] | None = None,
    constants: Mapping[str, str] | None = None,
) -> Module:
    """A model that composes no others, for a `task` that is about the lines and steps of one model.

    Raises OSError, FizzError, and `UsageProblem` for a composition.
    """
    module = model if isinstance(model, Module) else load(model, options=options, constants=constants)
    if module.components:
        names = ", ".join(component.name for component in module.components)
        raise UsageProblem(
            f"{module.path} composes other models, and {task}",
            f"give one of the models that it composes: {names}",
        )
    return module
