"""How foreign words look in a message: code, data, pasted texts, letters, transcripts, imitated prompts, fiction, roles."""

from __future__ import annotations

import re

CODE = re.compile(
    r"```|^\s*(?:#include|import |from \S+ import|def |class |function |var |let |const |public |return\b|"
    r"<\?|</?\w+[^>]*>|\$ |>>> |@prefix|@base|SELECT |INSERT |UPDATE |DELETE )|[{}]\s*$|"
    r"[\w\])]\s*[=^]+\s*[\w\"'\[({$]|"
    r"\w\(\w*\)[;:.]|=>|==|::|</|^\s*[\[{].*[\]}],?$|^\s*\"[^\"]+\"\s*:|\w\(.*\);\s*$|"
    r"^\s*(?:<[^>\s]+>|_?\w*:\w+) (?:a|<[^>\s]+>|\w*:\w+) \S.*[.;,]?\s*$"
)
DATA = re.compile(
    r"^\s*\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\s*\[?(?:INFO|DEBUG|WARN(?:ING)?|ERROR|FATAL|TRACE)\]?[:\s]|"
    r"^[^\s,;\t]+(?:[,;\t][^\s,;\t]*){2,}$|"
    r"^\s*(?:Traceback \(most recent|Exception in thread|at [\w.$]+\()"
)
MARKUP = re.compile(
    r"^\s*(?:[>|#]|\*\*|---|===|https?://\S+$|(?:from|to|cc|bcc|subject|date|sent)\s*:\s)", re.IGNORECASE
)
# The tags by which chat marks what is not meant.
IRONY = re.compile(r"(?<!\S)/(?:s|j|jk|sarcasm)\W*$", re.IGNORECASE)
IMITATION = re.compile(
    r"^\W*(?:system|assistant|user|human|ai|developer|tool|function|instructions?|admin(?:istrator)?|root|"
    r"observation)\s*"
    r"(?:prompt|message|note|override|output|result|update|response)?\s*\]?\s*:|<\|?\w+\|?>|\[/?INST\]|<<SYS>>|"
    r"\b(?:ignore|disregard|forget|override) (?:all|everything|any|the|your|my|these|those|previous|prior|above)\b"
    r"(?! (?:i|we|that i|i've|what i)\b)(?:[\w ]{0,30}\b(?:instructions?|prompts?|rules?|guidelines|messages?|"
    r"above|context)\b|[,.;:!]|\s*$)|"
    r"\b(?:from now on|henceforth),? (?:you|call yourself|your|act)\b|"
    r"\bmy name is now (?:admin|root|system)",
    re.IGNORECASE,
)
# What tells the assistant how to be; the user may speak for themself right after.
CASTING = re.compile(
    r"^\W*you are (?:now )?(?:an? |the )?(?:\w+ ){0,3}(?:assistant|ai|bot|chatbot|model|expert|agent|dan)\b|"
    r"^\W*(?:act|behave|respond|answer|reply|write|pretend|roleplay|role-play) (?:as|like|in)\b",
    re.IGNORECASE,
)
_PLAYED = r"(?:^|[,.;:!?…—-]\s*|\b(?:just|now|let's|lets|let us|please|and|so|then|ok|okay|can you|could you|to|we) )"
FICTION = re.compile(
    _PLAYED + r"(?:imagine|pretend|suppose)\b|\b(?:let's say|what if|hypothetically|once upon a time|"
    r"(?:my|the|our|main|lead|a) (?:\w+ )?(?:character|protagonist|antagonist|narrator|heroine|villain)(?:'s)?|"
    r"playing the role|in character|role[- ]?play(?:ing)?(?! games?))\b|"
    r"\bin (?:my|the|this|a|that) (?:dream|story|novel|game|movie|film|book|scenario|play|show|series|role)"
    r"(?:\s*[,.]|\s*$| (?:I|I'm|you|he|she|we|my|where|called)\b)",
    re.IGNORECASE,
)
_TEXTS = (
    r"e-?mails?|texts?|articles?|letters?|messages?|documents?|stor(?:y|ies)|poems?|lyrics|paragraphs?|"
    r"passages?|notes?|transcripts?|"
    r"reviews?|essays?|posts?|code|scripts?|logs?|songs?|sentences?|resume|reports?|chapters?|quotes?|excerpts?|"
    r"conversations?|chats?|"
    r"dialogues?|abstracts?|tweets?|headlines?|speech|bio|biography|prompts?|output|sms|snippets?|dialogs?|"
    r"interviews?|exercise|"
    r"problem|homework|exam|test|assignment|worksheet|recipe|contract|memo|minutes|draft|statements?|phrases?|"
    r"translations?|verses?"
)
# What announces somebody else's words for the rest of the turn.
PASTE = re.compile(
    r"\b(?:summari[sz]e|translate|proofread|paraphrase|rewrite|rephrase|correct|edit|analy[sz]e|classify|review|"
    r"extract|grade|improve|"
    r"shorten|simplify|format|convert|transcribe|complete|continue|fix|check|explain|solve|"
    r"(?:here(?:'s| is| are)|this is|below is|following (?:is|are)|read|consider|given|got|received|wrote|sent|"
    r"says?|said|goes|reads|posted|"
    r"forwarded?|forwarding|pasted?|pasting|sharing|look at) "
    rf"(?:me |us )?(?:the|an?|my|this|some|what|these|that|out|like)\b.*(?:{_TEXTS})|"
    rf"(?:{_TEXTS}) ?(?:below|says?|reads?|goes|is as follows|follows)?(?: (?:from|by|of|that|i|about|"
    rf"to) [\w' .-]{{1,60}})?|"
    r"(?:song|poem|anthem|verse|rhyme) goes|(?:he|she|they|my \w+|[A-Z]\w+) (?:wrote|writes|says?|said|replied|"
    r"texted|messaged|e?-?mailed)"
    r"(?: (?:me|us|back|this|the following))*)\b[^:]*:\s*\W*$",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"^\W*(?:(?:text|context|passage|input|document|review|tweet|article|sentence|example|premise|hypothesis|"
    r"prompt|e-?mail|message|"
    r"letter|quote|lyrics|story|poem|code|output|log|transcript|dialogue|conversation|problem|exercise|task|"
    r"statement|paragraph|"
    r"original|source|translation|headline|abstract|chorus|verse|question|homework|character|scene|narrator|"
    r"title)(?: ?#?\d+| sentence)?|"
    r"true or false|fill in the blanks?|typo check|grammar check|spell ?check|"
    r"(?:please |can you |could you )?(?:translate|summari[sz]e|proofread|paraphrase|rewrite|rephrase|correct|"
    r"edit|analy[sz]e|classify|"
    r"grade|fix|check|solve|complete|continue|conjugate|write|draft|compose)\b[^:.!?]{0,60}|"
    r"[^:.!?]{0,40}\b(?:this|that|the(?: following)?|his|her|their|an?) (?:e-?mail|text message|message|letter|"
    r"article|sentence|phrase|quote|"
    r"poem|lyrics|tweet|text|post|sms|song)\b(?! (?:about|for|to) (?:me|myself|us)\b)[^:.!?]{0,40}|"
    r"(?:the|a|this|that|my favou?rite) (?:song|poem|anthem|verse|rhyme|chorus|saying|proverb|"
    r"quote)\b[^:.!?]{0,30}|quote of the day|"
    r"[^:.!?]{0,40}(?:'s|’s|s'|s’) (?:e-?mail|text(?: message)?|message|letter|post|tweet|sms|note|reply|answer|review|"
    r"diary|speech|statement)\b[^:.!?]{0,30}|"
    r"(?:here(?:'s| is)|this is|that(?:'s| is)) (?:exactly )?what [^:.!?]{1,30} (?:wrote|posted|said|sent|texted|replied|"
    r"told|answered|e-?mailed|tweeted|put|published|sent me)\b[^:.!?]{0,20}|"
    r"(?:from |in )?(?:my|his|her|an?|the) (?:old )?(?:diary|journal)\b[^:.!?]{0,40}|"
    r"(?:he|she|they|someone|somebody) (?:wrote|writes|replied|texted|messaged|e-?mailed|"
    r"posted)\b[^:.!?]{0,30})\s*:\s*(?=\S)",
    re.IGNORECASE,
)
ABOUT_LANGUAGE = re.compile(
    r"\bhow (?:do|would|can|should|to) (?:you |i |we |one )?(?:say|write|spell|pronounce|translate|phrase|put)\b|"
    r"\b(?:translate|conjugate|spell|proofread|rephrase|paraphrase)\b.*[\"'“‘]|\b(?:example|sample|test|"
    r"dummy) (?:sentences?|text|phrase)\b|"
    r"\b(?:sentences?|phrases?|words?|grammar|spelling|typos?|lines?)\b.{0,40}[\"'“‘].*[\"'”’]|"
    r"[\"'“‘].*[\"'”’].{0,30}\b(?:correct|grammatical|mean|in (?:english|german|french|spanish|italian|japanese|"
    r"chinese|russian|portuguese|"
    r"arabic|korean|latin|dutch|polish|swedish))\b|\bthe (?:sentence|phrase|words|line|lyric|title|slogan|joke|"
    r"caption)\b",
    re.IGNORECASE,
)
FICTION_OPENING = re.compile(
    r"^\W*(?:(?:now|ok|okay|so|please|can you|could you|and|hey|hi|just)\b[\s,]*)*(?:imagine|pretend|suppose|"
    r"assume|consider|let'?s (?:pretend|imagine|say|play|role[- ]?play|assume|suppose|consider)|once upon a time|"
    r"(?:write|compose|draft|create|generate|make up|invent) (?:me )?(?:a|an|the|some|another) |"
    r"tell me an? (?:\w+ )?(?:story|tale|joke|riddle)|"
    r"continue (?:the|this) story|role[- ]?play\b|(?:one|a) short story|\[(?:verse|chorus|intro|outro|bridge|scene|"
    r"act)\b)",
    re.IGNORECASE,
)
WRITING = re.compile(r"^\W*(?:\w+\W+){0,3}?(?:write|compose|draft|create|generate)\b", re.IGNORECASE)
# Who writes fiction tells of its people after a colon or in the next sentence.
AUTHOR = re.compile(
    r"\b(?:writing|drafting|working on|outlining|plotting|(?:have|wrote|finished|started)) (?:an?|my|the|another|some)"
    r"(?: [\w-]+){0,3}? (?:novel|screenplay|story|play|fan ?fiction|fanfic|script|sitcom|comic|manuscript|thriller|book)\b",
    re.IGNORECASE,
)
THIRD_PERSON = re.compile(r"^\W*(?:he|she|it|they|his|her|their|its)(?:'s|'re|’s|’re)?\b", re.IGNORECASE)
# What is asked of a text that stands below.
ABOUT_A_TEXT = re.compile(
    r"^(?=.*\b(?:this|these|the following|below)\b)(?=.*\b(?:summari[sz]e|translate|proofread|paraphrase|rewrite|"
    r"rephrase|correct|edit|review|grade|shorten|simplify|improve|polish|transcribe|grammar|spelling|typos|"
    r"(?:reply|respond|answer) to)\b)"
    rf"(?=.*\b(?:{_TEXTS}|(?:this|these)\W*$|this to|this into|this for|following)(?:\b|\W*$))[^:]*$",
    re.IGNORECASE,
)
# What only the user says, to the assistant, after what they pasted.
THANKS = re.compile(
    r"^\W*(?:(?:ok|okay|great|cool|perfect|many)\b[\s,]*)*(?:thanks|thank you|thx|ty|tia|cheers)\b(?! for (?:your|the)\b)",
    re.IGNORECASE,
)
FIRST_PERSON = re.compile(r"\b(?:i|i'm|i’m|i've|i’ve|i'd|i'll|my|mine|me|we|our|us)\b", re.IGNORECASE)
# A part that is taken on, and is played in the turns that follow too.
ROLE = re.compile(
    r"\b(?:role[- ]?play\b(?! games?)|(?:let's|lets|let us|we(?:'ll| will| can)?|want to|wanna) (?:pretend|"
    r"role[- ]?play|play pretend|play make-?believe)|"
    r"(?:play|start|do) (?:a|some) (?:game|scene|rpg|role[- ]?play|improv)\b.*\b(?:i'm|i am|i'll be|you(?:'re|"
    r" are)|you be)|pretend (?:to be|"
    r"(?:that )?(?:i|you|we)(?:'m|'re| am| are)?)|"
    r"i(?:'ll| will) (?:be|play) (?:the|a|an) [\w ]{2,30}(?:,? and)? you(?:'ll| will)? (?:be|play)|"
    r"in character as|i'm in character)",
    re.IGNORECASE,
)
# Who somebody is in a game that was just proposed.
PART = re.compile(
    r"^\W*(?:i'm|i am|i'll be|i will be|you're|you are|you'll be|you be|my name is|call me) ", re.IGNORECASE
)
STOP = re.compile(
    r"\b(?:(?:ok(?:ay)?|alright|right|now|let's|please|we can|time to|i want to|enough),? (?:stop|quit|enough|"
    r"end it|finish|drop it)\b|^\W*stop\b|"
    r"(?:stop|end|quit|leave|exit|pause|finish|enough of|done with|over with) (?:the|this|our|with|playing|"
    r"pretending|role[- ]?playing)\b|"
    r"(?:the )?(?:game|role[- ]?play|story|scene|play) (?:is )?(?:over|ends|done|finished)|game over|the end\b|"
    r"end (?:of )?(?:game|scene|role[- ]?play|story)|"
    r"back to (?:reality|real life|normal|business|me|the real)|in real life|\birl\b|for real\b|"
    r"out of character|\booc\b|"
    r"(?:all )?(?:jokes|joking|kidding|games?|fun) (?:aside|apart)|seriously(?: now|,)|in reality|"
    r"no more (?:games|playing|pretending|role[- ]?play))",
    re.IGNORECASE,
)
END = re.compile(
    r"^\W*(?:\[|\(|-+ ?|=+ ?|\*+ ?)?(?:/|end (?:of )?(?:the |this |my |that )?|close )(?:\w+ )?(?:e-?mail|mail|"
    r"text|quote|quotation|article|letter|"
    r"message|document|story|poem|lyrics|paragraph|passage|note|transcript|review|essay|post|code|script|log|"
    r"song|paste|excerpt|"
    r"conversation|chat|dialogue|citation|forward(?:ed message)?|output)\b|^\W*(?:end ?quote|unquote|the end)\b|"
    r"^\W*(?:that(?:'s| is| was)|this was|so that(?:'s| was)|there ends) (?:the|his|her|their|all of the|all|"
    r"what \w+)\b.{0,40}$|"
    rf"^\W*(?:above|that|this) (?:was|is) (?:the|my|his|her|a) (?:\w+ )?(?:{_TEXTS})\b",
    re.IGNORECASE,
)
CLOSING = re.compile(
    r"^\W*(?:(?:best|kind|warm|many|with)(?: \w+)? (?:regards|wishes)|regards|sincerely|yours(?: \w+)?|cheers|"
    r"best|love|cordially|respectfully|"
    r"thank you,?|thanks,?|xoxo|greetings)(?:,| from)?\s*(?:[A-Z][\w.'-]*(?: [A-Z][\w.'-]*){0,2})?\W*$",
    re.IGNORECASE,
)
ASIDE = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|now|well)\b[\s,]*)*(?:btw|by the way|anyway|anyways|ps|p\.s\.?|unrelated(?:ly)?|"
    r"on (?:another|a different|a side|a personal)"
    r" note|as for (?:me|myself)|about me|on my (?:side|end|part)|for my part|in my case|personally|back to me|"
    r"speaking of me|me\s*:|"
    r"for the record|my own (?:view|opinion|situation)|apart from that|besides that|other than that|separately|"
    r"changing (?:the )?(?:subject|topic))\b|\b(?:by the way|btw)\W*$",
    re.IGNORECASE,
)
TO_THE_ASSISTANT = re.compile(
    r"^\W*(?:(?:so|and|ok|okay|now|well)\b[\s,]*)*(?:what (?:do|should|would|can|is|does)|how (?:do|should|can|"
    r"would)|can you|could you|would you|"
    r"please|should i|do you|is (?:this|that|it)|help me|reply|answer|summari[sz]e|translate|i (?:just |"
    r"only )?(?:got|received|need|want|think) (?:this|that|it|to|you|"
    r"help|a))\b",
    re.IGNORECASE,
)
HEADER = re.compile(r"^\s*(?:from|to|cc|bcc|subject|sent|re|fwd?)\s*:\s*\S", re.IGNORECASE)
SALUTATION = re.compile(
    r"^\W*dear (?!(?:assistant|ai|chatgpt|gpt|bot|friend|diary|claude|all)\b)(?:sir|madam|mr|mrs|ms|miss|dr|"
    r"prof|professor|hiring|customer|"
    r"valued|team|sirs|colleagues?|committee|editor|parents?|students?|members?|[A-Z][\w'-]+)",
    re.IGNORECASE,
)
SPOKEN_LINE = re.compile(
    r"^\W{0,3}(?:\[?\(?\d{1,2}[:.]\d{2}(?:[:.]\d{2})?\s?(?:[AaPp]\.?[Mm]\.?)?\]?\)?\s*[-–]?\s*)?"
    r"(?P<who>[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*){0,2})"
    r"\s*(?:\([^)]{1,20}\)|\[[^\]]{1,20}\])?\s*:\s+(?=\S)"
)
# Words before a colon that are no names of speakers.
HEADINGS = frozenset(
    "me i update updates ps p.s nb note notes edit fun fact news btw fyi reminder correction answer answers q a "
    "tldr tl;dr status story name "
    "names job work city town country location address age hobby hobbies interests likes dislikes favorites "
    "favourites food music sports "
    "pets family kids children siblings languages skills education experience occupation profession employer "
    "company school university "
    "birthday birthdate dob phone email e-mail website background bio profile about summary goal goals plan "
    "plans today yesterday "
    "tomorrow monday tuesday wednesday thursday friday saturday sunday pro pros con cons result results "
    "conclusion confession spoiler "
    "warning disclaimer bonus important remember reality truth verdict ok okay yes no well so also first second "
    "third finally lastly one two "
    "three option good bad best worst mood diet allergies allergy medication medications condition conditions "
    "budget time date place "
    "reason reasons problem question questions point case example step part day week month year weight height "
    "gender marital current "
    "previous former new old personal health self nationality religion partner wife husband sister brother "
    "mother father son daughter "
    "dog cat hint tip context request answer: remark aside actually anyway".split()
)
