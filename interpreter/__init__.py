"""The meaning of a model: `Module` to `Program` to steps. Nothing here knows what is asked of the steps."""

from interpreter.compile import compile_module
from interpreter.machine import Machine
from interpreter.program import Program
from interpreter.state import State
from interpreter.step import Expansion, ModelError, Rule, Step, StepKind

__all__ = ["Expansion", "Machine", "ModelError", "Program", "Rule", "State", "Step", "StepKind", "compile_module"]
