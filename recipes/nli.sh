#!/bin/sh
# Trains the embedded NLI model: sh recipes/nli.sh DATA OUT [options of factable train nli]
# DATA has the folders nli, webnlg2017 and e2e; converted files, made-up records (EVERYDAY of them, by default 5000) and
# checkpoints go beside OUT. Run again to resume.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
here=$(dirname "$(realpath "$0")")
work="$out.data"
mkdir -p "$work/converted"
ln -sfn "$data/nli" "$work/nli"

sh "$here/webnlg.sh" "$data/webnlg2017" "$work/converted"
sh "$here/e2e.sh" "$data/e2e" "$work/converted"

factable train everyday --part train --count "${EVERYDAY:-5000}" --seed 21 "$work/converted/everyday.jsonl"
factable train everyday --part test --count "${EVERYDAY:-1500}" --seed 22 "$work/converted/everyday-test.jsonl"

factable train nli "$here/nli.toml" "$out.words" --data "$work" "$@"
# Then who did what.
factable train nli "$here/relations.toml" "$out" --data "$work" --start "$out.words" "$@"
