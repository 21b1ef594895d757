# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One class per way in which a model, a prompt or a machine does not fit; each text names the value that was found, the
expected one, and the fix."""


class ModelError(Exception):
    """Base of all errors of this package."""


class MissingFile(ModelError):
    """A file of the model folder does not exist."""


class BadConfig(ModelError):
    """config.json cannot be read, lacks a value, or asks for a variant that is not implemented."""


class UnknownArchitecture(ModelError):
    """config.json names an architecture without an implementation here."""


class MissingShard(ModelError):
    """The index names a file of weights that does not exist."""


class TruncatedShard(ModelError):
    """A file of weights is shorter than its header says, or has no valid header."""


class MissingTensor(ModelError):
    """No file of weights has a tensor that the architecture needs."""


class MismatchedShape(ModelError):
    """A tensor has another shape than config.json implies."""


class UnsupportedType(ModelError):
    """A tensor has an element type that cannot be read."""


class TokenizerMismatch(ModelError):
    """The tokenizer and the model do not belong to each other."""


class BadTemplate(ModelError):
    """The chat template is missing, or fails on the messages."""


class PromptTooLong(ModelError):
    """A prompt with the tokens to generate is longer than the context."""


class CacheFull(ModelError):
    """A request needs more pages than the whole cache has."""


class NotEnoughMemory(ModelError):
    """The weights and the cache would not fit into the memory of the device."""


class UnknownOperation(ModelError):
    """A name that is not in the table of operations, or an implementation that does not have the operation."""


class MissingPackage(ModelError):
    """An implementation needs a package that is not installed."""
