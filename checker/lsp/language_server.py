"""The language server `fizzpy lsp`: the features that editors ask for, over standard input and output."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence

from lsprotocol import types
from pygls import uris
from pygls.lsp.server import LanguageServer
from pygls.workspace import TextDocument

from checker.lsp.completing import completions, in_front_matter
from checker.lsp.hover_text import hover_of_mention, hover_of_word
from checker.lsp.model_runs import LastCheck, ModelRuns
from checker.lsp.open_models import ExaminedModel, OpenModels
from checker.lsp.outline import outline
from checker.lsp.positions import place_of, range_of, to_units
from checker.lsp.rename_symbol import RenameRefused, renamable, rename_spans
from fizz.base.errors import Diagnostic, FizzError, Span
from fizz.base.version import VERSION
from fizz.formatting.source_format import format_source
from fizz.symbols.indexing import includes_of
from fizz.symbols.symbol_index import Mention, Symbol

CHECK_COMMAND = "fizzpy.check"
_PAUSE_S = 0.08
"""How long the server waits for another key before it examines a text."""


class FizzServer(LanguageServer):
    """The server, with the models that are open and the checks of them."""

    def __init__(self) -> None:
        super().__init__("fizzpy", VERSION)
        self.models = OpenModels()
        self.runs = ModelRuns()
        self.values: dict[str, dict[str, dict[str, tuple[str, str]]]] = {}
        self.shown: dict[str, set[str]] = {}  # by open file: the files that have messages because of it
        self.edits = 0

    def changed(self, path: str, text: str) -> None:
        """A text is opened or edited."""
        self.edits += 1
        self.models.set_text(path, text)
        self.values.clear()

    def publish(self, path: str) -> None:
        """Send the messages about a file and all files of its models."""
        problems = self.models.problems_of(path)
        for file in self.shown.get(path, set()) - problems.keys():
            problems[file] = []
        self.shown[path] = {file for file, found in problems.items() if found}
        for file, found in problems.items():
            text = self.models.text(os.path.realpath(file))
            messages = [_message(error, diagnostic, text) for error, diagnostic in found]
            messages += self._violations(file, text)
            uri = uri_of(file)
            self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, messages))

    def _violations(self, file: str, text: str) -> list[types.Diagnostic]:
        """The properties that the last checks have found violated, as long as nothing has changed since."""
        messages: list[types.Diagnostic] = []
        for path, last in self.runs.last.items():
            if last.stale:
                continue
            for symbol in self.models.model(path).index.symbols:
                verdict = last.property_title(symbol.name) if symbol.kind == "assertion" else None
                if verdict is not None and verdict.startswith("violated") and symbol.span.file == file:
                    message = types.Diagnostic(range_of(symbol.span, text), f"{symbol.name}: {verdict}")
                    message.severity, message.source = types.DiagnosticSeverity.Error, "fizzpy check"
                    messages.append(message)
        return messages

    def refresh_lenses(self) -> None:
        """Have the editor ask for code lenses again, if it can."""
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.code_lens is not None and workspace.code_lens.refresh_support:
            self.workspace_code_lens_refresh(None)

    def mention_at(self, uri: str, position: types.Position) -> tuple[ExaminedModel, Mention] | None:
        """What is mentioned at a position, in the first model that knows."""
        path = path_of(uri)
        line, column = place_of(position, self.models.text(path))
        for model in self.models.models_with(path):
            mention = model.index.at(path, line, column)
            if mention is not None:
                return model, mention
        return None

    def location(self, span: Span) -> types.Location:
        return types.Location(uri_of(span.file), range_of(span, self.models.text(os.path.realpath(span.file))))

    def locations(self, spans: Sequence[Span]) -> list[types.Location]:
        return [self.location(span) for span in dict.fromkeys(spans)]

    def mentions_everywhere(self, uri: str, symbols: Sequence[Symbol]) -> list[Mention]:
        """The mentions of symbols in all models with a file."""
        found = [
            mention for model in self.models.models_with(path_of(uri)) for mention in model.index.mentions_of(symbols)
        ]
        return list({mention.span: mention for mention in found}.values())


def path_of(uri: str) -> str:
    """The real path of a file that the editor names."""
    return os.path.realpath(uris.to_fs_path(uri) or uri)


def uri_of(file: str) -> str:
    return uris.from_fs_path(os.path.realpath(file)) or file


def _message(error: bool, diagnostic: Diagnostic, text: str) -> types.Diagnostic:
    span = diagnostic.span or Span("", 1, 1, 1, 2)
    hint = f"\nhint: {diagnostic.hint}" if diagnostic.hint else ""
    severity = types.DiagnosticSeverity.Error if error else types.DiagnosticSeverity.Warning
    return types.Diagnostic(
        range_of(span, text), diagnostic.text + hint, severity=severity, code=diagnostic.code, source="fizzpy"
    )


def make_server() -> FizzServer:
    """The server with all its features, not started yet."""
    server = FizzServer()
    _documents(server)
    _names(server)
    _lenses(server)

    @server.feature(types.SHUTDOWN)
    def shutdown(ls: FizzServer, params: None) -> None:
        ls.runs.end()

    return server


def _documents(server: FizzServer) -> None:
    """Opening, editing, saving, closing; layout."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(ls: FizzServer, params: types.DidOpenTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        ls.changed(path, params.text_document.text)
        ls.publish(path)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def edited(ls: FizzServer, params: types.DidChangeTextDocumentParams) -> None:
        uri = params.text_document.uri
        path = path_of(uri)
        ls.changed(path, ls.workspace.get_text_document(uri).source)
        ls.runs.mark_stale([model.path for model in ls.models.models_with(path)] if ls.runs.last else [])
        number = ls.edits
        await asyncio.sleep(_PAUSE_S)
        if ls.edits == number:
            ls.publish(path)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(ls: FizzServer, params: types.DidSaveTextDocumentParams) -> None:
        ls.models.forget()
        ls.publish(path_of(params.text_document.uri))

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(ls: FizzServer, params: types.DidCloseTextDocumentParams) -> None:
        path = path_of(params.text_document.uri)
        ls.models.close(path)
        for file in ls.shown.pop(path, set()) | {path}:
            if not any(file in others for others in ls.shown.values()):
                ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri_of(file), []))

    @server.feature(types.TEXT_DOCUMENT_FORMATTING)
    def formatting(ls: FizzServer, params: types.DocumentFormattingParams) -> list[types.TextEdit] | None:
        path = path_of(params.text_document.uri)
        text = ls.models.text(path)
        try:
            formatted = format_source(path, text)
        except FizzError:
            return None
        rows = text.split("\n")
        whole = types.Range(types.Position(0, 0), types.Position(len(rows) - 1, to_units(rows[-1], len(rows[-1]) + 1)))
        return [] if formatted == text else [types.TextEdit(whole, formatted)]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(ls: FizzServer, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        path = path_of(params.text_document.uri)
        return outline(ls.models.models_with(path)[0], path)


def _names(server: FizzServer) -> None:
    """Hover, definition, references, rename, completion."""

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(ls: FizzServer, params: types.HoverParams) -> types.Hover | None:
        uri = params.text_document.uri
        found = ls.mention_at(uri, params.position)
        if found is not None:
            model, mention = found
            has_value = any(symbol.kind in ("constant", "state variable", "field") for symbol in mention.symbols)
            is_whole = model.known is not None and model.known.module is not None
            if has_value and is_whole and model.path not in ls.values:
                ls.values[model.path] = await ls.runs.first_values(model.path, ls.models.texts)
            text: str | None = hover_of_mention(model, mention, ls.values.get(model.path, {}))
        else:
            source = ls.models.text(path_of(uri))
            # Of a file that is not there there is no document in the workspace.
            word = TextDocument(uri, source).word_at_position(params.position)
            text = hover_of_word(word, in_front_matter(source.split("\n"), params.position.line + 1))
        return None if text is None else types.Hover(types.MarkupContent(types.MarkupKind.Markdown, text))

    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    def definition(ls: FizzServer, params: types.DefinitionParams) -> list[types.Location]:
        uri = params.text_document.uri
        path = path_of(uri)
        text = ls.models.text(path)
        line, column = place_of(params.position, text)
        for number, first, last, target in includes_of(text, path):
            if number == line and first <= column <= last and os.path.isfile(target):  # noqa: PTH113
                return [ls.location(Span(target, 1, 1, 1, 1))]
        found = ls.mention_at(uri, params.position)
        return [] if found is None else ls.locations([symbol.span for symbol in found[1].symbols])

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    def references(ls: FizzServer, params: types.ReferenceParams) -> list[types.Location]:
        found = ls.mention_at(params.text_document.uri, params.position)
        if found is None:
            return []
        mentions = ls.mentions_everywhere(params.text_document.uri, found[1].symbols)
        wanted = [one for one in mentions if params.context.include_declaration or not one.defines]
        return ls.locations([mention.span for mention in wanted])

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    def highlights(ls: FizzServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        path = path_of(params.text_document.uri)
        found = ls.mention_at(params.text_document.uri, params.position)
        mentions = [] if found is None else found[0].index.mentions_of(found[1].symbols)
        text = ls.models.text(path)
        return [types.DocumentHighlight(range_of(one.span, text)) for one in mentions if one.span.file == path]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    def prepare_rename(ls: FizzServer, params: types.PrepareRenameParams) -> types.Range | None:
        found = ls.mention_at(params.text_document.uri, params.position)
        try:
            renamable(None if found is None else found[1])
        except RenameRefused:
            return None
        assert found is not None
        return ls.location(found[1].span).range

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    def rename(ls: FizzServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
        found = ls.mention_at(params.text_document.uri, params.position)
        try:
            symbol = renamable(None if found is None else found[1])
            spans = rename_spans(ls.models, path_of(params.text_document.uri), symbol, params.new_name)
        except RenameRefused as refusal:
            ls.window_show_message(types.ShowMessageParams(types.MessageType.Error, str(refusal)))
            return None
        edits: dict[str, list[types.TextEdit]] = {}
        for location in ls.locations(spans):
            edits.setdefault(location.uri, []).append(types.TextEdit(location.range, params.new_name))
        return types.WorkspaceEdit(changes=edits)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=["."]))
    def completion(ls: FizzServer, params: types.CompletionParams) -> list[types.CompletionItem]:
        path = path_of(params.text_document.uri)
        text = ls.models.text(path)
        return completions(ls.models.also_when_right(path), path, text, *place_of(params.position, text))


def _lenses(server: FizzServer) -> None:
    """Code lenses, and the check that they start."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    def lenses(ls: FizzServer, params: types.CodeLensParams) -> list[types.CodeLens]:
        path = path_of(params.text_document.uri)
        model = ls.models.models_with(path)[0]
        last = ls.runs.last.get(model.path)
        text = ls.models.text(path)
        top = types.Range(types.Position(0, 0), types.Position(0, 0))
        title = "checking …" if ls.runs.is_running(model.path) else "check"
        shown = [_lens(top, title, model.path)]
        if last is not None and not ls.runs.is_running(model.path):
            shown.append(_lens(top, last.title, model.path))
        for symbol in model.index.symbols:
            if symbol.kind == "assertion" and symbol.span.file == path:
                verdict = None if last is None else last.property_title(symbol.name)
                if verdict is not None and last is not None:
                    stale = " (before the last change)" if last.stale else ""
                    shown.append(_lens(range_of(symbol.span, text), verdict + stale, model.path))
        return shown

    @server.command(CHECK_COMMAND)
    async def check(ls: FizzServer, path: str) -> str:
        """Check a model that is saved; the answer is the title of its code lens."""
        path = path_of(path) if path.startswith("file:") else path
        task = asyncio.ensure_future(ls.runs.check(path))
        ls.refresh_lenses()
        last = await task
        if last is None:
            return "another check was begun"
        _tell(ls, path, last)
        return last.title


def _lens(place: types.Range, title: str, path: str) -> types.CodeLens:
    return types.CodeLens(place, types.Command(title, CHECK_COMMAND, arguments=[path]))


def _tell(ls: FizzServer, path: str, last: LastCheck) -> None:
    """Show what a check gave: in lenses and messages, and in a line."""
    ls.refresh_lenses()
    for opened in list(ls.models.texts):
        ls.publish(opened)
    kind = types.MessageType.Info if last.fields.get("exit_code") == 0 else types.MessageType.Warning
    ls.window_show_message(types.ShowMessageParams(kind, f"{os.path.basename(path)}: {last.title}"))  # noqa: PTH119
