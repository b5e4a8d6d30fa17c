"""CSV and Parquet in blocks of rows: read by the workers, with the values and the faults of one process."""

import csv
import json

import pytest

from factable.core.registry import parse
from factable.engine.score import score_files
from factable.errors import DataError
from factable.io.blocks import BLOCK_ROWS

COUNT = 2 * BLOCK_ROWS + 7
PARENT = parse("parent")


def make_rows():
    return [
        {
            "id": f"i{number}",
            "data": json.dumps({"name": f"Pub {number}", "area": "riverside"}),
            "text": f"Pub {number} is by\nthe river." if number % 5 else "Riverside.",
            "reference1": f"Pub {number} is at the riverside.",
        }
        for number in range(COUNT)
    ]


def write_csv(path, rows):
    with open(path, "w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_parquet(path, rows):
    pyarrow = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pyarrow.Table.from_pylist(rows), path, row_group_size=700)
    return path


@pytest.mark.parametrize("write", [write_csv, write_parquet])
def test_values_are_those_of_the_same_rows_in_a_list(tmp_path, write):
    rows = make_rows()
    listed = [
        {"id": row["id"], "data": json.loads(row["data"]), "text": row["text"]}
        | {"references": [row["reference1"]]}
        for row in rows
    ]
    expected = score_files([listed], [PARENT])
    path = write(tmp_path / f"rows.{write.__name__.removeprefix('write_')}", rows)
    sizes, here = [], []
    alone = score_files([path], [PARENT], listener=here.append)
    parallel_map = score_files([path], [PARENT], jobs=2, listener=lambda unit: sizes.append(len(unit.items)))
    assert repr(alone.scores) == repr(parallel_map.scores) == repr(expected.scores)
    assert sizes == [BLOCK_ROWS, BLOCK_ROWS, 7]
    assert sum(unit.size for unit in here) == pytest.approx(path.stat().st_size, rel=0.2)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(("write", "where"), [(write_csv, ":3692: "), (write_parquet, ": row 2051: ")])
def test_a_bad_row_is_named(tmp_path, write, where, jobs):
    rows = make_rows()
    rows[2050]["data"] = '["broken'
    path = write(tmp_path / f"rows.{write.__name__.removeprefix('write_')}", rows)
    with pytest.raises(DataError) as refused:
        score_files([path], [PARENT], jobs=jobs)
    assert str(refused.value).startswith(f"{path}{where}broken JSON")
    assert score_files([path], [PARENT], jobs=jobs, skip_bad=True).skipped.total == 1


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_file_that_breaks_off_tells_of_faults_before(tmp_path, jobs):
    path = write_csv(tmp_path / "rows.csv", make_rows()[:20])
    path.write_text(path.read_text() + 'x,"{""broken",a\ny,"never ends')
    with pytest.raises(DataError) as refused:
        score_files([path], [PARENT], jobs=jobs, skip_bad=True)
    assert [
        wanted
        for wanted, fault in zip(("cells under", "broken CSV"), refused.value.faults, strict=True)
        if wanted in fault.problem
    ] == ["cells under", "broken CSV"]
