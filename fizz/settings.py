"""Settings: single option values with their spans; merging them, and checking the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from fizz.base.errors import Diagnostic
from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.syntax.module import ActionOptions, Budget, Options, Setting, Settings


def merge(layers: Iterable[Settings]) -> tuple[Options, Settings]:
    """The options of all layers, later ones winning per field, and the settings in force."""
    merged: Settings = {}
    for layer in layers:
        merged.update(layer)
    # Each setting is the field of its own name in the dataclass of its mapping; what is not set has the default there.
    of_model: dict[str, Any] = {}
    of_limits: dict[str, Any] = {}
    of_actions: dict[str, dict[str, Any]] = {}
    for path, setting in merged.items():
        if path[0] == "action_options":
            fields = of_actions.setdefault(path[1], {})
        else:
            fields = of_limits if path[:2] == ("options", "limits") else of_model
        if not _is_default(setting.value):
            fields[path[-1]] = setting.value
    options = Options(
        **of_model,
        limits=Budget(**of_limits),
        action_options={key: ActionOptions(**fields) for key, fields in of_actions.items()},
    )
    if "max_concurrent_actions" not in of_model:
        options = replace(options, max_concurrent_actions=min(options.max_concurrent_actions, options.max_actions))
    return replace(options, exclude=tuple(dict.fromkeys(options.exclude))), merged


def _is_default(value: object) -> bool:
    """Whether a value stands for the default: a number that is not above 0."""
    return type(value) is int and value <= 0


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
