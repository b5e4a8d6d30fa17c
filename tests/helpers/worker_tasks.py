"""Work for worker processes that does what the text of a task says, to see what becomes of the others."""

import os
import time
from pathlib import Path


def obey(tasks):
    """The text of each task, unless one of them says to die, to fail or to wait for a file."""
    for task in tasks:
        for line in said(task).splitlines():
            verb, _, path = line.partition(" ")
            if verb == "die":
                os._exit(1)
            if verb == "fail":
                raise ValueError("a secret of the text")
            while verb == "wait" and not Path(path).exists():
                time.sleep(0.01)
    return [said(task).encode() for task in tasks]


def said(task):
    """The text of a check, or lines that each end."""
    return task.text if hasattr(task, "text") else task.lines.decode() + "\n"
