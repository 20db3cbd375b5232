"""The "I" that people leave out in a hurry: "moved out of Leeds", "renting a studio in Galway", "still at Bologna".

Only what is plainly somebody's own doing gets its subject back: a sentence that opens with its verb, or with the place
where somebody is. What was left out after another's doing in the same breath is not told apart here.
"""

from __future__ import annotations

_LEAD = (
    r"^(?P<l>\W*(?:(?:and|but|so|also|well|yeah|yep|yes|hi|hey|hello|ok|okay|plus|then|finally|sadly|luckily|"
    r"anyway|oh|guess what|good news|bad news|update|fyi)\b[\s,:!.-]+)*)"
)
_STILL = r"(?:(?:just|also|recently|finally|already|only|never|now|even) )*"
_DONE = (
    "moved|relocated|joined|quit|cancelled|canceled|dropped|sold|bought|adopted|switched|swapped|changed|started|left|"
    "lost|got|gave|broke|split|married|retired|resigned|signed|ditched|upgraded|replaced|traded|donated|stopped|"
    "vaped|smoked|worked|lived|studied|played|used to|went|graduated|finished|became|trained|retrained|took|grew up|"
    "met|turned|visited|renewed|had|misread|misremembered|lied|meant|kept|settled|transferred|enrolled|passed|failed"
)
_DOING = (
    "renting|studying|crashing|staying|living|working|doing|learning|playing|looking for|training|driving|taking|"
    "moving|starting|teaching|dating|seeing|sharing|using|reading|raising|interning|volunteering|sleeping"
)
_NOT_MINE = r"(?!\s+(?:by|off|down|out of stock|it\W|ya|you|right\b|wrong\b|to tears))"
_PLAIN_STATEMENT = r"(?![^?]*\?\s*$)"

DROPPED_SUBJECTS: tuple[tuple[str, str], ...] = (
    (rf"{_LEAD}{_PLAIN_STATEMENT}(?=(?:{_STILL})(?:{_DONE})\b{_NOT_MINE}\s+\w)", "{l}I "),
    (rf"{_LEAD}{_PLAIN_STATEMENT}(?=(?:{_STILL}|still )(?:{_DOING})\s+\w)", "{l}I'm "),
    (
        rf"{_LEAD}{_PLAIN_STATEMENT}(?=(?:still |now |not |no longer |back )*(?:in|at|on|with|allergic to|married to|"
        r"engaged to|based in|from) (?!the other hand|fact|case|general|short|my opinion|mind|least|first|last|all|that|this|"
        r"which|love|addition|the (?:meantime|end|way|side|whole)|sum|other words|\d)[\w' -]{2,30}"
        r"(?: (?:now|these days|right now|again|anymore|currently))\W*$)",
        "{l}I'm ",
    ),
    (rf"{_LEAD}{_PLAIN_STATEMENT}(?=(?:still|no longer|not) (?:in|at|on|with|into|allergic) \w)", "{l}I'm "),
    (rf"{_LEAD}{_PLAIN_STATEMENT}(?=was (?:once |formerly )?(?:an? \w|born |living |working |in |at |with ))", "{l}I "),
    (rf"{_LEAD}{_PLAIN_STATEMENT}(?=born (?:in|on) \w)", "{l}I was "),
    (
        rf"{_LEAD}{_PLAIN_STATEMENT}(?=(?:hate|love|dislike|don't like|can't stand|live in|work (?:at|for|as)) \w)",
        "{l}I ",
    ),
    # A second verb, after what is no part of a list: "..., quit in August".
    (rf"(?P<p>\w), (?=(?:{_DONE})\s+(?:in|on|at|to|it|my|the|a|an|last)\b)(?<!and )", "{p}, I "),
)
