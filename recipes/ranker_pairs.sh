#!/bin/sh
# Trains the two encoders of the ranking paper: sh recipes/ranker_pairs.sh DATA OUT [options of factable train ranker]
# Then: ranking(ranker="OUT", compat="paper").
set -eu
data=$1
out=$2
shift 2
sh "$(dirname "$(realpath "$0")")/ranker.sh" "$data" "$out" --objective pairs --epochs 4 --rate 2e-5 \
    --about "all-MiniLM-L6-v2 trained on labelled pairs of WebNLG 2017" "$@"
