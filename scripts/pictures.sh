#!/usr/bin/env bash
# pictures.sh [FOLDER [CRADLE]]: makes the pictures of the README from the models, into docs/pictures
# with ./cradle if nothing else is said. tests/pictures_test.sh shows that they are not stale.
set -euo pipefail
root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
folder=${1:-$root/docs/pictures}
cradle=${2:-$root/cradle}
model=$root/models/mosterman/cradle.cradle

mkdir -p "$folder"
"$cradle" plot "$model" --size 960x520 -o "$folder/cradle-plot.svg"
"$cradle" plot "$model" --at 1 --select body1.p,body2.p,body3.p,F13.e,F23.e --size 960x680 \
  -o "$folder/cradle-instant.svg"
