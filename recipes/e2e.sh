#!/bin/sh
# Converts E2E: sh recipes/e2e.sh E2E OUT makes OUT/e2e-train.jsonl and OUT/e2e-dev.jsonl.
set -eu
# The training set is tokenised: join punctuation and prices again.
gzip -dc "$1/trainset_tokenised.tsv.gz" |
    sed -E "s/£ ([0-9])/£\1/g; s/ - /-/g; s/([0-9])- £?([0-9])/\1-\2/g; s/ ([.,;!?])/\1/g; s/ ('s|n't|'re)/\1/g; s/ref_tokenised/ref/" \
    > "$2/e2e-train.tsv"
factable convert e2e "$2/e2e-train.tsv" "$2/e2e-train.jsonl"
factable convert e2e "$1/devset.csv.xz" "$2/e2e-dev.jsonl"
