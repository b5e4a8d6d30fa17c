"""How much outside data may ask of us: far more than real data does, and no more than any machine has.

docs/hostile-input.md has the same numbers, and a test compares.
"""

from factable.io.malformed import Malformed
from factable.types import Example

# One line of JSON lines or CSV, which is one example.
MAX_LINE_BYTES = 16 << 20
# What has to be in memory whole: a JSON list, a file of weights.
MAX_DOCUMENT_BYTES = 512 << 20
# Configuration and patterns, which people write by hand; the parser of the standard library is slow.
MAX_TOML_BYTES = 1 << 20
MAX_TOML_DOTS = 200
# Compressed files: up to so many bytes anything goes, beyond them the content may be so many times as large.
FREE_BYTES = 64 << 20
MAX_RATIO = 200
MAX_TEXT = 1_000_000
MAX_RECORDS = 100_000
MAX_NESTING = 100
# Names that are put together from names above them: a long one would be copied into every record.
MAX_NAME = 1000
# Fields of an object of ours: it has eight, and perhaps some of the user's own.
MAX_FIELDS = 1000

# No line that is shorter can break a limit on what is in an example.
SHORT_LINE_BYTES = 2 * MAX_RECORDS


def check_size(example: Example) -> Example:
    """The example, unless it is larger than any metric should be asked to read."""
    if len(example.table.records) > MAX_RECORDS:
        raise Malformed(f"more than {MAX_RECORDS} records", "split the data into several examples")
    for text in (example.text, *example.references):
        if len(text) > MAX_TEXT:
            found = f"a text or reference of {len(text)} characters"
            raise Malformed(found, f"split it; {MAX_TEXT} characters are the most")
    return example


def check_name(name: str) -> str:
    """The name of an attribute, unless it is so long that copies of it would fill the memory."""
    if len(name) > MAX_NAME:
        raise Malformed(f"an attribute whose name has {len(name)} characters", f"{MAX_NAME} are the most")
    return name
