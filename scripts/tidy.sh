#!/usr/bin/env bash
# clang-tidy on the files named, or on every source file that is not a test. Needs a configured build/.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find src -name '*.cpp' ! -name '*_test.cpp' ! -name '*_fuzz.cpp' | sort)
fi
printf '%s\n' "${files[@]}" | xargs -P "$(nproc)" -n 4 clang-tidy -p build --quiet
