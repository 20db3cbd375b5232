"""Repairs of verbs that the parse took for nouns, and of subjects that it split or swallowed."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

from memory.core.english.inflection import third_person
from memory.core.knowledge_graph.ontology import VERB_PREDICATES, relation_of
from memory.core.types import Token

# Verbs of the predicates' table that are hardly ever plural nouns after a name, and some more of everyday life.
_VERBS = frozenset(phrase.split()[0] for phrase in VERB_PREDICATES) - {"be", "can", "base", "name", "call", "stand"} | {
    *"have want move take make sing swim dance write paint travel prefer collect bake volunteer sell build make go "
    "cycle climb suffer practise train coach design wear keep bring become stay earn".split()
}
_THIRD_PERSONS = {third_person(verb): verb for verb in _VERBS}
_BASES = frozenset(
    {"live", "work", "love", "hate", "like", "study", "play", "speak", "teach", "own", "drive", "want", "enjoy"}
)
VERB_FORMS = _THIRD_PERSONS | {verb: verb for verb in _BASES}

_BETWEEN = frozenset({"also", "still", "now", "really", "currently", "always", "usually", "just", "both", "all"})
_OPENERS = frozenset(
    "and but so because while since although though that , ; : - when now well yes no think guess believe know say says "
    "said".split()
)
_PARTICIPLES = {
    "laid": "lay",
    "fired": "fire",
    "hired": "hire",
    "promoted": "promote",
    "raised": "raise",
    "employed": "employ",
}


def third_persons(tokens: list[Token]) -> list[Token]:
    """Return the tokens with "lives" after "my friend Mia" as the verb of that subject, whatever the parse made of them."""
    for index in range(1, len(tokens)):
        start = _subject_start(tokens, index)
        if start is not None and not _is_sound(tokens, start, index):
            tokens = _with_verb(tokens, start, index)
    return tokens


def _subject_start(tokens: Sequence[Token], index: int) -> int | None:
    """Return where the person begins that a verb form follows, or None where the form is a noun after all."""
    word = tokens[index].text
    if word not in VERB_FORMS or index + 1 < len(tokens) and _is_finite(tokens[index + 1]):
        return None
    end = index - 1
    while end > 0 and tokens[end].text.lower() in _BETWEEN:
        end -= 1
    if not _is_person_word(tokens[end]):
        return None
    is_plural = relation_of(tokens[end].lemma) != "" and tokens[end].lemma != tokens[end].text.lower()
    if (word in _THIRD_PERSONS) is is_plural:
        return None
    start = end
    while start > 0 and (_is_person_word(tokens[start - 1]) or _is_before_noun(tokens[start - 1])):
        start -= 1
    is_opening = start == 0 or tokens[start - 1].text.lower() in _OPENERS
    names_somebody = any(relation_of(t.lemma) or t.text[:1].isupper() for t in tokens[start : end + 1])
    return start if is_opening and names_somebody and _is_free(tokens, start, index) else None


def _is_person_word(token: Token) -> bool:
    is_name = token.text[:1].isupper() and token.pos in ("PROPN", "NOUN", "ADJ", "VERB", "X", "INTJ")
    return is_name or relation_of(token.lemma) != "" and token.pos in ("NOUN", "PROPN", "ADJ")


def _is_before_noun(token: Token) -> bool:
    if token.tag == "PRP$" or token.text.lower() in ("my", "our", "his", "her", "their"):
        return True
    return token.dep == "amod" or token.text.lower() in ("older", "younger", "big", "little", "best", "good", "old")


def _is_finite(token: Token) -> bool:
    return token.pos == "AUX" and token.tag in ("VBZ", "VBP", "VBD", "MD") or token.tag == "VBD"


def _is_free(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Return whether no finite verb before, in the same clause, has these words for its object: "I love Tim's works"."""
    for token in reversed(tokens[:start]):
        if token.text.lower() in ("and", "but", "that", ",", ";", ":", "because", "while"):
            return True
        if token.pos in ("VERB", "AUX"):
            return token.lemma in ("say", "think", "know", "tell", "believe", "guess", "hear")
    return True


def _is_sound(tokens: Sequence[Token], start: int, index: int) -> bool:
    """Return whether the parse has the form as a verb with a subject among the words before it."""
    verb = tokens[index]
    if verb.pos != "VERB" or verb.tag not in ("VBZ", "VBP"):
        return False
    if not any(token.head == index and token.dep.startswith("nsubj") for token in tokens[start:index]):
        return False
    # Each part of the name hangs within the subject: "my sister Bea" is one person.
    people = [token for token in tokens[start:index] if _is_person_word(token)]
    return all(start <= t.head < index or t.head == index and t.dep.startswith("nsubj") for t in people)


def _with_verb(tokens: list[Token], start: int, index: int) -> list[Token]:
    fixed = list(tokens)
    group = range(start, index + 1)
    top = next((i for i in (index, *group) if tokens[i].head == i or tokens[i].head not in group), index)
    above = tokens[tokens[top].head]
    is_top = above.index == top
    head, dep = (index, "root") if is_top else (above.index, _clausal(tokens[top].dep))
    if not is_top and above.index < start and tokens[start - 1].text.lower() in ("and", "but"):
        while above.pos in ("NOUN", "PROPN") and above.head != above.index and above.head not in group:
            above = tokens[above.head]
        head, dep = above.index, "conj"
    after = tokens[index + 1 :]
    if not is_top and above.index > index and not any(t.head == above.index and t.dep == "cop" for t in tokens):
        # What follows the verb was read as the head of it all: "Al plays chess", "Al lives in Rome and works".
        is_verb = above.pos in ("VERB", "AUX") or above.text in VERB_FORMS
        head = index if above.head == above.index else above.head
        dep = above.dep
        has_case = any(t.head == above.index and t.dep == "case" for t in after)
        fixed[above.index] = replace(above, head=index, dep="conj" if is_verb else "obl" if has_case else "obj")
        for token in tokens:
            if token.head == above.index and (token.index < index or token.dep in ("punct", "obl", "conj")):
                hangs_on_verb = token.index < start or not is_verb and token.dep in ("punct", "obl")
                if hangs_on_verb and token.index != above.index:
                    fixed[token.index] = replace(token, head=index)
    fixed[index] = replace(
        tokens[index],
        pos="VERB",
        tag="VBZ" if tokens[index].text in _THIRD_PERSONS else "VBP",
        lemma=VERB_FORMS[tokens[index].text],
        dep=dep,
        head=head,
    )
    _hang_subject(fixed, start, index)
    for token in after:
        if fixed[token.index].head in group:
            fixed[token.index] = replace(fixed[token.index], head=index, dep=_of_verb(fixed, fixed[token.index]))
    return fixed


def _hang_subject(fixed: list[Token], start: int, index: int) -> None:
    words = [i for i in range(start, index) if fixed[i].text.lower() not in _BETWEEN]
    people = [i for i in words if _is_person_word(fixed[i]) and not _is_before_noun(fixed[i])]
    relation = next((i for i in people if relation_of(fixed[i].lemma) and not fixed[i].text[:1].isupper()), None)
    subject = (people or words)[-1]
    for i in range(start, index):
        if i not in words:
            fixed[i] = replace(fixed[i], head=index, dep="advmod")
        elif i == subject:
            fixed[i] = replace(fixed[i], head=index, dep="nsubj", pos=_noun_pos(fixed[i]))
        elif i == relation:
            fixed[i] = replace(fixed[i], head=subject, dep="compound", pos="NOUN")
        elif _is_before_noun(fixed[i]):
            owned = relation if relation is not None and relation > i else subject
            is_owner = fixed[i].tag == "PRP$"
            fixed[i] = replace(fixed[i], head=owned, dep="nmod:poss" if is_owner else "amod")
        else:
            fixed[i] = replace(fixed[i], head=subject, dep="compound", pos=_noun_pos(fixed[i]))


def _noun_pos(token: Token) -> str:
    return "PROPN" if token.text[:1].isupper() and not relation_of(token.lemma) else "NOUN"


def _clausal(dep: str) -> str:
    return dep if dep in ("conj", "ccomp", "parataxis", "advcl", "root") else "ccomp"


def _of_verb(tokens: Sequence[Token], token: Token) -> str:
    has_case = any(other.head == token.index and other.dep == "case" for other in tokens)
    if token.dep.split(":")[0] in ("nmod", "obl", "obj", "compound", "flat", "appos", "dep", "list", "nsubj"):
        return "obl" if has_case else "obj" if token.pos in ("NOUN", "PROPN", "NUM", "ADJ") else token.dep
    return token.dep


def participles(tokens: list[Token]) -> list[Token]:
    """Return the tokens with participles of hiring, of the perfect ("I've relocated") and "got married" as verbs."""
    fixed = list(tokens)
    for token in tokens:
        word = token.text.lower()
        has_perfect = any(t.head == token.index and t.dep == "aux" and t.lemma == "have" for t in tokens)
        if token.pos == "ADJ" and token.tag == "VBN" and has_perfect:
            fixed[token.index] = replace(token, pos="VERB")
        elif token.pos == "ADJ" and word in _PARTICIPLES:
            fixed[token.index] = replace(token, pos="VERB", tag="VBN", lemma=_PARTICIPLES[word])
        elif word in ("married", "divorced", "engaged") and any(
            other.head == token.index and other.dep.startswith(("aux", "cop")) and other.lemma == "get"
            for other in tokens
        ):
            lemma = {"married": "marry", "divorced": "divorce", "engaged": "engage"}[word]
            fixed[token.index] = replace(token, pos="VERB", tag="VBN", lemma=lemma)
    return fixed


def conjoined_verbs(tokens: list[Token]) -> list[Token]:
    """Read "and lives in Porto" as a second predicate of the subject."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        is_form = token.text in VERB_FORMS and token.pos in ("NOUN", "PROPN", "VERB") and token.dep == "conj"
        is_form = is_form and (token.pos != "VERB" or above.pos in ("NOUN", "PROPN") and not _has_copula(tokens, above))
        follows_and = token.index > 0 and tokens[token.index - 1].text.lower() in ("and", "but", "who")
        if not is_form or not follows_and or above.pos not in ("VERB", "NOUN", "PROPN", "ADJ"):
            continue
        while above.pos in ("NOUN", "PROPN") and above.dep in ("obj", "obl", "nmod", "conj", "advmod", "xcomp"):
            above = tokens[above.head]
        fixed[token.index] = replace(token, pos="VERB", tag="VBZ", lemma=VERB_FORMS[token.text], head=above.index)
        for other in tokens[token.index + 1 :]:
            if other.dep in ("obl", "nmod", "obj") and other.head in (above.index, token.index):
                fixed[other.index] = replace(other, head=token.index, dep="obl" if other.dep == "nmod" else other.dep)
    return fixed


def _has_copula(tokens: Sequence[Token], token: Token) -> bool:
    return any(other.head == token.index and other.dep == "cop" for other in tokens)


def verbs_as_nouns(tokens: list[Token]) -> list[Token]:
    """Return the tokens with a root like "live" after "my parents" as the verb that it is, and they as its subject."""
    root = next((token for token in tokens if token.head == token.index), None)
    if root is None or root.pos != "NOUN" or root.text.lower() not in VERB_FORMS or root.index == 0:
        return tokens
    below = [token for token in tokens if token.head == root.index and token.index != root.index]
    if any(token.dep in ("cop", "det") for token in below):
        return tokens
    tag = "VBZ" if root.text.lower().endswith("s") else "VBP"
    fixed = list(tokens)
    fixed[root.index] = replace(root, pos="VERB", tag=tag, lemma=VERB_FORMS[root.text.lower()])
    before = [
        token
        for token in below
        if token.index < root.index and token.dep in ("compound", "nmod:poss", "amod", "flat", "nmod")
    ]
    has_subject = any(token.dep.startswith("nsubj") for token in below)
    nominal = [token for token in before if token.pos in ("NOUN", "PROPN")]
    if not has_subject:
        if not nominal or nominal[-1].index < root.index - 2:
            return tokens
        subject = nominal[-1]
        fixed[subject.index] = replace(subject, dep="nsubj", head=root.index)
        for token in before:
            if token.index != subject.index:
                fixed[token.index] = replace(token, head=subject.index)
    for token in below:
        if token.index > root.index and token.dep == "nmod":
            fixed[token.index] = replace(token, dep="obl")
    return fixed


def joined_subjects(tokens: list[Token]) -> list[Token]:
    """Join "our daughter" and "Emma", or "my wife Julia" and "I", where each was read as a subject of the same verb."""
    fixed = list(tokens)
    for left, right in itertools.pairwise(tokens):
        both = left.dep.startswith("nsubj") and right.dep.startswith("nsubj") and left.head == right.head
        if both and left.pos == "NOUN" and right.pos == "PROPN":
            fixed[left.index] = replace(left, dep="compound", head=right.index)
    for token in tokens:
        above = tokens[token.head]
        is_other = token.pos == "PRON" or any(t.head == token.index and t.dep == "nmod:poss" for t in tokens)
        if token.dep == "conj" and above.dep == "appos" and is_other and tokens[above.head].dep.startswith("nsubj"):
            fixed[token.index] = replace(token, head=above.head)
    subjects = [token for token in fixed if token.dep.startswith("nsubj")]
    for left, right in itertools.pairwise(subjects):
        between = fixed[left.index + 1 : right.index]
        if left.head == right.head and relation_of(left.lemma) and right.pos == "PROPN":
            is_title = bool(between) and all(token.head == right.index and token.pos == "PROPN" for token in between)
            fixed[left.index] = replace(left, dep="compound", head=right.index) if is_title else left
        link = next((token for token in between if token.text.lower() in ("and", "&")), None)
        is_one_phrase = all(token.pos in ("PROPN", "NOUN", "CCONJ", "PRON", "DET", "ADJ", "PUNCT") for token in between)
        if left.head == right.head and link is not None and is_one_phrase:
            fixed[right.index] = replace(right, dep="conj", head=left.index)
            fixed[link.index] = replace(link, dep="cc", head=right.index)
    return fixed


def contrasts(tokens: list[Token]) -> list[Token]:
    """Hang "but I live in Seville" beside "my brother says", not within what he says."""
    fixed = list(tokens)
    for token in tokens:
        above = tokens[token.head]
        if token.dep != "conj" or above.dep not in ("ccomp", "xcomp") or above.index == token.index:
            continue
        if token.tag in ("VBD", "VBZ", "VBP") and above.tag in ("VBG", "VB"):
            # "I quit nursing and started a new job": a finite verb goes on from the finite one.
            fixed[token.index] = replace(token, head=above.head)
            continue
        below = [other for other in tokens if other.head == token.index]
        has_subject = any(other.dep.startswith("nsubj") for other in below)
        if has_subject and any(other.dep == "cc" and other.text.lower() == "but" for other in below):
            fixed[token.index] = replace(token, head=above.head)
    return fixed
