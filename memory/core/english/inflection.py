"""English word forms by rule, with a table of irregular verbs.

The core may not import a morphological dictionary, and a space makes predicates of any verb that a dialogue brings
("visitedWith"), so the word forms for sentences are made here. An unknown verb is inflected as a regular one.
"""

from __future__ import annotations

import re
from functools import cache

_IRREGULAR_VERBS = """
be was been; become became become; begin began begun; bite bit bitten; blow blew blown; break broke broken;
bring brought brought; build built built; burn burnt burnt; buy bought bought; catch caught caught; choose chose chosen;
come came come; cost cost cost; cut cut cut; deal dealt dealt; dig dug dug; do did done; draw drew drawn;
drink drank drunk; drive drove driven; eat ate eaten; fall fell fallen; feed fed fed; feel felt felt;
fight fought fought; find found found; fly flew flown; forget forgot forgotten; forgive forgave forgiven;
freeze froze frozen; get got got; give gave given; go went gone; grow grew grown; hang hung hung; have had had;
hear heard heard; hide hid hidden; hit hit hit; hold held held; hurt hurt hurt; keep kept kept; know knew known;
lay laid laid; lead led led; leave left left; lend lent lent; let let let; lie lay lain; light lit lit; lose lost lost;
make made made; mean meant meant; meet met met; pay paid paid; put put put; quit quit quit; read read read;
ride rode ridden; ring rang rung; rise rose risen; run ran run; say said said; see saw seen; seek sought sought;
sell sold sold; send sent sent; set set set; sew sewed sewn; shake shook shaken; shine shone shone; shoot shot shot;
show showed shown; shut shut shut; sing sang sung; sink sank sunk; sit sat sat; sleep slept slept; speak spoke spoken;
spend spent spent; stand stood stood; steal stole stolen; stick stuck stuck; sting stung stung; swear swore sworn;
sweep swept swept; swim swam swum; swing swung swung; take took taken; teach taught taught; tear tore torn;
tell told told; think thought thought; throw threw thrown; understand understood understood; wake woke woken;
wear wore worn; weave wove woven; win won won; withdraw withdrew withdrawn; write wrote written
"""
_PAST: dict[str, str] = {}
_PARTICIPLE: dict[str, str] = {}
for _entry in _IRREGULAR_VERBS.split(";"):
    _base, _past, _participle = _entry.split()
    _PAST[_base], _PARTICIPLE[_base] = _past, _participle
_PAST_FORMS = frozenset([*_PAST.values(), *_PARTICIPLE.values(), "were"])
_BASE_OF_IRREGULAR = {past: base for base, past in _PAST.items()} | {part: base for base, part in _PARTICIPLE.items()}
_BASE_OF_IRREGULAR |= {"is": "be", "are": "be", "am": "be", "were": "be", "has": "have", "does": "do", "goes": "go"}
_BASE_OF_IRREGULAR |= {"dying": "die", "lying": "lie", "tying": "tie"}

# The ends of stems that lost an e before -ed or -ing: "mov", "danc", "settl", "donat", "inspir", "combin", "chang".
_KEEPS_E = re.compile(r"(?:v|c|z|u|[^aeiour]l|[aiu]t|[aiu]s|[dn]g|[aiou]r|[^aeo]in|[aiou]k|[ao]p|[aiu]d|[ao]m)$")
_DOUBLES = re.compile(r"^[^aeiou]*[aeiou][bdgklmnprtv]$")
_STRESSED_LAST = {
    "admit",
    "begin",
    "commit",
    "forget",
    "occur",
    "permit",
    "prefer",
    "refer",
    "regret",
    "submit",
    "transfer",
}
_KNOWN_BASES = frozenset(
    """
    accept achieve act add adopt advise age agree allow announce apply arrange arrive ask attend avoid bake base believe
    belong call camp care carry celebrate change charge close climb collect compete complete concern consider continue
    cook create cycle dance date decide decorate delete describe design detest die dislike divorce donate dream dress
    drop earn educate encourage enjoy enter escape exercise explore face finish focus found fix gather graduate guide
    handle hate help hike hire hope hop house include inspire invite iron join joke judge jog jump kill kiss knit land
    last launch lease learn like listen live locate look love manage marry mention mix mop move name need note offer
    open operate order organise organize own pack paint park pass perform phone place plan plant play plug practice
    practise prefer prepare produce promise promote propose provide publish pursue raise realise realize receive
    recite recommend record refuse rehearse release relocate remember remove rent repair replace rescue research resign
    retire return row save schedule score serve settle share ship shop sign skate ski smile smoke sponsor start state
    stay stop store struggle study suggest support surf surprise survive talk taste tease tidy tour trade train travel
    treat try tutor type use value visit volunteer vote wait walk want warm wash waste watch welcome wipe wish work worry
    write
    """.split()
)


def third_person(base: str) -> str:
    """Return the present form after he or she: "work" -> "works"."""
    if base == "be":
        return "is"
    if base == "have":
        return "has"
    return _add_s(base)


def past(base: str) -> str:
    """Return the simple past of a base form; "be" gives "was"."""
    return _PAST.get(base) or _add_ed(base)


def past_participle(base: str) -> str:
    """Return the participle of the perfect: "drive" -> "driven"."""
    return _PARTICIPLE.get(base) or _add_ed(base)


def gerund(base: str) -> str:
    """Return the -ing form: "swim" -> "swimming"."""
    if base.endswith("ie"):
        return f"{base[:-2]}ying"
    if base.endswith("e") and not base.endswith(("ee", "oe", "ye")) and base != "be":
        return f"{base[:-1]}ing"
    return f"{_doubled(base)}ing"


@cache
def base_form(word: str) -> str:
    """Return the base form of a finite verb or participle: "worked", "works" and "working" -> "work"."""
    form = word.lower()
    if form in _BASE_OF_IRREGULAR:
        return _BASE_OF_IRREGULAR[form]
    if form in _KNOWN_BASES or form in _PAST:
        return form
    for suffix in ("ing", "ed", "s", "es"):
        stem = form.removesuffix(suffix)
        if stem != form:
            for candidate in (f"{stem}e", stem, stem[:-1] if stem[-2:-1] == stem[-1:] else "", f"{stem[:-1]}y"):
                if candidate in _KNOWN_BASES or candidate in _PAST:
                    return candidate
    return _base_by_rule(form)


def is_known_verb(word: str) -> bool:
    """Return whether a word is the base form of a verb that is in the tables."""
    return word.lower() in _KNOWN_BASES or word.lower() in _PAST


def is_past_form(word: str) -> bool:
    """Return whether a word is a form of the past and no base form too: "went", "gone" and "landed", but not "put"."""
    form = word.lower()
    if form in _PAST or form in _KNOWN_BASES:
        return False
    return form in _PAST_FORMS or form.endswith("ed") and len(form) > 4


def plural(noun: str) -> str:
    """Return the plural of a common noun by rule: "hobby" -> "hobbies"."""
    irregular = {
        "child": "children",
        "person": "people",
        "man": "men",
        "woman": "women",
        "wife": "wives",
        "life": "lives",
    }
    return irregular.get(noun) or _add_s(noun)


def singular(noun: str) -> str:
    """Return the singular of a common noun by rule: "hobbies" -> "hobby". A singular comes back as it is."""
    irregular = {
        "children": "child",
        "kids": "kid",
        "people": "person",
        "men": "man",
        "women": "woman",
        "wives": "wife",
    }
    if noun in irregular:
        return irregular[noun]
    if noun.endswith("ies") and len(noun) > 4:
        return f"{noun[:-3]}y"
    if noun.endswith(("ches", "shes", "sses", "xes", "zes")):
        return noun[:-2]
    if noun.endswith("s") and not noun.endswith(("ss", "us", "is")) and len(noun) > 3:
        return noun[:-1]
    return noun


def words_of_name(name: str) -> list[str]:
    """Return the lower-case words of a camelCase or snake_case name: "worksFor" -> ["works", "for"]."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[_\-\s]+", " ", name)
    return spaced.lower().split()


def _add_s(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh")) or word in {"go", "do", "echo", "veto"}:
        return f"{word}es"
    if word.endswith("y") and word[-2:-1] not in "aeiou":
        return f"{word[:-1]}ies"
    return f"{word}s"


def _add_ed(base: str) -> str:
    if base.endswith("e"):
        return f"{base}d"
    if base.endswith("y") and base[-2:-1] not in "aeiou":
        return f"{base[:-1]}ied"
    return f"{_doubled(base)}ed"


def _doubled(base: str) -> str:
    return f"{base}{base[-1]}" if _DOUBLES.match(base) or base in _STRESSED_LAST else base


def _base_by_rule(form: str) -> str:
    for suffix in ("ing", "ed"):
        stem = form.removesuffix(suffix)
        if stem != form and re.search("[aeiouy]", stem):
            if suffix == "ed" and stem.endswith("i"):
                return f"{stem[:-1]}y"
            if stem[-1] == stem[-2:-1] and stem[-1] not in "lsze":
                return stem[:-1]
            return f"{stem}e" if _KEEPS_E.search(stem) else stem
    if form.endswith("ies") and len(form) > 4:
        return f"{form[:-3]}y"
    if form.endswith(("sses", "xes", "ches", "shes", "zzes", "oes")):
        return form[:-2]
    if form.endswith("s") and not form.endswith(("ss", "us", "is")) and len(form) > 3:
        return form[:-1]
    return form
