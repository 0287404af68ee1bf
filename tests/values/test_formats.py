"""f-strings and `%`: Python's formats for plain values, nothing else (language page, 3)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from interpreter.values import BoundMethod, Builtin, Instance, ListValue, ModuleValue
from interpreter.values.formats import format_percent, format_value

Call = Callable[..., Any]
WORLD: Any = object()
NODE = Instance(WORLD, "Node", 0)
FUNCTION = Builtin("total", len)


@pytest.mark.parametrize(
    ("value", "conversion", "spec", "text"),
    [
        (1, None, "", "1"), (1, None, None, "1"), ("a", None, "", "a"), ("a", "r", "", '"a"'),
        (True, None, "", "True"), (None, None, "", "None"),
        (NODE, None, "", "Node#0"), (ListValue(["a"]), None, "", '["a"]'), (ListValue(["a"]), "s", ">7", '  ["a"]'),
        (NODE, "r", "<8", "Node#0  "),
        (3.14159, None, ".2f", "3.14"), (255, None, "#x", "0xff"), (255, None, "08b", "11111111"),
        (1234567, None, ",", "1,234,567"),
        ("a", None, "*^5", "**a**"), (0.5, None, "%", "50.000000%"), (True, None, "d", "1"), (5, None, "+", "+5"),
        (1e300, None, "g", "1e+300"),
        (FUNCTION, None, "", "<function total>"), (BoundMethod(ListValue([]), FUNCTION), None, "", "<function total>"),
        (ListValue([FUNCTION, (FUNCTION,)]), "r", "", "[<function total>, (<function total>,)]"),
        (ModuleValue("math", {}), None, "", "<module math>"),
        (float("nan"), None, ".1f", "nan"), (-0.0, None, "", "-0.0"),
    ],
)  # fmt: skip
def test_fields(value: Any, conversion: str | None, spec: str | None, text: str) -> None:
    """Conversion first, then the spec; without spec it is `str`."""
    assert format_value(value, conversion, spec) == text


@pytest.mark.parametrize(
    ("value", "conversion", "spec", "code"),
    [
        (ListValue([]), None, ">5", "R23"), (None, None, "d", "R23"), (NODE, None, "s", "R23"),
        ("a", None, "d", "R23"), (1.5, None, "d", "R23"),
        (1, None, "n", "R23"), (1, None, "q", "R23"), (1, None, "{x}", "R23"), (1, "a", "", "R23"),
        (1, None, "99999999999", "R24"),
        (1, None, ".99999999999f", "R24"), (1.0, None, ".1000001f", "R24"), (1, None, "1000001", "R24"),
        (2**4000, None, "f", "R23"),
        (0xD800, None, "c", "R23"), (0x110000, None, "c", "R23"), (-1, None, "c", "R23"), ("a" * 10**6, "r", "", "R24"),
    ],
)  # fmt: skip
def test_bad_fields(problem: Call, value: Any, conversion: str | None, spec: str | None, code: str) -> None:
    """R23 for formats that do not fit, R24 for widths beyond the largest string."""
    assert problem(format_value, value, conversion, spec).code == code


@pytest.mark.parametrize(
    ("pattern", "right", "text"),
    [
        ("%s", "a", "a"), ("%r", "a", '"a"'), ("%s and %s", (1, ListValue([2])), "1 and [2]"),
        ("%5d|%-5d|", (42, 42), "   42|42   |"), ("%05.1f", 3.14159, "003.1"),
        ("%x %X %o", (255, 255, 8), "ff FF 10"), ("100%%", (), "100%"), ("%e", 1, "1.000000e+00"), ("%c", "a", "a"),
        ("%d", 3.9, "3"), ("%s", NODE, "Node#0"),
        ("%.2s", "abc", "ab"), ("%i", -1, "-1"), ("%s", ((1, 2),), "(1, 2)"), ("%g", 0.5, "0.5"), ("%+d", 1, "+1"),
    ],
)  # fmt: skip
def test_percent(pattern: str, right: Any, text: str) -> None:
    """Flags, width, precision and the usual types."""
    assert format_percent(pattern, right) == text


@pytest.mark.parametrize(
    ("pattern", "right", "code"),
    [
        ("%s", (), "R23"), ("%s", (1, 2), "R23"), ("a", 1, "R23"), ("%d", "a", "R23"), ("%d", True, "R23"),
        ("%d", float("nan"), "R23"),
        ("%d", float("inf"), "R23"), ("%x", 1.5, "R23"), ("%c", "ab", "R23"), ("%c", 97, "R23"), ("%", 1, "R23"),
        ("%y", 1, "R23"), ("%(a)s", 1, "R23"),
        ("%*d", (5, 1), "R23"), ("%9999999999d", 1, "R24"), ("%1000001s", "a", "R24"), ("%.1000001f", 1.0, "R24"),
        ("%1000000d%s", (1, 2), "R24"),
        ("%s%s", ("a" * 600_000, "a" * 600_000), "R24"),
    ],
)  # fmt: skip
def test_bad_percent(problem: Call, pattern: str, right: Any, code: str) -> None:
    """R23 for wrong values and unknown formats, R24 for texts that are too long."""
    assert problem(format_percent, pattern, right).code == code
