"""Facts of "X is Y": jobs, ages, origins, qualities, relations, names."""

from __future__ import annotations

import re
from dataclasses import replace

from memory.core.knowledge_graph.extraction.adjectives import quality_mention, read_adjective
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.modality import is_perfect
from memory.core.knowledge_graph.extraction.people import Mention, name_case, placed
from memory.core.knowledge_graph.extraction.trees import Tree
from memory.core.knowledge_graph.naming import key_of
from memory.core.knowledge_graph.ontology import relation_of
from memory.core.knowledge_graph.vocabulary import (
    GROUPS,
    LANGUAGES,
    NATIONALITIES,
    OCCUPATIONS,
    TRANSIENT,
)
from memory.core.types import Fact, Node, Polarity, Tense

_OCCUPATION_SUFFIX = re.compile(r"(?:ologist|ician|ographer|smith|wright|therapist|keeper|maker|engineer|technician)$")


_NO_KIND = frozenset(
    "fan lover believer person mess fool idiot genius pleasure joy day year time fun treat shame pity "
    "problem question idea "
    "thing help way reason part one lot bit blast dream point issue matter deal fact beginner newbie "
    "newcomer member guy girl "
    "man woman friend kid child teen teenager baby kind type sort bummer relief challenge journey "
    "experience story surprise wonder gift blessing "
    "inspiration reminder step moment goal plan example mistake sign start end case risk choice option".split()
)


# A diet or a condition is the same quality whether it is said as a noun or as an adjective.
_QUALITY_NOUNS = frozenset(
    {"vegetarian", "vegan", "pescatarian", "introvert", "extrovert", "diabetic", "asthmatic", "insomniac"}
)


def read_copula(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the facts of a clause whose predicate is a noun, an adjective or a place, by the first rule that knows it."""
    if "born" in (scene.tree.lemma(clause.head), scene.tree.low(clause.head)):
        return []
    read = (reader(scene, clause) for reader in scene.rules.copulas)
    return next((facts for facts in read if facts is not None), [])


def read_qualities(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I'm allergic to nuts and vegetarian"; None where the predicate is no adjective."""
    tree, head = scene.tree, clause.head
    if tree.pos(head) not in ("ADJ", "VERB"):
        return None
    facts = read_adjective(scene, clause, head)
    for other in tree.children(head, "conj"):
        if tree.pos(other) == "ADJ" and tree.child(other, "nsubj", "cop") is None:
            facts += read_adjective(scene, clause, other)
    return facts


def read_place(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I'm from Kent", "she's into chess"; None where the predicate has no preposition."""
    tree = scene.tree
    cases = [tree.low(node) for node in tree.children(clause.head, "case")]
    if not cases:
        return None
    facts, preposition = list[Fact](), " ".join(cases)
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
                placed(value),
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
                placed(value),
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


POSTS = frozenset("head chief chair chairman chairwoman president vice-president dean treasurer leader".split())


def _is_post(tree: Tree, head: int) -> bool:
    """Return whether a noun is a job by what it is the head of: "the head of marketing"."""
    groups = [node for node in tree.children(head, "nmod") if "of" in tree.words(node, "case")]
    is_private = any(tree.words(node, "det") & {"a", "an"} or tree.children(node, "nmod:poss") for node in groups)
    return tree.lemma(head) in POSTS and bool(groups) and not is_private


# What somebody is by what they do, but not for a living.
_NO_TRADE = frozenset(
    "lover member teenager teen winner loser beginner owner player smoker drinker eater newcomer outsider survivor "
    "foreigner stranger user supporter reader gamer hiker viewer follower thinker dreamer sister brother "
    "daughter father mother partner neighbour neighbor minor error donor christian vegetarian pacifist optimist pessimist "
    "feminist perfectionist atheist monster number letter matter corner tiger summer winter order leader helper starter "
    "early-riser riser bedwetter hoarder procrastinator person cancer disaster flower river computer".split()
)
_AGENT = re.compile(r"\w{2,}(?:er|or|ist|eer|man|woman|ess)$")


def _was_trade(tree: Tree, clause: Clause, value: Mention) -> bool:
    """Return whether what somebody was is a trade by its form: "I used to be a navy diver"."""
    is_agent = _AGENT.fullmatch(value.noun) is not None and value.noun not in _NO_TRADE
    return is_agent and clause.tense is Tense.PAST and bool(clause.prefix or tree.children(clause.head, "compound"))


def is_occupation(noun: str) -> bool:
    return noun in OCCUPATIONS or _OCCUPATION_SUFFIX.search(noun) is not None


def read_noun(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Read "I'm a nurse", "my wife is Ana"; None where the predicate is no noun."""
    tree, head = scene.tree, clause.head
    if tree.pos(head) not in ("NOUN", "PROPN", "X"):
        return None
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
    if noun in ("member", "part"):
        groups = [node for node in tree.children(head, "nmod") if "of" in tree.words(node, "case")]
        joined = [group for node in groups for group in scene.mentions.read_all(node)]
        if noun == "part":
            joined = [group for group in joined if group.is_proper or group.noun in GROUPS]
        return [fact for group in joined for fact in write(scene, clause, "memberOf", group, phrase=f"be {noun} of")]
    if noun in _QUALITY_NOUNS:
        return write(scene, clause, "hasQuality", quality_mention(scene, head), phrase="be")
    determiners = tree.words(head, "det")
    for value in scene.mentions.read_all(head):
        if is_occupation(value.noun) or value.noun and _is_post(tree, head) or _was_trade(tree, clause, value):
            former = _former(scene, head, value)
            if former is not None:
                facts += write(scene, clause, "worksAs", former, phrase="used to be", tense=Tense.PAST)
                continue
            facts += write(scene, clause, "worksAs", value, phrase="be")
            facts += _workplace(scene, clause, value)
        elif value.is_proper and not determiners and _named_roles(scene, clause, value):
            facts += _named_roles(scene, clause, value)
        elif value.is_proper and not determiners:
            facts += _named_self(scene, clause, value)
        elif value.noun and value.noun not in _NO_KIND and determiners & {"a", "an"} and not value.is_denied:
            person_like = all(
                s.node.is_speaker or s.relation or s.is_proper or s.node.kind == "Animal" for s in clause.subjects
            )
            if person_like and tree.child(head, "acl") is None and tree.low(head) not in TRANSIENT:
                facts += write(scene, clause, "isA", value, phrase="be", scale=0.7)
    return facts


def _former(scene: Scene, head: int, value: Mention) -> Mention | None:
    """Return the job of "I'm a former teacher" or "an ex-teacher", None where it is held."""
    label = re.sub(r"^(?:former|retired|ex)[ -]", "", value.node.label, flags=re.IGNORECASE)
    if label == value.node.label:
        return None
    return replace(value, node=replace(value.node, label=label))


def _named_roles(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    """Return that the bearer of a role has a name: "My wife is Ana", "My dentist is Dr. Lee"."""
    facts = []
    for subject in clause.subjects:
        relation = subject.relation
        predicate = (relation.predicate or relation_of(relation.noun)) if relation is not None else ""
        if relation is None or relation.is_named or not predicate:
            continue
        holder = Mention(relation.owner, subject.tokens)
        label = name_case(value.node.label)
        is_denied = value.is_denied or clause.polarity is Polarity.NEGATIVE
        # "My aunts are Rosa and Pina": neither is all of the aunts.
        aliases = () if is_denied or not relation.predicate else (subject.node.label, *subject.node.aliases)
        bearer = replace(value, node=Node(label, subject.node.kind, aliases, pos="PROPN"))
        facts += write(scene, clause, predicate, bearer, subject=holder, phrase=relation.noun)
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
    below = tree.children(clause.head, "nmod", "obl")
    for node in [*below, *(inner for above in below for inner in tree.children(above, "nmod"))]:
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
