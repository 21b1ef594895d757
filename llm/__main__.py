# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tilewright-llm generate|chat|bench|compare|init: each command is a module of llm/cli, imported on demand."""

import argparse
import importlib
import json
import sys

from .errors import ModelError

COMMANDS = {
    "generate": "write on from prompts",
    "chat": "talk in the terminal",
    "bench": "measure prefill and decode of a whole model",
    "compare": "measure implementations, operation by operation",
    "init": "write a small model of random weights",
}


def parse(arguments):
    """The options and the module of the command; only that module is imported."""
    parser = argparse.ArgumentParser(prog="tilewright-llm", description="Llama 3 and DeepSeek V2/V3 in tile kernels.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    module = None
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary.capitalize() + ".")
        if name in arguments:
            module = importlib.import_module(f".cli.{name}", __package__)
            module.add_options(command)
            command.add_argument("--json", action="store_true", help="print JSON instead of text")
    return parser.parse_args(arguments), module


def main(arguments=None) -> int:
    try:
        options, module = parse(sys.argv[1:] if arguments is None else arguments)
    except ModuleNotFoundError as error:
        print(f"tilewright-llm: error: needs the package {error.name}; pip install 'tilewright[llm]'", file=sys.stderr)
        return 1
    try:
        return module.run(options) or 0
    except ModelError as error:
        if options.json:
            print(json.dumps({"error": {"kind": type(error).__name__, "message": str(error)}}))
        else:
            print(f"tilewright-llm: error: {error}", file=sys.stderr)
        return 1
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
