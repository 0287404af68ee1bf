"""The plain engine is an oracle of remembering and of rules run directly: it explores without loading any of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REMEMBERING = "checker.search.memo"
"""Tries, restarts, and containers that are read part by part."""
DIRECT = "interpreter.direct"
"""Rules as functions of Python."""

PROBE = """
import sys
sys.path.insert(0, {root!r})
for forbidden in {forbidden!r}:
    sys.modules[forbidden] = None  # to import anything of it is an error
import fizz
from checker.search.engines.plain import PlainEngine
from checker.core.exploration import Settings
from checker.search.explore import explore
from checker.properties import properties_of
from interpreter import compile_module
program = compile_module(fizz.load({model!r}, constants={{"RMS": "2"}}))
print(explore(PlainEngine(), program, properties_of(program, None), Settings()).states)
assert not any(name.startswith("checker.search.columns") for name in sys.modules)
"""


def test_the_plain_engine_loads_nothing_of_them() -> None:
    """A whole run, from the text of a model to its states."""
    model = str(ROOT / "models" / "classics" / "TwoPhase.fizz")
    probe = PROBE.format(root=str(ROOT), forbidden=[REMEMBERING, DIRECT], model=model)
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1


def test_the_packages_exist() -> None:
    """The test above would not see a package that was given another name."""
    modules = {path.stem for name in (REMEMBERING, DIRECT) for path in (ROOT / name.replace(".", "/")).glob("*.py")}
    remembering = {"memo", "trie", "remembering", "division", "open_containers", "parts_world", "independence"}
    assert remembering | {"nodes", "rules"} <= modules
