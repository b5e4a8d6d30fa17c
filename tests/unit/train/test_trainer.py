"""The training loop: it learns, resumes to the same weights, keeps the best epoch and stops early."""

from itertools import count

import pytest

from factable.errors import UsageError
from factable.train.checkpoint import Validation
from factable.train.trainer import Schedule, group_by_length, pad_rows, plan_batches, train_model

torch = pytest.importorskip("torch")
SCHEDULE = Schedule(0.1, epochs=3, warm_up=0.2, save_every=3, seed=7)
NUMBERS = torch.arange(20.0)[:, None] / 20


class Line(torch.nn.Module):
    """A line with dropout, with weights of two names, and one that is not trained."""

    def __init__(self, dropout=0.2):
        super().__init__()
        torch.manual_seed(0)
        self.line = torch.nn.Linear(1, 1)
        self.same_line = self.line
        self.dropout = torch.nn.Dropout(dropout)
        self.frozen = torch.nn.Parameter(torch.ones(1), requires_grad=False)

    def forward(self, numbers):
        return self.line(self.dropout(numbers)) * self.frozen


class StoppedError(Exception):
    """Somebody pressed Ctrl-C."""


def run(work, schedule=SCHEDULE, *, log=lambda _: None, scores=None, settings=None, dropout=0.2):
    """Learn y = 2x - 1; validations give `scores`, or none."""
    model = Line(dropout)

    def batches(epoch):
        return plan_batches([1] * len(NUMBERS), 4, epoch)

    def loss(indices):
        return ((model(NUMBERS[indices]) - (2 * NUMBERS[indices] - 1)) ** 2).mean()

    values = iter(scores or ())
    result = train_model(
        model,
        batches,
        loss,
        schedule,
        work,
        settings=settings or {"rate": schedule.learning_rate},
        threads=1,
        log=log,
        validate=(lambda: Validation(score := next(values), f"score {score}")) if scores else None,
    )
    return model, result


def same_weights(model, other):
    return all(torch.equal(value, other.state_dict()[name]) for name, value in model.state_dict().items())


def test_it_learns(tmp_path):
    lines = []
    model, result = run(tmp_path, Schedule(0.1, epochs=60), log=lines.append, dropout=0.0)
    assert model.line.weight.item() == pytest.approx(2, abs=0.1)
    assert not model.training
    assert result.history == []
    assert lines[0] == "300 steps, from step 0"
    first, last = (float(line.split("loss ")[1].split(",")[0]) for line in (lines[1], lines[-1]))
    assert last < first / 4
    assert lines[-1].startswith("step 300 of 300: loss ")


# Steps 1 to 5 are the first epoch; validations come before training and after steps 5, 10 and 15.
@pytest.mark.parametrize("moment", ["untrained", "step 3 ", "step 6 ", "epoch 1:", "epoch 2:", "step 15 "])
def test_a_stopped_run_resumes_to_the_same_weights(tmp_path, moment):
    scores = [0, 1, 2, 3]
    whole, result = run(tmp_path / "whole", scores=scores)
    seen = []

    def stop(line):
        seen.append(line)
        if line.startswith(moment):
            raise StoppedError

    with pytest.raises(StoppedError):
        run(tmp_path / "stopped", log=stop, scores=scores)
    validated = sum(line.startswith(("untrained", "epoch")) for line in seen)
    lines = []
    resumed, again = run(tmp_path / "stopped", log=lines.append, scores=scores[validated:])
    assert same_weights(whole, resumed)
    assert again.history == result.history
    if moment.startswith("step"):
        assert lines[0] == f"15 steps, from step {moment.split()[1]}"
    # Nothing is left to do the third time.
    lines.clear()
    finished, _ = run(tmp_path / "stopped", log=lines.append, scores=[None])
    assert lines == ["15 steps, from step 15"]
    assert same_weights(whole, finished)


def test_killed_while_saving_it_resumes_from_the_checkpoint_before(tmp_path, monkeypatch):
    whole, _ = run(tmp_path / "whole")
    saves = count()
    replace = type(tmp_path).replace

    def fail_at_the_second(self, target):
        if next(saves) == 1:
            raise StoppedError
        return replace(self, target)

    monkeypatch.setattr(type(tmp_path), "replace", fail_at_the_second)
    with pytest.raises(StoppedError):
        run(tmp_path / "killed")
    monkeypatch.undo()
    lines = []
    resumed, _ = run(tmp_path / "killed", log=lines.append)
    assert lines[0] == "15 steps, from step 3"
    assert same_weights(whole, resumed)
    assert sorted(path.name for path in (tmp_path / "killed").iterdir()) == [
        "checkpoint.json",
        "step-15.safetensors",
    ]


@pytest.mark.parametrize(("scores", "best"), [([0, 3, 1, 2], 1), ([5, 1, 2, 3], 0), ([0, 1, 3, 3], 3)])
def test_the_best_epoch_is_kept(tmp_path, scores, best):
    model, result = run(tmp_path, scores=scores)
    assert result.best_epoch == best
    assert [validation.score for validation in result.history] == scores
    expected = run(tmp_path / "shorter", scores=[0, 1, 2, 3])[0] if best == 3 else Line()
    assert same_weights(model, expected) == (best in (0, 3))


def test_it_stops_when_nothing_improves(tmp_path):
    schedule = Schedule(0.1, epochs=50, warm_up=None, patience=2)
    lines = []
    _, result = run(tmp_path, schedule, log=lines.append, scores=[0, 2, 1, 1])
    assert result.best_epoch == 1
    assert lines[-1] == "epoch 3: score 1"


def test_checkpoints_of_another_training_are_refused(tmp_path):
    run(tmp_path)
    with pytest.raises(UsageError, match=r"holds checkpoints of another training \(rate 0.1, now 0.2\)"):
        run(tmp_path, settings={"rate": 0.2})
    with pytest.raises(UsageError, match=r"another training \(steps 15, now 5\); remove it, or choose"):
        run(tmp_path, Schedule(0.1))


def test_batches_have_every_row_once():
    lengths = [number % 50 for number in range(5000)]
    batches = plan_batches(lengths, 32, 0)
    assert sorted(index for batch in batches for index in batch) == list(range(5000))
    spreads = [max(lengths[i] for i in batch) - min(lengths[i] for i in batch) for batch in batches]
    assert sum(spread <= 2 for spread in spreads) > 0.9 * len(batches)
    assert plan_batches(lengths, 32, 0) == batches
    assert plan_batches(lengths, 32, 1) != batches


def test_groups_for_inference_are_sorted_by_length():
    assert group_by_length([3, 1, 2], 2) == [[1, 2], [0]]
    assert group_by_length([], 2) == []


def test_rows_are_padded_to_few_widths():
    assert pad_rows([[1, 2], [3]], value=9, multiple=1).tolist() == [[1, 2], [3, 9]]
    assert pad_rows([[1] * 33]).shape == (1, 64)
    assert pad_rows([[1] * 32]).shape == (1, 32)
