"""What can go wrong while the embedded parts start. The message is one sentence for the person at the terminal."""


class EmbeddedServiceError(RuntimeError):
    """A part that the product needs cannot run; the message says why and what to do."""
