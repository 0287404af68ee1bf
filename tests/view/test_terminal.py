"""A report in the terminal: everything that matters is there, fits, and needs no colour."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import fizz
from checker.check import check
from checker.core.exploration import GivenUp
from checker.core.limits import StopReason
from checker.core.problems import ExitCode
from checker.core.report import PropertyReport
from checker.core.trace import Change, Trace, Why
from checker.core.visible import printable
from checker.report.model_rows import _rows
from fizz.base.errors import Diagnostic, Span, rows_of


def test_a_counterexample_tells_who_where_and_what(samples: Any, printed: Callable[..., str]) -> None:
    """Each step shows its number, action, choices, thread, source line and changes."""
    text = printed(samples.report())
    for line in (
        "   0  Init",
        '   1  Node#0.Consume [Any:key="a"]  starts (thread-0)',
        "        11 | event = log[self.offset]",
        "   2  Node#0.Consume  goes on (thread-0)  ** CRASH: the thread is lost **",
        "        Node#0: events = {}, offset = 0",
        '        Node#0.Consume: + at line 12 {event = {"key": "a"}}',
        "        Node#0.offset: 0 -> 1",
        "        Node#0.Consume is lost",
        "   3  Node#0  ** CRASH: it loses its threads and what is not durable **",
    ):
        assert line in text.splitlines(), text


def test_only_the_changed_part_of_a_long_value_is_shown(samples: Any, printed: Callable[..., str]) -> None:
    """A value that does not fit on a line is compared part by part."""
    assert 'Node#0.events["beta"]["offset"]: 1 -> 2' in printed(samples.report())


@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_is_wider_than_the_page(width: int, samples: Any, printed: Callable[..., str]) -> None:
    """Long lines are wrapped, and go on further in."""
    for trace in (samples.path, samples.lasso, samples.stutter):
        finding = PropertyReport("Acknowledged", "always", "violated", 3, trace)
        text = printed(samples.report(properties=(finding,), trace=trace), width)
        assert max(map(len, text.splitlines())) <= width


def test_without_colour_there_are_no_escape_sequences(samples: Any, printed: Callable[..., str]) -> None:
    """Bold and dim are left out too, so the output can be read by anything."""
    assert "\x1b" not in printed(samples.report())


def test_a_lasso_has_prefix_and_cycle(samples: Any, printed: Callable[..., str]) -> None:
    """The cycle is announced before its first step, and where it leads after its last."""
    finding = PropertyReport("Eventually", "always eventually", "violated", 3, samples.lasso)
    rows = printed(samples.report(properties=(finding,), trace=samples.lasso)).splitlines()
    assert rows.index("  --- cycle ---") < next(i for i, row in enumerate(rows) if row.startswith("   2  "))
    assert "  --- back to the state after step 1 ---" in rows


def test_a_stutter_is_called_so(samples: Any, printed: Callable[..., str]) -> None:
    """Staying in the last state for ever is said in words, with the reason why it is fair."""
    finding = PropertyReport("Eventually", "always eventually", "violated", 2, samples.stutter)
    text = printed(samples.report(properties=(finding,), trace=samples.stutter))
    assert "--- stutter ---" in text
    assert "No fair action is available in this state." in text


def test_properties_counts_and_verdict(samples: Any, printed: Callable[..., str]) -> None:
    """The table has one row for each property; the last line is the verdict."""
    rows = printed(samples.report()).splitlines()
    assert [row.split()[0] for row in rows if row.startswith(("Acknowledged  ", "Reached", "deadlock"))] == [
        "Acknowledged",
        "Reached",
        "deadlock",
    ]
    assert "12,345 states, 45,678 transitions, 999 crash steps, depth 17, 1 initial" in rows
    said = "FAILED  store.fizz: Acknowledged is violated (always, 3 steps, crashes in steps 2, 3)"
    assert " ".join(map(str.strip, rows[-2:])) == said


def test_columns_of_properties_are_aligned(samples: Any, printed: Callable[..., str]) -> None:
    """A long name is folded, in columns of the terminal and not in characters; numbers stand on the right."""
    name = "Größe漢字" * 6
    findings = (PropertyReport(name, "always", "holds"), PropertyReport("B", "exists", "violated", 7))
    rows = [row.rstrip() for row in printed(samples.report(properties=findings), 60).splitlines()]
    start = next(i for i, row in enumerate(rows) if row.startswith("property "))
    assert rows[start : start + 4] == [
        "property" + " " * 29 + "kind    verdict   steps",
        "Größe漢字Größe漢字Größe漢字Größe漢   always  holds",
        "字Größe漢字Größe漢字",
        "B" + " " * 36 + "exists  violated      7",
    ]


def test_other_counterexamples_are_shown_on_request(samples: Any, printed: Callable[..., str]) -> None:
    """The leading one is printed; of the others it is said how to see them, or they follow."""
    findings = tuple(PropertyReport(name, "always", "violated", 3, samples.path) for name in ("Acknowledged", "Other"))
    one = printed(samples.report(properties=findings))
    assert "Other is violated" not in one
    assert "--property Other, or --keep-going" in one
    assert "Other is violated: 3 steps" in printed(samples.report(properties=findings), every=True)


def test_a_cut_search_says_what_cut_it(samples: Any, printed: Callable[..., str]) -> None:
    """The verdict names the bound and the number of states that were not explored further."""
    text = printed(
        samples.report(
            verdict="bounded",
            exit_code=ExitCode.BOUNDED,
            cut=7,
            cut_by=StopReason.MAX_ACTIONS,
            properties=(),
            trace=None,
        ),
        width=120,
    )
    assert "cut by the option max_actions (7 states cut)" in text


@pytest.mark.parametrize(
    ("expanded", "far"), [(2, "2 of 9 states expanded"), (9, "9 states expanded, but not all judged that they lead to")]
)
def test_how_far_an_unfinished_level_came(expanded: int, far: str, samples: Any, printed: Callable[..., str]) -> None:
    """A level whose states are all expanded still lacks a judgement."""
    report = samples.report(given_up=GivenUp(3, expanded, 9), properties=(), trace=None)
    assert f"level 3 was not finished ({far}): it is not counted" in printed(report, width=120)


def test_a_failure_of_the_model_has_place_and_path(samples: Any, printed: Callable[..., str]) -> None:
    """Text, source line, carets, hint, call chain, and the steps that led there."""
    report = samples.report(
        verdict="error", exit_code=ExitCode.MODEL_ERROR, properties=(), error=samples.failure, leading=None
    )
    text = printed(report)
    assert "store.fizz:12:23: division by zero [R5]" in text
    assert "^^^^^^" in text
    assert "hint: test the divisor first" in text
    assert "in action Node.Consume" in text
    assert "   3  Node#0" in text


def test_warnings_stand_below_the_verdict(samples: Any, printed: Callable[..., str]) -> None:
    """Of each kind the first one is printed whole; the others are a line with their number and lines."""
    source = "x = 1\n" * 30
    never = [Diagnostic("W4", f"never executed {n}", Span("m.fizz", n, 1, n, 2), "a hint") for n in (4, 5, 5, 9)]
    other = Diagnostic("W3", "action 'A' never had a step")
    rows = printed(samples.report(warnings=(never[0], other, *never[1:]), sources={"m.fizz": source})).splitlines()
    start = next(i for i, row in enumerate(rows) if row.endswith("steps 2, 3)")) + 1
    assert rows[start:] == [
        "",
        "m.fizz:4:1: never executed 4 [W4]",
        "    4 | x = 1",
        "      | ^",
        "hint: a hint",
        "and 3 more [W4]: line 5, line 9",
        "",
        "action 'A' never had a step [W3]",
    ]


def test_thousands_of_warnings(samples: Any, printed: Callable[..., str]) -> None:
    """They take a few lines; the text that they speak of is split once."""
    text = "x = 1\n" * 3000
    places = (Span("m.fizz", line + 1, 1, line + 1, 2) for line in range(3000))
    warnings = tuple(Diagnostic("W4", "never executed", place) for place in places)
    split_before = rows_of.cache_info().misses
    shown = printed(samples.report(warnings=warnings, sources={"m.fizz": text}))
    assert shown.count("[W4]") == 2
    assert "and 2,999 more [W4]: line 2, line 3, line 4, line 5, line 6, ..." in shown
    assert rows_of.cache_info().misses - split_before <= 2


def test_a_step_of_thousands_of_lines(samples: Any, printed: Callable[..., str]) -> None:
    """Of what it executed the first and the last lines are shown; the text is split once."""
    entry = replace(samples.path.entries[1], lines=tuple(("m.fizz", line) for line in range(1, 3001)))
    finding = PropertyReport("P", "always", "violated", 1, Trace((samples.path.entries[0], entry)))
    split_before = _rows.cache_info().misses
    report = samples.report(properties=(finding,), trace=finding.trace, sources={"m.fizz": "a = 1\n" * 3000})
    assert "... 2996 more lines" in printed(report)
    assert _rows.cache_info().misses - split_before <= 2


def test_a_state_of_thousands_of_variables(samples: Any, printed: Callable[..., str]) -> None:
    """The first thousand are shown, of the state and of what changed, and how many more there are."""
    state = tuple((f"v{number}", "0") for number in range(2500))
    entries = samples.path.entries
    changes = tuple(Change(place, "0", "1") for place, _ in state)
    changed = replace(entries[1], changes=changes, origins=(), state=state)
    finding = PropertyReport("P", "always", "violated", 1, Trace((replace(entries[0], state=state), changed)))
    rows = printed(samples.report(properties=(finding,), trace=finding.trace)).splitlines()
    assert sum(row.endswith(" = 0") for row in rows) == 2 * 1000, "at the beginning and at the end"
    assert sum(row.endswith(": 0 -> 1") for row in rows) == 1000
    assert rows.count("        ... and 1,500 more") == 3


def test_a_model_cannot_write_to_the_terminal(samples: Any, printed: Callable[..., str]) -> None:
    """Control characters in names and values are spelled out."""
    entry = replace(samples.path.entries[1], changes=(Change("x", "1", '"\x1b[2J\x9b\u202e"'),))
    trace = Trace((samples.path.entries[0], entry))
    text = printed(samples.report(properties=(PropertyReport("P", "always", "violated", 1, trace),), trace=trace))
    assert not {"\x1b", "\x9b", "\u202e"} & set(text)
    assert "\\x1b[2J" in text


def test_printable_keeps_letters_of_all_scripts() -> None:
    """Only what controls the terminal is spelled out."""
    assert printable("größe → Ωmega 日本") == "größe → Ωmega 日本"
    assert printable("a\tb\nc") == "a    b\nc"
    assert printable("\x00\x7f\ud800") == "\\x00\\x7f\\ud800"


def test_carets_stay_under_a_long_line(printed: Callable[..., str], samples: Any) -> None:
    """Of a line that is too long only the part around the mistake is shown, with the carets below it."""
    row = "x" * 300 + "\toops" + "y" * 300
    diagnostic = Diagnostic("L1", "unexpected 'oops'", Span("m.fizz", 1, 302, 1, 306))
    text = printed(samples.report(warnings=(diagnostic,), sources={"m.fizz": row}, properties=(), trace=None))
    line, carets = (row for row in text.splitlines() if " | " in row)
    assert len(line) <= 80
    assert line[carets.index("^") : carets.rindex("^") + 1] == "oops"


def test_carets_stay_under_escaped_characters(printed: Callable[..., str], samples: Any) -> None:
    """Characters that are spelled out, and wide ones, move the carets along."""
    diagnostic = Diagnostic("L1", "unexpected 'oops'", Span("m.fizz", 1, 4, 1, 8))
    text = printed(
        samples.report(warnings=(diagnostic,), sources={"m.fizz": "\x1b日\toops"}, properties=(), trace=None)
    )
    line, carets = (row for row in text.splitlines() if " | " in row)
    assert line.endswith("\\x1b日    oops")
    assert carets.index("^") == line.index("oops") + 1, "the wide letter takes two columns"


def test_role_instances_that_are_alike_share_a_line(samples: Any, printed: Callable[..., str]) -> None:
    """What is said of one is said of all of them; variables of equal value keep their lines."""
    state = (("a", "1"), ("b", "1"), ("Node#0.x", "0"), ("Node#1.x", "0"), ("Node#2.x", "1"))
    entry = replace(samples.path.entries[0], state=state)
    finding = PropertyReport("P", "always", "violated", 0, Trace((entry,)))
    rows = printed(samples.report(properties=(finding,), trace=finding.trace)).splitlines()
    shown = ["        a = 1", "        b = 1", "        Node#0, Node#1: x = 0", "        Node#2: x = 1"]
    assert [row for row in rows if row in shown] == shown


def test_enormous_values_are_shortened(samples: Any, printed: Callable[..., str]) -> None:
    """A value of a million characters is shown by its beginning, and quickly."""
    entry = replace(samples.path.entries[0], state=(("x", "[" + "1, " * 400_000 + "1]"),))
    finding = PropertyReport("P", "always", "violated", 0, Trace((entry,)))
    text = printed(samples.report(properties=(finding,), trace=finding.trace))
    assert "characters more" in " ".join(text.split())
    assert len(text) < 10_000


def test_excluded_variables_are_named(samples: Any, printed: Callable[..., str]) -> None:
    """Counts of states up to some variables are not to be taken for counts of states."""
    assert "identity.exclude: states that differ only in log, acks count once" in printed(
        samples.report(excluded=("log", "acks"))
    )
    assert "identity.exclude" not in printed(samples.report())


def test_a_long_chain_of_calls_is_shortened(samples: Any, printed: Callable[..., str]) -> None:
    """Its first and last calls are enough."""
    calls = tuple(f"in func f{number}" for number in range(200))
    failure = replace(samples.failure, calls=calls)
    rows = printed(samples.report(verdict="error", exit_code=ExitCode.MODEL_ERROR, error=failure)).splitlines()
    assert "  in func f0" in rows
    assert "  ... 192 more calls" in rows
    assert "  in func f199" in rows
    assert "  in func f100" not in rows


def test_why_it_is_false(samples: Any, printed: Callable[..., str]) -> None:
    """Below the trace: the line that returned, the values that decided, and the state unless it is the last."""
    why = Why(3, "store.fizz", 10, (("len(log) == 0", "False"), ("log", '[{"key": "a"}]')))
    finding = PropertyReport("Empty", "always", "violated", 3, replace(samples.path, why=why))
    rows = printed(samples.report(properties=(finding,))).splitlines()
    start = rows.index("      Why it is false:")
    assert rows[start + 1 : start + 4] == [
        "        10 | require self.offset < len(log)",
        "        len(log) == 0 is False",
        '        log = [{"key": "a"}]',
    ]
    earlier = replace(samples.path, why=replace(why, step=2))
    text = printed(samples.report(properties=(replace(finding, trace=earlier),)))
    assert "      Why it is false in the state after step 2:" in text
    assert "Why it is false" not in printed(samples.report())


def test_what_was_not_judged_is_said(printed: Callable[..., str]) -> None:
    """A run that passes without having judged a property does not say that every property holds."""
    text = """
---
liveness: off
---
action Init:
    n = 0
atomic fair action Go:
    n = 1 - n
always eventually assertion One:
    return n == 1
"""
    shown = " ".join(printed(check(fizz.load("m.fizz", text=text))).split())
    assert "every property that was judged holds on the whole state space; not judged: One" in shown
