"""How the players of an engine's roles serve the backbones."""

from __future__ import annotations

from collections.abc import Sequence

from memory.bootstrap.backbones import RulesAndMore, WrittenFacts, WrittenGists
from memory.core.knowledge_graph.conflict.rule_based import RuleBasedConflictDetector
from memory.core.sentence_graph.digests.rule_based import RuleBasedSummaryWriter, StatementFactWriter
from memory.core.types import ConflictCase, ConflictRule, DialogueRound, GraphFragment, Statement, Supersession
from tests.fakes.backbones import facts_in, parts, turns
from tests.fakes.memory import BagOfStems


class Stated:
    """States the second sentence of every round in other words."""

    def write_many(self, rounds: Sequence[DialogueRound]) -> list[Statement]:
        return [Statement(("Ann has moved to Lyon.",), (1,)) for _ in rounds]


class Sure:
    """Sees whatever is known give way, by a model."""

    def find_many(self, cases: Sequence[ConflictCase]) -> list[list[Supersession]]:
        return [
            [Supersession(old, case.fragment.facts[0], ConflictRule.MODEL) for old in case.candidates] for case in cases
        ]


def test_facts_are_told_of_the_sentences_that_a_statement_rests_on() -> None:
    said = turns("Ann: Good morning.", "Ann: I moved to Lyon.")
    assert WrittenFacts(StatementFactWriter(), Stated()).tell_many(said) == [[], ["Ann has moved to Lyon."]]
    assert WrittenFacts(StatementFactWriter(), Stated()).tell_many([]) == []


def test_a_gist_rests_on_what_it_quotes_and_is_never_empty() -> None:
    gists = WrittenGists(RuleBasedSummaryWriter(), BagOfStems())
    told = turns("Ann: Hello.", "Ann: I adopted a green parrot in May.")
    [quoted, kept] = gists.summarise_many([told, told[:1]])
    assert (quoted.text, quoted.rests_on) == ("Ann: I adopted a green parrot in May.", (told[1],))
    assert (kept.text, kept.rests_on) == ("Ann: Hello.", (told[0],))
    assert gists.summarise_many([]) == []


def test_what_the_rules_see_give_way_and_what_an_engine_adds_each_count_once() -> None:
    [lives], [likes], [moved] = parts().reader.of_turns(
        turns("Ann: Ann livesIn Paris.", "Ann: Ann likes tea.", "Ann: Ann livesIn Lyon.")
    )
    [fact] = facts_in("Ann livesIn Lyon.")
    case = ConflictCase(GraphFragment((fact,)), (lives, likes), moved.recorded_at, "Ann")
    by_rules = RulesAndMore(RuleBasedConflictDetector()).find_many([case])
    assert [[one.old for one in found] for found in by_rules] == [[lives]]
    assert [[one.old for one in found] for found in RulesAndMore(Sure()).find_many([case])] == [[lives, likes]]
