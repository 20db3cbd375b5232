"""The ports of the memory core: one-verb protocols between the algorithms and the outside world.

Ports take and give batches, so that an algorithm asks for a whole level at once and the adapter decides how.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from memory.core.types import (
    AnswerChances,
    ChangeVerdict,
    Completion,
    ConflictCase,
    DialogueRound,
    EntailmentVerdict,
    Entity,
    Expansion,
    GraphFragment,
    Learnt,
    MemoryUnit,
    MessageInContext,
    Neighbour,
    ParsedSentence,
    Passage,
    PathSearch,
    Prompt,
    QuestionOnTurns,
    ReadAnswer,
    ReadFact,
    ReadQuestion,
    ReadRound,
    Reference,
    Retrieval,
    RetrievalQuery,
    RoundToRead,
    SamplingConfig,
    ScoredSentence,
    ScoredUnit,
    SentencePlace,
    SentenceSpan,
    SourceSentence,
    Statement,
    Supersession,
    TokenUsage,
    Topic,
    Triple,
    Unit,
    Utterance,
    UtteranceInDialogue,
    WordInContext,
    WordSense,
)


class LanguageModel(Protocol):
    """A model that continues prompts."""

    name: str

    def complete_many(self, prompts: Sequence[Prompt], *, config: SamplingConfig) -> list[Completion | Exception]:
        """Return one outcome a prompt, in order: a completion, or the `LanguageModelError` that this prompt met."""

    def stream(self, prompt: Prompt, *, config: SamplingConfig) -> Generator[str, None, TokenUsage | None]:
        """Yield the reply's text as it is generated, and return its tokens where they are told. Closing it stops it."""


@runtime_checkable
class AnswerProbabilities(LanguageModel, Protocol):
    """A language model that tells how probable words are as its answer, as not all do (TG-DRG, equation 2)."""

    def probabilities_many(self, prompts: Sequence[Prompt], answers: Sequence[str]) -> list[AnswerChances | Exception]:
        """Return one outcome a prompt, in order: P(answer | prompt) of each answer, or the `LanguageModelError` that it met.

        An answer is one word, such as "yes"; its forms (" Yes", "YES") count together.
        """


class Embedder(Protocol):
    """A sentence encoder. `name` identifies the weights; vectors of different names must not be mixed."""

    name: str
    dimension: int

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), dimension)."""


class SentenceSegmenter(Protocol):
    def segment_many(self, texts: Sequence[str]) -> list[list[SentenceSpan]]:
        """Return the sentences of each text, with spans that index into it."""


class SyntacticParser(Protocol):
    def parse_many(self, sentences: Sequence[str]) -> list[ParsedSentence]:
        """Return one dependency tree a sentence."""


class KnowledgeExtractor(Protocol):
    """Reads facts out of sentences (D-SMART, KGE)."""

    def extract_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[GraphFragment]:
        """Return one fragment a sentence.

        Each `Utterance` is one sentence with its speaker and time. `context` are the utterances before them, oldest
        first, for pronouns. Spans of facts index into their own sentence.
        """


class MessageReader(Protocol):
    """Reads what messages say of lasting facts, as spans of their words. `name` identifies the weights."""

    name: str

    @property
    def threshold(self) -> float:
        """Return the probability from which what is read is taken (fitted with the weights)."""

    def read_many(
        self, messages: Sequence[MessageInContext], *, least: float | None = None
    ) -> list[tuple[ReadFact, ...]]:
        """Return the facts of each message from a probability on (default: the threshold), in the order of their objects."""


class ReferenceReader(Protocol):
    """Finds what the pronouns of utterances mean, and what was left out. `name` identifies the weights."""

    name: str

    @property
    def threshold(self) -> float:
        """Return the probability from which a reference is resolved."""

    def resolve_many(self, utterances: Sequence[UtteranceInDialogue]) -> list[tuple[Reference, ...]]:
        """Return the references of each utterance, in the order of their places, which do not overlap."""


class AnswerReader(Protocol):
    """Finds the words of turns that answer a question. `name` identifies the weights."""

    name: str

    @property
    def threshold(self) -> float:
        """Return the probability from which an answer is given."""

    @property
    def verdict_threshold(self) -> float:
        """Return the probability of an answer from which the yes or no that its words say is given."""

    def read_many(self, asked: Sequence[QuestionOnTurns]) -> list[list[ReadAnswer]]:
        """Return of each question the best words of each of its turns, in the order of the turns."""


class QuestionReader(Protocol):
    """Reads what questions ask, of whom, for which time, and whether of a memory at all. `name` identifies the weights."""

    name: str

    def read_many(self, questions: Sequence[str]) -> list[ReadQuestion]:
        """Return one reading a question, in order."""


class ChangeJudge(Protocol):
    """Judges what a sentence does to what was said before. `name` identifies the weights.

    From the probability `acts_from` on, its word that something no longer stands may be acted upon.
    """

    name: str
    acts_from: float

    def judge_many(self, pairs: Sequence[tuple[Utterance, Utterance]]) -> list[ChangeVerdict]:
        """Return one verdict an (old, new) pair, in order. Both are by one person, the new one said no earlier."""


class StatementWriter(Protocol):
    """Distils rounds into statements (D-SMART, step 1: s_t ~ p(s_t | h_t))."""

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        """Return one statement a round; an empty one where the round asserts nothing."""


class RoundReader(Protocol):
    """Reads rounds whole: the facts of their sentences, and the statement that they make."""

    def read_many(self, rounds: Sequence[RoundToRead]) -> list[ReadRound]:
        """Return what each round states, with one fragment a sentence.

        Raises the `LanguageModelError` of a round of which nothing could be read.
        """


class FactTeller(Protocol):
    """Retells what people said of themselves in sentences that can be read alone (SGMem, Appendix B.4)."""

    def tell_many(self, sentences: Sequence[Utterance], *, context: Sequence[Utterance] = ()) -> list[list[str]]:
        """Return the facts of each sentence in the third person, with names for pronouns and dates for "yesterday".

        `context` are the utterances before them, oldest first. A sentence that says nothing of its speaker has no facts.
        """


class TopicReader(Protocol):
    """Reads the topics of facts, so that recurring ones can be counted (SGMem, Appendix B.5)."""

    def read_many(self, facts: Sequence[str]) -> list[list[Topic]]:
        """Return the topics of each fact, a sentence of a `FactTeller`; none where it names nobody."""


class ConflictDetector(Protocol):
    """Finds what a fragment contradicts or replaces (D-SMART, the p_c of Equation 2)."""

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        """Return the candidates of each case that the fragment supersedes, each once, with the fact and the rule.

        The fact is one of the fragment, or a denial of the candidate that the sentence amounts to.
        """


class SenseFinder(Protocol):
    """Disambiguates words (D-SMART, Algorithm 1, lines 8 to 20)."""

    def find_many(self, words: Sequence[WordInContext]) -> list[WordSense | None]:
        """Return the sense of each word in its sentence, None where the lexicon has none."""


class MessageListener(Protocol):
    """Reads into one space's memory what somebody just said, before the reply to it."""

    def hear(self, round_id: int) -> Learnt | None:
        """Return what the words of a round taught, once that is stored; None where nothing is stored of them now."""


class SentenceReader(Protocol):
    """Reads remembered sentences of one space. Bound to the space when made."""

    def sources_of(self, sentence_ids: Sequence[int]) -> list[SourceSentence]:
        """Return those of the sentences that still exist, with speaker and time, in the order of the ids."""

    def triples_in(self, sentence_ids: Sequence[int]) -> list[Triple]:
        """Return every triple that was read in the sentences: also what was superseded since, denied or reported."""


class MemoryReader(SentenceReader, Protocol):
    """Reads one space's memory. Bound to the space when made: no call can leave it."""

    def entities_named(self, mentions: Sequence[str]) -> dict[str, list[Entity]]:
        """Return the entities that each mention may name (label or alias, folded case and accents)."""

    def words_said(self, words: Sequence[str]) -> set[str]:
        """Return those of the words that are in any evidence, however inflected, or that name an entity."""

    def triples_about(
        self,
        entity_ids: Sequence[int],
        *,
        predicates: Sequence[str] = (),
        as_object: bool = False,
        include_superseded: bool = False,
        limit: int = 50,
    ) -> list[Triple]:
        """Return asserted, not reported triples with one of the entities as subject (or object), newest first."""

    def sentences_like(self, text: str, *, limit: int = 10) -> list[ScoredSentence]:
        """Return the remembered sentences nearest to the text, best first: evidence alone, as a `DialogueIndex` finds."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors of texts by the embedder that the space's sentences were indexed with."""


class GraphWalker(Protocol):
    """Walks one space's current graph of active asserted triples. Bound to the space when made.

    Every call takes a batch and costs the same in a larger graph; a result says when a limit cut it.
    """

    def expand_many(self, groups: Sequence[Sequence[int]], *, hops: int = 1, limit: int = 40) -> list[Expansion]:
        """Return the n-hop neighbourhood of each group of entity ids, both ways, nearest and newest first."""

    def find_paths_many(
        self, pairs: Sequence[tuple[int, int]], *, max_edges: int = 4, limit: int = 5
    ) -> list[PathSearch]:
        """Return the shortest paths between the entities of each pair, at most `limit` each."""

    def triples_from(self, sentence_ids: Sequence[int], *, limit: int = 40) -> list[Triple]:
        """Return the active triples extracted from these sentences, the way from a search by meaning into the graph."""


class EntailmentModel(Protocol):
    """Judges whether a premise entails a hypothesis. `name` identifies the weights."""

    name: str

    def predict_many(self, pairs: Sequence[tuple[str, str]]) -> list[EntailmentVerdict]:
        """Return one verdict a (premise, hypothesis), in order.

        The beginning of a premise that does not fit beside its hypothesis is cut. Raises `TextTooLong` for a hypothesis that
        fills the model's window alone.
        """


class DialogueIndex(Protocol):
    """Searches what was said in one space, and its digests (SGMem, section 3.3). Bound to the space when made.

    Only evidence is ever found, by any search, or is anybody's neighbour: no sentence that only asks, no turn of such
    sentences, nothing that the product replied. A question stands in the window of the answer to it.
    Calls that search take a batch where they can, and cost hardly more in a larger space.
    """

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return unit vectors by the encoder that made the index's."""

    def nearest(self, unit: Unit, vector: NDArray[np.float32], *, limit: int) -> list[ScoredUnit]:
        """Return the units of a kind nearest to a unit vector, by cosine in [-1, 1], best first, ties by lower id."""

    def matching(self, unit: Unit, text: str, *, limit: int) -> list[ScoredUnit]:
        """Return the units of a kind that share words with a text, by BM25, best first, ties by lower id.

        Sentences, turns, windows and sessions have such an index; `ValueError` for the others.
        """

    def neighbours_of(self, sentence_ids: Sequence[int], *, k: int) -> dict[int, list[Neighbour]]:
        """Return each sentence's `k` nearest others, nearest first: the edges that leave it."""

    def similarities_to(self, sentence_ids: Sequence[int], vector: NDArray[np.float32]) -> dict[int, float]:
        """Return the cosine of each sentence to a unit vector."""

    def places_of(self, sentence_ids: Sequence[int]) -> dict[int, SentencePlace]:
        """Return the chunks that each sentence is a member of; a sentence that is gone is left out."""

    def sentences_of(self, turn_ids: Sequence[int]) -> dict[int, list[int]]:
        """Return the sentences of each turn that are evidence, in the order in which they were said.

        A turn without any, or that is gone, is left out.
        """

    def passages_of(self, unit: Unit, ids: Sequence[int]) -> list[Passage]:
        """Return the words of the units that are still there, in the order of `ids`."""

    def latest(self, unit: Unit, *, limit: int) -> list[int]:
        """Return the ids of the newest units of a kind, newest first."""

    def count(self, unit: Unit) -> int:
        """Return how many units of a kind may be found."""


class Retriever(Protocol):
    """Finds the context of a question in one space."""

    @property
    def name(self) -> str: ...

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> Retrieval:
        """Return at most `limit` chunks of each kind that the recipe has, and as many digests of each kind."""


class RelevanceModel(Protocol):
    """Scores how well a passage answers a question (a cross-encoder). `name` identifies the weights."""

    name: str

    def score_many(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        """Return one score a (question, passage); a higher one is better."""


class Recall(Protocol):
    """A memory that can be asked: the B_retrieve of GOAL-MEM (section 3). Bound to one memory when made."""

    name: str

    def retrieve(self, query: RetrievalQuery, *, limit: int) -> list[MemoryUnit]:
        """Return at most `limit` units, best first, each once."""

    @property
    def size(self) -> int:
        """How many units can be retrieved."""


class FactAnswerer(Protocol):
    """Answers questions from facts and nothing else: the answer stage that GOAL-MEM shares among methods (Appendix F)."""

    def answer(self, query: RetrievalQuery, facts: Sequence[MemoryUnit], *, goal: str = "") -> str:
        """Return a short answer, "I don't know" where the facts do not hold it. `goal` is what was proved by them.

        Raises the `LanguageModelError` of a reply that is of no use.
        """


class Backbone(Recall, Protocol):
    """A memory that can also be written: the store and the update mechanism of GOAL-MEM (section 3)."""

    def add(self, turns: Sequence[Utterance]) -> None:
        """Remember what was said in one session, or in the next part of it, in order."""
