#!/bin/sh
# Trains the embedded model that marks words: sh recipes/marks.sh DATA OUT [options of factable train marks]
# DATA has the folder llm with texts in which people marked errors. The encoder starts from the NLI model in the folder
# NLI, by default the embedded one. Made-up records (EVERYDAY of them, by default 1750) and checkpoints go beside OUT. Run
# again to resume.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
work="$out.data"
mkdir -p "$work"
embedded=$(python3 -c 'from factable.models.runtime.manifest import embedded_folder; print(embedded_folder("nli"))')

factable train everyday --part train --count "${EVERYDAY:-1750}" --seed 11 "$work/everyday.jsonl"
factable train marks "$data/llm/ragtruth.jsonl.gz" "$data/llm/quintd.jsonl.gz" "$data/llm/span_annotation.jsonl.gz" \
    "$data/llm/freshtab.jsonl.gz" "$data/llm/rotowire_acc.jsonl.gz" "$work/everyday.jsonl" "$out" --start "${NLI:-$embedded}" \
    --about "marks words that data does not support; all-MiniLM-L6-v2, from the embedded NLI model" "$@"

cat >>"$out/CARD.md" <<'END'

## Conditions of use

The encoder is all-MiniLM-L6-v2 (Apache-2.0), and starts from the embedded NLI model, whose conditions it inherits (see
its card; WebNLG 2017 is CC BY-NC-SA 4.0: not for commercial use). Texts with marks by people: RAGTruth, Quintd-1, the
span annotations of LLM texts and FreshTab (MIT), the RotoWire accuracy task (CC0). Everyday records are made up.

## What it cannot do

It reads English and, beside a sentence, at most 60 words of the data, chosen by shared words and numbers. It computes
nothing: sums, counts and comparisons are checked by rules. People agree only in part on such marks (character F1 of two
people about .35), and the model learns their habits with these kinds of data. It is one of several kinds of evidence
in the ledger; its marks alone are no verdict.
END
