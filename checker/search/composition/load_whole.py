"""A model as it is run: one that composes others is joined first."""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike

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
