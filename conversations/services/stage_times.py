"""How long the stages of a reply take, for an operator: figures of all replies together, never of one.

`wait` is from the message to its claim by a worker, `retrieve` from there to the last look into the memory before reasoning,
`reason` from there until words are written, `write` from there to the end; `first_token` and `total` count from the message.
"""

import time
from dataclasses import dataclass, field

from conversations.core.tracing.stage import Stage
from conversations.core.types import Delta
from conversations.models import Reply
from memory.adapters.meters import meters
from memory.core.tracing import Together

LOOKS = {"read", "resolve", "recall", "retrieve", "select"}
WRITING = {"write", "repair"}


@dataclass
class StageTimes:
    """The stages of the reply that is being written."""

    began: float = field(default_factory=time.monotonic)
    retrieved: float | None = None
    writing: float | None = None

    def see(self, part: object) -> None:
        """Note a part of the reply as it comes."""
        for one in part.steps() if isinstance(part, Together) else (part,):
            if isinstance(one, Delta) or (isinstance(one, Stage) and one.name in WRITING):
                self.writing = self.writing or time.monotonic()
            elif isinstance(one, Stage) and one.name in LOOKS and self.writing is None:
                self.retrieved = time.monotonic()

    def end(self, reply: Reply) -> None:
        """Count the stages of a reply that was stored whole."""
        now = time.monotonic()
        writing = self.writing or now
        retrieved = self.retrieved or self.began
        total = (reply.total_ms or 0) / 1000
        took = {
            "wait": max(0.0, total - (now - self.began)),
            "retrieve": retrieved - self.began,
            "reason": writing - retrieved,
            "write": now - writing,
            "total": total,
        }
        if reply.first_token_ms is not None:
            took["first_token"] = reply.first_token_ms / 1000
        for stage, seconds in took.items():
            meters().observe("reply_stage", seconds, stage=stage)
        meters().count("replies", state=str(reply.state))
