"""What a model is given beside its text: constants and options, as the command line spells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Given:
    """`--set` and `--option`: names with texts of values."""

    constants: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)

    def over(self, other: Given) -> Given:
        """Both; what is given here counts more."""
        return Given({**other.constants, **self.constants}, {**other.options, **self.options})
