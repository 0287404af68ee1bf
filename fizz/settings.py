"""Settings: single option values with their spans; merging them, and checking the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Literal, cast

from fizz.base.errors import Diagnostic
from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.syntax.module import ActionOptions, Budget, Options, Setting, SettingPath, Settings


def merge(layers: Iterable[Settings]) -> tuple[Options, Settings]:
    """The options of all layers, later ones winning per field, and the settings in force."""
    merged: Settings = {}
    for layer in layers:
        merged.update(layer)
    values = {path: setting.value for path, setting in merged.items()}
    max_actions = cast(int, values.get(("options", "max_actions"), 0))
    max_actions = max_actions if max_actions > 0 else 100
    concurrent = cast(int, values.get(("options", "max_concurrent_actions"), 0))
    default = Options()
    options = Options(
        max_actions=max_actions,
        max_concurrent_actions=concurrent if concurrent > 0 else min(2, max_actions),
        crash_on_yield=cast(bool, values.get(("options", "crash_on_yield"), default.crash_on_yield)),
        limits=_budget(values),
        action_options=_action_options(values),
        deadlock_detection=cast(bool, values.get(("deadlock_detection",), default.deadlock_detection)),
        exclude=tuple(dict.fromkeys(cast(tuple[str, ...], values.get(("identity", "exclude"), ())))),
        liveness=cast(Literal["strict", "nondeterministic", "off"], values.get(("liveness",), default.liveness)),
        continue_on_invariant_failures=cast(bool, values.get(("continue_on_invariant_failures",), False)),
        continue_path_on_invariant_failures=cast(bool, values.get(("continue_path_on_invariant_failures",), False)),
    )
    return options, merged


def _budget(values: Mapping[SettingPath, object]) -> Budget:
    given = {path[2]: cast(int, value) for path, value in values.items() if path[:2] == ("options", "limits")}
    return Budget(**given)


def _action_options(values: Mapping[SettingPath, object]) -> dict[str, ActionOptions]:
    result: dict[str, ActionOptions] = {}
    for key in dict.fromkeys(path[1] for path in values if path[0] == "action_options"):

        def limit(name: str, key: str = key) -> int | None:
            number = cast(int, values.get(("action_options", key, name), 0))
            return number if number > 0 else None

        crash = cast(bool, values.get(("action_options", key, "crash_on_yield"), True))
        result[key] = ActionOptions(limit("max_actions"), limit("max_concurrent_actions"), crash)
    return result


def check_options(settings: Settings, declarations: Declarations) -> Iterator[Diagnostic]:
    """Errors for settings that name actions or variables which the model does not have."""
    keys = _keys(declarations)
    for path, setting in settings.items():
        if path[0] == "action_options":
            if path[1].rsplit(".", 1)[-1] not in declarations.maybe:
                yield from _check_key(path[1], path[2], setting, keys)
        elif path == ("identity", "exclude"):
            assert isinstance(setting.value, tuple)
            for name, span in zip(setting.value, setting.parts, strict=True):
                if name not in declarations.state_variables and name not in declarations.maybe:
                    known = list(declarations.state_variables)
                    hint = near_hint(name, known) or "state variables: " + (", ".join(known) or "none")
                    yield Diagnostic("O2", f"option 'identity.exclude': '{name}' is no state variable", span, hint)


@dataclass(frozen=True, slots=True)
class _Keys:
    """The valid keys: actions (`A`, `R.A`), and funcs of roles (`R.f`), which messages may start."""

    actions: tuple[str, ...]
    functions: tuple[str, ...]


def _keys(declarations: Declarations) -> _Keys:
    actions = [name for name in declarations.actions if name != "Init"]
    functions: list[str] = []
    for role in declarations.roles.values():
        actions += [f"{role.name}.{action.name}" for action in role.actions if action.name != "Init"]
        functions += [f"{role.name}.{function.name}" for function in role.functions]
    return _Keys(tuple(actions), tuple(functions))


def _check_key(key: str, field: str, setting: Setting, keys: _Keys) -> Iterator[Diagnostic]:
    match = re.fullmatch(r"(\w+)#(\d*)\.(\w+)", key)
    name = f"{match.group(1)}.{match.group(3)}" if match else key
    if field == "crash_on_yield":
        if match and name in (*keys.actions, *keys.functions):
            text = f"action_options key '{key}': crash_on_yield is per action, not per instance"
            yield Diagnostic("O4", text, setting.key_span, f"write it under '{name}'")
            return
        known = (*keys.actions, *keys.functions)
    else:
        known = keys.actions
    if name not in known:
        hint = near_hint(name, known) or "the actions are: " + (", ".join(keys.actions) or "none")
        yield Diagnostic("O4", f"action_options key '{key}' names no action", setting.key_span, hint)
