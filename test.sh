#!/usr/bin/env bash
# Builds everything and runs every test: unit tests and model tests in a release build and under
# AddressSanitizer and UndefinedBehaviorSanitizer, a minute of fuzzing, the installed package, the
# order of the rooms, the format of the code, and clang-tidy without its analyzer.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
cd "$root"
. scripts/setup.sh

install_packages build test
failed=()

step() {
  local name=$1
  shift
  say "== $name"
  "$@" || failed+=("$name")
}

run_ctest() { ctest --test-dir "$1" -j "$(nproc)" --output-on-failure --progress; }

# Every libFuzzer target for a minute, side by side. What a run adds stays out of the seed corpus.
fuzz() {
  local program name pids=() status=0
  for program in build-sanitize/*_fuzz; do
    [ -x "$program" ] || continue
    name=$(basename "$program")
    mkdir -p "build-sanitize/corpus/$name"
    "$program" -max_total_time="${FUZZ_SECONDS:-60}" -timeout=10 -rss_limit_mb=2048 \
      -artifact_prefix="build-sanitize/$name-" "build-sanitize/corpus/$name" tests/corpus \
      >"build-sanitize/$name.log" 2>&1 &
    pids+=("$!:$name")
  done
  [ ${#pids[@]} -gt 0 ] || { say "there is no fuzz target"; return 1; }
  for program in "${pids[@]}"; do
    if wait "${program%%:*}"; then
      tail -n 1 "build-sanitize/${program#*:}.log"
    else
      status=1
      tail -n 40 "build-sanitize/${program#*:}.log"
    fi
  done
  return $status
}

configure build -DCMAKE_BUILD_TYPE=Release -DCRADLE_UNITY=ON -DCRADLE_TESTS=ON \
  -DCRADLE_WERROR=ON
touch build/.built.new
build build all
mv build/.built.new build/.built
step "tests, release" run_ctest build

# One build by clang serves both: a second compiler, the sanitizers, and the fuzz targets.
configure build-sanitize -DCMAKE_BUILD_TYPE=Sanitize -DCRADLE_UNITY=ON -DCRADLE_SANITIZE=ON -DCRADLE_FUZZ=ON \
  -DCRADLE_WERROR=ON \
  -DCRADLE_TESTS=ON -DCMAKE_CXX_COMPILER=clang++
build build-sanitize all
step "tests, sanitizers" run_ctest build-sanitize
step "fuzz" fuzz
step "format" bash scripts/format.sh --check
step "tidy" bash scripts/tidy.sh --quick

if [ ${#failed[@]} -gt 0 ]; then
  say "failed: ${failed[*]}"
  exit 1
fi
say "all tests passed"
