#!/bin/sh
# Trains the QA model further on who did what, for the ledger:
# sh recipes/qa_relations.sh DATA OUT [options of factable train qa]
# DATA has the folders qa, webnlg2017 and e2e. recipes/qa.sh makes the model that it starts from.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
here=$(dirname "$(realpath "$0")")
sh "$here/qa.sh" "$data" "$out.first" "$@"
work="$out.first.data"
# An eighth of SQuAD keeps it used to prose.
xz -dc "$data/qa/squad_train-v1.1.json.xz" | python3 -c "
import json, sys
squad = json.load(sys.stdin)
json.dump({'data': squad['data'][::8]}, sys.stdout)" > "$work/squad-part.json"

train() {
    factable train qa "$work/squad-part.json" "$work/webnlg-train.jsonl" "$work/e2e-part.jsonl" "$@" --relations --rate 1e-4 \
        --held-out "$data/qa/squad_dev-v1.1.json.xz" --held-out "$work/webnlg-dev.jsonl" \
        --held-out "$work/webnlg-unseen.jsonl" --held-out "$work/e2e-dev.jsonl" \
        --about "answers questions from texts and data, and tells who did what; all-MiniLM-L6-v2 trained on SQuAD, WebNLG and E2E"
}
train "$out.second" --start "$out.first" --seed 1 "$@"
train "$out" --start "$out.second" --seed 2 "$@"

{ echo; sed -n '/^## Conditions of use/,$p' "$out.first/CARD.md"; } >> "$out/CARD.md"
