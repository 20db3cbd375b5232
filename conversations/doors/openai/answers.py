"""Replies in the form that OpenAI's clients read: whole, or in chunks."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field

from conversations import selectors
from conversations.core.errors import MessageRefused
from conversations.doors.callers import Caller
from conversations.doors.openai.refusals import Refused
from conversations.doors.shown import used_by
from conversations.models import ReplyState
from memory.selectors.tracing import ModelUse

DONE = b"data: [DONE]\n\n"
WAITING = b": waiting\n\n"


@dataclass(frozen=True)
class Ended:
    """How a reply ended: its words, what writing it asked of language models, and what is told of it under `dsmart`."""

    text: str
    usage: dict[str, int]
    dsmart: dict[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Completion:
    """The frame of one answer: its id, its time and the model that was asked for."""

    model: str
    id: str = field(default_factory=lambda: f"chatcmpl-{uuid.uuid4().hex}")
    created: int = field(default_factory=lambda: int(time.time()))

    def whole(self, ended: Ended) -> dict[str, object]:
        message = {"role": "assistant", "content": ended.text, "refusal": None}
        choice = {"index": 0, "message": message, "finish_reason": "stop", "logprobs": None}
        body = {**self._frame("chat.completion"), "choices": [choice], "usage": ended.usage}
        return body | ({"dsmart": ended.dsmart} if ended.dsmart else {})

    def first(self) -> bytes:
        return self._chunk({"role": "assistant", "content": ""})

    def delta(self, text: str) -> bytes:
        return self._chunk({"content": text})

    def last(self, ended: Ended) -> bytes:
        return self._chunk({}, finish_reason="stop", **({"dsmart": ended.dsmart} if ended.dsmart else {}))

    def usage(self, ended: Ended) -> bytes:
        return sent({**self._frame("chat.completion.chunk"), "choices": [], "usage": ended.usage})

    def _chunk(self, delta: dict[str, str], *, finish_reason: str | None = None, **more: object) -> bytes:
        choice = {"index": 0, "delta": delta, "finish_reason": finish_reason, "logprobs": None}
        return sent({**self._frame("chat.completion.chunk"), "choices": [choice], **more})

    def _frame(self, kind: str) -> dict[str, object]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


@dataclass
class Telling:
    """What was sent of a reply that may start over, where its worker was interrupted."""

    sent: str = ""
    said: str = ""

    def more(self, text: str) -> str:
        """Return what is to be sent of a piece of the reply. Raises `MessageRefused` where it goes on in other words."""
        self.said += text
        if self.sent.startswith(self.said):
            return ""
        if not self.said.startswith(self.sent):
            raise MessageRefused("The server was interrupted and began this reply anew. Ask again to read the new one.")
        fresh, self.sent = self.said[len(self.sent) :], self.said
        return fresh


def sent(data: dict[str, object]) -> bytes:
    return f"data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def usage_of(use: ModelUse) -> dict[str, int]:
    return {
        "prompt_tokens": use.prompt_tokens,
        "completion_tokens": use.completion_tokens,
        "total_tokens": use.tokens,
    }


def ended_reply(caller: Caller, reply_id: int) -> Ended:
    """Return how a reply ended, with what it rests on. Raises `Refused` where it failed."""
    reply = selectors.reply_of(caller.user, reply_id)
    if reply.state == ReplyState.FAILED:
        raise Refused(reply.error, status=500, kind="server_error", code="reply_failed")
    told = {
        "space": caller.space.pk,
        "conversation": reply.conversation_id,
        "reply": reply.pk,
        "state": reply.state,
        "responder": reply.responder,
        "engine": reply.engine,
        **used_by(reply).model_dump(mode="json"),
    }
    return Ended(reply.text, usage_of(ModelUse.of(getattr(reply, "model_use", None))), told)
