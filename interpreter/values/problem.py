"""A mistake of the model that has no location yet, and the limits of one value (those of a step: `budget`).

Values know nothing of source text: they raise a `ModelMistake`, and the evaluator adds its location (language page,
14).
"""

from __future__ import annotations

MAX_PARTS = 2_000_000
"""The most parts of a value written out in full: a shared part counts once per occurrence."""
MAX_DEPTH = 100
"""The deepest nesting of a value; a cycle exceeds any limit."""


class ModelMistake(Exception):
    """A mistake of the model: code ("R4"), text, and a hint if there is a remedy."""

    def __init__(self, code: str, text: str, hint: str | None = None) -> None:
        super().__init__(text)
        self.code = code
        self.text = text
        self.hint = hint


def too_deep() -> ModelMistake:
    """The mistake of a value that is nested beyond `MAX_DEPTH`."""
    return ModelMistake("R24", f"a value nested more than {MAX_DEPTH} levels deep, or containing itself")


def too_many_parts() -> ModelMistake:
    """The mistake of a value that has more than `MAX_PARTS` parts when written out."""
    return ModelMistake("R24", f"a value of more than {MAX_PARTS:,} parts in all")


def with_article(noun: str) -> str:
    """`an int`, `a list`."""
    return f"{'an' if noun[:1] in 'aeiou' else 'a'} {noun}"
