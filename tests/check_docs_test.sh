#!/usr/bin/env bash
# scripts/check_docs accepts pages whose links and paths exist and names every one that does not.
set -euo pipefail
check=$(cd "$(dirname "$0")/.." && pwd)/scripts/check_docs
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

accepts() { "$check" "$tree" >"$tree/said" || { cat "$tree/said"; echo "refused: $1"; exit 1; }; }
refuses() {  # LINE...: exactly these lines are said
  if "$check" "$tree" >"$tree/said"; then echo "accepted: $1"; exit 1; fi
  diff "$tree/said" <(printf '%s\n' "$@")
}

mkdir -p "$tree/docs" "$tree/scripts" "$tree/src/fovea/base"
touch "$tree/test" "$tree/scripts/setup" "$tree/src/fovea/base/error.h"
cat >"$tree/docs/tour.md" <<'PAGE'
# The tour
## One `attend()` call
See [the error](../src/fovea/base/error.h), [above](#the-tour) and [the page](../README.md#fovea).
PAGE
cat >"$tree/README.md" <<'PAGE'
# Fovea
Run `./test --all`, read `src/fovea/base/error.h:12`, `base/error.h`, `"fovea/base/error.h"`, `src/fovea/*/error.h`.
[Tour](docs/tour.md#one-attend-call), [site](https://example.org/a#b), `and/or`, `data/train.tsv`, `src/fovea/<name>/x.cc`.
```sh
scripts/setup
```
```cpp
// scripts/none is not a claim
```
PAGE
accepts "pages that name what exists"

cat >"$tree/README.md" <<'PAGE'
# Fovea
`./demo` and `scripts/none`, then `base/gone.h`; [tour](docs/gone.md).
[tour](docs/tour.md#nowhere) [line](src/fovea/base/error.h#L3) [out](../secret)
```sh
$ bench/gone --json FILE
```
`src/fovea/*_none.cc`
PAGE
sed -i '/fovea)/d' "$tree/docs/tour.md"
refuses "README.md:2: link 'docs/gone.md': there is no docs/gone.md" \
  "README.md:2: './demo' does not exist" \
  "README.md:2: 'scripts/none' does not exist" \
  "README.md:2: 'base/gone.h' does not exist" \
  "README.md:3: link 'docs/tour.md#nowhere': docs/tour.md has no heading '#nowhere'" \
  "README.md:3: link 'src/fovea/base/error.h#L3': src/fovea/base/error.h has fewer lines" \
  "README.md:3: link '../secret' leads out of the repository" \
  "README.md:5: 'bench/gone' does not exist" \
  "README.md:7: 'src/fovea/*_none.cc' does not exist"
