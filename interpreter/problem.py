"""A mistake of the model that has no place yet, and the limits that keep a model from eating the machine.

Values know nothing of source text: they raise a `Problem`, and the evaluator adds the place (language page, 14).
"""

from __future__ import annotations

MAX_BITS = 4096
"""Largest int, in bits (R24)."""
MAX_ELEMENTS = 1_000_000
"""Largest string, bytes or collection, in elements (R24)."""
MAX_PARTS = 2_000_000
"""Largest value when it is written out in full, in nested elements: what is shared counts as often as it occurs."""
MAX_DEPTH = 100
"""Deepest nesting of a value; a cycle is deeper than any limit."""

_INT_BOUND = 1 << MAX_BITS


class Problem(Exception):
    """A mistake of the model: code ("R4"), text, and a hint if there is a way out."""

    def __init__(self, code: str, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.hint = hint


def check_size(count: int, what: str) -> None:
    """R24 if a string, bytes or collection would have more than `MAX_ELEMENTS` elements: ask before building it."""
    if count > MAX_ELEMENTS:
        raise Problem("R24", f"{what} would have {_figure(count)} elements, the limit is {MAX_ELEMENTS:,}")


def check_int(number: int) -> int:
    """The number itself, or R24 if it has more than `MAX_BITS` bits."""
    if -_INT_BOUND < number < _INT_BOUND:
        return number
    raise Problem("R24", f"an int of {number.bit_length():,} bits, the limit is {MAX_BITS:,}")


def too_deep() -> Problem:
    """The problem of a value that is nested beyond `MAX_DEPTH`."""
    return Problem("R24", f"a value nested more than {MAX_DEPTH} levels deep, or containing itself")


def too_many_parts() -> Problem:
    """The problem of a value that has more than `MAX_PARTS` parts when written out."""
    return Problem("R24", f"a value of more than {MAX_PARTS:,} parts in all")


def with_article(noun: str) -> str:
    """`an int`, `a list`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"


def _figure(count: int) -> str:
    return f"{count:,}" if count.bit_length() < 64 else "far too many"
