#!/usr/bin/env bash
# resume_test.sh CRADLE: every model is killed at some moment while it writes checkpoints, and goes on
# in a new process; its rows are those of a run that nobody disturbed, to the byte.
root=$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")
# shellcheck source=tests/commands.sh
. "$root/tests/commands.sh"

killed=0
for model in "$root"/models/*/*.cradle; do
  name=$(basename "$model" .cradle)
  # What models leave open is drawn, and some end with a diagnosis: both are to be the same.
  run() { "$cradle" "$@" --csv rows.csv >out.txt 2>err.txt </dev/null; }
  status=0
  run run "$model" --choose random --seed 7 || status=$?
  mv rows.csv whole.csv 2>/dev/null || continue  # it has no run
  bytes=$(stat -c %s whole.csv)
  for part in 5 60; do
    rm -f rows.csv* saved
    "$cradle" run "$model" --choose random --seed 7 --csv rows.csv --checkpoint saved \
      --every-seconds 0.0001 >out.txt 2>err.txt </dev/null &
    pid=$!
    # Killed where about so much of it is written, if it is not over by then.
    until [ ! -d /proc/$pid ] || [ -e rows.csv ] ||
      [ "$(stat -c %s rows.csv.partial 2>/dev/null || echo 0)" -gt $((bytes * part / 100)) ]; do
      sleep 0.002
    done
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    if [ ! -e rows.csv ]; then
      [ -e saved ] || continue  # killed before there was anything to go on with
      killed=$((killed + 1))
      resumed=0
      "$cradle" run --resume saved >out.txt 2>err.txt </dev/null || resumed=$?
      [ $resumed -eq $status ] || complain "$name, killed at $part %: status $resumed, not $status"
    fi
    cmp -s rows.csv whole.csv || complain "$name, killed at $part %: other rows"
  done
done
[ $killed -ge 10 ] || complain "only $killed runs were killed before they ended"
echo "$killed runs were killed and went on"
[ $failures -eq 0 ]
