"""Dependencies are few and named once; CI installs the versions that are locked."""

import re

from factable.io.toml import parse_toml
from helpers.paths import ROOT

LOCK = ROOT / "requirements" / "ci.lock"
PROJECT = parse_toml("pyproject.toml", (ROOT / "pyproject.toml").read_bytes(), "")["project"]
MAX_DEPENDENCIES = 9


def normal(requirement):
    return re.sub(r"[-_.]+", "-", re.match(r"[\w.-]+", requirement)[0]).lower()


def test_few_dependencies_with_ranges():
    assert len(PROJECT["dependencies"]) <= MAX_DEPENDENCIES
    assert [one for one in PROJECT["dependencies"] if ">=" not in one] == []


def test_the_lock_pins_everything_and_names_no_host():
    lines = [line for line in LOCK.read_text().splitlines() if not line.startswith("#")]
    pinned = re.compile(r"[a-z0-9-]+==[0-9][\w.]*(; python_version >= '3\.\d+')?")
    assert [line for line in lines if not pinned.fullmatch(line)] == []
    assert "://" not in LOCK.read_text()
    locked = {normal(line) for line in lines}
    # What only an older Python needs is not there where the lock is written.
    wanted = [
        one for one in (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["test"]) if ";" not in one
    ]
    assert [one for one in wanted if normal(one) not in locked] == [], "run: python tools/lock.py"


def test_ci_uses_the_lock_and_checks_the_packages():
    script = (ROOT / ".ci" / "run").read_text()
    assert "PIP_CONSTRAINT" in script
    assert "tools/check_packages.py" in script
