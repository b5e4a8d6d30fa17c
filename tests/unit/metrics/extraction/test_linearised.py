"""Records as lines of tokens, and back."""

from factable.metrics.extraction.pointer import delinearise_records, find_tokens, linearise_records
from factable.types import Record

RECORDS = [Record("Alan_Bean", "birthDate", "15 March 1932"), Record("", "dateOfBirth", "10.5")]


def test_records_come_back_in_small_letters():
    assert delinearise_records(linearise_records(RECORDS)) == [
        Record("alan bean", "birthDate", "15 march 1932"),
        Record("", "dateOfBirth", "10.5"),
    ]


def test_where_tokens_stand():
    text = "Born on March 15, 1932."
    start, end = find_tokens("march 15 , 1932", text)
    assert text[start:end] == "March 15, 1932"
    assert find_tokens("march 16", text) is None
    assert find_tokens("", text) is None


def test_rows_that_are_no_record_are_left_out():
    first, second = linearise_records(RECORDS[:1]), linearise_records(RECORDS[1:])
    without_value = [token for token in first if token not in ("15", "march", "1932")]
    assert delinearise_records([*without_value, *second]) == delinearise_records(second)
    # A line that is cut has no end of its last row.
    assert delinearise_records([*second, *first[:-1]]) == delinearise_records(second)
    assert delinearise_records([]) == []
