#!/usr/bin/env bash
# one_definition.sh ROOT: what an element means is said in src/language/elements and nowhere else. Other rooms
# may ask a definition for its relations, storage and causality, but not which element it is; only
# reduce knows TF and GY by name, because its rules are about them.
set -euo pipefail
cd "$1"

wrong=0
while IFS= read -r line; do
  printf 'knows an element by name: %s\n' "$line"
  wrong=1
done < <(grep -rnE '\bKind::(I|C|R|Se|Sf|TF|GY)\b' src --include='*.cpp' --include='*.hpp' |
  grep -vE '^src/(language/elements|theory/reduce)/|_test\.cpp:' || true)

# Relations of junctions, too: equal efforts or flows, and a sum.
for user in src/core/plan/block.cpp src/core/plan/island.cpp src/theory/hypa/constitutive.cpp; do
  grep -q 'elements::active_junction' "$user" || {
    echo "$user does not ask src/language/elements what a junction is"
    wrong=1
  }
done
for user in src/core/plan/block.cpp src/theory/hypa/constitutive.cpp; do
  grep -qE 'definition_?\.flow\(' "$user" || {
    echo "$user does not ask src/language/elements what an element is"
    wrong=1
  }
done
[ $wrong -eq 0 ] && echo "one definition"
exit $wrong
