"""A chat as another program keeps it: the whole history comes with each message, and the server is to know it again.

What was said is compared by keyed digests, so that nobody can guess from one what was said and forgotten since.
"""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.types import Role


@dataclass(frozen=True)
class Said:
    """One message of a history."""

    role: Role
    text: str


@dataclass(frozen=True)
class ClientMessage:
    """A message with what its program sends along.

    `instruction` is what the program asks of the assistant. `chat` is the program's own id of the chat, empty where it sends
    none. `is_retry` is true where the same request was sent before and no answer to it came.
    """

    text: str
    history: tuple[Said, ...] = ()
    instruction: str = ""
    chat: str = ""
    is_retry: bool = False
    is_remembered: bool = True

    @property
    def history_before(self) -> tuple[Said, ...]:
        """Return the history up to and with the person's last message in it; empty where the person said nothing yet."""
        asked = [place for place, said in enumerate(self.history) if said.role is Role.USER]
        return self.history[: asked[-1] + 1] if asked else ()

    @property
    def answered(self) -> str:
        """Return what the history says was answered to the person's last message in it."""
        return "\n\n".join(said.text for said in self.history[len(self.history_before) :])

    def digest(self, key: str) -> str:
        """Return the digest of the history with this message."""
        return digest_of([*self.history, Said(Role.USER, self.text)], key=key)

    def digest_before(self, key: str) -> str:
        """Return what `digest` was for the person's last message in the history."""
        return digest_of(self.history_before, key=key)

    def digest_of_person(self, key: str) -> str:
        """Return the digest of what the person said, whatever was answered."""
        own = [said for said in self.history if said.role is Role.USER]
        return digest_of([*own, Said(Role.USER, self.text)], key=key)


def digest_of(said: Sequence[Said], *, key: str) -> str:
    """Return the keyed digest of messages; white space does not count."""
    lines = json.dumps([[one.role.value, " ".join(one.text.split())] for one in said])
    return hmac.new(key.encode(), lines.encode(), hashlib.sha256).hexdigest()


def same_words(one: str, other: str) -> bool:
    """Return whether two texts have the same letters and digits: programs lay replies out anew before they send them back.

    >>> same_words("You live in **Paris**.", "you live in Paris")
    True
    """
    return letters_of(one) == letters_of(other)


def letters_of(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())
