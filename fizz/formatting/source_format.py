"""`format_source`: the text of a file in its canonical layout.

Only blanks, line ends, and parentheses around long conditions differ: comments, strings and spellings stay. Blocks are
indented by four columns, comments behind consecutive lines are aligned, and one blank line stands before and behind a
definition of several lines. The result is parsed again, and must give the same tree.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from fizz.base.errors import FizzError
from fizz.formatting.source_tokens import OwnLine, SourceLine, source_lines
from fizz.formatting.spacing import set_spaces
from fizz.formatting.wrapping import STEP, WIDTH, Row, wrap
from fizz.model_files import normalise, parse_file
from fizz.syntax import ast
from fizz.syntax.module import ParsedFile

_BLANK = Row(0, "")


def format_source(file: str, text: str) -> str:
    """The text in its canonical layout, with `\\n` line ends. Raises FizzError if it does not parse."""
    text = normalise(text)
    parsed = _parse(file, text)
    head, body = _front_matter(text, parsed)
    rows = [row.rstrip() for row in head] + list(_texts(_rows(list(source_lines(body)), bool(head))))
    while rows and not rows[0]:
        del rows[0]
    while rows and not rows[-1]:
        del rows[-1]
    formatted = "".join(f"{row}\n" for row in rows)
    again = _parse(file, formatted)
    if _meaning(again) != _meaning(parsed) or _comments(formatted, again) != _comments(text, parsed):
        raise RuntimeError("the formatted text would mean something else")
    return formatted


def _parse(file: str, text: str) -> ParsedFile:
    parsed = parse_file(file, text)
    if parsed.diagnostics:
        raise FizzError(parsed.diagnostics, {file: text})
    return parsed


def _meaning(parsed: ParsedFile) -> tuple[list[ast.Item], list[object]]:
    """What a file says. Lines of an `invariants:` block have their line number as their name, which changes."""
    items = [
        replace(item, name="") if isinstance(item, ast.Assertion) and item.unnamed else item for item in parsed.items
    ]
    return items, [(path, setting.value) for path, setting in parsed.settings.items()]


def _comments(text: str, parsed: ParsedFile) -> list[str]:
    """The comments of a file in their order."""
    found: list[str] = []
    for line in source_lines(_front_matter(text, parsed)[1]):
        found.extend(own.text for own in line.above if own.text)
        for token in line.tokens:
            found.extend(token.before)
            found.extend([token.after] if token.after is not None else [])
        found.extend([line.comment] if line.comment is not None else [])
    return found


def _front_matter(text: str, parsed: ParsedFile) -> tuple[list[str], str]:
    """The lines down to the end of the front matter, which stay, and the text below."""
    if parsed.front_matter is None:
        return [], text
    lines = text.split("\n")
    count = parsed.front_matter.line + parsed.front_matter.text.count("\n")
    while not lines[count - 1].startswith("---") or count < parsed.front_matter.line:
        count += 1
    return lines[:count], "\n".join(lines[count:])


def _rows(lines: Sequence[SourceLine], has_head: bool) -> list[Row]:
    """The rows of a file below its front matter."""
    rows: list[Row] = []
    columns = [0]  # of the open blocks
    deepest = 0  # where definitions stand: at top level, and in a role one level below
    was_big = [True, True]  # by this depth: whether the definition before has a block
    decorated = False
    for index, line in enumerate(lines):
        before = list(columns)
        depth = _enter(columns, line.column)
        is_decorator = bool(line.tokens) and line.tokens[0].text == "@"
        is_big = is_decorator or _has_block(line, lines[index + 1 : index + 2])
        if depth == 0:
            deepest = 1 if "role" in [token.text for token in line.tokens[:2]] else 0
        above = _above(line.above, before, depth)
        if decorated:
            above = [row for row in above if row is not _BLANK]
        elif depth >= len(before) or (index == 0 and not has_head):
            above = _without_first_blanks(above)
        elif index > 0 and line.tokens and depth <= deepest and (is_big or was_big[depth]):
            above = _with_blank(above, depth)
        rows.extend(above)
        if not line.tokens:
            break
        if depth <= deepest:
            was_big[depth] = is_big
        decorated = is_decorator
        set_spaces(line.tokens)
        written = wrap(line.tokens, depth * STEP)
        written[-1].comment = line.comment
        rows.extend(written)
    return rows


def _enter(columns: list[int], column: int) -> int:
    """Opens or closes blocks for a line in a column; how many are open now, besides the file itself."""
    while column < columns[-1]:
        columns.pop()
    if column > columns[-1]:
        columns.append(column)
    return len(columns) - 1


def _has_block(line: SourceLine, following: Sequence[SourceLine]) -> bool:
    return any(next_line.tokens and next_line.column > line.column for next_line in following)


def _above(own: Iterable[OwnLine], columns: Sequence[int], depth: int) -> list[Row]:
    """The comments above a line, each in the block it is written in, and single blank lines between them."""
    rows: list[Row] = []
    for line in own:
        if not line.text:
            if not rows or rows[-1] is not _BLANK:
                rows.append(_BLANK)
            continue
        level = depth
        while level + 1 < len(columns) and columns[level + 1] <= line.column:
            level += 1
        rows.append(Row(level * STEP, "", line.text))
    return rows


def _without_first_blanks(rows: Sequence[Row]) -> list[Row]:
    start = 0
    while start < len(rows) and rows[start] is _BLANK:
        start += 1
    return list(rows[start:])


def _with_blank(rows: Sequence[Row], depth: int) -> list[Row]:
    """The rows above a definition, with a blank line behind comments of the block above it."""
    start = len(rows)
    while start and (rows[start - 1] is _BLANK or rows[start - 1].indent <= depth * STEP):
        start -= 1
    if any(row is _BLANK for row in rows[start:]):
        return list(rows)
    return [*rows[:start], _BLANK, *rows[start:]]


def _texts(rows: Sequence[Row]) -> Iterable[str]:
    """The rows as text; comments behind consecutive rows of one block are aligned, unless they would be too long."""
    index = 0
    while index < len(rows):
        end = index
        while end < len(rows) and _may_align(rows[end]) and rows[end].indent == rows[index].indent:
            end += 1
        if end == index:
            yield _text(rows[index], 0)
            index += 1
            continue
        column = max(row.indent + len(row.code) for row in rows[index:end]) + 2
        fits = all(column + len(row.comment or "") <= WIDTH for row in rows[index:end])
        for row in rows[index:end]:
            yield _text(row, column if fits else 0)
        index = end


def _may_align(row: Row) -> bool:
    return bool(row.code) and row.comment is not None and "\n" not in row.code


def _text(row: Row, column: int) -> str:
    code = " " * row.indent + row.code if row.code or row.comment else ""
    if row.comment is None or not row.code:
        return code + (row.comment or "")
    return code.ljust(column - 2) + "  " + row.comment
