"""Which link of a question nothing was told of, in words: "You haven't told me where Airbus has its office."

What cannot be said in good grammar from the parts of the link is said in the words of the question, and else not named.
"""

from conversations.core.responders.d_smart.clauses import WHERE
from conversations.core.responders.d_smart.phrases import PREPOSITIONS, spelled
from conversations.core.responders.d_smart.questions import Aim, ChainQuestion
from memory.core.english.grammatical_person import told_to_its_speaker
from memory.core.english.inflection import is_known_verb, past, past_participle, third_person
from memory.core.knowledge_graph.ontology import predicate_named, relation_of
from memory.core.knowledge_graph.verbalisation import is_asker, possessive, thing_text, with_article
from memory.core.reasoning_tree.rule_based_plan import End, Link, Plan, Solution

# Behind a noun or a participle these are no complement of the verb.
_LOOSE = frozenset({"of", "by"})
_ADJECTIVES = frozenset({"married", "engaged", "based", "located", "born", "related", "allergic", "situated"})
# What only people do: a place that "lives" was reached by a wrong link.
_PERSONAL = frozenset("live work study drive speak marry play teach like love ride read learn cook sing".split())
_PEOPLE = frozenset({"person", "who", "whom", "man", "woman"})
_KINDS_OF_THINGS = frozenset({"Place", "Organization"})
# "Which car" and "the same city as Lisa" describe nothing that could be told of by itself.
_ASKING = frozenset({"which", "what", "whose", "same"})
_UNNAMED = "what you ask"


class MissingLink:
    """Says one missing link of a question to its asker."""

    def __init__(self, link: Link, *, plan: Plan, chain: ChainQuestion, furthest: Solution, asker: str) -> None:
        self._link = link
        self._plan = plan
        self._chain = chain
        self._asker = asker
        self._source = furthest.fillers.get(link.source)
        self._target = furthest.fillers.get(link.target)

    def sentence(self) -> str:
        """Return "You haven't told me ..."."""
        return f"You haven't told me {self._what()}."

    def _what(self) -> str:
        link, source = self._link, self._source
        if link.is_role and source is not None and source.id is not None:
            return self._role(source)
        described = self._described()
        if described:
            return f"enough about {described}"
        if link.is_role or source is not None and source.id is None:
            return _UNNAMED
        return self._clause()

    def _role(self, source: End) -> str:
        words = self._link.words
        name = relation_of(words) or relation_of(words.split()[-1])
        owner = possessive(source.label, asker=self._asker)
        is_person = bool(name) and predicate_named(name).range == "Person"
        return f"who {owner} {words} is" if is_person else f"enough about {owner} {words}"

    def _described(self) -> str:
        """Return what the question describes at the missing link and nobody was found to be, in its own words."""
        for place, end in ((self._link.source, self._source), (self._link.target, self._target)):
            thing = self._chain.sketch.things[place]
            is_answer = place == self._chain.answer and thing.words in {"who", "whom", "what", "which", WHERE, "whose"}
            start, stop = thing.span
            tokens = self._chain.tokens[start:stop]
            lows = {token.text.lower() for token in tokens}
            is_asked = is_answer or bool(lows & _ASKING)
            if end is not None or is_asked or not tokens:
                continue
            return self._to_you(tokens[0].start, tokens[-1].end)
        return ""

    def _to_you(self, start: int, end: int) -> str:
        inside = [token for token in self._chain.tokens if start <= token.start and token.end <= end]
        return told_to_its_speaker(spelled(inside))

    def _clause(self) -> str:
        *said, last = self._link.words.split()
        is_place = last == WHERE
        preposition = last if said and last in PREPOSITIONS else ""
        words = said if is_place or preposition else [*said, last]
        if not words or preposition in _LOOSE or not self._is_verb(words):
            return _UNNAMED
        if self._source is None:
            return self._doer(words, preposition)
        if self._source.kind in _KINDS_OF_THINGS and words[0] in _PERSONAL:
            return _UNNAMED
        subject = self._definite(self._source.label)
        said_of = self._finite(words, is_you=is_asker(self._source.label, asker=self._asker))
        tail = f" {preposition}" if preposition else ""
        if self._target is not None:
            return f"whether {subject} {said_of}{tail} {self._value(self._target)}"
        return f"{self._lead(is_place=is_place)} {subject} {said_of}{tail}"

    def _is_verb(self, words: list[str]) -> bool:
        first, *rest = words
        if first == "be":
            return not rest or (len(rest) == 1 and (rest[0] in _ADJECTIVES or rest[0].endswith(("ed", "en", "t"))))
        if not is_known_verb(first) and first != "have":
            return False
        # "have office": what somebody has is said with "its"; other objects would need an article.
        return not rest or first == "have"

    def _finite(self, words: list[str], *, is_you: bool) -> str:
        first, *rest = words
        lows = [token.text.lower() for token in self._chain.tokens]
        is_past = bool(lows) and ("did" in lows[:4] or "was" in lows[:4] or "were" in lows[:4])
        if first == "born" or first == "be":
            form = ("were" if is_you else "was") if is_past or first == "born" else ("are" if is_you else "is")
            done = rest if first == "be" else ["born"]
            return " ".join([form, *(word if word in _ADJECTIVES else past_participle(word) for word in done)])
        verb = past(first) if is_past else first if is_you else third_person(first)
        own = ["your" if is_you else "its", *rest] if rest else []
        return " ".join([verb, *own])

    def _lead(self, *, is_place: bool) -> str:
        noun = self._plan.things[self._link.target].noun
        if is_place or noun == "place":
            return "where"
        if noun in _PEOPLE:
            return "who"
        return f"which {noun}" if noun else "what"

    def _doer(self, words: list[str], preposition: str) -> str:
        """Return "who teaches the choir"."""
        thing, target = self._plan.things[self._link.source], self._target
        if target is None or self._chain.aim not in {Aim.VALUE, Aim.COUNT}:
            return _UNNAMED
        noun = thing.noun if thing.noun not in _PEOPLE else ""
        lead = f"which {noun}" if noun else "who" if thing.words in _PEOPLE or thing.noun else "what"
        tail = f" {preposition}" if preposition else ""
        return f"{lead} {self._finite(words, is_you=False)}{tail} {self._value(target)}"

    def _value(self, target: End) -> str:
        if self._plan.things[self._link.target].value:
            return with_article(target.label)
        return self._definite(target.label)

    def _definite(self, label: str) -> str:
        text = thing_text(label, asker=self._asker)
        return text if text == "you" or text.startswith("your ") or not text[:1].islower() else f"the {text}"
