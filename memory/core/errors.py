"""The errors of the memory core.

MemoryError is Python's own, so the tree is rooted in `MemoryCoreError`:

    MemoryCoreError
    ├── LanguageModelError          the model behind a prompted role failed
    │   ├── ModelUnreachable        no answer: wrong address, no network, time-out, server down
    │   ├── ModelRefused            the server answered that it will not: wrong key, unknown model, quota
    │   └── UnparsableReply         the model answered, but not in the asked form
    ├── UnknownEngine               the name of an engine that is not configured
    ├── UnknownRole                 a setting that names a role, or a player of one, that there is not
    ├── RoleUnplayed                a role that an engine has nobody for
    ├── ModelNotFound               a path or id of weights that is not there
    ├── ModelUnfit                  weights that are there, but of a model for something else
    ├── EmbedderChanged             a memory's vectors are of another embedder than there is now
    ├── PairFileRefused             a file of labelled pairs that cannot be read
    ├── TrainingRefused             a training that cannot begin or go on as it is asked for
    ├── ImportFault                 a file that cannot be brought in
    │   └── GraphFileRefused        an RDF file that cannot be taken (knowledge_graph/rdf/parsing.py)
    ├── UnknownRetriever            the name of a way to find a context that does not exist
    ├── RetrieverUnfit              a way to find a context that needs what is not there
    ├── UnknownBackbone             the name of a memory backbone that does not exist
    ├── KnowledgeRefused            a knowledge base that cannot be made as it is asked for
    │   └── KnowledgeFileRefused    a file of knowledge that cannot be read (adapters/knowledge_files/lines.py)
    ├── QuotaReached                a memory that holds as much as it may, or took in as much as it may in a day
    ├── ReasonerFailed              an OWL reasoner could not be run, or gave no verdict
    └── TextTooLong                 a text over the stated limit
"""

from __future__ import annotations


class MemoryCoreError(Exception):
    """The root of everything that the memory core raises on purpose. Its message is a sentence for a person."""


class ImportFault(MemoryCoreError):
    """A file cannot be brought in. The message says what is wrong with it."""


class LanguageModelError(MemoryCoreError):
    """A language model behind a prompted role failed."""


class ModelUnreachable(LanguageModelError):
    """The server did not answer. A later try may succeed."""


class ModelRefused(LanguageModelError):
    """The server answered that it will not serve the request. The same try will fail again."""


class UnparsableReply(LanguageModelError):
    """A model's reply did not have the asked form, nor did the one to a second request where there was one."""

    def __init__(self, message: str, *, reply: str) -> None:
        super().__init__(message)
        self.reply = reply


class OnlyThinking(UnparsableReply):
    """A model thought for all the tokens that it was given."""

    def __init__(self, tokens: int, advice: str) -> None:
        super().__init__(f"The model thought for all of its {tokens} tokens and said nothing. {advice}", reply="")


class UnknownEngine(MemoryCoreError):
    """The name of an engine that is not known or not configured."""


class UnknownRole(MemoryCoreError):
    """The name of a role that does not exist, or of a player that a role does not have."""


class RoleUnplayed(MemoryCoreError):
    """A role that an engine has nobody for."""


class ModelNotFound(MemoryCoreError):
    """A path or an id of weights that cannot be found."""


class ModelUnfit(MemoryCoreError):
    """Weights that can be loaded, but whose model does something else than is asked of it."""


class EmbedderChanged(MemoryCoreError):
    """The vectors of a memory were made by another embedder, and vectors of two cannot be compared."""


class PairFileRefused(MemoryCoreError):
    """A file of labelled pairs that cannot be read, or holds none."""


class TrainingRefused(MemoryCoreError):
    """A training that cannot begin, or go on from its checkpoint, as it is asked for."""


class TextTooLong(MemoryCoreError):
    """A text is over the limit that its receiver states."""


class UnknownRetriever(MemoryCoreError):
    """The name of a retriever that does not exist."""


class RetrieverUnfit(MemoryCoreError):
    """A retriever that needs what is not there: a knowledge graph beside the index."""


class UnknownBackbone(MemoryCoreError):
    """The name of a memory backbone that does not exist."""


class KnowledgeRefused(MemoryCoreError):
    """A knowledge base that cannot be made, or goes away while it is made."""


class QuotaReached(MemoryCoreError):
    """A memory may not hold or take in more. `measure` is what ran out: turns, bytes or imports. Nothing was stored."""

    def __init__(self, message: str, *, measure: str) -> None:
        super().__init__(message)
        self.measure = measure


class ReasonerFailed(MemoryCoreError):
    """An OWL reasoner could not be started, took too long or too much memory, or gave no verdict."""
