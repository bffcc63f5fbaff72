#!/usr/bin/env bash
# The check of the rooms finds what it is there to find.
set -euo pipefail
check=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/rooms.sh
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

fresh() {
  rm -rf "${folder:?}"/*
  mkdir -p "$folder"/src/{base,model,report} "$folder/include/cradle"
  printf 'cradle_room(base)\ncradle_room(model)\ncradle_room(report)\n' >"$folder/CMakeLists.txt"
  printf '#include <vector>\n#include "cradle/b.hpp"\n' >"$folder/include/cradle/a.hpp"
  printf '#include "base/x.hpp"\n#include "cradle/a.hpp"\n' >"$folder/src/model/m.cpp"
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
echo '#include "model/m.hpp"' >"$folder/src/base/x.hpp"
expect 'src/base/x.hpp:1: base includes "model/m.hpp", but model is below it'

fresh
echo '#include <sundials/sundials_types.h>' >"$folder/src/model/s.cpp"
expect 'model includes <sundials/sundials_types.h>, which only solve may'

fresh
echo '#  include <nlohmann/json.hpp>' >"$folder/src/base/j.cpp"
expect 'base includes <nlohmann/json.hpp>, which only diagnostics causality hypa conform report view studio cli may'

fresh
echo '#include <fmt/format.h>' >"$folder/include/cradle/a.hpp"
expect 'a public header includes the third-party <fmt/format.h>'

fresh
echo '#include "base/ids.hpp"' >"$folder/include/cradle/a.hpp"
expect 'a public header includes "base/ids.hpp"'

fresh
mkdir "$folder/src/cellar"
expect 'src/cellar is not in the order of rooms'

fresh
echo '#include "m.hpp"' >"$folder/src/model/m.cpp"
expect '"m.hpp" does not start with the name of a room'

echo "the check of the rooms can fail"
