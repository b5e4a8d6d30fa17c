"""What a gate lets through."""

import pytest

from factable.errors import UsageError
from factable.gate.policy import Policy, find_breaches, make_policy

RATES = {"contradiction": 0.0, "hallucination": 0.2, "omission": 0.1}


@pytest.mark.parametrize(
    ("allowed", "baseline", "broken"),
    [
        (0.0, None, ["hallucination", "omission"]),
        (0.1, None, ["hallucination"]),
        (0.2, None, []),
        # Above what is allowed, but no worse than before.
        (0.0, {"contradiction": 0.0, "hallucination": 0.2, "omission": 0.3}, []),
        (0.0, {"contradiction": 0.0, "hallucination": 0.19, "omission": 0.1}, ["hallucination"]),
        # Worse than before, but allowed.
        (0.2, dict.fromkeys(RATES, 0.0), []),
    ],
)
def test_a_rate_must_be_above_the_allowed_and_the_baseline(allowed, baseline, broken):
    policy = Policy(max_rate=dict.fromkeys(RATES, allowed))
    assert [breach.kind for breach in find_breaches(policy, RATES, baseline)] == broken


def test_kinds_that_do_not_count():
    policy = Policy(("omission",))
    assert [breach.kind for breach in find_breaches(policy, RATES, None)] == ["omission"]
    assert policy.faults_in("omission+hallucination") == ("omission",)
    assert policy.faults_in("contradiction+hallucination") == ()
    assert policy.faults_in("OK") == policy.faults_in("unscored") == ()


def test_the_command_line_overrides_the_file_kind_by_kind():
    known = Policy(max_rate={"contradiction": 0.5, "hallucination": 0.3, "omission": 0.4})
    assert make_policy(known, "", []) == known
    assert make_policy(known, "", ["omission=0.1"]).max_rate == {**known.max_rate, "omission": 0.1}
    assert make_policy(known, "", ["0.2"]).max_rate == dict.fromkeys(RATES, 0.2)
    both = make_policy(known, "", ["0.2", "hallucination=0"])
    assert both.max_rate == {"contradiction": 0.2, "hallucination": 0.0, "omission": 0.2}
    assert make_policy(known, "omission, omission", []).fail_on == ("omission",)


@pytest.mark.parametrize(
    ("fail_on", "max_rates", "message"),
    [
        ("omision", [], "--fail-on has 'omision'; did you mean 'omission'?"),
        ("omission,", [], "--fail-on has ''"),
        ("", ["lies=0.1"], "--max-rate has 'lies'"),
        ("", ["2 %"], "--max-rate is '2 %'; give a share from 0 to 1"),
        ("", ["omission=2"], "give a share from 0 to 1"),
        ("", ["nan"], "give a share from 0 to 1"),
        ("", ["a=b=0"], "give a share from 0 to 1"),
        ("omission", ["hallucination=0.1"], "--fail-on has no hallucination"),
    ],
)
def test_misuse(fail_on, max_rates, message):
    with pytest.raises(UsageError) as raised:
        make_policy(Policy(), fail_on, max_rates)
    assert message in str(raised.value)
