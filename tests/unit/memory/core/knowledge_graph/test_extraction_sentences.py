"""What single sentences of everyday chat mean to the built-in extractor."""

from __future__ import annotations

import pytest

from tests.unit.memory.core.knowledge_graph.conftest import Read, asserted

SENTENCES = [
    ("I live in Paris and I work for Airbus.", "Sam livesIn Paris; Sam worksFor Airbus"),
    ("Actually, I moved to Lyon last week.", "Sam livesIn Lyon"),
    ("im living in berlin now", "Sam livesIn Berlin"),
    ("I dont like olives", "not Sam likes olives"),
    ("My name is Sara, not Sarah.", "Sam hasName Sara"),
    ("My favorite band is Radiohead.", "Sam hasFavoriteBand Radiohead"),
    ("Blue is my favorite color.", "Sam hasFavoriteColor Blue"),
    ("I'm a nurse.", "Sam worksAs nurse"),
    ("I'm a software engineer at Google.", "Sam worksAs software engineer; Sam worksFor Google"),
    ("I work as a teacher at Lincoln High School.", "Sam worksAs teacher; Sam worksFor Lincoln High School"),
    ("I'm from Lyon.", "Sam comesFrom Lyon"),
    ("I'm originally from Kenya.", "Sam comesFrom Kenya"),
    ("I am Canadian.", "Sam nationality Canadian"),
    ("I'm vegetarian.", "Sam hasQuality vegetarian"),
    ("I am not a vegetarian.", "not Sam hasQuality vegetarian"),
    ("I'm not vegetarian anymore.", "not Sam hasQuality vegetarian"),
    ("I have two brothers, Tom and Ben.", "Sam hasBrother Tom; Sam hasBrother Ben"),
    (
        "I have two cats, Milo and Luna.",
        "Sam hasCat Milo; Sam hasCat Luna; Luna isA cat; Milo isA cat",
    ),
    ("I like olives and cheese.", "Sam likes olives; Sam likes cheese"),
    ("we have a dog called Biscuit", "Sam hasDog Biscuit; Biscuit isA dog"),
    ("I have a golden retriever named Max.", "Sam hasDog Max; Max isA retriever"),
    ("I adopted a kitten named Luna yesterday.", "Sam hasCat Luna; Luna isA kitten"),
    ("My sister has a dog called Rex.", "Sam's sister hasDog Rex; Rex isA dog; Sam hasSister Sam's sister"),
    ("My dog is called Rex.", "Sam hasDog Rex; Rex isA dog"),
    ("My cat's name is Whiskers.", "Sam hasCat Whiskers; Whiskers isA cat"),
    ("I don't have a dog.", "not Sam hasDog anything"),
    ("I don't have any siblings.", "not Sam hasSibling anything"),
    (
        "My wife and I moved from Boston to Chicago in 2018.",
        "Sam livesIn Chicago; Sam's wife livesIn Chicago; Sam spouse Sam's wife",
    ),
    ("I used to live in Paris.", "was Sam livesIn Paris"),
    ("I used to be a nurse.", "was Sam worksAs nurse"),
    ("I was a nurse for ten years.", "was Sam worksAs nurse"),
    (
        "I'm a teacher now, I used to be a nurse.",
        "Sam worksAs teacher; was Sam worksAs nurse; not Sam worksAs anything",
    ),
    ("I no longer work for Airbus.", "not Sam worksFor Airbus"),
    ("I don't work at Google anymore.", "not Sam worksFor Google"),
    ("I am no longer a teacher.", "not Sam worksAs teacher"),
    ("I quit my job yesterday.", "not Sam worksFor anything; not Sam worksAs anything"),
    ("I lost my job.", "not Sam worksFor anything; not Sam worksAs anything"),
    ("I retired last year.", "not Sam worksFor anything; not Sam worksAs anything"),
    ("I now work for Boeing instead of Airbus.", "not Sam worksFor anything; Sam worksFor Boeing"),
    ("I also work for Boeing.", "Sam worksFor Boeing"),
    ("I got promoted to senior manager.", "Sam worksAs senior manager"),
    ("My sister Maya works at Airbus.", "Sam hasSister Maya; Maya worksFor Airbus"),
    ("my sister works at Airbus", "Sam hasSister Sam's sister; Sam's sister worksFor Airbus"),
    ("My best friend Julia lives in Vienna.", "Sam hasFriend Julia; Julia livesIn Vienna"),
    (
        "My wife Ana is a lawyer and she works for Baker McKenzie.",
        "Sam spouse Ana; Ana worksAs lawyer; Ana worksFor Baker McKenzie",
    ),
    ("My brother Tom, who lives in Madrid, is a doctor.", "Sam hasBrother Tom; Tom livesIn Madrid; Tom worksAs doctor"),
    ("My parents live in Spain.", "Sam's parents livesIn Spain"),
    ("My mother's name is Linda.", "Sam hasMother Linda"),
    ("My boss's name is Karen.", "Sam hasBoss Karen"),
    ("My mom is a teacher.", "Sam hasMother Sam's mother; Sam's mother worksAs teacher"),
    (
        "My brother's wife works as a nurse at the hospital in Leeds.",
        "Sam's brother's wife worksAs nurse; Sam's brother spouse Sam's brother's wife; Sam hasBrother Sam's brother; "
        "Sam's brother's wife worksFor hospital",
    ),
    ("Tom is my brother.", "Sam hasBrother Tom"),
    ("Mary is Tom's mother.", "Tom hasMother Mary"),
    ("Tom isn't my boss, he's my cousin.", "not Sam hasBoss Tom; Sam hasCousin Tom"),
    ("I was born in Leeds in 1990.", "Sam bornIn Leeds"),
    ("I was born and raised in Chicago.", "Sam bornIn Chicago"),
    ("My birthday is on May 7th.", "Sam birthDate 7 May"),
    ("my bday is june 3", "Sam birthDate 3 June"),
    ("I grew up in Texas.", "Sam grewUpIn Texas"),
    ("I graduated from MIT in 2015.", "was Sam graduatedFrom MIT"),
    ("I studied physics at MIT.", "was Sam studies physics; was Sam studiesAt MIT"),
    ("I'm studying medicine at Oxford.", "Sam studies medicine; Sam studiesAt Oxford"),
    ("I'm allergic to peanuts.", "Sam allergicTo peanuts"),
    ("I speak French and German fluently.", "Sam speaks French; Sam speaks German"),
    ("I'm learning Spanish.", "Sam learns Spanish"),
    ("I started learning Japanese.", "Sam learns Japanese"),
    ("I've lived in Madrid since 2019.", "Sam livesIn Madrid"),
    ("I live in New York with my husband Paul.", "Sam livesIn New York; Sam spouse Paul; Sam livesWith Paul"),
    (
        "My girlfriend and I live in Austin.",
        "Sam livesIn Austin; Sam's girlfriend livesIn Austin; Sam hasGirlfriend Sam's girlfriend",
    ),
    ("me and my brother live in miami", "Sam livesIn Miami; Sam's brother livesIn Miami; Sam hasBrother Sam's brother"),
    ("I don't live in Paris anymore, I live in Lyon now.", "not Sam livesIn Paris; Sam livesIn Lyon"),
    ("When I lived in Paris, I worked for Renault.", "was Sam livesIn Paris; was Sam worksFor Renault"),
    ("Ever since I moved to Oslo I have been skiing.", "Sam livesIn Oslo"),
    ("I'm moving to Berlin next month.", "will Sam livesIn Berlin"),
    ("I'm in Berlin this week.", "Sam locatedIn Berlin"),
    ("I have been learning the piano for three years.", "Sam learns piano"),
    ("I play the guitar and the violin.", "Sam plays guitar; Sam plays violin"),
    ("I stopped eating meat.", "not Sam eats meat"),
    ("I don't eat meat.", "not Sam eats meat"),
    ("I never drink alcohol.", "not Sam drinks alcohol"),
    ("I can't stand mushrooms.", "not Sam likes mushrooms"),
    ("I hate coffee.", "Sam dislikes coffee"),
    ("I prefer tea.", "Sam likes tea"),
    ("I don't like sushi anymore.", "not Sam likes sushi"),
    ("i hate mushrooms but i like olives", "Sam dislikes mushrooms; Sam likes olives"),
    ("I'm scared of spiders.", "Sam fears spiders"),
    ("I'm married to Ana.", "Sam spouse Ana; Sam maritalStatus married"),
    ("I got married to Tom last summer.", "Sam spouse Tom; Sam maritalStatus married"),
    ("I'm divorced.", "Sam maritalStatus divorced; not Sam spouse anything"),
    ("I'm not married.", "not Sam maritalStatus married; not Sam spouse anything"),
    ("My boyfriend broke up with me.", "not Sam hasBoyfriend anything"),
    (
        "My husband's name is Carlos and he's from Peru.",
        "Sam spouse Carlos; Sam's husband comesFrom Peru",
    ),
    ("My kids are named Ann and Joe.", "Sam hasChild Ann; Sam hasChild Joe"),
    ("We named our son Leo.", "Sam hasSon Leo"),
    ("i have a gf named kate", "Sam hasGirlfriend Kate"),
    ("My phone number is 555-1234.", "Sam phoneNumber 555-1234"),
    ("I drive a Honda Civic.", "Sam drives Honda Civic"),
    ("I weigh 70 kg.", "Sam weight 70 kg"),
    ("I work at the European Space Agency.", "Sam worksFor European Space Agency"),
    ("I work two jobs, at Costco and at Target.", "Sam worksFor Costco; Sam worksFor Target"),
    ("I switched jobs and now work at Stripe.", "not Sam worksFor anything; Sam worksFor Stripe"),
    ("I work in finance.", "Sam worksIn finance"),
    ("My office is in Munich.", "Sam's office locatedIn Munich"),
    ("I have never been to Japan.", "not Sam visited Japan"),
    ("I went to Japan last year.", "was Sam wentTo Japan"),
    ("I think my sister lives in Oslo.", "Sam's sister livesIn Oslo; Sam hasSister Sam's sister"),
    (
        "Lost my job as a banker yesterday, so I'm gonna take a shot at starting my own business.",
        "not Sam worksFor anything; not Sam worksAs anything",
    ),
    ("Moved to Lyon last week!", "Sam livesIn Lyon"),
    ("My wife is Ana.", "Sam spouse Ana"),
    ("My best friend is Julia.", "Sam hasFriend Julia"),
    ("My dentist is Dr. Lee.", "Sam hasDentist Dr. Lee"),
    ("I don't think I like jazz.", "not Sam likes jazz"),
    ("I work remotely for a company called Acme.", "Sam worksFor Acme"),
    (
        "My sister used to live in Rome but she moved to Milan in 2020.",
        "was Sam's sister livesIn Rome; Sam's sister livesIn Milan; Sam hasSister Sam's sister",
    ),
    ("My husband and I got divorced in 2020.", "not Sam spouse anything; Sam maritalStatus divorced"),
    (
        "I used to work at IBM but now I work at Oracle.",
        "was Sam worksFor IBM; Sam worksFor Oracle; not Sam worksFor anything",
    ),
    (
        "My brother isn't a doctor, he's a dentist.",
        "not Sam's brother worksAs doctor; Sam's brother worksAs dentist; Sam hasBrother Sam's brother",
    ),
    (
        "We live in Toulouse with our two kids, Emma and Noah.",
        "Sam livesIn Toulouse; Sam hasChild Emma; Sam hasChild Noah; Sam livesWith Emma; Sam livesWith Noah",
    ),
    ("My boss, Karen, is from Ohio.", "Sam hasBoss Karen; Karen comesFrom Ohio"),
]


@pytest.mark.parametrize(("text", "expected"), SENTENCES, ids=[text for text, _ in SENTENCES])
def test_sentence_states_its_facts(read: Read, text: str, expected: str) -> None:
    assert set(expected.split("; ")) == asserted(read(text))


@pytest.mark.parametrize("text", [text for text, _ in SENTENCES])
def test_span_of_each_fact_lies_in_its_sentence(read: Read, text: str) -> None:
    for fact in read(text):
        covered = text[fact.span.start : fact.span.end]
        assert covered
        assert covered == covered.strip()


@pytest.mark.parametrize(
    ("text", "forbidden"),
    [
        ("My name is Sara, not Sarah.", "Sam hasName Sarah"),
        ("My sister Maya works at Airbus.", "Sam worksFor Airbus"),
        ("I no longer work for Airbus.", "Sam worksFor Airbus"),
        ("I live in Paris and my brother lives in Rome.", "Sam livesIn Rome"),
        ("I used to live in Paris.", "Sam livesIn Paris"),
        ("I'm moving to Berlin next month.", "Sam livesIn Berlin"),
        ("I don't like olives.", "Sam likes olives"),
        ("I also work for Boeing.", "not Sam worksFor anything"),
        ("My wife is Ana.", "Sam spouse Sam's wife"),
        ("My boss isn't Karen.", "Sam hasBoss Karen"),
        ("I live in Paris, can you recommend a bar?", "Sam recommend bar"),
        ("I met three friends, named Jack and Tom, of my neighbor.", "Sam hasFriend Jack"),
    ],
)
def test_sentence_states_no_more_than_it_says(read: Read, text: str, forbidden: str) -> None:
    assert forbidden not in asserted(read(text))
