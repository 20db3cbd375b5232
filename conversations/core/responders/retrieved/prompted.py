"""The responders over a retriever with a language model (SGMem, section 3.4 and Appendix B.1).

A retriever finds the context of each question ("Collect Relevant Context"), and the model writes the reply from it
("Personalized Generation").

Departures from the paper:

- The answer is a few plain sentences, not paragraphs of markdown: this is a chat.
- General knowledge adds no fact about the people of the dialogue.
- Each part of the context is dated and named, and fenced as data. Turns come before rounds and these before sessions, so
  that what is near is not crowded out; a long passage is cut around the sentence that it was found by.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from conversations.core.responders.deltas import FAITHFUL, streamed
from conversations.core.responders.message import questions_in, read_line, read_message
from conversations.core.responders.retrieved.recollection import SaidMemory, look_through, scored_sentences
from conversations.core.responders.writing import UTTERANCE, WRITTEN_FROM
from conversations.core.types import Grounds, GroundSentence, Query, ReplyPart, Retrieved, Stage
from memory.core.english.telling_times import say_day
from memory.core.knowledge_graph.stems import content_stem_list
from memory.core.ports import DialogueIndex, LanguageModel, Retriever
from memory.core.prompting import render_prompt
from memory.core.reasoning_tree.presentation import history_lines
from memory.core.types import CHUNKS, DIGESTS, Passage, Prompt, Retrieval, SourceSentence, Unit

# How many sentences of what the reply was written from are shown for a question.
_GROUNDS = 8
# A digest of one word ("Noted.") says nothing of anybody.
_DIGEST_WORDS = 2
_CUT = "[…]"
PROMPT = Path(__file__).parent / "prompts" / "context.md.j2"
_KINDS = {
    Unit.SESSION: "Conversation",
    Unit.ROUND: "Part of a conversation",
    Unit.TURN: "Said",
    Unit.SUMMARY: "Summary of a conversation",
    Unit.FACT: "Noted",
    Unit.INSIGHT: "Shown by several conversations",
}


@dataclass(frozen=True)
class ContextConfig:
    """Limits of a context in characters: of one passage, and of all passages."""

    passage: int = 4_000
    whole: int = 24_000


@dataclass(frozen=True, kw_only=True)
class PromptedRetrieving:
    """Implements `Responder` over any retriever."""

    name: str
    retriever: Retriever
    said: SaidMemory
    write_answer: LanguageModel

    def reply(self, query: Query) -> Iterator[ReplyPart]:
        pieces = read_message(query.text)
        yield Stage("read", read_line(pieces))
        context: list[Passage] = []
        near: dict[int, SourceSentence] = {}
        for text in questions_in(pieces) or [query.text]:
            retrieval = look_through(self.retriever, text, query)
            yield Stage("retrieve", "looked through what was said")
            yield Retrieved(text, retrieval)
            context += context_of(retrieval, self.said.index)
            scored = scored_sentences(retrieval, [text], self.said)[:_GROUNDS]
            near |= {item.sentence.id: item.sentence for item in scored}
        passages = shown_passages(context, hits=[one.text for one in near.values()])
        read = [one for one in near.values() if any(one.text in passage for passage in passages)]
        if read:
            yield Grounds(sentences=tuple(GroundSentence(one, WRITTEN_FROM) for one in read))
        yield Stage("write", "writing the reply")
        yield from streamed(self.write_answer.stream(context_prompt(query, passages), config=FAITHFUL))


def context_of(retrieval: Retrieval, index: DialogueIndex) -> list[Passage]:
    """Return the relevant context: K* with M*, F* and I*, the smallest chunks first, best first of each kind."""
    chunks = [
        passage
        for unit in reversed(CHUNKS)
        for passage in index.passages_of(unit, [one.id for one in retrieval.chunks.get(unit, ())])
    ]
    digests = [
        passage
        for kind in DIGESTS
        for passage in index.passages_of(kind, [one.id for one in retrieval.digests if one.unit is kind])
        if len(content_stem_list(passage.text)) >= _DIGEST_WORDS
    ]
    return [*chunks, *digests]


def shown_passages(
    context: Sequence[Passage], *, hits: Sequence[str] = (), config: ContextConfig = ContextConfig()
) -> list[str]:
    """Return the texts of the passages that fit, in order: a long one around the first hit in it, one too long not at all."""
    shown: dict[str, None] = {}
    left = config.whole
    for passage in context:
        text = f"{heading(passage)}:\n{cut_around(passage.text, hits, config.passage)}"
        if text not in shown and len(text) <= left:
            shown[text] = None
            left -= len(text)
    return list(shown)


def context_prompt(query: Query, passages: Sequence[str]) -> Prompt:
    """Return the prompt for an answer from passages."""
    return render_prompt(
        PROMPT,
        speaker=query.speaker or "the user",
        today=say_day(query.asked_at),
        passages=passages,
        history=history_lines(query.history, longest=UTTERANCE),
        message=query.text,
    )


def heading(passage: Passage) -> str:
    """Return the kind of a passage with its time and its speaker."""
    who = f", {passage.speaker}" if passage.speaker else ""
    return f"{_KINDS.get(passage.unit, 'Said')}, {passage.said_at:%A}, {say_day(passage.said_at)}{who}"


def cut_around(text: str, hits: Sequence[str], limit: int) -> str:
    """Return at most `limit` characters of a text, where hits are around the first one in it, with a mark at each cut.

    A cut before the hit is made at the beginning of a line if one is near, so that its speaker is told.
    """
    if len(text) <= limit:
        return text
    hit = next((place for one in hits if (place := text.find(one)) >= 0), 0)
    start = max(0, min(hit - limit // 3, len(text) - limit))
    end = start + limit
    line = text.find("\n", start, hit) if start else -1
    start = line + 1 if line >= 0 else start
    return f"{f'{_CUT} ' if start else ''}{text[start:end].strip()}{f' {_CUT}' if end < len(text) else ''}"
