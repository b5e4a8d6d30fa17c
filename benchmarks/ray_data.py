"""The engine `ray` against Ray Data on the same cores: PARENT of a corpus of WikiBio's shape.

python benchmarks/ray_data.py [--sizes 10000 100000] [--cpus 2]

Ray Data reads the lines (`read_text`), a pool of actors scores batches of 1,024 (`map_batches`), and values
are gathered here; our engine does the same through `factable.score`. Both use one Ray of `--cpus` CPUs, which
is running already. Actors of Ray Data are given half a CPU each, because with whole ones its reading tasks
find no CPU and nothing starts.
"""

import argparse
import logging
import os
import tempfile
import time
from pathlib import Path
from typing import Any

import factable
from factable.io.examples import write_examples
from parent import make_corpus

BATCH = 1024


class Scorer:
    """What an actor of Ray Data does with a batch of lines."""

    def __init__(self) -> None:
        from factable.core.registry import parse

        self._metric = parse("parent")

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        """The value of each line."""
        import orjson

        from factable.io.examples import make_example

        examples = [make_example(orjson.loads(line), index) for index, line in enumerate(batch["text"])]
        return {"value": list(self._metric.score(examples).values)}


def with_ray_data(file: Path, cpus: int) -> list[float]:
    """The values of all examples by way of Ray Data, in input order."""
    from ray import data
    from ray.data import ActorPoolStrategy

    context = data.DataContext.get_current()
    context.enable_progress_bars = False
    context.execution_options.preserve_order = True
    scored = data.read_text(str(file)).map_batches(
        Scorer, compute=ActorPoolStrategy(size=cpus), batch_size=BATCH, num_cpus=0.5
    )
    return [value for batch in scored.iter_batches(batch_size=None) for value in batch["value"]]


def with_our_engine(file: Path, cpus: int) -> list[float]:
    """The same by ours."""
    return list(factable.score(file, ["parent"], engine="ray", jobs=cpus)["parent"].values)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--cpus", type=int, default=2)
    asked = parser.parse_args()
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    import ray

    ray.init(
        "local",
        num_cpus=asked.cpus,
        include_dashboard=False,
        log_to_driver=False,
        logging_level=logging.ERROR,
    )
    logging.getLogger("ray.data").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "corpus.jsonl"
        for size in asked.sizes:
            write_examples(make_corpus(size), file)
            seconds, values = [], []
            for run in (with_our_engine, with_ray_data):
                began = time.perf_counter()
                values.append(run(file, asked.cpus))
                seconds.append(time.perf_counter() - began)
            assert values[0] == values[1]
            ours, theirs = seconds
            print(
                f"{size:>9,} examples: ours {ours:.2f} s, Ray Data {theirs:.2f} s: {theirs / ours:.1f} times"
            )
    ray.shutdown()


if __name__ == "__main__":
    main()
