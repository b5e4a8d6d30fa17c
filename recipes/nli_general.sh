#!/bin/sh
# Trains an NLI model on general pairs alone: sh recipes/nli_general.sh DATA OUT [options of factable train nli]
# DATA has the folder nli (MultiNLI, SNLI). As in the paper, the model sees neither data nor texts about data.
set -eu
data=$(realpath "$1")
out=$(realpath -m "$2")
shift 2
here=$(dirname "$(realpath "$0")")

factable train nli "$here/nli_general.toml" "$out" --data "$data" "$@"
