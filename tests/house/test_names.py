"""One name for one thing: no two public classes share one."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_no_two_classes_share_a_name() -> None:
    """A class that a reader finds by its name is the one that is meant."""
    homes: dict[str, list[str]] = defaultdict(list)
    for floor in ("fizz", "interpreter", "checker"):
        for path in sorted((ROOT / floor).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    shared = {name: found for name, found in homes.items() if len(found) > 1}
    assert not shared, shared
