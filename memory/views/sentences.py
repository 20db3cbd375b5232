"""The page of one sentence: the words within their turn, the turns around it, and the facts extracted from it."""

from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from memory import selectors
from memory.models import HeldFragmentRecord, TripleRecord
from memory.views.own_pages import own_page
from memory.views.rows import or_404

FACTS = 50


@own_page
def sentence(request: HttpRequest, sentence_id: int) -> HttpResponse:
    found = or_404(lambda: selectors.sentence_of(request.user, sentence_id))
    turn = found.turn
    around = selectors.turns_of(request.user).filter(
        session=turn.session_id, index__range=(turn.index - 1, turn.index + 1)
    )
    against = Prefetch("against", queryset=TripleRecord.objects.select_related("subject", "object"))
    held = HeldFragmentRecord.objects.filter(sentence=found).select_related("sentence__turn").defer(*selectors.HEAVY)
    context = {
        "sentence": found,
        "turn": turn,
        "parts": (turn.text[: found.start], turn.text[found.start : found.end], turn.text[found.end :]),
        "before": [other for other in around if other.index < turn.index],
        "after": [other for other in around if other.index > turn.index],
        "facts": selectors.triple_records_of(request.user)
        .filter(sentence=found)
        .order_by("superseded_at", "-id")[:FACTS],
        "held": held.prefetch_related(against)[:FACTS],
        "is_page": True,
        "place": "memory",
    }
    return render(request, "memory/sentence.html", context)
