"""Writes requirements/ci.lock: the exact versions of all packages in this environment, for `pip install -c`.

python tools/lock.py [--check]

Run it in a fresh environment after `pip install -e ".[test-all]"`, once the tests have passed there. With
--check it only compares the lock with the requirements of pyproject.toml.
"""

import re
import sys
from importlib.metadata import Distribution, distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
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


def required() -> list[str]:
    """The requirements of the package and of all its tests."""
    extras = PROJECT["optional-dependencies"]
    ours = [*PROJECT["dependencies"], *extras["test"], *extras["test-all"]]
    return [one for one in ours if not one.startswith(PROJECT["name"])]


def needed() -> set[str]:
    """What the package and its tests require, and what that requires in turn, as far as it is installed."""
    waiting = required()
    installed = {_normal(package.metadata["Name"]) for package in distributions()}
    names: set[str] = set()
    while waiting:
        requirement = waiting.pop()
        name = NAME.match(requirement)
        if name and "extra ==" not in requirement and _normal(name[0]) in installed - names:
            names.add(_normal(name[0]))
            waiting += requires(name[0]) or ()
    return names


def stale() -> list[str]:
    """Requirements that the lock does not know, or of which it has a version that is not allowed."""
    lines = OUT.read_text().splitlines()
    pinned = dict(line.partition(";")[0].split("==") for line in lines if not line.startswith("#"))
    parsed = [one for one in map(Requirement, required()) if not one.marker or one.marker.evaluate()]
    return [str(one) for one in parsed if pinned.get(_normal(one.name), "0") not in one.specifier]


def content() -> str:
    """The file."""
    wanted = needed()
    lines = {_line(package) for package in distributions() if _normal(package.metadata["Name"]) in wanted}
    return HEAD.format(version=HERE) + "".join(sorted(lines))


def _line(package: Distribution) -> str:
    """A package with its version, and from which Python on, where not all of ours can have that version."""
    # What comes behind a plus names a build, which other machines may not have.
    pinned = f"{_normal(package.metadata['Name'])}=={package.version.partition('+')[0]}"
    for_all = OLDEST in SpecifierSet(package.metadata.get("Requires-Python") or "")
    return f"{pinned}\n" if for_all else f"{pinned}; python_version >= '{HERE}'\n"


def main() -> int:
    """Write the lock; with --check name what is missing in it, and return 1."""
    if "--check" not in sys.argv[1:]:
        OUT.parent.mkdir(exist_ok=True)
        OUT.write_text(content())
        return 0
    for requirement in stale():
        print(f"requirements/ci.lock has no version for {requirement}; run: python tools/lock.py")
    return 1 if stale() else 0


if __name__ == "__main__":
    sys.exit(main())
