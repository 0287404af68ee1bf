"""The meaning of a model: `Module` to `Program` to steps. Properties are checked by the package `checker`."""

from interpreter.compile.compiler import compile_module
from interpreter.compile.program import Program
from interpreter.machine import Machine
from interpreter.state.state import State
from interpreter.state.step import Expansion, ModelError, Rule, Step, StepKind

__all__ = ["Expansion", "Machine", "ModelError", "Program", "Rule", "State", "Step", "StepKind", "compile_module"]
