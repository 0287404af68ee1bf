"""Cases of what the command reads beside models: options, constants, YAML, saved reports, guided traces."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from functools import cache
from typing import Any, Final

from click import Context, Parameter

from tests.hostile import expressions, texts
from tests.hostile.case import MODEL, Case, Content, Node

Chance = random.Random

SMALL: Final = """\
---
options: {max_actions: 6}
---
LIMIT = 3
NAMES = ["a", "b"]
TABLE = {"x": (1, 2.5), "y": set()}
role Node:
    action Init:
        self.seen = 0
    atomic action Look:
        require self.seen < LIMIT
        self.seen += 1
action Init:
    n = 0
    who = NAMES[0]
    node = Node()
action Up:
    require n < LIMIT
    by = oneof [1, 2]
    n += by
    who = oneof NAMES
atomic action Down:
    require n > 0
    n = 0
always assertion Small: return n < LIMIT + 1
always eventually assertion Back: return n == 0
exists assertion Both: return node.seen == LIMIT and n == 2
"""
"""A model with some of everything, which violates an assertion."""

_TIME: Final = ("--timeout", "4")
BOUNDS: Final = ("--max-states", "60", *_TIME)

STRANGE: Final = (
    "", " ", "-", "--", "-1", "0", "1", "2", "0.0", "1e400", "nan", "inf", "-inf", "1e-300", "9" * 30, "9" * 5000,
    "0x10",
    "1_000", "\u0663", "True", "true", "null", "~", "[]", "{}", "[1", "{a: 1}", "!!int ''", "!!bool abc", "&a [*a]",
    "*a", "%",
    "a=b", "=", "==", "n", "LIMIT", "Up", "Node.Look", "Node#0.Look", "Node#.Look", "Small", "small", "__class__",
    "\x1b[31mred",
    "\u202eabc", "a\nb", "\t", "\r", "\x07", "\udcff", "\u00e9", "a" * 300, "a" * 10_000, "../x",
    "../../../../etc/passwd",
    "/", ".", "..", "/dev/null", "/dev/full", "/dev/zero", "/proc/self/mem", MODEL, "./" + MODEL, "sub/../" + MODEL,
    "link",
    "absent/x", "folder", "fifo", "x.json", "expect.yaml", "*", "$HOME", "`ls`", "; ls", "m.fizz/x", "%s", "{0}",
    "'''", '"',
)  # fmt: skip
"""What may be given where something else is expected."""

_WRITING: Final = (
    "--checkpoint", "--resume", "--export", "--save-trace", "--itf", "--dot", "--html", "--junit",
    "--sarif", "--markdown",
)  # fmt: skip
"""What writes where the user says. Beyond the folder of a case that would be no escape, and yet nothing to try."""

_OVERWRITTEN: Final = "x.json"
"""A file that no check reads: it may be changed if the user says to write there, and only then."""

_USUAL: Final = {
    "--engine": ("embedded", "plain", "Plain", "fast"),
    "--option": (
        "max_actions=3",
        "options.max_actions=x",
        "deadlock_detection=no",
        "liveness=off",
        "identity.exclude=[n]",
    ),
    "--set": ("LIMIT=2", "NAMES=[]", "TABLE=None", "ABSENT=1"),
    "--property": ("Small", "Back"),
    "--mark": ("quick", "large"),
    "--checkpoint": ("out/c",),
    "--html": ("out.html",),
    "--itf": ("out.itf.json",),
    "--dot": ("out.dot",),
    "--save-trace": ("out.txt",),
    "--max-states": ("50",),
    "--resume": ("out/c",),
    "--export": ("out/x",),
}
_ASIDE: Final[tuple[tuple[str, ...], ...]] = (
    ("--json",), ("--quiet",), ("--keep-going",), ("--audit",), ("--stats",), ("--no-symmetry",), ("--html", "o.html"),
    ("--dot", "o.dot"), ("--itf", "o.itf"), ("--save-trace", "o.txt"),
)  # fmt: skip
COMMANDS: Final = ("check", "check", "check", "simulate", "trace", "explain", "coverage", "parse", "show", "test")


def run_of(chance: Chance, bounds: tuple[str, ...] = BOUNDS) -> tuple[str, ...]:
    """A command that reads the model, in one of the ways there are, within bounds."""
    roll = chance.random()
    if roll < 0.62:
        more: tuple[str, ...] = ()
        if chance.random() < 0.3:
            more = ("--engine", "plain")
        if chance.random() < 0.3:
            more += chance.choice(_ASIDE)
        return ("check", MODEL, *bounds, *more)
    if roll < 0.7:
        return ("parse", MODEL)
    if roll < 0.8:
        return ("simulate", MODEL, "--runs", "3", "--steps", "20", *_TIME)
    if roll < 0.86:
        return ("trace", MODEL, "--extend", "1")
    if roll < 0.93:
        return ("explain", MODEL, *bounds)
    return ("coverage", MODEL, *bounds)


# --- options ---------------------------------------------------------------------------------------------------------


def options(number: int, chance: Chance) -> Case:
    """A command line of which some is strange."""
    words = [chance.choice(COMMANDS)]
    outputs: set[str] = set()
    if words[0] != "test":
        words.append(MODEL if chance.random() < 0.85 else chance.choice(STRANGE))
    for _ in range(chance.choice((1, 1, 2, 3, 5))):
        # Those of other commands now and then: they are refused before anything is looked at.
        option = chance.choice(_options(words[0] if chance.random() < 0.9 else chance.choice(COMMANDS)))
        if option in _flags():
            words.append(option)
            continue
        usual = _USUAL.get(option, ())
        value = chance.choice(usual) if usual and chance.random() < 0.4 else chance.choice(STRANGE)
        if option in _WRITING and (value in ("/", "..") or value.startswith("..")):
            value = "folder"
        if option in _WRITING and value == _OVERWRITTEN:
            outputs.add(value)
        if option in ("--set", "--option", "--conf") and chance.random() < 0.7:
            value = f"{chance.choice(STRANGE)}={value}"
        words += [f"{option}={value}"] if chance.random() < 0.3 else [option, value]
    if words[0] in ("check", "explain", "coverage") and "--max-states" not in words:
        words += ["--max-states", "60"]
    if words[0] == "test":
        # Without a folder these would be the promises of all models that come with the tool.
        words += [".", "--jobs", "1"]
    if chance.random() < 0.05:
        words.insert(chance.randrange(len(words)), chance.choice(STRANGE))
    files: dict[str, Content] = {
        MODEL: SMALL.encode(),
        _OVERWRITTEN: b"{}",
        "expect.yaml": b"- {model: m.fizz, exit: 12, states: 17}\n",
        "link": Node("link", MODEL),
        "folder": Node("folder"),
    }
    return Case("options", number, tuple(words), files, words=1, outputs=tuple(outputs))


@cache
def _parameters(command: str) -> tuple[Parameter, ...]:
    """All parameters of a command."""
    from checker.cli.commands import fizzpy

    found = fizzpy.get_command(Context(fizzpy), command)
    assert found is not None
    return tuple(found.params)


@cache
def _options(command: str) -> tuple[str, ...]:
    """All options of a command."""
    return tuple(opt for param in _parameters(command) for opt in param.opts if opt.startswith("-"))


@cache
def _flags() -> frozenset[str]:
    """The options that have no value."""
    params = [param for command in COMMANDS for param in _parameters(command)]
    return frozenset(opt for param in params if getattr(param, "is_flag", False) for opt in param.opts)


def constants(number: int, chance: Chance) -> Case:
    """A hostile value for a constant."""
    words: list[str] = []
    for _ in range(chance.choice((1, 1, 2))):
        name = chance.choice(("LIMIT", "NAMES", "TABLE", "LIMIT", "ABSENT", chance.choice(STRANGE)))
        value = expressions.expression(chance) if chance.random() < 0.8 else chance.choice(STRANGE)
        if chance.random() < 0.15:
            value = texts.spoiled_tokens(value, chance)
        words += ["--set", f"{name}={_without_nul(value)}"]
    return Case("constants", number, (*run_of(chance)[:2], *words), {MODEL: SMALL.encode()}, words=2)


def _without_nul(text: str) -> str:
    """No argument of a process can have the character 0."""
    return text.replace("\x00", "")


# --- YAML ------------------------------------------------------------------------------------------------------------

_SCALARS: Final = (
    "1", "0", "-1", "9" * 30, "9" * 5000, "1.5", ".nan", "-.inf", "true", "no", "null", "~", "''", "text", "'a\\nb'",
    '"\\e[31m"',
    '"\\u202e"', "2020-01-01", "2020-99-99", "12:30:45", "0o7", "0b1", "1_000", "!!int ''", "!!int x", "!!bool abc",
    "!!float ''",
    "!!timestamp x", "!!binary '*'", "!!set {a, b}", "!!omap [a: 1]", "!!pairs [a: 1]", "!!null x", "!!str 1",
    "!!seq x", "!!map []",
    "!!python/object/apply:os.system ['true']", "!!python/name:os.system", "!!python/object/new:set [[1]]",
    "!!python/tuple [1]",
    "!!python/module:os", "!custom 1", "!<tag:x> 1", "&a 1", "*a", "*b", "<<", "? a", "|\n  text", ">-\n  text",
    "[a, b]", "{a: 1}",
    "strict", "nondeterministic", "off", "[n]", "[who, n]", "enabled", "--- 1", "%YAML 9.9", "@x", "`x`", "\x07",
    "\ufeff1",
)  # fmt: skip
_OPTION_KEYS: Final = (
    "options", "max_actions", "max_concurrent_actions", "crash_on_yield", "deadlock_detection", "identity", "exclude",
    "liveness",
    "continue_on_invariant_failures", "continue_path_on_invariant_failures", "action_options", "actionOptions", "Up",
    "Node.Look",
    "Node#.Look", "R.*", "maxActions", "<<", "x", "''", "1", "null", "~", "[1]", "{a: 1}", "? [a]\n", "*a", "&b k",
    "!!int 1",
    "2020-01-01", "true",
)  # fmt: skip
_PROMISE_KEYS: Final = (
    "model", "set", "options", "keep_going", "max_states", "mark", "properties", "exit", "states", "transitions",
    "crash_steps",
    "initial", "cut", "depth", "verdict", "LIMIT", "Small", "Back", "steps", "<<", "x", "''", "1", "null", "*a",
    "2020-01-01",
)  # fmt: skip


def bombs(chance: Chance) -> str:
    """YAML that is small and means something enormous, endless or deep."""
    n = int(10 ** chance.uniform(0.5, 4.3))
    few = min(n, 40)
    return chance.choice(
        (
            "a0: &a0 [x]\n" + "".join(f"a{i + 1}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(few)),
            "a0: &a0 {x: 1}\n"
            + "".join(f"a{i + 1}: &a{i + 1} {{<<: [{', '.join([f'*a{i}'] * 9)}]}}\n" for i in range(few)),
            "&a [*a]\n", "&a {*a : *a}\n", "a: &a {b: *a}\n", "- &a\n  <<: *a\n", "options: &a {options: *a}\n",
            "[" * n, "[" * n + "]" * n, "{a: " * n + "1" + "}" * n, "- " * n + "1\n", "? " * min(n, 3000) + "1\n",
            "- &a [" + "*a, " * n + "]\n",
            "options: {max_actions: " + "9" * n + "}\n", "options:\n" + " " * n + "max_actions: 1\n",
            "&" + "a" * n + " 1\n",
            "".join(f"k{i}: 1\n" for i in range(n)), "".join("options: {}\n" for i in range(n)), "a: '" + "x" * n,
            "a: |\n" + "  x\n" * n,
            "!!" + "a" * n + " 1\n", "# \u202e\n" * n, "---\n" * n, "...\n" * n, "%TAG ! tag:" + "x" * n + "\n---\n1\n",
            "- model: m.fizz\n  states: " + "9" * n + "\n", "- {model: " + "m" * n + ".fizz}\n",
            "- {model: m.fizz, exit: 1e" + "9" * few + "}\n",
        )
    )  # fmt: skip


def _node(chance: Chance, keys: tuple[str, ...], depth: int) -> str:
    """Some YAML in flow style."""
    roll = chance.random()
    if not depth or roll < 0.35:
        return chance.choice(_SCALARS) if chance.random() < 0.7 else chance.choice(("1", "true", "{}", "[]"))
    if roll < 0.5:
        return "[" + ", ".join(_node(chance, keys, depth - 1) for _ in range(chance.randrange(4))) + "]"
    pairs = (f"{chance.choice(keys)}: {_node(chance, keys, depth - 1)}" for _ in range(chance.choice((1, 1, 2, 4))))
    return "{" + ", ".join(pairs) + "}"


def settings_yaml(chance: Chance) -> str:
    """Settings as front matter or `fizz.yaml` has them, or nearly."""
    if chance.random() < 0.25:
        return bombs(chance)
    lines = [
        f"{chance.choice(_OPTION_KEYS)}: {_node(chance, _OPTION_KEYS, 3)}" for _ in range(chance.choice((1, 1, 2, 3)))
    ]
    text = "\n".join(lines) + "\n"
    return texts.spoiled_tokens(text, chance) if chance.random() < 0.2 else text


def front_matter(number: int, chance: Chance) -> Case:
    """A model whose front matter is hostile."""
    text = f"---\n{settings_yaml(chance)}---\n" + SMALL.split("---\n", 2)[2]
    return Case("front matter", number, run_of(chance), {MODEL: _bytes(text)}, (MODEL,))


def yaml_files(number: int, chance: Chance) -> Case:
    """A hostile `fizz.yaml` beside a model, or a hostile `expect.yaml`."""
    if chance.random() < 0.4:
        text = settings_yaml(chance)
        files: dict[str, Content] = {MODEL: SMALL.split("---\n", 2)[2].encode(), "fizz.yaml": _bytes(text)}
        return Case("yaml", number, run_of(chance), files, ("fizz.yaml",))
    if chance.random() < 0.25:
        text = bombs(chance)
    else:
        promises = []
        for _ in range(chance.choice((1, 1, 2))):
            entry = "- model: " + chance.choice((MODEL, MODEL, MODEL, MODEL, *_SCALARS, *STRANGE[:60])) + "\n"
            for _ in range(chance.choice((0, 1, 2, 4))):
                entry += f"  {chance.choice(_PROMISE_KEYS)}: {_node(chance, _PROMISE_KEYS, 2)}\n"
            promises.append(entry + "  max_states: 60\n" * (chance.random() < 0.8))
        text = "".join(promises)
        if chance.random() < 0.25:
            text = texts.spoiled_tokens(text, chance)
    files = {MODEL: SMALL.encode(), "expect.yaml": _bytes(text)}
    words = chance.choice(((".",), (".", "--json"), (".", "--junit", "o.xml"), ("expect.yaml",), (".", "--quiet")))
    return Case("yaml", number, ("test", "--jobs", "1", *words), files, ("expect.yaml",))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


# --- saved reports ---------------------------------------------------------------------------------------------------

_VALUES: Final[tuple[Any, ...]] = (
    None, True, 0, 1, -1, 10**30, 1.5, float("nan"), float("inf"), "", "x", "a" * 300, "a" * 5000 + ".fizz",
    "../m.fizz", "/dev/zero",
    "\x1b[31m", "\u202e", "\ud800", [], [None], [[]], {}, {"x": 1}, "Init", "always", "Small", "violated", "passed",
    "Up", MODEL, 2**63,
)  # fmt: skip


def _spoiled_json(data: Any, chance: Chance) -> Any:
    """Data with some of it left out, exchanged or replaced."""
    for _ in range(chance.choice((1, 1, 2, 4))):
        places: list[tuple[Any, Any]] = []
        stack = [data]
        while stack:
            holder = stack.pop()
            items = (
                holder.items() if isinstance(holder, dict) else enumerate(holder) if isinstance(holder, list) else ()
            )
            for key, value in items:
                places.append((holder, key))
                stack.append(value)
        if not places:
            break
        holder, key = chance.choice(places)
        match chance.randrange(5):
            case 0:
                del holder[key]
            case 1 if isinstance(holder, dict):
                holder[str(chance.choice(_VALUES))[:400]] = holder.pop(key)
            case 2:
                other, name = chance.choice(places)
                holder[key] = json.loads(json.dumps(other[name])) if name in _keys(other) else None
            case _:
                holder[key] = chance.choice(_VALUES)
    return data


def _keys(holder: Any) -> Any:
    return holder.keys() if isinstance(holder, dict) else range(len(holder))


def reports_of(saved: Callable[[], bytes]) -> Callable[[int, Chance], Case]:
    """Makes cases of saved reports that were tampered with; `saved` gives one that was not."""

    def make(number: int, chance: Chance) -> Case:
        text = saved()
        if chance.random() < 0.75:
            text = json.dumps(_spoiled_json(json.loads(text), chance), ensure_ascii=chance.random() < 0.5).encode(
                "utf-8", "surrogatepass"
            )
        elif chance.random() < 0.3:
            n = int(10 ** chance.uniform(1, 5))
            text = chance.choice(
                ("[" * n, '{"a":' * n, "9" * n, '"' + "a" * n, '{"trace":' + "[" * n, "1e" + "9" * n)
            ).encode()
        if chance.random() < 0.25:
            text = texts.spoiled_bytes(text, chance)
        words = chance.choice(
            (
                ("show", "r.json"),
                ("show", "r.json"),
                ("show", MODEL, "--follow", "r.json"),
                ("show", "r.json", "--property", "Small"),
            )
        )
        return Case("reports", number, words, {MODEL: SMALL.encode(), "r.json": text}, ("r.json",))

    return make


# --- guided traces ---------------------------------------------------------------------------------------------------

_LINES: Final = (
    "Init", "Up", "Down", "Node#0.Look", "thread-0", "thread-1", "crash-thread-0", "crash-role Node#0", "Any:1", "1",
    "2", '"a"', "any: x = 1",
    "Up.crash", "# note", "", " ", "Node#9.Look", "thread-999999999999999999999", "-1", "\x1b[31m", "\u202e", "\x00",
    "a" * 300, "[" * 5000,
    "Up " * 99, "__class__", "{", "%s", "channel-0-message-0", "step 1", "---", "Up # x", "\tUp", "Up:", "Up: n=1",
    "by: 1",
)  # fmt: skip


def guides_of(saved: Callable[[], bytes]) -> Callable[[int, Chance], Case]:
    """Makes cases of guided traces that were tampered with; `saved` gives one that was not."""

    def make(number: int, chance: Chance) -> Case:
        lines = saved().decode().splitlines()
        for _ in range(chance.choice((1, 1, 2, 5))):
            at = chance.randrange(len(lines) + 1)
            match chance.randrange(4):
                case 0:
                    lines.insert(at, chance.choice(_LINES))
                case 1 if lines:
                    del lines[at % len(lines)]
                case 2 if lines:
                    lines[at % len(lines)] = chance.choice((*_LINES, *lines))
                case 3 if lines:
                    lines[at % len(lines)] = texts.spoiled_tokens(lines[at % len(lines)], chance)
        data = _bytes("\n".join(lines))
        if chance.random() < 0.2:
            data = texts.spoiled_bytes(data, chance)
        words = chance.choice(
            (
                ("trace", MODEL, "--follow", "g.txt"),
                ("trace", MODEL, "--follow", "g.txt", "--extend", "2", "--json"),
                ("explain", MODEL, "--follow", "g.txt"),
                ("explain", MODEL, "--follow", "g.txt", "--step", "1"),
                ("show", MODEL, "--follow", "g.txt"),
                ("show", "g.txt"),
            )
        )
        return Case("guides", number, words, {MODEL: SMALL.encode(), "g.txt": data}, ("g.txt",))

    return make
