"""The words with which people speak of themselves, in lower case, and the expression that finds any of them."""

from __future__ import annotations

import re

MYSELF = frozenset({"i", "me", "myself"})
FIRST_PERSONS = MYSELF | {"mine", "we", "us"}
FIRST_POSSESSIVES = frozenset({"my", "our"})
FIRST_PERSON_WORDS = FIRST_PERSONS | FIRST_POSSESSIVES | {"ours"}
FIRST_PERSON = re.compile(rf"\b(?:{'|'.join(sorted(FIRST_PERSON_WORDS))})\b", re.IGNORECASE)
