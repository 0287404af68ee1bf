"""The documents hold together: links lead somewhere, the README stays short."""

from __future__ import annotations

import re
from pathlib import Path

from tests.house.test_fences import ROOT, lines, rooms, source

FOLDERS = (ROOT / "docs", ROOT / "models")
DOCUMENTS = [*sorted(ROOT.glob("*.md")), *(page for folder in FOLDERS for page in sorted(folder.rglob("*.md")))]


def test_readme_is_short() -> None:
    """Under 120 lines: what, a model, the command, its trace, install, test, where to go next."""
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) < 120


def broken_links(document: Path) -> list[str]:
    """The relative links of a document that lead nowhere."""
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", document.read_text(encoding="utf-8"))
    return [link for link in links if "://" not in link and not (document.parent / link).exists()]


def test_links_lead_somewhere() -> None:
    """Every relative link in a document names a file that exists."""
    found = [f"{document.relative_to(ROOT)}: {link}" for document in DOCUMENTS for link in broken_links(document)]
    assert not found, lines(found)


def test_the_map_is_of_this_house() -> None:
    """Each file that the page on architecture names exists, and so does each private name."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    paths = [str(path.relative_to(ROOT)) for path in ROOT.rglob("*.py") if ".venv" not in path.parts]
    code = "\n".join(source(room) for room in rooms()) + source("tests/random/programs.py")
    named = re.findall(r"`(\w[\w/]*\.py)`", text)
    lost = [name for name in named if not any(f"/{path}".endswith(f"/{name}") for path in paths)]
    lost += [name for name in re.findall(r"`(_\w+)`", text) if not re.search(rf"\b{name}\b", code)]
    assert named and not lost, lines(lost)


def test_readme_has_its_two_commands() -> None:
    """One block installs and checks the model, one installs and runs the tests; `.ci/run` takes it from here."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    install, test = re.findall(r"^## (?:Install and run|Test)$.*?^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    assert install.startswith("python3 -m venv .venv && ")
    assert install.rstrip().endswith("fizzpy check VeniceLeaderFollower.fizz")
    assert test.startswith("python3 -m venv .venv && ")
    assert test.rstrip().endswith("&& .venv/bin/pytest")
