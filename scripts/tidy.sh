#!/usr/bin/env bash
# clang-tidy on the files named, or on every source file that is not a test. It needs no build: the
# flags are its own, since those of another compiler, with its precompiled headers, are not for clang.
#   --quick   only on what the last commit and the working tree change, eight files at most, and
#             without the analyzer, which takes most of the time
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
flags=(-std=c++20 -Isrc -Iinclude -isystem /usr/include/eigen3 -DFMT_SHARED '-DCRADLE_VERSION="tidy"')
read -ra found <<<"$(pkg-config --cflags-only-I librsvg-2.0 cairo 2>/dev/null || true)"
flags+=("${found[@]}")
checks=()

sources() { grep -E '^src/.*\.cpp$' | grep -vE '_(test|fuzz)\.cpp$' || true; }

# Without a history, the files that were written last.
changed() {
  if git rev-parse -q --verify HEAD~1 >/dev/null 2>&1; then
    git diff --name-only --diff-filter=d HEAD~1 -- src
    git ls-files --others --exclude-standard -- src
  else
    find src -name '*.cpp' -printf '%T@ %p\n' | sort -rn | cut -d' ' -f2-
  fi | sources | awk '!seen[$0]++' | head -n 8
}

if [ "${1:-}" = --quick ]; then
  checks=(--checks='-clang-analyzer-*')
  mapfile -t files < <(changed)
elif [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(find src -name '*.cpp' | sources | sort)
fi
[ ${#files[@]} -gt 0 ] || exit 0
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -I{} clang-tidy --quiet "${checks[@]}" {} -- "${flags[@]}"
