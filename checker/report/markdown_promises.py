"""The results of promises as Markdown, for the summary of a pull request: what changed first, the rest folded."""

from __future__ import annotations

from collections.abc import Sequence

from checker.core.visible import printable
from checker.expectations.earlier_results import EarlierRun, EarlierRuns
from checker.expectations.promise_runs import PromiseResult
from checker.expectations.promises import Promise
from checker.report.promise_table import location

_MARKUP = {**{character: f"\\{character}" for character in "\\`*_[]|#"}, **{c: f"&#{ord(c)};" for c in "<>&@"}}
_HEAD = "| model | constants | verdict | states | depth | |\n|---|---|---|---:|---:|---|"


def markdown_promises(
    results: Sequence[PromiseResult], not_run: Sequence[Promise], earlier: EarlierRuns | None = None
) -> str:
    """The summary as text. `earlier`: the results that it is compared with; None: there are none to compare."""
    broken = sum(not kept.holds for kept in results)
    word = "promise" if len(results) == 1 else "promises"
    sentence = f"{broken} of {len(results)} {word} broken" if broken else f"{len(results)} {word} kept"
    lines = [f"### fizzpy: {sentence}" + (f", {len(not_run)} not run" if not_run else ""), ""]
    before = {id(kept): _earlier_of(kept, earlier or {}) for kept in results}
    marks = {id(kept): _marks(kept, before[id(kept)], earlier is not None) for kept in results}
    notable = [kept for kept in results if marks[id(kept)]]
    usual = [kept for kept in results if not marks[id(kept)]]
    if notable:
        lines += [_HEAD, *(_row(kept, before[id(kept)], marks[id(kept)]) for kept in notable), ""]
    for kept in notable:
        lines += _details(kept, before[id(kept)], earlier is not None)
    if usual:
        what = "as before" if earlier is not None else "kept"
        rows = [_row(kept, before[id(kept)], [what]) for kept in usual]
        lines += [f"<details><summary>{len(usual)} {what}</summary>", "", _HEAD, *rows, "", "</details>", ""]
    return "\n".join(lines)


def _earlier_of(kept: PromiseResult, earlier: EarlierRuns) -> EarlierRun | None:
    return earlier.get((str(kept.promise.model), kept.promise.given))


def _marks(kept: PromiseResult, before: EarlierRun | None, compares: bool) -> list[str]:
    """Why a run is worth a look; empty if it is not."""
    marks = [] if kept.holds else ["**broken**"]
    if not compares:
        return marks
    if before is None:
        return [*marks, "new"]
    if kept.report is not None and _differs(kept, before):
        marks.append("changed")
    if _new_warnings(kept, before):
        marks.append("new warnings")
    return marks


def _differs(kept: PromiseResult, before: EarlierRun) -> bool:
    report = kept.report
    assert report is not None
    verdicts = {finding.name: finding.verdict for finding in report.properties}
    now = (report.verdict, report.states, report.depth)
    return now != (before.verdict, before.states, before.depth) or verdicts != dict(before.properties)


def _new_warnings(kept: PromiseResult, before: EarlierRun | None) -> list[str]:
    if kept.report is None or before is None:
        return []
    return [f"{w.code}: {w.text}" for w in kept.report.warnings if (w.code, w.text) not in before.warnings]


def _row(kept: PromiseResult, before: EarlierRun | None, marks: Sequence[str]) -> str:
    report, promise = kept.report, kept.promise
    old = before or EarlierRun()
    if report is None:
        cells = ["error", "", ""]
    else:
        pairs = ((report.verdict, old.verdict), (report.states, old.states), (report.depth, old.depth))
        cells = [_change(now, then) for now, then in pairs]
    return f"| {' | '.join([_cell(promise.model.name), _cell(promise.given), *cells, ', '.join(marks)])} |"


def _change(now: object, before: object) -> str:
    shown = f"{now:,}" if isinstance(now, int) else str(now)
    if before is None or now == before:
        return shown
    return f"{before:,} → {shown}" if isinstance(before, int) else f"{_cell(str(before))} → {shown}"


def _details(kept: PromiseResult, before: EarlierRun | None, compares: bool) -> list[str]:
    """Below the table: the differences from what is promised, verdicts that changed, warnings that are new."""
    sentences = [*kept.differs, *([kept.trouble] if kept.trouble else [])]
    if compares and before is not None and kept.report is not None:
        for finding in kept.report.properties:
            old = before.properties.get(finding.name)
            if old != finding.verdict:
                sentences.append(f"{finding.name}: {old or 'not there'} → {finding.verdict}")
        sentences += [f"new warning {warning}" for warning in _new_warnings(kept, before)]
    if not sentences:
        return []
    where = location(kept.promise.file, kept.promise.line)
    head = f"**{_cell(kept.promise.title)}** {_code(where)}"
    return [head, "", *(f"- {_cell(sentence)}" for sentence in sentences), ""]


def _cell(text: str) -> str:
    """A text that is neither markup nor ends its cell or line."""
    return "".join(_MARKUP.get(character, character) for character in " ".join(printable(text).split()))


def _code(text: str) -> str:
    return f"`{printable(text).replace('`', '')}`" if text else ""
