#!/bin/sh
# Trains the embedded ranker: sh recipes/ranker.sh DATA OUT [options of factable train ranker]
# DATA has the folder webnlg2017; converted files go beside OUT. With EVERY=N, every Nth table of the training set is used.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
work="$out.data"
mkdir -p "$work"

sh "$(dirname "$(realpath "$0")")/webnlg.sh" "$data/webnlg2017" "$work"
awk "NR % ${EVERY:-1} == 0" "$work/webnlg-train.jsonl" > "$work/tables.jsonl"
factable train ranker "$work/tables.jsonl" "$out" --epochs 1 --rate 2e-4 \
    --about "all-MiniLM-L6-v2 trained to rank facts and references of WebNLG 2017" "$@"

for card in "$out/CARD.md" "$out"/*/CARD.md; do
    [ -f "$card" ] || continue
    cat >>"$card" <<'END'

## Conditions of use

The encoder is all-MiniLM-L6-v2 (Apache-2.0). The weights were trained on WebNLG 2017 (CC BY-NC-SA 4.0: not for
commercial use), whose conditions they may inherit; for commercial use train your own on other data with
`factable train ranker`, or name `embed` or `bm25`. The model reads English.
END
done
