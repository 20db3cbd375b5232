"""The small words of answers: quotations, lists without repetition, times and lengths of time."""

from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.inflection import past
from memory.core.english.telling_times import say_day
from memory.core.knowledge_graph.ontology import predicate_named
from memory.core.knowledge_graph.question import GraphQuestion
from memory.core.knowledge_graph.stems import content_stems, stem
from memory.core.knowledge_graph.verbalisation import Assertion, thing_text, with_article
from memory.core.naming import key_of
from memory.core.types import SourceSentence, Triple


def quoted(source: SourceSentence, *, asker: str) -> str:
    """Return a remembered sentence as a quotation with who said it and when; what nobody said is not quoted."""
    who = thing_text(source.speaker, asker=asker)
    if source.by_hand:
        return f"{source.text} That was {source.by_hand} by {who} on {say_day(source.said_at)}."
    words = " ".join(source.text.split()).replace('"', "'")
    return f'On {say_day(source.said_at)} {who} said: "{words}"'


def owner_text(question: GraphQuestion, asker: str) -> str:
    owner = question.subject.owner if question.subject is not None else None
    if owner is None:
        return ""
    if owner.is_speaker:
        return "your"
    inner = "your " if owner.owner is not None and owner.owner.is_speaker else ""
    return f"{inner}{owner.text}'s"


def as_former(made: Assertion) -> Assertion:
    return replace(made, is_former=True)


def distinct(triples: Sequence[Triple]) -> list[Triple]:
    found: dict[tuple[str, str, str], Triple] = {}
    for triple in triples:
        found.setdefault((triple.subject.label, triple.predicate, key_of(triple.object)), triple)
    return list(found.values())


def refines(triples: Sequence[Triple]) -> bool:
    """Return whether several values of one functional predicate stand together because one refines the other."""
    return len({triple.predicate for triple in triples}) == 1 and len(distinct(triples)) > 1


def is_kin(triple: Triple) -> bool:
    spec = predicate_named(triple.predicate)
    return spec.verb == "have" and bool(spec.noun) or triple.predicate == "spouse"


# How a state begins, by the verbs that people ask for it with, and the predicate that says so.
_BEGINNINGS = {
    "owns": {"buy": "buy", "get": "get", "adopt": "adopt", "purchase": "purchase"},
    "livesIn": {"move": "moveTo"},
    "worksFor": {"join": "join"},
    "spouse": {"marry": "marry"},
}


def event_asked(question: GraphQuestion, triple: Triple) -> str:
    """Return the predicate of the event that began a state, where a question asks for it: "When did I buy my bike?".

    Nothing where the words that the triple was read from do not tell the event.
    """
    told = content_stems(triple.source.text) & question.content
    events = _BEGINNINGS.get(triple.predicate, {}).items()
    return next((event for verb, event in events if question.is_past and {stem(verb), stem(past(verb))} & told), "")


def is_relation(triple: Triple) -> bool:
    spec = predicate_named(triple.predicate)
    return (spec.verb == "have" and bool(spec.noun)) or spec.is_symmetric


def is_nameless(triple: Triple) -> bool:
    """Return whether a triple says that there is somebody ("Ana's boss") without saying who."""
    return is_relation(triple) and "'s " in triple.object.replace("’", "'")


def is_named(triple: Triple) -> bool:
    noun = predicate_named(triple.predicate).noun
    label = key_of(triple.object)
    return (
        "'s " not in label
        and label not in {noun, with_article(noun)}
        and (triple.object[:1].isupper() or not triple.object.isascii())
    )


def echoes(triple: Triple) -> bool:
    return key_of(triple.object) == key_of(triple.subject.label)


def lowered(said: str) -> str:
    first = said.split(" ", 1)[0]
    return said[:1].lower() + said[1:] if first in {"You", "Your"} else said


def bare_time(when: str) -> str:
    return when.split(" ", 1)[1] if when.split(" ", 1)[0] in {"on", "in", "between", "since"} else when


def length(days: int) -> str:
    years, months = days // 365, days // 30
    if years >= 2:
        return f"about {years} years"
    if months >= 2:
        return f"about {months} months" if months != 12 else "about 1 year"
    return f"{days} day{'' if days == 1 else 's'}" if days < 14 else f"about {days // 7} weeks"
