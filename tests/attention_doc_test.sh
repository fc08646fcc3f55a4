#!/usr/bin/env bash
# Runs the NumPy lines of docs/attention.md as they stand, with the program of this build.
set -euo pipefail
program=$(realpath "$FOVEA_PROGRAM")
page=$(realpath "$(dirname "$0")/../docs/attention.md")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$program" "$folder/fovea"
sed -n '/^```python$/,/^```$/p' "$page" | sed '1d;$d' >"$folder/check.py"
[[ $(wc -l <"$folder/check.py") -gt 20 ]] || { echo "no lines of Python were found in $page" >&2; exit 1; }
cd "$folder"
PATH=$folder:$PATH /usr/bin/python3 check.py
# It can fail: with another mask the numbers differ.
sed -i 's/--causal --offset 2/--causal --offset 1/' check.py
if PATH=$folder:$PATH /usr/bin/python3 check.py 2>/dev/null; then echo "a wrong mask was not noticed" >&2; exit 1; fi
