#!/usr/bin/env bash
# package_test.sh BUILD: installs that build into a folder of its own and builds and runs the
# programs under examples/ against the installed package, as a user would.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
build=$(cd "$1" && pwd)
stage=$build/package_test
rm -rf "$stage"
cmake --install "$build" --prefix "$stage/installed" >/dev/null

# Public headers must stand alone: no third-party header, no file of the source tree.
for header in "$stage"/installed/include/cradle/*.hpp; do
  echo "#include \"cradle/$(basename "$header")\"" |
    c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$stage/installed/include" -x c++ -
done

for std in "$root"/lib/std/*.cradle; do
  [ ! -f "$std" ] || cmp "$std" "$stage/installed/share/cradle/std/$(basename "$std")"
done

for example in "$root"/examples/*/; do
  name=$(basename "$example")
  cmake -S "$example" -B "$stage/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$stage/installed" >/dev/null
  ninja -C "$stage/$name" >/dev/null
  "$stage/$name/$name" "$root/models/mosterman/cradle.cradle" >"$stage/$name.txt"
  diff "$example/expected.txt" "$stage/$name.txt"
done
echo "the installed package serves every example"
