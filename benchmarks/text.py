"""Metrics against references: examples per second on one core, and the ratio to each peer.

python benchmarks/text.py [--data ../shared/data] [--size 100000]

Two corpora: the systems of the WebNLG challenge 2017 with their 1 to 8 references (from `--data`), and
made-up examples of one reference (`--size` of them, as in benchmarks/parent.py). Ours is timed on all
examples, a peer on the first ones, as many as the line says; the best of a few runs counts, in processor
time. The largest difference of the values of those is given. What either remembers of texts it has seen is
cleared before each run. Needs the packages of the extra `test-all`.
"""

import argparse
import multiprocessing
import os
import resource
import tarfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from factable import Example, Table
from factable.core.metric import Metric
from factable.core.registry import parse
from factable.errors import UsageError
from factable.io.formats import open_format
from factable.kernels import COMPILED
from parent import make_corpus

SHARED = Path(__file__).parents[2] / "shared" / "data"
REPEATS = 3
GROWTH = (1_000, 10_000, 100_000)


class Peer(NamedTuple):
    """A program to be compared with, on at most `most` examples; its values, or one of the corpus."""

    name: str
    spec: str
    values: Callable[[Sequence[Example]], list[float]]
    most: int
    target: float
    corpus: bool = False


def rouge_score(examples: Sequence[Example]) -> list[float]:
    """ROUGE-L by Google's rouge-score."""
    from rouge_score.rouge_scorer import RougeScorer

    scorer = RougeScorer(["rougeL"])
    return [scorer.score_multi(one.references, one.text)["rougeL"].fmeasure for one in examples]


def coco_cider(examples: Sequence[Example]) -> list[float]:
    """CIDEr-D by pycocoevalcap, which splits at white space."""
    from pycocoevalcap.cider.cider_scorer import CiderScorer

    scorer = CiderScorer()
    for one in examples:
        scorer += (one.text, list(one.references))
    return list(scorer.compute_score()[1])


def _streams(examples: Sequence[Example]) -> tuple[list[str], list[list[str | None]]]:
    most = max(len(one.references) for one in examples)
    columns = [
        [one.references[index] if index < len(one.references) else None for one in examples]
        for index in range(most)
    ]
    return [one.text for one in examples], columns


def sacrebleu_bleu(examples: Sequence[Example]) -> list[float]:
    """Corpus BLEU by sacrebleu."""
    import sacrebleu

    return [sacrebleu.corpus_bleu(*_streams(examples), force=True).score]


def sacrebleu_chrf(examples: Sequence[Example]) -> list[float]:
    """Corpus chrF by sacrebleu."""
    import sacrebleu

    return [sacrebleu.corpus_chrf(*_streams(examples)).score]


def sacrebleu_ter(examples: Sequence[Example]) -> list[float]:
    """TER of each text by sacrebleu."""
    import sacrebleu

    return [sacrebleu.sentence_ter(one.text, list(one.references)).score for one in examples]


def nltk_nist(examples: Sequence[Example]) -> list[float]:
    """Corpus NIST by NLTK; with several references it takes the best one, not all together."""
    from nltk.translate.nist_score import corpus_nist

    references = [[reference.split() for reference in one.references] for one in examples]
    return [corpus_nist(references, [one.text.split() for one in examples])]


def sacrebleu_sentences(examples: Sequence[Example]) -> list[float]:
    """BLEU of each text by sacrebleu."""
    import sacrebleu

    return [sacrebleu.sentence_bleu(one.text, list(one.references)).score for one in examples]


PEERS = (
    Peer("rouge_score, ROUGE-L", 'rouge(compat="rouge-score")', rouge_score, 5_000, 20),
    Peer("pycocoevalcap, CIDEr-D", 'cider_d(compat="coco")', coco_cider, 20_000, 20),
    Peer("sacrebleu.corpus_bleu", "bleu", sacrebleu_bleu, 20_000, 1, corpus=True),
    Peer("sacrebleu.corpus_chrf", "chrf", sacrebleu_chrf, 5_000, 1, corpus=True),
    Peer("sacrebleu.sentence_bleu", "bleu", sacrebleu_sentences, 5_000, 5),
    Peer("sacrebleu.sentence_ter", "ter", sacrebleu_ter, 200, 20),
    Peer("nltk corpus_nist", 'nist(tokens="none", lowercase=False)', nltk_nist, 2_000, 10, corpus=True),
)


def read_webnlg(data: Path) -> Iterator[Example]:
    """All texts of all systems of the WebNLG challenge 2017."""
    items = list(open_format("webnlg")([str(data / "webnlg2017" / "testdata_with_lex.xml.xz")]))
    with tarfile.open(data / "webnlg2017" / "submissions.tar.xz") as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            if content is None:
                continue
            texts = content.read().decode().splitlines()
            for item, text in zip(items, texts, strict=True):
                yield Example(item.item, member.name, text, Table(()), item.references)


def forget() -> None:
    """Clear what sacrebleu's tokenisers remember, or a second run would be timed without tokenising."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a
    from sacrebleu.tokenizers.tokenizer_re import TokenizerRegexp
    from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

    TercomTokenizer.__call__.cache_clear()
    Tokenizer13a.__call__.cache_clear()
    TokenizerRegexp.__call__.cache_clear()


def best_seconds(work: Callable[[], object]) -> float:
    """The shortest of several runs, each without memories of the one before."""
    times = []
    for _ in range(REPEATS):
        forget()
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)


def compare(peer: Peer, examples: Sequence[Example]) -> None:
    """One line: rates of both, their ratio, the target, and the largest difference."""
    try:
        metric = parse(peer.spec)
    except UsageError as error:
        print(f"  {peer.name:<24} left out: {error}")
        return
    sample = examples[: peer.most]
    expected = peer.values(sample)
    peer_seconds = best_seconds(lambda: peer.values(sample))
    scores = metric.score(sample)
    found = [scores.corpus] if peer.corpus else list(scores.values)
    worst = max(abs(one - other) for one, other in zip(found, expected, strict=True))
    seconds = best_seconds(lambda: metric.score(examples))
    ours, theirs = len(examples) / seconds, len(sample) / peer_seconds
    verdict = "met" if ours / theirs >= peer.target else "MISSED"
    print(
        f"  {peer.name:<24} {ours:>11,.0f}/s   peer {theirs:>8,.0f}/s on {len(sample):>6,}   "
        f"{ours / theirs:>6,.1f} times (target {peer.target:g}: {verdict})   difference {worst:.0e}"
    )


def show_growth(examples: Sequence[Example]) -> None:
    """Rates and memory on more and more examples: a flat row of rates is linear growth."""
    sizes = [size for size in GROWTH if size <= len(examples)]
    print(f"growth on the first {', '.join(f'{size:,}' for size in sizes)}: examples/s, and megabytes on top")
    for spec in dict.fromkeys(peer.spec for peer in PEERS):
        metric = parse(spec)
        rates, peaks = [], []
        for size in sizes:
            part = examples[:size]
            rates.append(size / best_seconds(lambda metric=metric, part=part: metric.score(part)))
            peaks.append(peak_megabytes(metric, part))
        shown = "".join(f"{rate:>12,.0f}" for rate in rates) + "".join(f"{peak:>8.1f}" for peak in peaks)
        print(f"  {spec:<28}{shown}")


def peak_megabytes(metric: Metric, examples: Sequence[Example]) -> float:
    """How much more memory scoring takes at its peak, seen from a process of its own."""
    context = multiprocessing.get_context("fork")
    result = context.Queue()

    def work() -> None:
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        metric.score(examples)
        result.put((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)

    process = context.Process(target=work)
    process.start()
    megabytes: float = result.get()
    process.join()
    return megabytes


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--data", type=Path, default=SHARED)
    parser.add_argument("--size", type=int, default=100_000)
    arguments = parser.parse_args()
    print(f"compiled kernels: {COMPILED}; one of {os.cpu_count()} cores; best of {REPEATS} runs")
    if (arguments.data / "webnlg2017").is_dir():
        examples = list(read_webnlg(arguments.data))
        print(f"WebNLG 2017, {len(examples):,} texts")
        for peer in PEERS:
            compare(peer, examples)
    else:
        print(f"WebNLG 2017 left out: no folder webnlg2017 in {arguments.data}")
    corpus = list(make_corpus(arguments.size))
    print(f"made up, {len(corpus):,} texts")
    for peer in PEERS:
        compare(peer, corpus)
    show_growth(corpus)


if __name__ == "__main__":
    main()
