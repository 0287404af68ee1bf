"""Builtins, modules and methods that do not depend on a model: closed tables (language page, 5.2 – 5.4)."""

from __future__ import annotations

from collections.abc import Mapping

from interpreter.library.builtin_functions import FUNCTIONS
from interpreter.library.combinations import ITERTOOLS
from interpreter.library.constructors import CONSTRUCTORS, deepcopy
from interpreter.library.mathematics import MATH
from interpreter.values.formats import format_value, to_display, to_text

__all__ = ["BUILTINS", "deepcopy", "format_value", "to_display", "to_text"]

BUILTINS: Mapping[str, object] = {**FUNCTIONS, **CONSTRUCTORS, "itertools": ITERTOOLS, "math": MATH}
"""The names in scope in every body."""
