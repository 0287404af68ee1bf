"""The language: text to a `Module`, or a `FizzError` with the place, reason and way out of each mistake."""

from fizz.base.errors import Diagnostic, FizzError, Span, render
from fizz.load import load
from fizz.syntax.module import Module, Options

__all__ = ["Diagnostic", "FizzError", "Module", "Options", "Span", "load", "render"]
