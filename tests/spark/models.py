"""Small models, one for each feature that must work in partitions. Written for these tests."""

from __future__ import annotations

CRASHES = """\
---
options: {max_actions: 3}
deadlock_detection: false
---
@state(ephemeral=["draft"])
role Store:
    action Init:
        self.kept, self.draft = 0, 0
    action Write:
        require self.kept < 2
        self.draft = self.kept + 1
        self.kept = self.draft
    func get(): return self.kept
role Reader:
    action Init: self.last = 0
    action Read:
        value = store.get()
        self.last = value
action Init:
    store = Store()
    reader = Reader()
always assertion Draft: return store.draft <= store.kept + 1
eventually always assertion Full: return store.kept == 2
"""

MESSAGES = """\
---
options: {max_actions: 4}
deadlock_detection: false
---
Net = Channel(ordering="unordered", delivery="exactly_once", blocking="fire_and_forget")
role Sink:
    action Init: self.seen = bag()
    func put(v): self.seen.add(v)
role Source:
    action Init: self.sent = 0
    fair action Send:
        require self.sent < 3
        self.sent += 1
        out.put(self.sent % 2)
action Init:
    sink = Sink()
    out = Net.stub(sink)
    source = Source()
always eventually assertion Sent: return source.sent == 3
"""

SHARED = """\
---
options: {max_actions: 6}
deadlock_detection: false
---
action Init:
    left = [0]
    right = left
atomic action Grow:
    require len(left) < 4
    left.append(len(right))
atomic action Part:
    right = list(right)
atomic action Join:
    right = left
transition assertion Together: return len(after.left) >= len(before.left)
exists assertion Apart: return left != right
"""

EXCLUDED = """\
---
options: {max_actions: 8, crash_on_yield: false}
identity: {exclude: [log]}
---
action Init: a, b, log = 0, 0, []
atomic action A:
    require a < 3
    a += 1
    log.append("a")
atomic action B:
    require b < 3
    b += 1
    log.append("b")
atomic action Rest:
    pass
always assertion Few: return a + b < 5
"""

LASSO = """\
---
options: {crash_on_yield: false}
deadlock_detection: false
---
action Init: turn, done, coin = 0, False, 0
atomic fair action Swap:
    turn = (turn + 1) % 3
atomic fair action Flip:
    coin = fair oneof [0, 1]
atomic fair action Finish:
    require turn == 1 and not done
    done = True
eventually always assertion Done: return done
always eventually assertion Heads: return coin == 1
"""

FAILS = """\
---
deadlock_detection: false
---
action Init: n = oneof [0, 1, 2]
atomic action Up:
    require n < 6
    n += 1
atomic action Divide:
    require n > 3
    n = 12 // (n - 5)
always assertion Small: return n < 9
"""

STUCK = """\
action Init:
    a = oneof [0, 1, 0]
    b = 0
action Take:
    require a == 0
    a = 1
    require b == 0
    b = 1
"""

WORKERS = """\
symmetric role Node:
    action Init: self.s = 0
    atomic action Step:
        require self.s < 2
        self.s += 1
action Init:
    nodes = bag()
    nodes.add_all([Node(), Node(), Node()])
atomic action Rest: pass
always eventually assertion Some: return any([n.s > 0 for n in nodes])
"""

LIMITED = """\
---
deadlock_detection: false
action_options: {Hit: {max_actions: 2}}
---
action Init: n = 0
atomic action Hit:
    n = 1
    return n
atomic action Reset:
    require n == 1
    n = 0
always assertion Said: return __returns__.get("Hit", 1) == 1
"""

IDLE = """\
---
deadlock_detection: false
---
action Init: n = 0
atomic action Up:
    require n < 2
    n += 1
atomic action Never:
    require n < 5
    require n > 2
    n = 0
"""

MODELS = {
    "crashes": CRASHES,
    "messages": MESSAGES,
    "shared": SHARED,
    "excluded": EXCLUDED,
    "lasso": LASSO,
    "fails": FAILS,
    "stuck": STUCK,
    "workers": WORKERS,
    "limited": LIMITED,
    "idle": IDLE,
}

# Divided containers of several shapes, values that Python takes for equal, threads, instances that come and go.
PARTS = """\
---
options: {max_actions: 3}
deadlock_detection: false
---
role Job:
    action Init: self.left = 2
action Init:
    nodes = [{"state": "a", "log": []}, {"state": "b", "log": [1.0]}]
    job, kind = None, True
atomic action Grow:
    n = oneof [0, 1]
    value = oneof [1, 1.0, True, -0.0, 0.0]
    nodes[n]["log"].append(value)
action Swap:
    nodes[0]["state"] = nodes[1]["state"]
    nodes[1]["state"] = "c"
atomic action Hire:
    require job == None
    job = Job()
atomic action Work:
    require job != None
    job.left -= 1
    if job.left == 0:
        job = None
always assertion Short: return len(nodes[0]["log"]) < 9
"""
