"""What the viewer looks like: screens as text, which tests compare, and as SVG, which documents show.

`python -m tests.viewer.pictures` makes all of them anew.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from checker.core.locate import locate
from checker.tui.opened.opened_paths import OpenedPaths
from tests.viewer.conftest import BANK, CRASH, FAILS, FINE, LASSO, NODES, RACE, driven, guided, model, opened

ROOT = Path(__file__).resolve().parents[2]
TEXTS = Path(__file__).parent / "screens"
DOCUMENTS = ROOT / "docs" / "pictures"


@dataclass(frozen=True)
class Screen:
    """A screen: what is opened, the keys that lead there, the size of the terminal."""

    open: Callable[[Path], OpenedPaths]
    keys: str = ""
    size: tuple[int, int] = (80, 24)


def _race(folder: Path) -> OpenedPaths:
    return guided(model(folder, BANK, "bank.fizz"), *RACE)


def _crash(folder: Path) -> OpenedPaths:
    return guided(model(folder, NODES, "nodes.fizz"), *CRASH)


def _checked(text: str) -> Callable[[Path], OpenedPaths]:
    return lambda folder: opened(model(folder, text))


SCREENS = {
    "race": Screen(_race),
    "race-start": Screen(_race, "home right"),
    "race-wide": Screen(_race, "left", (120, 40)),
    "race-alternatives": Screen(_race, "left o"),
    "race-held-back": Screen(_race, "left o pagedown"),
    "race-own-path": Screen(_race, "left o down enter"),
    "race-why": Screen(_race, "w"),
    "race-compared": Screen(_race, "home m end tab"),
    "race-searched": Screen(_race, "slash 4 0 enter"),
    "crash": Screen(_crash, "home right"),
    "crash-changes": Screen(_crash, "left tab u"),
    "crash-filter": Screen(_crash, "f l o g"),
    "crash-wide": Screen(_crash, "left left", (120, 40)),
    "lasso": Screen(_checked(LASSO)),
    "fails": Screen(_checked(FAILS)),
    "by-hand": Screen(_checked(FINE)),
    "by-hand-two-steps": Screen(_checked(FINE), "enter o enter"),
    "help": Screen(_race, "question_mark"),
}

_VENICE = "VeniceOffsetFirst.fizz"
PICTURES = {
    "viewer": Screen(lambda folder: opened(locate(_VENICE)), "left left left", (100, 30)),
    "alternatives": Screen(lambda folder: opened(locate(_VENICE)), "left left left o down down", (100, 24)),
}


def text_of(screen: Screen) -> str:
    """A screen as text."""
    with tempfile.TemporaryDirectory() as folder:
        return driven(screen.open(Path(folder)), *screen.keys.split(), size=screen.size).text + "\n"


def picture_of(screen: Screen) -> str:
    """A screen as SVG, as the tool itself draws it."""
    with tempfile.TemporaryDirectory() as folder:
        return driven(screen.open(Path(folder)), *screen.keys.split(), size=screen.size).picture


if __name__ == "__main__":
    TEXTS.mkdir(exist_ok=True)
    DOCUMENTS.mkdir(exist_ok=True)
    for name, screen in SCREENS.items():
        (TEXTS / f"{name}.txt").write_text(text_of(screen), encoding="utf-8")
    for name, screen in PICTURES.items():
        (DOCUMENTS / f"{name}.svg").write_text(picture_of(screen), encoding="utf-8")
