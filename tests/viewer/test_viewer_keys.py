"""The viewer driven with keys: what each key does, and what that costs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from rich.color import ColorType

from checker.tui.app import Viewer
from checker.tui.key_bindings import KEYS
from checker.tui.main_screen import MainScreen
from checker.tui.opened.opened_paths import OpenedPaths
from tests.viewer.conftest import BANK, CRASH, FAILS, FINE, LASSO, NODES, RACE, Seen, driven, guided, opened

Write = Callable[..., str]
ALL = [name for _, keys in KEYS for key in keys for name in key.keys.split(",")]


@pytest.fixture
def race(written: Write) -> OpenedPaths:
    """Both withdraw; it opens after the last step."""
    return guided(written(BANK), *RACE)


@pytest.fixture
def crash(written: Write) -> OpenedPaths:
    """A node crashes half-way, another one writes."""
    return guided(written(NODES), *CRASH)


def selected(seen: Seen) -> int:
    return seen.session.selected


def test_it_opens_at_the_end(race: OpenedPaths) -> None:
    """Where the property is violated, with the change that does it."""
    seen = driven(race)
    assert selected(seen) == 4
    assert "balance: 40 → -20" in seen.text
    assert ">  4!" in seen.text


@pytest.mark.parametrize(
    ("keys", "step"),
    [
        ("left", 3),
        ("h h", 2),
        ("home right", 1),
        ("home l l end", 4),
        ("up up", 2),
        ("k j", 4),
        ("down", 4),
        ("home left", 0),
        ("pageup", 0),
        ("home pagedown", 4),
        ("g 2 enter", 2),
        ("g 9 9 enter", 4),
        ("g x enter", 4),
        ("g escape", 4),
        ("home slash c a s h enter", 1),
        ("slash 4 0 enter", 4),
        ("slash 4 0 enter N", 3),
        ("left slash 4 0 enter", 4),
        ("slash 4 0 enter n N", 4),
        ("n", 4),
    ],
)
def test_keys_that_select_a_step(keys: str, step: int, race: OpenedPaths) -> None:
    """Arrows, letters, numbers, searches."""
    assert selected(driven(race, *keys.split())) == step


def test_tab_goes_round(race: OpenedPaths) -> None:
    """Steps, state, source, properties, and back."""
    for count, title in enumerate(("Steps", "State", "Source", "Properties", "Steps")):
        seen = driven(race, *["tab"] * count)
        assert f"━{title}" in seen.text
    assert "━Properties" in driven(race, "shift+tab").text


def test_moving_in_the_state_leaves_the_step(race: OpenedPaths) -> None:
    """Up and down move in the pane that has the focus; left and right are always steps."""
    seen = driven(race, "tab", "up", "down", "pageup", "pagedown")
    assert selected(seen) == 4
    assert selected(driven(race, "tab", "left")) == 3


def test_zoom(race: OpenedPaths) -> None:
    """A pane alone; Tab changes the pane; again `z` shows all."""
    alone = driven(race, "z").text
    assert "State" not in alone and "Properties after" not in alone
    assert "Properties after" in driven(race, "z", "shift+tab").text
    seen = driven(race, "z", "tab")
    assert "State after 4" in seen.text
    assert "Steps" not in seen.text
    assert "Steps" not in driven(race, "z", "tab", "tab").text
    assert "Source" not in driven(race, "z", "shift+tab").text
    assert "Steps" in driven(race, "tab", "z", "z").text


def test_the_next_change_of_what_the_cursor_is_on(race: OpenedPaths) -> None:
    """`c` and `C`; beyond the last one there is a sentence."""
    assert selected(driven(race, "home", "c")) == 3
    assert selected(driven(race, "C")) == 3
    assert "no later step changes balance" in driven(race, "c").text


def test_a_change_is_followed_over_several_steps(crash: OpenedPaths) -> None:
    """Also where other things change as well, and where the place itself is folded away."""
    seen = driven(crash, "home", "tab", "down", "c", "c", "c")
    assert selected(seen) == 5
    assert "step 5 changes log" in seen.text
    assert 'no later step changes Node#1.seen["a"]' in driven(crash, "g", "4", "enter", "c").text


def test_open_and_close(crash: OpenedPaths) -> None:
    """Enter opens a value, the row that stands for what is folded, and a text that has no parts."""
    assert "[1]: 2" in driven(crash, "left", "tab", "down", "enter").text
    assert "unchanged" not in driven(crash, "home", "tab").text
    opened_all = driven(crash, "left", "tab", "pageup", "j", "enter")
    assert "▾log" in opened_all.text
    assert "▸log" in driven(crash, "left", "tab", "pageup", "j", "enter", "enter").text


def test_a_text_without_parts_is_shown_whole(written: Write) -> None:
    """On a screen of its own, wrapped."""
    long = "x" * 150
    path = written(
        f'action Init:\n    s = "{long}"\natomic action A:\n    s = "y"\nalways assertion F:\n    return s != "y"\n'
    )
    seen = driven(opened(path), "home", "tab", "enter")
    assert seen.text.count("x") >= 150
    assert "Esc goes back" in seen.text
    assert "State after 0" in driven(opened(path), "home", "tab", "enter", "escape").text


def test_changes_only(race: OpenedPaths) -> None:
    """What did not change is one row."""
    seen = driven(race, "home", "right", "u")
    assert "changes only" in seen.text
    assert "balance: 100" in driven(race, "home", "right").text


def test_filter(crash: OpenedPaths) -> None:
    """Letter by letter; Escape brings the filter back that was there; `escape` later removes it."""
    seen = driven(crash, "f", "l", "o", "g")
    assert "▸nodes" not in seen.text
    assert "show only:" in seen.text
    assert "▸nodes" not in driven(crash, "f", "l", "o", "g", "enter").text
    assert "▸nodes" in driven(crash, "f", "l", "o", "g", "escape").text
    assert "▸nodes" in driven(crash, "f", "l", "o", "g", "enter", "escape").text


def test_tab_ends_a_question(crash: OpenedPaths) -> None:
    """What was written so far counts; the keys are keys again."""
    seen = driven(crash, "f", "l", "o", "g", "tab", "left")
    assert "show only" not in seen.text
    assert "filter: log" in seen.text
    assert selected(seen) == 4


def test_search_says_how_many(race: OpenedPaths) -> None:
    """Matches are marked in the list of steps."""
    seen = driven(race, "slash", "b", "a", "l", "a", "enter")
    assert "match 3 of 3 for 'bala'" in seen.text
    assert sum("*" in line[:10] for line in seen.text.split("\n")) == 3
    assert "nothing matches 'zzz'" in driven(race, "slash", "z", "z", "z", "enter").text


def test_compare(race: OpenedPaths) -> None:
    """The marked step has a sign, and the state says what it is compared with."""
    seen = driven(race, "home", "m", "end")
    assert "compared with 0" in seen.text
    assert "balance: 100 → -20" in seen.text
    assert "balance: 40 → -20" in driven(race, "home", "m", "m", "end").text


def test_why(race: OpenedPaths) -> None:
    """The statement that said no, and the values."""
    seen = driven(race, "w")
    assert "NeverNegative (always) is false" in seen.text
    assert "return balance >= 0" in seen.text
    assert "balance = -20" in seen.text
    assert "Rich (exists) is false; in a single state that violates nothing" in seen.text
    assert "NeverNegative (" not in driven(race, "left", "w").text


def test_what_else_and_going_on(race: OpenedPaths) -> None:
    """The list, its details, and a step of one's own; `b` leads back."""
    seen = driven(race, "left", "o")
    assert "→ Withdraw/1    taken by the trace" in seen.text
    assert "Deposit amount=50" in seen.text
    assert "balance 40→-20" in seen.text
    assert "Withdraw: require balance >= 60" in seen.text
    seen = driven(race, "left", "o", "down")
    assert "balance 40→90" in seen.text
    seen = driven(race, "left", "o", "down", "enter")
    assert "your own path from step 4" in seen.title
    assert seen.session.path_text.lines(4)[0].text == "90"
    seen = driven(race, "left", "o", "down", "enter", "b")
    assert "your own path" not in seen.text
    assert selected(seen) == 3
    assert "nothing to come back to" in driven(race, "b").text


def test_what_holds_back_an_action(race: OpenedPaths) -> None:
    """The guard with its place and its values; Enter does nothing there."""
    seen = driven(race, "left", "o", "pagedown")
    assert "What blocks it" in seen.text
    assert "5 | require balance >= 60  this is false" in seen.text
    assert "balance = 40" in seen.text
    assert "What blocks it" in driven(race, "left", "o", "pagedown", "enter").text
    assert selected(driven(race, "left", "o", "pagedown", "enter", "escape")) == 3


def test_walking_by_hand(written: Write) -> None:
    """Without a counterexample the list is there at once, with other beginnings."""
    what = opened(written(FINE))
    seen = driven(what)
    assert seen.title.startswith("━After step 0")
    assert "every property holds" in seen.text
    assert "Other beginnings (2)" in seen.text
    seen = driven(what, "enter", "o", "enter", "o", "enter")
    assert seen.session.path_text.lines(3)[0].text == "3"
    assert selected(seen) == 3
    seen = driven(what, "down", "down", "enter")
    assert seen.session.path_text.lines(0)[0].text == "5"


def test_a_failing_model(written: Write) -> None:
    """The step that fails is marked; nothing can happen after it."""
    what = opened(written(FAILS))
    seen = driven(what)
    assert "fails" in seen.text
    assert "the model fails here" in driven(what, "o").text


def test_lasso(written: Write) -> None:
    """The cycle is marked beside the numbers, and where it leads is said below."""
    seen = driven(opened(written(LASSO)))
    assert "╭" in seen.text
    assert "╰" in seen.text
    assert "↺ back to the state after" in seen.text
    again = driven(opened(written(LASSO)), "right")
    assert selected(again) == again.session.cycle
    assert "the cycle begins again" in again.text


def test_why_a_lasso_violates(written: Write) -> None:
    """At its end, it says that the run goes on like that, and why it is fair; before the end nothing is violated."""
    seen = driven(opened(written(LASSO)), "w").text
    assert "is false here, and the run goes through this cycle for ever, which violates it" in " ".join(seen.split())
    assert "fair" in seen
    assert "for ever" not in driven(opened(written(LASSO)), "home", "w").text


def test_turns_of_a_property(race: OpenedPaths) -> None:
    """With the cursor on a property `c` goes to the next step where its letter is another one."""
    assert selected(driven(race, "home", "shift+tab", "c")) == 4
    assert "no later step has another letter for NeverNegative" in driven(race, "shift+tab", "c").text


def test_other_counterexamples(written: Write, race: OpenedPaths) -> None:
    """`v` shows the next one, if there is one."""
    text = BANK.replace("after.balance - before.balance < 500", "after.balance - before.balance < 100")
    what = opened(written(text), keep_going=True)
    assert driven(what).title != driven(what, "v").title
    assert driven(what).title == driven(what, "v", "v").title
    assert "no other counterexample" in driven(race, "v").text


def test_a_low_terminal_shows_the_step(race: OpenedPaths) -> None:
    """The properties give way, and have the screen when asked for; with more rows they are back."""
    low = driven(race, size=(30, 8)).text
    assert ">  4! Withdraw/1" in low and "Properties" not in low
    assert "NeverNega" in driven(race, *["tab"] * 3, "z", size=(30, 8)).text
    assert "Properties" in driven(race, size=(30, 12)).text


def test_help_lists_every_key(race: OpenedPaths) -> None:
    """On `?`, from the main screen and from the list of steps; Escape goes back."""
    seen = driven(race, "question_mark", size=(80, 60))
    for _, keys in KEYS:
        for key in keys:
            assert f"  {key.shown:<10s}{key.text}" in seen.text
    assert "Keys and signs" in driven(race, "o", "question_mark").text
    assert "After step 4" in driven(race, "o", "question_mark", "escape").text
    assert "Steps  4 of 4" in driven(race, "question_mark", "q").text


@pytest.mark.parametrize("pane", range(4))
def test_every_key_works_in_every_pane(pane: int, crash: OpenedPaths) -> None:
    """One after the other, with what each of them opened closed again: no key fails."""
    keys = [pressed for key in ALL if key not in ("q", "ctrl+c") for pressed in (key, "escape")]
    driven(crash, "left", *["tab"] * pane, *keys)


def test_every_key_is_an_action() -> None:
    """No key is bound to nothing, no key twice."""
    for _, keys in KEYS:
        for key in keys:
            assert hasattr(MainScreen, f"action_{key.action.partition('(')[0]}"), key.action
    assert len(ALL) == len(set(ALL))


@pytest.mark.parametrize("size", [(80, 24), (40, 12), (20, 6), (200, 60)])
def test_any_size(size: tuple[int, int], crash: OpenedPaths) -> None:
    """Too small a terminal shows little, but nothing fails."""
    driven(crash, "left", "tab", "down", "enter", "o", "escape", "w", "escape", "z", "question_mark", size=size)


@pytest.mark.parametrize("keys", ["", "o", "question_mark", "w", "slash b", "home m end tab"])
def test_sixteen_colours(keys: str, crash: OpenedPaths) -> None:
    """Nothing but the colours that every terminal has."""
    for strip in driven(crash, *keys.split()).strips:
        for segment in strip:
            for color in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                assert color is None or color.type in (ColorType.DEFAULT, ColorType.STANDARD), segment


def test_no_colour(crash: OpenedPaths, monkeypatch: pytest.MonkeyPatch) -> None:
    """With NO_COLOR there is none; letters and reverse video are left."""
    plain = driven(crash, "left").text
    monkeypatch.setenv("NO_COLOR", "1")
    seen = driven(crash, "left")
    styles = [segment.style for strip in seen.strips for segment in strip if segment.style]
    assert all(color is None or color.is_default for style in styles for color in (style.color, style.bgcolor))
    assert any(style.reverse for style in styles)
    assert seen.text == plain


def test_brackets_of_the_model_are_no_markup(written: Write) -> None:
    """Choices, values, filters and searches that look like markup are shown as they are."""
    path = written(
        'action Init:\n    s = "-"\natomic action A:\n    s = oneof ["[/x]", "[red]b"]\n'
        'always assertion F:\n    return s == "-"\n'
    )
    seen = driven(opened(path))
    assert 'State after 1: A s="[/x]"' in seen.text
    assert "[/x]" in driven(opened(path), "o").text
    for keys in ("f [ / x ]", "slash [ / x ] enter", "w"):
        driven(opened(path), *keys.replace("[", "left_square_bracket").replace("]", "right_square_bracket").split())


def test_the_mouse_selects_a_line(race: OpenedPaths) -> None:
    """A click puts the cursor on a step."""

    async def click() -> int:
        viewer = Viewer(race)
        async with viewer.run_test(size=(80, 24)) as pilot:
            await pilot.pause()
            await pilot.click("#steps", offset=(20, 3))
            await pilot.pause()
            return viewer.session.selected

    assert asyncio.run(click()) == 1


def test_texts_of_the_model_do_no_harm(written: Write) -> None:
    """Control characters in strings of the model do not reach the terminal."""
    path = written(
        'action Init:\n    s = "a\\x1b[31mred"\natomic action A:\n    s = "\\x07"\n'
        'always assertion F:\n    return s != "\\x07"\n'
    )
    for keys in ("", "tab enter", "o", "w"):
        assert "\x1b" not in driven(opened(path), *keys.split()).text
        assert "\x07" not in driven(opened(path), "home", *keys.split()).text
