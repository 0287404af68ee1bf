"""How cost grows: one model in ever larger sizes, as a table and as a picture."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measure import Measured
from benchmarks.rows import Row

SIZES = {
    4: (1_568, 8_257),
    5: (8_832, 58_145),
    6: (50_816, 402_305),
    7: (296_448, 2_744_705),
    8: (1_745_408, 18_507_777),
    9: (10_340_352, 123_558_401),
}
"""States and transitions of two-phase commit by the number of resource managers."""

GROWTH = tuple(
    Row(f"TwoPhase, {managers} managers", "classics/TwoPhase.fizz", {"RMS": str(managers)}, *figures)
    for managers, figures in SIZES.items()
)


def draw(found: list[tuple[Row, Measured]], path: Path) -> None:
    """CPU seconds and memory over states, both axes logarithmic, as SVG or whatever the file's name says.

    Needs matplotlib (`pip install 'fizzpy[benchmarks]'`).
    """
    import matplotlib as mpl

    # The same numbers give the same file.
    mpl.rcParams.update({"svg.hashsalt": "fizzpy", "svg.fonttype": "none", "font.size": 10})
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    states = [row.states for row, _ in found]
    for axes, values, title in (
        (left, [measured.cpu_s for _, measured in found], "CPU seconds"),
        (right, [measured.peak_memory_mb for _, measured in found], "peak memory, MB"),
    ):
        axes.loglog(states, values, marker="o", color="#1f6f8b", label="measured")
        # What growth in proportion would be, from the largest run backwards.
        axes.loglog(
            states, [values[-1] * n / states[-1] for n in states], ls=":", color="#888888", label="in proportion"
        )
        axes.set_xlabel("states")
        axes.set_title(title)
        axes.grid(alpha=0.3)
        axes.legend(frameon=False)
    figure.savefig(path, metadata={"Date": None} if path.suffix == ".svg" else None)
