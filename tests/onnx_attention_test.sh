#!/usr/bin/env bash
# Every family of cases of the ONNX Attention operator, through the program of this build.
set -euo pipefail
export FOVEA_PROGRAM=$(realpath "$FOVEA_PROGRAM")
script=$(realpath "$(dirname "$0")/onnx_attention.py")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
OMP_NUM_THREADS=1 /usr/bin/python3 "$script"
