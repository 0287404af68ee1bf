"""Limits of the model on concurrent threads and on the number of starts of an action (language page, 9.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from interpreter.compile.program import Program
from interpreter.state.state import State
from interpreter.state.step import Rule

Root = Callable[[int], tuple[int, tuple[str, int] | None]]


class LimitSetting(NamedTuple):
    """An option of a key of `action_options`."""

    key: str
    option: str


def counter_of(key: str, number: int) -> str:
    """The counter of one instance, for a key `R#.A`."""
    return "each " + key.replace("#.", f"#{number}.")


class ModelLimits:
    """The keys of `action_options`, matched with starts.

    A key `R#.A` keeps one counter per instance; it is written `R#2.A` with the instance's number, after `each `. `R.*`
    and `R#.*` are all actions of the role, and of one instance.
    `effective`: the settings that made a difference so far: they prevented the start of an action or a crash.
    """

    def __init__(self, program: Program) -> None:
        self.effective: set[LimitSetting] = set()
        self._program = program
        self._options = program.options
        options = program.options.action_options
        self._keys_with_counters = [key for key, one in options.items() if one.max_actions is not None]
        self._counters: dict[Rule, tuple[tuple[str, int], ...]] = {}
        self._keys: dict[tuple[int, tuple[str, int] | None], tuple[str, ...]] = {}

    def keys(self, routine: int, instance: tuple[str, int] | None) -> tuple[str, ...]:
        """The keys that an invocation may be limited under."""
        known = self._keys.get((routine, instance))
        if known is None:
            invoked = self._program.routines[routine]
            name = invoked.name
            known = (name,)
            if instance is not None:
                role, number = instance
                bare = name.rpartition(".")[2]
                known = (name, f"{role}#.{bare}", f"{role}#{number}.{bare}")
                if invoked.kind == "action":
                    # The threads of delivered messages are no actions of the instance.
                    known = (*known, f"{role}.*", f"{role}#.*")
            self._keys[routine, instance] = known
        return known

    def limited(self, rule: Rule) -> tuple[tuple[str, int], ...]:
        """The counters that a start increments, with the most starts allowed."""
        known = self._counters.get(rule)
        if known is None:
            found: list[tuple[str, int]] = []
            for key in self.keys(rule.subject, rule.instance):
                option = self._options.action_options.get(key)
                if option is not None and option.max_actions is not None:
                    counter = key
                    if "#." in key and rule.instance is not None:
                        counter = counter_of(key, rule.instance[1])
                    found.append((counter, option.max_actions))
            known = self._counters[rule] = tuple(found)
        return known

    def of_model(self) -> Iterator[str]:
        """The counters that there are from the beginning: all but those of single instances."""
        return (key for key in self._keys_with_counters if "#" not in key)

    def of_instance(self, role: str, number: int) -> Iterator[str]:
        """The counters that an instance has of its own, as long as it lives or has counted something."""
        return (counter_of(key, number) for key in self._keys_with_counters if key.startswith(f"{role}#."))

    def counters(self, rule: Rule) -> list[str]:
        """The counters that a start increments."""
        return [counter for counter, _ in self.limited(rule)]

    def may_start(self, rule: Rule, state: State, root: Root, payload: Callable[[int], int]) -> bool:
        """Whether the action's own limits allow it to start in a state."""
        allowed = True
        for counter, most in self.limited(rule):
            position = state.layout.index.get(("count", counter))
            if position is not None and payload(state.values[position]) >= most:
                self.note(counter, "max_actions")
                allowed = False
        for key, most in self.concurrency(rule):
            if sum(self.shares(key, rule, thread, root) for thread in state.threads) >= most:
                self.note(key, "max_concurrent_actions")
                allowed = False
        return allowed

    def note(self, counter: str, option: str) -> None:
        """Record that a limit prevented a start; `counter` is its key, or the counter of that key."""
        self.effective.add(LimitSetting(self.key_of(counter), option))

    def key_of(self, counter: str) -> str:
        """The key of `action_options` that a counter belongs to."""
        if not counter.startswith("each "):
            return counter
        role, _, rest = counter.removeprefix("each ").partition("#")
        return f"{role}#.{rest.partition('.')[2]}"

    def concurrency(self, rule: Rule) -> tuple[tuple[str, int], ...]:
        """The keys that limit concurrent threads of a start's action, with the most threads allowed."""
        options = self._options.action_options
        found = (
            (key, options[key].max_concurrent_actions)
            for key in self.keys(rule.subject, rule.instance)
            if key in options
        )
        return tuple((key, most) for key, most in found if most is not None)

    def shares(self, key: str, rule: Rule, thread: int, root: Root) -> bool:
        """Whether a thread counts under a key of a start: of `R#.A` only threads of the same instance."""
        routine, instance = root(thread)
        return key in self.keys(routine, instance) and ("#." not in key or instance == rule.instance)

    def may_crash(self, routine: int) -> bool:
        """Whether threads rooted in a routine may crash."""
        if not self._options.crash_on_yield:
            return False
        name = self._program.routines[routine].name
        given = [
            key
            for key in (name, name.replace(".", "#."))
            if key in self._options.action_options and not self._options.action_options[key].crash_on_yield
        ]
        self.effective.update([LimitSetting(key, "crash_on_yield") for key in given])
        return not given
