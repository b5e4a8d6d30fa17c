"""The hot loops: compiled if the extensions were built, else their Python twins with equal results."""

from factable.kernels import (
    cider,
    frequencies,
    lines,
    matches,
    mteval,
    nist,
    parent,
    reading,
    rouge,
    ter,
    tokens,
)

try:
    # All or none: a partly compiled install would be hard to notice.
    from factable.kernels import (
        _cider,
        _frequencies,
        _lines,
        _matches,
        _mteval,
        _nist,
        _parent,
        _reading,
        _rouge,
        _ter,
        _tokens,
    )
except ImportError:
    COMPILED = False
    count_clipped = matches.count_clipped
    count_colons = reading.count_colons
    count_each = matches.count_each
    count_lines = reading.count_lines
    count_names = reading.count_names
    fingerprints = reading.fingerprints
    flatten = reading.flatten
    flatten_rows = reading.flatten_rows
    make_records = reading.make_records
    put_keys = reading.put_keys
    read_lines = lines.read_lines
    separate = mteval.separate
    tokenize = tokens.tokenize
    count_documents = frequencies.count_documents
    count_edits = ter.count_edits
    count_occurrences = frequencies.count_occurrences
    restore_frequencies = frequencies.restore_frequencies
    score_cider = cider.score_cider
    score_parent = parent.score_parent
    score_rouge = rouge.score_rouge
    sum_information = nist.sum_information
else:
    COMPILED = True
    count_clipped = _matches.count_clipped
    count_colons = _reading.count_colons
    count_each = _matches.count_each
    count_lines = _reading.count_lines
    count_names = _reading.count_names
    fingerprints = _reading.fingerprints
    flatten = _reading.flatten
    flatten_rows = _reading.flatten_rows
    make_records = _reading.make_records
    put_keys = _reading.put_keys
    read_lines = _lines.read_lines
    separate = _mteval.separate
    tokenize = _tokens.tokenize
    count_documents = _frequencies.count_documents
    count_edits = _ter.count_edits
    count_occurrences = _frequencies.count_occurrences
    restore_frequencies = _frequencies.restore_frequencies
    score_cider = _cider.score_cider
    score_parent = _parent.score_parent
    score_rouge = _rouge.score_rouge
    sum_information = _nist.sum_information

__all__ = [
    "COMPILED",
    "count_clipped",
    "count_colons",
    "count_documents",
    "count_each",
    "count_edits",
    "count_lines",
    "count_names",
    "count_occurrences",
    "fingerprints",
    "flatten",
    "flatten_rows",
    "make_records",
    "put_keys",
    "read_lines",
    "restore_frequencies",
    "score_cider",
    "score_parent",
    "score_rouge",
    "separate",
    "sum_information",
    "tokenize",
]
