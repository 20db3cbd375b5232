"""`train causal-adapter`: from prompts with replies to a language model that replies so, by LoRA (DRG, section 4.5)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evaluation.services.training.adapting import adapted, adapted_finish, base_of, loss_row
from evaluation.services.training.request import TrainingRequest, TrainingResult
from memory.adapters.learning.label_files import label_files, labelled_rows
from memory.adapters.learning.replies import LabelledReply
from memory.core.types import Message, MessageRole, Prompt

HELP = "a language model for a task of its own, from prompts with replies (LoRA); the engine transformers:PATH runs it"
GIVEN = "given"
TITLE = "a language model for a task of its own"
WHAT = (
    "A whole model, into whose weights LoRA adapters were merged after training. The engine transformers:PATH runs it."
)


def train(request: TrainingRequest) -> TrainingResult:
    """Train, measure and merge; the model is then complete in `request.out`."""
    replies = list(read_chats(request.data))
    base = base_of(request)
    done = adapted(replies, request, base)
    rows = [loss_row("with the adapters", done)]
    request.out.mkdir(parents=True, exist_ok=True)
    done.network.adapted.merge_and_unload().save_pretrained(request.out)
    base.loaded.tokenizer.save_pretrained(request.out)
    return adapted_finish(done, request, title=TITLE, what=WHAT, rows=rows)


def read_chats(data: Path) -> Iterator[LabelledReply]:
    """Yield the replies of a folder's files, or of one file. Raises `TrainingRefused` that names a bad line."""
    for path in [data] if data.is_file() else label_files(data):
        yield from labelled_rows(path, chat_of, what="prompt with a reply")


def chat_of(row: dict[str, Any]) -> LabelledReply:
    """Return a reply of any of the forms: {"messages"}, whose last is the reply, or {"prompt", "response"}."""
    if "messages" in row:
        *before, last = map(message_of, row["messages"])
    else:
        told = row["prompt"]
        before = (
            [message_of({"role": role, "content": told[role]}) for role in ("system", "user") if role in told]
            if isinstance(told, dict)
            else [*map(message_of, told)]
        )
        last = Message(MessageRole.ASSISTANT, str(row["response"]))
    if last.role is not MessageRole.ASSISTANT or not last.content.strip():
        raise ValueError("the last message is no reply of the assistant's")
    if not any(one.role is MessageRole.USER for one in before):
        raise ValueError("no message is a user's")
    group = next(one.content for one in before if one.role is MessageRole.USER)
    return LabelledReply(Prompt(tuple(before)), last.content.strip(), GIVEN, group)


def message_of(told: dict[str, Any]) -> Message:
    return Message(MessageRole(told["role"]), str(told["content"]))
