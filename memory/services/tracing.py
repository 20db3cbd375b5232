"""Writes traces, and removes words from them when something that they found is forgotten.

A writer of words that rest on something holds the lock of its space. What is forgotten meanwhile is either seen by the writer
and left out, or its forgetting finds the words here and removes them.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field

from django.db.models import Max, Q

from memory.core.naming import key_of
from memory.core.tracing import Numbering, TraceStep, names_in, stored_form
from memory.core.tracing.step import StoredForm
from memory.models import MAINTENANCE, AliasRecord, Round, SentenceRecord, StepRecord, TraceRecord, TripleRecord
from memory.services.spaces import space_lock


@dataclass
class TraceWriter:
    """The only writer of a trace.

    A batch of steps takes the same number of queries for any size, in the caller's transaction.
    """

    trace: TraceRecord
    numbering: Numbering = field(default_factory=Numbering)
    passing: set[str] = field(default_factory=set)

    def store(self, steps: Sequence[TraceStep]) -> list[int]:
        """Store steps that happened together and return their numbers; a step with an earlier key replaces that step."""
        if self.trace._state.adding:
            self.trace.save()
        numbered = {self.numbering.number(step): step for step in steps}
        names = names_in(steps)
        forms = {number: stored_form(step) for number, step in numbered.items()}
        if any(rests(form) for number, form in forms.items() if not numbered[number].words_pass):
            space_lock(self.trace.space_id)
            self.see_forgotten(forms.values())
        if names:
            entities = entities_called(self.trace.space_id, names)
            forms = {number: stored_form(step, entities=entities) for number, step in numbered.items()}
        self.passing |= {step.kind for step in steps if step.words_pass}
        StepRecord.objects.bulk_create(
            [self.row(number, form) for number, form in forms.items()],
            update_conflicts=True,
            unique_fields=["trace", "number"],
            update_fields=["figures", "words", "triples", "sentences"],
        )
        return list(numbered)

    def close(self) -> None:
        """Remove the words that were for progress only, since they would outlive the forgetting of what they name."""
        if self.passing:
            StepRecord.objects.filter(trace=self.trace, kind__in=self.passing).update(words={})

    def see_forgotten(self, forms: Iterable[StoredForm]) -> None:
        """Record whether anything that these or earlier steps rest on has been forgotten."""
        forms = list(forms)
        self.trace.refresh_from_db(fields=["has_forgotten"])
        triples = {one for form in forms for one in form.triples}
        sentences = {one for form in forms for one in form.sentences}
        gone = len(triples) - (TripleRecord.objects.filter(pk__in=triples).count() if triples else 0)
        gone += len(sentences) - (SentenceRecord.objects.filter(pk__in=sentences).count() if sentences else 0)
        if gone and not self.trace.has_forgotten:
            words_remove([self.trace.pk])
            self.trace.has_forgotten = True

    def row(self, number: int, form: StoredForm) -> StepRecord:
        return StepRecord(
            space_id=self.trace.space_id,
            trace_id=self.trace.pk,
            number=number,
            kind=form.kind,
            figures=form.figures,
            words={} if self.trace.has_forgotten else form.words,
            triples=form.triples,
            sentences=form.sentences,
        )


def rests(form: StoredForm) -> bool:
    """Return whether a step has words that rest on something, or ids that other words may rest on."""
    return bool(form.words or form.triples or form.sentences)


def traces_forget(
    *,
    space_id: int,
    triples: Collection[int] = (),
    sentences: Collection[int] = (),
    but_of: Collection[int] = (),
) -> None:
    """Remove the words from every trace that rests on what is being forgotten, in the caller's transaction.

    Traces of rounds in `but_of` keep theirs.
    """
    found = Q(triples__overlap=list(triples)) if triples else Q(pk=None)
    if sentences:
        found |= Q(sentences__overlap=list(sentences))
    if triples or sentences:
        steps = StepRecord.objects.filter(found, trace__space=space_id).exclude(trace__round__in=but_of).order_by()
        words_remove(steps.values_list("trace_id", flat=True).distinct())


def session_traces_forget(*, session_id: int) -> None:
    """Remove the words from the traces of a session, because they may repeat words of a turn that is being forgotten."""
    words_remove(TraceRecord.objects.filter(round__session=session_id).values_list("pk", flat=True))


def version_traces_forget(round_ids: Collection[int]) -> None:
    """Remove the words from all traces of the sessions of these rounds that have versions.

    What is taught anew after a switch has other ids than those traces know.
    """
    versioned = Round.everything.filter(session__rounds__in=round_ids).exclude(aside_with=None).order_by()
    for session_id in versioned.values_list("session_id", flat=True).distinct():
        session_traces_forget(session_id=session_id)


def words_remove(trace_ids: Iterable[int]) -> None:
    ids = list(trace_ids)
    if ids:
        TraceRecord.objects.filter(pk__in=ids).update(has_forgotten=True)
        StepRecord.objects.filter(trace__in=ids).exclude(words={}).update(words={})


def maintenance_trace_add(*, round: Round, steps: Sequence[TraceStep]) -> None:
    """Add steps to the trace of a round's maintenance, in the caller's transaction."""
    if steps:
        trace, _ = TraceRecord.objects.get_or_create(round=round, part=MAINTENANCE, space_id=round.space_id)
        count = StepRecord.objects.filter(trace=trace).aggregate(last=Max("number"))["last"]
        TraceWriter(trace, Numbering(count or 0)).store(steps)


def maintenance_traces_forget(round_ids: Collection[int]) -> None:
    """Delete the traces of the maintenance of rounds, which starts over."""
    TraceRecord.objects.filter(round__in=round_ids, part=MAINTENANCE).delete()


def entities_called(space_id: int, names: Collection[str]) -> dict[str, int]:
    """Return the space's entity of each name, the oldest where several have it."""
    keys = {name: key_of(name) for name in names}
    aliases = AliasRecord.objects.filter(space_id=space_id, key__in=set(keys.values()) - {""})
    known = dict(aliases.order_by("-entity_id").values_list("key", "entity_id"))
    return {name: known[key] for name, key in keys.items() if key in known}
