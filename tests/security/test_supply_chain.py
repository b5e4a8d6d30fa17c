"""Dependencies are few and named once; CI installs the versions that are locked."""

import re

from factable.io.toml import parse_toml
from helpers.paths import ROOT
from tools import lock

PROJECT = parse_toml("pyproject.toml", (ROOT / "pyproject.toml").read_bytes(), "")["project"]
MAX_DEPENDENCIES = 9


def test_few_dependencies_with_ranges():
    assert len(PROJECT["dependencies"]) <= MAX_DEPENDENCIES
    assert [one for one in PROJECT["dependencies"] if ">=" not in one] == []


def test_the_lock_pins_everything_and_names_no_host():
    lines = [line for line in lock.OUT.read_text().splitlines() if not line.startswith("#")]
    pinned = re.compile(r"[a-z0-9-]+==[0-9][\w.]*(; python_version >= '3\.\d+')?")
    assert [line for line in lines if not pinned.fullmatch(line)] == []
    assert "://" not in lock.OUT.read_text()
    assert lock.stale() == [], "run: python tools/lock.py"


def test_ci_uses_the_lock_and_checks_the_packages():
    script = (ROOT / ".ci" / "run").read_text()
    assert "PIP_CONSTRAINT" in script
    assert "tools/check_packages.py" in script
