"""The main screen: four panes, the keys, and the line at the bottom."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import Screen
from textual.widgets import Static

from checker.core.trace import Trace
from checker.core.visible import printable
from checker.tui.background import PAUSE, Background
from checker.tui.bottom_line import BottomLine
from checker.tui.kept_files import Copies, Stamps, free_name, in_one_line, save_path
from checker.tui.key_bindings import DIGITS, KEYS
from checker.tui.opened.opened_paths import OpenedPaths
from checker.tui.panes import Pane, SourcePane, StatePane, StepsPane, TruthPane
from checker.tui.reason_pane import ReasonPane
from checker.tui.screens import HELP, TextScreen, help_lines, plain
from checker.tui.styles import Piece
from checker.tui.terminal import LOOK_S
from checker.tui.viewer_session import ViewerSession

if TYPE_CHECKING:
    from checker.tui.app import Viewer
    from checker.tui.opened.alternatives import Enabled
    from checker.tui.opened.answers import Answers


class MainScreen(Screen[None]):
    """The first screen."""

    DEFAULT_CSS = """
    MainScreen #title { height: 1; text-style: bold; text-wrap: nowrap; text-overflow: ellipsis; }
    MainScreen #main { height: 1fr; }
    MainScreen #steps { height: auto; max-height: 55%; min-height: 3; }
    MainScreen #right { height: 1fr; layout: horizontal; }
    MainScreen #state { width: 9fr; margin: 0 1 0 0; }
    MainScreen #source { width: 11fr; }
    MainScreen #truth { height: auto; }
    MainScreen #reason.empty, MainScreen.zoomed #reason,
    MainScreen.zoom-steps #right, MainScreen.zoom-steps #truth,
    MainScreen.zoom-state #steps, MainScreen.zoom-state #source, MainScreen.zoom-state #truth,
    MainScreen.zoom-source #steps, MainScreen.zoom-source #state, MainScreen.zoom-source #truth,
    MainScreen.zoom-truth #main, MainScreen.no-properties #truth, MainScreen.low #truth { display: none; }
    MainScreen.zoom-steps #steps { width: 1fr; height: 1fr; max-height: 100%; margin: 0; }
    MainScreen.zoom-state #right, MainScreen.zoom-source #right { width: 1fr; }
    MainScreen.zoom-truth #truth { display: block; height: 1fr; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(key.keys, key.action, key.text, show=False, priority="tab" in key.keys)
        for _, keys in KEYS
        for key in keys
    ]
    BINDINGS += [Binding(digit, f"go_to('{digit}')", show=False) for digit in DIGITS]

    def __init__(self, session: ViewerSession) -> None:
        super().__init__()
        # With fewer rows the steps would have none of them.
        self.VERTICAL_BREAKPOINTS = [(0, "low"), (12, "high")]
        self.session = session
        if not session.opened.by_hand:
            session.select(session.last)
        self.steps = StepsPane(session, "steps")
        self.state = StatePane(session, "state")
        self.source = SourcePane(session, "source")
        self.truth = TruthPane(session, "truth")
        self.panes: tuple[Pane, ...] = (self.steps, self.state, self.source, self.truth)
        self.reason = ReasonPane(session)
        self.bottom = BottomLine()
        self.copies = Copies()
        self.stamps = Stamps()
        self.reason_of: Trace | None = None
        self._zoomed = False
        self.background = Background(self)

    def compose(self) -> ComposeResult:
        yield Static(id="title", markup=False)
        yield self.reason
        with Vertical(id="main"):
            yield self.steps
            with Vertical(id="right"):
                yield self.state
                yield self.source
        yield self.truth
        yield self.bottom

    def on_mount(self) -> None:
        self.steps.focus()
        self.begin()
        self.call_after_refresh(self._go_on)

    def _go_on(self) -> None:
        """Begin what can wait until the first screen is drawn."""
        self.background.read()
        self.set_interval(PAUSE, self.background.work)
        if self.session.opened.source is not None:
            self.set_interval(LOOK_S, self._look_for_changes)
        if self.session.opened.by_hand:
            self.action_alternatives()

    def begin(self) -> None:
        """Show what was opened."""
        self.set_class(not self.truth.count, "no-properties")
        # A report has the properties that were asked for; a model may have more.
        self.truth.refresh(layout=True)
        self.steps.refresh(layout=True)
        self.reason.follow()
        self.follow()
        self.truth.to_violated()
        self._say_remark()

    def give_up(self, problem: Exception) -> None:
        """End; the command reports the problem."""
        cast("Viewer", self.app).give_up(problem)

    def _say_remark(self) -> None:
        """Show the remark of a path that is not an exact run of the model."""
        if self.session.path.remark:
            self.bottom.say(self.session.path.remark)

    # --- showing ---------------------------------------------------------------------------------------------------

    def follow(self) -> None:
        """Update all panes from the session."""
        session = self.session
        self.background.changed()
        own = f"your own path from step {session.own}; " if session.own is not None else ""
        title = f"{PurePath(session.opened.model).name}: {own}{session.opened.paths[session.path_index].sentence}"
        self.query_one("#title", Static).update(printable(title, lines=False), layout=False)
        if self.reason_of is not session.reason:
            self.reason_of = session.reason
            self.reason.follow()
        for pane in self.panes:
            pane.follow()

    def go(self, index: int | None, otherwise: str = "") -> None:
        """Go to a step, or say why not."""
        if index is None:
            self.bottom.say(otherwise)
            return
        self.bottom.say()
        self.session.select(index)
        self.follow()

    def on_steps_pane_chosen(self) -> None:
        self.bottom.say()
        self.follow()

    def read(self, title: str, make: Callable[[int], list[Sequence[Piece]]]) -> None:
        """Show a text on a screen of its own."""
        self.app.push_screen(TextScreen(title, make))

    # --- steps and panes -------------------------------------------------------------------------------------------

    @property
    def pane(self) -> Pane:
        """The pane that has the focus."""
        return self.focused if isinstance(self.focused, Pane) else self.steps

    def action_step(self, by: int) -> None:
        session = self.session
        if by > 0 and session.selected == session.last and session.cycle is not None:
            self.go(session.cycle)
            self.bottom.say("the cycle begins again")
        else:
            self.go(session.selected + by)

    def action_first(self) -> None:
        self.go(0)

    def action_last(self) -> None:
        self.go(self.session.last)

    def action_go_to(self, begun: str = "") -> None:
        self.bottom.ask(f"step (0 to {self.session.last}): ", begun, lambda text: None, self._go_to)

    def _go_to(self, text: str) -> None:
        if text.strip():
            self.go(int(text) if text.strip().isdigit() else None, f"there is no step '{text}'")

    def action_next_counterexample(self) -> None:
        if self.session.next_counterexample():
            self.bottom.say()
            self.follow()
            self._say_remark()
        else:
            self.bottom.say("there is no other counterexample here; `--keep-going` looks for more")

    def action_move(self, by: int) -> None:
        if self.pane is self.steps:
            # Not by a message of the pane, which would draw it twice.
            self.go(self.session.selected + by)
        else:
            self.bottom.say()
            self.pane.move(by)

    def action_page(self, direction: int) -> None:
        self.action_move(direction * self.pane.room)

    def action_next_pane(self, by: int) -> None:
        there = [pane for pane in self.panes if pane.count]
        pane = there[(there.index(self.pane) + by) % len(there)] if self.pane in there else self.steps
        self._zoom(pane if self._zoomed else None)
        pane.focus()

    def action_zoom(self) -> None:
        self._zoomed = not self._zoomed
        self._zoom(self.pane if self._zoomed else None)

    def _zoom(self, alone: Pane | None) -> None:
        """Show one pane alone, or all."""
        self.set_class(alone is not None, "zoomed")
        for pane in self.panes:
            self.set_class(pane is alone, f"zoom-{pane.id}")

    # --- the state -------------------------------------------------------------------------------------------------

    def action_open(self) -> None:
        """Enter: its effect depends on the pane."""
        if self.pane is self.steps:
            self.action_alternatives()
        elif self.pane is self.truth:
            self.action_why()
        elif self.pane is self.state and (row := self.state.row) is not None:
            if row.openable or row.folds:
                self.session.folding.toggle(row)
                self.state.follow()
            else:
                from checker.tui.answer_texts import whole

                old = [] if row.old is None else [f"{row.old}", "→"]
                self.read(row.place, lambda width: plain([line for t in (*old, row.text) for line in whole(t, width)]))

    def action_changed_only(self) -> None:
        folding = self.session.folding
        folding.changed_only = not folding.changed_only
        self.state.follow()

    def action_filter(self) -> None:
        self.bottom.ask("show only: ", " ".join(self.session.folding.words), self._filter)

    def _filter(self, text: str) -> None:
        self.session.filter(text)
        self.state.follow()

    def action_mark(self) -> None:
        self.session.mark()
        self.follow()
        base = self.session.base
        self.bottom.say("compared with the step before" if base is None else f"all steps are compared with step {base}")

    def action_next_change(self, direction: int) -> None:
        where = "later" if direction > 0 else "earlier"
        if self.pane is self.truth:
            prop = self.truth.prop
            if not self.background.must_wait(lambda: self.action_next_change(direction)):
                otherwise = f"no {where} step has another letter for {prop.name}"
                self.background.look(
                    self.session.truth_changes(prop, direction), lambda index: self.go(index, otherwise)
                )
            return
        place = self.state.place
        if place:
            self.background.look(
                self.session.touching(place, direction), lambda index: self._changed(index, place, where)
            )
        else:
            self.bottom.say("first put the cursor of the state (Tab) on a part of it")

    def _changed(self, index: int | None, place: str, where: str) -> None:
        self.go(index, f"no {where} step changes {place}")
        if index is not None:
            self.state.look_for(place)
            self.bottom.say(f"step {index} changes {place}")

    # --- search ----------------------------------------------------------------------------------------------------

    def action_search(self) -> None:
        self.bottom.ask("search: ", self.session.search.text, self._search, self._sought)

    def _search(self, text: str) -> None:
        if text != self.session.search.text:
            self.session.look_for(text)
            self.background.changed()
            self.steps.refresh()

    def _sought(self, text: str) -> None:
        # Enter may arrive before the event of the last letter.
        self._search(text)
        # At the end there is nothing to look for ahead: the last match is found first.
        at_end = self.session.selected == self.session.last
        self.action_next_match(-1 if at_end else 1, here=at_end)

    def action_next_match(self, direction: int, here: bool = False) -> None:
        search = self.session.search
        if search.text:
            begin = self.session.selected - direction * here
            self.background.look(search.matches_from(begin, direction), self._matched)
        else:
            self.bottom.say("search with /")

    def _matched(self, index: int | None) -> None:
        search = self.session.search
        self.go(index, f"nothing matches '{search.text}'")
        if index is not None:
            found = search.found
            which = f" {found.index(index) + 1} of {len(found)}" if search.complete else ""
            self.bottom.say(f"match{which} for '{search.text}'")

    def action_let_go(self) -> None:
        """Clear search, filter and comparison."""
        self.session.look_for("")
        self.session.filter("")
        self.session.base = None
        self.bottom.say()
        self.follow()

    # --- files -----------------------------------------------------------------------------------------------------

    def action_save(self) -> None:
        if not self.background.must_wait(self.action_save):
            name = free_name(PurePath(self.session.opened.model).stem)
            self.bottom.ask("save as: ", name, lambda text: None, self._save)

    def _save(self, text: str) -> None:
        if text.strip():
            self.bottom.say(save_path(self.session, text.strip()))

    def action_copy(self) -> None:
        text = self.session.state_text()
        self.app.copy_to_clipboard(text)
        where = self.copies.write(text)
        self.bottom.say(f"{where}, and to the clipboard of the terminal")

    def action_read_again(self) -> None:
        if self.background.read_again():
            self.bottom.say("reading again ...")
        else:
            self.bottom.say("it is being read already" if self.session.opened.source else "it came from no file")

    def _look_for_changes(self) -> None:
        """Read again what has changed on the disk, or say that it has."""
        source = self.session.opened.source
        assert source is not None
        changed = self.stamps.changed(source.files or tuple(self.session.sources))
        if changed is None:
            return
        if source.at_once:
            self.action_read_again()
        else:
            self.bottom.say(f"{PurePath(changed).name} has changed: r reads it again")

    def not_read_again(self, problem: Exception) -> None:
        """Say why what is shown is still what was read before."""
        self.bottom.say(f"not read again: {in_one_line(problem)}")

    def show_again(self, opened: OpenedPaths, answers: Answers) -> None:
        """Show what was read again, and say what is different."""
        while not self.is_current:
            self.app.pop_screen()
        found = self.session.renew(opened, answers)
        self.begin()
        self.bottom.say("; ".join(found) or "nothing is violated")

    # --- questions -------------------------------------------------------------------------------------------------

    def action_why(self) -> None:
        if self.background.must_wait(self.action_why):
            return
        from checker.tui.answer_texts import why_false

        title = f"What is false after step {self.session.selected}"
        self.read(title, lambda width: plain(why_false(self.session, width)))

    def action_alternatives(self) -> None:
        if self.background.must_wait(self.action_alternatives):
            return
        from checker.tui.alternatives_screen import AlternativesScreen

        alternatives = self.session.alternatives()
        if alternatives is None:
            fails = self.session.path.trace.entries[self.session.selected].fails
            self.bottom.say("the model fails here" if fails else "no step of the model leads here")
            return
        self.app.push_screen(AlternativesScreen(self.session, alternatives), self._chosen)

    def _chosen(self, one: Enabled | None) -> None:
        if one is not None:
            self.session.go(one)
            self.bottom.say()
            self.follow()

    def action_come_back(self) -> None:
        if self.session.come_back():
            self.bottom.say()
            self.follow()
        else:
            self.bottom.say("you are on the trace: there is nothing to come back to")

    def action_help(self) -> None:
        self.read(HELP, help_lines)

    def action_quit(self) -> None:
        self.app.exit()
