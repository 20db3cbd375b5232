"""The forms of English questions: question word, auxiliary, subject, verb, complements."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memory.core.english.grammatical_person import FIRST_POSSESSIVES
from memory.core.english.inflection import base_form, is_known_verb
from memory.core.english.times import TimeReference, dates_in
from memory.core.knowledge_graph.noun_phrases import BREAKS, DETERMINERS, noun_phrase
from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_head import AUXILIARIES, Head, read_head
from memory.core.types import ParsedSentence, Token

# Where a phrase for a time stands is the same on every day.
_ANY_DAY = datetime(2020, 1, 1, tzinfo=UTC)
_PAST_AUXILIARIES = frozenset({"did", "was", "were", "had"})
_SUBORDINATORS = frozenset({"before", "after", "when", "while", "because", "if", "since", "until"})
_EMPLOYING = frozenset({"employ", "hire"})
_MARITAL = frozenset({"married", "single", "divorced", "engaged", "widowed", "retired"})
_NEGATIONS = frozenset({"not", "n't", "never", "no", "nt"})
_PREPOSITIONS = frozenset({"to", "with", "for", "in", "from", "at", "as", "about", "on"})
_PARTICLES = frozenset({"up", "out", "down", "back"})
_PAST_WORDS = re.compile(
    r"\b(?:used? to|previously|formerly|originally|former|previous|earlier|in the past|back then|at first|prior|"
    r"(?:my|her|his|their|'s) (?:old|last|ex) (?:job|employer|company|boss|address|house|home|city|flat|apartment|phone|car|"
    r"manager|position|role|name))\b|\bbefore\s*(?:that|this|now|then)?\s*[?.!]*$|\bbefore (?:i|he|she|they|"
    r"we) moved\b|\bbefore\s+[a-z][\w-]+\s*[?.!]*$",
    re.IGNORECASE,
)
_FUTURE_WORDS = re.compile(
    r"\b(?:will|shall|gonna|going to (?!school|university|college|church|the|work)\w+|"
    r"planning|plans?|upcoming|soon|tomorrow|"
    r"next (?:week|month|year|summer|winter|spring|autumn|fall|time)|"
    r"(?:am|is|are) (?:i|we|he|she|they|my \w+|[A-Z]\w+) (?:\w+ )?"
    r"(?:moving|getting|leaving|starting|quitting|turning))\b|'ll\b",
    re.IGNORECASE,
)


def read_topic(parse: ParsedSentence) -> QuestionTerm | None:
    """Return the thing that a bare topic names ("my sister" in "tell me about my sister")."""
    return noun_phrase(_content_tokens(parse), 0)[0]


def read_clause(parse: ParsedSentence) -> GraphQuestion:
    """Return the question of one clause, by its form alone; predicates are left to the vocabulary."""
    time = _time_of(parse.text)
    tokens = [token for token in _content_tokens(parse) if time is None or not _is_inside(token, time)]
    tokens = _without_subordinate_clause(tokens)
    question = GraphQuestion(
        text=parse.text,
        wanted=Wanted.VALUE,
        is_past=bool(_PAST_WORDS.search(parse.text)),
        is_future=bool(_FUTURE_WORDS.search(parse.text)),
        is_negative=any(token.text.lower() in _NEGATIONS for token in tokens),
        time=parse.text[time.span.start : time.span.end] if time is not None else "",
    )
    if not tokens:
        return question
    tokens = [token for token in tokens if token.text.lower() not in _NEGATIONS]
    head = read_head(tokens)
    question = replace(question, wanted=head.wanted, noun=head.noun, preposition=head.preposition)
    start = head.next
    if start >= len(tokens):
        return replace(question, verb="be") if head.word else question
    low = tokens[start].text.lower()
    auxiliary = AUXILIARIES.get(low, "")
    question = replace(question, is_finished=low in _PAST_AUXILIARIES)
    if not head.word and not auxiliary:
        mention, after = noun_phrase(tokens, start)
        return _with_predicate(replace(question, subject=mention), tokens, after)
    if not auxiliary:
        return _subject_wanted_or_embedded(question, head, tokens)
    if auxiliary == "be":
        return _copular(question, tokens, start + 1)
    if auxiliary == "have" and not _has_participle(tokens, start + 1):
        return _supported(replace(question, verb="have"), tokens, start + 1, needs_verb=False)
    if head.word in {"who", "what", "which"} and auxiliary in {"modal", "have"} and _is_verb(tokens, start + 1):
        return _subject_question(question, tokens, start + 1)
    is_perfect = auxiliary == "have" and question.wanted not in {Wanted.DURATION, Wanted.TIME}
    return _supported(replace(question, is_perfect=is_perfect), tokens, start + 1, needs_verb=True)


def _content_tokens(parse: ParsedSentence) -> list[Token]:
    tokens: list[Token] = []
    for token in parse.tokens:
        before = tokens[-1] if tokens else token
        if before.end == token.start and "-" in (token.text, before.text[-1:]):
            tokens[-1] = replace(token, text=before.text + token.text, start=before.start)
        else:
            tokens.append(token)
    return [token for token in tokens if token.pos not in {"PUNCT", "SYM"} and token.text.strip()]


def _without_subordinate_clause(tokens: list[Token]) -> list[Token]:
    """Leave out "when she was ill" and its like: it narrows a question but is not what is asked."""
    if len(tokens) > 4 and tokens[-2].text.lower() == "before" and tokens[-1].pos in {"PROPN", "NOUN"}:
        return tokens[:-2]
    for index, token in enumerate(tokens[3:-1], start=3):
        if token.text.lower() in _SUBORDINATORS and tokens[index + 1].pos in {"PRON", "PROPN"}:
            if any(later.pos in {"VERB", "AUX"} for later in tokens[index + 2 :]):
                return tokens[:index]
    return tokens


def _time_of(text: str) -> TimeReference | None:
    """Return the first phrase for a time that stands after the beginning: a question does not begin with one."""
    return next((time for time in dates_in(text, said_at=_ANY_DAY) if time.span.start > 0), None)


def _is_inside(token: Token, time: TimeReference) -> bool:
    return time.span.start <= token.start < time.span.end


def _is_verb(tokens: Sequence[Token], index: int) -> bool:
    while index < len(tokens) and (tokens[index].text.lower() in BREAKS or tokens[index].pos == "ADV"):
        index += 1
    return index < len(tokens) and tokens[index].pos in {"VERB", "AUX"}


def _has_participle(tokens: Sequence[Token], start: int) -> bool:
    return any(
        token.pos == "VERB" or token.text.lower() in {"been", "had", "done"} or token.text.lower().endswith("ed")
        for token in tokens[start + 1 :]
    )


def _verb_index(tokens: Sequence[Token], start: int) -> int | None:
    """Return where the verb after a supporting auxiliary must stand: the first that can follow a whole noun phrase."""
    for index in range(start + 1, len(tokens)):
        previous = tokens[index - 1].text.lower()
        low = tokens[index].text.lower()
        is_owned = previous in FIRST_POSSESSIVES | DETERMINERS | {"'s", "’s", "'", "of"} or low in {"'s", "’s", "'"}
        if is_owned or low in BREAKS or tokens[index - 1].pos == "ADP":
            continue
        is_participle = index == len(tokens) - 1 and low.endswith("ed")
        if tokens[index].pos in {"VERB", "AUX"} or is_known_verb(tokens[index].text) or is_participle:
            return index
    return None


def _supported(question: GraphQuestion, tokens: Sequence[Token], start: int, *, needs_verb: bool) -> GraphQuestion:
    """Read what follows do, have or a modal: a subject, then the verb."""
    at = _verb_index(tokens, start) if needs_verb else None
    if needs_verb and at is None and len(tokens) > start + 1:
        at = start + 1
    mention, after = noun_phrase(tokens, start, at)
    if at is None:
        return _with_complements(replace(question, subject=mention), tokens, after)
    return _with_predicate(replace(question, subject=mention), tokens, at)


def _subject_question(question: GraphQuestion, tokens: Sequence[Token], start: int) -> GraphQuestion:
    """Read a question whose subject is what is asked: "Who lives in Lyon?"."""
    is_past = question.is_finished or start < len(tokens) and "Tense=Past" in tokens[start].morph
    question = replace(question, wanted=Wanted.SUBJECT, subject=None, is_finished=is_past)
    if start < len(tokens) and base_form(tokens[start].text) in _EMPLOYING:
        # The employer is asked for, and the one who is employed is the subject of what is remembered.
        employed, _ = noun_phrase(tokens, start + 1)
        if employed is not None:
            return replace(question, wanted=Wanted.VALUE, subject=employed, verb="work", preposition="for")
    return _with_predicate(question, tokens, start)


def _subject_wanted_or_embedded(question: GraphQuestion, head: Head, tokens: Sequence[Token]) -> GraphQuestion:
    start = head.next
    starts_phrase = tokens[start].pos in {"PRON", "PROPN", "DET", "NOUN"} and not (
        head.word in {"who", "which", "what"} and not head.noun and tokens[start].pos == "NOUN"
    )
    if head.word in {"who", "what", "which", "whose"} and not starts_phrase and head.preposition == "":
        return _subject_question(question, tokens, start)
    # An embedded question keeps the order of a statement: "where I live", "what my name is".
    mention, after = noun_phrase(tokens, start, _verb_index(tokens, start))
    if mention is None:
        return _with_predicate(question, tokens, start)
    question = replace(question, subject=mention)
    if after < len(tokens) and AUXILIARIES.get(tokens[after].text.lower()) == "be":
        rest = [*tokens[start:after], *tokens[after + 1 :]]
        return _copular(replace(question, is_finished=tokens[after].text.lower() in _PAST_AUXILIARIES), rest, 0)
    if after < len(tokens) and "Tense=Past" in tokens[after].morph:
        question = replace(question, is_finished=True)
    return _with_predicate(question, tokens, after)


def _copular(question: GraphQuestion, tokens: Sequence[Token], start: int) -> GraphQuestion:
    """Read what follows a form of be: a subject, and then nothing, an adjective, a participle, a noun or a place."""
    while start < len(tokens) and tokens[start].text.lower() in {"still", "currently", "now", "there", "also"}:
        start += 1
    mention, after = noun_phrase(tokens, start)
    question = replace(question, verb="be", subject=mention)
    if question.wanted is Wanted.TRUTH and mention is not None and after == len(tokens):
        split = _described(mention)
        if split is not None:
            return replace(question, subject=split[0], object=split[1])
    if mention is None:
        if question.wanted in {Wanted.PERSON, Wanted.VALUE} and start < len(tokens):
            return replace(
                _with_predicate(question, tokens, start), wanted=Wanted.SUBJECT, verb=_be_phrase(tokens, start)
            )
        return _with_complements(question, tokens, start)
    rest = [token for token in tokens[after:] if token.text.lower() not in BREAKS]
    if not rest:
        return _bare_copula(question, mention)
    first = rest[0]
    low = first.text.lower()
    if low in {"called", "named"}:
        wanted = Wanted.TRUTH if question.wanted is Wanted.TRUTH else Wanted.NAME
        return replace(question, wanted=wanted, object=noun_phrase(rest, 1)[0])
    if low.endswith("ing") and first.pos in {"VERB", "NOUN"} and len(low) > 4:
        return _with_predicate(question, rest, 0)
    if first.pos == "VERB" or low in {"born", "married", "engaged", "based", "located", "allergic"}:
        return replace(_with_predicate(question, rest, 0), verb=f"be {low}")
    if first.pos == "ADJ" and not (len(rest) > 1 and rest[1].pos == "NOUN"):
        described = _with_complements(question, rest, 1)
        if question.wanted is Wanted.TRUTH and len(rest) == 1 and low not in _MARITAL:
            return replace(described, object=QuestionTerm(first.text))
        return replace(described, verb=f"be {low}")
    if first.pos in {"ADP", "SCONJ"} or low in {"from", "to"}:
        return _with_complements(question, rest, 0)
    complement, _ = noun_phrase(rest, 0)
    if question.wanted is Wanted.TRUTH and complement is not None and complement.owner is not None:
        return _of_attribute(replace(question, object=mention), complement)
    return replace(question, object=complement)


def _described(mention: QuestionTerm) -> tuple[QuestionTerm, QuestionTerm] | None:
    """Part "Leo tall", which the parse took for one name, into whom and what is asked of them."""
    *before, last = mention.text.split()
    if mention.role or not before or not last.islower():
        return None
    if mention.owner is None and not before[0][:1].isupper():
        return None
    return replace(mention, text=" ".join(before)), QuestionTerm(last)


def _be_phrase(tokens: Sequence[Token], start: int) -> str:
    return f"be {tokens[start].text.lower()}" if tokens[start].pos in {"ADJ", "VERB"} else "be"


def _bare_copula(question: GraphQuestion, mention: QuestionTerm) -> GraphQuestion:
    """Tell "Who is Maya?" from "Who is my boss?" and "What is my name?"; split "Is my boss Tom?"."""
    wanted = question.wanted
    if question.noun and wanted is not Wanted.PERSON:
        return question
    if wanted is Wanted.TRUTH and mention.role and mention.owner is not None:
        role = QuestionTerm(mention.role, owner=mention.owner)
        return _of_attribute(replace(question, object=QuestionTerm(mention.text)), role)
    if mention.owner is not None and wanted is not Wanted.AGE and not mention.role:
        return _of_attribute(question, mention)
    if wanted in {Wanted.PERSON, Wanted.VALUE} and not question.noun:
        return replace(question, wanted=Wanted.IDENTITY)
    return question


def _of_attribute(question: GraphQuestion, mention: QuestionTerm) -> GraphQuestion:
    words = mention.text.lower().split()
    if words[-1] in {"name", "names", "nickname"} and question.wanted is not Wanted.TRUTH:
        if len(words) > 1 and words[-2] not in {"full", "first", "real"}:
            return replace(
                question, wanted=Wanted.NAME, subject=QuestionTerm(" ".join(words[:-1]), owner=mention.owner)
            )
        return replace(question, wanted=Wanted.NAME, subject=mention.owner, noun=mention.text)
    wanted = Wanted.AGE if words[-1] == "age" else question.wanted
    return replace(question, wanted=wanted, subject=mention.owner, noun=mention.text)


def _with_predicate(question: GraphQuestion, tokens: Sequence[Token], at: int) -> GraphQuestion:
    """Read the verb at an index (or after adverbs), its particles and its complements."""
    while at < len(tokens) and (tokens[at].text.lower() in BREAKS or tokens[at].text.lower() in {"been", "to"}):
        at += 1
    if at >= len(tokens):
        return question
    if tokens[at].pos in {"ADP", "SCONJ", "PROPN"} and at > 0 and tokens[at - 1].text.lower() in {"been", "to"}:
        return _with_complements(replace(question, verb="visit", preposition=""), tokens, at)
    verb = base_form(tokens[at].text)
    verb = "have" if verb == "own" else verb
    lows = [token.text.lower() for token in tokens]
    is_to = lows[at + 1 : at + 2] == ["to"]
    after = at + 2 if is_to else at + 1
    if after < len(tokens) and tokens[after].pos in {"VERB", "AUX"}:
        is_doing = verb == "go" and lows[after].endswith("ing") or verb == "get" and lows[after].endswith("ed")
        if is_doing or is_to and verb in {"use", "have"}:
            inner = _with_predicate(question, tokens, after)
            return replace(inner, is_past=inner.is_past or verb == "use")
    return _with_complements(replace(question, verb=verb), tokens, at + 1)


def _with_complements(question: GraphQuestion, tokens: Sequence[Token], start: int) -> GraphQuestion:
    index, preposition, given = start, question.preposition, None
    while index < len(tokens):
        token = tokens[index]
        low = token.text.lower()
        is_particle = token.pos in {"ADP", "SCONJ", "PART"} or token.pos == "ADV" and low in _PARTICLES
        if is_particle and low not in BREAKS or low in _PREPOSITIONS:
            if not preposition:
                preposition = low
            elif not question.preposition and index == start + 1:
                preposition = f"{preposition} {low}"
        elif given is None and low not in BREAKS:
            given, after = noun_phrase(tokens, index)
            if given is None and index > start and index == len(tokens) - 1 and token.pos not in {"PRON", "DET", "AUX"}:
                given = QuestionTerm(token.text)
            index = max(after - 1, index)
        index += 1
    return replace(question, preposition=preposition, object=given)
