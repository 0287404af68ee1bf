"""The screens are as they were: `python -m tests.viewer.pictures` makes them anew, after a look at what changed."""

from __future__ import annotations

import re

import pytest

from checker.tui.key_bindings import KEYS, SIGNS
from tests.viewer.pictures import DOCUMENTS, PICTURES, ROOT, SCREENS, TEXTS, picture_of, text_of

PAGE = (ROOT / "docs" / "viewer.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", SCREENS)
def test_screens(name: str) -> None:
    """Letter by letter."""
    assert text_of(SCREENS[name]) == (TEXTS / f"{name}.txt").read_text(encoding="utf-8")


def test_no_screen_is_left_over() -> None:
    """Each file belongs to a screen."""
    assert {path.stem for path in TEXTS.iterdir()} == set(SCREENS)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_up_to_date(name: str) -> None:
    """A picture in the documents is what the tool draws today; the page shows it."""
    assert picture_of(PICTURES[name]) == (DOCUMENTS / f"{name}.svg").read_text(encoding="utf-8")
    assert f"pictures/{name}.svg" in PAGE


def test_the_page_lists_every_key_and_sign() -> None:
    """The tables of the page are those of the help."""
    keys = [(key.shown, key.text) for _, keys in KEYS for key in keys]
    rows = re.findall(r"^\| `(.+?)` \| (.+?) \|$", PAGE, re.MULTILINE)
    assert [row for row in rows if row in [*keys, *SIGNS]] == [*keys, *SIGNS]
