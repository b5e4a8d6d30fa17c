"""Questions from files: those of SQuAD as they are, others made from converted data sets."""

import random
from collections.abc import Sequence
from pathlib import Path

from factable.errors import DataError, Fault
from factable.io.read import iter_examples
from factable.text.questions import Questions
from factable.train.qa.asked import Asked
from factable.train.qa.squad import cut_passages, read_squad
from factable.train.qa.synthetic import QuestionMaker, passages_of


def questions_of(
    files: Sequence[str], questions: Questions, *, per_text: int, most: int, seed: int
) -> dict[str, list[Asked]]:
    """The questions of each file, by its name; `most` are taken at random where there are more."""
    return {file: _from_file(file, questions, per_text, most, seed) for file in files}


def is_squad(file: str) -> bool:
    """Whether a file, by its name, is one of SQuAD's: JSON in one piece, perhaps compressed."""
    return ".json" in Path(file).suffixes


def _from_file(file: str, questions: Questions, per_text: int, most: int, seed: int) -> list[Asked]:
    draw = random.Random(seed)  # noqa: S311
    if is_squad(file):
        found = list(cut_passages(read_squad(file), draw))
    else:
        passages = passages_of(list(iter_examples(file, need_text=False)))
        found = list(QuestionMaker(passages, questions, seed=seed).questions(per_text))
    if not found:
        remedy = "give converted data sets with references, or files of SQuAD"
        raise DataError([Fault(file, None, "no questions can be made of it", remedy)])
    return draw.sample(found, most) if len(found) > most else found
