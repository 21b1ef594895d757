# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The methods of the protocol. The server's own process runs nothing of the user's."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

import tilewright
from tilewright._tools.check.process import Worker
from tilewright._tools.lsp.checks import STILL, Checked, Checks, Document
from tilewright._tools.lsp.translation import Translation

_ANSWER = 0.15  # seconds to wait for a check that is due, before the answer is that of the text before


class Server(LanguageServer):
    def __init__(self, worker: Worker) -> None:
        super().__init__("tilewright", tilewright.__version__)
        self.checks = Checks(worker, self.publish)

    def check(self, uri: str, still: float = STILL) -> None:
        text = self.workspace.get_text_document(uri)
        self.checks.change(Document(uri, to_fs_path(uri) or uri, text.source, text.version), still)

    def translation(self, checked: Checked) -> Translation:
        return Translation(checked, self.workspace.position_codec.client_num_units)

    def publish(self, checked: Checked) -> None:
        document = checked.document
        found = self.translation(checked).diagnostics()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(document.uri, found, document.version))
        workspace = self.client_capabilities.workspace
        if workspace is not None and workspace.inlay_hint is not None and workspace.inlay_hint.refresh_support:
            self.workspace_inlay_hint_refresh(None)


def make_server(worker: Worker) -> Server:
    server = Server(worker)

    @server.feature(types.INITIALIZED)
    def initialized(server: Server, parameters: types.InitializedParams) -> None:
        server.checks.warm_up()

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def opened(server: Server, parameters: types.DidOpenTextDocumentParams) -> None:
        server.check(parameters.text_document.uri, still=0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def changed(server: Server, parameters: types.DidChangeTextDocumentParams) -> None:
        server.check(parameters.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(server: Server, parameters: types.DidSaveTextDocumentParams) -> None:
        """Others may import the file."""
        for uri in list(server.checks.latest):
            server.check(uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(server: Server, parameters: types.DidCloseTextDocumentParams) -> None:
        uri = parameters.text_document.uri
        server.checks.close(uri)
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    @server.feature(types.TEXT_DOCUMENT_INLAY_HINT)
    async def inlay_hints(server: Server, parameters: types.InlayHintParams) -> list[types.InlayHint]:
        checked = await server.checks.wait(parameters.text_document.uri, _ANSWER)
        if checked is None:
            return []
        lines = parameters.range
        return server.translation(checked).hints(lines.start.line, lines.end.line)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(server: Server, parameters: types.HoverParams) -> types.Hover | None:
        uri, line = parameters.text_document.uri, parameters.position.line + 1
        code = await server.checks.code(uri, line, _ANSWER)
        checked = server.checks.done.get(uri)
        hints = server.translation(checked).hints_at(line) if checked is not None else []
        parts = [f"`{hint.name}: {hint.type}`" for hint in hints]
        if code:
            parts.append("```mlir\n" + "\n".join(code) + "\n```")
        return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(parts))) if parts else None

    @server.feature(types.SHUTDOWN)
    def shutdown(server: Server, parameters: None) -> None:
        server.checks.stop()

    return server
