#!/usr/bin/env bash
# first_contact_test.sh CRADLE: what a beginner writes, and what is said to it. The errors of the
# language itself are in tests/syntax and tests/reject.
# shellcheck source=tests/commands.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/commands.sh"

# is STATUS EXPECTED ARGUMENT…: all that is printed, exactly.
is() {
  local wanted=$1 expected=$2 status=0 said
  shift 2
  said=$(timeout 60 "$cradle" "$@" 2>&1 </dev/null) || status=$?
  [ "$status" -eq "$wanted" ] && [ "$said" = "$expected" ] && return
  printf 'FAILED: cradle %s: status %s\n%s\n--- instead of status %s\n%s\n' "$*" "$status" "$said" \
    "$wanted" "$expected"
  failures=$((failures + 1))
}

cat >diode.cradle <<'MODEL'
model M {
  Se v(10)
  1 j
  C c(1)
  Diode d
  v -> j -> c
  j -> d.a
  until 1
}
MODEL
is 1 'error[name.unknown-component]: there is no element or component Diode
  at diode.cradle:5:3
  5 │ Diode d
    │ ^^^^^
  help: write import "std/electrical/diode.cradle" at the top of the file
diode.cradle: 1 error' check diode.cradle

# hints NAME HELP: what is said to a part of this name, which nobody has defined.
hints() {
  printf 'model M {\n  %s x(1)\n  until 1\n}\n' "$1" >part.cradle
  "$cradle" check part.cradle >part.txt 2>&1 </dev/null || true
  grep -qxF "  help: $2" part.txt ||
    { echo "FAILED: hint for $1"; cat part.txt; failures=$((failures + 1)); }
}
hints L 'did you mean Inductor? write import "std/electrical/passive.cradle" at the top of the file'
hints Resitor 'did you mean Resistor? write import "std/electrical/passive.cradle" at the top of the file'
hints SineSource 'the library has VoltageSource, SineVoltage, CurrentSource, SineCurrent (std/electrical/sources.cradle); cradle lib lists all'
hints Ground 'it is no part: the node `ground` is there: … from a to ground'
hints Nonsense 'define it, or import the file that does'

cat >endless.cradle <<'MODEL'
model Endless {
  C c(1, q = 3)
  R r(1)
  0 n
  n -> c
  n -> r
}
MODEL
is 0 'warning[until.missing]: Endless does not say when it ends
  at endless.cradle:1:7
  1 │ model Endless {
    │       ^^^^^^^
  rule: a run has an end time
  help: write until T in the model, or run it with --until T
endless.cradle: ok, 1 warning' check endless.cradle
is 2 "error: Endless does not state an end time: give --until T, or write 'until T' in the model" \
  run endless.cradle

cat >fine.cradle <<'MODEL'
model Fine {
  param mass = 2, speed = 1
  I body(mass, f = speed)
  R friction(1)
  1 v
  v -> body
  v -> friction
  until 1
}
MODEL
is 2 'error: cradle run has no option --unitl; did you mean --until? (cradle run --help lists them)' \
  run fine.cradle --unitl 3
is 2 'error: cradle run has no option --unitl; did you mean --until? (cradle run --help lists them)' \
  run fine.cradle --unitl=3
is 1 'error[name.unknown-parameter]: there is no parameter nosuch to set
  known: mass, speed' run fine.cradle --set nosuch=1
is 1 'error[name.unknown-parameter]: there is no parameter mas to set
  help: did you mean mass?
  known: mass, speed' run fine.cradle --set mas=1

status=0
"$cradle" >bare.txt 2>&1 </dev/null || status=$?
"$cradle" --help >help.txt 2>&1
[ "$status" -eq 2 ] && cmp -s bare.txt help.txt || { echo "FAILED: cradle alone prints no help"; failures=$((failures + 1)); }

# The library tells what it has.
"$cradle" lib >lib.txt && grep -q '^  Diode  ' lib.txt || { echo "FAILED: lib lists no Diode"; failures=$((failures + 1)); }
"$cradle" lib Diode >lib.txt && grep -q 'import "std/.*diode.cradle"' lib.txt && grep -q 'param .* v_on' lib.txt ||
  { echo "FAILED: lib Diode"; cat lib.txt; failures=$((failures + 1)); }
"$cradle" lib 'drive line' >lib.txt && grep -q '^  Vehicle ' lib.txt || { echo "FAILED: lib 'drive line'"; failures=$((failures + 1)); }
is 2 "error: nothing in the library is about 'Dioed'; did you mean 'Diode'? (cradle lib lists all)" lib Dioed

# A netlist becomes a model that runs.
printf 'title\nv1 in 0 5\nr1 in out 1k\nc1 out 0 1u\n.tran 1u 5m uic\n.end\n' >rc.cir
is 0 '' import rc.cir -o rc.cradle
"$cradle" run rc.cradle | grep -q 'n_out.e = 4.9663' || { echo "FAILED: the netlist's run"; failures=$((failures + 1)); }
printf 'title\nq1 a b c npn\n' >bad.cir
is 1 'error[spice.unknown-part]: there is no part for q1
  at bad.cir:2:1
  2 │ q1 a b c npn
    │ ^^
  help: R, L, C, V, I, E, F, G, H, S, D and X are known' import bad.cir

# What the help says works anywhere.
"$cradle" run models/mosterman/cradle.cradle >run.txt 2>&1 && grep -q 'finished' run.txt ||
  { echo "FAILED: the help's example"; cat run.txt; failures=$((failures + 1)); }

# A model near a point, and begun where it rests.
cat >low_pass.cradle <<'MODEL'
model LowPass {
  param V = 2
  Se source = V
  R r(4)
  C c(0.5)
  1 j
  source -> j -> r
  j -> c
  until 1
  show c.e
}
MODEL
"$cradle" linearize low_pass.cradle --inputs V --bode bode.svg --step step.png --json - >linear.json 2>&1
grep -q '"poles":\[\[-0.5,' linear.json || { echo "FAILED: linearize"; cat linear.json; failures=$((failures + 1)); }
[ -s bode.svg ] && [ -s step.png ] || { echo "FAILED: no pictures of it"; failures=$((failures + 1)); }
"$cradle" run low_pass.cradle --start steady --csv steady.csv 2>/dev/null
awk -F, 'NR > 1 && ($4 < 1.999999 || $4 > 2.000001) { bad = 1 } END { exit bad || NR < 3 }' steady.csv ||
  { echo "FAILED: --start steady"; cat steady.csv; failures=$((failures + 1)); }
is 2 "error: --start takes steady or periodic:T, not 'nowhere'" run low_pass.cradle --start nowhere

[ "$failures" -eq 0 ] || exit 1
echo "all is said as it should be"
