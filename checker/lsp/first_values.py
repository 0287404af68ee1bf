"""The values of constants, and of state variables and fields in the first initial state: for hovers.

It runs in a process of its own, which ends when it takes too long: a model may count for ever in its first line.
`python -m checker.lsp.first_values` reads `{"path": …, "texts": {…}}` and prints an object.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping

from checker.report.plain_lines import print_result

_LONGEST = 300


def first_values(path: str, texts: Mapping[str, str]) -> dict[str, dict[str, tuple[str, str]]]:
    """By `constants`, `variables` and `fields` (as `Node.x`): the type and the display text of each value."""
    from fizz.load import examine
    from interpreter import Machine, compile_module
    from interpreter.explain.contents import contents
    from interpreter.values.basis import type_name
    from interpreter.values.freeze import display

    def described(value: object) -> tuple[str, str]:
        text = display(value)
        return type_name(value), text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"

    module = examine(path, texts).module
    if module is None:
        return {}
    machine = Machine(compile_module(module))
    values = machine.code.known.constants
    constants = {name: values[name] for name in module.constants if name in values}
    found = {"constants": {name: described(value) for name, value in constants.items()}}
    initial, _ = machine.initial()
    if initial:
        held = contents(machine, initial[0].state)
        found["variables"] = {name: described(value) for name, value in held.variables.items()}
        found["fields"] = {
            f"{role}.{name}": described(value)
            for (role, _), fields in reversed(held.instances.items())
            for name, value in fields.items()
        }
    return found


def main() -> int:
    """Answer one request; a model that fails has no values."""
    from fizz.base.errors import FizzError
    from interpreter import ModelError

    request = json.loads(sys.stdin.buffer.read())
    try:
        found = first_values(request["path"], request["texts"])
    except (FizzError, ModelError, OSError, MemoryError, RecursionError):
        found = {}
    print_result(json.dumps(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
