"""The entry of the command `fizzpy`: an interruption that comes before there is anybody to answer it is told in a line.

It loads nothing, so that Python spends as little time as can be on the way here.
"""

import os
import signal
import sys
from types import FrameType


def main() -> int:
    """Run the command with the arguments of this process, and return its exit code."""
    heard = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if heard:
        signal.signal(signal.SIGINT, _leave)
    import fizzpy

    if heard:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    return fizzpy.main()


def _leave(number: int, frame: FrameType | None) -> None:
    """Nothing has begun yet that would have to be ended."""
    os.write(2, b"fizzpy: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    sys.exit(main())
