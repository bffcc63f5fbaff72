#!/usr/bin/env bash
# rooms.sh ROOT: a room (a folder under src/, on a floor with its like: src/core/engine) may include
# only itself, the rooms above it in the order of CMakeLists.txt, and the public headers; third-party
# libraries stand behind their doors. Tests and fuzz targets may look at any room, because they drive
# the whole pipeline.
set -euo pipefail
root=$1
cd "$root"

mapfile -t rooms < <(sed -n 's/^ *cradle_room(\([a-z_/]*\).*/\1/p' CMakeLists.txt)
declare -A rank
for i in "${!rooms[@]}"; do rank[${rooms[$i]}]=$i; done

# The room of a path below src/: a floor of one room is a room itself.
room_of() {
  local path=$1 first rest
  first=${path%%/*} rest=${path#*/}
  if [ -n "${rank[$first]:-}" ]; then
    room=$first
  else
    room=$first/${rest%%/*}
  fi
}

# header prefix → rooms that may include it
declare -A doors=(
  [CLI/]="app/cli"
  [graphviz/]="show/draw"
  [librsvg/]="show/raster" [cairo]="show/raster" [gio/]="show/raster" [glib]="show/raster"
  [sundials/]="core/solve" [cvode/]="core/solve" [nvector/]="core/solve" [sunmatrix/]="core/solve"
  [sunlinsol/]="core/solve" [sunnonlinsol/]="core/solve" [klu.h]="core/solve"
  [asmjit/]="core/machine"
  [httplib]="app/serve"
  [nlohmann/]="base/diagnostics theory/causality theory/hypa theory/conform show/text show/view app/studio app/cli"
  [zlib.h]="show/view"
)

wrong=0
complain() {
  printf '%s\n' "$1"
  wrong=1
}

[ ${#rooms[@]} -gt 1 ] || complain "CMakeLists.txt names no rooms"

while IFS= read -r file; do
  room_of "${file#src/}"
  [ "$file" = src/app/main.cpp ] && continue
  [ -n "${rank[$room]:-}" ] || complain "src/$room is not in the order of rooms in CMakeLists.txt"
done < <(find src -type f | sort)

while IFS=: read -r file line text; do
  [[ $text =~ [\<\"]([^\>\"]*)[\>\"] ]] || continue
  header=${BASH_REMATCH[1]}
  [ "$file" = src/app/main.cpp ] && continue
  room_of "$header"
  first=$room room=include
  case $file in src/*) room_of "${file#src/}" ;; esac

  for door in "${!doors[@]}"; do
    case $header in "$door"*) ;; *) continue ;; esac
    case $file in *_test.cpp) continue ;; esac
    case " ${doors[$door]} " in
      *" $room "*) ;;
      *) complain "$file:$line: $room includes <$header>, which only ${doors[$door]} may" ;;
    esac
  done

  if [ "$room" = include ]; then
    case $text in
      *'"cradle/'*) ;;
      *'"'*) complain "$file:$line: a public header includes \"$header\"" ;;
      *) case $header in */* | *.h)
        complain "$file:$line: a public header includes the third-party <$header>" ;; esac ;;
    esac
    continue
  fi
  case $text in *'"'*) ;; *) continue ;; esac
  case $header in cradle/*) continue ;; esac
  case $file in *_test.cpp | *_fuzz.cpp) continue ;; esac
  if [ -z "${rank[$first]:-}" ]; then
    complain "$file:$line: \"$header\" does not start with the name of a room"
  elif [ "${rank[$first]}" -gt "${rank[$room]:--1}" ]; then
    complain "$file:$line: $room includes \"$header\", but $first is below it"
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' src include --include='*.cpp' --include='*.hpp')

[ $wrong -eq 0 ] && echo "rooms: ${rooms[*]}"
exit $wrong
