"""GOAL-MEM's running examples (section 4) and Table 6 (Appendix E), step by step, by replies written by hand."""

from __future__ import annotations

from memory.core.backward_chaining.types import Ending
from tests.papers.goal_mem_cases import Played, holds, refined, seek, taken_apart, unified

LATTE, LEMONADE = "I had the Kyoto Latte they make", "my friend Bea took an iced lemonade"
SAT = "sat by the window at cafe Momoco"


def test_running_example_1_binds_the_drink_by_what_was_ordered_there() -> None:
    played = Played(
        "ex1-momoco",
        decompose=[
            taken_apart(
                "(x:drink) ordered by (Alice:human) at (Momoco:cafe)",
                ("(Alice:human) ordered (x:drink) at (Momoco:cafe)", "what Alice had at cafe Momoco"),
            )
        ],
        unify=[unified(holds(1, LATTE, SAT, x="Kyoto Latte"))],
        units=8,
    )
    proof = played.proof
    assert proof.answer == ("Kyoto Latte",)
    assert str(proof.goal) == "(Kyoto Latte) ordered by (Alice:human) at (Momoco:cafe)"
    assert [text[:30] for text in played.facts()] == [LATTE[:30], SAT[:30]]
    assert (proof.statistics.breadth, proof.statistics.depth, proof.statistics.calls) == (1, 0, 2)
    assert played.unused == 0


RECOMMENDED = taken_apart(
    "recommend (x:drink) to (Alice)",
    ("(Alice) likes (y:flavor)", "flavour that Alice likes, anything with"),
    ("(x:drink) contains (y:flavor)", "what the seasonal drinks are made of"),
    ("(x:drink) is served in (z:cafe visited last week)", "drinks on the poster outside"),
)
POSTER = "says they have two seasonal drinks"
POWDER = "that latte has matcha powder in it"
THERE = "this afternoon I was at Momoco"


def test_running_example_2_refines_the_cafe_and_rejects_another_flavour() -> None:
    played = Played(
        "ex2-momoco",
        decompose=[RECOMMENDED],
        unify=[
            unified(
                holds(1, "anything with matcha and I'm sold", y="matcha"),
                _2="It is not settled which drink.",
                _3="Which cafe she visited last week is not known.",
            ),
            unified(
                holds(2, POWDER, POSTER, x="Berry Cloud", y="strawberry"),
                holds(2, POWDER, POSTER, x="Kyoto Latte", y="matcha powder"),
                holds(3, POSTER, x="Kyoto Latte", z="Momoco"),
                holds(4, THERE, z="Momoco", bridge="This afternoon on 8 May 2024 was in the week before 15 May 2024."),
            ),
        ],
        refine=[
            refined(seek(3, "(Alice) visited (z:cafe) last week", "spatial", "Alice was at a cafe this afternoon"))
        ],
    )
    proof = played.proof
    assert proof.answer == ("Kyoto Latte",)
    assert str(proof.goal) == "recommend (Kyoto Latte) to (Alice)"
    assert played.rejected() == [("OTHER_VALUE", "Berry Cloud")]
    assert proof.proved is not None
    [rejected] = proof.proved.rejected
    assert rejected.detail == "y is “matcha” already, not “strawberry”."
    assert str(proof.proved.substitution) == "{x/(Kyoto Latte), y/(matcha), z/(Momoco)}"
    assert (proof.statistics.depth, proof.statistics.calls, played.unused) == (1, 4, 0)
    # θ and what holds are shown to the next step.
    assert '- y (flavor) is "matcha"' in played.refine.prompts[0].messages[-1].content
    assert "- (Alice) likes (matcha)" in played.unify.prompts[1].messages[-1].content


SHELTER = "The people at the shelter up in Stamford"
STATE = taken_apart(
    "the shelter from which (James) adopted the puppy is in (x:US state)",
    ("(James) adopted the puppy from (s:shelter)", "James took the puppy home from the shelter"),
    ("(s:shelter) is in (x:US state)", "where the shelter is"),
)


def test_table_6_a_state_is_reached_by_a_named_bridge() -> None:
    played = Played(
        "t6-shelter-state",
        decompose=[STATE],
        unify=[
            unified(
                holds(1, SHELTER, s="the shelter up in Stamford"),
                holds(2, SHELTER, x="Connecticut", bridge="Stamford is a city in Connecticut."),
            )
        ],
    )
    assert played.proof.answer == ("Connecticut",)
    assert [text[: len(SHELTER)] for text in played.facts()] == [SHELTER]
    assert played.proof.proved is not None
    assert [one.bridge for one in played.proof.proved.grounded] == ["", "Stamford is a city in Connecticut."]


def test_table_6_a_state_that_no_fact_and_no_bridge_leads_to_is_not_believed() -> None:
    played = Played(
        "t6-shelter-state",
        decompose=[STATE, taken_apart("the shelter is in (x:US state)")],
        unify=[
            unified(holds(1, SHELTER, s="the shelter up in Stamford"), holds(2, SHELTER, x="Connecticut")),
            unified(_2="No fact names a state."),
        ],
        refine=[refined(why="Nobody names a state.")],
    )
    assert played.rejected() == [("NOT_SAID", "Connecticut")]
    assert [one.ending for one in played.proof.attempts] == [Ending.NOTHING_NEW, Ending.STOPPED_ASKING]
    assert played.proof.answer == ()
    assert [str(one.atom) for one in played.proof.missing] == ["(s:shelter) is in (x:US state)"]


WEEK, APEX, CIVILIZATION = (
    "in an online gaming tournament all this week",
    "Apex Legends, the whole way",
    "Civilization VI",
)


def test_table_6_the_game_of_the_tournament_is_refined_and_another_game_rejected() -> None:
    held = {"y": "online gaming tournament"}
    played = Played(
        "t6-april-tournament",
        decompose=[
            taken_apart(
                "(James) was playing (x:game) in an online gaming tournament in (April 2022)",
                ("(James) took part in (y:online gaming tournament) in (April 2022)", "James in a gaming tournament"),
                ("(James) played (x:game) in (y:online gaming tournament)", "game that James is on"),
            )
        ],
        unify=[
            unified(
                holds(1, WEEK, bridge="All this week on 16 April 2022 was April 2022.", **held),
                _2="No fact says which game the tournament was in.",
            ),
            unified(
                holds(3, APEX, "what did you actually play in it", x="Apex Legends"),
                _2="It is not said that this was the same tournament.",
            ),
            unified(holds(2, CIVILIZATION, x="Civilization VI"), holds(2, APEX, WEEK, x="Apex Legends")),
        ],
        refine=[
            refined(
                seek(2, "(James) told what he played, (x:game)", "temporal", "what did you play in that tournament")
            ),
            refined(why="Both are there now."),
        ],
    )
    assert played.proof.answer == ("Apex Legends",)
    assert played.rejected() == [("OTHER_VALUE", "Civilization VI")]
    assert not any(CIVILIZATION in text for text in played.facts())
    assert (played.proof.statistics.depth, played.unused) == (2, 0)


DETROIT, TWO, BACK = "First thing we finished was Detroit", "It Takes Two is the one we go back to", "My partner and I"


def test_table_6_of_two_games_the_one_called_the_best_counts_and_order_does_not() -> None:
    for order in (1, -1):
        both = [holds(1, DETROIT, BACK, x="Detroit"), holds(2, TWO, x="It Takes Two")][::order]
        played = Played(
            "t6-partner-favorite",
            decompose=[
                taken_apart(
                    "(x:game) is the favorite game that (Jolene) plays with her partner",
                    ("(Jolene) plays (x:game) with her partner", "game that Jolene and her partner finished"),
                    (
                        "(x:game) is the favorite of (Jolene) and her partner",
                        "of everything we play, nothing is more fun",
                    ),
                )
            ],
            unify=[
                unified(*both),
                unified(holds(1, TWO, x="It Takes Two"), holds(2, TWO, x="It Takes Two")),
            ],
            refine=[
                refined(
                    seek(
                        2,
                        "(Jolene) and her partner go back to (x:game) again",
                        "semantic",
                        "the game we go back to again",
                    )
                )
            ],
        )
        assert played.proof.answer == ("It Takes Two",)
        assert [text[: len(TWO)] for text in played.facts()] == [TWO]
        assert sorted(played.rejected()) == [("CONTRADICTORY", "Detroit"), ("CONTRADICTORY", "It Takes Two")]


LESSONS, COME = "I signed up for surfing lessons", "You should come with me one Saturday"


def test_table_6_a_second_breadth_finds_the_activity_by_another_way() -> None:
    goal = "(Jolene) suggested (x:outdoor activity) to (Deborah)"
    played = Played(
        "t6-outdoor-with-deborah",
        decompose=[
            taken_apart(goal, (goal, "outdoor activity suggested")),
            taken_apart(
                goal,
                ("(Jolene) is learning (x:outdoor activity)", "Jolene signed up for lessons"),
                ("(Jolene) wants (Deborah) to come with her to (x:outdoor activity)", "come with me"),
            ),
        ],
        unify=[
            unified(
                holds(1, LESSONS, x="surfing"),
                holds(1, COME, x="running"),
                holds(2, COME, LESSONS, x="surfing"),
            )
        ],
        refine=[refined(why="Nobody speaks of a suggestion.")],
    )
    proof = played.proof
    assert proof.answer == ("surfing",)
    assert [one.ending for one in proof.attempts] == [Ending.STOPPED, Ending.PROVED]
    assert played.rejected() == [("NOT_SAID", "running")]
    assert [text[: len(COME)] for text in played.facts() if text.startswith(COME)] == [COME]
    assert f"{goal} ⇒ {goal}" in played.decompose.prompts[1].messages[-1].content


FLOOD, LIVED = "My old area went under water", "I lived out in West County for years"


def test_table_6_an_area_that_is_only_referred_to_is_refined_to_its_name() -> None:
    played = Played(
        "t6-flooded-area",
        decompose=[taken_apart("(x:area) was hit by a flood", ("(x:area) was hit by a flood", "flood under water"))],
        unify=[
            unified(holds(1, FLOOD, x="Eastfield"), _1="“My old area” does not name the area."),
            unified(
                holds(2, LIVED, x="West County"),
                holds(1, FLOOD, LIVED, x="West County"),
            ),
        ],
        refine=[
            refined(
                seek(1, "(John) lived in (x:area), his old area", "spatial", "John lived out there before, old area")
            )
        ],
    )
    assert played.proof.answer == ("West County",)
    assert played.rejected() == [("NOT_SAID", "Eastfield")]
    assert any(FLOOD in text for text in played.facts())
    assert any(LIVED in text for text in played.facts())
    assert LIVED not in played.unify.prompts[0].messages[-1].content


DROVE, SKIING = "Last month I had", "Skiing! There's"


def test_table_6_last_month_is_july_and_what_he_did_follows_from_the_next_turn() -> None:
    played = Played(
        "t6-july-fun",
        decompose=[
            taken_apart(
                "(Evan) did (x:fun activity) in (July 2023)",
                ("(Evan) went somewhere fun in (t:month)", "Evan drove somewhere fun"),
                ("(Evan) did (x:fun activity) in (t:month)", "what Evan enjoyed"),
            )
        ],
        unify=[
            unified(holds(1, DROVE, t="July 2023"), _2="He does not say what he did there."),
            unified(
                holds(2, SKIING, x="The Great Gatsby"),
                holds(2, DROVE, SKIING, x="Skiing", t="July 2023"),
            ),
        ],
        refine=[
            refined(seek(2, "(Evan) was up to (x:fun activity) there", "temporal", "what Evan was up to there")),
        ],
    )
    assert played.proof.answer == ("Skiing",)
    assert played.proof.proved is not None
    assert [value.text for name, value in played.proof.proved.substitution.bindings if name == "t"] == ["July 2023"]
    assert str(played.proof.goal) == "(Evan) did (Skiing) in (July 2023)"
    assert played.rejected() == [("NOT_SAID", "The Great Gatsby")]
    assert [text.startswith(words) for text, words in zip(played.facts(), (DROVE, SKIING), strict=True)] == [True] * 2
