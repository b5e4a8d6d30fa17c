import json
import runpy
from pathlib import Path

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


def test_the_recipe_of_the_shipped_weights_leaves_rated_items_out(tmp_path):
    converted = tmp_path / "converted"
    converted.mkdir()
    (converted / "webnlg-unseen.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    slots = {"name": "Zizzi", "food": "Italian"}
    texts = ["Zizzi serves Italian dishes.", "Zizzi serves cheap Italian dishes.", "Zizzi is here."]
    restaurants = [
        {"id": f"{name} {food}", "data": slots | {"name": name, "food": food}, "references": [
            text.replace("Zizzi", name).replace("Italian", food) for text in texts
        ]}
        for name in ("Zizzi", "Aromi", "Cotto")
        for food in ("Italian", "French")
    ]  # fmt: skip
    (converted / "e2e-dev.jsonl").write_text("".join(json.dumps(row) + "\n" for row in restaurants))
    ratings, out = tmp_path / "ratings.jsonl", tmp_path / "weights.json"
    ratings.write_text(json.dumps(ROWS[0] | {"text": "Ann."}) + "\n")
    path = Path(__file__).parents[2] / "recipes" / "ledger.py"
    main = runpy.run_path(str(path))["main"]
    main(str(tmp_path), str(ratings), str(out))
    # Two people are left, and one reference of each restaurant.
    kinds = json.loads(out.read_text())["texts"]
    assert 8 <= kinds["original"] <= 16
    assert sum(kinds.values()) > kinds["original"]
