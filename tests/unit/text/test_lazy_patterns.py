import re
from concurrent.futures import ThreadPoolExecutor

import pytest

from factable.text.patterns import lazy_pattern


def test_a_lazy_pattern_gives_what_a_compiled_one_gives():
    lazy, compiled = (
        lazy_pattern(r"(?P<word>[a-z]+)\d", re.IGNORECASE),
        re.compile(r"(?P<word>[a-z]+)\d", re.I),
    )
    text = "ab1 Cd2, 3"
    assert [match.span() for match in lazy.finditer(text)] == [
        match.span() for match in compiled.finditer(text)
    ]
    assert lazy.findall(text) == compiled.findall(text)
    assert lazy.sub("x", text) == compiled.sub("x", text)
    assert lazy.split(text) == compiled.split(text)
    assert lazy.pattern == compiled.pattern
    assert lazy.match(text, 4)["word"] == "Cd"
    assert lazy.search("none") is None
    assert lazy.fullmatch("ab1")


def test_a_lazy_pattern_is_compiled_when_first_used():
    lazy = lazy_pattern("(")
    with pytest.raises(re.error):
        lazy.match("")
    with pytest.raises(AttributeError):
        lazy.matches  # noqa: B018


def test_threads_can_share_a_lazy_pattern():
    lazy = lazy_pattern(r"\d+")
    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(lambda _: lazy.findall("1 22")[1], range(64))) == {"22"}
