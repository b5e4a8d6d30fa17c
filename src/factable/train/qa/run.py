"""All of it: questions, training, export, figures, card; what is done already is not done again."""

from collections.abc import Sequence
from pathlib import Path

from factable.models.questions import load_questions
from factable.train.nli.run import find_base
from factable.train.qa.asked import Asked
from factable.train.qa.corpus import questions_of
from factable.train.qa.export import best_temperature, export, measure, reply, tell, write_card
from factable.train.qa.model import load_reader
from factable.train.qa.settings import Settings
from factable.train.qa.training import encode, loss_of
from factable.train.steps import Log, Schedule, train_steps

MOST_HELD_OUT = 3000


def train_qa(
    files: Sequence[str],
    held_out: Sequence[str],
    base: Path | None,
    out: Path,
    settings: Settings,
    *,
    questions: str,
    about: str,
    threads: int,
    log: Log,
) -> None:
    """Train a model into a folder; its checkpoints are beside it, in `OUT.work`."""
    base = find_base(base)
    asking = load_questions(questions)
    made = questions_of(files, asking, per_text=settings.per_text, most=settings.most, seed=settings.seed)
    for name, some in made.items():
        log(f"{name}: {len(some):,} questions, {_share(some):.0%} without an answer")
    encoded = encode(base, [one for some in made.values() for one in some], settings.most_tokens)
    schedule = Schedule(settings.rate, settings.warm_up, settings.batch, settings.seed, settings.every)
    work = out.with_name(out.name + ".work")
    trained = train_steps(
        load_reader(base, seed=settings.seed), encoded, loss_of, schedule, work, threads=threads, log=log
    )
    export(trained.model, base, out, about=about)
    tried = questions_of(held_out, asking, per_text=1, most=MOST_HELD_OUT, seed=settings.seed + 1)
    answers = {name: reply(out, some) for name, some in tried.items()}
    figures = {name: measure(some, answers[name]) for name, some in tried.items()}
    for name, one in figures.items():
        log(f"{name}: {one}")
    if tried:
        together = [one for some in tried.values() for one in some]
        temperature = best_temperature(together, [one for some in answers.values() for one in some])
        log(f"temperature {temperature}")
        tell(out, about, temperature)
    write_card(out, settings, made, figures, trained.minutes)


def _share(some: Sequence[Asked]) -> float:
    return sum(one.answer is None for one in some) / len(some)
