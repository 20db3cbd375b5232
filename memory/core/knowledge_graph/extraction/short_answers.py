"""What a short answer says: "Lyon." after "Where do you live now?" is "I live in Lyon".

The question is turned to the answerer ("Where do I live now?"), read by the reader of questions, and put as a statement with
the answer in it. The rules then read that statement as if the speaker had said it whole; every fact's span is the answer's.

What is taken for the speaker's word: a value that fills what was asked, a yes, a no ("not any more"), and a confirmation
or a rejection of what the other stated ("So you live in Paris?" - "No, Lyon"). What is left alone: guesses ("maybe", "I think so"),
answers to several questions at once, to offers and requests ("Would you like ...", "Can you ...").
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from memory.core.knowledge_graph.extraction.wording import PlainText
from memory.core.knowledge_graph.question import GraphQuestion, Mention, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.ports import SyntacticParser
from memory.core.types import Utterance

_MOST_WORDS = 9
_LEAD = (
    r"^\W*(?:(?:well|um+|uh+|hmm+|oh|ah|haha|lol|sure|ok(?:ay)?|so|just|currently|right now|still|actually|"
    r"honestly|it would be|"
    r"that would be|that'd be|i'd say|i would say|i think)\b[\s,.!…-]*)*"
)
_YES = re.compile(
    _LEAD
    + r"(?:yes|yep|yeah|yup|ya|yea|sure|indeed|absolutely|definitely|of course|certainly|correct|exactly|right|true|"
    r"that(?:'s| is) (?:right|correct|true|it)|you(?:'re| are) right|you got it|affirmative|si|oui|"
    r"i (?:still )?(?:do|am|did|have|was)|"
    r"(?:he|she|it|they) (?:still )?(?:does|is|did|has|was|do|are|have|were)|still (?:do|am|is|does)|"
    r"i sure (?:do|am))\b"
    r"(?:[\s,.!]+(?:yes|i (?:still |really |sure )?(?:do|am|did|have|was)|(?:he|she|it|they) (?:still )?(?:does|"
    r"is|did|has|was|"
    r"do|are|have|were)|that(?:'s| is) (?:right|correct|true)|indeed|still|sir|ma'am|exactly|of course|thanks|"
    r"thank you|"
    r"correct|right|you(?:'re| are) right)\b(?!\s+[a-z]))*"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_NO = re.compile(
    _LEAD + r"(?:unfortunately |sadly |afraid )?(?P<no>no(?:pe|t anymore|t any more|t any longer|t really|t at all|"
    r" longer)?|nah|never|"
    r"i(?:'m| am) not|i (?:do not|don't|didn't|did not|haven't|have not|wasn't)|"
    r"(?:he|she|it|they) (?:isn't|doesn't|didn't|hasn't|aren't|don't|haven't|wasn't|weren't)|negative|wrong|"
    r"that(?:'s| is) (?:wrong|not (?:right|true|correct)|incorrect|false)|incorrect|not (?:anymore|any more|"
    r"any longer))\b"
    r"(?:[\s,.!]+(?:no|i(?:'m| am) not|i (?:do not|don't|didn't|did not|haven't)|(?:he|she|it|they) (?:isn't|"
    r"doesn't|didn't|hasn't|"
    r"aren't|don't|haven't|wasn't|weren't)|not (?:anymore|any more|any longer|really|at all)|anymore|any more|"
    r"any longer|sorry|"
    r"that(?:'s| is) (?:wrong|not (?:right|true)|incorrect)|sadly|unfortunately|actually|thanks|thank you|it's|"
    r"it is)\b)*"
    r"(?P<rest>.*)$",
    re.IGNORECASE | re.DOTALL,
)
_USED_TO = re.compile(_LEAD + r"(?:(?:no|not anymore|not any more)\b[\s,.!]+(?:but )?)?i used to\W*$", re.IGNORECASE)
_OPEN = re.compile(
    r"\b(?:maybe|perhaps|possibly|probably|might|not sure|unsure|no idea|i guess|i think so|i don't know|idk|"
    r"dunno|sort of|kind of|"
    r"kinda|depends|sometimes|not yet|hopefully|i hope|i wish|i'd like|i'd love|none|nothing|nowhere|nobody|"
    r"anything|whatever|"
    r"secret|guess|why|what|which|who|how|where|you|your|thanks|thank|please|both|neither|either)\b|\?",
    re.IGNORECASE,
)
_OWN_CLAUSE = re.compile(
    r"\b(?:i|i'm|i've|i'll|i'd|we|we're|we've|he|she|they|it|there|that|this|who)\b|\b(?:is|are|was|were|am|has|"
    r"have|had|do|does|"
    r"did|will|would|can|could|should)\b",
    re.IGNORECASE,
)
_PRONOUN_LEAD = re.compile(
    r"^(?:it|that|he|she|they|his name|her name|its name|my name|the name)(?:'s| is|'re| are|'ll be| was)"
    r"(?: called| named)?\s+",
    re.IGNORECASE,
)
_PREPOSITION = re.compile(
    r"^(?:in|at|on|near|for|to|with|from|as|by|since|outside|close|around|of|under)\b", re.IGNORECASE
)
_TAIL = re.compile(
    r"[\s,.!…-]*(?:\b(?:of course|haha|lol|actually|thanks for asking|thanks|why|and you|btw|these days|"
    r"nowadays|still|now|"
    r"currently|at the moment|instead|please|sorry|obviously)\b[\s,.!?…-]*)*$",
    re.IGNORECASE,
)
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
_CHECKING = re.compile(
    r"^\W*(?:(?:is|was) (?:that|this) (?:right|correct|so|true)|right|correct|"
    r"did i get that right)\W*$",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"^(?P<head>.*?)\b(?P<aux>do|does|did|am|is|are|was|were|have|has|had)(?P<neg>n't| not)?(?:\s+|"
    r"(?<=s)$)(?P<after>.*?)\s*\?*\s*$",
    re.IGNORECASE | re.DOTALL,
)
_CONTRACTED = re.compile(r"\b(what|who|where|when|how|which)'s\b", re.IGNORECASE)
_OFFERED = frozenset(
    {
        "want",
        "need",
        "mind",
        "think",
        "know",
        "remember",
        "mean",
        "wish",
        "see",
        "agree",
        "feel",
        "hope",
        "understand",
        "plan",
        "prefer",
    }
)
_GOING = frozenset({"go", "move", "travel", "fly", "relocate"})
_NUMBER = re.compile(
    r"^(?:just |only |about )?(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|no|a few|several)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class SpokenOut:
    """A short answer as the statement that it makes.

    Where `righted` is set, the statement is what the other took for true, and `righted` are the words that put it right.
    """

    words: PlainText
    righted: PlainText | None = None


@dataclass(frozen=True)
class _Asked:
    """A question to the speaker, as the speaker would put it: what comes before and after the subject."""

    question: GraphQuestion
    subject: str
    auxiliary: str
    rest: str


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
    stripped = text.strip()
    if not asked or len(stripped.split()) > _MOST_WORDS or len(asked) > 300:
        return None
    stated = _STATED.match(asked)
    if stated is not None:
        return _to_statement(text, stated["statement"])
    if not asked.rstrip("\"'”)* ").endswith("?"):
        return None
    question = _asked(asked, parser)
    return None if question is None else _to_question(text, question)


def _to_statement(text: str, statement: str) -> SpokenOut | None:
    own = _turned(statement)
    if _says_yes(text):
        return SpokenOut(_composed(text, [own + "."]))
    no = _NO.match(text)
    if no is None or _OPEN.search(no["rest"]):
        return None
    value = _bare(no["rest"])
    if value:
        return SpokenOut(_composed(text, [own + "."]), _composed(text, ["No, ", "."], answer=value))
    return SpokenOut(_composed(text, [_denied_statement(own) + "."])) if not no["rest"].strip(" .!,") else None


def _says_yes(text: str) -> bool:
    yes = _YES.match(text)
    return yes is not None and not _TAIL.sub("", yes["rest"]).strip(" .!,")


def _denied_statement(statement: str) -> str:
    found = re.match(r"(?P<subject>I|my [\w' -]+?)(?P<verb>'m| am| is| are| have|'ve| was)\b(?P<rest>.*)$", statement)
    if found is not None:
        return f"{found['subject']}{found['verb']} not{found['rest']}"
    plain = re.match(r"I (?:still )?(?P<rest>.*)$", statement)
    return f"I do not {plain['rest']}" if plain is not None else f"It's not true that {statement}"


def _asked(asked: str, parser: SyntacticParser) -> _Asked | None:
    """Return the question as its addressee would put it, read; None for offers, requests and what has no known form."""
    own = _CONTRACTED.sub(r"\1 is", _turned(unwrapped(asked).text))
    found = _AUXILIARY.match(own)
    if found is None or re.search(r"\byou(?:r)?\b", own):
        return None
    [question] = read_questions([own], parser=parser)
    if question.verb in _OFFERED or question.subject is None:
        return None
    after = found["after"].strip()
    subject = _subject_in(after, question.subject, question)
    if not subject:
        return None
    rest = after[len(subject) :].strip()
    return _Asked(question, subject, found["aux"].lower(), rest)


def _subject_in(after: str, mention: Mention, question: GraphQuestion) -> str:
    """Return the words of the subject at the beginning of what follows the auxiliary."""
    if mention.is_speaker and not question.noun or mention.is_speaker and re.match(r"(?:I|we)\b", after):
        found = re.match(r"(?:I|we|my [\w'-]+)\b", after)
    elif question.wanted in (Wanted.NAME, Wanted.AGE) or mention.is_speaker:
        attribute = re.match(r"(?:my|our|his|her|their|the|[A-Z][\w-]*'s) .+$|[A-Z][\w-]*(?: [A-Z][\w-]*)?$", after)
        found = attribute if question.verb == "be" and not re.search(r" (?:called|named|born)$", after) else None
        found = found or re.match(
            rf"(?:(?:my|our|his|her|their|the) )?(?:[\w'-]+ )*?{re.escape(mention.text)}\b", after
        )
    else:
        last = re.escape(mention.text.split()[-1])
        found = re.match(rf"(?:[\w'-]+ ){{0,4}}?{last}\b(?:'s [\w -]+$)?", after)
    return found.group() if found is not None else ""


def _to_question(text: str, asked: _Asked) -> SpokenOut | None:
    if asked.question.wanted is Wanted.TRUTH:
        return _to_truth(text, asked)
    answer = _value(text)
    if not answer:
        return None
    pieces = _with_value(asked, answer)
    return None if pieces is None else SpokenOut(_composed(text, pieces, answer=answer))


def _to_truth(text: str, asked: _Asked) -> SpokenOut | None:
    rest, subject, auxiliary = asked.rest, asked.subject, asked.auxiliary
    if _USED_TO.match(text):
        rest = re.sub(r"^still ", "", rest)
        return SpokenOut(
            _composed(text, [f"{subject} used to {'be ' if auxiliary in ('am', 'is', 'are') else ''}{rest}."])
        )
    if _OPEN.search(text.replace("thank", "")) and not re.search(r"\b(?:thanks?|of course)\b", text, re.IGNORECASE):
        return None
    choice = re.search(
        r"(?P<all>(?P<first>[\w'-]+(?: [\w'-]+)?) or (?P<second>(?:in |at |a |an )?[\w'-]+(?: [\w'-]+)?))$", rest
    )
    yes, no = _YES.match(text), _NO.match(text)
    if choice is not None:
        answer = _value(text)
        if answer and answer.lower() in choice["all"].lower():
            words = choice["first"].split()
            kept = " ".join(words[:-1]) if len(words) > 1 and words[0] in ("in", "at", "a", "an", "for") else ""
            before = f"{subject} {auxiliary} {rest[: choice.start()]}{kept}".strip()
            return SpokenOut(_composed(text, [f"{before} ", "."], answer=answer))
        return None
    if no is not None:
        return _to_denial(text, no, asked)
    if yes is not None:
        more = _TAIL.sub("", yes["rest"]).strip(" ,.!")
        if not more:
            return SpokenOut(_composed(text, [f"{subject} {auxiliary} {rest}."]))
        if _OWN_CLAUSE.search(more):
            return None
        if _PREPOSITION.match(more):
            return SpokenOut(_composed(text, [f"{subject} {auxiliary} {rest} ", "."], answer=more))
        return _had(text, more, asked)
    answer = _value(text)
    return _had(text, answer, asked) if answer and asked.question.verb == "have" else None


def _to_denial(text: str, no: re.Match[str], asked: _Asked) -> SpokenOut | None:
    rest = re.sub(r"^(?:still|ever|already) ", "", asked.rest)
    plain = f"{asked.subject} {asked.auxiliary} {rest}."
    more = no["rest"].strip(" ,.!")
    value = _bare(more)
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


def _had(text: str, answer: str, asked: _Asked) -> SpokenOut | None:
    """Return what a yes with a thing, or a thing alone, says after "Do you have any pets?"."""
    if asked.question.verb != "have":
        return None
    kind = re.sub(r"^.*?\b(?:have|got) (?:any |a |an |some )?", "", asked.rest)
    if _NUMBER.fullmatch(answer):
        return SpokenOut(_composed(text, [f"{asked.subject} have ", f" {kind}."], answer=answer))
    if not re.match(r"(?:a|an|my|the|\d+|one|two|three|four|five|six|several)\b", answer, re.IGNORECASE):
        return None
    return SpokenOut(
        _composed(text, [f"{asked.subject} {'has' if asked.auxiliary == 'does' else 'have'} ", "."], answer=answer)
    )


def _with_value(asked: _Asked, answer: str) -> list[str] | None:
    """Return the statement's words before and after the answer."""
    question, subject, auxiliary, rest = asked.question, asked.subject, asked.auxiliary, asked.rest
    is_led = _PREPOSITION.match(answer) is not None
    rest = re.sub(r"^(?:still|now|currently) ", "", rest)
    if question.wanted is Wanted.AGE:
        years = "" if re.search(r"[a-z]", answer, re.IGNORECASE) and not _NUMBER.fullmatch(answer) else " years old"
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
    if not rest:
        lead = "in " if question.wanted is Wanted.PLACE and not is_led else ""
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
        return [f"{subject} {auxiliary} {rest} ", "."]
    if question.wanted is Wanted.TIME:
        return [f"{subject} {auxiliary} {rest} {preposition}", "."]
    return [f"{subject} {auxiliary} {verb} {preposition}", f" {complement}.".replace(" .", ".")]


def _value(text: str) -> str:
    """Return the bare value that a text consists of, or nothing where it says more, or less, than one."""
    bare = re.sub(_LEAD, "", text.strip(), flags=re.IGNORECASE)
    bare = _PRONOUN_LEAD.sub("", bare)
    bare = _TAIL.sub("", bare).strip(" .!,…\"'“”")
    if not bare or _OPEN.search(bare) or _OWN_CLAUSE.search(bare) or not re.match(r"[\w+]", bare):
        return ""
    if _YES.fullmatch(bare) or _NO.fullmatch(bare) or len(bare.split()) > 7:
        return ""
    return bare


def _bare(text: str) -> str:
    """Return a value without its preposition or article: "at Ericsson now" is "Ericsson"."""
    return re.sub(
        r"^(?:(?:in|at|for|with|to|from|an?|the)\s+)+",
        "",
        _value(text) if text.strip(" .,!") else "",
        flags=re.IGNORECASE,
    )


def _turned(text: str) -> str:
    """Return words said to somebody as they would say them: "your sister" is "my sister"."""
    turned = re.sub(r"[’‘]", "'", text.strip())
    for pattern, words in _PERSONS:
        turned = pattern.sub(words, turned)
    return turned


_PERSONS = tuple(
    (re.compile(pattern, re.IGNORECASE), words)
    for pattern, words in (
        (r"\b(?:i|me)\b(?!')", "\x00you"),
        (r"\bmy\b", "\x00your"),
        (r"(?<!\x00)\byou're\b", "I'm"),
        (r"(?<!\x00)\byou (?:are)\b", "I am"),
        (r"(?<!\x00)\byou were\b", "I was"),
        (r"\bare (?<!\x00)you\b", "am I"),
        (r"\baren't (?<!\x00)you\b", "am not I"),
        (r"\bwere (?<!\x00)you\b", "was I"),
        (r"(?<=\bwith )you\b|(?<=\bfor )you\b|(?<=\bto )you\b|(?<=\bfrom )you\b|(?<=\bof )you\b|(?<=\bby )you\b", "me"),
        (r"(?<!\x00)\byou\b", "I"),
        (r"(?<!\x00)\byours\b", "mine"),
        (r"(?<!\x00)\byour\b", "my"),
        (r"(?<!\x00)\byourself\b", "myself"),
        (r"\x00", ""),
    )
)


def _composed(text: str, pieces: Sequence[str], *, answer: str = "") -> PlainText:
    """Return the statement with the answer between its two pieces; words that nobody wrote stand for the whole answer."""
    start = text.lower().find(answer.lower()) if answer else 0
    first = pieces[0][:1].upper() + pieces[0][1:]
    said, starts, ends = first, [0] * len(first), [len(text)] * len(first)
    if answer and start >= 0:
        said += text[start : start + len(answer)]
        starts += range(start, start + len(answer))
        ends += range(start + 1, start + len(answer) + 1)
    for piece in pieces[1:]:
        said += piece
        starts += [0] * len(piece)
        ends += [len(text)] * len(piece)
    return PlainText(said, tuple(starts), tuple(ends))
