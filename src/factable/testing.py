"""For tests: an assertion that a text says all, and only, what its data says."""

from typing import Any


def assert_faithful(
    data: object, text: str, *, subject: str = "", title: str = "", config: str = "", **options: Any
) -> None:
    """Raise an AssertionError that shows the ledger, unless the text is OK.

    `options` are those of `factable.check`, and override those of the file `config`.
    """
    # pytest then shows the line of the test, not this one.
    __tracebackhide__ = True
    from factable.gate.config import read_config
    from factable.metrics.ledger.metric import check
    from factable.report.verdict import verdict_text

    known = read_config(config).options if config else {}
    verdict = check(data, text, subject=subject, title=title, **{**known, **options})
    if not verdict.is_ok:
        raise AssertionError(verdict_text(verdict))
