"""Untrusted texts made printable: characters that control a terminal, the reading direction, or are invisible.

Texts from a model, a file name, a report or an option must not move the cursor, recolour the screen, look like another
text or be invisible. Every printer of this tool uses `printable`.
"""

from __future__ import annotations

import unicodedata

# Controls, marks of direction and joiners, halves of surrogate pairs, separators of lines and paragraphs.
_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))
# Invisible letters and marks (Unicode's Default_Ignorable_Code_Point, without the above), and the empty braille cell.
_BLANK = frozenset(
    (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B, 0x180C, 0x180D, 0x180F, 0x2800, 0x3164, 0xFFA0,
     *range(0xFE00, 0xFE10))
)  # fmt: skip
_TAB = "    "


def printable(text: str, *, lines: bool = True) -> str:
    """The text with escapes such as `\\x1b` or `\\u202e` for unprintable characters. Tabs become spaces.

    `lines`: line ends are kept; otherwise the result is one line.
    """
    if text.isascii() and text.isprintable():
        return text
    return text.translate(_LINES if lines else _ONE_LINE)


class _Shown(dict[int, str]):
    """The printed text of a character, by its number; computed at the first use."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        hidden = unicodedata.category(character) in _CATEGORIES or _is_blank(code)
        shown = self[code] = character.encode("unicode_escape").decode("ascii") if hidden else character
        return shown


def _is_blank(code: int) -> bool:
    # The last two code points of each plane and 32 more are never characters.
    return code in _BLANK or 0xE0000 <= code < 0xE1000 or code & 0xFFFE == 0xFFFE or 0xFDD0 <= code < 0xFDF0


_ONE_LINE = _Shown({ord("\t"): _TAB})
_LINES = _Shown({ord("\t"): _TAB, ord("\n"): "\n"})
