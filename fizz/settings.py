"""Settings: single option values with their spans; merging them, and checking the names in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from fizz.base.errors import Diagnostic
from fizz.base.light import dataclass
from fizz.base.near_names import near_hint
from fizz.checks.declarations import Declarations
from fizz.syntax import ast
from fizz.syntax.module import ActionOptions, Budget, Options, Settings


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


@dataclass(frozen=True, slots=True)
class CheckedSettings:
    """What is wrong with the names in settings. `idle`: the keys of `action_options` that name nothing."""

    errors: tuple[Diagnostic, ...]
    warnings: tuple[Diagnostic, ...]
    idle: frozenset[str]

    def effective(self, options: Options) -> Options:
        """The options without the keys that name nothing."""
        kept = {key: value for key, value in options.action_options.items() if key not in self.idle}
        return replace(options, action_options=kept)


def check_options(settings: Settings, declarations: Declarations) -> CheckedSettings:
    """Check settings for actions or variables which the model does not have."""
    keys = _keys(declarations)
    errors: list[Diagnostic] = []
    warnings: list[Diagnostic] = []
    idle: set[str] = set()
    for path, setting in settings.items():
        if path[0] == "action_options":
            key, field = path[1], path[2]
            if key.rsplit(".", 1)[-1] in declarations.maybe:
                continue
            problem = _misuse(key, field, keys)
            if problem is not None:
                errors.append(
                    Diagnostic("O4", f"action_options key '{key}': {problem[0]}", setting.key_span, problem[1])
                )
            elif not _names_any(key, field, keys):
                hint = near_hint(key, keys.actions) or "the actions are: " + (", ".join(keys.actions) or "none")
                text = f"action_options key '{key}' names no action: it has no effect"
                warnings.append(Diagnostic("W17", text, setting.key_span, hint))
                idle.add(key)
        elif path == ("identity", "exclude"):
            assert isinstance(setting.value, tuple)
            for name, span in zip(setting.value, setting.parts, strict=True):
                if name not in declarations.state_variables and name not in declarations.maybe:
                    known = list(declarations.state_variables)
                    hint = near_hint(name, known) or "state variables: " + (", ".join(known) or "none")
                    text = f"option 'identity.exclude': '{name}' is no state variable"
                    errors.append(Diagnostic("O2", text, span, hint))
    return CheckedSettings(tuple(errors), tuple(warnings), frozenset(idle))


@dataclass(frozen=True, slots=True)
class _Keys:
    """What keys can name: actions (`A`, `R.A`), funcs of roles (`R.f`), which messages may start; roles."""

    actions: tuple[str, ...]
    functions: tuple[str, ...]
    roles: Mapping[str, ast.Role]


def _keys(declarations: Declarations) -> _Keys:
    actions = [name for name in declarations.actions if name != "Init"]
    functions: list[str] = []
    for role in declarations.roles.values():
        actions += [f"{role.name}.{action.name}" for action in role.actions if action.name != "Init"]
        functions += [f"{role.name}.{function.name}" for function in role.functions]
    return _Keys(tuple(actions), tuple(functions), declarations.roles)


_KEY = re.compile(r"(\w+)(?:#(\d*))?\.(\w+|\*)")
"""A key of a role: the role, `""` for each instance or the number of one, the action or `*`."""


def _misuse(key: str, field: str, keys: _Keys) -> tuple[str, str] | None:
    """What is wrong with a key under which a field stands, whatever it names, and a hint."""
    match = _KEY.fullmatch(key)
    if match is None:
        return None
    role, number, bare = match.groups()
    if number and bare == "*":
        return "it is all actions of one instance", f"write '{role}#.*' for each instance by itself, '{role}.*' for all"
    if bare == "*" and field != "max_concurrent_actions":
        return f"'{bare}' limits threads, and {field} is per action", f"write one key for each action, as '{role}.A'"
    if number and field == "crash_on_yield":
        return "crash_on_yield is per action, not per instance", f"write it under '{role}.{bare}'"
    if number and role in keys.roles and keys.roles[role].symmetric:
        text = "the instances of a symmetric role are alike, so none has limits of its own"
        return text, f"write '{role}#.{bare}' for each instance by itself"
    return None


def _names_any(key: str, field: str, keys: _Keys) -> bool:
    """Whether a key names anything that the field can be about."""
    match = _KEY.fullmatch(key)
    if match is not None and match.group(3) == "*":
        return match.group(1) in keys.roles
    name = f"{match.group(1)}.{match.group(3)}" if match else key
    return name in keys.actions or (field == "crash_on_yield" and name in keys.functions)
