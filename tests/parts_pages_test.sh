#!/usr/bin/env bash
# parts_pages_test.sh CRADLE: the pages in docs/parts, with their pictures, are those that the library
# and this binary make.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
made=$(mktemp -d)
trap 'rm -rf "$made"' EXIT

node "$root/scripts/parts_pages.mjs" "$made" "$1"
cp "$root"/docs/parts/*.cradle "$made"
if ! diff -r "$root/docs/parts" "$made" >"$made.diff"; then
  head -c 2000 "$made.diff"
  rm -f "$made.diff"
  echo
  echo "docs/parts is stale: run scripts/parts_pages.mjs, look at the pages, and commit them"
  exit 1
fi
rm -f "$made.diff"
echo "docs/parts is what the library says"
