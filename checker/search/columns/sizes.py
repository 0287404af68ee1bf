"""`Sizes`: the thresholds from which columns work as for large models. No answer depends on them."""

from __future__ import annotations

from fizz.base.light import dataclass


@dataclass(frozen=True, slots=True)
class Sizes:
    """Measured to be best. Tests set smaller ones, so that small models behave like large ones."""

    learning: int = 1 << 10
    """Rows for learning a rule, and as many paths or more after them, which decide whether remembering pays."""
    worthwhile: float = 0.2
    """Remembering pays if at least this share of these paths needs no interpreter."""
    lockstep: int = 1 << 7
    """So many rows that a table does not know go through a tree together, each by one question at a time."""
    walks: int = 200
    """So many walks through a tree cost as much as learning a path of a rule."""
    steps: int = 1 << 22
    """Rows that are expanded together may make so many steps, unless it is one row."""
    many_values: int = 32
    few_values: int = 8
    of_states: int = 8
    """Sets in a slot are stored by elements if they have so many values where columns take over, or so many that these
    are half of what states have as values, and no fewer than one for so many of that. (0: all sets are.)"""
    many_renamings: int = 120
    """All sets are stored by elements if some state has so many renamings."""
    new_paths: int = 500
    """After so many new paths it is looked at again which sets, lists and dicts have many values."""
    few_elements: int = 512
    most_elements: int = 4_096
    rare: int = 32
    """Sets have a bit for each element if they have few; or no more than most, and no more than one of so many states
    brought a new one."""
    renamings: int = 40_320
    """Images are chosen by tables if a state has at most so many renamings."""
    names: int = 62
    """And if at most so many values are in use in all states. At most 62: each is a bit of a word."""
    loose: int = 1 << 18
    """So many rows of a packing, or as many as are joined already, may be loose: several of them may be one state."""
    joined: int = 1 << 17
    """Rows that are joined at a time, more or less."""
    sent: int = 1 << 20
    """States for other processes are sent when there are so many: few enough that they take little memory."""
    spilled: int = 1 << 16
    """Arrays of fewer bytes stay in memory."""
    followed: int = 1 << 12
    """The successors of so many rows are held at a time, for assertions that ask for them."""
    verdicts: int = 1 << 15
    """And so many verdicts of each of these are kept."""
    merged: int = 1 << 20
    """So many keys are merged at a time where the result goes to the disk, or are changed."""


SIZES = Sizes()
