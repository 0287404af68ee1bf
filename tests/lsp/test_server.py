"""The language server, asked by a client as an editor asks it: the real server, in a process of its own."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from tests.cli.conftest import ROOT
from tests.cli.test_ci_outputs import BANK

COMMAND = [
    sys.executable,
    "-c",
    f"import sys; sys.path.insert(0, {str(ROOT)!r}); import fizzpy; sys.exit(fizzpy.main())",
    "lsp",
]

CORE = """\
# How many there are.
N = 2
State = enum("IDLE", "BUSY")

role Node:
    action Init:
        self.state = State.IDLE  # what it does
        self.count = 0

    atomic action Work:
        require self.state == State.IDLE
        other = oneof nodes
        self.take(1)
        other.count = other.count + N

    # Takes some.
    atomic func take(amount):
        self.count += amount

always assertion Few:
    return all([node.count < 100 for node in nodes])
"""
MODEL = """\
---
action_options:
    Node.Work: {max_actions: 1}
---
include "core.fizz"

action Init:
    nodes = [Node(), Node()]
    total = 3

atomic action Rest:
    total = helper(total)

def helper(x):
    return x + N - 2
"""


@pytest_lsp.fixture(scope="module", config=ClientServerConfig(server_command=COMMAND))
async def client(lsp_client: LanguageClient) -> AsyncIterator[None]:
    @lsp_client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def refreshed(*_: object) -> None:
        pass

    parameters = types.InitializeParams(capabilities=client_capabilities("visual-studio-code"))
    await lsp_client.initialize_session(parameters)
    yield
    await lsp_client.shutdown_session()


class Files:
    """A folder with files that an editor has open."""

    def __init__(self, client: LanguageClient, folder: Path) -> None:
        self.client, self.folder = client, folder
        self.texts: dict[str, str] = {}
        self.version = 0

    def uri(self, name: str) -> str:
        return (self.folder / name).resolve().as_uri()

    def document(self, name: str) -> types.TextDocumentIdentifier:
        return types.TextDocumentIdentifier(self.uri(name))

    async def open(self, name: str, text: str) -> list[types.Diagnostic]:
        """Open a file, and return the messages about it."""
        (self.folder / name).write_text(text)
        self.texts[name] = text
        self.client.diagnostics.pop(self.uri(name), None)
        document = types.TextDocumentItem(self.uri(name), "fizz", 0, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))
        return await self.messages(name)

    async def edit(self, name: str, text: str) -> list[types.Diagnostic]:
        """Replace the text of a file without saving it, and return the messages about it."""
        self.version += 1
        self.texts[name] = text
        self.client.diagnostics.pop(self.uri(name), None)
        document = types.VersionedTextDocumentIdentifier(self.version, self.uri(name))
        change = types.TextDocumentContentChangeWholeDocument(text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))
        return await self.messages(name)

    async def messages(self, name: str) -> list[types.Diagnostic]:
        """The messages about a file, once those about all files of its models have come."""
        for _ in range(4000):
            if self.uri(name) in self.client.diagnostics:
                await self.settled(name)
                return list(self.client.diagnostics[self.uri(name)])
            await asyncio.sleep(0.005)
        raise AssertionError(f"there are no messages about {name}")

    async def settled(self, name: str) -> None:
        """Wait for what the server has sent: it answers in order, and sends the messages of a change together."""
        await self.client.text_document_document_symbol_async(types.DocumentSymbolParams(self.document(name)))

    def at(self, name: str, text: str, skip: int = 0) -> types.Position:
        """The position in the middle of a text in a file; `|` marks it."""
        before, _, after = text.partition("|")
        index = -1
        for _ in range(skip + 1):
            index = self.texts[name].index(before + after, index + 1)
        index += len(before)
        line = self.texts[name].count("\n", 0, index)
        return types.Position(line, index - (self.texts[name].rfind("\n", 0, index) + 1))

    def texts_of(self, locations: object) -> list[str]:
        """`FILE:LINE` of each location."""
        assert isinstance(locations, list | tuple)
        return sorted(f"{one.uri.rpartition('/')[2]}:{one.range.start.line + 1}" for one in locations)


@pytest_asyncio.fixture(loop_scope="module")
async def files(client: LanguageClient, tmp_path: Path) -> AsyncIterator[Files]:
    found = Files(client, tmp_path)
    yield found
    for name in found.texts:
        client.text_document_did_close(types.DidCloseTextDocumentParams(found.document(name)))


@pytest_asyncio.fixture(loop_scope="module")
async def two(files: Files) -> Files:
    """A model and the file that it includes."""
    (files.folder / "core.fizz").write_text(CORE)
    await files.open("m.fizz", MODEL)
    await files.open("core.fizz", CORE)
    return files


module_loop = pytest.mark.asyncio(loop_scope="module")


@module_loop
async def test_messages_as_typed(files: Files) -> None:
    """What the command would say is at its place, with its code and hint; it goes when it is mended."""
    good = "action Init: count = 0\natomic action A: count = 1 - count\n"
    assert await files.open("m.fizz", good) == []
    (error,) = await files.edit("m.fizz", good.replace("1 - count", "1 - cuont"))
    assert (error.code, error.source, error.severity) == ("L20", "fizzpy", types.DiagnosticSeverity.Error)
    assert error.message == "undefined name 'cuont'\nhint: did you mean 'count'?"
    assert (error.range.start, error.range.end) == (types.Position(1, 29), types.Position(1, 34))
    (warning,) = await files.edit("m.fizz", good.replace("count = 0", "count = any [0, 1]"))
    assert warning.severity == types.DiagnosticSeverity.Warning
    assert await files.edit("m.fizz", good) == []


@module_loop
async def test_columns_are_units(files: Files) -> None:
    """The protocol counts UTF-16 units: a character beyond the first plane is two."""
    (error,) = await files.open("m.fizz", "action Init: x = '\U0001f600' + yy\natomic action A: x = x\n")
    assert error.range.start.character == 24


@module_loop
async def test_messages_across_files(two: Files) -> None:
    """An included file is examined as a part of its model, with texts that are not saved yet."""
    assert not two.client.diagnostics[two.uri("core.fizz")]
    two.client.diagnostics.clear()
    await two.edit("core.fizz", CORE.replace("N = 2", "M = 2"))
    assert [one.code for one in await two.messages("m.fizz")] == ["L20"]
    two.client.diagnostics.clear()
    await two.edit("core.fizz", CORE)
    assert not await two.messages("m.fizz")
    assert not two.client.diagnostics[two.uri("m.fizz")]


@module_loop
async def test_hover(two: Files) -> None:
    """A name has its declaration, its comment and its value; builtins and words have their line."""

    async def shown(name: str, text: str) -> str:
        parameters = types.HoverParams(two.document(name), two.at(name, text))
        found = await two.client.text_document_hover_async(parameters)
        assert found is not None and isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    text = await shown("m.fizz", "x + |N - 2")
    assert "N = 2" in text and "How many there are." in text and "int: `2`" in text
    text = await shown("m.fizz", "    |nodes = [")
    assert "state variable" in text and "list at first: `[Node#0, Node#1]`" in text
    text = await shown("core.fizz", "self.|state == State")
    assert "field `Node.state`" in text and 'string at first: `"IDLE"`' in text and "what it does" in text
    text = await shown("core.fizz", "self.|take(1)")
    assert "atomic func take(amount)" in text and "Takes some." in text
    assert "Whether all elements are true" in await shown("core.fizz", "return a|ll(")
    assert "A guard" in await shown("core.fizz", "    req|uire self")
    assert "at most so many starts" in await shown("m.fizz", "{max|_actions: 1}")
    parameters = types.HoverParams(two.document("m.fizz"), types.Position(3, 0))
    assert await two.client.text_document_hover_async(parameters) is None
    parameters = types.HoverParams(two.document("gone.fizz"), types.Position(99, 99))
    assert await two.client.text_document_hover_async(parameters) is None, "a file that is not there"


@module_loop
async def test_definition_and_references(two: Files) -> None:
    """Both lead across includes; a local stays in its definition; the path of an include leads to its file."""

    async def defined(name: str, text: str) -> list[str]:
        parameters = types.DefinitionParams(two.document(name), two.at(name, text))
        return two.texts_of(await two.client.text_document_definition_async(parameters))

    async def mentioned(name: str, text: str, declaration: bool = True) -> list[str]:
        context = types.ReferenceContext(declaration)
        parameters = types.ReferenceParams(context, two.document(name), two.at(name, text))
        return two.texts_of(await two.client.text_document_references_async(parameters))

    assert await defined("core.fizz", "oneof |nodes") == ["m.fizz:8"]
    assert await defined("m.fizz", "x + |N - 2") == ["core.fizz:2"]
    assert await defined("core.fizz", "other.|count = ") == ["core.fizz:8"]
    assert await defined("core.fizz", "== State.|IDLE") == ["core.fizz:3"]
    assert await defined("m.fizz", 'include "co|re.fizz"') == ["core.fizz:1"]
    assert await defined("m.fizz", "|return x") == []
    assert await mentioned("m.fizz", "    |nodes = [") == ["core.fizz:12", "core.fizz:21", "m.fizz:8"]
    assert await mentioned("core.fizz", "N| = 2", declaration=False) == ["core.fizz:14", "m.fizz:15"]
    assert await mentioned("core.fizz", "|other = ") == ["core.fizz:12", "core.fizz:14", "core.fizz:14"]
    assert await mentioned("core.fizz", "[|node.count") == ["core.fizz:21", "core.fizz:21"]


@module_loop
async def test_rename(two: Files) -> None:
    """All mentions in all files change, keys of the front matter too; the model means the same."""

    async def rename(name: str, text: str, new: str) -> dict[str, str] | None:
        parameters = types.RenameParams(two.document(name), two.at(name, text), new)
        edit = await two.client.text_document_rename_async(parameters)
        if edit is None:
            return None
        assert edit.changes is not None
        found = {}
        for uri, edits in edit.changes.items():
            file = uri.rpartition("/")[2]
            rows = two.texts[file].split("\n")
            for one in sorted(edits, key=lambda one: (one.range.start.line, one.range.start.character), reverse=True):
                row = rows[one.range.start.line]
                rows[one.range.start.line] = row[: one.range.start.character] + new + row[one.range.end.character :]
            found[file] = "\n".join(rows)
        return found

    found = await rename("core.fizz", "action |Work", "Run")
    assert found is not None and "Node.Run: {max" in found["m.fizz"] and "action Run:" in found["core.fizz"]
    found = await rename("m.fizz", "    |nodes = [", "peers")
    assert found is not None
    assert "oneof peers" in found["core.fizz"] and "in peers])" in found["core.fizz"] and "peers = [" in found["m.fizz"]
    found = await rename("core.fizz", "self.|count = 0", "taken")
    assert found is not None and "other.taken = other.taken + N" in found["core.fizz"]
    assert "node.taken < 100" in found["core.fizz"]
    found = await rename("core.fizz", "|other = ", "chosen")
    assert found == {"core.fizz": CORE.replace("other", "chosen")}
    for new in ("total", "while", "len", "two words", "Node"):
        assert await rename("m.fizz", "    |nodes = [", new) is None, new
    assert await rename("m.fizz", "action |Init", "Start") is None
    assert await rename("core.fizz", "|other = ", "nodes") is None
    assert "means something else" in two.client.messages[-1].message or "fit" in two.client.messages[-1].message


@module_loop
async def test_completion(two: Files) -> None:
    """Fields behind `self.`, members of an enum, names with declarations, builtins with signatures, options."""

    async def offered(name: str, text: str, typed: str) -> dict[str, types.CompletionItem]:
        before = two.texts[name]
        await two.edit(name, before.replace(text, typed.replace("|", ""), 1))
        parameters = types.CompletionParams(two.document(name), two.at(name, typed))
        found = await two.client.text_document_completion_async(parameters)
        await two.edit(name, before)
        items = found.items if isinstance(found, types.CompletionList) else found or []
        return {item.label: item for item in items}

    found = await offered("core.fizz", "self.take(1)", "self.|")
    assert {"state", "count", "take", "Work"} <= found.keys() and "nodes" not in found and "len" not in found
    assert found["take"].detail == "atomic func take(amount)"
    assert set(await offered("core.fizz", "State.IDLE  #", "State.|  #")) == {"IDLE", "BUSY"}
    found = await offered("core.fizz", "self.take(1)", "x = |")
    assert {"N", "nodes", "other", "Node", "helper", "len", "oneof"} <= found.keys() and "amount" not in found
    assert found["sorted"].detail == "sorted(it, key=…, reverse=False)"
    assert found["N"].documentation == "How many there are."
    assert "deadlock_detection" in await offered("m.fizz", "action_options:", "dead|\naction_options:")
    assert await offered("core.fizz", "# Takes some.", "# Takes |some.") == {}


@module_loop
async def test_outline(two: Files) -> None:
    """The definitions of the file, those of a role inside it."""
    parameters = types.DocumentSymbolParams(two.document("core.fizz"))
    found = await two.client.text_document_document_symbol_async(parameters)
    assert found is not None
    names = {one.name: one for one in found if isinstance(one, types.DocumentSymbol)}
    assert {"N", "State", "Node", "Few"} <= names.keys()
    inside = {child.name for child in names["Node"].children or []}
    assert {"Init", "state", "count", "Work", "take"} <= inside and "nodes" not in names


@module_loop
async def test_layout(files: Files) -> None:
    """The layout is that of `fizzpy fmt`; a text that does not parse is left alone."""
    await files.open("m.fizz", "action Init:\n  x=0\n")
    options = types.FormattingOptions(4, True)
    parameters = types.DocumentFormattingParams(files.document("m.fizz"), options)
    (edit,) = await files.client.text_document_formatting_async(parameters) or []
    assert edit.new_text == "action Init:\n    x = 0\n"
    await files.edit("m.fizz", "action Init:\n  x==\n")
    assert not await files.client.text_document_formatting_async(parameters)


@module_loop
async def test_lenses(files: Files) -> None:
    """A lens checks the model; then lenses and messages have the answer, until the text changes."""
    await files.open("bank.fizz", BANK)
    parameters = types.CodeLensParams(files.document("bank.fizz"))

    async def titles() -> list[str]:
        found = await files.client.text_document_code_lens_async(parameters)
        return [lens.command.title for lens in found or [] if lens.command is not None]

    assert await titles() == ["check"]
    found = await files.client.text_document_code_lens_async(parameters)
    command = (found or [])[0].command
    assert command is not None
    execute = types.ExecuteCommandParams(command.command, arguments=list(command.arguments or []))
    answer = await files.client.workspace_execute_command_async(execute)
    assert answer == "6 states, 1 violated"
    assert await titles() == ["check", "6 states, 1 violated", "violated, 4 steps"]
    messages = files.client.diagnostics[files.uri("bank.fizz")]
    assert [one.source for one in messages] == ["fizzpy check"]
    await files.edit("bank.fizz", BANK + "\n")
    assert all(title.endswith("(before the last change)") for title in (await titles())[1:])
    assert not files.client.diagnostics[files.uri("bank.fizz")]


@module_loop
async def test_a_large_model_is_examined_quickly(files: Files) -> None:
    """The messages about a key typed in a model of 500 lines come within 300 ms, the median of several keys."""
    body = "".join(
        f"atomic action A{number}:\n    require x > {number}\n    x = x - {number}\n    y = [x, {number}]\n\n"
        for number in range(100)
    )
    text = "action Init:\n    x = 0\n    y = []\n\n" + body
    assert await files.open("m.fizz", text) == []
    taken = []
    for number in range(5):
        begun = time.perf_counter()
        assert len(await files.edit("m.fizz", text.replace("require x > 50", f"require xx > {number}"))) == 1
        taken.append(time.perf_counter() - begun)
    assert sorted(taken)[2] < 0.3, taken


@pytest.fixture
def hostile(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "endless.fizz").write_text("def f():\n    while True:\n        pass\nX = f()\naction Init: x = X\n")
    yield tmp_path


@module_loop
async def test_hostile_texts(files: Files, hostile: Path) -> None:
    """Texts that are no models, includes that lead in a circle, constants that never end: the server answers."""
    texts = ("\x00", "action", "(((", 'include "m.fizz"\n', "a" * 10_000, "\ud800".encode("utf-8", "ignore").decode())
    await files.open("m.fizz", "x")
    for text in texts:
        await files.edit("m.fizz", text)
        position = types.Position(0, 3)
        await files.client.text_document_hover_async(types.HoverParams(files.document("m.fizz"), position))
        await files.client.text_document_completion_async(types.CompletionParams(files.document("m.fizz"), position))
        await files.client.text_document_document_symbol_async(types.DocumentSymbolParams(files.document("m.fizz")))
    await files.open("endless.fizz", (hostile / "endless.fizz").read_text())
    parameters = types.HoverParams(files.document("endless.fizz"), types.Position(3, 0))
    found = await files.client.text_document_hover_async(parameters)
    assert found is not None
