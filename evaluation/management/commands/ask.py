"""`manage.py ask "..." --space NAME`: an answer from a space's memory, with what it rests on."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from conversations.core.errors import ConversationError
from conversations.core.types import GroundSentence
from conversations.services.asking import TimedReply, question_ask
from evaluation.core.errors import EvaluationError
from evaluation.selectors import first_user_speaker, space_named
from evaluation.services.responder_names import responders_check
from memory import bootstrap
from memory.core.errors import MemoryCoreError
from memory.core.tracing import step_data
from memory.core.types import Triple
from memory.core.types.calendar import in_the_calendar
from memory.services.accounts import owner_account, speaker_name
from memory.trace_views.base import Reading, blocks_of


class Command(BaseCommand):
    requires_system_checks = []
    help = "Answer a question from the memory of one of the owner's spaces, and show what the answer rests on."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("question")
        parser.add_argument(
            "--space", required=True, metavar="NAME", help='"<file>/<case>" of a replay, or the case alone'
        )
        parser.add_argument("--responder", default="graph", metavar="R", help="who answers (default: graph)")
        parser.add_argument(
            "--engine",
            default="",
            metavar="E",
            help="any engine: builtin, http:<model>, http:<model>@<address>, transformers:<path or hub id>, graph:<path>, "
            "or added:<id> of the settings page (default: DSMART_ENGINE)",
        )
        parser.add_argument(
            "--speaker", default="", metavar="NAME", help='who "I" is (default: the first user who speaks)'
        )
        parser.add_argument(
            "--asked-at", default="", metavar="TIME", help="ISO date and time of the question (default: now)"
        )
        parser.add_argument(
            "--trace",
            action="store_true",
            help="also show how it was found: stages, retrievals, searches, calls of the language model",
        )
        parser.add_argument("--json", action="store_true", help="print JSON")

    def handle(self, *, question: str, **options: Any) -> None:
        if not question.strip():
            raise CommandError("The question is empty.")
        try:
            responders_check([options["responder"]])
            bootstrap.engine_admit(options["engine"])
            owner = owner_account()
            space = space_named(owner, options["space"])
            speaker = options["speaker"] or first_user_speaker(space) or speaker_name(owner)
            answer = question_ask(
                space_id=space.pk,
                question=question,
                asked_by=speaker,
                asked_at=moment(options["asked_at"]),
                responder=options["responder"],
                engine=options["engine"],
            )
        except (EvaluationError, ConversationError, MemoryCoreError) as error:
            raise CommandError(str(error)) from error
        lines = trace_lines(answer, Reading(space_id=space.pk, reader=speaker)) if options["trace"] else []
        if options["json"]:
            data = as_json(answer, question, space.name, speaker)
            if options["trace"]:
                data["trace"] = [
                    {"number": one.number, "kind": one.step.kind, "data": step_data(one.step)} for one in answer.trace
                ]
                data["trace_text"] = lines
            self.stdout.write(json.dumps(data, ensure_ascii=False, indent=2))
            return
        self.stdout.write(answer.text)
        for line in ground_lines(answer):
            self.stdout.write(f"  {line}")
        if options["trace"]:
            self.stdout.write("")
            for line in lines:
                self.stdout.write(line)


def moment(text: str) -> datetime:
    """Return the time of the question; one without a zone is in the product's time zone."""
    if not text:
        return timezone.now()
    try:
        given = datetime.fromisoformat(text)
        return in_the_calendar(given if timezone.is_aware(given) else timezone.make_aware(given))
    except (ValueError, OverflowError) as error:
        raise EvaluationError(f"{text!r} is no date and time. Give --asked-at such as 2024-03-02T18:20:00.") from error


def ground_lines(answer: TimedReply) -> list[str]:
    return [
        *(f"- {triple_text(ground.triple)} ({ground.why})" for ground in answer.grounds.triples),
        *(f"- {sentence_text(ground)} ({ground.why})" for ground in answer.grounds.sentences),
    ]


def trace_lines(answer: TimedReply, reading: Reading) -> list[str]:
    """Return how the reply was found as lines to read, whoever answered."""
    return [line for block in blocks_of(answer.trace, reading) for line in block.lines]


def triple_text(triple: Triple) -> str:
    denied = "" if triple.polarity == "positive" else "not "
    return f"{triple.subject.label} | {denied}{triple.predicate} | {triple.object}"


def sentence_text(ground: GroundSentence) -> str:
    sentence = ground.sentence
    if sentence.by_hand:
        return sentence.shown
    return f'{sentence.speaker}, {sentence.said_at:%Y-%m-%d %H:%M}: "{sentence.text}"'


def as_json(answer: TimedReply, question: str, space: str, speaker: str) -> dict[str, object]:
    return {
        "question": question,
        "space": space,
        "asked_by": speaker,
        "answer": answer.text,
        "triples": [
            {
                "id": ground.triple.id,
                "subject": ground.triple.subject.label,
                "predicate": ground.triple.predicate,
                "object": ground.triple.object,
                "polarity": ground.triple.polarity.value,
                "sentence": ground.triple.source.shown,
                "why": ground.why,
            }
            for ground in answer.grounds.triples
        ],
        "sentences": [
            {
                "id": ground.sentence.id,
                "text": ground.sentence.shown,
                "speaker": ground.sentence.speaker,
                "said_at": ground.sentence.said_at.isoformat(),
                "why": ground.why,
            }
            for ground in answer.grounds.sentences
        ],
        "first_token_ms": round(answer.first_token_ms, 1),
        "total_ms": round(answer.total_ms, 1),
    }
