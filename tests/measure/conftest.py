"""Measures models of this folder, and models written in a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import fizzpy as api
from fizzpy import Measured
from tests.cli.conftest import fizzpy

__all__ = ["fizzpy"]

MODELS = Path(__file__).parent / "models"
Measures = Callable[..., Measured]


@pytest.fixture
def published() -> Measures:
    """Measure a published model, with its file of probabilities."""

    def run(name: str, **more: object) -> Measured:
        return api.measure(MODELS / f"{name}.fizz", MODELS / f"{name}.yaml", **more)  # type: ignore[arg-type]

    return run


@pytest.fixture
def written(tmp_path: Path) -> Measures:
    """Measure a model that is given as text, with the text of its file, if there is one."""

    def run(text: str, probabilities: str | None = None, **more: object) -> Measured:
        model, file = tmp_path / "model.fizz", tmp_path / "with.yaml"
        model.write_text(text, encoding="utf-8")
        if probabilities is not None:
            file.write_text(probabilities, encoding="utf-8")
        return api.measure(model, None if probabilities is None else file, **more)  # type: ignore[arg-type]

    return run
