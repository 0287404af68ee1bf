"""Random models of atomic actions over the common values, full of second names, nested containers and choices."""

from __future__ import annotations

from random import Random

STATE = {
    "x": "int", "y": "int", "odd": "any", "xs": "ints", "ys": "ints", "xss": "lists", "d": "dict", "dl": "dictl",
    "s": "set", "t": "set", "p": "pair", "rec": "rec", "st": "struct", "recs": "recs",
}  # fmt: skip
FIELDS = {"a": "int", "log": "ints", "peer": "node", "seen": "set", "m": "dictl"}
HELPERS = """\
def total(items):
    t = 0
    for i in items:
        if i == 2: continue
        t += i
    return t % 4

def evens(items, k = 0):
    found = []
    for i in items:
        if i % 2 == k: found.append(i)
    found += [k]
    return found

def both(a, b):
    c, d = b, a
    return [c, d]

def counts(items):
    found = {}
    for i in items:
        found[i] = found.get(i, 0) + 1
    return found

def first(items):
    for i in items:
        return i
    return None
"""
INIT = """\
    x = 1
    y = 2
    odd = None
    xs = [2, 0, 1]
    ys = []
    xss = [[1], [1], []]
    d = {"b": 1, "a": 0}
    dl = {"b": [1], "a": []}
    s = set([2, 1])
    t = set()
    p = (1, 2)
    rec = record(f = 1, g = [1])
    st = struct(a = 1, b = (1, 2))
    recs = [record(f = 0, g = []), record(f = 1, g = [1])]
"""
_ELEMENT = {"ints": "int", "lists": "ints", "dict": "str", "dictl": "str", "set": "int", "recs": "rec"}


class Writer:
    """Writes one model."""

    def __init__(self, seed: int, roles: bool) -> None:
        self.random = Random(seed)
        self.roles = roles
        self.names = 0
        self.choices = 0
        self.funcs: list[str] = []

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def pick(self, options):  # type: ignore[no-untyped-def]
        return self.random.choice(options)

    def fresh(self, letter: str) -> str:
        self.names += 1
        return f"{letter}{self.names}"

    def write(self) -> str:
        """The whole text."""
        lines = ["---", '{"options": {"max_actions": 4}, "deadlock_detection": false}', "---", "N = 2"]
        lines += HELPERS.splitlines()
        state = dict(STATE)
        if self.roles:
            state |= {"nodes": "nodes", "n0": "node"}
        self.lines = lines
        for number in range(self.random.randrange(3)):
            self.func(f"f{number}", state, "")
        if self.roles:
            lines += ["role Node:", "  action Init:", "    self.a = 0", "    self.log = []", "    self.peer = None",
                      "    self.seen = set()", '    self.m = {"b": [], "a": [1]}']  # fmt: skip
            own = state | {f"self.{name}": kind for name, kind in FIELDS.items()} | {"self": "node"}
            for number in range(self.random.randrange(2)):
                self.func(f"g{number}", own, "  ")
            lines += ["  atomic action Go:", *self.body(own, 2)]
        lines += ["action Init:", *INIT.splitlines()]
        if self.roles:
            lines += ["    nodes = [Node(), Node()]", "    n0 = nodes[0]", "    nodes[0].peer = nodes[1]"]
        for number in range(self.random.randrange(1, 3)):
            lines += [f"{self.pick(('', 'atomic ', 'atomic '))}action A{number}:", *self.body(state, 1)]
        lines += ["always assertion C0:", f"    {self.claim(state)}"]
        lines += ["always assertion C1:", f"    for e in {self.of('ints', state, 1)}:", "        if e > 1:",
                  f"            return {self.of('bool', state, 1)}", "    return True"]  # fmt: skip
        lines += self.about_steps(state)
        return "\n".join(lines) + "\n"

    def about_steps(self, state: dict[str, str]) -> list[str]:
        """Assertions about the states before and after a step."""
        lines: list[str] = []
        for number, (old, new) in enumerate((("before", "after"), ("old", "new"))):
            scope = state | {f"{side}.{name}": kind for side in (old, new) for name, kind in state.items()}
            scope |= {old: "any", new: "any"}
            lines.append(f"transition assertion T{number}" + (f"({old}, {new}):" if number else ":"))
            if self.chance(20):
                lines += [f"    v = {self.of('ints', scope, 1)}", "    v.append(1)"]
                scope["v"] = "ints"
            if self.chance(50):
                lines += [f"    for e in {self.of('ints', scope, 1)}:", f"        if {self.of('bool', scope, 1)}:",
                          f"            return {self.of('bool', scope | {'e': 'int'}, 1)}"]  # fmt: skip
            lines.append(f"    {self.claim(scope)}")
        return lines

    def claim(self, scope: dict[str, str]) -> str:
        return f"return {self.of('bool', scope, 2)}"

    def func(self, name: str, scope: dict[str, str], margin: str) -> None:
        parameters = {self.fresh("q"): self.pick(("int", "ints", "any")) for _ in range(self.random.randrange(3))}
        self.lines += [f"{margin}atomic func {name}({', '.join(parameters)}):"]
        body = self.block(scope | parameters, 3, 0)
        if self.chance(60):
            body.append(f"return {self.of(self.pick(('int', 'ints', 'any')), scope | parameters, 1)}")
        self.lines += [margin + "    " + line for line in body]
        self.funcs.append(
            f"{'self.' if margin else ''}{name}({', '.join('{' + kind + '}' for kind in parameters.values())})"
        )

    def body(self, scope: dict[str, str], depth: int) -> list[str]:
        self.choices = 0
        margin = "    " * depth
        return [margin + line for line in self.block(dict(scope), self.pick((1, 2, 4, 4)), 0)]

    def block(self, scope: dict[str, str], most: int, depth: int, loop: bool = False) -> list[str]:
        lines: list[str] = []
        for _ in range(self.random.randrange(1, most + 1)):
            lines += self.statement(scope, depth, loop)
        return lines

    def places(self, scope: dict[str, str], kind: str) -> list[str]:
        found = [name for name, its in scope.items() if its == kind]
        nodes = [name for name, its in scope.items() if its == "node"]
        found += [f"{node}.{name}" for node in nodes for name, its in FIELDS.items() if its == kind]
        if kind == "int":
            found += ["rec.f", "st.a"]
        if kind == "ints":
            found += ["rec.g", "xss[0]", "xss[-1]", 'dl["a"]', 'dl["b"]', "recs[0].g"]
        if kind == "rec":
            found += ["recs[0]", "recs[1]"]
        if kind == "node" and self.roles:
            found += ["nodes[1]", "n0.peer"]
        return found

    def statement(self, scope: dict[str, str], depth: int, loop: bool) -> list[str]:
        indent = lambda block: ["    " + line for line in block]  # noqa: E731
        kind = self.pick(("int", "any", "ints", "lists", "dict", "dictl", "set", "pair", "rec", "struct", "recs"))
        roll = self.random.randrange(100)
        if roll < 16:
            target = self.pick(self.places(scope, kind))
            if target in ("self",):
                return ["pass"]
            return [f"{target} = {self.of(kind, scope, 2)}"]
        if roll < 30:
            name = self.pick(("v", "w", self.fresh("l")))
            text = self.pick(self.places(scope, kind)) if self.chance(60) else self.of(kind, scope, 2)
            scope[name] = kind
            return [f"{name} = {text}"]
        if roll < 50:
            return self.change(scope)
        if roll < 56:
            a, b = self.pick(self.places(scope, kind)), self.pick(self.places(scope, kind))
            way = self.pick(("{0}, {1} = {1}, {0}", "{0} = {1} = {2}", "l0, {1} = {1}, {0}", "{0}, {1} = {3}"))
            if "l0" in way:
                scope["l0"] = kind
            more = self.of("lists", scope, 1) if kind == "ints" else "p"
            return [way.format(a, b, self.of(kind, scope, 1), more)]
        if roll < 60:
            return [f"require {self.of('bool', scope, 1)}"]
        if roll < 63:
            return (
                [self.pick(("pass", "return", f"return {self.of(self.pick(('int', 'any', 'ints')), scope, 1)}"))]
                if (self.chance(30))
                else ["pass"]
            )
        if roll < 67 and self.funcs:
            kinds = ("int", "ints", "any")
            one = self.pick(self.funcs)
            if one.startswith("self.") and "self" not in scope:
                one = one.replace("self", self.pick(self.places(scope, "node"))) if self.roles else "total({ints})"
            text = one.format(**{kind: self.of(kind, scope, 1) for kind in kinds})
            name = self.fresh("r")
            if self.chance(60):
                scope[name] = "any"
                return [f"{name} = {text}"]
            return [text]
        if depth > 2:
            return ["x = (x + 1) % 3"]
        if roll < 76:
            lines = [f"if {self.of('bool', scope, 1)}:", *indent(self.block(dict(scope), 2, depth + 1, loop))]
            if self.chance(40):
                lines += [f"elif {self.of('bool', scope, 1)}:", *indent(self.block(dict(scope), 2, depth + 1, loop))]
            if self.chance(50):
                lines += ["else:", *indent(self.block(dict(scope), 2, depth + 1, loop))]
            return lines
        if roll < 84:
            items, names = self.elements(scope)
            body = self.block(scope | names, 2, depth + 1, True)
            if self.chance(25):
                body.append(self.pick((f"if {self.of('bool', scope, 1)}: break", "continue")))
            return [f"for {', '.join(names)} in {items}:", *indent(body)]
        if roll < 86:
            name = self.fresh("c")
            scope[name] = "int"
            return [f"{name} = 0", f"while {name} < {self.of('int', scope, 0)}:",
                    *indent([f"{name} += 1", *self.block(dict(scope), 1, depth + 1, True)])]  # fmt: skip
        if self.choices > 2 or (loop and self.chance(90)):
            return ["y = (y + x) % 4"]
        self.choices += 1
        if roll < 92:
            items, names = self.elements(scope)
            target = ", ".join(names)
            if len(names) == 1 and self.chance(40):
                (kind,) = names.values()
                target = self.pick(self.places(scope, kind) or [target])
                names = {}
            condition = f" if {self.of('bool', scope | names, 1)}" if len(names) == 1 and self.chance(30) else ""
            scope.update(names)
            return [f"{target} = {'fair ' if self.chance(10) else ''}oneof {items}{condition}"]
        if roll < 96:
            items, names = self.elements(scope)
            return [f"oneof {', '.join(names)} in {items}:", *indent(self.block(scope | names, 2, depth + 1))]
        lines = ["oneof:"]
        for _ in range(self.random.randrange(2, 4)):
            lines += indent(self.statement(dict(scope), depth + 1, loop))
        return lines

    def elements(self, scope: dict[str, str]) -> tuple[str, dict[str, str]]:
        kind = self.pick(tuple(_ELEMENT))
        text = self.pick(self.places(scope, kind)) if self.chance(60) else self.of(kind, scope, 1)
        if kind in ("dict", "dictl") and self.chance(50):
            return f"{text}.items()", {self.fresh("k"): "str", self.fresh("e"): "int" if kind == "dict" else "ints"}
        if self.chance(15):
            return f"enumerate({text})", {self.fresh("i"): "int", self.fresh("e"): _ELEMENT[kind]}
        if self.roles and self.chance(20):
            return "nodes", {self.fresh("n"): "node"}
        if self.chance(15):
            return "range(N)", {self.fresh("i"): "int"}
        return text, {self.fresh("e"): _ELEMENT[kind]}

    def change(self, scope: dict[str, str]) -> list[str]:
        kind = self.pick(("ints", "lists", "dict", "dictl", "set", "rec", "recs", "int"))
        at = self.pick(self.places(scope, kind))
        e = lambda kind, depth=1: self.of(kind, scope, depth)  # noqa: E731
        if kind in ("lists", "dictl", "recs") and self.chance(40):
            return self.through_a_name(at, kind, e("int"), e("bool"))
        ways = {
            "int": [f"{at} += 1", f"{at} -= {e('int')}", f"{at} = ({at} + 1) % 4"],
            "ints": [
                f"if len({at}) < 3: {at}.append({e('int')})", f"if {at}: {at}.pop()",
                f"if {at}: {at}[0] = {e('int')}",
                f"{at}.clear()", f"if {at}: {at}[-1] += 1", f"{at} += [{e('int')}]", f"{at}.extend(({e('int')},))",
                f"if {at}: {at}.remove({at}[-1])", f"if {at}: {self.fresh('u')} = {at}.pop(0)",
                f"{at}.insert(0, {e('int')})", f"{at} = {at}[:2]", f"{at}.reverse()", f"{at}.sort()",
            ],
            "lists": [f"{at}[0] = {e('ints')}", f"{at}[1] = {at}[0]", f"{at}[-1].append(1)",
                      f"{at}.append({e('ints')})",
                      f"{at}[0] += [1]", f"{at}[0][0] = 2", f"{at}.pop()", f"for e0 in {at}: e0.append(0)",
                      f"v = {at}[0]\nv.append({e('int')})", f"v = {at}[0]\nv += [1]\nw = v"],
            "dict": [f"{at}[{e('str')}] = {e('int')}", f"{at}.pop({e('str')}, 0)", f"{at}.pop({e('str')})",
                     f"{at}.clear()", f"{at}.setdefault({e('str')}, {e('int')})", f"{at}.update({e('dict')})",
                     f"{at}['b'] += 1", f"v = {at}\nv['c'] = 1"],
            "dictl": [f"{at}['b'] = {e('ints')}", f"{at}['a'].append({e('int')})", f"{at}['b'] += [1]",
                      f"{at}['c'] = {at}['a']", f"v = {at}['a']\nv.append(1)\n{at}['b'] = []",
                      f"v = {at}.get('b', [])\nv.append(2)", f"w = {at}['a']\n{at}['a'] = [x]\nw.append(1)",
                      f"for v in {at}.values(): v.append(1)", f"v = list({at}.values())\nv[0].append(1)"],
            "set": [f"{at}.add({e('int')})", f"{at}.discard({e('int')})", f"{at}.remove({e('int')})", f"{at}.clear()",
                    f"{at} |= {e('set')}", f"{at}.update({e('ints')})", f"{at} -= {e('set')}",
                    f"v = {at}\nv |= set([3])"],
            "rec": [f"{at}.f = {e('int')}", f"{at}.g = {e('ints')}", f"{at}.g.append(1)", f"{at}.f += 1"],
            "recs": [f"{at}[0].f = {e('int')}", f"{at}[1].g.append(2)", f"{at}[0] = {e('rec')}", f"{at}.reverse()",
                     f"{at}[0], {at}[1] = {at}[1], {at}[0]"],
        }  # fmt: skip
        return [line for line in self.pick(ways[kind]).split("\n") if line]

    def through_a_name(self, at: str, kind: str, number: str, condition: str) -> list[str]:
        """Members of a container, changed through a name of their own."""
        v, k = self.fresh("v"), self.fresh("k")
        change = self.pick(
            (f"{v}.f = {number}", f"{v}.g.append({number})", f"{v}.f += 1")
            if kind == "recs"
            else (f"{v}.append({number})", f"{v} += [1]", f"if {v}: {v}[0] = {number}", f"{v}.clear()")
        )
        heads = {
            "lists": [f"for {v} in {at}:", f"for {k}, {v} in enumerate({at}):", f"{v} = {at}[0]", f"{v} = {at}[-1]"],
            "recs": [f"for {v} in {at}:", f"for {k}, {v} in enumerate({at}):", f"{v} = {at}[1]"],
            "dictl": [f"for {k}, {v} in {at}.items():", f"for {v} in {at}.values():", f"{v} = {at}['a']"],
        }[kind]
        if kind != "dictl" and self.choices <= 2:
            self.choices += 1
            heads += [f"{v} = oneof {at}", f"{v} = oneof {at} if {condition}", f"oneof {v} in {at}:"]
        head = self.pick(heads)
        body = [change]
        if self.chance(30):
            more = "g" if kind == "recs" else None
            body.append(f"x = len({v}.{more}) % 4" if more else f"x = len({v}) % 4")
        if self.chance(20):
            body.append(f"if {condition}: {at}.append({at}[0])" if kind != "dictl" else f"{at}['b'] = []")
        if self.chance(20):
            body.append(f"y = {number}")
        return [head, *[f"    {line}" for line in body]] if head.endswith(":") else [head, *body]

    # --- expressions

    def of(self, kind: str, scope: dict[str, str], depth: int) -> str:
        """An expression of a kind."""
        places = self.places(scope, kind)
        if places and self.chance(45 if depth else 75):
            return str(self.pick(places))
        e = lambda kind: self.of(kind, scope, depth - 1)  # noqa: E731
        v = self.fresh("z")
        if depth <= 0:
            plain = {"int": ("0", "1", "2", "N"), "bool": ("True", "False"), "str": ("'a'", "'b'"), "ints": ("[]",
            "[2, 1]"),
                     "any": ("None", "True", "1", "'1'", "(1,)", "-1"), "set": ("set()", "set([2, 1, 0])"),
                     "node": ("None",),
                     "dict": ("{}", "{'b': 1, 'a': 2}"), "dictl": ("{'b': [], 'a': [1]}",), "pair": ("(0, 1)",),
                     "lists": ("[[1], []]",), "rec": ("record(f = 0, g = [])",),
                     "struct": ("struct(a = 0, b = (1, 2))",),
                     "recs": ("[record(f = 1, g = []), record(f = 0, g = [1])]",)}  # fmt: skip
            return str(self.pick(plain[kind]))
        ways = {
            "int": [f"({e('int')} + {e('int')}) % 4", f"len({e('ints')})", f"len({e('set')})", f"{e('ints')}[0]",
                    f"{e('ints')}[-1]", f"{e('dict')}.get({e('str')}, 0)", f"total({e('ints')})",
                    f"max({e('ints')} + [0])",
                    f"sum([1 for {v} in {e('set')} if {v} > {e('int')}])",
                    f"({e('int')} if {e('bool')} else {e('int')})",
                    f"{e('pair')}[1]", f"{e('struct')}.a", f"len([{v} for {v} in {e('lists')} if 1 in {v}])",
                    f"min([{v} for {v} in {e('set')}] + [1])", f"abs({e('int')})", f"({e('bool')} and {e('int')})",
                    f"hash({e('str')}) % 3", f"-{e('int')}", f"{e('ints')}.count({e('int')})"],
            "bool": [f"{e('int')} {self.pick(('<', '==', '!=', '>='))} {e('int')}", f"{e('any')} == {e('any')}",
                     f"{e('any')} == {self.pick(('1', 'True', 'None', e('ints')))}", f"{e('int')} in {e('set')}",
                     f"{e('any')} in [1, None, (1,)]", f"not {e('bool')}", f"({e('bool')} or {e('bool')})",
                     f"{e('ints')} == {e('ints')}", f"{e('ints')} in {e('lists')}", f"bool({e('ints')})",
                     f"any([{v} > 1 for {v} in {e('ints')}])", f"all({v} < {e('int')} for {v} in {e('ints')})",
                     f"{e('str')} in {e('dict')}", f"{e('set')} <= {e('set')}", f"{e('any')} not in {e('lists')}",
                     f"any({v} == w{v} for {v} in {e('ints')} for w{v} in {e('set')} if {v} != 1)"],
            "str": ["'a'", "'b'", "'c'", f"str({e('any')})[:1]"],
            "any": [e("int"), e("ints"), e("pair"), "None", "True", "1", f"({e('int')} or {e('ints')})",
                    f"[{e('ints')}]",
                    e("struct"), f"first({e('lists')})", f"both({e('ints')}, {e('int')})", f"str({e('set')})",
                    f"f'{{{e('int')}}}-{{{e('bool')}}}'" if False else "'x'", f"({e('ints')}, 1)",
                    f"counts({e('ints')})"],
            "ints": [f"[{e('int')}, {e('int')}]", f"{e('ints')} + [{e('int')}]", f"{e('ints')}[:2]",
                     f"list({e('set')})",
                     f"[{v} for {v} in {e('ints')} if {v} > {e('int')}]", f"sorted({e('set')})",
                     f"evens({e('ints')})",
                     f"[{v} for {v} in {e('set')}]", f"list({e('ints')})", f"[{e('int')}] * 2",
                     f"list(range({e('int')}))",
                     f"[0 for {v} in {e('dict')}]", f"list({e('dict')}.values())", f"({e('ints')} or [1])",
                     f"[{v} for {v}, w{v} in {e('dict')}.items() if w{v}] and {e('ints')}", f"evens({e('ints')}, 1)",
                     f"sorted({e('ints')}, reverse=True)", f"reversed({e('ints')})", f"{e('lists')}[0]",
                     f"sorted({e('ints')}, key=lambda {v}: -{v})"],
            "lists": [f"[{e('ints')}, {e('ints')}]", f"{e('lists')}[:1] + [{e('ints')}]", f"list({e('lists')})",
                      f"[{v} for {v} in {e('lists')}]", f"[list({v}) for {v} in {e('lists')}]", f"[{e('ints')}] * 2",
                      f"[max({e('lists')}, key=lambda {v}: len({v}))]",
                      f"list({e('dictl')}.values())", f"sorted({e('lists')})", f"both({e('ints')}, {e('ints')})"],
            "dict": [f"{{'b': {e('int')}, 'a': {e('int')}}}", f"{{{v}: 1 for {v} in ['b', 'a', 'b']}}",
                     f"dict({e('dict')})",
                     f"({e('dict')} | {e('dict')})"],
            "dictl": [f"{{'b': {e('ints')}, 'a': {e('ints')}}}", f"{{{v}: [] for {v} in ['b', 'a']}}",
                      f"{{{v}: {e('ints')} for {v} in ['b', 'a']}}", f"dict({e('dictl')})"],
            "set": [f"set({e('ints')})", f"({e('set')} {self.pick('|&-^')} {e('set')})",
                    f"set([{v} % 3 for {v} in {e('ints')}])",
                    f"{e('set')}.union({e('ints')})", f"set([3, {e('int')}])"],
            "pair": [f"({e('int')}, {e('int')})", f"({e('int')}, {e('pair')}[0])", f"tuple({e('ints')})"],
            "rec": [f"record(f = {e('int')}, g = {e('ints')})", f"{e('recs')}[0]", f"deepcopy({e('rec')})"],
            "struct": [f"struct(a = {e('int')}, b = {e('pair')})"],
            "recs": [f"[{e('rec')}, {e('rec')}]", f"{e('recs')}[::-1]", f"list({e('recs')})"],
            "node": ["None", "n0", "nodes[0]"] if self.roles else ["None"],
        }  # fmt: skip
        return str(self.pick(ways[kind]))


def model(seed: int) -> str:
    """The text of a random model."""
    return Writer(seed, seed % 3 == 0).write()
