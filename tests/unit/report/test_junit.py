"""JUnit and annotations, with whatever may stand in a text."""

import io
from xml.etree import ElementTree as Xml

import pytest

from factable.gate.outcomes import Flaw
from factable.gate.policy import KINDS, Policy
from factable.report.junit import annotated, annotations, write_junit
from helpers.gate_results import make_baseline, make_outcome, make_result

UNSCORED = make_outcome("c", "unscored", flaws=[Flaw("unscored", "", None, "no records")])
NASTY = "a\x00b\x1b[31m ]]> <&\"' \ud800 \uffff 😀"


def junit(result):
    stream = io.BytesIO()
    write_junit(result, stream)
    return Xml.fromstring(stream.getvalue())


def test_junit_has_a_case_for_each_rate_and_each_text():
    result = make_result([make_outcome("a"), make_outcome("b", "hallucination", line=7), UNSCORED])
    suite = junit(result)
    counts = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counts == {"tests": "6", "failures": "2", "errors": "0", "skipped": "1"}
    cases = suite.findall("testcase")
    assert len(cases) == 6
    assert [case.get("name") for case in cases] == [
        "rate of contradiction",
        "rate of hallucination",
        "rate of omission",
        "a",
        "b",
        "c",
    ]
    assert [len(case) for case in cases] == [0, 1, 0, 0, 1, 1]
    assert (cases[4].get("classname"), cases[4].get("file"), cases[4].get("line")) == (
        "mine",
        "texts.jsonl",
        "7",
    )
    failure = cases[4][0]
    assert failure.get("type") == "hallucination"
    assert failure.get("message") == 'contradicted: area | centre "the river"'
    assert failure.text.startswith("The Eagle is by the river.\n")
    assert cases[5][0].tag == "skipped"
    assert cases[5][0].get("message") == "no records"


def test_junit_counts_only_what_fails():
    suite = junit(make_result([make_outcome("a", "omission")], Policy(("hallucination",))))
    assert suite.get("failures") == "0"
    assert suite.find(".//failure") is None


def test_junit_is_xml_whatever_the_text():
    outcome = make_outcome(
        NASTY, "omission", system=NASTY, text=NASTY, flaws=[Flaw("omitted", NASTY, None, NASTY)]
    )
    case = junit(make_result([outcome])).findall("testcase")[-1]
    assert case.get("name") == case.get("classname") == r"""a\x00b\x1b[31m ]]> <&"' \ud800 \uffff 😀"""


def test_annotations_name_file_and_line():
    outcome = make_outcome("b", "hallucination", line=7, source="data,a:b/100%.jsonl")
    found = annotations(make_result([make_outcome("a"), outcome]))
    assert found == [
        "::error title=factable gate::hallucination in 0.5000 of the texts; at most 0 is allowed",
        (
            "::error file=data%2Ca%3Ab/100%25.jsonl,line=7,title=b · mine%3A hallucination"
            '::The Eagle is by the river.%0Acontradicted: area | centre "the river"'
        ),
    ]


def test_annotations_without_a_line_or_a_file():
    assert "file=texts.jsonl,title=" in annotations(make_result([make_outcome("b", "omission")]))[1]
    assert "::error title=b" in annotations(make_result([make_outcome("b", "omission", source="stdin")]))[1]


def test_a_text_cannot_give_commands():
    text = "100% true\r\n::set-output name=x::y"
    outcome = make_outcome("b\n::stop", "omission", text=text, flaws=[])
    result = make_result([outcome])
    assert all("\n" not in line and "\r" not in line for line in annotations(result))
    assert "::100%25 true%0D%0A::set-output name=x::y" in annotations(result)[1]
    stop, *shown, resume, _, _ = annotated(result, f"{text}\n").splitlines()
    assert stop.startswith("::stop-commands::")
    assert resume == f"::{stop.removeprefix('::stop-commands::')}::"
    assert shown == ["100% true", "::set-output name=x::y"]
    assert annotated(result, "").splitlines()[0] != stop


def test_a_text_cannot_steer_a_terminal():
    outcome = make_outcome("\x1b[2J", "omission", text="a\x07b", flaws=[])
    assert r"title=\x1b[2J · mine%3A omission::a\x07b" in annotations(make_result([outcome]))[1]


def test_a_gate_that_opens_only_warns():
    policy = Policy(max_rate=dict.fromkeys(KINDS, 1.0))
    found = annotations(make_result([make_outcome("b", "omission")], policy))
    assert [line.split()[0] for line in found] == ["::warning"]


@pytest.mark.parametrize("baseline", [None, make_baseline({"0": "OK", "1": "omission", "2": "omission"})])
def test_annotations_are_few_and_new(baseline):
    result = make_result([make_outcome(str(item), "omission") for item in range(30)], baseline=baseline)
    found = annotations(result)
    assert len(found) == 10
    shown = [line.partition("title=")[2].partition(" ")[0] for line in found[1:]]
    assert shown[:3] == (["0", "3", "4"] if baseline else ["0", "1", "2"])
