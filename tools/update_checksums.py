"""Writes the sha256 of every data file that ships into checksums.py; run it after changing one."""

import hashlib
import sys
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "src" / "factable"
OUT = PACKAGE / "models" / "runtime" / "checksums.py"
# Folders of models have manifests with a checksum of each file; here are those of the manifests.
PATTERNS = (
    "data/*/*.bin",
    "data/*/*.json",
    "data/*/*.safetensors",
    "data/*/*.toml",
    "data/everyday/*/*.toml",
    "data/models/*/manifest.json",
)
HEAD = '''"""The sha256 of every data file that ships; written by tools/update_checksums.py."""

CHECKSUMS = {
'''


def content() -> str:
    """The module, as it should be."""
    paths = sorted({path for pattern in PATTERNS for path in PACKAGE.glob(pattern)})
    lines = [
        f'    "{path.relative_to(PACKAGE).as_posix()}": "{hashlib.sha256(path.read_bytes()).hexdigest()}",\n'
        for path in paths
    ]
    return HEAD + "".join(lines) + "}\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        if OUT.read_text() != content():
            sys.exit(f"{OUT.name} is out of date; run: python tools/update_checksums.py")
    else:
        OUT.write_text(content())
