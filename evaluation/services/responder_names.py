"""Checks the names of responders that a person gave."""

from conversations import bootstrap
from evaluation.core.errors import UnknownName


def responders_check(names: list[str]) -> None:
    """Raise `UnknownName` unless every name is a responder's."""
    known = bootstrap.responder_names()
    for name in names:
        if name not in known:
            raise UnknownName(bootstrap.responder_unknown(name))
