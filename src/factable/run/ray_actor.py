"""What stands at the other end of the engine `ray`: an actor that works on one unit after the other."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Generic, TypeVar

from factable import __version__
from factable.errors import UsageError
from factable.models.threads import VARIABLE
from factable.run.workers import Work, answer

Made = TypeVar("Made")


class Desk(Generic[Made]):
    """Made once in a process of its own; what models load there stays."""

    def __init__(self, work: Work[Made], version: str, folder: str, settings: Mapping[str, str]) -> None:
        self._work = work
        self._version = version
        # An actor has one CPU, unless the user chose otherwise.
        os.environ.setdefault(VARIABLE, "1")
        os.environ.update(settings)
        # Files that metrics name are looked for as on the first machine.
        with suppress(OSError):
            os.chdir(folder)

    def start(self) -> UsageError | None:
        """Refuse to make numbers that another version would not make."""
        if self._version == __version__:
            return None
        found = f"a Ray worker has factable {__version__}, this is {self._version}"
        return UsageError(f"{found}; install the same version on all machines")

    def work_on(self, unit: Any) -> Made | Exception:
        """What is made of a unit, or what went wrong."""
        return answer(self._work, unit)
