#!/usr/bin/env bash
# package_test.sh BUILD: installs that build into a folder of its own and builds and runs the
# programs under examples/ against the installed package, as a user would.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
build=$(cd "$1" && pwd)
stage=$build/package_test

# Shows what a command said only if it fails.
quiet() {
  local said
  said=$("$@" 2>&1) || { printf "%s\n" "$said"; exit 1; }
}

rm -rf "$stage"
quiet cmake --install "$build" --prefix "$stage/installed"

# Public headers must stand alone: no third-party header, no file of the source tree.
for header in "$stage"/installed/include/cradle/*.hpp; do
  echo "#include \"cradle/$(basename "$header")\"" |
    c++ -std=c++20 -Wall -Wextra -Werror -fsyntax-only -I "$stage/installed/include" -x c++ -
done

diff -r "$root/lib/std" "$stage/installed/share/cradle/std"

for example in "$root"/examples/*/; do
  name=$(basename "$example")
  quiet cmake -S "$example" -B "$stage/$name" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_PREFIX_PATH="$stage/installed"
  quiet ninja -C "$stage/$name"
  "$stage/$name/$name" "$root/models/mosterman/cradle.cradle" >"$stage/$name.txt" || {
    echo "$name ended with status $?"
    cat "$stage/$name.txt"
    exit 1
  }
  # Table 2 of Mosterman, Simko, Zander 2013.
  for row in "F13 off, F23 on: 1 0 0 before" "F13 on, F23 on: -0.2 0.6 0.6 mythical" \
    "F13 on, F23 off: 0.1 0 0.9 pinnacle" "F13 off, F23 off: 0.1 0 0.9 real"; do
    grep -qF -- "$row" "$stage/$name.txt" || {
      echo "$name did not print: $row"
      cat "$stage/$name.txt"
      exit 1
    }
  done
done

# What the help says works anywhere, and a person finds the manual, completion and models.
installed=$stage/installed
for file in bin/cradle share/man/man1/cradle.1 share/bash-completion/completions/cradle \
  share/zsh/vendor-completions/_cradle share/fish/vendor_completions.d/cradle.fish \
  share/cradle/models/mosterman/cradle.cradle; do
  [ -s "$installed/$file" ] || { echo "$file is not installed"; exit 1; }
done
bash -n "$installed/share/bash-completion/completions/cradle"
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
(cd "$elsewhere" && quiet "$installed/bin/cradle" run models/mosterman/cradle.cradle &&
  quiet "$installed/bin/cradle" instants models/mosterman/cradle.cradle --set J_break=0.95)
completed=$(bash -c 'source "$0"; COMP_WORDS=(cradle run --unt); COMP_CWORD=2; _cradle
  echo "${COMPREPLY[*]}"' "$installed/share/bash-completion/completions/cradle")
[ "$completed" = --until ] || { echo "bash completes --unt to: $completed"; exit 1; }
if command -v cpack dpkg-deb dpkg-shlibdeps >/dev/null; then
  quiet cpack --config "$build/CPackConfig.cmake" -B "$stage/deb"
  dpkg-deb -c "$stage"/deb/*.deb >"$stage/deb.txt"
  for file in usr/bin/cradle usr/share/man/man1/cradle.1 usr/share/cradle/std/ \
    usr/share/bash-completion/completions/cradle; do
    grep -qF "./$file" "$stage/deb.txt" || { echo "the .deb lacks $file"; exit 1; }
  done
fi
echo "the installed package serves every example"
