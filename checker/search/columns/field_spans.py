"""`FieldSpan`: neighbouring fields of a packing that are looked up together, by the bits of all of them.

A state may have a hundred fields of one bit, as those of the elements of sets are. What is a sum over slots, or a
union, is looked up for many of them at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from checker.search.columns.capacity import LISTED
from interpreter.state.state import Slot

if TYPE_CHECKING:
    from checker.search.columns.code_tables import Ints
    from checker.search.columns.packing import Packing, Rows


class FieldSpan(NamedTuple):
    """The bits of some fields in a `word`, from `shift` on, under `mask` (before shifting).

    `slots`: of which fields, those at lower bits first, and `room`: how many codes each can have there.
    """

    word: int
    shift: int
    mask: int
    slots: tuple[Slot, ...]
    room: tuple[int, ...]

    def column(self, rows: Rows) -> Ints:
        """The bits of some rows: the code of the field, if it is one."""
        column = rows.words[self.word] >> np.uint64(self.shift)
        column &= np.uint64(self.mask)
        return column.view(np.int64)

    def table(self, parts: Sequence[NDArray[Any]], join: np.ufunc) -> NDArray[Any]:
        """What belongs to the bits, given what belongs to the codes of each field, in a line for each code.

        `join`: how what belongs to two fields is put together, zeros being nothing. A field alone has its known codes.
        """
        if len(parts) == 1:
            return parts[0]
        made, *others = [_filled(part, room) for part, room in zip(parts, self.room, strict=True)]
        for part in others:
            made = join(part[:, np.newaxis], made[np.newaxis]).reshape(-1, *made.shape[1:])
        return made


def spans_of(packing: Packing, bits: int) -> Iterator[FieldSpan]:
    """All fields of a packing, in spans of at most so many bits, or of one field; threads and messages apart."""
    fields = [(field.word, int(field.shift), int(field.mask), slot) for slot, field in packing.fields.items()]
    found: FieldSpan | None = None
    for word, shift, mask, slot in sorted(fields, key=lambda field: field[:2]):
        if found is not None and _follows(found, word, shift, slot) and shift - found.shift + mask.bit_length() <= bits:
            together = found.mask | mask << (shift - found.shift)
            found = FieldSpan(word, found.shift, together, (*found.slots, slot), (*found.room, mask + 1))
            continue
        if found is not None:
            yield found
        found = FieldSpan(word, shift, mask, (slot,), (mask + 1,))
    if found is not None:
        yield found


def _follows(span: FieldSpan, word: int, shift: int, slot: Slot) -> bool:
    """Whether a field stands behind a span, and is a slot for threads or messages if the span is of such."""
    behind = span.word == word and span.shift + span.mask.bit_length() == shift
    return behind and (slot[0] in LISTED) == (span.slots[0][0] in LISTED)


def _filled(part: NDArray[Any], room: int) -> NDArray[Any]:
    """With a line for each code that there is room for: no row has others."""
    if len(part) >= room:
        return part[:room]
    filled = np.zeros((room, *part.shape[1:]), dtype=part.dtype)
    filled[: len(part)] = part
    return filled
