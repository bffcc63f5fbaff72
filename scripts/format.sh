#!/usr/bin/env bash
# clang-format on every source file; --check changes nothing and fails if one is not in the style.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
mode=(-i)
[ "${1:-}" = --check ] && mode=(--dry-run --Werror)
find src include tests bench examples -name '*.cpp' -o -name '*.hpp' | sort |
  xargs clang-format "${mode[@]}"
