"""Facts of a verb of the table with its objects and prepositional phrases."""

from __future__ import annotations

from dataclasses import replace

from memory.core.knowledge_graph.extraction.activities import gerund
from memory.core.knowledge_graph.extraction.changes import begin_state, end_possession, obliques
from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.habits import is_former_habit, is_taken
from memory.core.knowledge_graph.extraction.modality import is_ended, is_perfect, is_progressive
from memory.core.knowledge_graph.extraction.people import Mention
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.ontology import minted, predicate_of_phrase
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Node, Polarity, Tense

FEELING = {
    "love": "likes",
    "like": "likes",
    "enjoy": "likes",
    "adore": "likes",
    "prefer": "likes",
    "hate": "dislikes",
    "dislike": "dislikes",
    "detest": "dislikes",
    "loathe": "dislikes",
    "despise": "dislikes",
}


_CONDITIONS = frozenset(
    "diabetes asthma adhd autism epilepsy arthritis migraine migraines insomnia anxiety depression "
    "cancer celiac dyslexia eczema "
    "hypertension anemia scoliosis tinnitus lupus psoriasis".split()
)


FLEETING = frozenset(
    "clue excuse preference "
    "meeting appointment flight exam test interview headache cold fever time day night week idea "
    "question problem issue lot "
    "look fun plan chance choice trouble feeling blast doubt sense opportunity experience conversation "
    "talk thought dream goal "
    "hour minute reason deadline break call party dinner lunch breakfast event class access interest "
    "hope need effect impact "
    "trip vacation degree background career crush hobby passion support memory blessing habit tradition point "
    "way moment faith confidence connection bond relationship connection bunch ton love heart mind "
    "reservation budget".split()
)


_ACTIVITIES = frozenset(
    "yoga pilates karate judo ballet crossfit gymnastics taekwondo aikido jiu-jitsu meditation zumba "
    "photography".split()
)


SCHOOLS = (
    "university",
    "college",
    "school",
    "academy",
    "institute",
    "mit",
    "stanford",
    "harvard",
    "oxford",
    "cambridge",
    "yale",
    "ucla",
)


def felt_before(scene: Scene, node: int) -> Mention | None:
    """Return what "it" is in "I used to hate olives but now I love them": what the last feeling was about."""
    if scene.tree.low(node) not in ("it", "them", "those", "that"):
        return None
    felt = (fact for fact in reversed(scene.earlier[-3:]) if fact.predicate in ("likes", "dislikes", "eats", "drinks"))
    last = next(felt, None)
    return None if last is None or last.object.is_any else Mention(last.object, (node,), last.object.lemma)


def read_feeling(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    _tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    predicate = FEELING.get(lemma, "likes")
    if clause.tense is Tense.PAST and not clause.prefix:
        # "I loved the film" still holds of a name; of anything else it tells of an occasion.
        return (
            write(scene, clause, predicate, value, phrase=lemma, tense=Tense.PRESENT, period=(None, None), scale=0.8)
            if value.is_proper
            else []
        )
    if clause.tense is Tense.FUTURE:
        return []
    if lemma == "stand":
        is_disliked = clause.polarity is Polarity.NEGATIVE
        return write(
            scene,
            clause,
            "dislikes" if is_disliked else "likes",
            value,
            phrase="can't stand",
            polarity=Polarity.POSITIVE,
        )
    return write(scene, clause, predicate, value, phrase=lemma, period=None if clause.prefix else (None, None))


def stem_of(scene: Scene, head: int) -> str:
    tree = scene.tree
    particles = [tree.low(node) for node in tree.children(head, "compound:prt")]
    return " ".join([tree.lemma(head), *particles])


def read_known(scene: Scene, clause: Clause) -> list[Fact] | None:
    tree, head = scene.tree, clause.head
    stem, facts = stem_of(scene, head), []
    if is_former_habit(scene, clause, stem):
        clause = replace(clause, prefix="used to")
    is_able = any(tree.lemma(node) == "can" for node in tree.children(head, "aux"))
    for node in tree.children(head, "obj"):
        meant = felt_before(scene, node) if stem in FEELING else None
        for value in [meant] if meant is not None else scene.mentions.read_all(node):
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += _of_object(scene, clause, stem, node, value, is_able=is_able)
    for preposition, node in obliques(scene, head):
        predicate = predicate_of_phrase(f"{stem} {preposition}")
        if not predicate:
            continue
        for value in scene.mentions.read_all(node):
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += _of_oblique(scene, clause, f"{stem} {preposition}", predicate, value)
    return [*facts, *_of_adverb(scene, clause, stem)] or None


def _of_object(scene: Scene, clause: Clause, stem: str, node: int, value: Mention, *, is_able: bool) -> list[Fact]:
    tree = scene.tree
    if stem in FEELING:
        return read_feeling(scene, clause, value)
    if stem == "stand":
        return read_feeling(scene, clause, value) if is_able else []
    if stem in ("have", "get", "own", "buy", "adopt", "purchase", "acquire", "inherit"):
        return _had(scene, clause, stem, node, value)
    if stem in ("do", "practice") and value.noun in _ACTIVITIES and clause.tense is Tense.PRESENT:
        return write(scene, clause, "hasHobby", value, phrase=stem)
    if stem in ("take", "be on") and is_taken(scene, clause, node, value):
        return write(scene, clause, minted("take"), value, phrase=stem)
    predicate = predicate_of_phrase(stem)
    if not predicate:
        return []
    if (
        predicate in ("eats", "drinks", "plays", "uses", "reads", "watches", "cooks", "runs", "needs", "rides")
        and clause.tense is not Tense.PRESENT
        and not clause.prefix
    ):
        return []
    if predicate in ("wants", "needs", "knows", "uses", "reads", "watches", "supports", "runs") and (
        is_progressive(scene.tree, clause.head)
        and not (value.is_proper and predicate in ("reads", "watches", "uses"))
        or not value.is_proper
        and predicate in ("knows", "wants", "needs", "uses", "watches")
    ):
        return []
    if predicate in ("attends", "visited", "manages") and not (
        value.is_proper or tree.words(node, "det", "compound", "amod")
    ):
        return []
    if predicate == "speaks" and not value.is_proper and value.noun:
        return []
    return write(scene, clause, predicate, value, phrase=stem)


def _had(scene: Scene, clause: Clause, stem: str, node: int, value: Mention) -> list[Fact]:
    tree = scene.tree
    allergens = [n for n in tree.children(node, "nmod") if "to" in tree.words(n, "case")]
    if value.noun == "allergy" or tree.lemma(node) == "allergy":
        found = [m for n in allergens for m in scene.mentions.read_all(n)]
        found += [
            Mention(Node(tree.low(n), lemma=tree.lemma(n), pos="NOUN"), (n,)) for n in tree.children(node, "compound")
        ]
        return [
            fact
            for mention in found
            for fact in write(scene, clause, "allergicTo", mention, phrase="have an allergy to")
        ]
    if tree.low(node) in _CONDITIONS:
        return write(scene, clause, "hasCondition", value, phrase="have")
    determiners = tree.words(node, "det")
    is_thing = value.is_proper or bool(determiners & {"a", "an"}) or bool(tree.children(node, "nummod"))
    is_denied = clause.polarity is Polarity.NEGATIVE
    is_ours = bool(determiners & {"the"}) or scene.mentions.has_owner(node)
    if stem in ("have", "own") and is_denied and is_ours and is_ended(tree, clause.head) and value.relation is None:
        present = replace(clause, polarity=Polarity.POSITIVE, tense=Tense.PRESENT)
        return end_possession(scene, present, value)
    is_thing = is_thing or is_denied and bool(determiners & {"no", "any"})
    if (
        value.noun in FLEETING
        or value.noun.endswith(("tion", "ness", "ity", "ance", "ence", "ship", "ism"))
        and value.noun != "licence"
        or not is_thing
    ):
        return []
    if scene.mentions.has_owner(node):
        return []
    if tree.children(node, "nmod", "acl") and not value.is_proper:
        return []
    if stem != "have" and stem != "own" and clause.tense is Tense.PAST:
        return write(
            scene,
            clause,
            "owns",
            value,
            phrase=stem,
            tense=Tense.PRESENT,
            scale=0.8,
            period=(next((time.time.start for time in clause.times), None), None),
        )
    if stem == "get" and (clause.tense is not Tense.PAST or not determiners & {"a", "an"}):
        return []
    if stem == "have" and clause.tense is Tense.PAST and not clause.prefix:
        return []
    return write(scene, clause, "owns", value, phrase=stem, scale=0.7)


def _of_oblique(scene: Scene, clause: Clause, phrase: str, predicate: str, value: Mention) -> list[Fact]:
    if value.relation is not None and predicate in ("livesIn", "comesFrom", "grewUpIn", "worksIn"):
        return []
    if predicate == "livesIn":
        if not value.is_proper:
            is_dwelling = value.noun and value.relation is None and phrase == "live in"
            return write(scene, clause, "staysIn", value, phrase=phrase) if is_dwelling else []
        value = replace(value, node=replace(value.node, kind="Place"))
        head = value.tokens[-1]
        several = scene.tree.is_dep(head, "conj") or scene.tree.child(head, "conj") is not None
        if several and is_perfect(scene.tree, clause.anchor):
            # "I have lived in Paris, Lyon and Nice" tells of places, not of a home.
            return write(scene, clause, "hasLivedIn", value, phrase="have lived in", tense=Tense.PAST)
        facts = write(scene, clause, predicate, value, phrase=phrase, tense=_lived(scene, clause))
        return facts + _containing(scene, clause, value)
    if predicate in ("comesFrom", "grewUpIn", "bornIn", "traveledTo") and not value.is_proper:
        return []
    if predicate in ("comesFrom", "grewUpIn"):
        place = replace(value, node=replace(value.node, kind="Place"))
        return write(scene, clause, predicate, place, phrase=phrase, tense=Tense.PRESENT, period=(None, None))
    if predicate == "wentTo":
        return _gone(scene, clause, value)
    if predicate == "worksIn" and value.is_proper:
        value = replace(value, node=replace(value.node, kind="Place"))
    if (
        predicate == "worksFor"
        and not value.is_proper
        and value.noun in ("home", "night", "moment", "weekend", "pace", "office")
    ):
        return []
    if predicate == "hasCondition" and phrase.startswith("diagnose"):
        return begin_state(scene, clause, predicate, value, phrase)
    if predicate == "worksAs" and phrase.split()[0] in ("promote", "hire", "employ"):
        return begin_state(scene, clause, predicate, value, phrase)
    if predicate == "worksAs":
        return write(scene, clause, predicate, value, phrase=phrase)
    if predicate == "worksWith" and value.relation is None and not value.is_proper:
        return write(scene, clause, predicate, value, phrase=phrase, scale=0.7) if clause.tense is Tense.PRESENT else []
    return write(scene, clause, predicate, value, phrase=phrase)


def _lived(scene: Scene, clause: Clause) -> Tense | None:
    return Tense.PAST if clause.tense is Tense.PAST and not is_perfect(scene.tree, clause.anchor) else None


def _containing(scene: Scene, clause: Clause, place: Mention) -> list[Fact]:
    """Return "Lyon is in France" of "Lyon, France"."""
    tree, facts = scene.tree, []
    for node in tree.children(place.tokens[-1], "appos", "nmod", "list", "conj"):
        if tree.pos(node) == "PROPN" and tree.low(node - 1) == "," and tree.child(node, "cc") is None:
            for outer in [scene.mentions.read(node)]:
                if outer is not None:
                    value = replace(outer, node=replace(outer.node, kind="Place"))
                    facts += write(
                        scene,
                        clause,
                        "locatedIn",
                        value,
                        subject=place,
                        phrase="be in",
                        polarity=Polarity.POSITIVE,
                        tense=Tense.PRESENT,
                        period=(None, None),
                    )
    return facts


def _gone(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    words = value.node.label.lower()
    if (
        clause.tense is Tense.PRESENT
        and any(part in words for part in SCHOOLS)
        and (value.is_proper or clause.polarity is Polarity.POSITIVE and value.node.label.lower() not in SCHOOLS)
    ):
        return write(scene, clause, "studiesAt", value, phrase="go to") if value.is_proper else []
    if (
        clause.tense is Tense.PAST
        and (value.is_proper or clause.times)
        and value.noun not in ("bed", "work", "sleep", "home", "school")
    ):
        return write(scene, clause, "wentTo", value, phrase="go to", scale=0.8)
    if clause.tense is Tense.FUTURE and value.is_proper or is_progressive(scene.tree, clause.head) and value.is_proper:
        return write(scene, clause, "goTo", value, phrase="go to", tense=Tense.FUTURE, scale=0.8)
    return []


def _of_adverb(scene: Scene, clause: Clause, stem: str) -> list[Fact]:
    tree = scene.tree
    if (
        stem in ("smoke", "vape", "meditate")
        and (clause.tense is Tense.PRESENT or clause.prefix)
        and tree.child(clause.head, "obj") is None
    ):
        habit = Mention(Node(gerund(stem), lemma=stem, pos="VERB"), (clause.head,))
        return write(scene, clause, "hasHabit", habit, phrase=stem)
    if stem == "work" and clause.polarity is Polarity.NEGATIVE and tree.child(clause.head, "obl", "obj") is None:
        if any(tree.low(node) in ("anymore", "longer") for node in tree.subtree(clause.head)):
            return write(scene, clause, "worksFor", ANY, phrase="work")
    return []
