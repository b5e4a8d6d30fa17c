"""Words that stand for the same thing: plain inflection, and synonyms of everyday keys."""

import re
from functools import lru_cache

from factable.text.stems import stem

# Each line: words that can stand for one another in front of a number, in their stemmed form.
_SYNONYMS = """
sale sold revenue turnover
enrollment student attend
population person inhabitant resident populous populated
point score
goal score
price cost pric expensive cheap worth value
temperature warm cold hot cool degree
weight weigh heavy light mass
height tall high elevation altitude
elevation altitude
age old young
duration long short runtime length time minute hour lasted last
distance long short length far
length long short
area large big size small
size large big small area
death fatality kill casualty toll
injury injur
win victory
loss defeat
draw tie
game match play appearance
match game
born birth
birth born
found establish founding creat form
open opening
build construct construction complet
date day
vote voter
attendance spectator crowd attend audience
rank position place standing finish rang
medal
speed fast slow
depth deep
width wide
employee staff worker workforce headcount
salary pay wage earn
rating rat star score
episode
budget
gross total revenue earning
viewer audience watch
view watch viewed watched popular
rain rainfall precipitation wet
cloud cloudy
pressure
wind windy
minimum low least fall drop
maximum high most peak rise
arrival arrive land
departure depart leave
humidity humid
stock inventory
order
seat capacity
capacity seat
storey floor story
floor storey story
magnitude strong
year season
win won title
expense spending spend outgoing expenditure
outgoing spending spend expense expenditure
expenditure spending spend expense
spending spend expense expenditure
admission visitor attendance
visitor attendance admission guest
passenger rider traveller
ridership passenger rider
output production generation produced generated
production output generation produced generated
generation output production produced generated
yield output harvest
harvest yield
calories energy kcal
energy calories kcal
quantity amount piece
rate price cost
fee price cost
rent price cost
sleep guest capacity
guest capacity
headcount employee staff worker workforce
staff employee worker workforce headcount
fte employee staff worker
pass graduate
graduate pass
resolved closed solved
closed resolved solved
pay salary wage
subscriber follower member
follower subscriber
download install
view viewer play
profit earning income
earning profit income
income earning revenue
vacation leave holiday
pto leave vacation holiday
workload working
gust wind
precipitation rain rainfall
rainfall rain precipitation
bio organic
rebate discount
discount rebate reduction
extra surcharge
surcharge extra
available free left stock
hot spicy
sum amount
value amount
unit stock piece
low minimum
high maximum
ascent climb elevation
mileage distance driven
latency delay response
delay late
score rating
star rating
donation gift
voter vote
attendance visitor
turnover revenue sale
weight amount quantity
contribution sale revenue
international abroad overseas foreign
domestic home
churned lost lose churn
churn lost lose
admission admit
injured hurt wounded
new gained won added
"""
_GENERIC = """
number total amount count no name value val all of the a an in per and or overall percent data list full
long display main 1 2 3 4 5 is has are was can be
"""
GENERIC = frozenset(_GENERIC.split())
_GLUE = """
you your we our
a an the this that these those it its he she his her they their them there here who which what whose whom is
are was were be been being am has have had having do does did done can could will would shall should may
might of in on at by for from to with without within as into onto over under than then and or but nor so yet
while whereas although though however also both either neither each every all any some no not only just even
still other another others same such more most less least fewer few many much several various different
unique distinct one two three four five six seven eight nine ten first second third total number amount
count overall altogether list listed table data record recorded report reported show shown showing row entry
entries item indicate indicated indicating provided given according among amongst across between throughout
during through out up about around approximately roughly nearly almost exactly respectively including
include includes included compared compare comparison relative respect significantly slightly considerably
notably substantially much far well make makes making made become became rank ranked place placed hold
holding achieve achieved take took taken participating participated participate competing compete competed
featured feature appear appeared appears represented represent representing belong together combined combine
collectively mentioned specified if where when whether result resulting information based note noted say
said state stated like similar follow followed following finish finished end ended start started begin gain
gained reach reached see saw seen give gave exist existing present presented category average mean sum high
highest low lowest large largest small smallest great greatest top bottom maximum minimum figure value level
rate period time after before behind piece pieces unit units copy copies left remaining version versions
"""
#: Words that say nothing of the data: what remains of a sentence without them must be tied to it.
GLUE = frozenset(_GLUE.split())


def stems_of(text: str) -> tuple[str, ...]:
    """The stems of the words of a label or value, in order."""
    return tuple(stem(word) for word in re.findall(r"[^\W_]+(?:['’][^\W_]+)?", text.replace("'s", "")))


def _synonyms() -> dict[str, frozenset[str]]:
    groups: dict[str, set[str]] = {}
    for line in _SYNONYMS.strip().splitlines():
        first, *others = line.split()
        groups.setdefault(stem(first), set()).update(stem(word) for word in others)
    return {word: frozenset(others) for word, others in groups.items()}


_SYNONYMS_OF = _synonyms()


@lru_cache(maxsize=1 << 12)
def synonyms_of(word: str) -> frozenset[str]:
    """Stems that a text may use for a word of a key; without the word itself."""
    return _SYNONYMS_OF.get(word, frozenset())
