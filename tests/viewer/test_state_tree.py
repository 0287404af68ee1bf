"""The state as a tree: what changed is open, what did not is folded; filters; what the reader opens stays open."""

from __future__ import annotations

from checker.tui.path_text import StateLine, StateLines
from checker.tui.state_tree import Folding, TreeRow, tree


def lines(**places: str) -> StateLines:
    """A state of variables."""
    return tuple(StateLine(place, place, text) for place, text in places.items())


def shown(rows: list[TreeRow]) -> list[str]:
    """Rows as they read: mark, indentation, name, texts."""
    return [
        f"{row.mark}{'  ' * row.depth}"
        + (
            f"({row.folds})"
            if row.folds
            else f"{row.name}:{'' if row.open else (row.old or '') + '>' * bool(row.old) + row.text}"
        )
        for row in rows
    ]


def test_what_changed_is_open_and_the_rest_folded() -> None:
    """A changed part stands with both texts; neighbours that did not change are one row."""
    before = lines(a="1", b='{"x": 1, "y": [1, 2, 3], "z": 4, "w": 5}')
    after = lines(a="1", b='{"x": 1, "y": [1, 7, 3], "z": 4, "w": 5}')
    assert shown(tree(before, after, Folding())) == [
        " a:1",
        "~b:",
        '   ["x"]:1',
        '~  ["y"]:',
        "     [0]:1",
        "~    [1]:2>7",
        "     [2]:3",
        "   (2)",
    ]


def test_what_came_and_what_went() -> None:
    """Elements of lists and sets, keys and variables."""
    before = lines(log="[1, 2]", acks='set(["a", "b"])', old="7", d='{"k": 1}')
    after = lines(log="[1, 2, 3]", acks='set(["b", "c"])', d='{"j": 1}', new="8")
    assert shown(tree(before, after, Folding())) == [
        "~log:",
        "   (2)",
        "+  [2]:3",
        "~acks:",
        '-  :"a"',
        '   :"b"',
        '+  :"c"',
        "~d:",
        '-  ["k"]:1',
        '+  ["j"]:1',
        "+new:8",
        "-old:7",
    ]


def test_a_value_of_another_kind_stands_with_both_texts() -> None:
    """There are no parts to compare; opened, the new one shows its own."""
    before, after = lines(x="None"), lines(x="struct(a = 1)")
    folding = Folding()
    (row,) = tree(before, after, folding)
    assert (row.old, row.text, row.openable, row.open) == ("None", "struct(a = 1)", True, False)
    folding.toggle(row)
    assert shown(tree(before, after, folding)) == ["~x:", "   a:1"]


def test_opening_and_closing_stays() -> None:
    """What was opened shows all its parts in every state, what was closed none, until it is toggled again."""
    one, other = lines(d='{"x": 1, "y": 2, "z": 3}'), lines(d='{"x": 1, "y": 2, "z": 4}')
    folding = Folding()
    rows = tree(one, other, folding)
    assert shown(rows) == ["~d:", "   (2)", '~  ["z"]:3>4']
    folding.toggle(rows[1])
    assert shown(tree(one, other, folding)) == ["~d:", '   ["x"]:1', '   ["y"]:2', '~  ["z"]:3>4']
    assert len(tree(other, other, folding)) == 4
    folding.toggle(tree(one, other, folding)[0])
    assert shown(tree(one, other, folding)) == ['~d:{"x": 1, "y": 2, "z": 3}>{"x": 1, "y": 2, "z": 4}']
    folding.toggle(tree(one, other, folding)[0])
    assert len(tree(one, other, folding)) == 4


def test_a_role_instance_holds_its_fields() -> None:
    """Fields stand below their instance; a thread of the role is a row of its own."""
    state = (
        StateLine("Node#0", "Node#0.a", "1"),
        StateLine("Node#0", "Node#0.b", "{}"),
        StateLine("Node#1", "Node#1", ""),
        StateLine("Node#0.Send", "Node#0.Send", "at line 3 {k = 1}"),
    )
    changed = (StateLine("Node#0", "Node#0.a", "2"), *state[1:])
    assert shown(tree(state, changed, Folding())) == [
        "~Node#0:",
        "~  a:1>2",
        "   b:{}",
        " Node#1:{}",
        " Node#0.Send:at line 3 {k = 1}",
    ]


def test_messages_have_no_place_of_their_own() -> None:
    """A message that only got another number did not change."""
    before = (StateLine("message-0", "message-0", "Net: A#0.f()"), StateLine("message-1", "message-1", "Net: A#0.g()"))
    after = (StateLine("message-0", "message-0", "Net: A#0.g()"),)
    assert shown(tree(before, after, Folding())) == ["-message:Net: A#0.f()", " message:Net: A#0.g()"]


def test_a_filter_keeps_places_with_its_words() -> None:
    """One of the words must occur in the place; a word with a minus must not."""
    state = (
        *lines(count="1", account="2", other="3"),
        StateLine("N#0", "N#0.count", "4"),
        StateLine("N#0", "N#0.at", "5"),
    )
    assert shown(tree(state, state, Folding(words=("count",)))) == [" count:1", " account:2", " N#0:{count = 4}"]
    assert shown(tree(state, state, Folding(words=("count", "-acc")))) == [" count:1", " N#0:{count = 4}"]
    assert shown(tree(state, state, Folding(words=("-count", "-n#")))) == [" other:3"]


def test_changes_only() -> None:
    """What did not change is folded at every depth."""
    before = lines(a="1", b="2", c='{"x": 1, "y": 1}', d="4")
    after = lines(a="1", b="2", c='{"x": 1, "y": 2}', d="4")
    assert shown(tree(before, after, Folding(changed_only=True))) == [
        " (2)",
        "~c:",
        '   ["x"]:1',
        '~  ["y"]:1>2',
        " d:4",
    ]


def test_strings_may_hold_what_makes_up_values() -> None:
    """Brackets, commas, colons and quotes in strings are letters like others."""
    before = lines(d=r"""{"a, ]": "x(\"", "b: {": [1, "}", "\\"]}""")
    after = lines(d=r"""{"a, ]": "y(\"", "b: {": [1, "}", "\\"]}""")
    assert shown(tree(before, after, Folding())) == [
        "~d:",
        r'''~  ["a, ]"]:"x(\"">"y(\""''',
        r"""   ["b: {"]:[1, "}", "\\"]""",
    ]
    folding = Folding(opened={"d", 'd["b: {"]'})
    assert shown(tree(after, after, folding))[3:] == ["     [0]:1", '     [1]:"}"', r'     [2]:"\\"']


def test_a_thousand_leaves_are_a_few_rows() -> None:
    """Rows are made for what is open, and nothing else is looked into."""
    table = "{" + ", ".join(f'"k{n:04d}": {{"a": {n}, "b": 0}}' for n in range(500)) + "}"
    before, after = (
        lines(table=table),
        lines(table=table.replace('"k0250": {"a": 250, "b": 0}', '"k0250": {"a": 250, "b": 1}')),
    )
    rows = tree(before, after, Folding())
    assert shown(rows) == ["~table:", "   (250)", '~  ["k0250"]:', '     ["a"]:250', '~    ["b"]:0>1', "   (249)"]
