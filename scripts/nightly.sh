#!/usr/bin/env bash
# What takes too long for every change: nightly.sh [PART …]; without a part, all of them.
#
#   threads   many runs over one plan, under ThreadSanitizer
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

install_packages build test
[ $# -gt 0 ] || set -- threads
for part in "$@"; do
  case $part in
    threads) ;;
    *)
      say "there is no part $part; parts are: threads"
      exit 2
      ;;
  esac
  say "== $part"
  "$part"
done
