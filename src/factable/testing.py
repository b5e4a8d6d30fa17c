"""For tests: an assertion that a text says all, and only, what its data says."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from factable.metrics.ledger.metric import LedgerOptions


def assert_faithful(
    data: object,
    text: str,
    *,
    subject: str = "",
    title: str = "",
    config: str = "",
    **options: "Unpack[LedgerOptions]",
) -> None:
    """Raise an AssertionError that shows the ledger, unless the text is OK.

    `options` are the parameters of the ledger, and override those of the file `config`.
    """
    # pytest then shows the line of the test, not this one.
    __tracebackhide__ = True
    from factable.gate.config import read_config
    from factable.metrics.ledger.metric import check
    from factable.report.verdict import verdict_text

    from_config = read_config(config).options if config else {}
    verdict = check(data, text, subject=subject, title=title, **{**from_config, **options})
    if not verdict.is_ok:
        raise AssertionError(verdict_text(verdict))
