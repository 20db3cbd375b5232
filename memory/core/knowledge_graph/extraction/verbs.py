"""Facts of verbs: the table of known phrases first, a minted predicate where the verb says enough by itself."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from memory.core.knowledge_graph.extraction.clauses import Clause, Scene, write
from memory.core.knowledge_graph.extraction.copulas import gerund, phrase_mention
from memory.core.knowledge_graph.extraction.life_events import TENTATIVE, obliques, read_life_event, result_tense
from memory.core.knowledge_graph.extraction.mentions import Mention
from memory.core.knowledge_graph.extraction.modality import is_ended, is_perfect, is_progressive
from memory.core.knowledge_graph.extraction.relations import relation_facts
from memory.core.knowledge_graph.ontology import is_region, minted, predicate_of_phrase
from memory.core.knowledge_graph.update import ANY
from memory.core.types import Fact, Modality, Node, Polarity, Tense

_FEELING = {
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
_CEASING = frozenset({"stop", "quit", "cease", "give"})
_GOING_ON = frozenset({"start", "begin", "continue", "keep"})
_WISHING = {
    "want": "wants",
    "plan": "plansTo",
    "intend": "plansTo",
    "hope": "wants",
    "decide": "plansTo",
    "aim": "plansTo",
}
# A wish with one of these says little without the sentences around it.
_POINTING = frozenset({"which", "who", "that", "it", "this", "them", "you", "your", "their", "there"})
# Verbs that say nothing without their context: no predicate is minted from them.
_LIGHT = frozenset(
    "be have do make get go come take give let see say tell talk speak ask think know mean help try feel look seem sound guess "
    "wonder thank appreciate agree understand believe remember forget find keep put show share happen call hear wait bet wish "
    "want love like hope need want stay sit stand turn set send bring leave start begin end stop finish continue become remain "
    "appear concern worry matter care spend pay depend deal handle manage consider decide expect imagine realize notice check "
    "point add follow lead mention discuss explain describe suggest recommend offer provide include involve require allow "
    "enable increase improve reduce change update create face hit run work live use pick choose catch figure hang pass grow "
    "miss inspire amaze excite surprise bother drive push pull hold carry cut lose win watch hug wake sleep laugh cry smile "
    "relax switch capture feature focus based experience receive meet admire plan sell buy support stick struggle dive".split()
)
_CONDITIONS = frozenset(
    "diabetes asthma adhd autism epilepsy arthritis migraine migraines insomnia anxiety depression cancer celiac dyslexia eczema "
    "hypertension anemia scoliosis tinnitus lupus psoriasis".split()
)
_FLEETING = frozenset(
    "meeting appointment flight exam test interview headache cold fever time day night week idea question problem issue lot "
    "look fun plan chance choice trouble feeling blast doubt sense opportunity experience conversation talk thought dream goal "
    "hour minute reason deadline break call party dinner lunch breakfast event class access interest hope need effect impact "
    "trip vacation degree background career crush hobby passion support memory blessing habit tradition point "
    "way moment faith confidence connection bond relationship connection bunch ton love heart mind reservation budget".split()
)
_ACTIVITIES = frozenset(
    "yoga pilates karate judo ballet crossfit gymnastics taekwondo aikido jiu-jitsu meditation zumba photography".split()
)
_SCHOOL = (
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


def read_verb(scene: Scene, clause: Clause) -> list[Fact]:
    """Return the facts of a clause whose predicate is a verb, following the chain to the verb that carries its meaning."""
    chained = _chained(scene, clause)
    if chained is not None:
        return chained
    given_up = _given_up(scene, clause)
    if given_up:
        return given_up
    event = read_life_event(scene, clause)
    if event is not None:
        return event
    facts = _known(scene, clause)
    return facts or _minted(scene, clause)


def _chained(scene: Scene, clause: Clause) -> list[Fact] | None:
    """Return the facts behind "used to", "going to", "stopped", "started", "love", "want to"; None where no chain begins."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    inner = [
        node
        for node in tree.children(head, "xcomp", "ccomp", "advcl")
        if tree.pos(node) in ("VERB", "NOUN", "ADJ", "AUX", "PROPN")
        and node > head
        and tree.child(node, "nsubj") is None
    ]
    verb = inner[0] if inner else None
    if tree.low(head) == "used" and verb is not None and "to" in tree.words(verb, "mark"):
        past = clause.at(verb, tense=Tense.PAST, prefix="used to")
        return _read_any(scene, past)
    if verb is None:
        return None
    if (
        lemma in ("go", "gon")
        and tree.tag(head) == "VBG"
        and "to" in {*tree.words(verb, "mark"), tree.low(verb - 1), tree.low(head + 1)}
    ):
        return _read_any(scene, clause.at(verb, tense=Tense.FUTURE))
    if lemma == "get" and tree.tag(verb) == "VBN" and tree.low(verb) not in ("married", "divorced", "engaged"):
        return _read_any(scene, clause.at(verb, tense=Tense.FUTURE if clause.tense is Tense.FUTURE else Tense.PRESENT))
    if (
        lemma in _CEASING
        and tree.tag(verb) == "VBG"
        and clause.polarity is Polarity.POSITIVE
        and clause.tense is not Tense.FUTURE
    ):
        ended = clause.at(verb, tense=Tense.PRESENT, polarity=Polarity.NEGATIVE)
        return _read_any(scene, ended) or write(scene, ended, "hasHabit", phrase_mention(scene, verb), phrase=lemma)
    if lemma in _GOING_ON and tree.tag(verb) in ("VBG", "VB"):
        begun = clause.at(verb, tense=Tense.FUTURE if clause.tense is Tense.FUTURE else Tense.PRESENT)
        return _known(scene, begun)
    if lemma in _FEELING and tree.pos(verb) == "VERB":
        if any(tree.low(node) in ("would", "'d") for node in tree.children(head, "aux")):
            return []
        verbs = [
            verb,
            *(
                node
                for node in tree.children(verb, "conj")
                if tree.pos(node) == "VERB" and tree.tag(node) == tree.tag(verb)
            ),
        ]
        return [fact for node in verbs for fact in _felt(scene, clause, phrase_mention(scene, node))]
    if lemma == "stand" and any(tree.lemma(node) == "can" for node in tree.children(head, "aux")):
        return _felt(scene, clause, phrase_mention(scene, verb))
    if lemma in _WISHING and "to" in tree.words(verb, "mark"):
        if clause.tense is Tense.PAST and lemma not in ("decide", "plan"):
            return []
        return _wished(scene, clause, verb)
    if lemma in (
        "learn",
        "try",
        "manage",
        "get",
        "need",
        "have",
        "seem",
        "happen",
        "tend",
        "help",
        "let",
        "ask",
        "tell",
    ):
        return (
            [] if lemma != "learn" else write(scene, clause, "learns", phrase_mention(scene, verb), phrase="learn to")
        )
    return None


def _given_up(scene: Scene, clause: Clause) -> list[Fact]:
    """Return what "gave up coffee", "quit smoking" end: a habit by name, or whichever consumption or play was known."""
    tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    is_giving_up = lemma == "give" and "up" in {tree.low(node) for node in tree.children(clause.head)}
    if (
        not is_giving_up
        and lemma not in ("quit", "stop")
        or clause.polarity is Polarity.NEGATIVE
        or clause.tense is Tense.FUTURE
    ):
        return []
    facts = []
    ended = clause.at(clause.head, tense=Tense.PRESENT, polarity=Polarity.NEGATIVE)
    for node in tree.children(clause.head, "obj"):
        if tree.lemma(node) in ("job", "position", "role", "work") or tree.pos(node) == "PROPN":
            return []
        for value in scene.mentions.read_all(node):
            if tree.low(node).endswith("ing"):
                facts += write(scene, ended, "hasHabit", value, phrase="give up")
            else:
                for predicate in ("drinks", "eats", "plays"):
                    facts += write(scene, ended, predicate, value, phrase="give up", scale=TENTATIVE)
    return facts


def _read_any(scene: Scene, clause: Clause) -> list[Fact]:
    from memory.core.knowledge_graph.extraction.copulas import read_copula

    tree = scene.tree
    if tree.child(clause.head, "cop") is not None or tree.pos(clause.head) in ("ADJ", "NOUN", "PROPN"):
        return read_copula(scene, clause)
    facts = read_verb(scene, clause)
    for node in tree.children(clause.head, "conj"):
        if tree.pos(node) == "VERB" and tree.child(node, "nsubj") is None and tree.tag(node) == tree.tag(clause.head):
            facts += read_verb(scene, clause.at(node))
    return facts


def _wished(scene: Scene, clause: Clause, verb: int) -> list[Fact]:
    activity = phrase_mention(scene, verb)
    tree = scene.tree
    if (
        len(activity.tokens) < 2
        or tree.child(verb, "cop") is not None
        or any(tree.low(node) in _POINTING for node in activity.tokens)
    ):
        return []
    if tree.lemma(verb) in (
        "know",
        "say",
        "ask",
        "tell",
        "thank",
        "hear",
        "see",
        "share",
        "make",
        "be",
        "let",
        "get",
        "understand",
        "talk",
    ):
        return []
    label = tree.words_of(list(activity.tokens))
    value = replace(activity, node=replace(activity.node, label="to " + label, is_literal=True))
    predicate = _WISHING[tree.lemma(clause.head)]
    return write(scene, clause, predicate, value, phrase=tree.lemma(clause.head), scale=0.8, tense=Tense.PRESENT)


def _felt(scene: Scene, clause: Clause, value: Mention) -> list[Fact]:
    _tree, lemma = scene.tree, scene.tree.lemma(clause.head)
    predicate = _FEELING.get(lemma, "likes")
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


def _stem(scene: Scene, head: int) -> str:
    tree = scene.tree
    particles = [tree.low(node) for node in tree.children(head, "compound:prt")]
    return " ".join([tree.lemma(head), *particles])


def _known(scene: Scene, clause: Clause) -> list[Fact]:
    tree, head = scene.tree, clause.head
    stem, facts = _stem(scene, head), []
    is_able = any(tree.lemma(node) == "can" for node in tree.children(head, "aux"))
    for node in tree.children(head, "obj"):
        for value in scene.mentions.read_all(node):
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += _of_object(scene, clause, stem, node, value, is_able=is_able)
    for preposition, node in obliques(scene, head):
        predicate = predicate_of_phrase(f"{stem} {preposition}")
        if not predicate:
            continue
        for value in scene.mentions.read_all(node):
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += _of_oblique(scene, clause, f"{stem} {preposition}", predicate, value)
    facts += list(_of_adverb(scene, clause, stem))
    return facts


def _of_object(scene: Scene, clause: Clause, stem: str, node: int, value: Mention, *, is_able: bool) -> list[Fact]:
    tree = scene.tree
    if stem in _FEELING:
        return _felt(scene, clause, value)
    if stem == "stand":
        return _felt(scene, clause, value) if is_able else []
    if stem in ("have", "get", "own", "buy", "adopt", "purchase", "acquire", "inherit"):
        return _had(scene, clause, stem, node, value)
    if stem in ("do", "practice") and value.noun in _ACTIVITIES and clause.tense is Tense.PRESENT:
        return write(scene, clause, "hasHobby", value, phrase=stem)
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
    if (
        value.noun in _FLEETING
        or value.noun.endswith(("tion", "ness", "ity", "ance", "ence", "ship", "ism"))
        or not is_thing
    ):
        return []
    if scene.mentions.has_owner(node) or clause.polarity is Polarity.NEGATIVE and not is_ended(tree, clause.head):
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
    if predicate == "livesIn":
        if not value.is_proper:
            return write(scene, clause, "staysIn", value, phrase=phrase) if value.noun and phrase == "live in" else []
        value = replace(value, node=replace(value.node, kind="Place"))
        facts = write(scene, clause, predicate, value, phrase=phrase, tense=_lived(scene, clause))
        return facts + _containing(scene, clause, value)
    if predicate in ("comesFrom", "grewUpIn", "bornIn", "traveledTo") and not value.is_proper:
        return []
    if predicate in ("comesFrom", "grewUpIn"):
        place = replace(value, node=replace(value.node, kind="Place"))
        return write(scene, clause, predicate, place, phrase=phrase, tense=Tense.PRESENT, period=(None, None))
    if predicate == "wentTo":
        return _gone(scene, clause, value)
    if predicate == "worksIn" and value.is_proper and is_region(value.node.label):
        value = replace(value, node=replace(value.node, kind="Place"))
    if (
        predicate == "worksFor"
        and not value.is_proper
        and value.noun in ("home", "night", "moment", "weekend", "pace", "office")
    ):
        return []
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
        and any(part in words for part in _SCHOOL)
        and (value.is_proper or clause.polarity is Polarity.POSITIVE and value.node.label.lower() not in _SCHOOL)
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
        and clause.tense is Tense.PRESENT
        and tree.child(clause.head, "obj") is None
    ):
        habit = Mention(Node(gerund(stem), lemma=stem, pos="VERB"), (clause.head,))
        return write(scene, clause, "hasHabit", habit, phrase=stem)
    if stem == "work" and clause.polarity is Polarity.NEGATIVE and tree.child(clause.head, "obl", "obj") is None:
        if any(tree.low(node) in ("anymore", "longer") for node in tree.subtree(clause.head)):
            return write(scene, clause, "worksFor", ANY, phrase="work")
    return []


def _minted(scene: Scene, clause: Clause) -> list[Fact]:
    """Return a fact under a predicate of its own where verb and object are both plain; precision before recall."""
    tree, head = scene.tree, clause.head
    lemma = tree.lemma(head)
    if lemma in _LIGHT or not lemma.isalpha() or len(lemma) < 3 or clause.modality is not Modality.ASSERTED:
        return []
    if clause.polarity is Polarity.NEGATIVE or len(tree) > 35 or tree.child(head, "ccomp") is not None:
        return []
    if tree.tag(head) not in ("VBD", "VBZ", "VBP", "VBG", "VBN", "VB") or any(
        tree.lemma(n) == "can" for n in tree.children(head, "aux")
    ):
        return []
    is_implied = any(subject.tokens == (clause.anchor,) for subject in clause.subjects)
    is_passive = tree.tag(head) == "VBN" and any(tree.lemma(node) == "be" for node in tree.children(head, "aux"))
    if (
        is_implied
        or is_passive
        or tree.child(head, "nsubj:pass") is not None
        or is_progressive(tree, head)
        and not clause.times
    ):
        return []
    stem, facts = _stem(scene, head), []
    tense = result_tense(scene, clause) if clause.tense is Tense.FUTURE else clause.tense
    objects = [(stem, node) for node in tree.children(head, "obj")]
    if not objects:
        objects = [
            (f"{stem} {preposition}", node) for preposition, node in obliques(scene, head)[:1] if " " not in preposition
        ]
    for phrase, node in objects:
        for value in scene.mentions.read_all(node):
            if not _is_plain(scene, node, value):
                continue
            facts += relation_facts(scene, [value], modality=clause.modality)
            facts += write(
                scene,
                clause,
                minted(phrase),
                value,
                phrase=phrase,
                tense=tense,
                scale=0.65,
                period=_event_period(clause, tense),
            )
    return facts


def _event_period(clause: Clause, tense: Tense) -> tuple[datetime | None, datetime | None]:
    for time in clause.times:
        if time.starts and tense is not Tense.PAST:
            return time.time.start, None
        return time.time.start, time.time.end
    return None, None


def _is_plain(scene: Scene, node: int, value: Mention) -> bool:
    tree = scene.tree
    if value.is_proper or value.relation is not None:
        return True
    is_noun = tree.pos(node) == "NOUN" and not value.node.is_speaker and value.noun not in _FLEETING
    return (
        is_noun
        and len(value.tokens) <= 5
        and not tree.words(node, "det") & {"this", "that", "these", "those", "any", "no"}
    )
