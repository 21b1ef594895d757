# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A client of the language server: messages over the pipes of `tilewright lsp`."""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import time

CAPABILITIES = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True, "versionSupport": True}},
}


class Client:
    def __init__(self):
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tilewright", "lsp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        )
        self.messages = queue.Queue()
        self.ids = itertools.count(1)
        threading.Thread(target=self._read, daemon=True).start()
        self.capabilities = self.ask("initialize", processId=None, rootUri=None, capabilities=CAPABILITIES)
        self.tell("initialized")

    def _read(self):
        stream = self.process.stdout
        while line := stream.readline():
            size = int(line.split(b":")[1])
            while stream.readline().strip():
                pass
            self.messages.put(json.loads(stream.read(size)))
        self.messages.put(None)

    def _send(self, **message):
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def tell(self, method, **params):
        self._send(method=method, params=params)

    def wait_for(self, wanted, seconds=60):
        """The next message for which `wanted` is true."""
        end = time.monotonic() + seconds
        while True:
            message = self.messages.get(timeout=max(end - time.monotonic(), 0.001))
            assert message is not None, "the server has ended"
            if wanted(message):
                return message

    def ask(self, method, **params):
        number = next(self.ids)
        self._send(id=number, method=method, params=params)
        answer = self.wait_for(lambda message: message.get("id") == number and "method" not in message)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    def diagnostics(self, version, uri):
        """Of that version of the document."""
        found = self.wait_for(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and (message["params"]["uri"], message["params"].get("version")) == (uri, version)
            )
        )
        return found["params"]["diagnostics"]

    def close(self):
        self.ask("shutdown")
        self.tell("exit")
        return self.process.wait(timeout=10)


class Document:
    """Open in the client; each change sends the whole text."""

    def __init__(self, client, uri, text):
        self.client, self.uri, self.version = client, uri, 1
        item = {"uri": uri, "languageId": "python", "version": 1, "text": text}
        client.tell("textDocument/didOpen", textDocument=item)

    def change(self, text):
        self.version += 1
        document = {"uri": self.uri, "version": self.version}
        self.client.tell("textDocument/didChange", textDocument=document, contentChanges=[{"text": text}])

    def errors(self):
        """(line from 1, message) of the latest version."""
        found = self.client.diagnostics(self.version, self.uri)
        return [(each["range"]["start"]["line"] + 1, each["message"]) for each in found if each["severity"] == 1]

    def hints(self, first=0, last=100000):
        """(line from 1, character, text)"""
        lines = {"start": {"line": first, "character": 0}, "end": {"line": last, "character": 0}}
        found = self.client.ask("textDocument/inlayHint", textDocument={"uri": self.uri}, range=lines)
        return [(each["position"]["line"] + 1, each["position"]["character"], each["label"]) for each in found]

    def hover(self, line, character=4):
        """The text at a line from 1."""
        position = {"line": line - 1, "character": character}
        found = self.client.ask("textDocument/hover", textDocument={"uri": self.uri}, position=position)
        return found["contents"]["value"] if found else ""
