#!/bin/sh
# Trains the two encoders of the ranking paper: sh recipes/ranker_pairs.sh DATA OUT [options of factable train ranker]
# DATA has the folder webnlg2017; the converted file goes beside OUT. Then: ranking(ranker="OUT", compat="paper").
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
work="$out.data"
mkdir -p "$work"

tar -xJf "$data/webnlg2017/challenge_data_train_dev.tar.xz" -C "$work"
factable convert webnlg "$work/challenge_data_train_dev/train" "$work/webnlg-train.jsonl"
factable train ranker "$work/webnlg-train.jsonl" "$out" --objective pairs --rate 2e-5 \
    --about "all-MiniLM-L6-v2 trained on labelled pairs of WebNLG 2017" "$@"
