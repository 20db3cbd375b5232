"""What a short answer says: "Lyon." after "Where do you live now?" is "I live in Lyon".

The question is turned to the answerer ("Where do I live now?"), read by the reader of questions, and put as a statement with
the answer in it. The rules then read that statement as if the speaker had said it whole; every fact's span is the answer's.

What is taken for the speaker's word: a value that fills what was asked, a yes, a no ("not any more"), and a confirmation
or a rejection of what the other stated ("So you live in Paris?" - "No, Lyon"). What is left alone: guesses ("maybe", "I think
so"), answers to several questions at once, to offers and requests ("Would you like ...", "Can you ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from memory.core.knowledge_graph.extraction.answer_words import (
    NO,
    NUMBER,
    OPEN,
    OWN_CLAUSE,
    PREPOSITION,
    TAIL,
    USED_TO,
    YES,
    says_yes,
    thing_of,
    value_of,
)
from memory.core.knowledge_graph.extraction.clipped_talk import clipped_statement, whole_question
from memory.core.knowledge_graph.extraction.turned_questions import AskedQuestion, read_asked, turned
from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.knowledge_graph.question import Wanted
from memory.core.ports import SyntacticParser
from memory.core.types import Utterance

_MOST_WORDS = 9
_MOST_ASKED = 24
_STATED = re.compile(
    r"^\W*(?:(?:so|ah|oh|ok|okay|wait|right|great|and|but|if i (?:remember|recall) (?:correctly|right|rightly)|"
    r"i see|got it|"
    r"just to (?:confirm|check|be sure|clarify)|to confirm|let me (?:confirm|check)|"
    r"correct me if i'm wrong)\b[\s,:.!-]*)*"
    r"(?:(?:i (?:remember|recall|think|believe|see|have it|understand|noted?|heard)|it (?:sounds|looks|"
    r"seems) like|you(?:'ve)? "
    r"(?:said|mentioned|told me|once said)|as i (?:recall|remember)(?: it)?)(?: that)?,? )?"
    r"(?P<statement>(?:you|your|you're|you've)\b.+?)"
    r"(?:,? (?:right|correct|is that right|is that correct|isn't it|isn't (?:he|she)|don't you|aren't you|yes|"
    r"no|is that so|"
    r"am i right|huh|didn't you|haven't you|weren't you|doesn't (?:he|she|it)))?\s*[?.!]*$",
    re.IGNORECASE | re.DOTALL,
)
_WHEN = re.compile(
    r"^(?:(?:last|this|next|every|two|three|a few|\d+) \w+(?: ago)?|yesterday|recently|today|"
    r"just now|a while ago)$",
    re.I,
)
# Words that open an answer with a capital that is the sentence's rather than a name's.
_SMALL = re.compile(
    r"(?:in|at|on|near|for|to|with|from|as|by|since|outside|a|an|the|my|our|his|her|two|three|four|five|six|"
    r"seven|eight|nine|"
    r"ten|one|last|this|next|mostly|both|some|only)\b",
    re.IGNORECASE,
)
_COMMON_NOUNS = frozenset(
    "job profession occupation hobby color colour food drink sport animal pet fruit season subject instrument "
    "major diet breed "
    "allergy flavor flavour dish meal dessert snack vegetable hobbies".split()
)
_CHECKING = re.compile(
    r"^\W*(?:(?:is|was) (?:that|this) (?:right|correct|so|true)|right|correct|"
    r"did i get that right)\W*$",
    re.IGNORECASE,
)
_GOING = frozenset({"go", "move", "travel", "fly", "relocate"})


@dataclass(frozen=True)
class SpokenOut:
    """A short answer as the statement that it makes.

    Where `righted` is set, the statement is what the other took for true, and `righted` are the words that put it right.
    """

    words: PlainText
    righted: PlainText | None = None
    # Where the answer goes on in a clause of its own: "No, I have a hammock."
    rest_from: int | None = None


def question_before(before: Sequence[Utterance]) -> str:
    """Return the one sentence of the last turn that a short answer can be to, or nothing."""
    last = before[-1]
    texts: list[str] = []
    for earlier in reversed(before):
        if (earlier.speaker, earlier.role, earlier.said_at) != (last.speaker, last.role, last.said_at):
            break
        texts.insert(0, earlier.text)
    sentences = [part.strip() for text in texts for part in re.split(r"(?<=[.!?])\s+|\n+", text) if part.strip()]
    if len(sentences) > 1 and _CHECKING.match(sentences[-1]):
        return sentences[-2].rstrip(".! ") + "?"
    questions = [sentence for sentence in sentences if sentence.rstrip("\"'”)* ").endswith("?")]
    if questions and (sentences[-1] == questions[-1] or len(questions) == 1):
        return questions[-1]
    return sentences[-1] if sentences and not questions else ""


def spoken_out(text: str, asked: str, *, parser: SyntacticParser) -> SpokenOut | None:
    """Return the statement that a short answer to `asked` makes, or None where it is no such answer."""
    stripped, asked = text.strip(), whole_question(asked)
    if not asked or len(asked.split()) > _MOST_ASKED:
        return None
    if len(stripped.split()) > _MOST_WORDS and _clause_after(text, YES.match(text) or NO.match(text)) is None:
        return None
    stated = _STATED.match(asked)
    if stated is not None:
        return _to_statement(text, stated["statement"])
    if not asked.rstrip("\"'”)* ").endswith("?"):
        return None
    question = read_asked(asked, parser)
    return None if question is None else _to_question(text, question)


def _to_statement(text: str, statement: str) -> SpokenOut | None:
    own = turned(statement)
    if says_yes(text):
        return SpokenOut(_composed(text, [own + "."]))
    no = NO.match(text)
    clause = _clause_after(text, no)
    if no is not None and clause is not None:
        return SpokenOut(_composed(text[:clause], [_denied_statement(own) + "."]), rest_from=clause)
    if no is None or OPEN.search(no["rest"]):
        return None
    value = thing_of(no["rest"])
    if value:
        return SpokenOut(_composed(text, [own + "."]), _composed(text, ["No, ", "."], answer=value))
    return SpokenOut(_composed(text, [_denied_statement(own) + "."])) if not no["rest"].strip(" .!,") else None


def _denied_statement(statement: str) -> str:
    found = re.match(r"(?P<subject>I|my [\w' -]+?)(?P<verb>'m| am| is| are| have|'ve| was)\b(?P<rest>.*)$", statement)
    if found is not None:
        return f"{found['subject']}{found['verb']} not{found['rest']}"
    plain = re.match(r"I (?:still )?(?P<rest>.*)$", statement)
    return f"I do not {plain['rest']}" if plain is not None else f"It's not true that {statement}"


def _to_question(text: str, asked: AskedQuestion) -> SpokenOut | None:
    clipped = clipped_statement(text, asked)
    if clipped is not None:
        is_common = clipped[0][0].endswith("allergic to ")
        return SpokenOut(_composed(text, clipped[0], answer=clipped[1], is_common=is_common))
    if asked.question.wanted is Wanted.TRUTH:
        return _to_truth(text, asked)
    answer = value_of(text)
    if not answer:
        return None
    pieces = _with_value(asked, answer)
    if pieces is not None:
        pieces[-1] = re.sub(r"\.$", f"{asked.time}.", pieces[-1])
    is_common = asked.question.verb in ("do", "study", "be allergic", "eat", "drink", "play") or any(
        word.lower() in _COMMON_NOUNS for word in (*asked.question.noun.split(), *asked.subject.split()[-1:])
    )
    return None if pieces is None else SpokenOut(_composed(text, pieces, answer=answer, is_common=is_common))


def _to_truth(text: str, asked: AskedQuestion) -> SpokenOut | None:
    rest, subject, auxiliary = asked.rest, asked.subject, asked.auxiliary
    if USED_TO.match(text):
        rest = re.sub(r"^still ", "", rest)
        return SpokenOut(
            _composed(text, [f"{subject} used to {'be ' if auxiliary in ('am', 'is', 'are') else ''}{rest}."])
        )
    clause = _clause_after(text, NO.match(text) or YES.match(text))
    if clause is not None:
        head = _to_truth(text[:clause], asked)
        return None if head is None else replace(head, rest_from=clause)
    if OPEN.search(text.replace("thank", "")) and not re.search(r"\b(?:thanks?|of course)\b", text, re.IGNORECASE):
        return None
    open_ended = re.search(r"\b(?:any(?:thing|one|body|where)|something|some(?:one|body|where))(?: else)?$", rest)
    if open_ended is not None and not NO.match(text):
        answer = thing_of(re.sub(r"^\W*(?:yes|yeah|yep|yup|sure)\b[\s,.!:;-]*", "", text, flags=re.IGNORECASE))
        before = f"{asked.lead} {rest[: open_ended.start()]}"
        return SpokenOut(_composed(text, [before, "."], answer=answer)) if answer else None
    choice = re.search(
        r"(?P<all>(?P<first>[\w'-]+(?: [\w'-]+)?) or (?P<second>(?:in |at |a |an )?[\w'-]+(?: [\w'-]+)?))$", rest
    )
    yes, no = YES.match(text), NO.match(text)
    if choice is not None:
        answer = value_of(text)
        if answer and answer.lower() in choice["all"].lower():
            words = choice["first"].split()
            verb = f"{words[0]} " if len(words) > 1 and words[0] == asked.question.verb else ""
            kept = " ".join(words[:-1]) if len(words) > 1 and words[0] in ("in", "at", "a", "an", "for") else ""
            before = f"{asked.lead} {rest[: choice.start()]}{verb}".strip()
            before = before if PREPOSITION.match(answer) else f"{before} {kept}".strip()
            before = re.sub(rf" {answer.split()[0]}$", "", before, flags=re.IGNORECASE)
            # "Coffee." is written as "tea or coffee" was.
            is_common = answer.lower() in choice["all"]
            return SpokenOut(_composed(text, [f"{before} ", "."], answer=answer, is_common=is_common))
        return None
    if no is not None:
        return _to_denial(text, no, asked)
    if yes is not None:
        more = TAIL.sub("", yes["rest"]).strip(" ,.!")
        if not more:
            return SpokenOut(_composed(text, [f"{asked.lead} {rest}."]))
        if OWN_CLAUSE.search(more):
            return None
        general = re.search(r"\b(?:an?|any|some) [\w -]+$", rest)
        if general is not None and asked.question.verb not in ("have", "be"):
            return SpokenOut(_composed(text, [f"{asked.lead} {rest[: general.start()]}", "."], answer=more))
        if PREPOSITION.match(more) or _WHEN.match(more):
            return SpokenOut(_composed(text, [f"{asked.lead} {rest} ", "."], answer=more))
        return _had(text, more, asked)
    answer = value_of(text)
    return _had(text, answer, asked) if answer and asked.question.verb == "have" else None


def _to_denial(text: str, no: re.Match[str], asked: AskedQuestion) -> SpokenOut | None:
    rest = re.sub(r"^(?:still|ever|already) ", "", asked.rest)
    plain = f"{asked.lead} {rest}."
    more = no["rest"].strip(" ,.!")
    value = thing_of(more)
    if value:
        return SpokenOut(_composed(text, [plain]), _composed(text, ["No, ", "."], answer=value))
    if more and not value:
        return None
    over = (
        " anymore"
        if asked.rest.startswith("still ") or re.search(r"any ?more|longer", no.group(), re.IGNORECASE)
        else ""
    )
    return SpokenOut(_composed(text, [f"{asked.subject} {asked.auxiliary} not {rest}{over}."]))


def _had(text: str, answer: str, asked: AskedQuestion) -> SpokenOut | None:
    """Return what a yes with a thing, or a thing alone, says after "Do you have any pets?"."""
    if asked.question.verb != "have":
        return None
    kind = re.sub(r"^.*?\b(?:have|got) (?:any |a |an |some )?", "", asked.rest)
    if NUMBER.fullmatch(answer):
        return SpokenOut(_composed(text, [f"{asked.subject} have ", f" {kind}."], answer=answer))
    if not re.match(r"(?:a|an|my|the|\d+|one|two|three|four|five|six|several)\b", answer, re.IGNORECASE):
        return None
    return SpokenOut(
        _composed(text, [f"{asked.subject} {'has' if asked.auxiliary == 'does' else 'have'} ", "."], answer=answer)
    )


def _clause_after(text: str, said: re.Match[str] | None) -> int | None:
    """Return where a clause of the speaker's own begins after a yes or a no, or None."""
    if said is None or not said["rest"]:
        return None
    found = re.match(
        r"[\s,.;:!–—-]+(?=(?:i|i'm|i've|we|we're|we've|my|our|he|she|they|he's|she's|they're|his|her|its|it's|"
        r"there)\b)",
        said["rest"],
        re.IGNORECASE,
    )
    if found is None or OPEN.search(said["rest"].split(",")[0].replace("think", "")):
        return None
    start = said.start("rest") + found.end()
    return start if len(text[start:].split()) > 2 else None


def _article(subject: str, answer: str) -> str:
    """Return the article that a job named without one lacks."""
    is_job = (
        subject.split()[-1] in ("job", "profession", "occupation")
        and re.match(r"(?:an?|the|my)\b", answer, re.I) is None
    )
    return "" if not is_job else "an " if answer[:1].lower() in "aeiou" else "a "


def _with_value(asked: AskedQuestion, answer: str) -> list[str] | None:
    """Return the statement's words before and after the answer."""
    question, subject, auxiliary, rest = asked.question, asked.subject, asked.auxiliary, asked.rest
    is_led = PREPOSITION.match(answer) is not None
    rest = re.sub(r"^(?:still|now|currently) ", "", rest)
    if question.wanted is Wanted.AGE:
        years = "" if re.search(r"[a-z]", answer, re.IGNORECASE) and not NUMBER.fullmatch(answer) else " years old"
        return [f"{re.sub(chr(39) + 's age$', '', subject)} {auxiliary} ", f"{years}."]
    if question.wanted is Wanted.COUNT:
        return (
            [f"{subject} {'have' if auxiliary != 'does' else 'has'} ", f" {question.noun}."]
            if question.verb == "have"
            else None
        )
    if question.wanted in (Wanted.REASON, Wanted.MANNER, Wanted.DURATION, Wanted.RELATION, Wanted.EVERYTHING):
        return None
    verb, _, complement = rest.partition(" ")
    particle = re.match(r"(?:up|out|off|down)$", complement)
    if particle is not None:
        verb, complement = rest, ""
    if not rest:
        lead = "in " if question.wanted is Wanted.PLACE and not is_led else _article(subject, answer)
        return [f"{subject} {auxiliary} {lead}", "."]
    if question.verb == "do" and verb == "do":
        article = (
            ""
            if re.match(r"(?:an?|the|my|nothing)\b", answer, re.IGNORECASE)
            else "an "
            if answer[:1].lower() in "aeiou"
            else "a "
        )
        return [f"{subject} {'am' if subject == 'I' else 'is'} {article}", "."] if len(answer.split()) <= 4 else None
    preposition = ""
    if not is_led and question.wanted is Wanted.PLACE and not re.search(r"(?:^| )(?:in|at|for|from|to)$", rest):
        preposition = "to " if question.verb in _GOING else "at " if question.verb in ("work", "study") else "in "
    elif not is_led and question.wanted is Wanted.TIME and re.match(r"\d|[A-Z]", answer) is not None:
        preposition = "in " if re.fullmatch(r"\d{4}|[A-Z][a-z]+(?: \d{4})?", answer) else "on "
    if re.search(r"(?:^| )(?:in|at|for|from|to|with|as|by|on)$", rest):
        if is_led:
            rest = rest.rsplit(" ", 1)[0]
        return [f"{asked.lead} {rest} ", "."]
    if question.wanted is Wanted.TIME:
        return [f"{asked.lead} {rest} {preposition}", "."]
    return [f"{asked.lead} {verb} {preposition}", f" {complement}.".replace(" .", ".")]


def _composed(text: str, pieces: Sequence[str], *, answer: str = "", is_common: bool = False) -> PlainText:
    """Return the statement with the answer between its two pieces; words that nobody wrote stand for the whole answer.

    The capital of an answer's first word is dropped where it is no name's.
    """
    start = text.lower().find(answer.lower()) if answer else 0
    first = pieces[0][:1].upper() + pieces[0][1:]
    said, starts, ends = first, [0] * len(first), [len(text)] * len(first)
    if answer and start >= 0:
        is_small = is_common or _SMALL.match(answer) is not None
        is_small = is_small and answer.split()[0][1:].islower() or answer.split()[0] == "A"
        said += (answer[0].lower() if is_small else answer[0]) + answer[1:]
        starts += range(start, start + len(answer))
        ends += range(start + 1, start + len(answer) + 1)
    for piece in pieces[1:]:
        said += piece
        starts += [0] * len(piece)
        ends += [len(text)] * len(piece)
    return PlainText(said, tuple(starts), tuple(ends))
