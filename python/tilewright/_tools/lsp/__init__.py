# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`tilewright lsp`: a server of the language server protocol, over the standard streams.

`checks` decides when a document is checked, in the worker of `tilewright check`; `translation` turns findings into the
protocol's records; `server` has the protocol's methods. Needs pygls: pip install 'tilewright[editor]'.
"""

from __future__ import annotations

import argparse

from tilewright._tools.check.process import Worker

PATIENCE = 5.0  # seconds for one kernel


def run(options: argparse.Namespace) -> bytes:
    worker = Worker(PATIENCE, quiet=True)
    worker.start()  # takes as long as the imports here
    try:
        from tilewright._tools.lsp.server import make_server
    except ModuleNotFoundError as error:
        worker.stop()
        if error.name not in ("pygls", "lsprotocol"):
            raise
        raise SystemExit("tilewright: the language server needs pygls: pip install 'tilewright[editor]'") from None
    make_server(worker).start_io()
    raise SystemExit  # the standard output is closed
