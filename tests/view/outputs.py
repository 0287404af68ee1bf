"""Models whose counterexamples hold what files can get wrong: crashes, messages, cycles, texts like markup."""

CRASHES = """\
---
options: {max_actions: 4, max_concurrent_actions: 2}
deadlock_detection: false
---
# <script>alert("x")</script>
Net = Channel()
@state(durable=["log"])
role Node:
    action Init:
        self.log = []
        self.got = 0
    action Write:
        require len(self.log) < 2
        self.log.append("<b>&\\"x\\"")
        other = oneof nodes if other != self
        Net.stub(other).note(1)
    atomic func note(v):
        self.got = 5
action Init:
    nodes = [Node(), Node()]
always assertion Few:
    return len(nodes[0].log) < 2 or nodes[1].got < 5 or nodes[0].got == 5
always assertion Kept:
    return len(nodes[0].log) < 1 or nodes[0].got > 5 or len(nodes[1].log) < 1
"""

CRASHED = """\
---
options: {max_actions: 2, max_concurrent_actions: 1}
deadlock_detection: false
---
role Node:
    action Init:
        self.a = 0
        self.b = 0
    action Move:
        self.a += 1
        self.b += 1
action Init:
    node = Node()
    lost = 0
atomic action Look:
    require node.a == 2 and node.b == 0
    lost = 1
always assertion Even:
    return node.a < 2 or node.b > 0
"""

VALUES = """\
action Init:
    small = 7
    big = 1 << 70
    negative = -3
    yes = True
    nothing = None
    word = "a\\"b\\u2028"
    pair = (1, "x")
    items = [1, (2,)]
    unique = set([3, 4])
    table = {"k": [1], 2: None}
    rec = record(x=1, y=[True])
    many = bag()
    many.add_all([1, 1, 2])
    half = 0.5
    raw = b"\\x00"
    span = range(1, 4)
atomic action Go:
    small += 1
always assertion Never:
    return small < 8
"""

CYCLE = """\
action Init:
    n = 0
atomic fair action Up:
    n = (n + 1) % 3
eventually always assertion Two:
    return n == 2
"""
