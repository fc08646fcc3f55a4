#!/usr/bin/env bash
# scripts/check_layers accepts includes that point down and types of different names, and says which are not so.
set -euo pipefail
check=$(cd "$(dirname "$0")/.." && pwd)/scripts/check_layers
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

file() { mkdir -p "$(dirname "$tree/src/fovea/$1")" && printf '%s\n' "${@:2}" >"$tree/src/fovea/$1"; }
accepts() { "$check" "$tree" >"$tree/said" || { cat "$tree/said"; echo "refused: $1"; exit 1; }; }
refuses() {  # LINE...: exactly these lines are said
  if "$check" "$tree" >"$tree/said"; then echo "accepted: $1"; exit 1; fi
  diff "$tree/said" <(printf '%s\n' "$@")
}

file base/error.h '#include <string>'
file kernels/exp-inl.h '#include "fovea/base/error.h"'
file kernels/softmax.cc '#include "fovea/kernels/exp-inl.h"' '// #include "fovea/cli/run.h"'
file attention/attend.cc '  # include "fovea/kernels/exp-inl.h"' '#include "fovea/autograd/var.h"'
file io/npy.cc '#include "fovea/autograd/var.h"'
file data/mnist.cc '#include "fovea/io/npy.h"'
file training/adam.cc '#include "fovea/data/batch.h"' '#include "fovea/models/translator.h"'
accepts "includes that point down"

file tensor/tensor.h '#pragma once' '#include "fovea/autograd/var.h"'
refuses "src/fovea/tensor/tensor.h:2: 'tensor' may not include 'fovea/autograd/var.h' (it may include base kernels)"

file tensor/tensor.h '#include "fovea/kernels/exp-inl.h"'
refuses "src/fovea/tensor/tensor.h:1: 'tensor' may not include 'fovea/kernels/exp-inl.h' (-inl.h files are compiled once per instruction set, only in kernels and attention)"

file tensor/tensor.h '#include "../base/error.h"'
refuses "src/fovea/tensor/tensor.h:1: include '../base/error.h' by its full path, \"fovea/...\""
rm "$tree/src/fovea/tensor/tensor.h"

file layers/linear.h '#include "fovea/data/batch.h"'
file base/error.h '#include <fovea/base/index.h>' '#include <fovea/tensor/tensor.h>'
refuses "src/fovea/base/error.h:2: 'base' may not include 'fovea/tensor/tensor.h' (it may include only itself)" \
  "src/fovea/layers/linear.h:1: 'layers' may not include 'fovea/data/batch.h' (it may include base kernels tensor autograd attention)"
rm -r "$tree/src/fovea/layers"
file base/error.h ''

file utils/misc.h ''
refuses "src/fovea/utils/misc.h:1: folder 'utils' has no place in scripts/check_layers; add it to the table"
rm -r "$tree/src/fovea/utils"

file base/box.h 'namespace fovea {' 'struct Box {' '};' 'class Lid;'
file kernels/box.h 'namespace fovea::kernels {' 'struct Box {' '};'
file tensor/lid.h 'namespace fovea {' 'class Lid {' '};'
accepts "the same name in another namespace"
file tensor/lid.h 'namespace fovea {' 'enum class Box { kOpen };'
refuses "src/fovea/tensor/lid.h:2: fovea::Box is defined in src/fovea/base/box.h as well; give one of them another name"
