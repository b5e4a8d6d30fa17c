"""A gate as SARIF, and as the summary of a job."""

import io
import json

from factable.gate.policy import Policy
from factable.report.gate import summary_markdown
from factable.report.sarif import RULES, write_sarif
from factable.types import ERRORS
from helpers.gate_results import make_outcome, make_result


def sarif(result):
    stream = io.BytesIO()
    write_sarif(result, stream)
    (run,) = json.loads(stream.getvalue())["runs"]
    return run


def test_each_error_that_counts_is_a_result_with_its_line():
    outcomes = [
        make_outcome("a"),
        make_outcome("b", "omission+contradiction", line=7),
        make_outcome("c", "hallucination", source="stdin"),
    ]
    run = sarif(make_result(outcomes, Policy(("contradiction", "hallucination"))))
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == list(RULES) == list(ERRORS)
    first, second = run["results"]
    assert (first["ruleId"], first["level"]) == ("contradiction", "error")
    assert first["message"]["text"] == 'b · mine: contradicted: area | centre "the river"'
    (where,) = first["locations"]
    assert where["physicalLocation"] == {
        "artifactLocation": {"uri": "texts.jsonl"},
        "region": {"startLine": 7},
    }
    assert second["ruleId"] == "hallucination"
    assert "locations" not in second


def test_a_summary_shows_the_decision_the_rates_and_the_texts():
    text = "The <b>Eagle</b> | sings."
    shown = summary_markdown(make_result([make_outcome("a"), make_outcome("b", "omission", text=text)]))
    assert shown.startswith(
        "## factable gate: ✗ failed\n\n2 texts: 1 with contradiction, hallucination or omission\n"
    )
    assert "| share with an omission | 0.500" in shown
    assert r"- **b · mine** omission: The &lt;b>Eagle&lt;/b> \| sings." in shown
