"""Builds the optional compiled kernels; everything else is in pyproject.toml."""

import os

from setuptools import Extension, setup

KERNELS = (
    "_cider",
    "_entailment",
    "_frequencies",
    "_lines",
    "_matches",
    "_mteval",
    "_nist",
    "_parent",
    "_reading",
    "_rouge",
    "_sequences",
    "_ter",
    "_tokens",
    "_words",
)


def kernels() -> list[Extension]:
    """The extensions, or none where Cython is missing or FACTABLE_PURE=1 asks for plain Python."""
    if os.environ.get("FACTABLE_PURE") == "1":
        return []
    try:
        from Cython.Build import cythonize
    except ImportError:
        return []
    # Contraction to fused multiply-add would make compiled results differ from the Python twin.
    flags = [] if os.name == "nt" else ["-O3", "-ffp-contract=off"]
    extensions = [
        Extension(
            f"factable.kernels.{name}",
            [f"src/factable/kernels/{name}.py"],
            extra_compile_args=flags,
        )
        for name in KERNELS
    ]
    built: list[Extension] = cythonize(  # type: ignore[no-untyped-call]
        extensions, build_dir="build/cython", include_path=["src"]
    )
    for extension in built:
        # Said here, because cythonize makes extensions of its own: an install without a compiler still works.
        extension.optional = True
    return built


setup(ext_modules=kernels())
