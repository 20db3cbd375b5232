"""Tells somebody in the second person what was written about them in the third: "Ana lives here" -> "You live here".

No parse is needed where the name begins a sentence, and for what is theirs. A name elsewhere stays unless it is written as
one: "owner" may be a word like any other. What is quoted begins like a sentence.
"""

import re

from memory.core.english.inflection import base_form, is_known_verb

_AGREES = {
    "is": "are",
    "isn't": "aren't",
    "was": "were",
    "wasn't": "weren't",
    "has": "have",
    "does": "do",
    "doesn't": "don't",
}
_BETWEEN = r"(?:(?:also|always|never|no longer|now|often|once|really|still|usually)\s+)*"
_DETERMINERS = frozenset("a an any each every her his its my no our some that the their this your".split())


def addressed(text: str, *, names: tuple[str, ...]) -> str:
    """Return a text with one person, whom the names name, as "you".

    >>> addressed("Ana lives in Lyon. Maya is Ana's sister.", names=("Ana",))
    "You live in Lyon. Maya is your sister."
    """
    for name in filter(None, names):
        text = _begun(text, name)
        text = _owned(text, name)
        if name != name.lower():
            text = re.sub(rf"(?<=\w )\b{re.escape(name)}\b(?!['’-]\w| [A-Z])", "you", text)
    return text


def _begun(text: str, name: str) -> str:
    pattern = re.compile(
        rf"(?P<start>^|[.!?:;]\s+|[“\"(]|\n)(?P<name>{re.escape(name)}|{re.escape(name[:1].upper() + name[1:])})"
        rf"(?:(?P<theirs>['’]s)\b|(?P<between>\s+{_BETWEEN})(?P<verb>[\w'’]+)|(?![\w-]))"
    )

    def told(found: re.Match[str]) -> str:
        if found["theirs"]:
            return f"{found['start']}Your"
        return f"{found['start']}You{found['between'] or ''}{_with_you(found['verb'] or '')}"

    return pattern.sub(told, text)


def _owned(text: str, name: str) -> str:
    def told(found: re.Match[str]) -> str:
        return found[0] if found["before"].strip().lower() in _DETERMINERS else f"{found['before']}your"

    return re.sub(rf"(?P<before>\b\w+\s+|^|[“\"(]){re.escape(name)}['’]s\b", told, text)


def _with_you(verb: str) -> str:
    form = verb.replace("’", "'")
    if form in _AGREES:
        return _AGREES[form]
    base = base_form(form) if form.endswith("s") else form
    return base if is_known_verb(base) or form.endswith("s") and not form.endswith("ss") else verb
