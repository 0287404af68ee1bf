"""How much memory there still is: the least of what the machine and the control groups grant."""

from __future__ import annotations

import os
from pathlib import Path

from checker.core.available_memory import Surveyor

PAGE = os.sysconf("SC_PAGE_SIZE")
MB = 2**20


def machine(folder: Path, groups: str, available_mb: int = 1_000) -> Path:
    """A folder like /proc: this process holds 50 pages of its own, and as many of files."""
    proc = folder / "proc"
    (proc / "self").mkdir(parents=True)
    (proc / "self/statm").write_text("900 100 50 1 0 40 0\n")
    (proc / "self/cgroup").write_text(groups)
    (proc / "meminfo").write_text(f"MemTotal: 9999 kB\nMemAvailable: {available_mb * 1024} kB\n")
    return proc


def group(folder: Path, names: tuple[str, str], limit: str, used_mb: int, statistics: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / names[0]).write_text(f"{limit}\n")
    (folder / names[1]).write_text(f"{used_mb * MB}\n")
    (folder / "memory.stat").write_text(statistics)


TWO = ("memory.max", "memory.current")
ONE = ("memory.limit_in_bytes", "memory.usage_in_bytes")


def test_the_machine_alone(tmp_path: Path) -> None:
    """Without a control group it is what is available; pages of files are not held."""
    room = Surveyor(machine(tmp_path, ""), tmp_path / "none").room()
    assert room == (50 * PAGE, 1_000 * MB)


def test_groups_of_version_two(tmp_path: Path) -> None:
    """The tightest of the groups around the process counts, and pages of files in it can be had back."""
    cgroups = tmp_path / "cgroup"
    group(cgroups / "a", TWO, str(400 * MB), 300, f"anon 1\ninactive_file {40 * MB}\nactive_file {10 * MB}\n")
    group(cgroups / "a/b", TWO, "max", 20, "anon 1\n")
    room = Surveyor(machine(tmp_path, "0::/a/b\n"), cgroups).room()
    assert room is not None and room.left == 150 * MB


def test_groups_of_version_one(tmp_path: Path) -> None:
    """In a container the path is that of the host, and what is mounted is the group itself."""
    cgroups = tmp_path / "cgroup"
    group(cgroups / "memory", ONE, str(200 * MB), 120, f"total_inactive_file {5 * MB}\ntotal_active_file 0\n")
    room = Surveyor(machine(tmp_path, "5:cpu,memory:/docker/abc\n1:name=systemd:/\n"), cgroups).room()
    assert room is not None and room.left == 85 * MB


def test_a_system_that_gives_no_figures(tmp_path: Path) -> None:
    """There is no answer, and no run is stopped for it."""
    assert Surveyor(tmp_path / "nothing", tmp_path / "nothing").room() is None


def test_this_machine() -> None:
    """What is held grows with what is made."""
    surveyor = Surveyor()
    before = surveyor.room()
    if before is None:
        assert not Path("/proc/self/statm").exists()
        return
    held = bytearray(b"x") * (64 * MB)
    after = surveyor.room()
    assert after is not None and after.held - before.held > 60 * MB
    del held
