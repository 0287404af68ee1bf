"""Options come from defaults, `fizz.yaml`, the front matter and overrides, later ones winning per field."""

from __future__ import annotations

from pathlib import Path

import pytest

import fizz
from fizz.base.errors import FizzError
from fizz.syntax.module import ActionOptions, Budget, Options

MODEL = """
action Init: x = 1
action Send: pass
role Node:
    action Go: pass
    func receive(): pass
"""


def _load(front: str, tmp_path: Path, **overrides: str) -> Options:
    text = f"---\n{front}\n---\n{MODEL}" if front else MODEL
    options = {name.replace("__", "."): value for name, value in overrides.items()}
    return fizz.load(tmp_path / "m.fizz", text=text, options=options).options


def test_defaults(tmp_path: Path) -> None:
    """Without any source the defaults of the language page hold."""
    assert _load("", tmp_path) == Options()
    assert _load("# nothing", tmp_path) == Options()
    assert Options() == Options(100, 2, True, Budget(), {}, True, (), "strict", False, False)
    assert Budget() == Budget(5_000_000, 4096, 1_000_000, 4_000_000)


@pytest.mark.parametrize(
    ("front", "code"),
    [
        ("options: {limits: {charges: 0}}", "O2"),
        ("options: {limits: {bits: 10001}}", "O2"),
        ("options: {limits: {held: -1}}", "O2"),
        ("options: {limits: {elements: many}}", "O2"),
        ("options: {limits: {seconds: 5}}", "O1"),
        ("options: {limits: 5}", "O2"),
    ],
)
def test_limits_that_are_none(front: str, code: str, tmp_path: Path) -> None:
    """Limits of a step are whole numbers above 0; no others are known."""
    with pytest.raises(FizzError) as caught:
        _load(front, tmp_path)
    assert [diagnostic.code for diagnostic in caught.value.diagnostics] == [code]


def test_limits(tmp_path: Path) -> None:
    """What is given counts, the rest stays."""
    assert _load("options: {limits: {charges: 70, bits: 64}}", tmp_path).limits == Budget(charges=70, bits=64)


@pytest.mark.parametrize(
    ("front", "expected"),
    [
        ("options: {max_actions: 5}", Options(max_actions=5)),
        ("options: {maxActions: 5, maxConcurrentActions: 3}", Options(max_actions=5, max_concurrent_actions=3)),
        ("options: {max_actions: 1}", Options(max_actions=1, max_concurrent_actions=1)),
        ("options: {max_actions: 1, max_concurrent_actions: 4}", Options(max_actions=1, max_concurrent_actions=4)),
        ("options: {max_actions: 0, max_concurrent_actions: -1}", Options()),
        ("options:", Options()),
        ("options: {crash_on_yield: false}", Options(crash_on_yield=False)),
        ("deadlockDetection: no", Options(deadlock_detection=False)),
        ("identity: {exclude: [x]}", Options(exclude=("x",))),
        ("continue_on_invariant_failures: true", Options(continue_on_invariant_failures=True)),
        ("continuePathOnInvariantFailures: true", Options(continue_path_on_invariant_failures=True)),
        ("action_options: {Send: {max_actions: 2}}", Options(action_options={"Send": ActionOptions(max_actions=2)})),
        ("actionOptions: {Node#1.Go: {maxActions: 0}}", Options(action_options={"Node#1.Go": ActionOptions()})),
        (
            "action_options: {Node.receive: {crash_on_yield: false}, Node#.Go: {max_concurrent_actions: 1}}",
            Options(
                action_options={
                    "Node.receive": ActionOptions(crash_on_yield=False),
                    "Node#.Go": ActionOptions(max_concurrent_actions=1),
                }
            ),
        ),
    ],
)
def test_front_matter(front: str, expected: Options, tmp_path: Path) -> None:
    """Names are written in snake_case or lowerCamelCase; zero and less mean the default."""
    assert _load(front, tmp_path) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("strict", "strict"), ('""', "strict"), ("enabled", "strict"), ("true", "strict"), ("strict/bfs", "strict"),
        ("on", "strict"), ("", "strict"), ("nondeterministic", "nondeterministic"), ("eventual", "nondeterministic"),
        ("probabilistic", "probabilistic"),
        ("off", "off"), ("false", "off"), ('"false"', "off"), ("disabled", "off"), ('"off"', "off"),
    ],
)  # fmt: skip
def test_liveness(value: str, expected: str, tmp_path: Path) -> None:
    """`liveness` takes YAML booleans as well as words."""
    assert _load(f"liveness: {value}", tmp_path).liveness == expected


def test_sources_are_merged_per_field(tmp_path: Path) -> None:
    """The command line wins over the front matter, which wins over `fizz.yaml`."""
    (tmp_path / "fizz.yaml").write_text(
        "options: {max_actions: 7, crash_on_yield: false}\n"
        "action_options: {Send: {max_actions: 1, crash_on_yield: false}, Node.Go: {max_actions: 9}}\n"
    )
    front = "options: {max_actions: 8}\naction_options: {Send: {max_actions: 2}}"
    options = _load(front, tmp_path, deadlock_detection="false", action_options__Send__max_concurrent_actions="3")
    assert options.max_actions == 8
    assert not options.crash_on_yield and not options.deadlock_detection
    assert options.action_options["Send"] == ActionOptions(2, 3, False)
    assert options.action_options["Node.Go"] == ActionOptions(9)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("options.max_actions", "4", Options(max_actions=4)),
        ("max_actions", "4", Options(max_actions=4)),
        ("maxActions", "4", Options(max_actions=4)),
        ("crash_on_yield", "no", Options(crash_on_yield=False)),
        ("exclude", "[x]", Options(exclude=("x",))),
        ("liveness", "off", Options(liveness="off")),
        ("action_options.Node.Go.max_actions", "4", Options(action_options={"Node.Go": ActionOptions(4)})),
        ("action_options.Node#0.Go.maxActions", "4", Options(action_options={"Node#0.Go": ActionOptions(4)})),
    ],
)
def test_overrides(name: str, value: str, expected: Options, tmp_path: Path) -> None:
    """Dotted names and short names that only one option has are accepted."""
    assert fizz.load(tmp_path / "m.fizz", text=MODEL, options={name: value}).options == expected


@pytest.mark.parametrize(
    ("name", "value", "code", "text", "hint"),
    [
        ("max_action", "4", "O1", "unknown option 'max_action'", "did you mean 'max_actions'?"),
        ("options.nothing", "4", "O1", "unknown option 'options.nothing'", "the options are"),
        ("max_actions", "many", "O2", "option 'options.max_actions' must be a whole number, got 'many'", ""),
        ("max_actions", "9" * 19, "O2", "must be a whole number of at most 18 digits, got '9999", ""),
        ("max_actions", "", "O2", "option 'options.max_actions' must be a whole number, got nothing", ""),
        ("max_actions", "[1", "O3", "the value is not valid YAML", ""),
        ("action_options.Node#.*.max_actions", "1", "O4", "'*' limits threads", "one key for each action"),
    ],
)
def test_wrong_overrides(name: str, value: str, code: str, text: str, hint: str, tmp_path: Path) -> None:
    """The span of a wrong override is in the override."""
    with pytest.raises(FizzError) as caught:
        fizz.load(tmp_path / "m.fizz", text=MODEL, options={name: value})
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == code and text in diagnostic.text and hint in (diagnostic.hint or "")
    assert diagnostic.span is not None and diagnostic.span.file == f"--option {name}"
    assert caught.value.exit_code == 151


def test_overrides_without_effect(tmp_path: Path) -> None:
    """A key that names nothing is no error, and limits nothing."""
    module = fizz.load(tmp_path / "m.fizz", text=MODEL, options={"action_options.Snd.max_actions": "1"})
    (warning,) = module.warnings
    assert warning.code == "W17" and warning.hint == "did you mean 'Send'?" and not module.options.action_options


def test_place_in_fizz_yaml(tmp_path: Path) -> None:
    """Mistakes in `fizz.yaml` are shown there."""
    (tmp_path / "fizz.yaml").write_text("liveness: strict\n\noptions:\n  max_actons: 3\n")
    with pytest.raises(FizzError) as caught:
        _load("", tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.span is not None
    assert diagnostic.span == (str(tmp_path / "fizz.yaml"), 4, 3, 4, 13)
    assert diagnostic.hint == "did you mean 'max_actions'?"
    assert "  max_actons: 3" in caught.value.render()


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"\0\0", "binary"),
        (b"a" * (1 << 21), "larger than 1 MiB"),
        (b"liveness: \xff", "not UTF-8 text (byte 0xff)"),
    ],
)
def test_fizz_yaml_that_is_no_text(tmp_path: Path, content: bytes, text: str) -> None:
    """It is a wrong file of options, and not a wrong model."""
    (tmp_path / "fizz.yaml").write_bytes(content)
    with pytest.raises(FizzError) as caught:
        _load("", tmp_path)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "O3" and text in diagnostic.text
    assert diagnostic.span is not None and diagnostic.span.file == str(tmp_path / "fizz.yaml")
    assert "UTF-8" in (diagnostic.hint or "")
    assert caught.value.exit_code == 151
