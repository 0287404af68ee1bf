"""Random programs: small well-formed models, each with some of the features of the language."""

from __future__ import annotations

import json

from tests.random.expressions import STORED, Expressions
from tests.random.places import Function, Place, Role, Scope
from tests.random.properties import Assertions
from tests.random.source import Source
from tests.random.statements import Lines, Statements, indented

THEMES = (
    "roles", "state", "channels", "symmetric roles", "keys", "domains", "helpers", "faults", "liveness", "returns",
    "next_states", "exclude", "limits", "calls",
)  # fmt: skip
"""What a program may have. Each has some of them only: so what seldom meets does meet."""

HELPERS = """\
def total(items):
    t = 0
    for i in items:
        if i == 2: continue
        t += i
    return t

def is_small(items, bound = 2):
    def low(x): return x < bound
    for i in items:
        if not low(i):
            return False
    return True

def put(items, value):
    if len(items) < 2:
        items.append(value)
"""


class Program:
    """One program under way."""

    def __init__(self, source: Source, themes: set[str]) -> None:
        self.source = source
        self.themes = themes
        self.roles: dict[str, Role] = {}
        self.expressions = Expressions(source, self.roles, "helpers" in themes, "faults" in themes)
        self.statements = Statements(source, self.expressions)
        self.statements.budget = source.number(8, 34)
        self.heap: list[Place] = []
        self.constants: list[Place] = []
        self.actions: list[str] = []
        self.text: Lines = []

    def write(self) -> str:
        """The whole text."""
        self._constants()
        if "helpers" in self.themes:
            self.text += HELPERS.splitlines()
        self._shape_roles()
        init = self._init()
        self._shape_functions()
        init += self._rest_of_init()
        for role in self.roles.values():
            self.text += self._role(role)
        self.text += ["action Init:", *indented(init)]
        for function in list(self.statements.functions):
            self.text += self._function(function, None)
        for number in range(self.source.number(1, 3)):
            self.actions.append(f"Act{number}")
            self.text += self._action(f"Act{number}", None)
        if self.source.chance(40):
            self.text += ["atomic action Rest: pass"]
        for number in range(self.source.number(0, 3)):
            self.text += self._assertion(f"Claim{number}", None)
        return "\n".join([*self._front_matter(), *self.text]) + "\n"

    # --- constants and state variables

    def _constants(self) -> None:
        self.text.append("N = 2")
        self.constants.append(Place("N", "int", False, False))
        if self.source.chance(20):
            self.text.append("LIST = [1, 2]")
            self.constants.append(Place("LIST", "ints", False, False))
        if "keys" in self.themes:
            self.text.append(f'KEYS = symmetric_values("k", {self.source.number(2, 3)})')
            self.statements.keys = True
        if "domains" in self.themes:
            for name in ("D", "E")[: self.source.number(1, 2)]:
                kind = self.source.pick(("nominal", "ordinal", "interval", "rotational"))
                extra = ", reflection=True" if kind != "nominal" and self.source.chance(30) else ""
                size = "divergence=2" if kind == "interval" else f"limit={self.source.number(2, 3)}"
                self.text.append(f'{name} = symmetry.{kind}(name="{name.lower()}", {size}{extra})')
                self.expressions.domains[name] = kind
        if "channels" in self.themes:
            self.text.append('Net = Channel(ordering="unordered")')
            self.text.append("Other = Channel()")

    def _init(self) -> Lines:
        """Init, until everything is bound."""
        scope = Scope(list(self.constants), "atomic", "init", settled=False)
        lines: Lines = []
        for role in self.roles.values():
            lines += self._instances(role, scope)
        kinds = self.source.some(STORED, 2, 4)
        kinds += self.source.some(kinds, 0, 2)
        if "keys" in self.themes:
            kinds += self.source.some(("sym", "syms", "symd"), 1, 2)
        for name in self.expressions.domains:
            kinds += self.source.some((f"dom:{name}", f"doms:{name}"), 1, 2)
        for number, kind in enumerate(kinds):
            lines += self._bind(f"v{number}", kind, scope)
        return lines

    def _bind(self, name: str, kind: str, scope: Scope) -> Lines:
        lines = [f"{name} = {self.statements.value(kind, scope)}"]
        if self.source.chance(12):
            options = ", ".join(self.statements.value(kind, scope) for _ in range(2))
            lines = [f"{name} = oneof [{options}]"]
        place = Place(name, kind)
        scope.places.append(place)
        self.heap.append(place)
        return lines

    def _instances(self, role: Role, scope: Scope) -> Lines:
        made = self.statements.construct(role, scope)
        name = f"n{role.name.lower()}"
        sends = "channels" in self.themes
        in_bag = role.symmetric and self.source.chance(40 if sends else 80)
        ways = ["bagr"] if in_bag else ["role", "role", "roles", "bagr", "maybe"]
        word = self.source.pick(ways)
        if word == "roles":
            lines = [f"{name} = {self.source.pick((f'[{made}]', f'[{made}, {made}]', f'[{made} for i in range(N)]'))}"]
        elif word == "bagr":
            lines = [f"{name} = bag()", self.source.pick((f"{name}.add({made})", f"{name}.add_all([{made}, {made}])"))]
        else:
            lines = [f"{name} = {made}"]
        place = Place(name, f"{word}:{role.name}", word != "bagr")
        scope.places.append(place)
        self.heap.append(place)
        if sends and word != "bagr":
            receiver = f"{name}[0]" if word == "roles" else name
            for stub, channel in (("out", "Net"), ("by", "Other"))[: self.source.number(1, 2)]:
                lines.append(f"{stub}{role.name} = {channel}.stub({receiver})")
                self.statements.stubs[f"{stub}{role.name}"] = role
        return lines

    def _rest_of_init(self) -> Lines:
        scope = Scope([*self.constants, *self.heap], "atomic", "init")
        return self.statements.block(scope, 0, 2)

    # --- roles

    def _shape_roles(self) -> None:
        if "roles" not in self.themes and "channels" not in self.themes:
            return
        for name in ("A", "B")[: self.source.number(1, 2)]:
            role = Role(name, "symmetric roles" in self.themes and self.source.chance(60))
            if self.source.chance(30) and not role.symmetric:
                role.params["P"] = "int"
            for number, kind in enumerate(self.source.some(STORED, 1, 3)):
                role.fields[f"{name.lower()}{number}"] = kind
            if "keys" in self.themes and self.source.chance(30):
                role.fields[f"{name.lower()}k"] = "sym"
            for other in self.roles:
                if self.source.chance(50):
                    role.fields[f"to{other.lower()}"] = f"maybe:{other}"
            self.roles[name] = role

    def _shape_functions(self) -> None:
        rank = 0
        for role in self.roles.values():
            for number in range(self.source.number(int("channels" in self.themes), 2)):
                role.functions.append(self._shape(f"{role.name.lower()}_f{number}", rank))
                rank += 1
            role.methods = ["count"] if self.source.chance(30) else []
        if "calls" in self.themes:
            for number in range(self.source.number(1, 2)):
                self.statements.functions.append(self._shape(f"f{number}", rank))
                rank += 1

    def _shape(self, name: str, rank: int) -> Function:
        parameters: list[tuple[str, str, str | None]] = []
        for number in range(self.source.number(0, 2)):
            kind = self.source.pick(("int", "ints", "any", "rec"))
            default = self.source.pick(("1", "N")) if kind in ("int", "any") else "[1]" if kind == "ints" else None
            is_last_plain = all(p[2] is None for p in parameters)
            if default is None and not is_last_plain:
                kind, default = "int", "0"
            has_default = self.source.chance(60) or not is_last_plain
            parameters.append((f"{name}_p{number}", kind, default if has_default else None))
        returns = self.source.pick(("int", "ints", None))
        return Function(name, parameters, returns, self._flow(), rank)

    def _flow(self) -> str | None:
        return self.source.weighted([(4, "atomic"), (4, None), (1, "serial"), (1, "parallel"), (1, "oneof")])

    def _role(self, role: Role) -> Lines:
        lines: Lines = []
        if "state" in self.themes and self.source.chance(70):
            names = self.source.some(sorted(role.fields), 1, 2)
            lines.append(f"@state({self.source.pick(('ephemeral', 'durable'))}={json.dumps(names)})")
        lines.append(f"{'symmetric ' if role.symmetric else ''}role {role.name}:")
        own = Scope(list(self.constants), "atomic", "role init", role, settled=False)
        if self.source.chance(25):
            name = self.source.pick(("LIMIT", "v0"))  # it may hide a state variable
            lines += indented([f"{name} = {self.source.number(1, 3)}", f"{name}_LIST = [{name}, 0]"])
            role.constants = [
                Place(name, "int", False, False),
                Place(f"self.{name}", "int", False, False),
                Place(f"{name}_LIST", "ints", False, False),
            ]
            own.places += role.constants
        own.places += [Place(f"self.{name}", kind, False, False) for name, kind in role.params.items()]
        body = []
        for name, kind in role.fields.items():
            body.append(f"self.{name} = {self.statements.value(kind, own)}")
            own.places.append(Place(f"self.{name}", kind))
        if self.source.chance(30):
            body += self.statements.block(own, 1, 1)
        lines += indented(["action Init:", *indented(body)])
        for function in role.functions:
            lines += indented(self._function(function, role))
        for number in range(self.source.number(0, 2)):
            role.actions.append(f"Go{number}")
            lines += indented(self._action(f"Go{number}", role))
        if role.methods:
            lines += indented(["def count(me, k = 1):", "    return k"])
        if self.source.chance(40):
            lines += indented(self._assertion(f"Local{role.name}", role))
        return lines

    # --- code

    def _scope(self, flow: str | None, where: str, role: Role | None, rank: int = 99) -> Scope:
        # A role's code may run while Init has not bound everything only through funcs, and Init calls none by then.
        places = [*self.constants, *self.heap]
        if role is not None:
            hidden = {constant.text for constant in role.constants}
            places = [place for place in places if place.text not in hidden]
            places.append(Place("self", f"role:{role.name}", False))
            places += role.constants
        return Scope(places, "atomic" if flow == "atomic" else "serial", where, role, rank=rank)

    def _body(self, flow: str | None, scope: Scope) -> Lines:
        if flow in ("parallel", "oneof"):
            return [line for _ in range(self.source.number(2, 3)) for line in self.statements.statement(scope.inner())]
        guard = [f"require {self.expressions.condition(scope)}"] if self.source.chance(25) else []
        lines = guard + self.statements.block(scope, 1, 3)
        # A body that is one flow block would have the flow of that block, whatever the header says.
        alone = lines[0] in ("parallel:", "oneof:", "serial:") and all(line.startswith(" ") for line in lines[1:])
        return [*lines, "pass"] if alone else lines

    def _action(self, name: str, role: Role | None) -> Lines:
        flow = self._flow()
        fairness = self.source.pick((None, "fair", "fair<strong>", "fair<weak>")) if "liveness" in self.themes else None
        self.statements.budget = max(self.statements.budget, 4)
        scope = self._scope(flow, "action", role)
        scope.returns = "any" if "returns" in self.themes else None
        body = self._body(flow, scope)
        if scope.returns and flow not in ("parallel", "oneof") and self.source.chance(50):
            body.append(f"return {self.statements.of('any', scope, 1)}")
        return [" ".join(word for word in (flow, fairness, "action", name) if word) + ":", *indented(body)]

    def _function(self, function: Function, role: Role | None) -> Lines:
        parameters = ", ".join(name + (f" = {d}" if d is not None else "") for name, _, d in function.parameters)
        scope = self._scope(function.flow, "func", role, function.rank)
        scope.places += [Place(name, kind) for name, kind, _ in function.parameters]
        scope.returns = function.returns
        self.statements.budget = max(self.statements.budget, 2)
        body = self._body(function.flow, scope)
        if function.returns and function.flow not in ("parallel", "oneof"):
            body.append(f"return {self.statements.value(function.returns, scope)}")
        head = f"func {function.name}({parameters}):"
        return [f"{function.flow} {head}" if function.flow else head, *indented(body)]

    def _assertion(self, name: str, role: Role | None) -> Lines:
        looks = self.themes & {"returns", "next_states"}
        return Assertions(self.source, self.statements, self.heap, looks).write(name, role)

    # --- options

    def _front_matter(self) -> Lines:
        options: dict[str, object] = {"max_actions": self.source.pick((2, 3, 4, 1, 100))}
        if self.source.chance(30):
            options["max_concurrent_actions"] = self.source.number(1, 3)
        if self.source.chance(40):
            options["crash_on_yield"] = False
        if self.statements.loops_of_choices:
            # Such loops may go on until the step has spent its budget: then a small one says as much as a large one.
            options["limits"] = {"charges": 5_000}
        front: dict[str, object] = {"options": options, "deadlock_detection": self.source.chance(40)}
        keys = list(self.actions)
        for role in self.roles.values():
            ways = ("", "#") if role.symmetric else ("", "#", "#0")
            keys += [f"{role.name}{way}.{action}" for action in role.actions for way in ways]
            keys += [f"{role.name}.*", f"{role.name}#.*"]
        if "limits" in self.themes:
            chosen: dict[str, object] = {}
            for key in self.source.some(keys, 1, 2):
                limit: dict[str, object] = {}
                if key.endswith("*"):
                    chosen[key] = {"max_concurrent_actions": self.source.number(1, 2)}
                    continue
                if self.source.chance(60):
                    limit["max_actions"] = self.source.number(1, 2)
                if self.source.chance(40):
                    limit["max_concurrent_actions"] = 1
                if self.source.chance(30) and "#0" not in key:
                    limit["crash_on_yield"] = False
                chosen[key] = limit
            front["action_options"] = chosen
        if "exclude" in self.themes:
            front["identity"] = {"exclude": [place.text for place in self.source.some(self.heap, 1, 2)]}
        front["liveness"] = self.source.weighted(
            [(5, "strict"), (2, "nondeterministic"), (1, "probabilistic"), (1, "off")]
        )
        if self.source.chance(20):
            front["continue_on_invariant_failures"] = True
        if self.source.chance(20):
            front["continue_path_on_invariant_failures"] = True
        return ["---", json.dumps(front), "---"]


def program(source: Source) -> str:
    """The text of a random program."""
    return Program(source, set(source.some(THEMES, 1, 7))).write()
