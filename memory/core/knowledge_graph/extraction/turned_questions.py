"""Questions of the other turned to the one who answers: "Where do you live?" is their "Where do I live?"."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory.core.knowledge_graph.question import GraphQuestion, QuestionTerm, Wanted
from memory.core.knowledge_graph.question_reader import read_questions
from memory.core.knowledge_graph.question_shell import unwrapped
from memory.core.knowledge_graph.vocabulary import FEMALE, MALE, PETS
from memory.core.ports import SyntacticParser

_KIN = "|".join(sorted(PETS | FEMALE | MALE | {"baby", "kid", "child"}, key=len, reverse=True))
_NOW = re.compile(
    r"\s+(?:at the moment|right now|now|these days|nowadays|currently|today|at present|"
    r"at this point)$",
    re.IGNORECASE,
)
_AUXILIARY = re.compile(
    r"^(?P<head>.*?)\b(?P<aux>do|does|did|am|is|are|was|were|have|has|had)(?P<neg>n't| not)?(?:\s+|"
    r"(?<=s)$)(?P<after>.*?)\s*\?*\s*$",
    re.IGNORECASE | re.DOTALL,
)
_SHELL = re.compile(
    r"^\W*(?:(?:and|so|but|ok|okay|great|nice|cool|also|now|just)\b[\s,!.]*)*(?:(?:can|could|would|will|may|"
    r"might) (?:you|i) (?:please |"
    r"kindly )?(?:tell me|remind me|share|let me know|confirm|ask(?: you)?|know)|(?:please )?(?:tell|"
    r"remind) me(?: again)?|"
    r"i(?:'d| would) (?:love|like) to (?:know|hear|ask)|i(?:'m| am) (?:curious|wondering)(?: about)?|"
    r"(?:do you )?mind (?:telling me|"
    r"if i ask(?: you)?|sharing)|would you mind (?:telling me|sharing))[\s,:]+",
    re.IGNORECASE,
)
_EMBEDDED = re.compile(
    r"(?P<word>what|where|who|when|how old|how many [\w-]+|(?:which|what) [\w-]+)\s+(?P<subject>you|your [\w' -]+?)"
    r"(?:\s+(?P<be>are|is|were|was|have|has))?(?:\s+(?P<rest>.*))?$",
    re.IGNORECASE,
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
    }
)


@dataclass(frozen=True)
class AskedQuestion:
    """A question to the speaker, as the speaker would put it: what comes before and after the subject."""

    question: GraphQuestion
    subject: str
    auxiliary: str
    rest: str
    time: str = ""

    @property
    def lead(self) -> str:
        """The subject with its auxiliary, if that is more than the "do" of a question."""
        return self.subject if self.auxiliary == "do" else f"{self.subject} {self.auxiliary}"


def read_asked(asked: str, parser: SyntacticParser) -> AskedQuestion | None:
    """Return the question as its addressee would put it, read; None for offers, requests and what has no known form."""
    own = _CONTRACTED.sub(r"\1 is", turned(unwrapped(_direct(asked)).text))
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
    rest = re.sub(r"\s+(?:yet|exactly|by the way|btw|again)$", "", after[len(subject) :].strip())
    now = _NOW.search(rest)
    if now is not None and now.start() > 0 and question.wanted is not Wanted.TRUTH:
        return AskedQuestion(question, subject, found["aux"].lower(), rest[: now.start()], now.group())
    return AskedQuestion(question, subject, found["aux"].lower(), rest)


def _direct(asked: str) -> str:
    """Return "Where do you live?" for "Can you tell me where you live?"."""
    bare = _SHELL.sub("", asked.strip())
    if bare == asked.strip():
        return asked
    bare = bare.rstrip("?.! ")
    thing = re.match(r"your [\w' -]+$", bare, re.IGNORECASE)
    if thing is not None:
        return f"What is {bare}?"
    inner = _EMBEDDED.match(bare)
    if inner is None:
        return f"{bare}?"
    auxiliary, rest = inner["be"] or "do", inner["rest"] or ""
    return f"{inner['word']} {auxiliary} {inner['subject']} {rest}?".replace(" ?", "?")


def _subject_in(after: str, mention: QuestionTerm, question: GraphQuestion) -> str:
    """Return the words of the subject at the beginning of what follows the auxiliary."""
    named = re.match(r"[A-Z][\w-]*(?: [A-Z][\w-]*)?(?= (?:my|our) )", after)
    if named is not None and question.wanted is Wanted.TRUTH and question.verb == "be":
        return named.group()
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


def turned(text: str) -> str:
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
        (rf"\bthe (?=(?:{_KIN})\b)", "my "),
        (r"\x00", ""),
    )
)
