#!/usr/bin/env bash
# The check of the rooms finds what it is there to find.
set -euo pipefail
check=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rooms.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fresh() {
  rm -rf "${folder:?}"/*
  mkdir -p "$folder"/src/{base/basics,language/model,api} "$folder/include/cradle"
  printf 'cradle_room(base/basics)\ncradle_room(language/model)\n  cradle_room(api x)\n' >"$folder/CMakeLists.txt"
  printf '#include <vector>\n#include "cradle/b.hpp"\n' >"$folder/include/cradle/a.hpp"
  printf '#include "base/basics/x.hpp"\n#include "cradle/a.hpp"\n' >"$folder/src/language/model/m.cpp"
}

# expect TEXT: the check must fail and say this.
expect() {
  local said
  if said=$(bash "$check" "$folder"); then
    echo "not found: $1"
    exit 1
  fi
  case $said in
    *"$1"*) ;;
    *)
      printf 'expected: %s\nsaid: %s\n' "$1" "$said"
      exit 1
      ;;
  esac
}

fresh
bash "$check" "$folder" >/dev/null || { echo "a sound tree was rejected"; exit 1; }

fresh
echo '#include "language/model/m.hpp"' >"$folder/src/base/basics/x.hpp"
expect 'src/base/basics/x.hpp:1: base/basics includes "language/model/m.hpp", but language/model is below it'

fresh
echo '#include "api/a.hpp"' >"$folder/src/base/basics/x.hpp"
expect 'base/basics includes "api/a.hpp", but api is below it'

fresh
echo '#include <sundials/sundials_types.h>' >"$folder/src/language/model/s.cpp"
expect 'language/model includes <sundials/sundials_types.h>, which only core/solve may'

fresh
echo '#  include <nlohmann/json.hpp>' >"$folder/src/base/basics/j.cpp"
expect 'base/basics includes <nlohmann/json.hpp>, which only base/diagnostics theory/causality'

fresh
echo '#include <fmt/format.h>' >"$folder/include/cradle/a.hpp"
expect 'a public header includes the third-party <fmt/format.h>'

fresh
echo '#include "base/basics/ids.hpp"' >"$folder/include/cradle/a.hpp"
expect 'a public header includes "base/basics/ids.hpp"'

fresh
mkdir "$folder/src/cellar"
echo >"$folder/src/cellar/wine.cpp"
expect 'src/cellar/wine.cpp is not in the order of rooms'

fresh
echo '#include "m.hpp"' >"$folder/src/language/model/m.cpp"
expect '"m.hpp" does not start with the name of a room'

echo "the check of the rooms can fail"
