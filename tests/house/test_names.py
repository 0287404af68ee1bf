"""One name for one thing: no two public classes share one, no two files; and words of the field."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def sources() -> Iterator[tuple[str, str]]:
    """Each file of the product: its name and its text."""
    for floor in ("fizz", "interpreter", "checker"):
        for path in sorted((ROOT / floor).rglob("*.py")):
            yield str(path.relative_to(ROOT)), path.read_text(encoding="utf-8")


def shared(homes: dict[str, list[str]]) -> str:
    """Each name that has several homes, with these."""
    return "\n".join(f"{name}: {', '.join(found)}" for name, found in homes.items() if len(found) > 1)


def test_no_two_classes_share_a_name() -> None:
    """A class that a reader finds by its name is the one that is meant."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, text in sources():
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(f"{name}:{node.lineno}")
    assert not shared(homes), shared(homes)


def test_no_two_files_share_a_name() -> None:
    """But for those that say what a folder has."""
    homes: dict[str, list[str]] = defaultdict(list)
    for name, _ in sources():
        if not name.endswith("__init__.py"):
            homes[Path(name).name].append(name)
    assert not shared(homes), shared(homes)


WORDS = re.compile(
    r"(?<![A-Za-z])(told|whoever|somebody|nobody|anybody|shelf|calm|calmer|manner|lessons?)(?![A-Za-z])", re.IGNORECASE
)
"""Words for which the field has others, or plain English has."""
WRITTEN = {
    "checker/search/spark/assignment.py",
    "checker/search/spark/spark_run.py",
    "checker/storage/checkpoint/folder.py",
}
"""Files that hold names of files and keys of reports with these words, which users have."""


def test_words_of_the_field() -> None:
    """Code and comments use the words of the glossary."""
    found = [
        f"{name}:{number}: {match.group()}"
        for name, text in sources()
        if name not in WRITTEN
        for number, line in enumerate(text.splitlines(), 1)
        for match in WORDS.finditer(line)
    ]
    assert not found, "\n".join(found)


PERSONS = re.compile(
    r"\b(whoever|somebody|nobody|anybody|anyone|someone)\b(?!\(|\")|\b(Whoever|Somebody|Nobody)\b(?= )"
)


def test_what_acts_has_a_name() -> None:
    """Pages, models and the interface in Python say which server, thread or user does something."""
    pages = [*sorted((ROOT / "docs").rglob("*.md")), ROOT / "README.md", ROOT / "fizzpy.py"]
    found = [
        f"{path.relative_to(ROOT)}:{number}: {match.group()}"
        for path in [*pages, *sorted((ROOT / "models").rglob("*.fizz"))]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for match in PERSONS.finditer(line)
    ]
    assert not found, "\n".join(found)
