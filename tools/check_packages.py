"""Builds the sdist and two wheels of it, with a compiler and without, and tries each in a clean environment.

`python tools/check_packages.py [--python PYTHON]`: with another interpreter the wheels are for that one. What
is built is thrown away, unless `--out FOLDER` keeps it.
"""

import argparse
import ast
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements" / "ci.lock"
# What has no use for the models and the packages of the tests: the kernels, reading, and spec text.
CORE = (
    "conftest.py",
    "helpers/__init__.py",
    "helpers/paths.py",
    "unit/kernels",
    "unit/io/test_data.py",
    "unit/io/test_duplicates.py",
    "unit/core/test_spec.py",
)
# This one looks into a source file that needs Cython even to say that it was not compiled.
CHOICE = "not refuses_to_run_uncompiled"
TOOLS = ("pytest", "hypothesis")
BUILD = ("setuptools>=77", "Cython>=3.1", "wheel")
# Where a compiler is looked for; a program that fails stands for none.
WITHOUT_COMPILER = {"CC": "false", "CXX": "false"}
SMOKE = ("score", str(ROOT / "examples" / "restaurants.jsonl"), "-m", "parent", "-m", "rouge", "-m", "chrf")


def run(*command: str | Path, **environment: str) -> str:
    """What a command prints; its failure is ours."""
    print("+", *map(str, command), flush=True)
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "CI")}
    done = subprocess.run(  # noqa: S603
        list(map(str, command)),
        env=kept | environment,
        cwd=tempfile.gettempdir(),
        stdout=subprocess.PIPE,
        text=True,
    )
    if done.returncode:
        sys.exit(f"{done.stdout}\nfailed: {' '.join(map(str, command))}")
    return done.stdout


def make_environment(folder: Path, python: str) -> Path:
    """A virtual environment with nothing in it; its interpreter."""
    run(python, "-m", "venv", folder)
    return folder / "bin" / "python"


def build_sdist(python: Path, folder: Path) -> Path:
    """The sdist of a clean copy: what lies about in this folder is no part of it."""
    source = folder / "source"
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],  # noqa: S607
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    for name in filter(None, listed.decode().split("\0")):
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    run(python, "-c", _BUILD_SDIST, source, folder)
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


_BUILD_SDIST = """
import os, sys
from setuptools.build_meta import build_sdist
os.chdir(sys.argv[1])
build_sdist(sys.argv[2])
"""


def build_wheel(python: Path, sdist: Path, folder: Path, **environment: str) -> Path:
    """A wheel of the sdist."""
    run(
        python,
        "-m",
        "pip",
        "wheel",
        "-q",
        "--no-deps",
        "--no-build-isolation",
        "-w",
        folder,
        sdist,
        **environment,
    )
    (wheel,) = folder.glob("*.whl")
    return wheel


def check_contents(sdist: Path, wheel: Path, *, compiled: bool) -> None:
    """Every data file is in both, compiled kernels are there or not, and no path leaves the package."""
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
        table = ast.parse(archive.read("factable/models/runtime/checksums.py"))
    with tarfile.open(sdist) as packed:
        source = [name.partition("/")[2] for name in packed.getnames()]
    shipped = next(ast.literal_eval(one.value) for one in table.body if isinstance(one, ast.Assign))
    missing = [
        name for name in shipped if f"factable/{name}" not in inside or f"src/factable/{name}" not in source
    ]
    kernels = [name for name in inside if name.endswith((".so", ".pyd"))]
    if missing or bool(kernels) is not compiled:
        sys.exit(f"{wheel.name}: missing {missing}; compiled kernels: {len(kernels)}")
    strange = [name for name in inside if not name.startswith("factable") or ".." in name]
    if strange:
        sys.exit(f"{wheel.name}: {strange[:10]}")


def try_wheel(python: Path, wheel: Path, *, compiled: bool) -> str:
    """Install it, run the core of the tests and some commands; what they print."""
    run(python, "-m", "pip", "install", "-q", "--no-deps", "--force-reinstall", wheel)
    found = run(python, "-c", "from factable import kernels; print(kernels.COMPILED)").strip()
    if found != str(compiled):
        sys.exit(f"{wheel.name}: kernels.COMPILED is {found}")
    with tempfile.TemporaryDirectory() as folder:
        for name in CORE:
            source = ROOT / "tests" / name
            target = Path(folder, "tests", name)
            target.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)
        print(
            run(python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-k", CHOICE, folder)
            .strip()
            .splitlines()[-1]
        )
    run(python, "-m", "factable", "check", "--data", "name[Blue Spice]", "--text", "Blue Spice it is.")
    return run(python, "-m", "factable", *SMOKE, "--format", "json")


def main() -> None:
    """Build, look inside, install, try; both installs must give the same numbers to the last digit."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--out", type=Path)
    parser.add_argument(
        "--unlocked", action="store_true", help="take the newest versions that the ranges allow"
    )
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        builder = make_environment(folder / "builder", given.python)
        constraint = [] if given.unlocked else ["-c", LOCK]
        run(builder, "-m", "pip", "install", "-q", *constraint, *BUILD)
        sdist = build_sdist(builder, folder)
        clean = make_environment(folder / "clean", given.python)
        shown = []
        for compiled, environment in ((True, {}), (False, WITHOUT_COMPILER)):
            wheels = folder / f"compiled-{compiled}"
            wheel = build_wheel(builder, sdist, wheels, **environment)
            check_contents(sdist, wheel, compiled=compiled)
            if not shown:
                run(clean, "-m", "pip", "install", "-q", *constraint, wheel, *TOOLS)
            shown.append(try_wheel(clean, wheel, compiled=compiled))
            if given.out:
                shutil.copytree(wheels, given.out / wheels.name, dirs_exist_ok=True)
        if shown[0] != shown[1]:
            sys.exit("compiled kernels and their twins give other numbers")
    print(f"packages are fine ({given.python})")


if __name__ == "__main__":
    main()
