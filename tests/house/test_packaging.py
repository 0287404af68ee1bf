"""The wheel is complete: built from a copy of the tree, unpacked elsewhere, it works without the tree."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SOURCES = (
    "fizz", "interpreter", "checker", "models", "fizzpy.py", "fizzpy_command.py",
    "pyproject.toml", "README.md", "LICENSE",
)  # fmt: skip


TOP = {
    "fizz", "interpreter", "checker", "models", "tests", "docs", "benchmarks", "examples", "editors", "fizzpy.py",
    "fizzpy_command.py", "fizzpy_pytest.py", "pyproject.toml", "mkdocs.yml", "action.yml", "README.md", "CHANGELOG.md",
    "CONTRIBUTING.md", "SECURITY.md", "LICENSE",
}  # fmt: skip
MADE = {"__pycache__", "build", "site", "artifacts", "spark-warehouse", "fizzpy.egg-info", "metastore_db", "derby.log"}
"""What tools make there, which is not kept."""


def test_nothing_else_lies_at_the_top() -> None:
    """What the project has at its top is named here: no file that a command has left there becomes a part of it."""
    assert {path.name for path in ROOT.iterdir() if not path.name.startswith(".")} - MADE == TOP


def build(folder: Path, touched: int | None = None) -> Path:
    """The wheel, built from a copy of the tree. Without isolation: no network, no waiting.

    `touched`: when all files of the copy were last written.
    """
    tree = folder / "tree"
    tree.mkdir(parents=True)
    for name in SOURCES:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, tree)
    for path in tree.rglob("*") if touched is not None else ():
        os.utime(path, (touched or 0, touched or 0))
    options = ["--no-deps", "--no-build-isolation", "--wheel-dir", str(folder)]
    command = [sys.executable, "-m", "pip", "wheel", *options, str(tree)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = folder.glob("*.whl")
    return wheel


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the contents of the wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    contents = folder / "contents"
    with zipfile.ZipFile(build(folder)) as archive:
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


def test_two_builds_are_equal(tmp_path: Path) -> None:
    """Two builds of equal files, from folders of other names at other times, give the same wheel byte for byte."""
    wheels = [build(tmp_path / name, touched) for name, touched in (("one", 1_600_000_000), ("two", 1_700_000_000))]
    assert wheels[0].name == wheels[1].name
    assert wheels[0].read_bytes() == wheels[1].read_bytes()


def test_the_lock_has_all_that_is_asked_for() -> None:
    """Each dependency, of the tests and the site too, has a version with hashes in the lock file of CI."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["test"], *extras["docs"]]
    text = (ROOT / ".ci" / "requirements.txt").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([\w.-]+)==(\S+) \\\n +--hash=sha256:", text, re.MULTILINE))
    names = {re.split(r"[<>=!~\[;]", one)[0].lower().replace("_", "-") for one in wanted}
    assert not names - {name.lower().replace("_", "-") for name in locked}
