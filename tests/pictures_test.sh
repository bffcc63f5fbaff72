#!/usr/bin/env bash
# pictures_test.sh CRADLE: the pictures in docs/pictures are those that this binary makes.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

bash "$root/scripts/pictures.sh" "$made" "$1"
[ -n "$(ls "$made")" ] || { echo "scripts/pictures.sh made nothing"; exit 1; }
if ! diff -r "$root/docs/pictures" "$made" >"$made.diff"; then
  head -c 2000 "$made.diff"
  rm -f "$made.diff"
  echo
  echo "docs/pictures is stale: run scripts/pictures.sh, look at the pictures, and commit them"
  exit 1
fi
rm -f "$made.diff"
for picture in "$made"/*; do
  name=docs/pictures/$(basename "$picture")
  grep -qF "$name" "$root/README.md" || { echo "README.md does not show $name"; exit 1; }
done
echo "docs/pictures is what the models give"
