"""The registry of roles: each role's name, port and players.

A role is one entry: its name in the field's words, and makers of its players by kind. Players under `asking` ask the engine's
language model, those under `not_asking` do not. By default an engine with a language model takes `with_model` or the first of
`asking`, and any other engine the first of `not_asking`; `DSMART_ROLES` names another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from django.conf import settings

from memory.bootstrap.models import (
    ENTAILMENT_BUILTIN,
    make_answer_reader,
    make_change_judge,
    make_entailment_model,
    make_evidence_reader,
    make_message_reader,
    make_question_reader,
    make_reference_reader,
    make_relevance_model,
    make_sense_finder,
    make_triple_selector,
)
from memory.bootstrap.tools import embedder, parser, segmenter
from memory.core.answering.prompted import PromptedFactAnswerer
from memory.core.answering.read import ReadingFactAnswerer
from memory.core.backward_chaining.prompted import (
    PromptedGoalDecomposer,
    PromptedSubgoalRefiner,
    PromptedSubgoalUnifier,
)
from memory.core.backward_chaining.types import GoalDecomposer, SubgoalRefiner, SubgoalUnifier
from memory.core.errors import ModelNotFound, ModelUnfit
from memory.core.forward_reasoning.prompted import (
    PromptedMemoryActor,
    PromptedMemoryGuide,
    PromptedPoolReflector,
    PromptedQueryRewriter,
)
from memory.core.forward_reasoning.types import MemoryActor, MemoryGuide, PoolReflector, QueryRewriter
from memory.core.grounded_generation.atomic_facts import FactSplitter, PromptedFactSplitter
from memory.core.grounded_generation.clause_splitter import ClauseFactSplitter
from memory.core.grounded_generation.entailed import EntailmentFactVerifier
from memory.core.grounded_generation.reformulation import LearnedReformulator, PromptedReformulator, Reformulator
from memory.core.grounded_generation.selection import (
    ASKED,
    Bm25Scorer,
    KapingScorer,
    PromptedTripleSelector,
    SelectorScorer,
    TripleScorer,
)
from memory.core.grounded_generation.verification import FactVerifier, PromptedFactVerifier
from memory.core.knowledge_graph.conflict.learned import LearnedConflictDetector
from memory.core.knowledge_graph.conflict.prompted import PromptedConflictDetector
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.knowledge_graph.conflict.whole_graph import WholeGraphConflictDetector
from memory.core.knowledge_graph.extraction.learned.extractor import LearnedExtractor, Unread
from memory.core.knowledge_graph.ontology import Ontology
from memory.core.knowledge_graph.retelling.teller import RuleBasedFactTeller
from memory.core.knowledge_graph.retelling.topics import RuleBasedTopicReader
from memory.core.knowledge_graph.round_reading.prompted import (
    PromptedExtractor,
    PromptedRoundReader,
    PromptedStatementWriter,
)
from memory.core.knowledge_graph.statement.rule_based import RuleBasedStatementWriter
from memory.core.knowledge_graph.verbalisation import triple_text, what_is
from memory.core.ports import (
    AnswerProbabilities,
    AnswerReader,
    ConflictDetector,
    EntailmentModel,
    FactAnswerer,
    KnowledgeExtractor,
    LanguageModel,
    QuestionReader,
    ReferenceReader,
    RelevanceModel,
    RoundReader,
    SenseFinder,
    StatementWriter,
)
from memory.core.reasoning_tree.ports import ActionPolicy, StateValue
from memory.core.reasoning_tree.prompted import PromptedPolicy, PromptedValue
from memory.core.reasoning_tree.types import SearchQuery
from memory.core.semantic_state.evidence import EvidenceExtractor
from memory.core.semantic_state.learned import LearnedEvidenceExtractor
from memory.core.semantic_state.prompted import PromptedEvidenceExtractor
from memory.core.sentence_graph.digests.prompted import PromptedInsightWriter, PromptedSummaryWriter
from memory.core.sentence_graph.digests.rule_based import (
    RuleBasedFactWriter,
    RuleBasedInsightWriter,
    RuleBasedSummaryWriter,
    StatementFactWriter,
)
from memory.core.sentence_graph.digests.types import FactWriter, InsightWriter, SummaryWriter
from memory.core.titles.phrase import PhraseTitleWriter
from memory.core.titles.ports import TitleWriter
from memory.core.titles.prompted import PromptedTitleWriter
from memory.core.types import Entity, Triple
from memory.stores import current_graph

PROMPTED = "prompted"
LEARNED = "learned"
RULE_BASED = "rule_based"
WHOLE_GRAPH = "whole_graph"
AMR = "amr"
AMR_HTTP = "amr_http"
AMRLIB = "amrlib"
OFF = "off"
KAPING = "kaping"
BM25 = "bm25"
STATEMENT = "statement"

PortT = TypeVar("PortT")


@dataclass(frozen=True)
class RoleSpec(Generic[PortT]):
    """A role behind a port, with the makers of its players by kind."""

    name: str
    does: str
    asking: Mapping[str, Callable[[LanguageModel], PortT]] = field(default_factory=dict)
    not_asking: Mapping[str, Callable[[], PortT]] = field(default_factory=dict)
    with_model: str = ""

    @property
    def kinds(self) -> tuple[str, ...]:
        return (*self.asking, *self.not_asking)

    def kind(self, chosen: str = "", *, has_language_model: bool) -> str | None:
        """Return the kind of the player: `chosen` if possible, else the first possible one; None where there is none."""
        playing = (*(self.asking if has_language_model else ()), *self.not_asking)
        usual = self.with_model if has_language_model else ""
        return next((kind for kind in (chosen, usual, *playing) if kind in playing), None)


class BindConflictDetector(Protocol):
    """Makes the conflict detector of one space, which sees the graph of that space only."""

    def __call__(self, *, space_id: int, ontology: Ontology) -> ConflictDetector: ...


def by_candidates(model: LanguageModel) -> BindConflictDetector:
    return lambda *, space_id, ontology: PromptedConflictDetector(model, ontology=ontology)


def by_whole_graph(model: LanguageModel) -> BindConflictDetector:
    def bind(*, space_id: int, ontology: Ontology) -> ConflictDetector:
        return WholeGraphConflictDetector(model, graph=lambda: current_graph(space_id), ontology=ontology)

    return bind


def by_rules_alone() -> BindConflictDetector:
    return lambda *, space_id, ontology: RuleBasedConflictDetector(ontology=ontology)


def by_change_judge() -> BindConflictDetector:
    """Return detectors by the change judge; those by rules alone where its weights are missing."""
    judge = make_change_judge()
    if judge is None:
        return by_rules_alone()
    return lambda *, space_id, ontology: LearnedConflictDetector(judge, ontology=ontology)


def told_to_asker(triple: Triple, query: SearchQuery) -> str:
    return triple_text(triple, asker=query.speaker, at=query.asked_at)


def called_by_asker(entity: Entity, known: Sequence[Triple], query: SearchQuery) -> str:
    return what_is(entity, known, asker=query.speaker, at=query.asked_at)


def read_by_examples() -> KnowledgeExtractor:
    """Return the extractor by the message reader; what reads no facts where its weights are missing."""
    reader = make_message_reader()
    return Unread() if reader is None else LearnedExtractor(reader=reader, parser=parser())


def read_from_facts() -> FactAnswerer:
    """Return what answers by the answer reader. Raises `ModelNotFound` where its weights are missing."""
    reader = make_answer_reader()
    if reader is None:
        raise ModelNotFound(
            "Without a language model facts are answered from by the answer reader, which is missing here."
        )
    return ReadingFactAnswerer(reader)


def evidence_by_examples() -> EvidenceExtractor:
    """Return what reads evidence by the evidence reader. Raises `ModelNotFound` where its weights are missing."""
    return LearnedEvidenceExtractor(reader=make_evidence_reader(), answers=make_answer_reader(), embedder=embedder())


def reformulated_by_examples() -> Reformulator:
    """Return what says dialogues in full by the reference reader. Raises `ModelNotFound` where its weights are missing."""
    reader = make_reference_reader()
    if reader is None:
        raise ModelNotFound(
            "Without a language model dialogues are said in full by the reference reader, which is missing."
        )
    return LearnedReformulator(reader)


def triples_by_examples() -> TripleScorer:
    """Return the trained selector of triples; KAPING where its weights are missing."""
    selector = make_triple_selector()
    return KapingScorer(embedder()) if selector is None else SelectorScorer(selector, embedder())


def triples_by_answers(model: LanguageModel) -> TripleScorer:
    """Return what asks a language model of the nearest triples. Raises `ModelUnfit` where it tells no probabilities."""
    if not isinstance(model, AnswerProbabilities):
        raise ModelUnfit(f"{model.name} cannot tell how probable an answer is, so it cannot choose facts.")
    return SelectorScorer(PromptedTripleSelector(model), embedder(), name=PROMPTED, most=ASKED)


def facts_by_entailment() -> FactVerifier:
    """Return what verifies facts by the bundled entailment model."""
    return EntailmentFactVerifier(
        model=make_entailment_model(ENTAILMENT_BUILTIN), embedder=embedder(), segmenter=segmenter()
    )


# AMR and its graphs are imported where they are read.
def read_by_amr(model: LanguageModel) -> KnowledgeExtractor:
    from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor
    from memory.core.knowledge_graph.extraction.amr.prompted import PromptedTextToAmr

    return AmrExtractor(text_to_amr=PromptedTextToAmr(model))


def read_by_amr_server() -> KnowledgeExtractor:
    from memory.adapters.text_to_amr import HttpTextToAmr
    from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor

    return AmrExtractor(text_to_amr=HttpTextToAmr(settings.DSMART_AMR_URL, timeout_s=settings.DSMART_AMR_TIMEOUT_S))


def read_by_amrlib() -> KnowledgeExtractor:
    from memory.adapters.text_to_amr import AmrlibTextToAmr
    from memory.core.knowledge_graph.extraction.amr.extractor import AmrExtractor

    folder = settings.DSMART_AMR_MODEL
    return AmrExtractor(text_to_amr=AmrlibTextToAmr(Path(folder) if folder else None))


EXTRACT_FACTS: RoleSpec[KnowledgeExtractor] = RoleSpec(
    "extract_facts",
    "reads facts out of what is said",
    asking={
        PROMPTED: PromptedExtractor,
        AMR: read_by_amr,
    },
    not_asking={
        LEARNED: read_by_examples,
        AMR_HTTP: read_by_amr_server,
        AMRLIB: read_by_amrlib,
    },
)
WRITE_STATEMENT: RoleSpec[StatementWriter] = RoleSpec(
    "write_statement",
    "distils a round into a statement",
    asking={PROMPTED: PromptedStatementWriter},
    not_asking={RULE_BASED: lambda: RuleBasedStatementWriter(parser=parser())},
)
# Where a language model plays both of the roles above, it plays them in one call.
READ_ROUND: RoleSpec[RoundReader | None] = RoleSpec(
    "read_round",
    "reads facts and statement of a round at once",
    asking={PROMPTED: PromptedRoundReader},
    not_asking={OFF: lambda: None},
)
# The rules judge every update; a model adds to them.
DETECT_CONFLICTS: RoleSpec[BindConflictDetector] = RoleSpec(
    "detect_conflicts",
    "finds what new facts contradict or replace",
    asking={PROMPTED: by_candidates, WHOLE_GRAPH: by_whole_graph},
    not_asking={LEARNED: by_change_judge, RULE_BASED: by_rules_alone},
)
SUMMARISE: RoleSpec[SummaryWriter] = RoleSpec(
    "summarise",
    "sums conversations up",
    asking={PROMPTED: PromptedSummaryWriter},
    not_asking={RULE_BASED: RuleBasedSummaryWriter},
)
TELL_FACTS: RoleSpec[FactWriter] = RoleSpec(
    "tell_facts",
    "notes what people told of themselves",
    with_model=STATEMENT,
    not_asking={
        RULE_BASED: lambda: RuleBasedFactWriter(teller=RuleBasedFactTeller(parser=parser())),
        STATEMENT: StatementFactWriter,
    },
)
FIND_INSIGHTS: RoleSpec[InsightWriter] = RoleSpec(
    "find_insights",
    "finds what facts of several days amount to",
    asking={PROMPTED: PromptedInsightWriter},
    not_asking={RULE_BASED: lambda: RuleBasedInsightWriter(topics=RuleBasedTopicReader(parser=parser()))},
)
READ_QUESTIONS: RoleSpec[QuestionReader | None] = RoleSpec(
    "read_questions",
    "reads what a question asks",
    not_asking={LEARNED: make_question_reader, OFF: lambda: None},
)
# A language model reads what was said before by itself.
RESOLVE_REFERENCES: RoleSpec[ReferenceReader | None] = RoleSpec(
    "resolve_references",
    "says in full what a question leaves to what was said before",
    with_model=OFF,
    not_asking={LEARNED: make_reference_reader, OFF: lambda: None},
)
READ_ANSWERS: RoleSpec[AnswerReader | None] = RoleSpec(
    "read_answers",
    "finds the words that answer a question",
    not_asking={LEARNED: make_answer_reader, OFF: lambda: None},
)
FIND_SENSES: RoleSpec[SenseFinder | None] = RoleSpec(
    "find_senses",
    "gives words their senses",
    not_asking={LEARNED: make_sense_finder, OFF: lambda: None},
)
JUDGE_ENTAILMENT: RoleSpec[EntailmentModel | None] = RoleSpec(
    "judge_entailment",
    "judges whether one text follows from another",
    not_asking={
        LEARNED: lambda: make_entailment_model(
            ENTAILMENT_BUILTIN if settings.DSMART_ENTAILMENT == OFF else settings.DSMART_ENTAILMENT
        ),
        OFF: lambda: None,
    },
)
REFORMULATE: RoleSpec[Reformulator] = RoleSpec(
    "reformulate",
    "says a dialogue in full, turn by turn",
    asking={PROMPTED: PromptedReformulator},
    not_asking={LEARNED: reformulated_by_examples},
)
SELECT_TRIPLES: RoleSpec[TripleScorer] = RoleSpec(
    "select_triples",
    "chooses the facts that fit a dialogue",
    # A language model is asked of each fact, which is dear: only where it is named.
    asking={PROMPTED: triples_by_answers},
    with_model=LEARNED,
    not_asking={LEARNED: triples_by_examples, KAPING: lambda: KapingScorer(embedder()), BM25: Bm25Scorer},
)
SPLIT_FACTS: RoleSpec[FactSplitter] = RoleSpec(
    "split_facts",
    "splits a reply into atomic facts",
    asking={PROMPTED: lambda model: PromptedFactSplitter(model, segmenter())},
    not_asking={RULE_BASED: lambda: ClauseFactSplitter(segmenter(), parser())},
)
VERIFY_FACTS: RoleSpec[FactVerifier] = RoleSpec(
    "verify_facts",
    "judges what a reply states by evidence",
    asking={PROMPTED: PromptedFactVerifier},
    not_asking={LEARNED: facts_by_entailment},
)
SCORE_RELEVANCE: RoleSpec[RelevanceModel | None] = RoleSpec(
    "score_relevance",
    "reads found passages again and orders them",
    not_asking={OFF: lambda: None, LEARNED: make_relevance_model},
)
PROPOSE_ACTION: RoleSpec[ActionPolicy] = RoleSpec(
    "propose_action",
    "proposes the next step of a search",
    asking={PROMPTED: lambda model: PromptedPolicy(model, render_triple=told_to_asker, describe=called_by_asker)},
)
SCORE_STATE: RoleSpec[StateValue] = RoleSpec(
    "score_state",
    "scores how far a search has come",
    asking={
        PROMPTED: lambda model: PromptedValue(model, render_triple=told_to_asker),
    },
)
DECOMPOSE_GOAL: RoleSpec[GoalDecomposer] = RoleSpec(
    "decompose_goal",
    "takes a question apart into what would answer it",
    asking={PROMPTED: PromptedGoalDecomposer},
)
UNIFY_SUBGOALS: RoleSpec[SubgoalUnifier] = RoleSpec(
    "unify_subgoals",
    "tells which parts of a question facts settle, and with what",
    asking={PROMPTED: PromptedSubgoalUnifier},
)
REFINE_SUBGOALS: RoleSpec[SubgoalRefiner] = RoleSpec(
    "refine_subgoals",
    "names what has to be known first",
    asking={PROMPTED: PromptedSubgoalRefiner},
)
WRITE_ANSWER: RoleSpec[LanguageModel] = RoleSpec(
    "write_answer",
    "writes the words of a reply",
    asking={PROMPTED: lambda model: model},
)
# The answer stage that all ways of reasoning over a memory share when they are measured.
ANSWER_FROM_FACTS: RoleSpec[FactAnswerer] = RoleSpec(
    "answer_from_facts",
    "answers shortly from given facts",
    asking={PROMPTED: PromptedFactAnswerer},
    not_asking={LEARNED: read_from_facts},
)
REWRITE_QUERY: RoleSpec[QueryRewriter] = RoleSpec(
    "rewrite_query", "puts a question in other words", asking={PROMPTED: PromptedQueryRewriter}
)
REFLECT: RoleSpec[PoolReflector] = RoleSpec(
    "reflect", "judges whether memories suffice", asking={PROMPTED: PromptedPoolReflector}
)
ACT_ON_MEMORY: RoleSpec[MemoryActor] = RoleSpec(
    "act_on_memory", "thinks and retrieves in turn (ReAct)", asking={PROMPTED: PromptedMemoryActor}
)
GUIDE_MEMORY: RoleSpec[MemoryGuide] = RoleSpec(
    "guide_memory", "finds and fills missing slots (MemGuide)", asking={PROMPTED: PromptedMemoryGuide}
)
WRITE_TITLE: RoleSpec[TitleWriter] = RoleSpec(
    "write_title",
    "titles conversations by what they are about",
    asking={PROMPTED: PromptedTitleWriter},
    not_asking={
        RULE_BASED: lambda: PhraseTitleWriter(parser=parser(), embedder=embedder(), segmenter=segmenter()),
    },
)
EXTRACT_EVIDENCE: RoleSpec[EvidenceExtractor] = RoleSpec(
    "extract_evidence",
    "reads what a message changes in a task",
    asking={PROMPTED: PromptedEvidenceExtractor},
    not_asking={LEARNED: evidence_by_examples},
)

# Every role of this module, in the order of their definitions.
ROLES: dict[str, RoleSpec[Any]] = {role.name: role for role in tuple(globals().values()) if isinstance(role, RoleSpec)}
