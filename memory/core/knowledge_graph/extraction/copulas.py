"""Facts of "X is Y": jobs, ages, origins, qualities, relations, names."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.mentions import Mention, name_case
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.update import ANY
from memory.core.knowledge_graph.vocabulary import (
    LANGUAGES,
    MARITAL,
    NATIONALITIES,
    OCCUPATIONS,
    TRANSIENT,
    WITHOUT_SPOUSE,
)
from memory.core.types import Fact, Node, Polarity, Tense

_OCCUPATION_SUFFIX = re.compile(r"(?:ologist|ician|ographer|smith|wright|therapist|keeper|maker|engineer|technician)$")
_NO_KIND = frozenset(
    "fan lover believer person mess fool idiot genius pleasure joy day year time fun treat shame pity problem question idea "
    "thing help way reason part one lot bit blast dream point issue matter deal fact beginner newbie newcomer member guy girl "
    "man woman friend kid child teen teenager baby kind type sort bummer relief challenge journey experience story surprise wonder gift blessing "
    "inspiration reminder step moment goal plan example mistake sign start end case risk choice option".split()
)
_ATTITUDES = {
    "fond": "likes",
    "keen": "likes",
    "crazy": "likes",
    "passionate": "likes",
    "afraid": "fears",
    "scared": "fears",
    "terrified": "fears",
    "allergic": "allergicTo",
    "intolerant": "allergicTo",
    "married": "spouse",
    "engaged": "hasFiance",
    "fluent": "speaks",
    "interested": "interestedIn",
    "obsessed": "likes",
    "addicted": "likes",
    "into": "likes",
    "based": "livesIn",
    "located": "locatedIn",
    "employed": "worksFor",
}
_PREPOSITIONS_OF = {
    "fond": "of",
    "keen": "on",
    "crazy": "about",
    "passionate": "about",
    "afraid": "of",
    "scared": "of",
    "terrified": "of",
    "allergic": "to",
    "intolerant": "to",
    "married": "to",
    "engaged": "to",
    "fluent": "in",
    "interested": "in",
    "obsessed": "with",
    "addicted": "to",
    "based": "in",
    "located": "in",
    "employed": "by",
}
# A diet or a condition is the same quality whether it is said as a noun or as an adjective.
_QUALITY_NOUNS = frozenset(
    {"vegetarian", "vegan", "pescatarian", "introvert", "extrovert", "diabetic", "asthmatic", "insomniac"}
)
_YEARS = frozenset({"year", "years", "yr", "yrs", "yo", "y", "old"})


def read_copula(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the facts of a clause whose predicate is a noun, an adjective, a number or a place."""
    tree, head = scene.tree, clause.head
    age = _age(scene, clause)
    if age:
        return age
    if tree.lemma(head) == "born" or tree.low(head) == "born":
        return []
    cases = [tree.low(node) for node in tree.children(head, "case")]
    if cases:
        return _prepositional(scene, clause, " ".join(cases))
    if tree.pos(head) in ("ADJ", "VERB"):
        facts = _adjective(scene, clause, head)
        for other in tree.children(head, "conj"):
            if tree.pos(other) == "ADJ" and tree.child(other, "nsubj", "cop") is None:
                facts += _adjective(scene, clause, other)
        return facts
    if tree.pos(head) in ("NOUN", "PROPN", "X"):
        return _nominal(scene, clause)
    return []


def _age(scene: Scene, clause: Clause) -> list[Fact]:
    tree, head = scene.tree, clause.head
    number = head if tree.pos(head) == "NUM" else None
    if number is None and tree.low(head) in _YEARS:
        below = [node for node in tree.subtree(head) if tree.pos(node) == "NUM"]
        number = below[0] if below else None
    if number is None or clause.tense is Tense.PAST:
        return []
    others = [
        tree.low(node)
        for node in dict.fromkeys([head, *tree.children(number), *tree.children(head)])
        if node > number
        and tree.pos(node) in ("NOUN", "ADJ", "SYM", "PROPN")
        and not tree.is_dep(node, "conj", "parataxis")
    ]
    match = re.fullmatch(r"\d{1,3}", tree.low(number))
    if tree.children(head, "case") or any(
        word not in _YEARS and word not in ("today", "now", "month", "months") for word in others[:2]
    ):
        return []
    value = tree.low(number) if match else WORD_NUMBERS.get(tree.low(number), "")
    if not value or int(value) > 125:
        return []
    unit = " months" if {"month", "months"} & set(others) else ""
    people = tuple(
        m
        for m in clause.subjects
        if m.node.is_speaker or m.node.kind in ("Person", "Animal", "") and (m.relation or m.is_proper or not m.noun)
    )
    facts = []
    for person in people:
        mention = Mention(Node(value + unit, is_literal=True, pos="NUM"), (number,))
        facts += write(scene, clause, "age", mention, subject=person, phrase="be")
    return facts


WORD_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen twenty".split()
    )
} | {
    f"{word}": str(n)
    for word, n in (
        ("thirty", 30),
        ("forty", 40),
        ("fifty", 50),
        ("sixty", 60),
        ("seventy", 70),
        ("eighty", 80),
        ("ninety", 90),
    )
}


def _prepositional(scene: Scene, clause: Clause, preposition: str) -> list[Fact]:
    tree, facts = scene.tree, []
    if preposition == "to" and is_perfect(tree, clause.head):
        # "I've been to Japan" is a visit; "I've never been to Japan" denies any.
        tense = Tense.PRESENT if clause.polarity is Polarity.NEGATIVE else Tense.PAST
        visits = [value for value in scene.mentions.read_all(clause.head) if value.is_proper]
        return [
            fact
            for value in visits
            for fact in write(scene, clause, "visited", value, phrase="have been to", tense=tense)
        ]
    predicate = {"from": "comesFrom", "originally from": "comesFrom", "into": "likes", "based in": "livesIn"}.get(
        preposition, ""
    )
    for value in scene.mentions.read_all(clause.head):
        if predicate == "likes":
            facts += write(scene, clause, predicate, value, phrase="be into")
        elif predicate and value.is_proper:
            facts += write(
                scene,
                clause,
                predicate,
                _place(value),
                phrase=f"be {preposition}",
                tense=Tense.PRESENT if predicate == "comesFrom" else None,
            )
        elif (
            preposition in ("in", "near", "at")
            and value.is_proper
            and _is_written_as_name(scene, clause.head)
            and not any(set(time.tokens) & set(value.tokens) for time in scene.times)
        ):
            # "I'm in Paris this week" tells where somebody is, not where they live.
            facts += write(
                scene,
                clause,
                "locatedIn" if preposition == "in" else "locatedNear" if preposition == "near" else "locatedAt",
                _place(value),
                phrase=f"be {preposition}",
                scale=0.8,
            )
        elif tree.low(clause.head) == "college" and preposition == "in":
            facts += write(scene, clause, "attends", value, phrase="be in", scale=0.8)
    return facts


def _is_written_as_name(scene: Scene, head: int) -> bool:
    """Return whether a word has a capital, or stands in a text without any ("I'm in awe" names no place)."""
    text = scene.tree.text
    return scene.tree.tokens[head].text[:1].isupper() or text == text.lower()


def _place(value: Mention) -> Mention:
    return replace(value, node=replace(value.node, kind="Place"))


def _adjective(scene: Scene, clause: Clause, head: int) -> list[Fact]:
    tree = scene.tree
    word = tree.low(head)
    attitude = _ATTITUDES.get(word, "")
    targets = [
        node for node in tree.children(head, "obl", "nmod") if _PREPOSITIONS_OF.get(word) in tree.words(node, "case")
    ]
    facts: list[Fact] = []
    if attitude and targets:
        for target in targets:
            for value in scene.mentions.read_all(target):
                if attitude == "speaks" and key_of(value.node.label) not in LANGUAGES:
                    continue
                facts += relation_facts(scene, [value], modality=clause.modality)
                facts += write(scene, clause, attitude, value, phrase=f"be {word} {_PREPOSITIONS_OF[word]}")
        if word == "married":
            facts += _marital(scene, clause, head, word)
        return facts
    gerunds = tree.children(head, "advcl", "ccomp", "xcomp")
    if attitude == "fears" and gerunds:
        return write(scene, clause, "fears", phrase_mention(scene, gerunds[0]), phrase=f"be {word} of")
    if word == "tall":
        sizes = [node for node in tree.subtree(head) if tree.pos(node) in ("NUM", "NOUN") and node < head]
        size = Mention(Node(tree.words_of(sizes), is_literal=True), tuple(sizes))
        return (
            write(scene, clause, "height", size, phrase="be tall") if any(tree.pos(n) == "NUM" for n in sizes) else []
        )
    if word == "intolerant" and tree.pos(head - 1) in ("NOUN", "ADJ") and head > 1:
        cause = Mention(Node(tree.low(head - 1), lemma=tree.lemma(head - 1), pos="NOUN"), (head - 1, head))
        return write(scene, clause, "allergicTo", cause, phrase="be intolerant to")
    if word in MARITAL:
        return _marital(scene, clause, head, word)
    if word in NATIONALITIES:
        return write(
            scene,
            clause,
            "nationality",
            Mention(Node(name_case(tree.tokens[head].text), pos="ADJ"), (head,)),
            phrase="be",
        )
    if word in ("dead",):
        return write(scene, clause, "hasQuality", _quality(scene, head), phrase="be")
    # Of a bare name or a capitalised noun ("Life's unpredictable") a quality says too little to keep.
    is_person = all(s.node.is_speaker or s.relation or not s.is_proper for s in clause.subjects)
    if clause.tense is Tense.PAST and not clause.prefix:
        return []
    if word in TRANSIENT or not is_person or not word.isalpha() or len(word) < 4 or tree.tag(head) in ("JJR", "JJS"):
        return []
    if tree.children(head, "xcomp", "ccomp", "advcl", "obl", "csubj") or clause.tense is Tense.FUTURE:
        return []
    if word.endswith(("ed", "ing")) and word not in ("retired", "adopted"):
        return []
    return write(scene, clause, "hasQuality", _quality(scene, head), phrase="be", scale=0.8)


def _quality(scene: Scene, head: int) -> Mention:
    tree = scene.tree
    parts = [node for node in tree.children(head, "compound", "obl:npmod", "obl:unmarked") if node < head]
    hyphen = [node for node in tree.children(head, "punct") if tree.low(node) == "-"]
    tokens = sorted([*parts, *hyphen, head])
    return Mention(
        Node(tree.words_of(tokens).lower(), is_literal=True, lemma=tree.lemma(head), pos="ADJ"), tuple(tokens)
    )


def _marital(scene: Scene, clause: Clause, head: int, word: str) -> list[Fact]:
    status = Mention(Node(MARITAL[word], is_literal=True, pos="ADJ"), (head,))
    is_denied = clause.polarity is Polarity.NEGATIVE
    facts = write(scene, clause, "maritalStatus", status, phrase="be")
    ends = word in WITHOUT_SPOUSE if not is_denied else word == "married"
    if ends and clause.tense is Tense.PRESENT:
        facts += write(scene, clause, "spouse", ANY, polarity=Polarity.NEGATIVE, phrase=f"be {word}")
        if word == "single" and not is_denied:
            for relation in ("hasPartner", "hasGirlfriend", "hasBoyfriend"):
                facts += write(scene, clause, relation, ANY, polarity=Polarity.NEGATIVE, phrase="be single")
    return facts


def phrase_mention(scene: Scene, verb: int) -> Mention:
    """Return an activity as a thing: "playing the guitar" in "I love playing the guitar"; "to cook" becomes "cooking"."""
    tree = scene.tree
    skipped = {
        node
        for child in tree.children(
            verb, "conj", "cc", "mark", "advcl", "punct", "advmod", "nsubj", "parataxis", "discourse"
        )
        for node in tree.subtree(child)
    }
    tokens = [node for node in tree.subtree(verb) if node not in skipped and node >= verb]
    timed = {token for time in scene.times for token in time.tokens}
    tokens = [node for node in tokens if node not in timed]
    while tokens and tree.pos(tokens[-1]) in ("ADP", "CCONJ", "PUNCT", "PART", "SCONJ", "DET"):
        tokens.pop()
    words = tree.words_of(tokens[:8] or [verb])
    label = gerund(tree.lemma(verb)) + words[len(tree.tokens[verb].text) :]
    return Mention(Node(label, lemma=tree.lemma(verb), pos="VERB"), tuple(tokens or [verb]), noun=tree.lemma(verb))


def gerund(lemma: str) -> str:
    """Return the -ing form of a verb by the spelling rules of English."""
    if lemma.endswith("ie"):
        return lemma[:-2] + "ying"
    if lemma.endswith("e") and not lemma.endswith(("ee", "oe", "ye")):
        return lemma[:-1] + "ing"
    is_doubled = re.fullmatch(r"[^aeiou]*[aeiou][bdgmnprt]", lemma) is not None
    return lemma + (lemma[-1] if is_doubled else "") + "ing"


def is_occupation(noun: str) -> bool:
    return noun in OCCUPATIONS or _OCCUPATION_SUFFIX.search(noun) is not None


def _nominal(scene: Scene, clause: Clause) -> list[Fact]:
    tree, head = scene.tree, clause.head
    noun = tree.lemma(head)
    facts: list[Fact] = []
    if tree.low(head) in NATIONALITIES and tree.child(head, "det") is None:
        return write(
            scene,
            clause,
            "nationality",
            Mention(Node(name_case(tree.tokens[head].text), pos="ADJ"), (head,)),
            phrase="be",
        )
    related = _role_of(scene, clause)
    if related:
        return related
    if noun in ("fan", "lover"):
        return _fan(scene, clause, noun)
    if noun in _QUALITY_NOUNS:
        return write(scene, clause, "hasQuality", _quality(scene, head), phrase="be")
    determiners = tree.words(head, "det")
    for value in scene.mentions.read_all(head):
        if is_occupation(value.noun):
            facts += write(scene, clause, "worksAs", value, phrase="be")
            facts += _workplace(scene, clause, value)
        elif value.is_proper and not determiners:
            facts += _named_self(scene, clause, value)
        elif value.noun and value.noun not in _NO_KIND and determiners & {"a", "an"} and not value.is_denied:
            person_like = all(s.node.is_speaker or s.relation or s.is_proper for s in clause.subjects)
            if person_like and tree.child(head, "acl") is None and tree.low(head) not in TRANSIENT:
                facts += write(scene, clause, "isA", value, phrase="be", scale=0.7)
    return facts


def _named_self(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    """Return the name in "I'm Ana"; of other subjects "X is Y" between two names says nothing certain."""
    label = value.node.label
    is_name = bool(re.fullmatch(r"[A-Z][\w'.-]+(?: [A-Z][\w'.-]+){0,2}", label)) and key_of(label) not in TRANSIENT
    own = tuple(s for s in clause.subjects if s.node.is_speaker and not clause.is_plural)
    if not (is_name and own and clause.tense is Tense.PRESENT and scene.tree.text.isascii()):
        return []
    as_written = scene.tree.tokens[clause.head].text
    if not as_written[:1].isupper() or len(scene.tree) > 12 or key_of(label) in LANGUAGES:
        return []
    name = replace(value, node=replace(value.node, is_literal=True))
    return write(scene, clause, "hasName", name, subject=own[0], phrase="be", scale=0.8)


def _fan(scene: Scene, clause: Clause, noun: str) -> list[Fact]:
    tree, head, facts = scene.tree, clause.head, []
    for target in tree.children(head, "nmod"):
        for value in scene.mentions.read_all(target):
            facts += write(scene, clause, "likes", value, phrase="be a fan of")
    compounds = tree.children(head, "compound")
    if not facts and compounds:
        tokens = tuple(node for compound in compounds for node in tree.subtree(compound))
        label = tree.words_of(list(tokens))
        facts += write(scene, clause, "likes", Mention(Node(label, pos="NOUN"), tokens), phrase=f"be a {noun} of")
    return facts


def _workplace(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    tree, facts = scene.tree, []
    for node in tree.children(clause.head, "nmod", "obl"):
        if tree.words(node, "case") & {"at", "for", "with"}:
            for place in scene.mentions.read_all(node):
                if place.is_proper or tree.words(node, "case") & {"at"} and place.noun:
                    facts += write(scene, clause, "worksFor", place, phrase="work at")
    return facts


def _role_of(scene: Scene, clause: Clause) -> list[Fact]:
    """Return "Tom is my brother" and "Mary is Tom's mother": the subject fills the role that the predicate names."""
    tree, head = scene.tree, clause.head
    if not relation_of(tree.lemma(head)) or not scene.mentions.has_owner(head):
        return []
    owner = scene.mentions.owner_of(head)
    if owner is None:
        return []
    holder = Mention(owner, tuple(tree.children(head, "nmod:poss")))
    facts = []
    for subject in clause.subjects:
        role = scene.mentions.read(head)
        value = replace(subject, tokens=(*subject.tokens, head))
        if (
            role is not None
            and role.relation is not None
            and not role.relation.is_named
            and clause.polarity is Polarity.POSITIVE
        ):
            kind = subject.node.kind or role.node.kind
            value = replace(
                value,
                node=replace(
                    subject.node, kind=kind, aliases=(*subject.node.aliases, role.node.label, *role.node.aliases)
                ),
            )
        if subject.node.is_speaker:
            value = replace(subject, tokens=(*subject.tokens, head))
        facts += write(scene, clause, relation_of(tree.lemma(head)), value, subject=holder, phrase=tree.lemma(head))
    return facts
