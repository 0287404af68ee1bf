"""A step of a counterexample in brief as text: who moves and where it stands; what changed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from rich.text import Text

from checker.core.visible import printable
from checker.report.compact_trace import BriefStep

Spelled = Callable[[str], str]
"""Our own signs as the output can have them: see `Page.spelled`."""


def mover_text(step: BriefStep, names: Mapping[str, str], spelled: Spelled) -> Text:
    """`Node#2.LeaderConsumes`, with choices, lines and crash; below a step of the same thread without its name.

    `names`: of the files, as `file_names` gives them.
    """
    line = Text()
    if step.joined:
        line.append("  " * (1 + len(step.calls)) + "".join(step.calls[-1:]), "cyan")
    else:
        line.append(printable(step.mover), "bold cyan")
        line.append("".join(f" > {printable(call)}" for call in step.calls), "cyan")
    if step.kind == "deliver":
        line.append(" receives", "dim")
    for choice in step.choices:
        line.append(f" {printable(choice)}", "yellow")
    if step.lines:
        line.append(f"{'' if line.plain.endswith(' ') else ' '}{_where(step.lines, names)}", "dim")
    if step.kind == "crash-role":
        line.append("  ").append(spelled("✗ crash"), "bold white on red")
    elif step.crash:
        after = f" after {_where((step.struck,), names)}" if step.struck else ""
        line.append("  ").append(spelled(f"✗ crash{after}"), "bold white on red")
    if step.fails:
        line.append("  ").append("the model fails", "bold white on red")
    return line


def change_texts(step: BriefStep, spelled: Spelled) -> list[Text]:
    """What changed, each change by itself."""
    if not step.changes:
        return [Text("" if step.fails else "nothing changes", "dim")]
    return [
        Text().append(printable(change.place), "cyan").append(printable(f" {spelled(change.text)}"))
        for change in step.changes
    ]


def _where(lines: Sequence[tuple[str, int]], names: Mapping[str, str]) -> str:
    """`line 14`, `lines 14-16`, the last one where they do not follow; with several files `core.fizz:61`."""
    file, last = lines[-1]
    name = printable(names.get(file, file))
    if name:
        return f"{name}:{last}"
    ascending = all(before[0] == after[0] and before[1] < after[1] for before, after in pairwise(lines))
    return f"lines {lines[0][1]}-{last}" if ascending and len(lines) > 1 else f"line {last}"
