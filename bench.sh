#!/usr/bin/env bash
# bench.sh [--quick] [--write]: compares what `cradle run` costs with programs written by hand and
# with other tools, in one run. Fails where answers differ, for then a time says nothing, and if a
# ratio is more than twice what docs/performance.md says.
#
#   --quick   leaves out what takes longer than some seconds
#   --write   writes the table of docs/performance.md, and its picture, instead of judging by it
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
cd "$root"

. scripts/setup.sh
install_packages build bench
build=${CRADLE_BUILD:-build}
if [ ! -x "$build/cradle" ]; then
  cmake -S . -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release >/dev/null
  ninja -C "$build" cradle_program
fi

programs=$build/by_hand
mkdir -p "$programs"
sundials="-lsundials_cvode -lsundials_nvecserial -lsundials_sunlinsolklu -lsundials_sunlinsolband
  -lsundials_sunmatrixsparse -lsundials_sunmatrixband -lklu"
for name in line gas cases; do
  if [ "bench/by_hand/$name.cpp" -nt "$programs/$name" ] ||
    [ bench/by_hand.hpp -nt "$programs/$name" ]; then
    # shellcheck disable=SC2086
    c++ -std=c++20 -O2 -I/usr/include/suitesparse "bench/by_hand/$name.cpp" -o "$programs/$name" \
      $([ "$name" = line ] && echo $sundials)
  fi
done
exec python3 bench/compare.py --cradle "$build/cradle" --by-hand "$programs" "$@"
