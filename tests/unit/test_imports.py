"""Which way imports point, that they run in no circle, what importing costs, and what is public."""

import ast
import os
import subprocess
import sys
from collections import defaultdict
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import factable

PACKAGE = Path(factable.__file__).parent
MAX_LINES = 600
HEAVY = {"torch", "transformers", "ray", "pyarrow", "onnxruntime", "rich", "pandas", "polars", "numpy"}
HEAVY |= {"orjson", "click", "sacrebleu", "zstandard", "matplotlib", "tokenizers", "starlette", "uvicorn"}
# From the ground up: a room sees the rooms below it, and itself. A room that is missing here fails the test.
FLOORS = (
    {"_version", "errors", "types"},
    {"io", "kernels", "stats", "text"},
    {"models", "structure"},
    {"core"},
    {"metrics"},
    {"engine"},
    {"gate", "study", "train"},
    {"report"},
    {"serve"},
    {"testing", "pytest_plugin", "cli", "integrations"},
    {"__init__", "__main__"},
)
# And beside the rooms below it: reading is a hot loop, the fixture is an assertion.
ALSO = {"io": {"kernels"}, "pytest_plugin": {"testing"}}


def module_name(path):
    """`factable.io.read` for its file, `factable.io` for the file that makes it a package."""
    parts = ("factable", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts).removesuffix(".__init__")


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def room_of(module):
    """The package or module right below `factable`."""
    return module.split(".")[1] if "." in module else "__init__"


def is_for_types_only(node):
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def imports_below(node):
    """Statements that import, inside functions as well, but for those that only a type checker runs."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child
        elif is_for_types_only(child):
            for other in child.orelse:
                yield from imports_below(other)
        else:
            yield from imports_below(child)


@cache
def imported(path):
    """The modules of ours that a file imports, with the line of each."""
    seen = []
    for node in imports_below(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are written in full"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            names = [alias.name for alias in node.names]
        for name in names:
            if name.partition(".")[0] == "factable":
                seen.append((name if name in MODULES else name.rpartition(".")[0], node.lineno))
    return seen


def test_imports_point_one_way():
    floor_of = {room: number for number, floor in enumerate(FLOORS) for room in floor}
    assert {room_of(module) for module in MODULES} <= set(floor_of)
    offenders = [
        f"{path.relative_to(PACKAGE.parent)}:{line}: {room_of(module)} must not see {room_of(seen)}"
        for module, path in MODULES.items()
        for seen, line in imported(path)
        if room_of(seen) not in {room_of(module), *ALSO.get(room_of(module), ())}
        and floor_of[room_of(seen)] >= floor_of[room_of(module)]
    ]
    assert not offenders, "\n".join(offenders)


def folder_of(module):
    """The package that a module lies in; a module right below `factable` stands for itself."""
    is_package = MODULES[module].name == "__init__.py"
    return module if is_package or module.count(".") == 1 else module.rpartition(".")[0]


def are_nested(one, other):
    """Whether one package lies inside the other: to those outside they are one thing."""
    return f"{one}.".startswith(f"{other}.") or f"{other}.".startswith(f"{one}.")


@pytest.mark.parametrize("node_of", [str, folder_of, room_of], ids=["modules", "packages", "rooms"])
def test_imports_run_in_no_circle(node_of):
    graph = defaultdict(set)
    for module, path in MODULES.items():
        for seen, _ in imported(path):
            one, other = node_of(module), node_of(seen)
            if one != other and not (node_of is folder_of and are_nested(one, other)):
                graph[one].add(other)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" <- ".join(error.args[1]))


def is_compiled(path):
    """Compiled files keep together what must be compiled together."""
    return path.parent.name == "kernels" and path.name.startswith("_") and path.name != "__init__.py"


def test_modules_are_not_too_long():
    sizes = {path: len(path.read_text().splitlines()) for path in MODULES.values() if not is_compiled(path)}
    assert not {str(path): size for path, size in sizes.items() if size > MAX_LINES}


def in_a_fresh_process(script):
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(PACKAGE.parent)},
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


def test_score_loads_neither_studies_nor_statistics(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"id": "1", "data": {"a": "b"}, "text": "b", "references": ["b"]}\n')
    script = (
        "import sys\nfrom factable.cli.main import cli\n"
        f"cli.main(['score', {str(path)!r}, '-m', 'bleu', '--format', 'csv'], standalone_mode=False)\n"
        "print('\\n'.join(sys.modules))"
    )
    loaded = [name for name in in_a_fresh_process(script) if name.startswith("factable.")]
    assert "factable.report.formats" in loaded
    rooms = {name.split(".")[1] for name in loaded}
    assert not rooms & {"study", "stats", "gate", "train"}


def test_parent_from_file_to_file_loads_no_numpy(tmp_path):
    path = tmp_path / "one.jsonl"
    path.write_text('{"id": "1", "data": {"a": "b"}, "text": "b", "references": ["b"]}\n')
    command = [
        "score",
        str(path),
        "-m",
        "parent",
        "--format",
        "jsonl",
        "--out",
        str(tmp_path / "scores.jsonl"),
    ]
    script = (
        "import sys\nfrom factable.cli.main import cli\n"
        f"cli.main({command!r}, standalone_mode=False)\n"
        "print('\\n'.join(sys.modules))"
    )
    loaded = in_a_fresh_process(script)
    assert "factable.metrics.parent.metric" in loaded
    assert "numpy" not in loaded


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


def test_the_ledger_compiles_few_patterns_when_imported_and_leaves_other_metrics_alone():
    script = (
        "import re, sys\n"
        "compile, callers = re.compile, []\n"
        "def counted(*arguments):\n"
        "    callers.append(sys._getframe(1).f_globals['__name__'])\n"
        "    return compile(*arguments)\n"
        "re.compile = counted\n"
        "import factable.metrics.ledger.metric\n"
        "print(*(name for name in callers if name.startswith('factable')), '|', *sys.modules)"
    )
    words = in_a_fresh_process(script)
    patterns, modules = words[: words.index("|")], words[words.index("|") :]
    assert len(patterns) < 40, patterns
    assert not {"factable.metrics.questeval.metric", "factable.io.read", "importlib.metadata"} & {*modules}
