#!/bin/sh
# Trains the embedded question-answering model: sh recipes/qa.sh DATA OUT [options of factable train qa]
# DATA has the folders qa, webnlg2017 and e2e; converted files and checkpoints go beside OUT. Run again to resume.
# With ONLY=e2e, it learns from SQuAD and restaurants alone.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
here=$(dirname "$(realpath "$0")")
work="$out.data"
mkdir -p "$work"

sh "$here/webnlg.sh" "$data/webnlg2017" "$work"
sh "$here/e2e.sh" "$data/e2e" "$work"
# An eighth of the restaurants is enough: they are very similar.
awk 'NR % 8 == 1' "$work/e2e-train.jsonl" > "$work/e2e-part.jsonl"

set -- "$work/e2e-part.jsonl" "$out" "$@"
about="SQuAD and E2E"
[ "${ONLY:-}" = e2e ] || { set -- "$work/webnlg-train.jsonl" "$@"; about="SQuAD, WebNLG and E2E"; }
factable train qa --held-out "$data/qa/squad_dev-v1.1.json.xz" --held-out "$work/webnlg-dev.jsonl" \
    --held-out "$work/webnlg-unseen.jsonl" --held-out "$work/e2e-dev.jsonl" \
    --about "answers questions from texts and data; all-MiniLM-L6-v2 trained on $about" \
    "$data/qa/squad_train-v1.1.json.xz" "$@"

cat >>"$out/CARD.md" <<'END'

## Conditions of use

The encoder is all-MiniLM-L6-v2 (Apache-2.0). The weights were trained on data under these conditions, which they may
inherit: SQuAD 1.1 (CC BY-SA 4.0), E2E NLG (CC BY-SA 4.0) and WebNLG 2017 (CC BY-NC-SA 4.0: not for commercial use).
For commercial use train your own with ONLY=e2e. The model reads English, short texts and small tables.
END
