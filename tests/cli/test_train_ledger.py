import json

ROWS = [
    {
        "id": name,
        "data": [[name, "birthPlace", city], [name, "birthYear", year]],
        "references": [f"{name} was born in {city} in {year}."],
    }
    for name, city, year in (
        ("Ann Lee", "Oslo", "1980"),
        ("Bob Roe", "Rome", "1991"),
        ("Cy Poe", "Bern", "1975"),
    )
]


def test_it_writes_weights_that_the_ledger_takes(tmp_path, run_factable):
    source, out, texts = tmp_path / "corpus.jsonl", tmp_path / "weights.json", tmp_path / "texts.jsonl"
    source.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    result = run_factable("train", "ledger", str(source), str(out))
    assert result.returncode == 0
    assert b"texts written to" in result.stderr
    assert json.loads(out.read_text())["texts"]["original"] >= 3
    texts.write_text(json.dumps(ROWS[0] | {"text": "Ann Lee was born in Oslo."}))
    scored = run_factable("score", str(texts), "-m", f'ledger(weights="{out}")', "--format", "json")
    (metric,) = json.loads(scored.stdout)["metrics"]
    assert 0 <= metric["values"][0] <= 1
    assert "weights.json@" in metric["signature"]
