"""The identity of a run: the model and all options that decide the answer, and messages about differing runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from checker.core.exploration import Settings
from checker.core.problems import UsageProblem
from fizz import Module
from fizz.base.version import VERSION
from fizz.syntax.module import files_of
from fizz.syntax.printer import print_module
from interpreter.values.key_parts import KEY_RULE

Identity = Mapping[str, str]


def identity_of(module: Module, settings: Settings) -> Identity:
    """The texts that identify a run. The path of the model and the limits of the run are not among them."""
    # Texts of the command line are compared as constants and options.
    texts = [module.sources[name] for name in files_of(module.sources)]
    options = {f"option {name}": repr(value) for name, value in sorted(asdict(module.options).items())}
    return {
        "fizzpy": VERSION,
        "keys": str(KEY_RULE),
        "model": _digest(texts),
        "constants": _digest([print_module(module)]),
        **options,
        "--property": repr(sorted(settings.properties or ())),
        "--keep-going": repr(settings.keep_going),
        "--no-symmetry": repr(not settings.symmetry),
        # The folder does not matter, but states found before the export was requested cannot be exported.
        "--export": repr(settings.export is not None),
    }


def demand_equal(there: Identity, here: Identity) -> None:
    """Raise `UsageProblem` if a checkpoint is of another run than this one."""
    if there == here:
        return
    if there.get("fizzpy") != here["fizzpy"]:
        raise UsageProblem(
            f"the checkpoint was written by fizzpy {there.get('fizzpy')}, this is fizzpy {here['fizzpy']}",
            "resume with the version that wrote it, or begin anew in another folder",
        )
    if there.get("keys") != here["keys"]:
        raise UsageProblem(
            "the checkpoint is of a fizzpy that computes the keys of states by another rule",
            "resume with the fizzpy that wrote it, or begin anew in another folder",
        )
    for name, text in (("model", "another model"), ("constants", "other constants (--set)")):
        if there.get(name) != here[name]:
            raise UsageProblem(f"the checkpoint is of {text}", "begin anew with --checkpoint in another folder")
    differing = [name for name in here if there.get(name) != here[name]]
    texts = ", ".join(f"{name} ({there.get(name, 'not given')} there, {here[name]} here)" for name in differing)
    raise UsageProblem(
        f"the checkpoint is of a run with other options: {texts}", "give the options of then, or begin anew"
    )


def _digest(texts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "little") + data)
    return digest.hexdigest()
