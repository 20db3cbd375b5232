"""What a reply states, shown in its words and in a line below them in the chat, and the button that asks for the check.

The chat loads the line by its URL and knows nothing about checking. The line asks again when the check has ended, and now
and then until it has; with it come the reply's words with its claims marked.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from conversations.models import Reply
from conversations.views.replies import address_of, owned
from evaluation.core.reply_facts.types import Verdict, figures_of
from evaluation.models import CheckState, FactCheck, FactRecord
from evaluation.selectors.facts import reply_check as check_of
from evaluation.selectors.facts import turn_of
from evaluation.services.fact_promises import check_ask
from evaluation.services.score_promises import ENDED
from memory.views.own_pages import own_page

ASKED_MOST = 12


@dataclass(frozen=True)
class Claim:
    """A sentence of a reply with the facts that it claims, of which some are not supported."""

    number: int
    start: int
    end: int
    facts: tuple[FactRecord, ...]

    @property
    def is_false(self) -> bool:
        return any(fact.verdict == Verdict.FALSE for fact in self.facts)


@own_page
def reply_check(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Return the line of a reply's check, and its words with what is not supported marked once the check has ended."""
    return rendered(request, owned(request, reply_id))


@require_POST
def check_again(request: HttpRequest, reply_id: int) -> HttpResponse:
    """Queue the check of a reply that has none or whose check failed."""
    reply = owned(request, reply_id)
    if (turn := turn_of(reply)) is not None:
        check_ask(turn=turn)
    return rendered(request, reply)


def rendered(request: HttpRequest, reply: Reply) -> HttpResponse:
    if not request.htmx:
        return redirect(address_of(reply))
    turn = turn_of(reply)
    check = check_of(turn) if turn is not None else None
    text = request.GET.get("asked", "0")
    asked = min(int(text), ASKED_MOST) if text.isdecimal() and len(text) < 4 else 0
    is_waiting = check.state == CheckState.PENDING if check is not None else reply.round.maintenance not in ENDED
    context = {
        "reply": reply,
        "check": check,
        "is_waiting": is_waiting,
        "claims": claims_of(check) if check is not None else [],
        "figures": figures_of(fact.verdict for fact in check.facts.all()) if check is not None else None,
        "asked": asked + 1 if asked < ASKED_MOST else 0,
        "wait": 2 + 2 * asked,
    }
    return render(request, "evaluation/_check.html", context)


def claims_of(check: FactCheck) -> list[Claim]:
    """Return the sentences that have a fact which is contradicted or unknown, in order."""
    sentences: dict[tuple[int, int], list[FactRecord]] = {}
    for fact in check.facts.all():
        if fact.verdict != Verdict.NOT_A_CLAIM:
            sentences.setdefault((fact.start, fact.end), []).append(fact)
    return [
        Claim(number, *place, tuple(facts))
        for number, (place, facts) in enumerate(sentences.items(), start=1)
        if any(fact.verdict != Verdict.TRUE for fact in facts)
    ]
