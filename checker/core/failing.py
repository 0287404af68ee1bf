"""A model that fails where there is no report of its run: its own error, with its place and the code 75."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from checker.core.problems import ExitCode
from fizz import FizzError, Module
from interpreter import ModelError


class FailingModel(FizzError):
    """The diagnostic of a `ModelError`, to be printed as that of a model that does not load."""

    @property
    def exit_code(self) -> int:
        return int(ExitCode.MODEL_ERROR)


@contextmanager
def failing(module: Module) -> Iterator[None]:
    """The block runs a model: a `ModelError` in it is raised as `FailingModel`."""
    try:
        yield
    except ModelError as error:
        raise FailingModel((error.diagnostic,), module.sources) from None
