#!/bin/sh
# Converts WebNLG 2017: sh recipes/webnlg.sh WEBNLG OUT makes OUT/webnlg-train.jsonl, OUT/webnlg-dev.jsonl and, of
# categories that are not in the training set, OUT/webnlg-unseen.jsonl.
set -eu
here=$(dirname "$(realpath "$0")")
raw="$2/webnlg"
mkdir -p "$raw"
tar -xJf "$1/challenge_data_train_dev.tar.xz" -C "$raw"
for part in train dev; do
    factable convert webnlg "$raw/challenge_data_train_dev/$part" "$2/webnlg-$part.jsonl"
done
xz -dc "$1/testdata_with_lex.xml.xz" > "$raw/test.xml"
python3 "$here/unseen.py" "$raw/test.xml" "$raw/unseen.xml"
factable convert webnlg "$raw/unseen.xml" "$2/webnlg-unseen.jsonl"
