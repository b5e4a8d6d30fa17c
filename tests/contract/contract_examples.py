"""What every metric is tried on: odd examples of all sorts."""

from dataclasses import replace

from factable.types import Example, Record, Table

FACTS = Table(
    (Record("Ada Lovelace", "born", "10 December 1815"), Record("Ada Lovelace", "fieldOfWork", "mathematics"))
)
REFERENCES = ("Ada Lovelace, born on 10 December 1815, worked in mathematics.", "She did maths.")
TEXT = "Ada Lovelace was born in December 1815 and liked poetry."
WHOLE = Example("whole", "a", TEXT, FACTS, REFERENCES, {"semantics": 2.5})
# Company for WHOLE: some metrics weigh words by how few items have them, and so need two items.
OTHER = Example(
    "other", "a", "Babbage built an engine.", FACTS, ("Babbage designed an engine.", "He thought of engines.")
)
ODD_TEXTS = {
    "empty": "",
    "blank": " \n\t\u2003",
    "punctuation": "?!… —",
    "rtl": "שלום \u202eabc\u202c مرحبا بالعالم",
    "joined emoji": "👩\u200d👩\u200d👧 was born \U0001f1eb\U0001f1f7",
    "combining": "A\u0301da\u0308 e\u0301t\u0301 İstanbul ẞ",
    "nul": "Ada\x00Lovelace \x1b[31m",
    "lone surrogate": "Ada \ud83d Lovelace \udcff",
    "long word": "x" * 20_000,
    "many words": "Ada was born " * 40,
    "unspaced": "愛達生於1815年",
}


def odd_examples() -> list[Example]:
    """Each odd text as the text, as a reference and as a value; then what tables and references may lack."""
    examples = [WHOLE, replace(WHOLE, item="one reference", references=REFERENCES[:1])]
    for name, odd in ODD_TEXTS.items():
        table = Table((Record(odd, odd, odd), *FACTS.records), title=odd)
        examples += [
            replace(WHOLE, item=f"{name} as text", text=odd),
            replace(WHOLE, item=f"{name} as reference", references=(odd,)),
            replace(WHOLE, item=f"{name} among references", references=(*REFERENCES, odd)),
            replace(WHOLE, item=f"{name} in the table", table=table),
            replace(WHOLE, item=f"{name} everywhere", text=odd, references=(odd,), table=table),
        ]
    return [
        *examples,
        replace(WHOLE, item="no records", table=Table(())),
        replace(WHOLE, item="title only", table=Table((), title="Ada")),
        replace(WHOLE, item="empty value", table=Table((Record("Ada", "died", ""),))),
        replace(WHOLE, item="empty record", table=Table((Record("", "", ""),))),
        replace(WHOLE, item="subjects of some", table=Table((*FACTS.records, Record("", "died", "1852")))),
        replace(WHOLE, item="repeated records", table=Table(FACTS.records * 3)),
        replace(WHOLE, item="no references", references=()),
        replace(WHOLE, item="empty references", references=("", "")),
        replace(WHOLE, item="nothing", text="", table=Table(()), references=()),
        replace(WHOLE, item="other system", system="b", human={}),
    ]


# Those that the variants of a metric are tried on by default, and all of them where there is more time.
FEW = (
    "whole",
    "one reference",
    "empty as text",
    "punctuation as reference",
    "rtl in the table",
    "combining everywhere",
    "lone surrogate as text",
    "nul among references",
    "no records",
    "empty value",
    "no references",
    "other system",
)


def few_examples() -> list[Example]:
    """Twelve of the odd examples."""
    return [example for example in odd_examples() if example.item in FEW]
