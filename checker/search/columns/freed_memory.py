"""What arrays have freed stays with the process, and the next ones need no fresh pages; until it is given back."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Final

_TRIM_THRESHOLD: Final = -1
_MMAP_THRESHOLD: Final = -3
"""Names of options in malloc.h of the GNU C library."""
_LARGE: Final = 32 << 20
"""Bytes of an array that has pages of its own; the library admits no larger ones on its heap."""
_FREE: Final = 64 << 20
"""Bytes that may be free at the end of the heap."""

_malloc_option = None
_malloc_trim = None
with suppress(OSError, TypeError, AttributeError):
    _malloc_option = ctypes.CDLL(None).mallopt
    _malloc_trim = ctypes.CDLL(None).malloc_trim


def keep_freed_memory() -> None:
    """Let the C library keep what is freed, up to 64 MB, where it is the GNU one; see mallopt(3).

    Otherwise it gives back arrays of some hundred kB as soon as they are freed, and columns, which make several of them
    for each rule, spend up to a fifth of their time in the system, which gives them zeroed pages anew.
    """
    if _malloc_option is not None:
        _malloc_option(_MMAP_THRESHOLD, _LARGE)
        _malloc_option(_TRIM_THRESHOLD, _FREE)


def give_back_memory() -> None:
    """Give what is free back to the system, where the C library is the GNU one; see malloc_trim(3).

    For processes that wait, or begin something else: parts of what is free lie between what is in use, and stay
    otherwise. It takes some milliseconds.
    """
    if _malloc_trim is not None:
        _malloc_trim(0)
