"""The study of Garneau and Lamontagne (2021): its tables on a few texts, and what holds on all ratings."""

import numpy as np
import pytest

from factable.core.registry import parse
from helpers.paths import DATA
from studies.page import PAGES, filled
from studies.ranking import make_tables, read_training_set
from studies.ranking_choices import make_tables as make_choices
from studies.ranking_choices import read_test_set, write_pool
from studies.webnlg2017 import REFERENCES, read_ratings

pytestmark = pytest.mark.data("webnlg2017")


def test_the_page_has_a_place_for_every_table():
    tables = make_tables(DATA, jobs=1, max_texts=40)
    page = filled((PAGES / "ranking.md").read_text(), tables)
    assert all(table in page for table in tables.values())


def test_the_page_of_choices_has_a_place_for_its_table():
    tables = make_choices(DATA, jobs=1, max_texts=40)
    page = filled((PAGES / "ranking_choices.md").read_text(), tables)
    assert all(table in page for table in tables.values())


def agreement(spec):
    """What gold texts get; mean difference by team and Pearson's r by text, over outputs that are there."""
    examples = [example for example in read_ratings(DATA) if example.text.strip()]
    values = np.array(parse(spec).score(examples).values)
    rating = np.array([example.human["semantics"] for example in examples]) / 3
    teams = np.array([example.system for example in examples])
    differences = [
        abs(values[teams == team].mean() - rating[teams == team].mean()) for team in sorted(set(teams))
    ]
    gold = values[teams == REFERENCES].mean()
    return gold, float(np.mean(differences)), np.corrcoef(values, rating)[0, 1]


def test_the_metric_of_the_paper_is_near_the_published_figures(tmp_path):
    """Like with like: ten teams, ratings divided by 3, only outputs that are there."""
    write_pool(read_test_set(DATA, tmp_path), tmp_path / "pool.jsonl")
    gold, difference, by_text = agreement(f'ranking(compat="paper", pool="{tmp_path / "pool.jsonl"}")')
    assert gold == pytest.approx(0.88, abs=0.05)
    assert difference == pytest.approx(0.09, abs=0.05)
    assert by_text == pytest.approx(0.47, abs=0.06)


def test_only_values_of_the_training_set_are_made_up(tmp_path):
    write_pool(read_training_set(DATA, tmp_path), tmp_path / "training.jsonl")
    examples = [example for example in read_ratings(DATA) if example.system == "adapt"]
    specs = (
        f'ranking(ranker="bm25", compat="paper"{more})'
        for more in ("", f', training="{tmp_path / "training.jsonl"}"')
    )
    everywhere, in_training = (parse(spec).score(examples).corpus_parts["hallucination"] for spec in specs)
    assert 0 < in_training < everywhere


def test_rankings_by_words_in_common_agree_with_people_too():
    gold, _, by_text = agreement('ranking(ranker="bm25", mean="arithmetic")')
    assert gold > 0.88
    assert by_text > 0.4
