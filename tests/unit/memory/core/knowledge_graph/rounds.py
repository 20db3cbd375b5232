"""Rounds of a conversation in short: one line a sentence, "Ana: ..." or "assistant: ..."."""

from __future__ import annotations

from datetime import UTC, datetime

from memory.core.types import DialogueRound, Role, Utterance

SAID_AT = datetime(2024, 5, 14, 9, 30, tzinfo=UTC)


def dialogue_round(*lines: str) -> DialogueRound:
    parts = [line.partition(": ") for line in lines]
    return DialogueRound(
        tuple(
            Utterance(speaker, Role.ASSISTANT if speaker == "assistant" else Role.USER, text, SAID_AT)
            for speaker, _, text in parts
        )
    )
