"""Small valid content of every kind of file that factable reads; what is broken on purpose begins here."""

import gzip
import io
import json
import lzma
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import zstandard

import factable
from factable.gate.policy import KINDS
from factable.kernels.frequencies import count_documents
from factable.kernels.words import WordOptions
from factable.metrics.cider import Idf, save_idf
from factable.metrics.parent.counts import save_counts
from factable.models.runtime import cache
from factable.models.runtime.arrays import write_tensors
from factable.models.runtime.manifest import embedded_folder
from factable.train.counts import CountsBuilder
from factable.types import Example, Record, Table

PACKAGE = Path(factable.__file__).parent
EXAMPLES = (
    {"id": "a", "system": "s", "data": [["Ann", "born", "1950"]], "text": "Ann: 1950.", "references": ["r"]},
    {"id": 2, "data": {"name": "Ann", "of": [{"x": 1.5, "y": None}, [True]]}, "text": "", "subject": "é"},
    {"data": "name[Blue Spice], food[French]", "text": "x", "human": {"semantics": 2.5}, "title": "T"},
    {"id": "d", "data": ["a | b | c", {"row": "x", "col": 3}], "text": "愛 \U0001f600", "mine": {"a": [1]}},
)
JSON_LINES = "\n".join(json.dumps(one, ensure_ascii=False) for one in EXAMPLES).encode()
E2E_LINES = json.dumps(
    {
        "data": "name[Blue Spice], near[Crowne Plaza], food[French], priceRange[£20-25], familyFriendly[no]",
        "text": "Blue Spice near Crowne Plaza serves French food for £20-25. It opens at 5 pm on 1 May 2026.",
        "references": ["Blue Spice serves French food."],
    }
).encode()
# Data as JSON, an empty line, and a text.
CHECKED = (
    """{"shop": {"name": "Alba", "opened": "2019-05-01", "area_m2": 84.5, "wifi": true, "parking": null},
 "hours": {"Mon": "9:00-17:00", "Sat": "10-14", "Sun": "closed"},
 "quarters": [{"quarter": "Q1", "sales_eur_million": 1.2, "staff": 12, "best": "Ann Lee"},
  {"quarter": "Q2", "sales_eur_million": 1.8, "staff": 9, "best": "Bo Chen"}],
 "reviews": [{"stars": 4, "text": "Lovely bread, slow service."}]}

**Alba**, open Monday 9 am to 5 pm and closed on Sunday, sold goods for €1.8 million in Q2, up 50 % from Q1
and the highest of both; staff fell by three to nine. There is free WiFi, but no parking.
- Area: 85 m²""".encode(),
    b"""[{"team": "Bears", "points": 101, "rebounds": 40, "venue": "Dome", "start": "2026-05-01T19:30:00Z"},
 {"team": "Owls", "points": 97, "rebounds": 44, "venue": "Dome", "start": "2026-05-01T19:30:00Z"}]

The Bears beat the Owls 101-97 on Friday, May 1, by four points. They had 40 rebounds each, 84 in total.""",
    b"""[["Ann_Lee", "birthDate", "1950-03-15"], ["Ann_Lee", "team", "Bears"]]

Ann Lee (born 1950) plays for the Owls.""",
)
REFERENCES = b'{"id": "a", "references": ["r", "s"]}\n{"id": "b", "references": ["t"]}\n'
TEXTS = (
    b"Ada Lovelace, born on 10 December 1815 in London, wrote 3.5 km of notes for $5 million.",
    b"# Caf\xc3\xa9\n- Open Mon-Fri 9:00-17:00, closed Sun\n- No WiFi (parking is not told), 20% off.",
)
JSON_LIST = json.dumps(EXAMPLES, indent=1).encode()
CSV = (
    b"id,system,text,data,title,ref2,reference1,references,human.f,mine\n"
    b'a,s,One,"[[""x"", ""y"", 3]]",T,r2,r1,"[""r0""]",2.5,?\n'
    b',s,"Two\nlines","{""a"": {""b"": 1}}",,,r,,,\n'
    b"c,,,[Rec] | director | X,,,,one,,\n"
)
FACTS = b"id\tsubject\tborn\tcity\ttext\na\tAnn\t1950\t\tr\nb\tBob\t\tRome\t\n"
WEBNLG = b"""<?xml version="1.0" encoding="UTF-8"?>
<benchmark><entries><entry category="A" eid="Id1" size="1"><modifiedtripleset>
<mtriple>Alan_Bean | birthDate | "1932-03-15"^^xsd:date</mtriple></modifiedtripleset>
<lex comment="good" lang="en" lid="Id1">Alan &amp; &#233;.</lex></entry></entries></benchmark>
"""
RATINGS = (
    b"id,mr,team,text,fluency,grammar,semantics\n"
    b'1,A_b | p | "c"<br>D | q | e,adapt,"a b , c .\n",1.5,2,3\n2,F | r | g,adapt,null,1,1,1.25\n'
)
INPUTS = b'A_b | p | "c"<br>D | q | e\nF | r | g\n'
E2E = b'mr,ref\n"name[A], food[B]",One.\nname[C],"Three, ""four""."\n'
E2E_OUTPUTS = b"system\tMR\toutput\tadded\tmissing\na\tname[X]\tOne\t0\t2\nb\tname[X], food[Y]\t\t0\t1\n"
BOXES = b"name_1:lenny\tname_2:randle\timage:<none>\ttime_1:18:47\tclub_2:-lrb-\tarticle_title_1:l\n"
TABLES = b"name|||lenny randle\tlenny|||born in|||long beach\n"
CELL = {"value": "1999", "is_header": True, "column_span": 2, "row_span": 1}
TOTTO = json.dumps(
    {
        "table": [[CELL, CELL], [{**CELL, "is_header": False}]],
        "highlighted_cells": [[1, 0], [0, 1]],
        "example_id": 7,
        "table_page_title": "Club",
        "sentence_annotations": [{"final_sentence": "It won 3."}],
    }
).encode()
GSML = (
    b"TEXT_ID,SENTENCE_ID,ANNOTATION_ID,TOKENS,SENT_TOKEN_START,SENT_TOKEN_END,DOC_TOKEN_START,DOC_TOKEN_END,"
    b"TYPE\none.txt,1,1,line,2,2,2,2,NAME\n"
)
ROTOWIRE = json.dumps(
    [
        {
            "home_city": "Boston",
            "home_name": "Celtics",
            "vis_name": "Lakers",
            "day": "02_03_17",
            "home_line": {"TEAM-NAME": "Celtics", "TEAM-PTS": "113"},
            "vis_line": {"TEAM-PTS": 107},
            "box_score": {"PLAYER_NAME": {"10": "Al", "2": "Luol"}, "PTS": {"10": "N/A", "2": "3"}},
            "summary": ["Boston", "won", "."],
        }
    ]
).encode()
PREFERENCES = json.dumps(
    {"id": "1", "system_a": "x", "system_b": "y", "winner": "x", "annotator": "p"}
).encode()
PREFERENCES_CSV = b"id,system_a,system_b,winner,annotator\n1,x,y,tie,p\n2,x,y,,\n"
ANNOTATIONS = json.dumps(
    {"id": "1", "annotator": "p", "human": {"f": 2, "g": "bad"}, "spans": [[0, 5], [6, 8, "k"]]}
).encode()
ANNOTATIONS_CSV = b'id,system,annotator,human.f,label,spans\n1,s,p,2,good,"[[0, 5, ""x""]]"\n'
CONFIG = (
    b'optional = ["near", "area=riverside"]\nomission = 0.5\n[gate]\nfail_on = ["omission"]\nmax_rate = 0.1\n'
)
PATTERNS = (
    b"[pieces]\nkid = 'kids?'\n[food]\nThai = ['thai', '<kid> thai']\nnone = []\n"
    b"[compat.food]\nThai = ['t']\n"
)
BASELINE = json.dumps(
    {
        "signature": "ledger|model:nli|v:1",
        "rates": {kind: {"value": 0.5} for kind in KINDS},
        "examples": [{"id": "a", "system": "", "label": "ok"}],
    }
).encode()
TEMPLATES = json.dumps(
    {"born": ["<subject> was born in <object>."], "kids=no": ["It is not for kids."]}
).encode()
CLASSIFIER = json.dumps(
    {
        "format": "factable fact classifier 1",
        "slots": {"food": ["Thai", "Indian"]},
        "names": ["name"],
        "least": 0.5,
        "bias": [-100, 20],
        "weights": {"thai": {"0": 300}, "indian food": {"1": 250}},
    }
).encode()
COUNTS_JSON = json.dumps({"born": 20, "born|||was": 19, "in|||at": 3, "in": 4}).encode()
WEIGHTS = (PACKAGE / "data" / "ledger" / "weights.json").read_bytes()
MANIFEST = (embedded_folder("nli") / "manifest.json").read_bytes()
SPECS = (
    b"parent",
    b'parent(mix=0.5, tokens="words", orders=4)',
    b'parent(entailment="cooccurrence", counts="x.counts")',
    b'bleu(compat="webnlg2020")',
    b"chrf(word_order=2)",
    b'ledger(required="name", omission=0.25)',
    b'ranking(ranker="bm25", direction="both")',
    b"cider_d(stem=True)",
    b'rouge(kind="L", stem=False)',
    b'nli(templates="backoff", model="nli")',
    b'slot_error(patterns="e2e")',
    b"nist(orders=5)",
)


def packed_lines() -> list[bytes]:
    """JSON lines in every compression."""
    return [gzip.compress(JSON_LINES), lzma.compress(JSON_LINES), zstandard.compress(JSON_LINES)]


def parquet() -> bytes:
    """A table with nested cells and a map."""
    columns = {
        "id": pyarrow.array([1, 2]),
        "text": pyarrow.array(["one", ""]),
        "data": pyarrow.array([{"a": 1, "b": ["x", "y"]}, {"a": None, "b": []}]),
        "references": pyarrow.array([["r"], None]),
        "human": pyarrow.array([[("f", 1.0)], None], pyarrow.map_(pyarrow.string(), pyarrow.float64())),
    }
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


def counts(folder: Path) -> bytes:
    """A file for PARENT's co-occurrence model."""
    builder = CountsBuilder("whitespace")
    table = Table((Record("Ada", "birthYear", "1815"), Record("", "愛", "x y")))
    builder.add(Example("1", "", "", table, ("Ada was born in 1815",)))
    save_counts(builder.finish(), folder / "counts")
    return (folder / "counts").read_bytes()


CACHE_KEYS = [bytes([number]) * 16 for number in range(20)]
CACHED = b"an answer of a model"


def answer_cache(folder: Path) -> bytes:
    """A file of cached answers."""
    path = folder / "answers.sqlite"
    cache.put(path, dict.fromkeys(CACHE_KEYS, CACHED))
    return path.read_bytes()


def idf(folder: Path) -> bytes:
    """A file for CIDEr."""
    documents = [("Ada was born",), ("Ada was here", "was born"), ("x",)]
    save_idf(
        Idf(count_documents(documents, WordOptions("words"), 3).store(), 3, "words", True), folder / "idf"
    )
    return (folder / "idf").read_bytes()


def extractor(folder: Path) -> bytes:
    """A file of the layout of a trained extractor, with far fewer numbers."""
    words = ["⟨pad⟩", "⟨unknown⟩", "⟨start⟩", "⟨end⟩", *"abcdefghijkl"]
    shapes = {
        "attention": (1, 2),
        "bridge.weight": (1, 2),
        "bridge.bias": (1,),
        "embedding": (len(words), 1),
        "output.weight": (1, 3),
        "output.bias": (1,),
        "switch.weight": (1, 4),
        "switch.bias": (1,),
        "words": (len(words),),
        **{f"{way}.{part}": (4, 1) for way in ("forth", "back", "decoder") for part in ("input", "hidden")},
        **{f"{way}.bias": (4,) for way in ("forth", "back", "decoder")},
    }
    arrays = {name: np.zeros(shape, np.float16) for name, shape in shapes.items()}
    metadata = {"format": "factable extractor 1", "vocabulary": json.dumps(words)}
    write_tensors(folder / "tensors", arrays, metadata)
    return (folder / "tensors").read_bytes()
