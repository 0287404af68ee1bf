"""Texts of models that several tests of engines vary."""

from __future__ import annotations

from typing import Final

_DELIVERING: Final = """\
Net = Channel()
role Sink:
    action Init: self.s = 0
{function}
role Source:
    action Init: self.n = 0
    atomic action Send:
        require self.n < 2
        self.n += 1
        out.put(self.n)
action Init:
    sink = Sink()
    out = Net.stub(sink)
    source = Source()
"""


def delivering(*function: str) -> str:
    """A model in which two messages are delivered to this function, given line by line: `func put(v):` and its body."""
    return _DELIVERING.format(function="\n".join([f"    {line}" for line in function]))
