#!/usr/bin/env bash
# read_pages.sh [CRADLE]: makes docs/read, the pages in plain Markdown with their pictures, for where
# nothing is built. The test `site` shows that they are not stale.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
cradle=${1:-$root/build/cradle}
site=$(mktemp -d)
trap 'rm -rf "$site"' EXIT
node "$root/web/site/build.mjs" --cradle "$cradle" --out "$site/site" --read write
