"""`Sizes`: the thresholds from which columns work as for large models. No answer depends on them."""

from __future__ import annotations

from fizz.base.light import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """What was measured to be best. Tests reach with small models what large ones reach with these."""

    learning: int = 1 << 10
    """Rows for learning a rule, and as many paths or more after them, which decide whether remembering pays."""
    worthwhile: float = 0.2
    """The share of these paths that must need no interpreter for that."""
    steps: int = 1 << 22
    """Several rows that are expanded at a time may make so many steps together."""
    renamings: int = 720
    """Images are chosen by tables where there are at most so many renamings of a state."""
    names: int = 62
    """And where so many values are in use in all states, at most 62: each is a bit of a word."""
    loose: int = 1 << 18
    """So many rows of a packing, and as many as are tidy already, may hold what other chunks have found too."""
    joined: int = 1 << 17
    """Rows that are joined at a time, more or less."""
    shelved: int = 1 << 16
    """Arrays of fewer bytes stay in memory."""
    merged: int = 1 << 20
    """So many keys are merged at a time where the result goes to the disk, or are changed."""


SIZES = Sizes()
