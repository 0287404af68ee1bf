"""Lines and indentation become markers at the end of the previous code line."""

from __future__ import annotations

from fizz.base.near_names import near_hint
from fizz.syntax.layout import lay_out


def _pieces(text: str) -> list[tuple[int, str]]:
    layout = lay_out("m.fizz", text)
    assert layout.diagnostics == []
    return [(piece.line, piece.text) for piece in layout.pieces]


def test_markers_stand_behind_the_code() -> None:
    """Tokens keep their lines and columns; comments and blank lines vanish, their line ends stay."""
    text = "a:  # one\n\n    b\n# two\n  # three\n    c:\n        d\ne\n"
    assert _pieces(text) == [(1, "a:\x01\x02\n\n    b\x01\n\n\n    c:\x01\x02\n        d\x01\x03\x03"), (8, "e\x01")]


def test_joined_lines() -> None:
    """Brackets and backslashes join lines."""
    assert _pieces("a(1,  # one\n\n  2)\nb \\\n  c\n") == [(1, "a(1,  \n\n  2)\x01"), (4, "b  \n  c\x01")]


def test_tabs_advance_to_multiples_of_four() -> None:
    """A tab and the blanks that reach the same column are the same indentation."""
    assert _pieces("a:\n\tb\n    c\n  \td\n") == [(1, "a:\x01\x02\n\tb\x01\n    c\x01\n  \td\x01\x03")]


def test_strings_hide_everything() -> None:
    """Nothing inside a string is a bracket, a comment or a line end."""
    for text in ("'# ('", '"\\"# ("', "'''\n#(\n'''", '"""a"b"""', "r'\\\\'"):
        assert _pieces(f"x = {text}\ny\n")[0] == (1, f"x = {text}\x01")


def test_decorators_belong_to_the_role() -> None:
    """A decorator starts the item of the role below it."""
    assert len(_pieces("@a(1)\n@b(\n2)\n\nrole R:\n    x\ny\n")) == 2


def test_front_matter() -> None:
    """Front matter is cut off and the numbers of the lines below it stay."""
    layout = lay_out("m.fizz", "\n# c\n--- \na: 1\n\n---\nx\n")
    assert layout.front_matter is not None
    assert (layout.front_matter.text, layout.front_matter.line) == ("a: 1\n", 4)
    assert [(p.line, p.text) for p in layout.pieces] == [(7, "x\x01")]


def test_a_forgotten_bracket_ends_at_the_next_item() -> None:
    """An open bracket does not swallow the items below it."""
    layout = lay_out("m.fizz", "x = (1\naction A:\n    pass\ny = [\n@state(a=1)\nrole R:\n    pass\n")
    assert [d.text for d in layout.diagnostics] == ["'(' is never closed", "'[' is never closed"]
    assert [p.line for p in layout.pieces] == [2, 5]


def test_near_names() -> None:
    """A near name is at most two edits away; short names allow fewer."""
    assert near_hint("cuonter", ["counter", "count"]) == "did you mean 'counter'?"
    assert near_hint("couner", ["counter", "counted"]) == "did you mean 'counter'?"
    assert near_hint("conuter", ["zzz"]) is None
    assert near_hint("a", ["b"]) is None
    assert near_hint("ab", ["abc", "xy"]) == "did you mean 'abc'?"
    assert near_hint("open", ["len", "repr"]) is None
    assert near_hint("none", ["e"]) is None
    assert near_hint("Counter", ["counter"]) == "did you mean 'counter'?"
    assert near_hint("coun", ["counter", "cold"]) == "did you mean 'counter'?"
    assert near_hint("cuonter", ["counter", "conter", "other"], most=3) == "did you mean 'counter' or 'conter'?"
    assert near_hint("x" * 1000, ["x" * 1001]) is None
