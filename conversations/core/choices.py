"""The responders in plain words: those that a person may choose, and those that are only measured."""

from dataclasses import dataclass

from memory.core.sentence_graph.catalogue import RETRIEVERS


@dataclass(frozen=True)
class ResponderChoice:
    """A responder in the list of choices: its label, and what it does in one sentence."""

    name: str
    label: str
    explanation: str
    is_offered: bool = True


_UNITS = {"t": "turns", "r": "rounds", "s": "conversations"}
_NOTED = {"f": ", and adds noted facts", "mfi": ", and adds summaries, noted facts and insights"}
# What the recipes are compared with: named by their papers, which say more of them.
_COMPARED = {
    "no_history": "Answers without anything that was said before.",
    "lc_latest": "Reads the latest conversations, whatever the question is about.",
    "lc_full": "Reads all conversations from the first on.",
    "memory_bank": "Reads rounds and summaries, and forgets what was long unused.",
    "ld_agent": "Reads summaries and facts of long ago and the latest conversation.",
    "long_mem_eval": "Reads the conversations whose facts are nearest to your question.",
    "memory_scope": "Reads rounds, facts and insights.",
    "rmm": "Reads noted facts alone.",
    "light_rag": "Reads the turns behind the relations that your question names or is near to.",
    "mini_rag": "Reads the conversations that your question and its names lead to.",
    "kg_retriever": "Reads the turns behind the relations around what is near to your question.",
}


def _recipe(name: str) -> ResponderChoice:
    """Return the description of a retrieving responder for measurements; it is not offered in the chat."""
    label = f"Recipe {name.replace('_', ' ')}"
    if name in _COMPARED:
        return ResponderChoice(name, label, _COMPARED[name], is_offered=False)
    bare = name.removeprefix("sgmem_").removeprefix("bm25_")
    unit, _, ending = bare.partition("_")
    way = "by the sentences that are nearest and related" if name.startswith("sgmem_") else "by nearness"
    way = "by shared words" if name.startswith("bm25_") else way
    explanation = f"Finds {_UNITS.get(unit, 'what was said')} {way}{_NOTED.get(ending, '')}."
    return ResponderChoice(name, label, explanation, is_offered=False)


OFFERED = (
    ResponderChoice(
        "graph", "Look it up", "Looks up the facts that your question is about and answers from them. Quick."
    ),
    ResponderChoice(
        "d_smart",
        "Search step by step",
        "Goes from one fact to the next, tries several ways and keeps the best. "
        "Finds what takes two or three steps; takes longer.",
    ),
    ResponderChoice(
        "d_smart_no_tree",
        "Read all facts at once",
        "Answers from all the facts around your question at once, without a search.",
    ),
    ResponderChoice(
        "goal_mem",
        "Prove it step by step",
        "Works out what it would have to know to be sure, finds the words that say it, and says what is missing where "
        "nobody said it.",
    ),
    ResponderChoice(
        "slsm",
        "Keep track of the task",
        "Keeps apart what you said, what is open, what is only assumed and what you require; asks what is missing, and lets "
        "go of what changed.",
    ),
    ResponderChoice(
        "tg_drg_r",
        "Write from fitting facts",
        "The language model says in full what was said, and replies from the facts that fit it best: "
        "of what I remember, and of the knowledge bases.",
    ),
    ResponderChoice(
        "ga_drg",
        "Write beside the graph of fitting facts",
        "A language model that was trained to read graphs replies from the graph of the facts that fit what was said.",
    ),
    ResponderChoice(
        "fused",
        "Search what was said",
        "Looks through everything that was said, by its words and its meaning, and answers with the sentences that tell it.",
    ),
    ResponderChoice(
        "sgmem",
        "Follow related sentences",
        "Starts at the sentences nearest to your question, goes on to those most like them, and answers from the "
        "conversations that they lead to.",
    ),
    ResponderChoice(
        "d_smart_no_memory",
        "Think step by step, without memory",
        "Searches through thoughts of the language model only; nothing that I remember is used.",
    ),
    ResponderChoice("base", "Answer freely", "The language model answers by itself, without what I remember."),
)
# Depth, beam and samples of the search, varied from those of the paper, 5, 3 and 3 (D-SMART, Appendix B, Figure 7).
SEARCHES = ((1, 1, 3), (3, 1, 3), (5, 1, 3), (5, 2, 3), (5, 3, 1), (5, 3, 5))
# What is only compared with, in the papers' experiments.
_MEASURED = (
    *(
        ResponderChoice(
            f"d_smart_{depth}_{beam}_{samples}",
            f"Search step by step ({depth}, {beam}, {samples})",
            f"Searches {depth} steps deep, keeps {beam} ways and tries {samples} steps from each.",
            is_offered=False,
        )
        for depth, beam, samples in SEARCHES
    ),
    ResponderChoice(
        "tg_drg_nr",
        "Write from fitting facts, as it was said",
        "The language model replies from the facts that fit best what was said.",
        is_offered=False,
    ),
    ResponderChoice(
        "slsm_no_revision",
        "Keep track of the task, without revision",
        "Keeps track of the task, and lets go of nothing that changed.",
        is_offered=False,
    ),
    ResponderChoice(
        "naive_memory",
        "Answer with notes",
        "The language model answers with a list of what you said in the conversation.",
        is_offered=False,
    ),
)
RESPONDERS = (
    *OFFERED,
    *_MEASURED,
    *(_recipe(name) for name in RETRIEVERS if name not in {one.name for one in OFFERED}),
)
