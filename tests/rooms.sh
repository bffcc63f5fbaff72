#!/usr/bin/env bash
# rooms.sh ROOT: a room (a folder under src/) may include only itself, the rooms above it in the
# order of CMakeLists.txt, and the public headers; third-party libraries stand behind their doors.
# Tests and fuzz targets may look at any room, because they drive the whole pipeline.
set -euo pipefail
root=$1
cd "$root"

mapfile -t rooms < <(sed -n 's/^cradle_room(\([a-z_]*\).*/\1/p' CMakeLists.txt)
rooms+=(cli)
declare -A rank
for i in "${!rooms[@]}"; do rank[${rooms[$i]}]=$i; done

# header prefix → rooms that may include it
declare -A doors=(
  [CLI/]="cli"
  [graphviz/]="draw"
  [librsvg/]="raster" [cairo]="raster" [gio/]="raster" [glib]="raster"
  [sundials/]="solve" [cvode/]="solve" [nvector/]="solve" [sunmatrix/]="solve"
  [sunlinsol/]="solve" [sunnonlinsol/]="solve"
  [nlohmann/]="diagnostics causality hypa conform report cli"
)

wrong=0
complain() {
  printf '%s\n' "$1"
  wrong=1
}

[ ${#rooms[@]} -gt 1 ] || complain "CMakeLists.txt names no rooms"

while IFS= read -r folder; do
  name=${folder#src/}
  [ -n "${rank[$name]:-}" ] || complain "$folder is not in the order of rooms in CMakeLists.txt"
done < <(find src -mindepth 1 -maxdepth 1 -type d | sort)

while IFS=: read -r file line text; do
  [[ $text =~ [\<\"]([^\>\"]*)[\>\"] ]] || continue
  header=${BASH_REMATCH[1]}
  first=${header%%/*}
  room=include
  case $file in src/*) room=${file#src/} room=${room%%/*} ;; esac

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
  [ "$first" = cradle ] && continue
  case $file in *_test.cpp | *_fuzz.cpp) continue ;; esac
  if [ -z "${rank[$first]:-}" ]; then
    complain "$file:$line: \"$header\" does not start with the name of a room"
  elif [ "${rank[$first]}" -gt "${rank[$room]:--1}" ]; then
    complain "$file:$line: $room includes \"$header\", but $first is below it"
  fi
done < <(grep -rnE '^[[:space:]]*#[[:space:]]*include' src include --include='*.cpp' --include='*.hpp')

[ $wrong -eq 0 ] && echo "rooms: ${rooms[*]}"
exit $wrong
