"""Whom or what a question names of which no word was ever said: "Where does Zelda live?"."""

import re
from collections.abc import Collection

_WORD = re.compile(r"[^\W\d_][\w'’-]*")


def words_of_question(text: str) -> list[str]:
    """Return the words that a question may take for granted, each once."""
    return list(dict.fromkeys(re.sub(r"['’]s$", "", word) for word in _WORD.findall(text) if len(word) > 2))[:24]


def is_unsaid_name(name: str, text: str, unsaid: Collection[str]) -> bool:
    """Return whether a question names somebody or something by words of which none was ever said: "Zelda", "my kitchen"."""
    pattern = rf"(?P<my>\bmy\s+)?(?P<whole>(?:[\w-]+['’]s?\s+)*{re.escape(name)})(?!['’\w])"
    found = re.search(pattern, text, re.IGNORECASE)
    if found is None or not set(words_of_question(found["whole"])) <= set(unsaid):
        return False
    # The first word of a question is written large whatever it is.
    is_name = found.start() > 0 and all(word[0].isupper() for word in found["whole"].split())
    return bool(words_of_question(name)) and (found["my"] is not None or is_name)
