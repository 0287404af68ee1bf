"""The pairs of `leadsto` assertions, learnt while a model runs (language page, 10.8).

How many pairs an assertion returns is known when it has run. The program has questions for the pairs of the first
initial state; where an instance that is created later has others, the run ends with an error that names them, and
begins again with a program for these too.
"""

from __future__ import annotations

import json
from contextlib import suppress

from checker.core.exploration import Finding
from checker.core.problems import UsageProblem
from fizz import Module
from interpreter import Machine, ModelError, Program, compile_module
from interpreter.compile.pair_questions import NEW_PAIRS
from interpreter.execute.given_constants import with_constants
from interpreter.state.step import Failure


class NewPairs(Exception):
    """A run ended because of pairs that its program did not know. Now they are known."""


class PairsOfModel:
    """The pairs that are known of a model and of the abstract models that it refines, and its program for them."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.known: dict[str, dict[str, tuple[str, ...]]] = {}
        assertions = (*module.assertions(), *(one for role in module.roles() for one in role.assertions))
        self._any = any(assertion.kind == "leadsto" for assertion in assertions)
        self._abstract = {one.name: PairsOfModel(one.abstract) for one in module.refinements}

    def program(self) -> Program:
        """The model's program, with questions for the pairs that are known."""
        of_abstract = {name: one.known for name, one in self._abstract.items()}
        return compile_module(self.module, self.known if self._any else None, of_abstract)

    def seen_by(self, machine: Machine) -> bool:
        """Learn the pairs of the first initial state; whether there are any that were not known.

        Raises `ModelError` if Init fails in the first way through it.
        """
        learnt = self._seen_by_abstract(machine)
        if not self._any:
            return learnt
        beginnings, _ = machine.initial()
        asked = [one.number for one in machine.program.assertions if one.question is not None and one.of is None]
        for begin in beginnings[:1]:
            for rule in (rule for number in asked for rule in machine.assertion_rules(number, begin.state)):
                result = machine.run(rule, machine.view(begin.state)).result
                learnt |= isinstance(result, Failure) and self.learnt_from(result.error)
        return learnt

    def _seen_by_abstract(self, machine: Machine) -> bool:
        """As `seen_by`, of the pairs of abstract models. That one of them fails is found where it is explored."""
        learnt = False
        for refinement in machine.program.refinements:
            pairs = self._abstract[refinement.name]
            if pairs._any and refinement.abstract_view is None:
                with suppress(ModelError):
                    program = with_constants(refinement.abstract, machine.code.known.constants)
                    learnt |= pairs.seen_by(Machine(program))
        return learnt

    def demand_known(self, error: Finding | None, lasting: bool) -> None:
        """Raise `NewPairs` if a run ended with an error that names pairs, after learning them.

        Raises `UsageProblem` if the run is `lasting`: what it has saved has no answers for these pairs.
        """
        if error is None or error.error is None or not self.learnt_from(error.error):
            return
        if lasting:
            raise UsageProblem(
                "a `leadsto` assertion has pairs of an instance that the first initial state does not have, so that"
                " checkpoints of this run would lack answers",
                "check it without --checkpoint, or create the instances in Init",
            )
        raise NewPairs

    def learnt_from(self, error: ModelError) -> bool:
        """Learn the pairs that an error names, if it is one of that kind."""
        if error.code != NEW_PAIRS:
            return False
        assertion, instance, keys = json.loads(error.text)
        self.known.setdefault(assertion, {})[instance] = tuple(keys)
        return True
