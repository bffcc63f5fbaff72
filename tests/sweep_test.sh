#!/usr/bin/env bash
# sweep_test.sh CRADLE: a sweep as a user meets it.
# shellcheck source=tests/commands.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/commands.sh"
has() { grep -qF -- "$2" "$1" || { complain "$1 lacks: $2"; cat "$1"; }; }

cat >decay.cradle <<'MODEL'
model Decay {
  param r = 2, c = 0.5
  require r > 0, "resistance is positive"
  C cap(c, e = 1)
  R res(r)
  0 n
  n -> cap
  n -> res
  until 1
  show cap.e
}
MODEL
# e = exp(-t / (r c))
expect 0 sweep decay.cradle --vary r=1,2 --measure 'final(cap.e)' --csv runs.csv
has out.txt 'Decay: 2 of 2 runs'
has runs.csv 'run,r,final(cap.e),ending,why'
has runs.csv '1,1,0.135335'
has runs.csv '2,2,0.367879'
# A run that fails is a row.
expect 3 sweep decay.cradle --vary r=-1..1:3 --measure 'final(cap.e)' --csv runs.csv
has runs.csv '1,-1,,model error,resistance is positive'
has runs.csv '3,1,0.135335'
expect 2 sweep decay.cradle --vary q=1 --measure 'final(cap.e)'
has err.txt "Decay has no parameter 'q'"
expect 2 sweep decay.cradle --vary r=1 --measure 'peek(cap.e)'
has err.txt 'there is no measure peek; did you mean peak?'
expect 2 sweep decay.cradle --vary r=0..1:3,log
has err.txt 'a range in the logarithm'
expect 2 sweep decay.cradle --vary r=1 --vary r=2
# Pictures, by the ending of their names.
expect 0 sweep decay.cradle --vary r=1..3:4 --measure 'final(cap.e)' -o response.svg
has response.svg 'data-series'
expect 0 sweep decay.cradle --vary r=1..3:4 --vary c=1..2:3 --measure 'final(cap.e)' -o heat.svg
has heat.svg 'class="cell"'
expect 0 sweep decay.cradle --vary 'r=normal(2, 0.1)' --samples 20 --measure 'final(cap.e)' -o h.svg
has h.svg 'class="bar"'
expect 0 sweep decay.cradle --vary r=1..3:4 --curve cap.e -o family.png
[ "$(head -c 4 family.png | tail -c 3)" = PNG ] || complain "family.png is no PNG"
expect 2 sweep decay.cradle --vary r=1 --curve cap.e
# The same for any number of threads.
for threads in 1 4; do
  expect 0 sweep decay.cradle --vary 'r=lognormal(2, 0.3)' --samples 30 --draw-seed 7 \
    --measure 'rms(cap.e)' --threads $threads --csv threads$threads.csv
done
cmp threads1.csv threads4.csv || complain "it depends on the number of threads"
# A sweep that is killed goes on where it was.
cat >slow.cradle <<'MODEL'
model Slow {
  param w = 1
  I body(1)
  C spring(1 / w ^ 2, q = 1)
  1 v
  v -> body
  v -> spring
  until 3000
  show spring.q
}
MODEL
sweep=(sweep slow.cradle --vary w=1..8:40 --measure 'peak(spring.q)' --threads 1)
"$cradle" "${sweep[@]}" --csv whole.csv >/dev/null
"$cradle" "${sweep[@]}" --checkpoint slow.kept --csv cut.csv >/dev/null 2>&1 &
victim=$!
for _ in $(seq 600); do
  [ -e slow.kept ] && [ "$(wc -l <slow.kept)" -gt 3 ] && break
  sleep 0.05
done
kill -9 $victim
wait $victim 2>/dev/null
[ "$(wc -l <slow.kept)" -lt 41 ] || echo "the machine is too fast to be interrupted"
expect 0 "${sweep[@]}" --checkpoint slow.kept --csv cut.csv
has err.txt 'going on with'
cmp whole.csv cut.csv || complain "what was gone on with differs"
[ ! -e slow.kept ] || complain "a sweep that is complete leaves its checkpoint"
# One of another sweep is refused; Ctrl-C keeps what is computed.
"$cradle" "${sweep[@]}" --checkpoint slow.kept --csv cut.csv >/dev/null 2>err.txt &
victim=$!
for _ in $(seq 600); do
  [ -e slow.kept ] && [ "$(wc -l <slow.kept)" -gt 2 ] && break
  sleep 0.05
done
kill -INT $victim
status=0
wait $victim || status=$?
[ $status -eq 3 ] || complain "interrupted: status $status"
has err.txt 'what was computed is kept; the same command goes on with it'
[ "$(wc -l <cut.csv)" -gt 1 ] || complain "nothing is kept"
expect 2 sweep slow.cradle --vary w=1..8:41 --measure 'peak(spring.q)' --checkpoint slow.kept
has err.txt 'is of another sweep'
[ "$failures" -eq 0 ] || exit 1
echo "sweeps are as they should be"
