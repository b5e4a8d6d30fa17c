"""Limits on outside data: far above what real data needs, low enough for any machine.

docs/hostile-input.md lists the same numbers, and a test compares them.
"""

# One line of JSON lines or CSV, which is one example.
MAX_LINE_BYTES = 16 << 20
# What has to be in memory whole: a JSON list, a file of weights.
MAX_DOCUMENT_BYTES = 512 << 20
# Configuration and patterns, which people write by hand; the parser of the standard library is slow.
MAX_TOML_BYTES = 1 << 20
MAX_TOML_DOTS = 200
# Compressed files may always unpack to FREE_BYTES, beyond that to MAX_RATIO times their own size.
FREE_BYTES = 64 << 20
MAX_RATIO = 200
MAX_TEXT = 1_000_000
MAX_RECORDS = 100_000
MAX_NESTING = 100
# Objects and lists in a JSON list: each takes a hundred bytes of memory, and two in the file.
MAX_OBJECTS = 2_000_000
# Systems of a run, each a row of its tables; and systems that are compared, each with every other.
MAX_SYSTEMS = 10_000
MAX_COMPARED = 200
# Examples at the beginning of a run of which none has what a metric needs, such as references.
MAX_UNSCORABLE = 50_000
# Attribute names that are joined from nested names: a long one would be copied into every record.
MAX_NAME = 1000
# Fields of an example: eight are known, the user may have more.
MAX_FIELDS = 1000

# A shorter line cannot break a limit on the content of an example.
SHORT_LINE_BYTES = 2 * MAX_RECORDS
