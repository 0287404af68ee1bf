"""Adapters: classes with a method for each action or func of a model, and processes that speak JSON lines."""

from __future__ import annotations

import inspect
import json
import keyword
import os
import re
import signal
import subprocess
import threading
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from checker.conformance.specification import receiver_of
from checker.conformance.tested_model import Method, ModelCall, TestedModel
from checker.core.locate import locate
from checker.core.problems import EnvironmentProblem, UsageProblem
from checker.search.composition.load_whole import load_whole
from interpreter import Machine, compile_module

_OWN: Final = ("start", "stop", "crash", "restart")


def snake(name: str) -> str:
    """`PutValue` as `put_value`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def method_name(action: str) -> str:
    """The method of an action: `put_value` of `PutValue`, and `del_` of `Del`, which is a word of Python."""
    name = snake(action)
    return f"{name}_" if keyword.iskeyword(name) else name


def adapter_model(model: str, adapter: type, silent: Sequence[str] = (), receiver: str | None = None) -> TestedModel:
    """The model of an adapter class. Raises `FizzError`, and `UsageProblem` for actions without a method."""
    machine = Machine(compile_module(load_whole(locate(model))))
    program = machine.program
    states, _ = machine.initial()
    if not states:
        raise UsageProblem(f"{model} has no initial state")
    functions = {name for role in program.roles for name in role.functions} | set(program.functions)
    arguments = getattr(adapter, "arguments", {})
    names = [action.name for action in program.actions]
    names += [action.name for role in program.roles for action in role.actions]
    methods: list[Method] = []
    missing: list[str] = []
    for name in dict.fromkeys(names):
        found = next((one for one in (name, method_name(name)) if callable(getattr(adapter, one, None))), None)
        if found is not None:
            methods.append(_method(adapter, found, name, "action"))
        elif name not in silent:
            missing.append(name)
    if missing:
        raise UsageProblem(
            f"{adapter.__name__} has no method for {', '.join(missing)} of {model}",
            f"add `def {method_name(missing[0])}(self)`, or name what happens by itself in silent=[...]",
        )
    taken = {method.name for method in methods}
    called = [name for name in sorted(functions) if name not in taken and callable(getattr(adapter, name, None))]
    methods += [_method(adapter, name, name, "func") for name in called]
    if callable(getattr(adapter, "crash", None)):
        methods.append(Method("crash", "crash", "crash", ("instance",)))
    if not [method for method in methods if method.kind != "crash"]:
        raise UsageProblem(f"{adapter.__name__} has no method of the name of an action or func of {model}")
    for method in methods:
        lacking = [one for one in method.inputs if method.kind == "func" and one not in arguments.get(method.name, {})]
        if lacking:
            raise UsageProblem(
                f"{adapter.__name__} names no values for '{lacking[0]}' of {method.name}",
                f'give it a dict `arguments = {{"{method.name}": {{"{lacking[0]}": [1, 2]}}}}`',
            )
    where = receiver_of(machine, states[0].state, receiver, called) if called else None
    return TestedModel(machine, methods, silent, arguments, where)


def _method(adapter: type, name: str, call: str, kind: Any) -> Method:
    if inspect.iscoroutinefunction(getattr(adapter, name)):
        raise UsageProblem(
            f"the method {name} of {adapter.__name__} is `async`, and walks call one method after the other",
            "make it a plain method that runs the coroutine to its end, as asyncio.Runner().run() does",
        )
    parameters = [
        one.name
        for one in list(inspect.signature(getattr(adapter, name)).parameters.values())[1:]
        if one.kind in (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    ]
    return Method(name, call, kind, tuple(p for p in parameters if p != "instance"), "instance" in parameters)


class ObjectSystem:
    """An instance of an adapter class as a system: `start` and `stop`, if it has them, begin and end a walk."""

    def __init__(self, adapter: Any) -> None:
        self.adapter = adapter
        self._optional("start")

    def _optional(self, name: str, *arguments: Any) -> None:
        method = getattr(self.adapter, name, None)
        if callable(method):
            method(*arguments)

    def call(self, move: ModelCall) -> Any:
        """Call the method; after `crash` also `restart`."""
        __tracebackhide__ = True
        returned = getattr(self.adapter, move.method)(**move.values)
        if move.method == "crash":
            self._optional("restart", move.instance)
            return None
        return returned

    def stop(self) -> None:
        """End the system."""
        self._optional("stop")


class StdioSystem:
    """A process that is sent `{"call": NAME, "arguments": {...}}` in a line, and answers `{"result": ...}` in one.

    A base of adapter classes: methods call `self.ask(NAME, ...)`. `command`: how it is started. `stop` kills it with
    SIGKILL, and what it has started: `crash` may do that, and `restart` start it again. An answer `{"error": TEXT}`
    fails the test.
    """

    command: Sequence[str] = ()
    timeout_s = 30.0
    _process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the process. Raises `EnvironmentProblem` if that is not possible."""
        try:
            self._process = subprocess.Popen(
                list(self.command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                bufsize=1,
                start_new_session=True,
            )
        except OSError as failure:
            raise EnvironmentProblem(f"{self.command} cannot be started: {failure.strerror}") from None

    def ask(self, name: str, **arguments: Any) -> Any:
        """Send a call, and return its result. Raises `AssertionError` for an error or no answer."""
        process = self._process
        assert process is not None and process.stdin is not None and process.stdout is not None, "it is not started"
        try:
            process.stdin.write(json.dumps({"call": name, "arguments": arguments}) + "\n")
            process.stdin.flush()
        except OSError:
            raise AssertionError(f"the process ended before {name} was called") from None
        guard = threading.Timer(self.timeout_s, _kill, [process])
        guard.start()
        try:
            line = process.stdout.readline()
        finally:
            guard.cancel()
        assert line, f"the process ended, or gave no answer to {name} for {self.timeout_s} s"
        try:
            answer = json.loads(line)
        except ValueError:
            raise AssertionError(f"the answer to {name} is no JSON: {line.strip()[:200]}") from None
        assert isinstance(answer, dict) and "error" not in answer, f"{name} failed: {line.strip()[:200]}"
        return answer.get("result")

    def stop(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        _kill(process)
        process.wait()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _kill(process: subprocess.Popen[str]) -> None:
    """End a process and those that it has started, which would hold its output open."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
