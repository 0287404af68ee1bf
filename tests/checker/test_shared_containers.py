"""States whose containers are shared: records of a log that are dicts, copied to other logs by reference."""

from __future__ import annotations

import pytest

from checker.check import check
from checker.core.exploration import Settings
from interpreter.state.normalise import Normaliser
from tests.interpreter.running import module_of
from tests.random.laws import differences
from tests.stats import stat

LOGS = """
---
deadlock_detection: false
options: {max_actions: STARTS, max_concurrent_actions: 2}
---
action Init:
    logs = [[], []]
    acked = 0
    seen = set()
    other = 0
atomic action Write:
    require len(logs[0]) < 2
    logs[0].append({"value": acked, "marks": []})
atomic action Copy:
    require len(logs[1]) < len(logs[0])
    logs[1].append(logs[0][len(logs[1])])
atomic action Mark:
    entry = oneof logs[1]
    require len(entry["marks"]) < 1
    entry["marks"].append(acked)
atomic action Cut:
    i = oneof [0, 1]
    require len(logs[i]) > 0
    logs[i] = logs[i][1:]
action Slowly:
    require len(logs[0]) > 0
    entry = logs[0][0]
    entry["value"] = 7
atomic action Ack:
    acked = (acked + 1) % 3
atomic action Else:
    other = (other + 1) % 5
    seen.add(other % 2)
always assertion Marked: return all([e["value"] == 7 or e["value"] < 3 for log in logs for e in log])
"""


@pytest.mark.parametrize("excluded", ["", "\nidentity: {exclude: [other]}"])
def test_engines_agree(excluded: str) -> None:
    text = LOGS.replace("STARTS, max_concurrent_actions: 2}", f"4, max_concurrent_actions: 2}}{excluded}")
    assert not differences(text, Settings(keep_going=True))


def test_what_is_shared_is_named_once_for_many_states(monkeypatch: pytest.MonkeyPatch) -> None:
    """States that differ in what is not shared have the same names for what is."""
    named = 0
    names = Normaliser._named

    def counted(self: Normaliser, *given: object) -> object:
        nonlocal named
        named += 1
        return names(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Normaliser, "_named", counted)
    report = check(module_of(LOGS.replace("STARTS", "9")), settings=Settings(keep_going=True, workers=1))
    assert report.transitions is not None and report.transitions > 5_000
    assert 0 < named < report.transitions / 4


QUEUE = """
---
deadlock_detection: false
---
action Init:
    topic = []
    message = None
    n = 0
atomic action Put:
    require len(topic) < 3
    topic.append({"id": n})
    n = (n + 1) % 4
atomic action Take:
    require topic and message == None
    message = topic[0]
atomic action Finish:
    require message != None
    message = None
    topic.pop(0)
"""


def test_stats_say_where_containers_are_shared() -> None:
    """A copy is shared with nothing."""
    settings = Settings(keep_going=True, stats=True)
    for text, wanted in ((QUEUE, True), (QUEUE.replace("= topic[0]", "= dict(topic[0])"), False)):
        report = check(module_of(text), settings=settings, engine="columns")
        assert report.stats is not None and ("packings with shared containers" in report.stats) is wanted


ASKED = {
    "members": "all([len(e['marks']) < 2 for log in logs for e in log])",
    "equal ones": "logs[0][:1] == logs[1][:1] or len(logs[1]) == 0 or len(logs[0]) == 0 or logs[0] != logs[1]",
    "turns of loops": None,
    "sorted": "[e['value'] for e in sorted(logs[0], key=lambda x: x['value'])] != [9]",
    "what is in what": "all([e in logs[0] or e['value'] != 1 or acked > 5 for e in logs[1]])",
}
LOOP = """
always assertion Asked:
    for log in logs:
        for e in log:
            if len(e["marks"]) > 0 and e["marks"][0] > 1:
                return e["value"] == 7
    return True
"""
STEPS = """
transition assertion Kept(before, after):
    return len(after.logs[0]) >= len(before.logs[0]) - 1 and [e for e in before.logs[1] if e["value"] > 7] == []
"""


def _asked(name: str) -> str:
    given = ASKED[name]
    assertion = LOOP if given is None else f"always assertion Asked: return {given}\n"
    return LOGS.replace("STARTS", "5") + assertion + STEPS


@pytest.mark.parametrize("name", ASKED)
def test_engines_agree_on_assertions_about_what_is_shared(name: str) -> None:
    assert not differences(_asked(name), Settings(keep_going=True), ("early columns", "columns", "direct columns"))


@pytest.mark.parametrize("name", ASKED)
def test_functions_record_assertions_about_what_is_shared(name: str) -> None:
    """The interpreter is not asked anew for each state in which something is shared."""
    report = check(module_of(_asked(name)), engine="columns", settings=Settings(stats=True, keep_going=True))
    others = check(
        module_of(LOGS.replace("STARTS", "5").split("always")[0]), engine="columns", settings=Settings(stats=True)
    )
    assert report.stats is not None and others.states == report.states
    more = stat(report, "interpreter calls") - stat(others, "interpreter calls")
    assert stat(report, "recorded by functions") > 0.6 * more > 100
