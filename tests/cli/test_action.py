"""The action for GitHub: its script, run as the runner would, in a repository of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.conftest import ROOT
from tests.cli.test_ci_outputs import BANK

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
(STEP,) = [step for step in ACTION["runs"]["steps"] if step.get("id") == "fizzpy"]


def git(folder: Path, *arguments: str) -> None:
    words = ["git", "-c", "user.name=T", "-c", "user.email=t@example.com", *arguments]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a violated model and a promise, and a command `fizzpy` on the path."""
    folder = tmp_path / "repository"
    folder.mkdir()
    (folder / "bank.fizz").write_text(BANK)
    (folder / "expect.yaml").write_text("- {model: bank.fizz, exit: 12}\n")
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    git(folder, "remote", "add", "origin", str(folder))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "fizzpy"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m fizzpy "$@"\n')
    command.chmod(0o755)
    return folder


def run(folder: Path, base: str = "", **inputs: str) -> tuple[int, str]:
    """Run the script of the action with these inputs: its exit code, and what it has printed."""
    given = {name: value["default"] for name, value in ACTION["inputs"].items()}
    given |= {name.replace("_", "-"): value for name, value in inputs.items()}
    variables = {
        name: re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda match: given[match.group(1)], text)
        for name, text in STEP["env"].items()
    }
    temporary = folder.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    surroundings = {
        "PATH": f"{folder.parent / 'bin'}:{os.environ['PATH']}",
        "RUNNER_TEMP": str(temporary),
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_OUTPUT": str(temporary / "output"),
        "GITHUB_STEP_SUMMARY": str(temporary / "summary.md"),
        "GITHUB_BASE_REF": base,
    }
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEP["run"]]
    done = subprocess.run(
        command, cwd=folder, env=os.environ | surroundings | variables, capture_output=True, text=True, check=False
    )
    return done.returncode, done.stdout + done.stderr


def test_a_violation_makes_it_red(repository: Path) -> None:
    """Each model is checked with its options; the exit code is that of the first that fails; SARIF is kept."""
    code, said = run(repository, check="bank.fizz --set X=1\nbank.fizz --max-depth 1\nbank.fizz\n")
    assert code == 151, said  # there is no constant X
    assert "::error file=bank.fizz,line=9," in said
    logs = sorted((repository.parent / "temporary" / "fizzpy-sarif").iterdir())
    assert [log.name for log in logs] == ["1.sarif", "2.sarif", "3.sarif"]
    assert json.loads(logs[2].read_text())["runs"][0]["results"][0]["ruleId"] == "always"
    assert "sarif=" in (repository.parent / "temporary" / "output").read_text()


def test_what_holds_is_green(repository: Path) -> None:
    """A cut search is a success only if that is asked for."""
    assert run(repository, check="bank.fizz --max-depth 1")[0] == 3
    assert run(repository, check="bank.fizz --max-depth 1", allow_bounded="true")[0] == 0
    assert run(repository, test=".")[0] == 0


def test_nothing_to_do(repository: Path) -> None:
    """An action without inputs is a mistake."""
    assert run(repository)[0] == 2


def test_words_are_not_run(repository: Path) -> None:
    """What stands in an input is given to the command, not to the shell."""
    code, said = run(repository, check="bank.fizz; touch hacked $(touch hacked) `touch hacked`")
    assert code == 2 and not (repository / "hacked").exists(), said


def test_a_pull_request_is_compared(repository: Path) -> None:
    """The summary shows states and verdicts before and after."""
    git(repository, "switch", "-qc", "change")
    (repository / "bank.fizz").write_text(BANK.replace("action W", "atomic action W") + "atomic action Rest: pass\n")
    code, said = run(repository, base="main", test=".", compare="true")
    assert code == 1, said
    summary = (repository.parent / "temporary" / "summary.md").read_text()
    assert "failed → passed | 6 → 2 | 4 → 1 | **broken**, changed |" in summary
    assert "- exit is 0, not 12" in summary


def test_layout(repository: Path) -> None:
    """Files with another layout are a failure, and what would change is shown."""
    assert run(repository, format="bank.fizz")[0] == 0
    (repository / "bank.fizz").write_text(BANK.replace(" = 100", "=100"))
    code, said = run(repository, format="bank.fizz")
    assert code == 1 and "-    balance=100" in said


def test_the_example_is_ten_lines() -> None:
    """The workflow on the page has ten lines, and gives inputs that there are."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    text = page.partition("```yaml\n")[2].partition("```")[0]
    assert len(text.splitlines()) == 10
    (_, step) = yaml.safe_load(text)["jobs"]["models"]["steps"]
    assert set(step["with"]) <= set(ACTION["inputs"])


def test_the_page_has_all_inputs() -> None:
    """The page describes each input of the action."""
    page = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE)) == set(ACTION["inputs"])


def test_hooks(repository: Path) -> None:
    """The hooks for pre-commit are commands that there are."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    for hook in hooks:
        words = hook["entry"].split() + hook.get("args", ["bank.fizz"])
        environment = os.environ | {"PYTHONPATH": str(ROOT)}
        command = [sys.executable, "-m", *words]
        done = subprocess.run(command, cwd=repository, env=environment, capture_output=True, check=False)
        assert done.returncode == 0, hook
        assert all(re.search(hook["files"], name) for name in ("bank.fizz", "models/a.star"))
