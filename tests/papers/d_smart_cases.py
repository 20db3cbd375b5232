"""The case studies of D-SMART (Appendix D, Cases 1 to 3), shortened, with the figures that the paper prints.

The paper prints CS of every turn and DER of the dialogue, not the labels. These follow from DER and from what the text says
of the turns.
"""

from __future__ import annotations

from dataclasses import dataclass

from memory.core.types import EntailmentLabel

ENTAILED, NEUTRAL, CONTRADICTED = EntailmentLabel


@dataclass(frozen=True)
class PaperTurn:
    """A message, the reply, and the CS and label of the reply."""

    user: str
    reply: str
    consistency: float
    label: EntailmentLabel


@dataclass(frozen=True)
class PaperCase:
    name: str
    turns: tuple[PaperTurn, ...]
    rate: float

    @property
    def messages(self) -> list[tuple[str, str]]:
        return [(turn.user, turn.reply) for turn in self.turns]


RISKS = (
    "What are the potential risks of artificial intelligence?",
    "Can you rephrase your answer in simpler terms, focusing on the main ideas?",
    "Now, would you mind expressing those concerns in bullet points, each followed by a brief explanation?",
)
SIT_UPS = (
    "In a physical education class, sixth-grade girls are doing a sit-up test. The standard is set at 28 sit-ups. The "
    "results of 10 girls are recorded as follows: -2, +5, -1, 0, +1, +3, 0, +8, +1, +6. What are the actual numbers?",
    "How many girls met or exceeded the standard, and what percentage of the total does this represent?",
    "Among the 10 girls, who did the most and the least number of sit-ups?",
)
ROOMS = (
    "There are three rooms. If Room 1 is occupied, then Room 2 is not. I checked Room 1 and it was occupied. What can you "
    "infer about Room 2?",
    "I forgot to mention, there's also a Room 3. Room 3 is occupied only if Room 2 is not. Is Room 3 occupied or not?",
    "What if I told you that there's a rule that not all rooms can be occupied. Does this change your conclusion?",
)


def paper_case(
    name: str, users: tuple[str, ...], replies: tuple[tuple[str, float, EntailmentLabel], ...], rate: float
) -> PaperCase:
    turns = tuple(PaperTurn(user, *reply) for user, reply in zip(users, replies, strict=True))
    return PaperCase(name, turns, rate)


CASES = (
    paper_case(
        "1, D-SMART",
        RISKS,
        (
            ("AI has several risks, including:\n1. Job Loss: Automation could replace human workers.", 0.69, NEUTRAL),
            ("AI can cause problems like replacing jobs and making unfair decisions.", 0.98, ENTAILED),
            ("Here are the main concerns:\n- Job Loss: AI can automate tasks and replace jobs.", 0.75, ENTAILED),
        ),
        0.667,
    ),
    paper_case(
        "1, MemoryBank",
        RISKS,
        (
            ("AI has the potential to bring about many benefits. Developers have to address the risks.", 0.51, NEUTRAL),
            ("Sure! It might take away people's jobs, or make decisions that aren't fair.", 0.72, ENTAILED),
            ("- Bias in algorithms: AI systems can reflect the biases of their developers.", 0.57, NEUTRAL),
        ),
        0.333,
    ),
    paper_case(
        "2, D-SMART",
        SIT_UPS,
        (
            ("The actual number of sit-ups of each girl is: 26, 33, 27, 28, 29, 31, 28, 36, 29, 34.", 0.95, ENTAILED),
            ("8 girls met or exceeded the standard, which represents 80% of the total.", 0.96, ENTAILED),
            ("The girl who did the most completed 36, and the girl who did the least completed 26.", 0.84, ENTAILED),
        ),
        1.0,
    ),
    paper_case(
        "2, GPT-4o",
        SIT_UPS,
        (
            ("The actual numbers of sit-ups are 26, 33, 27, 28, 29, 31, 28, 36, 29 and 34.", 0.87, ENTAILED),
            ("Out of the 10 girls, 6 girls met or exceeded the standard. This represents 60%.", 0.34, CONTRADICTED),
            ("The girl who did the most completed 36 sit-ups, while the least completed was 26.", 0.72, ENTAILED),
        ),
        0.667,
    ),
    paper_case(
        "3, D-SMART",
        ROOMS,
        (
            ("Room 1 is occupied.\nTherefore, Room 2 is not occupied.", 0.99, ENTAILED),
            ("Room 2 is not occupied.\nSo, the answer is: Room 3 is occupied.", 0.97, ENTAILED),
            ("Room 1 is occupied.\nFinal Answer: Room 3 is occupied, and the new rule is satisfied.", 0.99, ENTAILED),
        ),
        1.0,
    ),
    paper_case(
        "3, Mem0",
        ROOMS,
        (
            ("Room 2 is not occupied.", 0.65, ENTAILED),
            ("Room 3 is occupied.", 0.69, ENTAILED),
            ("Yes, this changes the conclusion. Then Room 2 is occupied, and Room 3 is not.", 0.63, NEUTRAL),
        ),
        0.667,
    ),
)

# The replies, from 0, that `strongest_sentence` does not score: they explain or reckon, and say nothing of anybody.
UNSCORED = {"1, D-SMART": (0, 1, 2), "1, MemoryBank": (1, 2), "2, D-SMART": (1,), "2, GPT-4o": (1, 2)}
