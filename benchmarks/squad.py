"""The embedded question-answering model on SQuAD 1.1 dev, whole paragraphs: exact, F1 and questions a second.

python benchmarks/squad.py [--data ../shared/data] [--most N]

The best of the answers that people gave counts. Exact means that no word is missing or too many, case,
articles and punctuation aside.
"""

import argparse
import time
from pathlib import Path

from factable.models.qa import OnnxQa, QuestionInText
from factable.models.runtime.manifest import embedded_folder
from factable.models.runtime.progress import no_progress
from factable.text.answers import token_f1
from factable.train.qa_questions import read_squad

SHARED = Path(__file__).parents[2] / "shared" / "data"
FILE = Path("qa", "squad_dev-v1.1.json.xz")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--most", type=int)
    options = parser.parse_args()
    questions = read_squad(str(options.data / FILE))[: options.most]
    model = OnnxQa(embedded_folder("qa"))
    began = time.perf_counter()
    answers = model.answers([QuestionInText(one.question, one.context) for one in questions], no_progress)
    seconds = time.perf_counter() - began
    best = [
        max(token_f1(answer.text, text) for _, text in one.answers)
        for one, answer in zip(questions, answers, strict=True)
    ]
    found = sum(answer.answerable >= 0.5 for answer in answers) / len(answers)
    print(
        f"{len(questions):,} questions: exact {sum(value == 1 for value in best) / len(best):.3f}, ", end=""
    )
    print(f"F1 {sum(best) / len(best):.3f}, {found:.3f} said to have an answer, ", end="")
    print(f"{len(questions) / seconds:.0f} a second")


if __name__ == "__main__":
    main()
