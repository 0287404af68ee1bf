"""Cases of hostile surroundings: environment variables that say anything, folders that are none."""

from __future__ import annotations

import random
from typing import Final

from tests.hostile import inputs
from tests.hostile.case import MODEL, Case, Content, Node

Chance = random.Random

_NUMBERS: Final = (
    "", " ", "0", "00", "1", "-1", "1.5", "1e9", "9" * 30, "9" * 5000, "nan", "inf", "\u0663", "\u00b2", "0x10", "x",
    "1_000", "80", "2", "5", "a" * 10_000, "\udcff", "\x1b[31m",
)  # fmt: skip
_PLACES: Final = (
    "", ".", "absent", MODEL, "{case}/absent/deep", "{case}/m.fizz", "{case}/m.fizz/x", "{case}/link", "{case}/fifo",
    "{case}/folder", "{case}/dangling", "{case}/circle", "{case}/" + "a" * 300, "{case}/" + "a/" * 3000, "\udcff",
    "{case}/\udcff", "{case}/\u202e", "{case}/\x1b[31m", "~", "$HOME",
)  # fmt: skip
"""`{case}` is the folder of the case: what is not absolute may be passed over."""
_TERMS: Final = ("", "dumb", "unknown", "xterm-256color", "vt100", "a" * 10_000, "../../etc", "\x1b", "linux", "\udcff")
_LOCALES: Final = ("", "C", "POSIX", "C.UTF-8", "en_US.ISO-8859-1", "xx_XX.nothing", "\udcff", "a" * 5000)
_ANYTHING: Final = ("", "0", "1", "no", "a" * 10_000, "\udcff", "\x1b[31m")

VARIABLES: Final = {
    "FIZZPY_MEMORY_LIMIT": _NUMBERS, "FIZZPY_FROZEN": _ANYTHING, "FIZZPY_ABSENT": _ANYTHING, "COLUMNS": _NUMBERS,
    "LINES": _NUMBERS, "TERM": _TERMS, "COLORTERM": _ANYTHING, "NO_COLOR": _ANYTHING,
    "TTY_INTERACTIVE": _ANYTHING, "LANG": _LOCALES,
    "LC_ALL": _LOCALES, "LANGUAGE": _LOCALES, "PYTHONIOENCODING": _LOCALES, "ESCDELAY": _NUMBERS,
    "XDG_CACHE_HOME": _PLACES, "XDG_STATE_HOME": _PLACES, "HOME": _PLACES, "TMPDIR": _PLACES, "JAVA_HOME": _PLACES,
    "SPARK_HOME": _PLACES, "PATH": _PLACES, "TZ": _ANYTHING, "OPENBLAS_NUM_THREADS": _NUMBERS,
    "TEXTUAL": _ANYTHING, "JUPYTER_COLUMNS": _NUMBERS, "SHELL": _PLACES, "USER": _ANYTHING,
}  # fmt: skip
"""What may be said of each. Those of Python itself have worked before a case begins, and stand for what others see."""

_UNICODE: Final = """\
action Init: word = "\u00fc\u2713\U0001f600"
action Turn:
    word = oneof ["\u4e2d", "a"]
    print(word)
always assertion Short: return word != "a"
"""


def surroundings(number: int, chance: Chance) -> Case:
    """A command within strange variables, of which some name places."""
    chosen = chance.sample(tuple(VARIABLES), chance.choice((1, 1, 2, 4, 9)))
    environment = {
        name: None if chance.random() < 0.15 and name != "HOME" else chance.choice(VARIABLES[name]) for name in chosen
    }
    # Who has no home of this name has one all the same, and without folders of their own caches and logs go there.
    if "HOME" in environment:
        environment = {name: text for name, text in environment.items() if not name.startswith("XDG_")}
    files: dict[str, Content] = {
        MODEL: (_UNICODE if chance.random() < 0.5 else inputs.SMALL).encode(),
        "expect.yaml": b"- {model: m.fizz, exit: 12}\n",
        "link": Node("link", MODEL),
        "dangling": Node("link", "nowhere"),
        "circle": Node("link", "circle"),
        "fifo": Node("fifo"),
        "folder": Node("folder"),
    }
    words = inputs.run_of(chance) if chance.random() < 0.8 else ("test", ".", "--jobs", "1")
    return Case("surroundings", number, words, files, outputs=("folder", "absent"), environment=environment)
