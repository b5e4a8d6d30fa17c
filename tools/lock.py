"""Writes requirements/ci.lock: the exact versions of all packages in this environment, for `pip install -c`.

Run it in a fresh environment after `pip install -e ".[test-all]"`, once the tests have passed there.
"""

import re
import sys
from importlib.metadata import Distribution, distributions, requires
from pathlib import Path

from packaging.specifiers import SpecifierSet

from factable.io.toml import parse_toml

ROOT = Path(__file__).parents[1]
OUT = ROOT / "requirements" / "ci.lock"
PROJECT = parse_toml("pyproject.toml", (ROOT / "pyproject.toml").read_bytes(), "")["project"]
OLDEST = PROJECT["requires-python"].removeprefix(">=")
HERE = f"{sys.version_info.major}.{sys.version_info.minor}"
HEAD = """\
# Versions that the tests passed with (Python {version}); written by tools/lock.py.
# pip install -c requirements/ci.lock -e ".[test-all]"
"""
NAME = re.compile(r"[A-Za-z0-9._-]+")


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def needed() -> set[str]:
    """What the package and its tests require, and what that requires in turn, as far as it is installed."""
    waiting = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]]
    installed = {_normal(one.metadata["Name"]) for one in distributions()}
    found: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = NAME.match(requirement)
        if name and "extra ==" not in requirement and _normal(name[0]) in installed - found:
            found.add(_normal(name[0]))
            waiting += requires(name[0]) or ()
    return found


def content() -> str:
    """The file."""
    wanted = needed()
    lines = {_line(one) for one in distributions() if _normal(one.metadata["Name"]) in wanted}
    return HEAD.format(version=HERE) + "".join(sorted(lines))


def _line(package: Distribution) -> str:
    """A package with its version, and from which Python on, where not all of ours can have that version."""
    # What comes behind a plus names a build, which other machines may not have.
    pinned = f"{_normal(package.metadata['Name'])}=={package.version.partition('+')[0]}"
    for_all = OLDEST in SpecifierSet(package.metadata.get("Requires-Python") or "")
    return f"{pinned}\n" if for_all else f"{pinned}; python_version >= '{HERE}'\n"


if __name__ == "__main__":
    OUT.parent.mkdir(exist_ok=True)
    OUT.write_text(content())
