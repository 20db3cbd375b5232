"""The errors of talking.

ConversationError
├── MessageRefused         a message that cannot be taken: empty, too long, not text, or out of turn
│   ├── MessageKeyTaken    a key that stands for another message already
│   ├── TooManyWaiting     a message of somebody who has as many waiting for a reply as one person may have
│   └── SpaceFull          a message that its memory has no room for
├── ImportRefused          a file that is no export of conversations
├── ResponderUnavailable   a responder that is not there, or not with this engine
└── DoorClosed             a program that may not come in
    ├── KeyUnknown         a key that is nobody's
    ├── SpaceUnknown       a space that the key's owner is no member of
    └── TooManyCalls       a program that asks more often than it may
"""

from memory.core.errors import ImportFault


class ConversationError(Exception):
    """The root of what talking raises on purpose. Its message is a sentence for a person."""


class MessageRefused(ConversationError):
    """A message that was not taken. Nothing was stored."""


class MessageKeyTaken(MessageRefused):
    """A message under the key of another one."""


class TooManyWaiting(MessageRefused):
    """A message that was not taken because as many wait for a reply as one person may have waiting."""


class SpaceFull(MessageRefused):
    """A message that was not taken because its memory holds as much as it may; its cause is the `QuotaReached`."""


class ImportRefused(ConversationError, ImportFault):
    """A file that was not imported, or only up to where it could be read."""


class ResponderUnavailable(ConversationError):
    """A responder that is not known, or that the chosen engine cannot play."""


class DoorClosed(ConversationError):
    """Another program that may not do what it asks for."""


class KeyUnknown(DoorClosed):
    """A key that is nobody's."""


class SpaceUnknown(DoorClosed):
    """A space that is not there for whoever has the key."""


class TooManyCalls(DoorClosed):
    """A program that asks more often, or for more at once, than it may."""
