"""Arguments of calls whose callee is known."""

from __future__ import annotations

from fizz.checks.scope import Messages
from fizz.syntax import ast


def check_arguments(call: ast.Call, name: str, parameters: tuple[ast.Parameter, ...], messages: Messages) -> None:
    """Reports missing, unexpected and superfluous arguments (L26)."""
    plain = [parameter for parameter in parameters if parameter.kind == "plain"]
    names = {parameter.name for parameter in plain}
    kinds = {parameter.kind for parameter in parameters}
    hint = f"its parameters are ({', '.join(_shown(parameter) for parameter in parameters)})"
    given: set[str] = set()
    position = 0
    spread = False
    for argument in call.arguments:
        if argument.kind in ("star", "double star"):
            spread = True
        elif argument.kind == "positional":
            if position < len(plain):
                given.add(plain[position].name)
            elif "star" not in kinds and not spread:
                messages.error("L26", f"wrong arguments for '{name}': too many", argument.span, hint)
                return
            position += 1
        else:
            assert argument.name is not None
            if argument.name in given:
                text = f"wrong arguments for '{name}': '{argument.name}' is given twice"
                messages.error("L26", text, argument.span, hint)
            elif argument.name not in names and "double star" not in kinds:
                text = f"wrong arguments for '{name}': unexpected '{argument.name}'"
                messages.error("L26", text, argument.span, hint)
            given.add(argument.name)
    missing = [parameter.name for parameter in plain if parameter.default is None and parameter.name not in given]
    if missing and not spread:
        shown = ", ".join(f"'{word}'" for word in missing)
        messages.error("L26", f"wrong arguments for '{name}': missing {shown}", call.span, hint)


def _shown(parameter: ast.Parameter) -> str:
    stars = {"plain": "", "star": "*", "double star": "**"}[parameter.kind]
    return stars + parameter.name + ("=…" if parameter.default is not None else "")
