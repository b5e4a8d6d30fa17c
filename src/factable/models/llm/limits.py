"""How a server is asked, set by environment variables, because none of them moves a number.

FACTABLE_JUDGE_CONCURRENCY (requests at a time, 4), FACTABLE_JUDGE_RATE (requests a minute, no limit),
FACTABLE_JUDGE_TIMEOUT (seconds for an answer, 300) and FACTABLE_JUDGE_RETRIES (5).
"""

import math
import os
from dataclasses import dataclass

from factable.errors import UsageError


@dataclass(frozen=True, slots=True)
class Limits:
    """How a server is asked."""

    concurrency: int
    seconds_between: float
    timeout: float
    retries: int

    @classmethod
    def of_environment(cls) -> "Limits":
        """The limits that the environment sets."""
        rate = _number("RATE", math.inf, least=0.001)
        return cls(
            concurrency=int(_number("CONCURRENCY", 4, least=1)),
            seconds_between=60 / rate,
            timeout=_number("TIMEOUT", 300, least=0.001),
            retries=int(_number("RETRIES", 5, least=0)),
        )


def _number(name: str, default: float, *, least: float) -> float:
    variable = f"FACTABLE_JUDGE_{name}"
    text = os.environ.get(variable, "")
    try:
        number = float(text or default)
    except ValueError:
        number = math.nan
    if not number >= least:
        raise UsageError(
            f"{variable} is {text!r}; give a number of at least {least:g}, or nothing for the default"
        )
    return number


def share_limits(processes: int) -> None:
    """Called in one of so many processes: take a fair share of what the server may be asked."""
    limits = Limits.of_environment()
    os.environ["FACTABLE_JUDGE_CONCURRENCY"] = str(max(1, limits.concurrency // processes))
    if limits.seconds_between:
        os.environ["FACTABLE_JUDGE_RATE"] = str(60 / limits.seconds_between / processes)
