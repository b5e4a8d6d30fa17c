"""Data-QuestEval with the embedded models: what it asks, what answers are worth, how it explains itself."""

import math

import pytest

from factable.errors import UsageError
from factable.metrics.questeval.metric import QuestEval
from factable.metrics.questeval.questions import ExpectedAnswer, Reply
from factable.metrics.questeval.scoring import (
    ScoredReply,
    answer_score,
    combine_directions,
    combine_like_questeval,
    findings_of,
    similarities,
)
from factable.models.qa import QaAnswer, QuestionInText, answer_questions
from factable.models.seq2seq import AnswerInText
from factable.types import Example, Record, Table

HELENA = Table(
    (
        Record("101_Helena", "discoverer", "James_Craig_Watson"),
        Record("James_Craig_Watson", "deathCause", "Peritonitis"),
        Record("James_Craig_Watson", "almaMater", "University_of_Michigan"),
    )
)
GOOD = (
    "James Craig Watson, who discovered 101 Helena, was a student at the University of Michigan and died of "
    "peritonitis."
)
FLAWED = "The University of Michigan is the discoverer of 101 Helena, and James Craig Watson died of malaria."
SHORT = "101 Helena was discovered by James Craig Watson."


def example(text, references=(), table=HELENA):
    return Example("1", "", text, table, tuple(references))


def score(*texts, **parameters):
    return list(QuestEval(**parameters).score([example(text) for text in texts]).values)


def test_the_papers_asteroid_comes_out_right():
    good, short, flawed, empty = score(GOOD, SHORT, FLAWED, "")
    assert good > 0.8
    assert good > short > flawed > empty == 0


def test_parts_tell_what_is_missing_from_what_is_made_up():
    scores = QuestEval().score([example(GOOD), example(SHORT), example(FLAWED)])
    precision, recall = scores.parts["precision"], scores.parts["recall"]
    assert recall[1] < 0.5 < 0.8 < precision[1]
    assert precision[2] < precision[0]


def test_every_question_is_explained():
    (findings,) = QuestEval().score([example(SHORT)], explain=True).findings
    by_record = {finding.record: finding for finding in findings if "expected" in finding.note}
    asked = [finding for finding in findings if finding.note.startswith('"What is')]
    assert [finding.record for finding in asked] == [0, 1, 2]
    assert asked[0].kind == "supported"
    assert SHORT[slice(*asked[0].span)] == "James Craig Watson"
    assert asked[0].note.startswith(
        '"What is the discoverer of 101 Helena?" expected "James Craig Watson", answered'
    )
    assert {finding.kind for finding in asked[1:]} == {"omitted"}
    assert "not answered" in asked[1].note
    blanks = [finding for finding in findings if "____" in finding.note]
    assert {SHORT[slice(*finding.span)] for finding in blanks} == {"101 Helena", "James Craig Watson"}
    assert all(finding.kind == "supported" for finding in blanks)
    assert by_record


def test_a_yes_or_no_is_asked_once():
    table = Table((Record("Zizzi", "area", "riverside"), Record("Zizzi", "familyFriendly", "no")))
    (findings,) = (
        QuestEval()
        .score([example("Zizzi by the riverside is not family friendly.", table=table)], explain=True)
        .findings
    )
    assert [finding.kind for finding in findings] == ["supported"] * 4
    assert sum("family friendly" in finding.note.split("expected")[1] for finding in findings) == 1


def test_what_the_data_does_not_say_is_found():
    (findings,) = QuestEval().score([example(FLAWED)], explain=True).findings
    wrong = [
        finding for finding in findings if finding.kind in ("unsupported", "contradicted") and finding.span
    ]
    assert any("malaria" in FLAWED[slice(*finding.span)] for finding in wrong)
    assert all(finding.record is None for finding in findings if finding.kind == "unsupported")


def test_references_instead_of_data():
    references = [GOOD, "Bananas are yellow."]
    metric = QuestEval(source="references")
    good, flawed = metric.score([example(GOOD, references), example(FLAWED, references)]).values
    assert good > flawed + 0.1
    # The best reference counts, wherever it stands.
    assert metric.score([example(GOOD, references[::-1])]).values[0] == good
    both = QuestEval(source="both").score([example(GOOD, references)]).values[0]
    assert both == max(good, score(GOOD)[0])


def test_needs_follow_from_the_source():
    assert QuestEval().needs == {"table"}
    assert QuestEval(source="references").needs == {"references"}
    assert QuestEval(source="both").needs == {"table", "references"}


def test_nothing_to_ask_about_is_unscored():
    scores = QuestEval().score([example("Of the and.", table=Table(()))])
    assert math.isnan(scores.values[0])
    assert scores.findings[0][0].kind == "unscored"


def reply(expected, text, answerable=1.0, *, record=None, attribute=""):
    question = ExpectedAnswer(QuestionInText("q", "c"), expected, AnswerInText(expected, "c"), record=record)
    return Reply(question, QaAnswer(text, None, answerable), record, attribute)


def test_similarities():
    replies = [
        reply("1815-12-10", "December 10, 1815", record=0, attribute="birthDate"),
        reply("The Eagle", "eagle"),
        reply("London", "Paris"),
    ]
    assert similarities(replies, "values") == [1, 1, 0]
    assert similarities(replies, "f1") == [0, 1, 0]
    same, near, other = similarities([reply("London", "London"), *replies[1:]], "bertscore")
    assert same == pytest.approx(1)
    assert same > near > other


@pytest.mark.parametrize(
    ("answerable", "unanswerable", "expected"),
    [(0.9, "zero", 0.72), (0.4, "zero", 0), (0.4, "ignore", 0.8)],
)
def test_what_an_unlikely_answer_is_worth(answerable, unanswerable, expected):
    answer = QaAnswer("London", None, answerable)
    assert answer_score(0.8, answer, unanswerable) == pytest.approx(expected)


@pytest.mark.parametrize("rule", ["zero", "paper"])
def test_a_model_can_say_in_words_that_there_is_no_answer(rule):
    """It does so if its first token is the likeliest, though most probability is with others."""
    given = reply("London", "Unanswerable", answerable=0.6)
    assert answer_score(0.8, given.answer, rule) == 0
    (finding,) = findings_of(combine_directions([ScoredReply(given, (0.0,))], []))
    assert finding.kind == "omitted"
    assert finding.note.endswith("not answered (0.00)")
    # In a text about such things it is an answer like any other.
    assert answer_score(0.8, QaAnswer("unanswerable", (10, 22), 0.6), rule) > 0


def test_directions_are_averaged():
    def scored(*values):
        return [ScoredReply(reply("a", "b"), (value,)) for value in values]

    both = combine_directions(scored(1, 0), scored(1, 1, 1, 0))
    assert (both.recall, both.precision, both.value) == (0.5, 0.75, 0.625)
    alone = combine_directions(scored(1, 0), [])
    assert (alone.recall, alone.precision, alone.value) == (0.5, 0.5, 0.5)


def test_the_released_formula_by_hand():
    """Answerability, BERTScore and F1 of each question, clipped and averaged; then both directions."""
    of_text = [ScoredReply(reply("a", "b"), (0.9, 1.2, 0.0)), ScoredReply(reply("a", "b"), (0.1, -0.2, 0.5))]
    of_other = [ScoredReply(reply("a", "b"), (1.0, 0.8, 0.6))]
    result = combine_like_questeval(of_text, of_other)
    assert result.recall == pytest.approx((0.9 + 1 + 0 + 0.1 + 0 + 0.5) / 6)
    assert result.precision == pytest.approx(0.8)
    assert result.value == pytest.approx((2.5 / 6 + 0.8) / 2)
    assert combine_like_questeval(of_text, []).value == pytest.approx(2.5 / 12)


def test_the_released_formula_on_texts():
    good, flawed, empty = score(GOOD, FLAWED, "", compat="questeval")
    assert good > flawed > empty
    assert empty == pytest.approx(0, abs=1e-9)


def test_equal_questions_are_asked_once():
    heard = []
    answer_questions(
        "qa", [QuestionInText("Who?", "Ada did."), QuestionInText("Who?", "Ada did.")], heard.append
    )
    assert sum(heard) == 1


def test_signatures_name_all_that_moves_a_number():
    plain, alike = (
        QuestEval(similarity=method).score([example(GOOD)]).signature for method in ("values", "bertscore")
    )
    assert "qa:" in plain
    assert "encoder:" in alike
    assert "encoder:" not in plain


@pytest.mark.parametrize("wrong", [{"source": "web"}, {"similarity": "x"}, {"unanswerable": "x"}, {"qa": 3}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(UsageError, match="questeval: "):
        QuestEval(**wrong)
