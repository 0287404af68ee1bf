"""The canary: a hook on what the interpreter of Python does on behalf of a case; whatever no model may do ends it.

An audit hook can not be removed, and sees also what is reached by ways that nobody thought of.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, NoReturn

CAUGHT: Final = 99
"""The exit code of a child that did what it must not."""

FORKS: Final = ("os.fork", "os.kill", "os.killpg")
"""What only a command does that runs each promise in a process of its own. The hook goes with them."""

FORBIDDEN: Final = (
    "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.forkpty", "subprocess.Popen", "pty.spawn",
    "socket.connect", "socket.bind", "socket.getaddrinfo", "ctypes.dlopen",
    "ctypes.cdata", "webbrowser.open", "code.__new__", "cpython.run_command", "builtins.input", "urllib.Request",
)  # fmt: skip

CHANGING: Final = {
    "os.remove": (0,), "os.rmdir": (0,), "os.mkdir": (0,), "os.rename": (0, 1), "os.link": (0, 1), "os.symlink": (1,),
    "os.truncate": (0,), "os.chmod": (0,), "os.chown": (0,), "os.utime": (0,), "shutil.rmtree": (0,),
    "shutil.move": (0, 1), "shutil.copyfile": (1,),
}  # fmt: skip
"""Events that change files, with the places of the paths among their arguments."""

STRANGERS: Final = frozenset(
    ("ctypes", "socket", "ssl", "pty", "code", "codeop", "pdb", "multiprocessing", "webbrowser", "ftplib", "smtplib",
     "telnetlib", "urllib", "http", "xmlrpc", "pip", "ensurepip", "venv", "antigravity", "this", "idlelib", "tkinter")
)  # fmt: skip
"""Modules that nothing here has a use for; whoever imports them has found a way to import what he likes."""

PLAIN_BUILTINS: Final = frozenset(
    ("set", "frozenset", "dict", "list", "tuple", "int", "float", "bool", "str", "bytes", "bytearray", "complex",
     "range", "slice", "object")
)  # fmt: skip
OWN_MEMORY: Final = "/proc/self/mem"
"""What a case may name as its output: the system refuses that, after the command has tried the folder."""
_WRITING: Final = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def watch(allowed: Sequence[Path], telling: int, arguments: Sequence[str]) -> None:
    """From now on this process ends when it does what it must not, and says what that was on the descriptor `telling`.

    `allowed`: the folders in which files may be changed. `arguments`: what the command is asked for. Where each promise
    is run in a process of its own, it may have children.
    """
    forks = arguments[:1] == ("test",)
    named = any(OWN_MEMORY in word for word in arguments)
    folders = (*allowed, *([Path(OWN_MEMORY).parent] if named else ()))
    roots = tuple(os.path.realpath(folder) + os.sep for folder in folders)

    def caught(what: str) -> NoReturn:
        os.write(telling, what.encode("utf-8", "backslashreplace")[:500])
        os._exit(CAUGHT)

    sys.addaudithook(_hook(roots, frozenset(FORBIDDEN if forks else (*FORBIDDEN, *FORKS)), caught))


def _hook(
    roots: tuple[str, ...], forbidden: frozenset[str], caught: Callable[[str], NoReturn]
) -> Callable[[str, tuple[object, ...]], None]:
    def inside(path: object) -> bool:
        if isinstance(path, int):
            return True
        given = Path(os.fsdecode(path))  # type: ignore[arg-type]
        # The link itself is what is changed, not what it leads to; but a folder on the way is followed. Not by
        # `Path.resolve`, which raises for links in a circle: the system is to say so, as it would without a canary.
        real = os.path.join(os.path.realpath(given.parent), given.name)  # noqa: PTH118
        return real in (os.devnull, "/dev/full", "/dev/zero") or (real + os.sep).startswith(roots)

    def on_event(event: str, arguments: tuple[object, ...]) -> None:
        if event == "open":
            path, mode, flags = arguments
            writing = isinstance(flags, int) and bool(flags & _WRITING)
            writing |= isinstance(mode, str) and bool(set(mode) & set("wax+"))
            if writing and not inside(path):
                caught(f"open for writing: {path!r}")
        elif event in CHANGING:
            places = [arguments[i] for i in CHANGING[event]]
            if not all(map(inside, places)):
                caught(f"{event} {places!r}")
        elif event == "import":
            root = str(arguments[0]).partition(".")[0]
            if root in STRANGERS:
                caught(f"import {arguments[0]}")
        elif event == "pickle.find_class":
            module, name = map(str, arguments[:2])
            root = module.partition(".")[0]
            known = root in ("fizz", "interpreter", "checker", "numpy", "collections")
            if not (known or (module == "builtins" and name in PLAIN_BUILTINS) or module in ("pathlib", "enum")):
                caught(f"unpickles {module}.{name}")
        elif event in forbidden:
            caught(f"{event} {arguments!r}"[:300])

    return on_event
