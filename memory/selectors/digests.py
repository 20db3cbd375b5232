"""Pages of a space's digests (summaries, facts, insights), each with the sentences and facts that it rests on."""

from django.db.models import Prefetch, Q

from memory.models import DigestRecord, SentenceRecord, Space, Turn, words_of
from memory.selectors.lists import Asked, words_query
from memory.selectors.pages import PAGE, Page, page_of

# So many of what a digest rests on are shown, and one more tells that there are others.
SOURCES = 4
TOLD = 4
HEAVY_OF_SOURCE = ("embedding", "search", "turn__search", "turn__text")


def digests_page(
    space: Space, asked: Asked, *, kind: str = "", before: str = "", size: int = PAGE
) -> Page[DigestRecord]:
    """Return a page of digests of a kind, or of all, newest first, with the first of the sentences and facts behind each."""
    rows = DigestRecord.objects.filter(known_as_of(asked.as_of), space=space)
    if kind:
        rows = rows.filter(kind=kind)
    if asked.text:
        worded = rows.annotate(worded=words_of("text", "english"))
        rows = worded.filter(worded=words_query(asked.text))
    if asked.session is not None:
        rows = rows.filter(Q(session=asked.session) | Q(round__session=asked.session))
    sources = SentenceRecord.objects.select_related("turn").defer(*HEAVY_OF_SOURCE).order_by("pk")[: SOURCES + 1]
    merged = DigestRecord.objects.defer("embedding").order_by("pk")[: TOLD + 1]
    shown = rows.select_related("session").defer("embedding")
    return page_of(
        shown.prefetch_related(
            Prefetch("sentences", queryset=sources, to_attr="sources"),
            Prefetch("merges", queryset=merged, to_attr="told"),
        ),
        before=before,
        size=size,
    )


def known_as_of(turn: Turn | None) -> Q:
    """Return the condition on digests whose contents had been said as of a turn."""
    if turn is None:
        return Q()
    return Q(round__lte=turn.round_id) | Q(round=None, said_at__lte=turn.said_at)
