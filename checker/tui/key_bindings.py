"""The keys of the viewer: one table for the bindings, the help and the documentation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Key:
    """Keys with one effect: `keys` as textual names them, `shown` to the reader; `action` is a method of the screen."""

    keys: str
    shown: str
    action: str
    text: str


KEYS: tuple[tuple[str, tuple[Key, ...]], ...] = (
    (
        "Steps",
        (
            Key("right,l", "→ l", "step(1)", "the next step"),
            Key("left,h", "← h", "step(-1)", "the previous step"),
            Key("home", "Home", "first", "the first step"),
            Key("end", "End", "last", "the last step"),
            Key("g", "g", "go_to", "go to a step by its number; a digit alone begins the number"),
            Key("v", "v", "next_counterexample", "the counterexample of the next violated property, at its end"),
        ),
    ),
    (
        "Panes",
        (
            Key("tab", "Tab", "next_pane(1)", "to the next pane: steps, state, source, properties"),
            Key("shift+tab", "Shift-Tab", "next_pane(-1)", "to the previous pane"),
            Key("down,j", "↓ j", "move(1)", "a line down"),
            Key("up,k", "↑ k", "move(-1)", "a line up"),
            Key("pagedown", "PgDn", "page(1)", "a page down"),
            Key("pageup", "PgUp", "page(-1)", "a page up"),
            Key("z", "z", "zoom", "the pane alone, on the whole screen; and back"),
        ),
    ),
    (
        "State",
        (
            Key("enter,space", "Enter", "open", "open or close a part; show all of a text that is cut off"),
            Key("u", "u", "changed_only", "hide what did not change; and back"),
            Key("f", "f", "filter", "show only places with one of these words; -word hides"),
            Key(
                "c",
                "c",
                "next_change(1)",
                "to the next step that changes this place, or this property",
            ),
            Key("C", "C", "next_change(-1)", "to the previous step that changes it"),
            Key("m", "m", "mark", "compare all steps with this one; and back"),
        ),
    ),
    (
        "Search",
        (
            Key("slash", "/", "search", "look for a text in steps and in what they change"),
            Key("n", "n", "next_match(1)", "the next match"),
            Key("N", "N", "next_match(-1)", "the previous match"),
        ),
    ),
    (
        "Questions",
        (
            Key("w", "w", "why", "why the properties that are false here are false"),
            Key("o", "o", "alternatives", "what else could happen here; Enter goes on from there"),
            Key("b", "b", "come_back", "back to where you left the trace"),
        ),
    ),
    (
        "Viewer",
        (
            Key("s", "s", "save", "save this path as a guided trace, for fizzpy show and trace"),
            Key("r", "r", "read_again", "read it again: check the model, or read the report or trace"),
            Key("y", "y", "copy", "copy the state as text: to the clipboard, and to a file"),
            Key("question_mark", "?", "help", "this help"),
            Key("escape", "Esc", "let_go", "clear comparison, search and filter"),
            Key("q,ctrl+c", "q", "quit", "quit"),
        ),
    ),
)

SIGNS: tuple[tuple[str, str], ...] = (
    ("┌ ├ └", "in a lane: a thread starts, goes on, ends"),
    ("●", "an action that starts and ends in one step"),
    ("▸", "a message is delivered"),
    ("✗", "a crash, or a failure of the model"),
    ("│ ║ ·", "one, several or no unfinished threads"),
    ("╭ │ ╰ ↺", "left of the numbers: the cycle of a lasso"),
    ("!", "a property is violated by this step or state"),
    ("= * +", "the step compared with, a match of the search, a step you took"),
    ("~ + -", "in the state: changed, came, went"),
    ("► ◄", "in the source: executed by the step; a thread goes on here"),
    ("T F - ?", "a property is true, false, says nothing here, is being evaluated"),
)

DIGITS = "0123456789"
"""Keys that begin the number of a step."""
