"""Every mistake is reported at its line, with its code, in words that name it.

The fixtures are written in the language itself: a line that is wrong carries a comment `### "part of the text" [CODE]`.
Where such a comment could not stand on the line, it stands alone on the line above.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import fizz
from fizz.base.errors import Diagnostic, FizzError

_HERE = Path(__file__).parent
ERRORS = sorted((_HERE / "errors").glob("*.fizz"))
WARNINGS = sorted((_HERE / "warnings").glob("*.fizz"))
_MARK = re.compile(r'###\s*"(.*)"\s*\[(\w+)\]\s*$')


def marks(path: Path) -> list[tuple[int, str, str]]:
    """The expected messages of a file: (line, code, part of the text)."""
    found: list[tuple[int, str, str]] = []
    lines = path.read_text(encoding="utf-8").split("\n")
    for number, line in enumerate(lines, 1):
        match = _MARK.search(line)
        if match:
            alone = line.lstrip().startswith("###")
            found.append((number + alone, match.group(2), match.group(1)))
    return found


def _compare(path: Path, diagnostics: list[Diagnostic]) -> None:
    """Asserts that the messages in a file are the expected ones, no more and no fewer."""
    expected = marks(path)
    here = [d for d in diagnostics if d.span is not None and d.span.file == str(path)]
    given = [(d.span.line, d.code, d.text) for d in here if d.span is not None]
    unexpected = [g for g in given if not any(g[:2] == e[:2] and e[2] in g[2] for e in expected)]
    missing = [e for e in expected if not any(g[:2] == e[:2] and e[2] in g[2] for g in given)]
    assert not unexpected and not missing, f"unexpected: {unexpected}\nmissing: {missing}"


@pytest.mark.parametrize("path", ERRORS, ids=lambda path: path.stem)
def test_errors(path: Path) -> None:
    """A fixture fails to load with exactly the messages it announces."""
    with pytest.raises(FizzError) as caught:
        fizz.load(path)
    _compare(path, list(caught.value.diagnostics))
    assert caught.value.exit_code == (151 if path.stem.startswith("options") else 150)


@pytest.mark.parametrize("path", WARNINGS, ids=lambda path: path.stem)
def test_warnings(path: Path) -> None:
    """A fixture loads with exactly the warnings it announces."""
    _compare(path, list(fizz.load(path).warnings))


ROLE = """\
role Shop:
    action Init:
        self.order = 1
    action Go:
        x = {word}
        self.order = x
ORDERS = [1]
action Init:
    client = 1
    s = Shop()
atomic action Act:
    {statement}
"""


_MEMBER = (
    "'order' is a member of the role 'Shop': `p = Shop()` in `action Init` makes an instance; "
    "in the role write `self.order`"
)


@pytest.mark.parametrize(
    ("word", "statement", "hint"),
    [
        ("order", "pass", "write `self.order`: it is a field of the role 'Shop'"),
        ("1", "client = order", "it is a field of the role 'Shop': write `x.order` for an instance `x`"),
        ("1", "client = orders", "did you mean 'ORDERS'?"),
        ("1", "client = Shpo()", "did you mean 'Shop'?"),
        ("1", "client = Client()", "no role, func or def has this name; the roles are Shop"),
        ("1", "client = clinet", "did you mean 'client'?"),
        ("1", "client = p.order", _MEMBER),
        ("1", "client = client += 1", "`+=` is a statement and has no value: write it on a line of its own"),
    ],
)
def test_hints_name_what_may_have_been_meant(word: str, statement: str, hint: str) -> None:
    """A field of the role before a name that only looks alike; for a call only what can be called."""
    with pytest.raises(FizzError) as caught:
        fizz.load("m.fizz", text=ROLE.format(word=word, statement=statement))
    assert caught.value.diagnostics[0].hint == hint


@pytest.mark.parametrize(
    ("item", "words", "hint"),
    [
        ("refines abs.fizz with v", "unexpected 'abs'", 'write `refines "abstract.fizz" with view`'),
        ('refines "abs.fizz"', "unexpected end of line, expected 'with'", 'write `refines "abstract.fizz" with view`'),
        ('refines "abs.fizz" with "v"', 'unexpected "v", expected a name', 'write `refines "abstract.fizz" with view`'),
        ('refine:\n    "abs": abs.v', 'unexpected "abs", expected a name', "its lines are `_: view` for this model"),
        ('compose:\n    "abs": abs.v', 'unexpected "abs", expected a name', "a line is `name: name.view`"),
        ("include core.fizz", "unexpected 'core'", 'write `include "core.fizz"`'),
        ("refines = (1", "'(' is never closed", ""),
        ("refines = 1 2", "unexpected '2'", ""),
    ],
)
def test_items_that_name_files_have_a_way_out(item: str, words: str, hint: str) -> None:
    """How such a line is written, at the place where it is not; the words are names elsewhere."""
    with pytest.raises(FizzError) as refused:
        fizz.load("m.fizz", text=f"action Init: x = 0\n{item}\n")
    found = refused.value.diagnostics[0]
    assert found.code == "L1" and words in found.text and found.span is not None
    assert (found.hint or "").startswith(hint) and (hint != "" or found.hint is None)
