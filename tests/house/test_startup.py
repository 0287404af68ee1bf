"""The command starts quickly, because it imports late what is heavy. Modules are counted, for seconds vary."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"numba", "numpy", "pyspark", "rich", "scipy", "textual", "textx", "yaml"}
MOST_MODULES = 260

PROBE = """
import json, sys
sys.path.insert(0, {root!r})
sys.argv = ["fizzpy", *{arguments!r}]
import fizzpy
fizzpy.main()
print(json.dumps(sorted(sys.modules)))
"""


def modules_after(*arguments: str) -> set[str]:
    """The modules that are loaded when the command has run in a process of its own."""
    probe = PROBE.format(root=str(ROOT), arguments=arguments)
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.splitlines()[-1]))


def test_version_imports_nothing_heavy() -> None:
    """`fizzpy --version` needs no parser, no arrays, no terminal library."""
    modules = modules_after("--version")
    assert not {module.split(".")[0] for module in modules} & HEAVY
    assert len(modules) < MOST_MODULES


def test_help_imports_nothing_heavy() -> None:
    """`fizzpy check --help` does not either."""
    assert not {module.split(".")[0] for module in modules_after("check", "--help")} & HEAVY


def packages_after(imports: str) -> set[str]:
    """The packages that are loaded after an import statement."""
    probe = f"import json, sys; {imports}; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True, cwd=ROOT)
    return {module.split(".")[0] for module in json.loads(done.stdout)}


def test_the_api_imports_nothing_heavy() -> None:
    """`import fizzpy` alone costs next to nothing."""
    assert not packages_after("import fizzpy") & HEAVY


def test_the_first_screen_imports_no_language() -> None:
    """The viewer shows a saved report before it reads the model: no module that its first screen imports needs one."""
    modules = "checker.cli.show_command, checker.tui.opened.opening_files, checker.tui.app"
    assert not packages_after(f"import {modules}") & {"fizz", "interpreter", "numpy", "scipy", "yaml"}
