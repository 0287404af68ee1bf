"""The campaign itself: 320 cases of a fixed seed come to nothing bad, and what is bad is seen, named and made small."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.hostile import inputs
from tests.hostile.campaign import Campaign, Range, keep
from tests.hostile.case import MODEL, Case, Node
from tests.hostile.child import Limits
from tests.hostile.verdict import OK, judge

SEED = 16
CASES = 60
CLASSES = (
    "tokens", "bytes", "deep", "expressions", "front matter", "options", "constants", "yaml", "reports", "guides",
    "checkpoints", "names", "surroundings", "logs", "maps", "histories",
)  # fmt: skip

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="children are watched as on Linux")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Range:
    return Range(tmp_path_factory.mktemp("hostile") / "range", Limits(cpu_s=20))


def test_campaign(place: Range, tmp_path: Path) -> None:
    """Each class has its share of the cases, and none of them hurts."""
    campaign = Campaign(place, SEED, CLASSES)
    campaign.run(campaign.cases(CASES))
    kept = [str(keep(failure, tmp_path)) for failure in campaign.least()]
    assert not campaign.failures, "\n".join([*campaign.lines(), *kept])
    shares = Counter(kind for (kind, _), count in campaign.table.items() for _ in range(count))
    assert sum(shares.values()) == CASES
    assert min(shares[kind] for kind in CLASSES) >= CASES // len(CLASSES)


def test_cases_are_those_of_their_seed(place: Range) -> None:
    """A case can be asked for again by its name, and another seed gives another one."""
    for kind in place.classes:
        assert place.case(1, kind, 3) == place.case(1, kind, 3)
        assert any(place.case(1, kind, i) != place.case(2, kind, i) for i in range(20))


GOOD = Case("good", 0, ("check", MODEL), {MODEL: inputs.SMALL.encode()})


def test_a_harmless_case_is_fine(place: Range) -> None:
    """The model that many cases begin with violates an assertion, which is an answer."""
    ended = place.ended(GOOD)
    assert (judge(GOOD, ended).kind, ended.code) == (OK, 12)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """In place of the command the child runs these lines of Python."""
    lines: list[str] = []
    monkeypatch.setattr("tests.hostile.child.run_command", lambda arguments: exec("\n".join(lines), {}) or 0)
    return lines


BAD = {
    "import os; os.system('true')": "escape",
    "import subprocess; subprocess.run(['true'])": "escape",
    "open('../out', 'w')": "escape",
    "open('/proc/self/mem', 'r+b')": "escape",
    "import os; os.remove('/tmp/fizzpy-canary-that-nobody-writes')": "escape",
    "import os, pathlib; pathlib.Path('../state/x').rename('../../x')": "escape",
    "import telnetlib": "escape",
    "import pickle; pickle.loads(b'cos\\nsystem\\n.')": "escape",
    "import socket; socket.create_connection(('127.0.0.1', 9))": "escape",
    "open('m.fizz', 'a').write('x')": "input changed",
    "import os; os.remove('link')": "input changed",
    "import signal; signal.raise_signal(signal.SIGKILL)": "killed",
    "x = []\nwhile True: x.append(b'x' * (1 << 20))": "memory",
    "while True: pass": "hang",
    "open('fifo')": "hang",
    "raise ValueError('x')": "traceback",
    "import os; os._exit(70)": "70",
    "import os; os._exit(33)": "exit code",
    "print('\\x1b[31m')": "output unsafe",
    "print('a\\u202eb')": "output unsafe",
    "open('new.txt', 'w').write('x')": OK,
    "import sys; sys.pycache_prefix = '/tmp/fizzpy-canary-that-nobody-writes'\nimport sched": OK,
    "import contextlib, os; os.symlink('a', 'a')\nwith contextlib.suppress(OSError): open('a/x', 'w')": OK,
    "print('f\\u00fcnf\\t\\u2713')": OK,
}


@pytest.mark.parametrize("lines", BAD)
def test_what_is_bad_is_seen(lines: str, place: Range, command: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Each kind of failure is told from the others, and from what is allowed."""
    command.append(lines)
    monkeypatch.setattr(place, "limits", Limits(cpu_s=1, memory_mb=200, idle_s=1.5))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    case = Case("bad", 0, ("check", MODEL), {**GOOD.files, "link": Node("link", MODEL), "fifo": Node("fifo")})
    assert judge(case, place.ended(case)).kind == BAD[lines]


def test_an_output_that_the_system_refuses(place: Range) -> None:
    """What a case names as its output is no escape, whatever it is."""
    case = Case("bad", 0, ("check", MODEL, "--save-trace", "/proc/self/mem"), dict(GOOD.files))
    ended = place.ended(case)
    assert (judge(case, ended).kind, ended.code) == (OK, 2)


def test_what_a_command_line_overwrites_is_an_output(place: Range) -> None:
    """A file that the user says to write to may change, where no check reads it; in other cases it may not."""
    cases = [place.case(0, "options", number) for number in range(3_000)]
    named = [case for case in cases if case.outputs]
    assert 0 < len(named) < 100
    changed = []
    for case in named:
        assert case.outputs == ("x.json",)
        ended = place.ended(case)
        assert judge(case, ended).kind == OK
        changed.append(judge(replace(case, outputs=()), place.ended(replace(case, outputs=()))).kind)
    assert "input changed" in changed


def test_a_failure_is_made_small_and_kept(place: Range, command: list[str], tmp_path: Path) -> None:
    """Of a failing case only what makes it fail is left; the files are kept with how to run them."""
    command.append("import os; os._exit(70 if 'Up' in open('m.fizz').read() else 0)")
    campaign = Campaign(place, 0, ("tokens",))
    case = Case("tokens", 7, ("check", MODEL), {MODEL: inputs.SMALL.encode()}, (MODEL,))
    campaign.run([case])
    (failure,) = campaign.least()
    small = campaign.made_small(failure)
    assert small.case.files[MODEL] == b"Up"
    kept = keep(small, tmp_path)
    assert (kept / "files" / MODEL).read_bytes() == b"Up"
    assert "tokens:7: 70" in (kept / "how.txt").read_text()
    assert campaign.lines()[-1].split() == ["all", "1", "0", "1"]


def test_a_case_has_its_surroundings(place: Range, command: list[str]) -> None:
    """Variables are as it says, with its own folder in them, and its streams are of its locale."""
    command.append("import os; print(os.environ['HOME'] == os.getcwd() + '/x', 'TMPDIR' in os.environ, '\\u00fc')")
    environment = {"HOME": "{case}/x", "TMPDIR": None, "LC_ALL": "en_US.ISO-8859-1"}
    case = Case("surroundings", 0, ("check", MODEL), dict(GOOD.files), environment=environment)
    ended = place.ended(case)
    assert (judge(case, ended).kind, ended.output) == (OK, b"True False \xfc\n")
