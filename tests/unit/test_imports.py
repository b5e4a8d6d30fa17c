"""Which way imports point (DESIGN section 3), what importing costs, and what is public."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import factable

SOURCE = Path(factable.__file__).parent
MAX_LINES = 350
HEAVY = {"torch", "transformers", "ray", "pyarrow", "onnxruntime", "rich", "pandas", "polars", "numpy"}
HEAVY |= {"orjson", "click", "sacrebleu", "zstandard", "matplotlib", "tokenizers"}
# What each room may see besides itself; a room that is missing here fails the test.
BELOW_IO = {"types", "errors", "kernels", "text"}
MAY_SEE = {
    "types": set(),
    "errors": set(),
    "kernels": {"types", "errors"},
    "text": {"types", "errors"},
    "stats": set(),
    "io": {"types", "errors", "kernels"},
    "models": BELOW_IO | {"io"},
    "extract": BELOW_IO | {"models", "io"},
    "signature": {"types", "errors", "metric", "__init__"},
    "metric": BELOW_IO | {"signature"},
    # Facts are chosen as the NLI check chooses them.
    "ledger": {"types", "errors", "io", "text", "models", "metrics"},
    # `check` takes data in any form.
    "metrics": BELOW_IO | {"models", "extract", "metric", "signature", "stats", "ledger", "io"},
    "registry": {"types", "errors", "metric", "metrics", "signature"},
}
# Workers on other machines are held to the version here.
MAY_SEE["run"] = set(MAY_SEE) | {"io", "__init__"}
MAY_SEE |= {room: set(MAY_SEE) for room in ("study", "train")}
MAY_SEE["gate"] = set(MAY_SEE) - {"study", "train"}
MAY_SEE["report"] = {*MAY_SEE, "__init__"} - {"train"}
MAY_SEE["testing"] = set(MAY_SEE) - {"train"}
MAY_SEE["pytest_plugin"] = {"testing"}
MAY_SEE |= {room: {*MAY_SEE, "__init__"} for room in ("serve", "cli", "__init__")}
MAY_SEE["__main__"] = {"cli"}


def room_of(path):
    """The package or module right below `factable`."""
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported(tree):
    """Full names of what a module imports, with the line of each."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are written in full"
            for alias in node.names:
                yield f"{node.module}.{alias.name}", node.lineno


def rooms_seen(path):
    for name, line in imported(ast.parse(path.read_text())):
        parts = name.split(".")
        if parts[0] == "factable":
            room = parts[1] if len(parts) > 1 else "__init__"
            exists = (SOURCE / room).is_dir() or (SOURCE / f"{room}.py").is_file()
            yield room if exists else "__init__", line


MODULES = sorted(SOURCE.rglob("*.py"))


def test_imports_point_one_way():
    assert len(MODULES) > 30
    offenders = []
    for path in MODULES:
        room = room_of(path)
        allowed = MAY_SEE.get(room, set()) | {room}
        offenders += [
            f"{path.relative_to(SOURCE.parent)}:{line}: {room} must not see {seen}"
            for seen, line in rooms_seen(path)
            if seen not in allowed
        ]
    assert not offenders, "\n".join(offenders)


def test_every_room_has_its_rule():
    assert {room_of(path) for path in MODULES} <= set(MAY_SEE)


def is_compiled(path):
    """Compiled files keep together what must be compiled together."""
    return path.parent.name == "kernels" and path.name.startswith("_") and path.name != "__init__.py"


def test_modules_are_short():
    sizes = {path: len(path.read_text().splitlines()) for path in MODULES if not is_compiled(path)}
    assert not {str(path): size for path, size in sizes.items() if size > MAX_LINES}


def in_a_fresh_process(script):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(SOURCE.parent)},
    ).stdout.split()


def test_importing_loads_nothing_heavy_and_changes_nothing():
    script = (
        "import sys, os, signal, gc, warnings\n"
        "def state():\n"
        "    return dict(os.environ), signal.getsignal(signal.SIGTERM), gc.isenabled(), warnings.filters[:]\n"
        "before = state()\n"
        "import factable\n"
        "assert state() == before\n"
        "print(*sys.modules)"
    )
    loaded = {name.partition(".")[0] for name in in_a_fresh_process(script)}
    assert "factable" in loaded
    assert not loaded & HEAVY


def test_help_loads_no_command():
    script = (
        "import sys\nfrom factable.cli.main import cli\n"
        "try:\n    cli.main(['--help'], standalone_mode=False)\nexcept SystemExit:\n    pass\n"
        "print('\\n'.join(sys.modules))"
    )
    loaded = {name.partition(".")[0] for name in in_a_fresh_process(script)}
    assert not loaded & (HEAVY - {"click"})


def test_public_names():
    assert factable.__all__ == sorted(factable.__all__)
    for name in factable.__all__:
        assert getattr(factable, name).__doc__, name
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = factable.nothing


def test_public_names_in_a_fresh_process():
    script = (
        "from factable import *\nimport factable\nprint(*(n for n in factable.__all__ if n not in globals()))"
    )
    assert in_a_fresh_process(script) == []
