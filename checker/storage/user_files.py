"""Files of a user that are no models: read only if they are ordinary, and never more of them than makes sense."""

from __future__ import annotations

import stat
from pathlib import Path

from checker.core.problems import UsageProblem

MOST_BYTES = 64 * 1024 * 1024


def read_user_file(path: str | Path, what: str, most: int = MOST_BYTES) -> str:
    """The text of a file; `what` says what it is to be, as `a report`. Raises `UsageProblem`."""
    hint = f"name {what}"
    try:
        mode = Path(path).stat().st_mode
        if stat.S_ISDIR(mode):
            raise UsageProblem(f"'{path}' is a directory, not {what}", hint)
        if not stat.S_ISREG(mode):
            # Reading a pipe or a device may never end.
            raise UsageProblem(f"'{path}' is not an ordinary file", hint)
        with Path(path).open("rb") as file:
            data = file.read(most + 1)
    except FileNotFoundError:
        raise UsageProblem(f"'{path}' does not exist", hint) from None
    except OSError as problem:
        raise UsageProblem(f"'{path}' cannot be read: {problem.strerror}", "check its name and permissions") from None
    except ValueError:
        raise UsageProblem(f"'{path}' is no name of a file: it has a NUL character", hint) from None
    if len(data) > most:
        raise UsageProblem(f"'{path}' is too long for {what}", "is it the right file?")
    try:
        return data.decode("utf-8-sig", errors="surrogatepass")
    except UnicodeDecodeError as problem:
        place = f"byte {problem.start:,} is 0x{data[problem.start]:02x}"
        raise UsageProblem(f"'{path}' is not UTF-8 text: {place}", "is it the right file?") from None
