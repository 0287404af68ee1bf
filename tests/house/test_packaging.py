"""The wheel is complete: built from a copy of the tree, unpacked elsewhere, it works without the tree."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "fizz", "interpreter", "checker", "models", "fizzpy.py", "fizzpy_command.py",
    "pyproject.toml", "README.md", "LICENSE",
)  # fmt: skip


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel. Built without isolation: no network, no waiting."""
    folder = tmp_path_factory.mktemp("wheel")
    tree = folder / "tree"
    tree.mkdir()
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree)
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--wheel-dir",
        str(folder),
        str(tree),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    contents = folder / "contents"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(contents)
    return contents


def test_wheel_holds_all_code_and_models(unpacked: Path) -> None:
    """Each module, the grammar and each model is in the wheel; tests and documents are not."""
    for folder, pattern in (("fizz", "*.py"), ("interpreter", "*.py"), ("checker", "*.py"), ("fizz", "*.tx")):
        for file in (ROOT / folder).rglob(pattern):
            assert (unpacked / file.relative_to(ROOT)).is_file(), file
    for file in (ROOT / "models").rglob("*.fizz"):
        assert (unpacked / "fizzpy_models" / file.relative_to(ROOT / "models")).is_file(), file
    tops = {path.name for path in unpacked.iterdir() if path.suffix != ".dist-info"}
    assert tops == {"fizz", "interpreter", "checker", "fizzpy.py", "fizzpy_command.py", "fizzpy_models"}


def test_unpacked_wheel_checks_a_bundled_model(unpacked: Path, tmp_path: Path) -> None:
    """A model is found by its bare name in a folder that has nothing to do with the tree."""
    environment = os.environ | {"PYTHONPATH": str(unpacked)}
    command = [sys.executable, "-m", "fizzpy", "check", "LostUpdate.fizz", "--quiet"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path, env=environment)
    assert done.returncode == 12, done.stdout + done.stderr
