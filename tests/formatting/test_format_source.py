"""The canonical layout: what it looks like, and that it changes nothing but the layout."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from fizz.base.errors import FizzError
from fizz.formatting.source_format import format_source
from fizz.formatting.wrapping import WIDTH
from fizz.model_files import parse_file
from fizz.syntax import ast
from tests.random.programs import program
from tests.random.source import Source, seeded
from tests.random.syntax import syntax
from tests.sample import one_in

ROOT = Path(__file__).parents[2]
MODELS = sorted(path for folder in ("models", "docs", "tests") for path in (ROOT / folder).rglob("*.fizz"))


def formatted(text: str) -> str:
    return format_source("m.fizz", dedent(text))


def tree(text: str) -> list[ast.Item]:
    """The items of a text that parses; lines of `invariants:` without their names, which are their lines."""
    parsed = parse_file("m.fizz", text)
    assert parsed.diagnostics == (), text
    return [item for item in parsed.items if not (isinstance(item, ast.Assertion) and item.unnamed)]


def comments(text: str) -> list[str]:
    """The marked comments of a text."""
    return [line.partition("# comment ")[2].strip() for line in text.split("\n") if "# comment " in line]


def check(text: str) -> None:
    """The layout of a text is another one at most: the tree, the comments and their order stay; done twice is done."""
    once = format_source("m.fizz", text)
    assert format_source("m.fizz", once) == once
    assert repr(tree(once)) == repr(tree(text))
    assert comments(once) == comments(text)
    assert not [line for line in once.split("\n") if line != line.rstrip()] or "'''" in text or '"""' in text


def with_comments(text: str, source: Source) -> str:
    """The text with comments wherever there may be one, each with a number."""
    lines: list[str] = []
    count = 0

    def comment() -> str:
        nonlocal count
        count += 1
        return f"# comment {count}"

    for line in text.split("\n"):
        if "'''" in line or "two" in line or line.startswith("lines"):
            lines.append(line)
            continue
        if source.chance(20):
            lines.append(" " * source.number(0, 9) + comment())
        lines.extend([""] * source.pick((0, 0, 0, 1, 3)))
        brackets = 0
        written = ""
        for character in line if not set(line) & set("'\"`#") else ():
            written += character
            brackets += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(character, 0)
            if brackets > 0 and character in ",([{" and source.chance(30):
                written += source.pick(("  ", "")) + comment() + "\n" + " " * source.number(0, 5)
                if source.chance(30):
                    written += comment() + "\n"
        written = written or line
        lines.append(written + (f"  {comment()}" if source.chance(25) and line.strip() else ""))
    return "\n".join(lines)


@pytest.mark.parametrize("path", MODELS, ids=lambda path: str(path.relative_to(ROOT)))
def test_models(path: Path) -> None:
    """Each model that parses keeps its tree, and its comments."""
    try:
        text = path.read_text(encoding="utf-8")
        format_source(str(path), text)
    except (FizzError, UnicodeDecodeError):
        return  # tests have files that are no models
    check(text)


@pytest.mark.parametrize("block", one_in(10, range(10)))
def test_random_texts(block: int) -> None:
    """2,000 random texts do too: 1,000 programs and 1,000 of any form, every second one with comments everywhere."""
    for seed in range(100 * block, 100 * block + 100):
        for make in (program, syntax):
            source = seeded(seed)
            text = make(source)
            check(with_comments(text, source) if seed % 2 else text)


def test_comments_are_put_everywhere() -> None:
    """The texts of the test above have comments in brackets, behind lines and on lines of their own."""
    texts = [with_comments(syntax(source), source) for source in map(seeded, range(1, 40, 2))]
    rows = [line for text in texts for line in text.split("\n") if "# comment" in line]
    assert any(row.strip().startswith("#") for row in rows)
    assert any(row.partition("#")[0].rstrip().endswith(",") for row in rows)
    assert any(row.partition("#")[0].rstrip().endswith(":") for row in rows)


def test_spaces() -> None:
    """Spaces stand around operators and behind commas, not in brackets, around `=` of arguments and of slices."""
    text = """\
    X=[ 1,2 , -3]
    Y = f ( a = 1,* b )[ 1 : n+1 ]
    def g(x,y = 2) :
      return {'k' :x,**y} if not  x else lambda a,b=3:a-  -b
    """
    with pytest.raises(FizzError):  # a dict is not unpacked
        formatted(text)
    assert formatted(text.replace(",**y", "")) == dedent("""\
    X = [1, 2, -3]
    Y = f(a=1, *b)[1:n + 1]

    def g(x, y=2):
        return {'k': x} if not x else lambda a, b=3: a - -b
    """)


def test_words_of_the_language() -> None:
    """Words keep one space; `fair<strong>` has none; a word after a dot or as an argument is a name."""
    text = """\
    atomic   fair < strong >  action A :
        x=fair   oneof[1,2]   if x>0
        m . action (in = 1)
        `l`   y = any (z)
        y = any(z)
    """
    assert formatted(text) == dedent("""\
    atomic fair<strong> action A:
        x = fair oneof [1, 2] if x > 0
        m.action(in=1)
        `l` y = any (z)
        y = any(z)
    """)


def test_blank_lines() -> None:
    """One before and behind what has a block; none at the start of a block; elsewhere as written, but only one."""
    text = """\


    A = 1
    B = 2
    action Init: x = 0
    role R:

        L = 3
        action Init:
            self.x = 1


            self.y = 2
        # of Step
        action Step: self.x = 3
    action Go: x = 1
    """
    assert formatted(text) == dedent("""\
    A = 1
    B = 2
    action Init: x = 0

    role R:
        L = 3

        action Init:
            self.x = 1

            self.y = 2

        # of Step
        action Step: self.x = 3

    action Go: x = 1
    """)


def test_comments() -> None:
    """Comments behind consecutive lines are aligned; those on lines of their own stay in their block."""
    text = """\
    action Init:
      x = 0 # nought
      longer = 1      # one
      y = 2
      # at the end of Init
    # of Go
    action Go:
        # first
        x = 1
    """
    assert formatted(text) == dedent("""\
    action Init:
        x = 0       # nought
        longer = 1  # one
        y = 2
        # at the end of Init

    # of Go
    action Go:
        # first
        x = 1
    """)


def test_long_lines() -> None:
    """What is too long is broken in brackets: at commas, at clauses, at `and`; conditions get parentheses for it."""
    names = ", ".join(f"a_rather_long_name_{number}" for number in range(8))
    condition = " and ".join(f"a_rather_long_name_{number} == {number}" for number in range(5))
    text = f"X = [{names}]\naction A:\n    require {condition}\n    y = all([f(name) for name in [{names}] if name])\n"
    result = formatted(text)
    assert result == dedent("""\
    X = [
        a_rather_long_name_0,
        a_rather_long_name_1,
        a_rather_long_name_2,
        a_rather_long_name_3,
        a_rather_long_name_4,
        a_rather_long_name_5,
        a_rather_long_name_6,
        a_rather_long_name_7
    ]

    action A:
        require (
            a_rather_long_name_0 == 0
            and a_rather_long_name_1 == 1
            and a_rather_long_name_2 == 2
            and a_rather_long_name_3 == 3
            and a_rather_long_name_4 == 4
        )
        y = all([
            f(name)
            for name in [
                a_rather_long_name_0,
                a_rather_long_name_1,
                a_rather_long_name_2,
                a_rather_long_name_3,
                a_rather_long_name_4,
                a_rather_long_name_5,
                a_rather_long_name_6,
                a_rather_long_name_7
            ]
            if name
        ])
    """)
    assert max(map(len, result.split("\n"))) <= WIDTH


def test_short_lines_are_joined() -> None:
    """Lines that were broken are joined, unless a comma before the bracket, or a comment, keeps them apart."""
    text = """\
    X = [1,
         2]
    Y = [1, 2,]
    Z = [1,  # one
      # and
      2]
    W = (1,)
    a = 1 + \\
      2;
    """
    assert formatted(text) == dedent("""\
    X = [1, 2]
    Y = [
        1,
        2,
    ]
    Z = [
        1,  # one
        # and
        2
    ]
    W = (1,)
    a = 1 + 2
    """)


def test_front_matter_stays() -> None:
    """Front matter, and what is above it, stays as it is."""
    text = "# Of counters.\n\n---\noptions:   {max_actions:  3}\n# why\n---\nX  =  1\n"
    assert formatted(text) == "# Of counters.\n\n---\noptions:   {max_actions:  3}\n# why\n---\nX = 1\n"


def test_texts_without_code() -> None:
    """An empty text stays empty, comments alone stay, other line ends become the usual one."""
    assert formatted("\n\n") == ""
    assert formatted("# only\n\n\n# this") == "# only\n\n# this\n"
    assert formatted("X = 1\r\nY = 2\r\n") == "X = 1\nY = 2\n"


def test_strings_stay() -> None:
    """Strings over several lines keep their lines, whatever stands in them."""
    text = "X = f('''a\n   # no comment  \n''',   1)\n"
    assert formatted(text) == "X = f('''a\n   # no comment  \n''', 1)\n"


def test_what_does_not_parse_is_refused() -> None:
    """With all its errors."""
    with pytest.raises(FizzError) as error:
        formatted("action A:\n    x = = 1\n")
    assert [d.code for d in error.value.diagnostics] == ["L1"]


def test_the_page_has_a_true_example() -> None:
    """The first text on the page about the layout becomes the second one."""
    page = (ROOT / "docs" / "formatting.md").read_text(encoding="utf-8")
    before, after = page.split("```python\n")[1:]
    assert formatted(before.partition("```")[0]) == after.partition("```")[0]


@pytest.mark.parametrize("folder", ["models", "examples"])
def test_our_own_models_have_the_layout(folder: str) -> None:
    """`fizzpy fmt` changes none of them."""
    files = sorted((ROOT / folder).rglob("*.fizz"))
    assert files
    texts = {path.name: path.read_text(encoding="utf-8") for path in files}
    assert [name for name, text in texts.items() if format_source(name, text) != text] == []


def test_labels_stay_as_they_are() -> None:
    """Whatever printable text they are: blanks, quotes, signs of comments and brackets."""
    text = "action A:\n    `a  b: \"é' #(=1 \\` x=1\n    `alone [ ]`\n    y  = 2\n"
    assert format_source("m.fizz", text) == text.replace("x=1\n", "x = 1\n").replace("y  =", "y =")
