#!/usr/bin/env bash
# clang-tidy on the files named, or on every source file that is not a test. It needs no build: the
# flags are its own, since those of another compiler, with its precompiled headers, are not for clang.
#   --quick    without the analyzer and two more checks that take most of the time, and a whole floor
#              of src/ at once, so that the headers they share are read only once: about two minutes
#   --floor F  the same for one of them, such as core
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."
flags=(-std=c++20 "-I$PWD/src" "-I$PWD/include" -isystem /usr/include/eigen3
  -isystem /usr/include/suitesparse -DFMT_SHARED
  -DCRADLE_MACHINE_CODE -DASMJIT_STATIC '-DCRADLE_VERSION="tidy"')
read -ra found <<<"$(pkg-config --cflags-only-I librsvg-2.0 cairo 2>/dev/null || true)"
flags+=("${found[@]}")
config=$PWD/.clang-tidy

# Left to the nightly run: the analyzer, and what looks at every declaration of every header.
quick='-clang-analyzer-*,-performance-unnecessary-value-param,-bugprone-reserved-identifier'
quick+=',-bugprone-suspicious-include'  # sources are included here

sources() { find "$@" -name '*.cpp' | grep -vE '_(test|fuzz)\.cpp$' | LC_ALL=C sort; }

# look FILE…: as one source. Where they cannot be one, because two of them give different things the
# same name, each half is looked at by itself; an error of a single file is one.
look() {
  local unit status=0
  unit=$(mktemp --suffix=.cpp -p "$scratch")
  printf "#include \"$PWD/%s\"\n" "$@" >"$unit"
  clang-tidy --quiet --config-file="$config" --checks="$quick" "$unit" -- "${flags[@]}" \
    >"$unit.log" 2>&1 || status=1
  if [ $# -gt 1 ] && grep -q '\[clang-diagnostic-error' "$unit.log"; then
    status=0
    look "${@:1:$# / 2}" || status=1
    look "${@:$# / 2 + 1}" || status=1
  elif [ $status -ne 0 ]; then
    grep -vE '^[0-9]+ warnings? (generated|treated as error)' "$unit.log" || true
  fi
  return $status
}

case ${1:-} in
  --quick)  # the longest first, so that none is left over for the end
    du -s --apparent-size src/*/ | sort -rn | cut -f 2 | cut -d / -f 2 |
      xargs -P "$(nproc)" -I{} bash scripts/tidy.sh --floor {}
    exit
    ;;
  --floor)
    scratch=$(mktemp -d)
    trap 'rm -rf "$scratch"' EXIT
    mapfile -t files < <(sources "src/$2")
    look "${files[@]}"
    exit
    ;;
esac

if [ $# -gt 0 ]; then
  files=("$@")
else
  mapfile -t files < <(sources src)
fi
printf '%s\0' "${files[@]}" |
  xargs -0 -P "$(nproc)" -I{} clang-tidy --quiet {} -- "${flags[@]}"
