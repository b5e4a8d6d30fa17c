"""Builds the optional compiled kernels; everything else is in pyproject.toml."""

import os

from setuptools import Extension, setup


def kernels() -> list[Extension]:
    """The extension, or none where Cython is missing or FACTABLE_PURE=1 asks for plain Python."""
    if os.environ.get("FACTABLE_PURE") == "1":
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    # Contraction to fused multiply-add would make compiled results differ from the Python twin.
    flags = [] if os.name == "nt" else ["-O3", "-ffp-contract=off"]
    fast = Extension(
        "factable.kernels._fast",
        ["src/factable/kernels/_fast.py"],
        extra_compile_args=flags,
        optional=True,
    )
    built: list[Extension] = cythonize([fast], build_dir="build/cython")  # type: ignore[no-untyped-call]
    return built


setup(ext_modules=kernels())
