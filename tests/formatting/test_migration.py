"""`migrate_source`: old spellings get their new form, everything else stays."""

from __future__ import annotations

from pathlib import Path

import pytest

from checker.check import check
from fizz import FizzError, load
from fizz.formatting.migration import migrate_source

OLD = """\
---
deadlock_detection: false
---
# A clock.
init:  # where it begins
\tx = any [0, 1, 2] : x < 2;
    y = fair any set([1, 2]):y > 1
    log = [];   # empty

invariants:   # what holds
    # the first
    always x < 5 ; # always

    always eventually x == 0 or (x ==
      1)   # not indented
    eventually  always len(log) < 3

atomic fair action Tick:
    any d in [1, 2]:  # any step
        x = (x + d) % 5;
    z = any([True, False]) or any ([False])
    s = "any ; init: invariants:"
    w = oneof [1, 2] : w > 0
    label = `old: any;` if False else 0
"""
NEW = """\
---
deadlock_detection: false
---
# A clock.
action Init:  # where it begins
\tx = oneof [0, 1, 2] if x < 2
    y = fair oneof set([1, 2]) if y > 1
    log = []   # empty

# what holds
# the first
always assertion invariant_12:
    return x < 5  # always

always eventually assertion invariant_14:
    return x == 0 or (x ==
      1)   # not indented
eventually always assertion invariant_16:
    return len(log) < 3

atomic fair action Tick:
    oneof d in [1, 2]:  # any step
        x = (x + d) % 5
    z = any([True, False]) or any ([False])
    s = "any ; init: invariants:"
    w = oneof [1, 2] if w > 0
"""
OLD = OLD.replace("    label = `old: any;` if False else 0\n", "")


def test_all_old_forms() -> None:
    """Each word changes where it is old: not in strings and comments, and not where `any` is the function."""
    migrated = migrate_source("m.fizz", OLD)
    assert migrated.text == NEW
    assert migrated.changes == 14


def test_a_second_time() -> None:
    """What is migrated has nothing old in it."""
    assert migrate_source("m.fizz", NEW).changes == 0
    assert migrate_source("m.fizz", NEW).text == NEW


def test_the_same_check(tmp_path: Path) -> None:
    """States, transitions, names and verdicts are the same, and the keys of all states."""
    reports = []
    for text in (OLD, NEW):
        path = tmp_path / "model.fizz"
        path.write_text(text)
        report = check(load(str(path)))
        reports.append(
            (
                report.verdict,
                (report.states, report.transitions, report.crash_steps, report.depth),
                [(one.name, one.kind, one.verdict, one.steps) for one in report.properties],
            )
        )
    assert reports[0] == reports[1]
    assert reports[0][1][0] == 5


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("init: x = 0\n", "action Init: x = 0\n"),
        ("init :\n  x = 0", "action Init :\n  x = 0"),
        ("action Init:\r\n    x = 0;\r\n", "action Init:\r\n    x = 0\r\n"),
        ("init:\r    x = 0;\n    y = 0;\r\n", "action Init:\r    x = 0\n    y = 0\r\n"),
        (
            "\ufeffinvariants: # a\r\n  # b\r\n  always True\r\naction Init: x = 0",
            "\ufeff# a\r\n# b\r\nalways assertion invariant_3:\r\n  return True\r\naction Init: x = 0",
        ),
        (
            "action Init: x = 0\r\ninvariants:\r\n  always True",
            "action Init: x = 0\r\nalways assertion invariant_3:\r\n  return True",
        ),
        (
            "action Init: x = 0\ninvariants:\n  always (x < 2 and\n    # inside\n    x >= 0\n    # last\n  )\n"
            '  # between\n  always """\n  # text\n""" != "" # end \n  # behind\n',
            "action Init: x = 0\nalways assertion invariant_3:\n  return (x < 2 and\n    # inside\n    x >= 0\n"
            '    # last\n  )\n# between\nalways assertion invariant_9:\n  return """\n  # text\n""" != "" # end \n'
            "  # behind\n",
        ),
        ("action Init:\n    x = any [1] \\\n      : x > 0\n", "action Init:\n    x = oneof [1] \\\n      if x > 0\n"),
        (
            "invariants:\n  always True\ninvariants:\n  always 1 < 2;\naction Init: x = 0",
            "always assertion invariant_2:\n  return True\nalways assertion invariant_4:\n  return 1 < 2\n"
            "action Init: x = 0",
        ),
        ("action Init:\n    if True: x = any [1];\n", "action Init:\n    if True: x = oneof [1]\n"),
    ],
)
def test_small_texts(old: str, new: str) -> None:
    """On one line, on joined lines, in several blocks, with other line ends and comments inside an expression."""
    assert migrate_source("m.fizz", old).text == new
    assert migrate_source("m.fizz", new).changes == 0


def test_what_does_not_parse() -> None:
    """It is refused with its place."""
    with pytest.raises(FizzError) as refused:
        migrate_source("m.fizz", "init:\n    x = \n")
    assert refused.value.diagnostics[0].span is not None and refused.value.diagnostics[0].span.line == 2
