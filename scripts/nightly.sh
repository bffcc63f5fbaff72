#!/usr/bin/env bash
# What takes too long for every change: nightly.sh [PART …]; without a part, all of them.
#
#   threads   many runs over one plan, under ThreadSanitizer
#   crossings searches for changes of truth against a sampler, and over a million periods
#             and a million ticks at which rational clocks meet
#   networks  20,000 random causal networks against the reference, run by run; 10,000 random networks
#             of diodes and contacts against exact arithmetic
#   cases     the textbook models in every unit with every solver
#   fuzz      an hour (FUZZ_SECONDS) of mutants of all models, judged by oracles, under
#             AddressSanitizer; SEED says where they begin
#   coverage  lines that the tests run, room by room; it fails where a room is below 90 %
#   tidy      clang-tidy on all sources, with the analyzer and all checks
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
cd "$root"
. scripts/setup.sh

# Libraries that are not instrumented (SUNDIALS) are called from one thread at a time each.
threads() {
  configure build-threads -DCMAKE_BUILD_TYPE=Sanitize -DCRADLE_UNITY=ON -DCRADLE_TSAN=ON \
    -DCRADLE_TESTS=ON
  local program programs=(threads_test plan_test basics_test)
  build build-threads "${programs[@]}"
  for program in "${programs[@]}"; do
    TSAN_OPTIONS="halt_on_error=1 second_deadlock_stack=1" "build-threads/$program" \
      --gtest_brief=1 || return 1
  done
}

crossings() {
  configure build-nightly -DCMAKE_BUILD_TYPE=Release -DCRADLE_UNITY=ON -DCRADLE_TESTS=ON
  build build-nightly solve_test events_test
  CRADLE_NIGHTLY=1 build-nightly/solve_test --gtest_filter='Proof.*' --gtest_brief=1 || return 1
  CRADLE_NIGHTLY=1 build-nightly/events_test --gtest_filter='Events.Rational*' --gtest_brief=1
}

networks() {
  configure build -DCMAKE_BUILD_TYPE=Release -DCRADLE_UNITY=ON -DCRADLE_TESTS=ON -DCRADLE_WERROR=ON
  build build constructive_test networks_test
  NETWORKS="${NETWORKS:-20000}" build/constructive_test --gtest_brief=1 || return 1
  NETWORKS="${NETWORKS:-10000}" SEED="${SEED:-$(date +%j)}" build/networks_test --gtest_brief=1
}

cases() {
  configure build -DCMAKE_BUILD_TYPE=Release -DCRADLE_UNITY=ON -DCRADLE_TESTS=ON -DCRADLE_WERROR=ON
  build build cases_test
  CRADLE_NIGHTLY=1 build/cases_test --gtest_filter='*AreRight*' --gtest_brief=1
}

fuzz() {
  configure build-sanitize -DCMAKE_BUILD_TYPE=Sanitize -DCRADLE_UNITY=ON -DCRADLE_SANITIZE=ON \
    -DCRADLE_TESTS=ON -DCMAKE_CXX_COMPILER=clang++
  build build-sanitize mutants_test
  mkdir -p build-sanitize/mutants
  (cd build-sanitize/mutants && SEED="${SEED:-$(($(date +%j) * 1000000))}" \
    FUZZ_SECONDS="${FUZZ_SECONDS:-3600}" ../mutants_test --gtest_brief=1)
}

# TESTS: a regular expression for ctest, to look at a part.
coverage() {
  install_packages coverage
  configure build-coverage -DCMAKE_BUILD_TYPE=Release -DCRADLE_UNITY=ON -DCRADLE_TESTS=ON \
    -DCMAKE_CXX_FLAGS="--coverage -O1"
  build build-coverage all
  find build-coverage -name '*.gcda' -delete
  ctest --test-dir build-coverage -j "$(nproc)" --progress --output-on-failure -R "${TESTS:-.}" ||
    return 1
  gcovr --root . --object-directory build-coverage --filter src/ --exclude '.*_(test|fuzz)\.cpp' \
    --gcov-ignore-parse-errors --json-summary build-coverage/summary.json >&2 || return 1
  node scripts/coverage.mjs build-coverage/summary.json
}

tidy() { bash scripts/tidy.sh; }

install_packages build test
[ $# -gt 0 ] || set -- threads crossings networks cases fuzz coverage tidy
for part in "$@"; do
  case $part in
    threads | crossings | networks | cases | fuzz | coverage | tidy) ;;
    *)
      say "there is no part $part; parts are: threads, crossings, networks, cases, fuzz, coverage, tidy"
      exit 2
      ;;
  esac
  say "== $part"
  "$part"
done
