"""The plain engine is an oracle of remembering: it explores without loading any of it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REMEMBERING = "checker.search.memo"
"""Tries, restarts, and containers that are read part by part."""

PROBE = """
import sys
sys.path.insert(0, {root!r})
sys.modules[{forbidden!r}] = None  # to import anything of it is an error
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


def test_the_plain_engine_loads_nothing_of_remembering() -> None:
    """A whole run, from the text of a model to its states."""
    model = str(ROOT / "models" / "classics" / "TwoPhase.fizz")
    probe = PROBE.format(root=str(ROOT), forbidden=REMEMBERING, model=model)
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 1


def test_the_package_exists() -> None:
    """The test above would not see a package that was given another name."""
    modules = {path.stem for path in (ROOT / REMEMBERING.replace(".", "/")).glob("*.py")}
    assert {"memo", "trie", "remembering", "division", "open_containers", "parts_world"} <= modules
