"""Closed word lists of English that rules look words up in: kinship, pets, jobs, moods, countries."""

from __future__ import annotations

# fmt: off
RELATIONS: dict[str, str] = {
    "sister": "hasSister", "brother": "hasBrother", "sibling": "hasSibling", "twin": "hasTwin", "son": "hasSon",
    "daughter": "hasDaughter", "child": "hasChild", "kid": "hasChild", "baby": "hasChild", "mother": "hasMother",
    "mom": "hasMother", "mum": "hasMother", "mama": "hasMother", "mommy": "hasMother", "ma": "hasMother",
    "father": "hasFather", "dad": "hasFather", "daddy": "hasFather", "papa": "hasFather", "parent": "hasParent",
    "wife": "spouse", "husband": "spouse", "spouse": "spouse", "hubby": "spouse", "partner": "hasPartner",
    "girlfriend": "hasGirlfriend", "boyfriend": "hasBoyfriend", "fiance": "hasFiance", "fiancé": "hasFiance",
    "fiancee": "hasFiance", "fiancée": "hasFiance", "friend": "hasFriend", "bestie": "hasFriend", "buddy": "hasFriend",
    "pal": "hasFriend", "cousin": "hasCousin", "aunt": "hasAunt", "auntie": "hasAunt", "uncle": "hasUncle",
    "niece": "hasNiece", "nephew": "hasNephew", "grandmother": "hasGrandmother", "grandma": "hasGrandmother",
    "granny": "hasGrandmother", "grandparent": "hasGrandparent", "stepsister": "hasStepsister",
    "stepbrother": "hasStepbrother", "nana": "hasGrandmother", "grandfather": "hasGrandfather", "grandpa": "hasGrandfather",
    "granddad": "hasGrandfather", "grandson": "hasGrandson", "granddaughter": "hasGranddaughter",
    "grandchild": "hasGrandchild", "stepmother": "hasStepmother", "stepmom": "hasStepmother",
    "stepfather": "hasStepfather",
    "stepdad": "hasStepfather", "stepson": "hasStepson", "stepdaughter": "hasStepdaughter", "boss": "hasBoss",
    "manager": "hasManager", "supervisor": "hasSupervisor", "colleague": "hasColleague", "coworker": "hasColleague",
    "co-worker": "hasColleague", "roommate": "hasRoommate", "flatmate": "hasRoommate", "housemate": "hasRoommate",
    "neighbor": "hasNeighbor", "neighbour": "hasNeighbor", "teacher": "hasTeacher", "professor": "hasProfessor",
    "doctor": "hasDoctor", "dentist": "hasDentist", "therapist": "hasTherapist", "lawyer": "hasLawyer",
    "landlord": "hasLandlord", "mentor": "hasMentor", "coach": "hasCoach", "classmate": "hasClassmate",
    "assistant": "hasAssistant", "client": "hasClient", "godmother": "hasGodmother", "godfather": "hasGodfather",
    "godson": "hasGodson", "goddaughter": "hasGoddaughter", "ex": "hasEx", "ex-wife": "hasEx", "ex-husband": "hasEx",
    "mother-in-law": "hasMotherInLaw", "father-in-law": "hasFatherInLaw", "sister-in-law": "hasSisterInLaw",
    "brother-in-law": "hasBrotherInLaw", "student": "hasStudent", "trainer": "hasTrainer", "crush": "hasCrush",
    "gf": "hasGirlfriend", "bf": "hasBoyfriend", "sis": "hasSister", "bro": "hasBrother", "grandad": "hasGrandfather",
    "mate": "hasFriend", "bff": "hasFriend", "nan": "hasGrandmother", "gran": "hasGrandmother", "mam": "hasMother",
    "wifey": "spouse",
    "physio": "hasPhysio", "physiotherapist": "hasPhysio", "hairdresser": "hasHairdresser", "barber": "hasBarber",
    "plumber": "hasPlumber", "electrician": "hasElectrician", "gardener": "hasGardener", "accountant": "hasAccountant",
    "vet": "hasVet", "nanny": "hasNanny", "babysitter": "hasBabysitter", "cleaner": "hasCleaner", "tutor": "hasTutor",
    "instructor": "hasInstructor", "optician": "hasOptician", "mechanic": "hasMechanic", "tenant": "hasTenant",
    "lodger": "hasLodger", "teammate": "hasTeammate", "bandmate": "hasBandmate", "pharmacist": "hasPharmacist",
    "psychologist": "hasPsychologist", "godparent": "hasGodparent", "apprentice": "hasApprentice",
    "pet": "hasPet", "dog": "hasDog", "puppy": "hasDog", "pup": "hasDog", "cat": "hasCat", "kitten": "hasCat",
    "kitty": "hasCat", "hamster": "hasHamster", "rabbit": "hasRabbit", "bunny": "hasRabbit", "parrot": "hasParrot",
    "horse": "hasHorse", "turtle": "hasTurtle", "tortoise": "hasTortoise",
    "goldfish": "hasGoldfish", "snake": "hasSnake",
    "lizard": "hasLizard", "gecko": "hasGecko", "ferret": "hasFerret", "retriever": "hasDog", "labrador": "hasDog",
    "poodle": "hasDog", "terrier": "hasDog", "bulldog": "hasDog", "beagle": "hasDog",
    "husky": "hasDog", "corgi": "hasDog",
    "shepherd": "hasDog", "pony": "hasHorse", "budgie": "hasBudgie", "canary": "hasCanary",
    "chinchilla": "hasChinchilla", "guinea pig": "hasGuineaPig", "gerbil": "hasGerbil", "hedgehog": "hasHedgehog",
    "cockatiel": "hasCockatiel", "parakeet": "hasParakeet", "iguana": "hasIguana", "donkey": "hasDonkey",
    "spaniel": "hasDog", "dachshund": "hasDog", "greyhound": "hasDog", "mutt": "hasDog", "tomcat": "hasCat",
}
# fmt: on

PETS = frozenset(
    "pet dog puppy pup cat kitten kitty hamster rabbit bunny parrot horse turtle tortoise goldfish snake lizard gecko "
    "ferret retriever labrador poodle terrier bulldog beagle husky corgi shepherd pony budgie canary chinchilla "
    "gerbil hedgehog cockatiel parakeet iguana donkey spaniel dachshund greyhound mutt tomcat".split()
) | {"guinea pig"}

FEMALE = frozenset(
    "sister gf sis nan gran mam wifey daughter mother mom mum mama mommy ma wife girlfriend fiancee fiancée aunt auntie "
    "niece grandmother grandma "
    "granny nana granddaughter stepmother stepmom stepdaughter godmother goddaughter ex-wife "
    "mother-in-law sister-in-law "
    "woman girl lady".split()
)
MALE = frozenset(
    "brother bf bro grandad son father dad daddy papa husband hubby boyfriend fiance fiancé uncle nephew "
    "grandfather grandpa granddad "
    "grandson stepfather stepdad stepson godfather godson ex-husband father-in-law brother-in-law man boy guy".split()
)

OCCUPATIONS = frozenset(
    "nurse teacher doctor engineer lawyer chef pilot programmer developer designer architect writer "
    "author poet painter "
    "artist musician singer actor actress dancer dentist plumber electrician carpenter mechanic farmer "
    "baker butcher barber "
    "hairdresser cashier waiter waitress bartender barista driver courier journalist reporter editor photographer "
    "librarian scientist researcher physicist chemist biologist mathematician statistician economist "
    "historian professor "
    "lecturer accountant auditor banker broker trader consultant analyst manager director executive administrator "
    "secretary receptionist assistant clerk firefighter policeman policewoman detective soldier officer sailor captain "
    "surgeon physician pharmacist psychologist psychiatrist therapist counselor counsellor physiotherapist midwife "
    "paramedic veterinarian vet gardener florist tailor seamstress translator interpreter pastor priest "
    "judge politician "
    "entrepreneur freelancer salesman saleswoman salesperson realtor technician welder miner fisherman guard janitor "
    "cleaner nanny babysitter tutor coach trainer athlete model producer filmmaker animator illustrator geologist "
    "astronomer astronaut botanist zoologist ecologist paralegal attorney sculptor potter jeweler jeweller optician "
    "optometrist radiologist cardiologist oncologist neurologist pediatrician dermatologist "
    "anesthesiologist nutritionist "
    "dietitian supervisor foreman bricklayer roofer mason locksmith trucker streamer youtuber blogger "
    "copywriter marketer "
    "recruiter bookkeeper beekeeper student intern apprentice principal curator archivist conductor violinist pianist "
    "guitarist drummer cellist flight-attendant steward stewardess stylist beautician choreographer comedian magician "
    "planner strategist specialist coordinator worker representative agent operator tester administrator "
    "sommelier ranger landscaper carer caretaker cobbler tiler glazier plasterer surveyor "
    "videographer podcaster composer glassblower goldsmith tanner weaver typist dispatcher courier postman mailman "
    "barrister solicitor bailiff notary magistrate diplomat ambassador councillor mayor senator vicar monk nun rabbi imam "
    "joiner decorator scaffolder stonemason upholsterer cabinetmaker printer bookseller grocer fishmonger dressmaker brewer "
    "cook tattooist postie dj rapper comedian ballerina footballer boxer jockey referee umpire gamekeeper forester "
    "undertaker coroner registrar actuary underwriter cadet childminder osteopath chiropractor masseur masseuse anaesthetist "
    "porter phlebotomist hygienist radiographer sonographer paediatrician obstetrician gynaecologist orthodontist "
    "cameraman roadie skipper vintner farrier roofer engraver bookbinder puppeteer novelist playwright columnist "
    "cartoonist lobbyist civil-servant greengrocer stockbroker headteacher headmaster headmistress "
    "milkman lifeguard bodyguard bouncer busker croupier usher valet sailor deckhand trucker docker".split()
)

# What passes within the hour, what only comments on the talk, what says nothing by itself: no memory of them is wanted.
TRANSIENT = frozenset(
    "sorry sure glad happy sad tired hungry thirsty ready fine ok okay good great well bad afraid "
    "excited bored busy late "
    "early here there back done able aware certain curious confused lost right wrong serious kidding welcome grateful "
    "thankful thrilled proud stoked pumped impressed surprised amazed shocked worried nervous anxious "
    "stressed upset angry "
    "mad annoyed frustrated disappointed relieved willing likely unlikely supposed interested true false possible "
    "impossible nice cool awesome amazing wonderful fantastic terrible horrible awful lovely perfect "
    "clear obvious hard "
    "easy difficult important necessary new old big small different same full empty open closed free available alone "
    "together sleepy exhausted cold hot warm sick drunk sober quiet lucky unlucky better worse best "
    "worst fun funny weird "
    "strange crazy interesting boring inspiring beautiful super pleased delighted determined eager hopeful honored "
    "honoured blessed overwhelmed positive negative comfortable uncomfortable such many much few several other another "
    "own more less most least enough delicious tasty cute adorable awesome incredible unbelievable special helpful "
    "stuck useful worth dependent responsible up down off on out in over away around close far high low "
    "long short".split()
)

COUNTRIES_AND_REGIONS = frozenset(
    "afghanistan|albania|algeria|andorra|angola|argentina|armenia|australia|austria|azerbaijan|bahamas|bahrain|bangladesh|"
    "barbados|belarus|belgium|belize|benin|bhutan|bolivia|bosnia|botswana|brazil|brunei|bulgaria|burkina faso|burundi|"
    "cambodia|cameroon|canada|chad|chile|china|colombia|congo|costa rica|croatia|cuba|cyprus|czech republic|czechia|"
    "denmark|djibouti|dominican republic|ecuador|egypt|el "
    "salvador|england|eritrea|estonia|ethiopia|fiji|finland|france|"
    "gabon|gambia|germany|ghana|great britain|britain|greece|greenland|grenada|guatemala|guinea|guyana|haiti|honduras|"
    "hungary|iceland|india|indonesia|iran|iraq|ireland|northern ireland|israel|italy|ivory coast|jamaica|japan|jordan|"
    "kazakhstan|kenya|kosovo|kuwait|kyrgyzstan|laos|latvia|lebanon|lesotho|liberia|libya|liechtenstein|lithuania|"
    "madagascar|malawi|malaysia|maldives|mali|malta|mauritania|mauritius|mexico|moldova|mongolia|montenegro|morocco|"
    "mozambique|myanmar|namibia|nepal|netherlands|holland|new zealand|nicaragua|niger|nigeria|north "
    "korea|north macedonia|"
    "norway|oman|pakistan|palestine|panama|paraguay|peru|philippines|poland|portugal|puerto rico|qatar|romania|russia|"
    "rwanda|saudi arabia|scotland|senegal|serbia|sierra leone|slovakia|slovenia|somalia|south africa|south korea|korea|"
    "spain|sri lanka|sudan|suriname|sweden|switzerland|syria|taiwan|tajikistan|tanzania|thailand|togo|trinidad|tunisia|"
    "turkey|türkiye|turkmenistan|uganda|ukraine|united arab emirates|uae|united kingdom|uk|united states|"
    "united states of america|us|usa|u.s.|u.s.a.|u.k.|america|uruguay|uzbekistan|venezuela|vietnam|wales|yemen|zambia|"
    "zimbabwe|europe|asia|africa|south america|north america|oceania|latin america|scandinavia|"
    "alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|georgia|hawaii|idaho|illinois|"
    "indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|"
    "nebraska|nevada|new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|"
    "rhode island|south carolina|south dakota|tennessee|texas|utah|vermont|virginia|west virginia|wisconsin|wyoming|"
    "ontario|quebec|british columbia|alberta|manitoba|nova scotia|bavaria|saxony|catalonia|andalusia|tuscany|lombardy|"
    "sicily|sardinia|brittany|normandy|provence|bretagne|kerala|punjab|gujarat|queensland|victoria|tasmania|cornwall|devon|"
    "yorkshire|kent|essex".split("|")
)

NATIONALITIES = frozenset(
    "american british english scottish welsh irish french german italian spanish portuguese dutch "
    "belgian swiss austrian "
    "polish czech slovak hungarian romanian bulgarian greek turkish russian ukrainian swedish norwegian danish finnish "
    "icelandic canadian mexican brazilian argentinian chilean peruvian colombian venezuelan cuban indian pakistani "
    "bangladeshi nepali chinese japanese korean vietnamese thai indonesian malaysian filipino australian "
    "egyptian moroccan "
    "algerian tunisian nigerian kenyan ethiopian ghanaian israeli lebanese syrian iraqi iranian afghan saudi estonian "
    "latvian lithuanian croatian serbian bosnian slovenian albanian european african asian".split()
)

LANGUAGES = frozenset(
    "english french german italian spanish portuguese dutch polish czech slovak hungarian romanian "
    "bulgarian greek turkish "
    "russian ukrainian swedish norwegian danish finnish icelandic hindi urdu bengali punjabi tamil "
    "telugu marathi gujarati "
    "nepali chinese mandarin cantonese japanese korean vietnamese thai indonesian malay tagalog arabic "
    "hebrew persian farsi "
    "swahili amharic yoruba igbo zulu afrikaans estonian latvian lithuanian croatian serbian bosnian "
    "slovenian albanian "
    "catalan basque galician welsh irish gaelic latin esperanto yiddish armenian georgian mongolian tibetan".split()
)

MARITAL = {
    "married": "married",
    "single": "single",
    "divorced": "divorced",
    "engaged": "engaged",
    "widowed": "widowed",
    "separated": "separated",
    "unmarried": "single",
}
# What these adjectives deny of the spouse.
WITHOUT_SPOUSE = frozenset({"single", "divorced", "widowed", "unmarried"})
