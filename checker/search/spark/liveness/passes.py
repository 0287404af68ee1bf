"""`Crew`: what makes passes over all shares of the graph, as the search asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from checker.liveness.graph import Graph
from checker.search.spark.liveness.share import Array, Share


class Crew(Protocol):
    """Those who hold the shares of the graph and make passes over them."""

    partitions: int
    tables: Graph
    columns: tuple[str, ...]
    size: int

    def make(self, name: str, given: object = None) -> list[Any]:
        """Make a pass in every partition; what was told."""
        ...

    def go_on(self, name: str, given: object = None) -> Mapping[int, Any]:
        """Make a pass in the partitions that have post; what was told, by partition."""
        ...

    @property
    def post(self) -> bool:
        """Has any partition post?"""
        ...

    def share(self, partition: int) -> Share:
        """The arrays of a partition, to be read here and there."""
        ...

    def cost(self, level: int, crashes: int, begun: int) -> tuple[int, int]:
        """The level of a state and the crash steps on its path, from what is picked of it.

        Of what was found before there were partitions that is its rank, `begun`, and the level 0.
        """
        ...

    def brought(self) -> list[Mapping[str, Array]]:
        """What the latest pass has brought for the driver."""
        ...
