"""The rules that the built-in clause reader is made of, in the order in which they are asked."""

from __future__ import annotations

from memory.core.knowledge_graph.extraction.attachment_repairs import (
    clipped_perfects,
    clipped_verbs,
    compound_cases,
    continued_names,
    late_phrases,
    misread_names,
    neither_nor,
    nominal_items,
    told_clauses,
    torn_compounds,
)
from memory.core.knowledge_graph.extraction.attributes import read_attribute
from memory.core.knowledge_graph.extraction.chat_style import with_left_out
from memory.core.knowledge_graph.extraction.copulas import read_noun, read_place, read_qualities
from memory.core.knowledge_graph.extraction.corrections import corrected
from memory.core.knowledge_graph.extraction.denials import denied
from memory.core.knowledge_graph.extraction.exclusivity import with_endings
from memory.core.knowledge_graph.extraction.frames import frame_of
from memory.core.knowledge_graph.extraction.kin_repairs import (
    appended_names,
    named_doers,
    named_relatives,
    set_off_names,
    short_verbs,
)
from memory.core.knowledge_graph.extraction.life_events import EVENTS, read_birth, read_life_event
from memory.core.knowledge_graph.extraction.minting import mint
from memory.core.knowledge_graph.extraction.named_things import read_named_thing
from memory.core.knowledge_graph.extraction.opening_names import names_in
from memory.core.knowledge_graph.extraction.partnership import with_former_partners
from memory.core.knowledge_graph.extraction.readings import with_copula
from memory.core.knowledge_graph.extraction.repairs import (
    attributes,
    clipped_copula,
    clitic_subjects,
    gerund_predicates,
    having,
    languages,
    obliques,
    owners,
    proper_nouns,
    split_compounds,
)
from memory.core.knowledge_graph.extraction.rules import RuleSet
from memory.core.knowledge_graph.extraction.verb_objects import read_known
from memory.core.knowledge_graph.extraction.verb_repairs import (
    conjoined_verbs,
    contrasts,
    joined_subjects,
    participles,
    third_persons,
    verbs_as_nouns,
)
from memory.core.knowledge_graph.extraction.verbs import read_chain, read_giving_up
from memory.core.knowledge_graph.extraction.wording import with_left_out_words, with_plain_spelling

RULES = RuleSet(
    wordings=(with_plain_spelling, with_left_out_words, with_copula, with_left_out),
    framings=(frame_of,),
    namings=(names_in,),
    repairs=(
        misread_names,
        clipped_perfects,
        clipped_verbs,
        torn_compounds,
        compound_cases,
        named_doers,
        appended_names,
        named_relatives,
        short_verbs,
        set_off_names,
        told_clauses,
        clipped_copula,
        having,
        owners,
        joined_subjects,
        participles,
        third_persons,
        conjoined_verbs,
        proper_nouns,
        languages,
        verbs_as_nouns,
        gerund_predicates,
        split_compounds,
        attributes,
        obliques,
        clitic_subjects,
        contrasts,
        late_phrases,
        nominal_items,
        neither_nor,
        continued_names,
    ),
    heads=(read_attribute,),
    copulas=(read_place, read_qualities, read_noun),
    verbs=(read_chain, read_giving_up, read_birth, read_life_event, read_known, mint),
    events=EVENTS,
    consequences=(with_endings,),
    additions=(read_named_thing,),
    answers=(corrected, denied),
    revisions=(with_former_partners,),
)
