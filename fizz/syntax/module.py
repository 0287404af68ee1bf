"""`Module`: a loaded model, and `ParsedFile`: one file of it. Data only, picklable; made by `fizz.load`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal as OneOf

from fizz.base.errors import Diagnostic, Span
from fizz.base.light import dataclass
from fizz.syntax import ast
from fizz.syntax.layout import FrontMatter


@dataclass(frozen=True, slots=True)
class ActionOptions:
    """`action_options.K`: None means no limit."""

    max_actions: int | None = None
    max_concurrent_actions: int | None = None
    crash_on_yield: bool = True


MOST_BITS = 10_000
"""The most that `Budget.bits` may be: Python writes no int of more than 4,300 digits, which are 14,284 bits."""


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on the cost of one step and on the values it makes (language page, 14: R20, R24).

    `bits` of an int; `elements` of a string, bytes or collection; `held`: elements made in one step, in all.
    """

    charges: int = 5_000_000
    bits: int = 4096
    elements: int = 1_000_000
    held: int = 4_000_000


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a run: defaults, `fizz.yaml`, front matter and overrides merged (language page, section 2.2)."""

    max_actions: int = 100
    max_concurrent_actions: int = 2
    crash_on_yield: bool = True
    limits: Budget = Budget()
    action_options: Mapping[str, ActionOptions] = field(default_factory=dict)
    deadlock_detection: bool = True
    exclude: tuple[str, ...] = ()
    liveness: OneOf["strict", "nondeterministic", "probabilistic", "off"] = "strict"
    continue_on_invariant_failures: bool = False
    continue_path_on_invariant_failures: bool = False


SettingPath = tuple[str, ...]
"""The name of an option with the mappings around it, as ("options", "max_actions")."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One value that a source sets, with its span; `parts` are the spans of the members of a list."""

    value: int | bool | str | tuple[str, ...]
    span: Span
    key_span: Span
    parts: tuple[Span, ...] = ()


Settings = dict[SettingPath, Setting]


@dataclass(frozen=True, slots=True)
class ParsedFile:
    """The items of one file, includes not yet followed, and what its front matter sets."""

    items: tuple[ast.Item, ...]
    front_matter: FrontMatter | None
    settings: Settings
    warnings: tuple[Diagnostic, ...]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True)
class HelperModule:
    """A `.star` file that the model mentions: its constant statements and helpers in order."""

    name: str
    path: str
    items: tuple[ast.ConstantStatement | ast.TopHelper, ...]


def files_of(sources: Mapping[str, str]) -> tuple[str, ...]:
    """The files among the sources of a model, in the order they were read; texts of the command line are none."""
    return tuple(name for name in sources if not name.startswith("--"))


@dataclass(frozen=True, slots=True)
class Refinement:
    """A `refines` item of a model: the name of the property, the `def` that is the view, and the abstract model.

    `abstract_view`: of a block `refine:`, where the view is a func, that of the abstract model.
    """

    name: str
    view: str
    span: Span
    abstract: Module
    abstract_view: str | None = None


@dataclass(frozen=True, slots=True)
class ComposedModel:
    """A line of a block `compose:`: the name of a model, the func that maps it, and the model."""

    name: str
    view: str
    span: Span
    model: Module


@dataclass(frozen=True, slots=True)
class Module:
    """A model that parses and resolves.

    `items` are in file order with includes expanded (no `Include` among them). `--set` overrides have replaced
    the right sides of the constants they name. `sources` maps each file name, as spans spell it, to its text.
    `constants` are the names, those of roles as `R.NAME`; `role_constants` has the places where these are mentioned.
    `sources` includes those of the abstract models in `refinements` and of the `components` that it composes.
    `bounded`: it is made of models that were explored only up to their bounds.
    """

    path: str
    items: tuple[ast.Item, ...]
    options: Options
    sources: Mapping[str, str]
    helper_modules: tuple[HelperModule, ...]
    state_variables: tuple[str, ...]
    constants: tuple[str, ...]
    reads_returns: bool
    warnings: tuple[Diagnostic, ...]
    role_constants: Mapping[Span, str] = field(default_factory=dict)
    refinements: tuple[Refinement, ...] = ()
    components: tuple[ComposedModel, ...] = ()
    bounded: bool = False

    def actions(self) -> tuple[ast.Action, ...]:
        return tuple(i for i in self.items if isinstance(i, ast.Action))

    def functions(self) -> tuple[ast.Function, ...]:
        return tuple(i for i in self.items if isinstance(i, ast.Function))

    def roles(self) -> tuple[ast.Role, ...]:
        return tuple(i for i in self.items if isinstance(i, ast.Role))

    def assertions(self) -> tuple[ast.Assertion, ...]:
        return tuple(i for i in self.items if isinstance(i, ast.Assertion))
