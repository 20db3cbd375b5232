"""Idioms of change in the words that the rules read: "was let go", "called it off", "there was a time when I ...".

A name in braces is the group that stays as it was written; groups may change places.
"""

from __future__ import annotations

_BE = r"am|'m|is|'s|are|'re|was|were"
_HAVE = r"(?:'ve |have |has |'s |had |'d )?"
_BEEN = rf"(?:{_HAVE}(?:been |just been |recently been )?|was |were |got |'m being |am being |is being )"
_OWNER = r"my|our|his|her|their|the"
_NOTICE = (
    r"(?:handed in|turned in|put in|gave|gave in) (?:my|his|her|their) (?:resignation(?: letter)?|notice|"
    r"two weeks'?(?: notice)?)"
)
_WHO = r"I|we|he|she|they|it"
_DWELLING = (
    r"(?:studio|flat|apartment|room|house|place|bedsit|cottage|houseshare|flatshare|loft|maisonette|"
    r"bungalow|condo|cabin)"
)
# What "it's ... that" may hold without saying which thing it is.
_THING = (
    r"(?!(?:not|so|very|too|quite|really|true|great|nice|sad|good|bad|clear|likely|possible|time|like|why|how|"
    r"when|where|just|"
    r"only|here|there|funny|said|been|also|a|an|the|because|thanks|weird|odd|strange|lucky|obvious|important|"
    r"fair|cool|what|"
    r"unlikely|wonderful|lovely|amazing|rare|known|common|all|no|my|me|him|her|them|us)\b)"
)
_CONSUMED = "coffee|sugar|meat|alcohol|caffeine|gluten|dairy|cigarettes"

CHANGES: tuple[tuple[str, str], ...] = (
    # Losing and leaving work.
    (
        r"\b(?:been|was|were|got|getting|get|gets) (?:let go|made redundant|laid[ -]off|canned)\b(?: of)?",
        "got fired",
    ),
    (r"\b(?:got|been given|was given) the (?:sack|axe|boot|chop)\b", "got fired"),
    (rf"\b(?:{_NOTICE})(?: (?:at|to|with))(?= [A-Z])", "resigned from"),
    (rf"\b(?:{_NOTICE})(?! about)", "resigned"),
    (r"\bstepped down(?= (?:from|as)\b)", "resigned"),
    (rf"\b(?P<b>{_BE}) no longer (?P<p>at|with|in|on|part of)\b", "{b} not {p}"),
    (r"(?P<b>\b(?:am|is|are|was|were)|'m|'s|'re) (?:not|no longer) employed (?=at|by|for|with)\b", "{b} not working "),
    # Finding work.
    (
        rf"(?P<w>\w)(?: |(?=')){_BEEN}(?:poached|head-?hunted|snapped up|recruited|hired|taken on|signed) by (?=\w)",
        "{w} started a new job at ",
    ),
    (
        rf"(?P<w>\w)(?: |(?=')){_BEEN}(?:made|appointed|named|promoted to|promoted|elected|voted) (?:as |to "
        rf"|the new |the |an? )?"
        r"(?=(?:\w+ ){0,2}(?:manager|leader|head|director|principal|chef|captain|supervisor|partner|"
        r"president|editor|chair|"
        r"treasurer|secretary|officer|lead|chief|nurse|foreman|dean|professor|engineer|teacher|analyst|coach)\b)",
        "{w} became a ",
    ),
    (
        r"\b(?:they|my boss|the board|the company) made (?:me|us) (?:an? |the )?"
        r"(?=(?:head|team|lead|chief|deputy|senior|junior|manager|director|captain|leader|partner|supervisor)\b)",
        "I became a ",
    ),
    (
        r"\b(?:took over|stepped in|started out|started|began|qualified|trained|retrained|re-trained) as "
        r"(?=an? |the |\w)",
        "became ",
    ),
    (r"\b(?:turned|has turned|have turned) into (?=an? \w+(?:er|or|ist|ian|man|woman)\b)", "became "),
    (r"\b(?:am|'m|is|'s) in charge of ", "'s the head of "),
    # Moving.
    (
        r"\bpack(?:ed|ing) (?:(?:up|everything|it all|all|our|my|his|her|their|the|things|stuff|bags|life|"
        r"lives|house|flat|"
        r"boxes|car|home) ?)+and (?=(?:moved|relocated|left|went)\b)",
        "",
    ),
    (rf"\b(?P<s>{_WHO}|and) relocated to\b", "{s} moved to"),
    (r"\b(?:has |have |'ve |'s )?(?:gone|went|going) (?:back )?to live (?:in|at)\b", "moved to"),
    (r"\b(?:has |have |'ve |'s )?(?:gone|went|going) to live with\b", "moved in with"),
    (r"\b(?:ended|wound|washed) up (?:living )?in (?=[A-Z])", "settled in "),
    (r"\b(?:have |has |'ve |'s )?made (?:my|our|his|her|their) home in\b", "settled in"),
    (
        r"\b(?:my|our|the) (?:job|work|company|firm|employer|office|army|boss|bank) (?:took|transferred|"
        r"relocated|sent|moved|"
        r"posted) (?:me|us) to (?=[A-Z])",
        "I moved to ",
    ),
    (
        rf"(?P<w>\w)(?: |(?=')){_BEEN}(?:transferred|relocated|posted|reassigned) to (?=[A-Z][a-z]+\W*(?:$|"
        rf"[,.;]| (?:for|last|in|"
        r"by|and|this)\b))",
        "{w} moved to ",
    ),
    (r"(?:^|(?<=[;,.] )|(?<= and ))(?:[Hh]ome|[Mm]y home|our home) is (?:now )?(?=[A-Z])", "I live in "),
    (rf"\brent(?:ing|ed)? (?P<d>an? (?:\w+ )?{_DWELLING}) in ", "living in {d} in "),
    (
        rf"\b(?:rent|took|taken|bought) (?P<d>an? (?:\w+ )?{_DWELLING}) in (?P<c>[A-Z]\w+),? and (?:now "
        rf")?live (?:there|here)\b",
        "live in {c}",
    ),
    (r"\b(?:crashing|sleeping|bunking|dossing|kipping|camping out|couch-?surfing)(?= (?:at|on|with|in)\b)", "staying"),
    (r"\b(?P<v>staying|stay|lived|living|live) out of (?:a suitcase|boxes|a bag|a van)(?= in)", "{v}"),
    (
        r"\bmoved (?:to|into|in to) an? (?:[\w-]+ ){0,2}(?:home|flat|apartment|house|studio|room|place|cottage|"
        r"hospice|village|"
        r"town|suburb|houseshare|farm) (?:in|near|outside) (?=[A-Z])",
        "moved to ",
    ),
    # Having no more.
    (
        rf"\b(?:got rid of|gotten rid of|parted with|traded in|flogged|handed back|gave back|ditched|"
        rf"scrapped|offloaded|"
        rf"(?:have |has |'ve |'s )?sold off) (?=(?:{_OWNER})\b)",
        "sold ",
    ),
    (r"\b(?:gave|given) (?P<o>my|our|his|her|their) (?P<n>\w+(?: \w+)?) to\b", "sold {o} {n} to"),
    (
        r"(?:^|(?<=[;,.] )|(?<= and )|(?<= but ))(?P<o>[Mm]y|[Oo]ur) (?P<n>\w+(?: \w+)?) (?:was|got|has been|is) "
        r"(?:stolen|nicked|written off|totalled|a write-off|scrapped|wrecked)\b",
        "I lost {o} {n}",
    ),
    (
        rf"(?:\b(?:have |has )|'ve |'s )?\blet (?P<o>{_OWNER}) (?P<n>(?:[\w-]+ ){{0,3}}membership) (?:lapse|"
        rf"expire|run out|go)\b",
        "cancelled {o} {n}",
    ),
    (
        rf"\b(?:didn't|did not|haven't|have not|won't) renew(?:ed)? (?=(?:{_OWNER}) (?:[\w-]+ "
        rf"){{0,3}}(?:membership|subscription)\b)",
        "cancelled ",
    ),
    (
        rf"\b(?:quit|gave up|stopped|dropped|ended) (?=(?:{_OWNER}) (?:[\w-]+ ){{0,3}}(?:membership|subscription)\b)",
        "cancelled ",
    ),
    (
        r"(?:^|(?<=[;,.] ))(?:[Tt]he|[Oo]ur|[Mm]y) (?:engagement|wedding) (?:has been |was |is |'s |is now )?"
        r"(?:called off|off|cancelled|broken off)\b",
        "I am no longer engaged",
    ),
    (
        r"\bthe (?:engagement|wedding) (?:has been |was |is |'s )(?:called off|off|cancelled|broken off)\b",
        "I am no longer engaged",
    ),
    (
        r"\b(?:I|we) (?:have |'ve )?(?:called|broke|broken) off (?:the|our|my) (?:engagement|wedding)\b",
        "I am no longer engaged",
    ),
    (r"\b(?:it's|it is|things are) (?:all )?over (?:between me and|with|for me and) (?P<n>\w+)", "I broke up with {n}"),
    (
        r"\b(?:me and (?P<n>[A-Za-z]\w+)|(?P<m>[A-Z]\w+) and I) (?:are|'re) (?:no longer|not) (?:together|a "
        r"couple)(?: anymore)?",
        "I broke up with {n}{m}",
    ),
    (
        r"\bI (?:dumped|split from|split with|parted from|parted ways with) (?=[A-Z][a-z]+\b\W*(?:$|last|in|"
        r"and|because))",
        "I broke up with ",
    ),
    (r"^(?P<n>[A-Z][a-z]+) (?:dumped|left) me\b(?! (?:a|the|my|some|with|at|in))", "I broke up with {n}"),
    # Tastes and habits.
    (r"\b(?:have |has |'ve |'s )?given up\b", "gave up"),
    (rf"(?<=\bI)(?:'m| am) off (?=(?:{_CONSUMED})\b)", " gave up "),
    (r"\b(?:have |has |'ve |'s )?gone off (?=\w)|\bwent off (?=(?:coffee|meat|tea|sugar)\b)", "no longer like "),
    (r"\bnever (?:really |much )?(?:liked|cared for)\b", "don't like"),
    (r"\b(?:can't|can not|cannot) (?:bear|abide|stand)\b", "can't stand"),
    (r"^(?P<x>[A-Z]?[\w-]+) (?:is|'s )?(?:not for me|isn't for me|not my thing|isn't my thing)\b", "I don't like {x}"),
    (
        r"\b(?P<s>I|we|they) no longer (?P<v>[a-z]+)(?P<r>(?: (?!and |but |so |because )[\w'-]+){0,3})(?=\W*$|[,;.])",
        "{s} don't {v}{r} anymore",
    ),
    (r"\b[Tt]here was a time when (?P<s>I|we|he|she)\b", "{s} once"),
    # What was: "used to be" of a thing that somebody has.
    (r"\b(?P<o>[Mm]y|[Oo]ur) (?P<n>[a-z]+(?: [a-z]+)?) used to be (?=[\dA-Z])", "{o} {n} was "),
    (
        r"\b(?P<s>I|we|he|she) (?:was|were) (?:once|formerly|previously|originally|at one time) (?=an? )",
        "{s} used to be ",
    ),
    (r"\b(?P<s>I|we|he|she) (?:once )?smoked (?:\w+ ){1,3}a day\b", "{s} used to smoke"),
    (r"^(?:the) (?P<n>rent|mortgage|deposit|landlord|landlady|monthly rent) (?P<v>is|was|went)\b", "my {n} {v}"),
    # Wrong and right.
    (
        r"^\W*(?:it's|it is) (?P<n>[A-Z][\w'’-]+),? (?:(?:and )?(?:it's )?(?:spelled|spelt|written) )?"
        r"with(?:out)? (?:an?|two|one|double|no) \W?\w{1,2}\W*s?\W*$",
        "no, {n}",
    ),
    (
        r"\bI (?:should have|should've|meant to) (?:written|said|put|typed|write|say|type) (?P<n>[\w'’.-]+(?: "
        r"[\w'’.-]+){0,3}?)"
        r"(?: rather than|,? instead of|,? not) (?P<m>[\w'’.-]+(?: [\w'’.-]+){0,3}?)(?=\W*$)",
        "no, {n}, not {m}",
    ),
    (
        r"^\W*(?:(?:no|sorry|actually|wait|correction)\W+)*(?:it's|it is|it was|that's) (?P<n>[\w'’-]+(?: "
        r"[\w'’-]+){0,2}),? "
        r"rather than (?P<m>[\w'’-]+(?: [\w'’-]+){0,2})(?=\W*$)",
        "no, {n}, not {m}",
    ),
    (
        rf"\b(?:it's|it is|it was) {_THING}(?P<n>[\w'’-]+(?: [\w'’-]+)?) (?:that |which )?(?P<s>{_WHO}|[Mm]y \w+) "
        rf"(?P<v>(?:actually )?"
        r"(?:plays?|plays|speaks?|studies|study|teach|teaches|eats?|drinks?|likes?|loves?|hates?|learns?|"
        r"collects?|drives?|"
        r"rides?|sells?|owns?|runs?|does|do|works? for|lives? in|comes? from|practises?|watch|watches))\b",
        "sorry, {s} {v} {n}",
    ),
    (
        rf"\b(?:the one|the \w+|what) (?:that )?(?P<s>{_WHO}|[Mm]y \w+) (?:actually |really )?(?P<v>plays?|"
        rf"speaks?|studies|study|"
        r"teach|teaches|drinks?|drives?|rides?|collects?|learns?) (?:is|are) (?=[\w])",
        "{s} {v} ",
    ),
    (
        r"\b(?:it's|it is|it was) (?P<n>(?:[Mm]y |[A-Z]\w+'s )?\w+(?: [A-Z]\w+)?) (?:who|that) (?P<v>turned|"
        r"turns|is|was|lives|"
        r"works|plays|has|had|moved|likes|loves|hates|got|comes|came|studies|speaks|owns|bought|sold|broke|left)\b",
        "{n} {v}",
    ),
)
