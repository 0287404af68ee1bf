"""What is measured: models with constants, and the states and transitions that each run must find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

MODELS = Path(__file__).resolve().parents[1] / "models"


@dataclass(frozen=True, slots=True)
class Row:
    """One run. `states` and `transitions` must come out exactly; `plain`: small enough for the plain engine.

    `limit_s`: CPU seconds after which the run is given up, none if it may take what it takes.
    """

    title: str
    model: str
    constants: Mapping[str, str]
    states: int
    transitions: int
    options: tuple[str, ...] = field(default=())
    plain: bool = False
    limit_s: int | None = None

    def arguments(self) -> list[str]:
        """The arguments of `fizzpy` for this run, but for the engine."""
        sets = [part for name, value in self.constants.items() for part in ("--set", f"{name}={value}")]
        return ["check", str(MODELS / self.model), *sets, *self.options, "--keep-going", "--json", "--stats"]


def _kafka(replicas: int, log: int, records: int, epochs: int) -> dict[str, str]:
    values = (replicas, log, records, epochs)
    return dict(zip(("REPLICAS", "LOG_SIZE", "MAX_RECORDS", "MAX_LEADER_EPOCH"), map(str, values), strict=True))


TRUNCATE = "kafka/KafkaTruncateToHighWatermark.fizz"
SMOKE = (
    Row("DieHard", "classics/DieHard.fizz", {}, 16, 96, plain=True),
    Row("TwoPhase, 3 managers", "classics/TwoPhase.fizz", {"RMS": "3"}, 288, 1_145, plain=True),
    Row("Kafka n2 l2 r2 e2", TRUNCATE, _kafka(2, 2, 2, 2), 10_131, 24_458),
    Row("Venice (a), 1 write", "venice/VeniceAtomic.fizz", {"MAX_WRITES": "1"}, 2_356, 20_026, plain=True),
)
FULL = (
    *SMOKE,
    Row("Kafka n3 l2 r2 e1", TRUNCATE, _kafka(3, 2, 2, 1), 67_807, 222_711, plain=True),
    Row("Kafka n3 l2 r2 e2", TRUNCATE, _kafka(3, 2, 2, 2), 1_988_158, 7_491_588),
    Row(
        "Kafka n3 l2 r2 e2, symmetric",
        TRUNCATE,
        {**_kafka(3, 2, 2, 2), "SYMMETRIC": "True"},
        332_037,
        1_251_669,
    ),
    Row("TwoPhase, 7 managers", "classics/TwoPhase.fizz", {"RMS": "7"}, 296_448, 2_744_705),
    Row("EWD998, N 3", "classics/EWD998.fizz", {"N": "3"}, 1_520_618, 11_237_827),
    Row("Venice (a), 2 writes", "venice/VeniceAtomic.fizz", {"MAX_WRITES": "2"}, 164_292, 1_396_482),
    Row("Venice (c), 3 writes", "venice/VeniceLeaderFollower.fizz", {"MAX_WRITES": "3"}, 423_414, 878_670),
    Row("Venice (c), 4 writes", "venice/VeniceLeaderFollower.fizz", {"MAX_WRITES": "4"}, 3_498_246, 7_385_566),
    Row("TwoPhaseRoles, 5 participants", "classics/TwoPhaseRoles.fizz", {"PARTICIPANTS": "5"}, 565_284, 1_751_358),
    Row("TwoPhaseRoles, 6 participants", "classics/TwoPhaseRoles.fizz", {"PARTICIPANTS": "6"}, 5_298_295, 17_599_463),
)
