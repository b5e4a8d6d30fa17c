"""No reader ever answers broken content with anything but an error in clear words."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.mutations import KINDS, TOKENS, Edit, apply
from fuzz.targets import all_targets, attempt

pytestmark = pytest.mark.fuzz

# Ten thousand cases altogether; `python -m fuzz` does as many as one likes.
CASES = 310
TARGETS = all_targets()
EDITS = st.lists(
    st.builds(
        Edit, st.sampled_from(KINDS), st.integers(0, 1 << 12), st.integers(0, 255), st.sampled_from(TOKENS)
    ),
    min_size=1,
    max_size=3,
)
THOROUGH = settings(
    max_examples=CASES,
    database=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_valid_content_is_read(target):
    said = [attempt(target, content) for content in target.samples]
    assert said == [""] * len(target.samples)


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
@THOROUGH
@given(data=st.data())
def test_broken_content_gives_an_error_in_clear_words(target, data):
    content = data.draw(st.sampled_from(target.samples))
    attempt(target, apply(content, data.draw(EDITS)))


def test_there_is_a_target_for_every_format():
    from factable.io.formats import FORMATS

    told = " ".join(target.name for target in TARGETS)
    assert [name for name in FORMATS if name not in told] == []
