#!/usr/bin/env bash
# commands_test.sh CRADLE: the commands as a user meets them: exit status, what goes where, files.
# shellcheck source=tests/commands.sh
. "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/commands.sh"
out_has() { grep -qF -- "$1" out.txt || { complain "stdout lacks: $1"; cat out.txt; }; }
err_has() { grep -qF -- "$1" err.txt || { complain "stderr lacks: $1"; cat err.txt; }; }
out_is() { [ "$(cat out.txt)" = "$1" ] || { complain "stdout is not: $1"; cat out.txt; }; }
only_files() { [ "$(ls -A | tr '\n' ' ')" = "$1 " ] || complain "files: $(ls -A | tr '\n' ' ')"; }

# A capacitor that discharges through a resistor: e = exp(-t / (r * c)).
cat >discharge.cradle <<'MODEL'
model Discharge {
  param r = 2, c = 0.5, v0 = 1
  C cap(c, e = v0)
  R res(r)
  1 loop
  loop -> res
  cap2: loop -> cap
  until 1
  show cap.q, res.e
}
MODEL
# Two capacitors and a switch that closes at t = 1.
cat >share.cradle <<'MODEL'
model Share {
  param t_close = 1
  C c1(1, q = 3)
  C c2(2)
  0 n1, n2
  1 S initially off { off -> on when time >= t_close }
  n1 -> c1
  n1 -> S -> n2
  n2 -> c2
  until 2
  show c1.q, c2.q, c1.f
}
MODEL
# No consistent mode: the guards chase each other.
cat >chase.cradle <<'MODEL'
model Chase {
  Se s(1)
  R r(1)
  1 J initially off {
    off -> on when time >= 1
    on -> off when time >= 1
  }
  s -> J -> r
  until 2
  show r.e
}
MODEL
printf 'model Broken {\n  I m(1\n}\n' >broken.cradle
printf 'model Endless {\n  C c(1)\n  Sf s(1)\n  s -> c\n}\n' >endless.cradle
files="broken.cradle chase.cradle discharge.cradle endless.cradle err.txt out.txt share.cradle"

# Help and version; wrong usage.
expect 0 --version
grep -qE '^cradle [0-9]+\.[0-9]+\.[0-9]+$' out.txt || complain "version: $(cat out.txt)"
expect 2 plt share.cradle
err_has "there is no command 'plt'; did you mean 'plot'?"
for command in new run plot report instants explain check causality draw dump hypa conform reduce fmt studio docs; do
  expect 0 "$command" --help
  out_has "Examples:"
done
expect 2
expect 2 sing
expect 2 run
expect 2 run discharge.cradle --no-such-option
expect 2 run discharge.cradle --until soon
expect 2 run discharge.cradle --until -1
expect 2 run discharge.cradle --tolerance 0
expect 2 run discharge.cradle --solver magic
expect 2 run discharge.cradle --max-events 1.5
expect 2 run discharge.cradle --set r
expect 2 run discharge.cradle --set r=
err_has "--set r: there is no value behind ="
expect 2 run discharge.cradle --select cap.w
err_has "there is no signal 'cap.w'"
expect 2 run discharge.cradle --select cap3
expect 2 run discharge.cradle --csv no/such/folder/out.csv
err_has "cannot write no/such/folder/out.csv"
expect 2 run discharge.cradle --csv . --json out.json
expect 2 run discharge.cradle --csv same --json same
expect 2 run endless.cradle
err_has "--until"
only_files "$files"

# The model is at fault.
expect 1 run no_such_file.cradle
err_has "no_such_file.cradle"
expect 1 run .
expect 1 run broken.cradle
err_has "broken.cradle:"
expect 1 run discharge.cradle --set r=two
err_has "at --set r:1:1"
expect 1 run discharge.cradle --set "r=[1]"
err_has "r is a number and cannot be set to a list of numbers"
expect 1 run discharge.cradle --set rr=1
err_has "rr"

# Parameters from a file.
cat >parts.cradle <<'MODEL'
component Leak { param r = 1  param k = [1, 2]  port a  R leak(r * k[1])  a -> leak }
model Parts {
  param c = 1 F, quick = false
  C cap(c, q = 3)
  Leak d, e[2]
  0 n
  n -> cap
  n -> d.a
  n -> e[2].a
  until if quick then 1 s else 2 s
  show cap.q
}
MODEL
cat >parts.json <<'PARAMS'
{"c": "500 m\u0046", "quick": true, "d": {"r": 4, "k": [0.5, 1]}}
PARAMS
printf 'c: 500 mF  # as measured\nquick: true\nd:\n  r: 4\n  k:\n    - 0.5\n    - 1\n' >parts.yaml
expect 0 run parts.cradle --set 'c=500mF' --set quick=true --set d.r=4 --set 'd.k=[0.5, 1]' --csv set.csv
for file in parts.json parts.yaml; do
  expect 0 run parts.cradle --params $file --csv params.csv
  cmp -s set.csv params.csv || complain "$file is not what --set says"
  expect 0 check --params $file parts.cradle
  expect 0 hypa parts.cradle --params $file --values
  out_has "/ 0.5"
  # What is set wins, and so does a later file.
  expect 0 run parts.cradle --set d.r=2 --params $file --set c=1 --csv params.csv
  expect 0 run parts.cradle --set 'c=1' --set quick=true --set d.r=2 --set 'd.k=[0.5, 1]' --csv set2.csv
  cmp -s set2.csv params.csv || complain "--set does not win over $file"
done
echo 'd.r: 2' >later.yaml
expect 0 run parts.cradle --params parts.yaml --params later.yaml --set c=1 --csv params.csv
cmp -s set2.csv params.csv || complain "the later file does not win"
expect 0 sweep parts.cradle --params parts.yaml --vary c=1..2:2 --measure 'final(cap.q)'
expect 0 conform parts.cradle set.csv --params parts.yaml
printf 'c: 1\nd:\n  rr: 2\n' >wrong.yaml
expect 1 run parts.cradle --params wrong.yaml
err_has "there is no parameter d.rr to set"
err_has "at wrong.yaml:3:7"
err_has "did you mean d.r?"
printf '{"c": 1,\n"quick": [true]}' >wrong.json
expect 1 run parts.cradle --params wrong.json
err_has "at wrong.json:2:10"
printf 'c = 1\n' >wrong.yaml
expect 2 run parts.cradle --params wrong.yaml
err_has "wrong.yaml:1: expected a name and :"
expect 2 run parts.cradle --params no_such.yaml
err_has "no_such.yaml"
expect 2 run parts.cradle --params -
expect 2 run parts.cradle --params parts.yaml --csv parts.yaml
err_has "which is read"
echo 'model Ticks { param step = 1  n = count(step)  until 1e9  show n }' >ticks.cradle
echo 'step: 0.1' >parts.yaml
timeout -s INT 1 "$cradle" run ticks.cradle --params parts.yaml --checkpoint saved >out.txt 2>err.txt
[ -e saved ] || complain "there is no checkpoint of a run that was interrupted"
sed -i 's/0.1/0.2/' parts.yaml
expect 2 run --resume saved
err_has "parts.yaml has changed since the run was saved"
rm -f -- *.yaml parts.* ticks.cradle set*.csv params.csv saved* wrong.json

expect 1 run broken.cradle --csv never.csv
only_files "$files"

# A run without files prints a summary.
expect 0 run discharge.cradle
out_has "Discharge: finished at ⟨1, 0⟩"
out_has "cap.q = 0.1839397"
expect 0 run discharge.cradle --set r=1 --set c=1 --until 2
out_has "cap.q = 0.1353352"
expect 0 run --set r=4 discharge.cradle
expect 0 run endless.cradle --until 1e-3
expect 0 run share.cradle
out_has "c1.q 3 → 1"
out_has "lost in switching 3"

# One instant in words.
expect 0 explain share.cradle --at 1
out_has "Share at t = 1: S off → on"
out_has "time >= t_close: 1 >= 1"
out_has "The state jumps: c1.q 3 → 1, c2.q 0 → 2"
out_has "c1.q′ + c2.q′ = 0"
out_has "S dissipates 3"
expect 0 explain share.cradle --at 1.4 --set t_close=1.41
out_has "Nothing happens at 1.4; this is the nearest instant"
expect 0 explain share.cradle --at 1 --json
out_has '"numbers": "-2 + 2 = 0"'
expect 2 explain share.cradle --at 0.5
out_has "Something happens at 1."
expect 2 explain share.cradle --at soon
err_has "'soon' is not a number"
expect 2 explain share.cradle
expect 2 explain share.cradle --at 1 --select c9
err_has "there is no signal 'c9'"
expect 1 explain broken.cradle --at 1
expect 3 explain chase.cradle --at 1
out_has "run.mode-cycle"

# Files and the standard output.
expect 0 run share.cradle --csv out.csv --json out.json
out_is ""
[ "$(head -n 1 out.csv)" = "t,eps,step,c1.q,c2.q,c1.f,impulse(c1.f),S" ] ||
  complain "header: $(head -n 1 out.csv)"
grep -qE '^1,-1,0,3,0,0,0,off$' out.csv || { complain "left limit"; cat out.csv; }
grep -qE '^1,0,[0-9]+,1,2,0,-2,on$' out.csv || { complain "jump"; cat out.csv; }
expect 0 run share.cradle --csv -
cmp -s out.txt out.csv || complain "--csv - differs from --csv FILE"
expect 0 run share.cradle --json -
cmp -s out.txt out.json || complain "--json - differs from --json FILE"
out_has '"model":"Share"'
expect 0 run share.cradle --csv /dev/null

# --every adds rows and changes none.
expect 0 run share.cradle --every 0.125 --csv grid.csv
[ -z "$(comm -23 <(sort out.csv) <(sort grid.csv))" ] || complain "--every changed a row"
[ "$(wc -l <grid.csv)" -gt "$(wc -l <out.csv)" ] || complain "--every added no row"
grep -q '^0.375,0,0,' grid.csv || complain "--every 0.125 has no row at 0.375"

# --select.
expect 0 run share.cradle --select c2.e,S.active --csv -
[ "$(head -n 1 out.txt)" = "t,eps,step,c2.e,S.active,S" ] || complain "$(head -n 1 out.txt)"
expect 0 run share.cradle --select c2,c1.q,c2.q --csv -
[ "$(head -n 1 out.txt)" = "t,eps,step,c2.e,c2.f,impulse(c2.f),c2.q,c1.q,S" ] ||
  complain "--select c2: $(head -n 1 out.txt)"
expect 0 run discharge.cradle --select res.q # no element stores it: 0.1839397 - 0.5
out_has "res.q = -0.3160602"
expect 0 run discharge.cradle --select 'impulse( cap.f )'
out_has "impulse(cap.f) = 0"
rm -f out.csv out.json grid.csv
only_files "$files"

# The run ends early: what was computed is written.
expect 3 run chase.cradle --csv early.csv
err_has "error[run."
grep -q '^1,-1,0,' early.csv || { complain "early end lost its rows"; cat early.csv; }
expect 3 run share.cradle --max-steps 1 --max-step 0.01
rm -f early.csv

# A PNG says at its beginning what it is and how large.
is_png() {
  local head
  head=$(od -An -tx1 -N24 "$1" | tr -d ' \n')
  [ "$head" = "$(printf '89504e470d0a1a0a0000000d49484452%08x%08x' "$2" "$3")" ] ||
    complain "$1 is no PNG of $2x$3: $head"
}

# plot, and run --plot.
expect 0 plot share.cradle -o plot.svg
out_is ""
for part in '<svg ' 'data-signal="c1.q"' 'class="jump"' 'data-weight="-2"' 'data-state="on"'; do
  grep -qF "$part" plot.svg || complain "plot.svg lacks $part"
done
expect 0 plot share.cradle -o - --until 2
cmp -s out.txt plot.svg || complain "plot -o - differs from plot -o FILE"
expect 0 plot share.cradle -o plot.svg --select c2.q --set t_close=0.5 --dark --size 390x700
grep -qF 'viewBox="0 0 390 700"' plot.svg || complain "--size is not followed"
grep -qF 'data-signal="c1.q"' plot.svg && complain "plot ignores --select"
grep -qF 'prefers-color-scheme' plot.svg && complain "plot ignores --dark"
expect 2 plot share.cradle
expect 0 plot share.cradle -o plot.png --size 390x700 --scale 2
is_png plot.png 780 1400
expect 0 plot share.cradle -o - --format png --size 390x700 --scale 2
cmp -s out.txt plot.png || complain "plot -o - --format png differs from plot -o plot.png"
expect 0 plot share.cradle -o - --format png --size 390x700 --scale 2 --light
cmp -s out.txt plot.png || complain "a PNG without a theme is not light"
expect 0 plot share.cradle -o - --format png --size 390x700 --scale 2 --dark
cmp -s out.txt plot.png && complain "a PNG ignores --dark"
expect 2 plot share.cradle -o never.png --size 20000x20000
err_has "20000x20000 pixels are too many"
expect 2 plot share.cradle -o plot.jpg
err_has "must end in .svg or .png"
expect 2 plot share.cradle -o plot.svg --format png
err_has "contradict each other"
expect 2 plot share.cradle -o plot.svg --scale 2
err_has "--scale is for PNG"
expect 2 plot share.cradle -o - --format gif
expect 2 plot share.cradle -o never.png --scale 0
expect 2 plot share.cradle -o plot.svg --dark --light
expect 2 plot share.cradle -o plot.svg --size huge
expect 2 plot share.cradle -o plot.svg --select c9
expect 2 plot share.cradle -o no/such/folder/plot.svg
expect 1 plot broken.cradle -o never.svg
expect 3 plot chase.cradle -o early.svg
grep -qF 'data-signal="r.e"' early.svg || complain "an early end is not drawn"
rm -f plot.svg plot.png early.svg
# plot --at.
expect 0 plot share.cradle --at 1 -o instant.svg
for part in '<svg ' 'data-column="c1.q" data-value="3" data-eps="-1"' 'data-weight="' \
  'data-automaton="S" data-state="on"' 'S: off → on' 'S dissipates 3'; do
  grep -qF "$part" instant.svg || complain "instant.svg lacks $part"
done
expect 0 plot share.cradle --at 1 -o - --format png --size 390x844
cp out.txt instant.png
is_png instant.png 390 844
expect 0 plot share.cradle --at 0.999 -o instant.svg
err_has "nothing happens at 0.999; the nearest instant at which something does is drawn, 1"
expect 2 plot share.cradle --at 1.5 -o never.svg
err_has "Something happens at 1."
out_is ""
expect 2 plot share.cradle --at noon -o never.svg
err_has "--at: 'noon' is not a number"
expect 2 plot share.cradle --at 1 --select c9 -o never.svg
sed 's|time >= t_close|time >= /* \x01 <b> & */ t_close|' share.cradle >control.cradle
expect 0 plot control.cradle --at 1 -o instant.png
expect 0 draw control.cradle -o instant.png
rm -f control.cradle
expect 3 plot chase.cradle --at 1 -o early.svg
err_has "error[run.mode-cycle]"
grep -qF "The run ends here (model error)" early.svg || complain "an instant without end is not drawn"
rm -f instant.svg instant.png early.svg

# report: a page, or its data.
# view EXPRESSION: of JavaScript, over the JSON v in out.txt.
view() { node -p "const v = JSON.parse(require('fs').readFileSync('out.txt')); JSON.stringify($1)"; }
view_is() { [ "$(view "$1")" = "$2" ] || complain "view: $1 is $(view "$1"), not $2"; }
expect 0 report share.cradle -o page.html
grep -qF '"format":"cradle-view"' page.html || complain "the page has no data"
grep -qF '<title>Share' page.html || complain "the page has no title"
expect 0 report share.cradle --json - --set t_close=0.5 --select 'c1.q, c2.q'
view_is "v.command" "\"./cradle report share.cradle --set t_close=0.5 --select 'c1.q, c2.q' -o report.html\""
view_is "v.columns.map(c => c.name)" '["c1.q","c2.q"]'
view_is "v.events.map(e => [e.t, e.told])" "[[0.5,0]]"
view_is "[v.parameters[0].value, v.parameters[0].default]" "[0.5,1]"
view_is "[v.sources[0].name, v.sources[0].own]" '["share.cradle",true]'
expect 0 report share.cradle -o page.html --json view.json
[ -s view.json ] || complain "--json beside -o wrote nothing"
expect 2 report share.cradle
expect 2 report share.cradle -o page.svg
err_has "must end in .html"
expect 2 report share.cradle -o - --json -
expect 2 report share.cradle -o page.html --select c9
expect 2 report share.cradle -o page.html --max-rows 0
expect 2 report share.cradle -o page.html --progress bar
expect 2 report endless.cradle -o never.html
expect 2 report share.cradle -o no/such/folder/page.html
# A file that may not grow is told, and nothing is left behind.
status=0
(ulimit -f 4; timeout 60 "$cradle" report share.cradle -o long.html >out.txt 2>err.txt) || status=$?
[ $status -eq 2 ] || complain "a file too large: status $status"
err_has "File too large"
[ ! -e long.html ] || complain "half a page"
expect 1 report broken.cradle -o never.html
err_has "error[syntax"
expect 1 report broken.cradle --json -
view_is "[Object.keys(v), v.diagnostics[0].file]" '[["diagnostics"],"broken.cradle"]'
expect 3 report chase.cradle --json -
view_is "[v.outcome.ending, v.diagnostics[0].kind]" '["model error","run.mode-cycle"]'
view_is "v.events.map(e => e.told)" "[0]"
expect 3 report discharge.cradle --json - --max-rows 100
view_is "[v.rows.count, 'cut' in v.rows]" "[100,true]"
[ ! -e never.html ] || complain "a page of a model that cannot run"
rm -f page.html view.json

# A text that stands elsewhere, and what it may import.
mkdir -p models/inner
printf 'component Load {\n  port a\n  R r(1)\n  a -> r\n}\n' >models/inner/load.cradle
cp models/inner/load.cradle models/outside.cradle
ln -s ../outside.cradle models/inner/link.cradle
importing() {
  printf 'import "%s"\nmodel M {\n  Se s(1)\n  Load l\n  s -> l.a\n  until 1\n}\n' "$1" >out.txt
  local status=0
  timeout 60 "$cradle" "${@:2}" <out.txt >text.txt 2>err.txt || status=$?
  mv text.txt out.txt
  return $status
}
importing load.cradle report - --as models/inner/new.cradle --root models/inner --json - ||
  complain "a text as if it stood in a folder"
view_is "[v.file, v.command]" \
  '["models/inner/new.cradle","./cradle report models/inner/new.cradle -o report.html"]'
view_is "v.sources.map(s => s.name)" '["models/inner/new.cradle","models/inner/load.cradle"]'
for path in ../outside.cradle link.cradle /etc/hostname; do
  importing $path check - --as models/inner/new.cradle --root models/inner --json --names &&
    complain "$path was imported"
  view_is "[v[0].diagnostics[0].kind, v[0].diagnostics[0].file]" \
    '["import.outside","models/inner/new.cradle"]'
done
importing ../outside.cradle check - --as models/inner/new.cradle || complain "--root is not asked for"
importing load.cradle check - --as models/inner/new.cradle --json --names || complain "check --names"
view_is "[v[0].model, v[0].until, v[0].ok]" '["M",1,true]'
view_is "v[0].names.filter(n => ['s', 's.e'].includes(n.name)).map(n => n.kind)" '["element","bond"]'
expect 2 check share.cradle --as other.cradle
expect 2 check - --root no/such/folder
expect 2 check share.cradle --names
rm -rf models
only_files "$files"
LC_ALL=C.UTF-8 expect 0 run share.cradle --plot
out_has "┤"
out_has "↓-2"
out_has "Share: finished"
LC_ALL=C expect 0 run share.cradle --plot --select c1.q,c1.f
sed '/finished/,$d' out.txt | LC_ALL=C grep -q '[^ -~]' && { complain "not ASCII"; cat out.txt; }
out_has "v-2"
COLUMNS=50 LC_ALL=C expect 0 run share.cradle --plot --csv run.csv
[ "$(wc -L <out.txt)" -le 50 ] || complain "wider than the terminal"
expect 0 run share.cradle --csv again.csv
cmp -s run.csv again.csv || complain "--plot changes what is written"
expect 2 run share.cradle --plot --csv -
rm -f run.csv again.csv

# instants.
expect 0 instants share.cradle --at 1
out_has "⟨1 − ε, 0⟩"
out_has "real"
expect 0 instants share.cradle --at 1 --json
out_has '"kind":"before"'
expect 0 instants share.cradle --at 1.5
err_has "nothing happened at 1.5"
out_is ""
expect 0 instants share.cradle --at 1.5 --json
out_is "[
]"
expect 2 instants share.cradle --at noon
expect 3 instants chase.cradle
out_has "⟨1 − ε, 0⟩"

# check.
expect 0 check discharge.cradle share.cradle
out_is "discharge.cradle: ok
share.cradle: ok"
expect 1 check discharge.cradle broken.cradle nowhere.cradle
out_has "discharge.cradle: ok"
out_has "broken.cradle: 1 error"
err_has "nowhere.cradle"
sed 's/time >= t_close/time == t_close/' share.cradle >equal.cradle
for command in check run; do
  expect 0 "$command" equal.cradle
  [ "$(grep -c 'warning\[relation.equality\]' err.txt)" = 1 ] || complain "$command: no warning"
done
rm -f equal.cradle
expect 1 check --json discharge.cradle broken.cradle
out_has '{"file":"discharge.cradle","ok":true'
out_has '{"file":"broken.cradle","ok":false'

# causality.
expect 0 causality share.cradle
expect 0 causality share.cradle --mode S=on
expect 0 causality share.cradle --mode S=on --json
expect 2 causality share.cradle --mode S=ajar
err_has "there is no state of S 'ajar'"
expect 2 causality share.cradle --mode T=on
expect 1 causality broken.cradle

# draw.
expect 0 draw share.cradle -o graph.svg
[ -s out.txt ] && complain "draw -o prints to stdout"
expect 0 draw share.cradle -o -
cmp -s out.txt graph.svg || complain "draw -o - differs from the file"
out_has 'class="junction controlled inactive" data-junction="S"'
expect 0 draw share.cradle -o - --mode S=on --dark --set t_close=2
out_has 'class="junction controlled" data-junction="S"'
out_has 'class="cradle dark"'
expect 2 draw share.cradle
expect 0 draw share.cradle -o graph.png
size=$(grep -om1 ' width="[0-9]*" height="[0-9]*" viewBox' graph.svg | tr -dc '0-9 ')
# shellcheck disable=SC2086 # two numbers
is_png graph.png $size
expect 2 draw share.cradle -o graph.gif
err_has "must end in .svg or .png"
expect 2 draw share.cradle -o - --mode S=ajar
err_has "there is no state of S 'ajar'"
expect 2 draw share.cradle -o no/such/folder/graph.svg
expect 1 draw broken.cradle -o broken.svg
rm graph.svg graph.png
only_files "$files"

# dump.
expect 0 dump plan share.cradle
out_has "  t_close = 1, slot 0"
out_has "  r0: t_close <= time"
expect 0 dump mode share.cradle
out_has "island 1: c1"
expect 0 dump mode share.cradle --mode S=on
out_has "stores that depend on each other: c1.q, c2.q"
expect 0 dump code share.cradle --set t_close=0.5
out_has " = t_close = 0.5"
expect 2 dump plan share.cradle --mode S=on
err_has "the plan is the same in every mode"
expect 2 dump mode share.cradle --mode S=ajar
expect 2 dump rates share.cradle
expect 2 dump share.cradle
expect 1 dump plan broken.cradle

# hypa.
expect 0 hypa share.cradle
out_has "≈"
out_has "param t_close"
cp out.txt share.hypa
expect 0 hypa share.hypa
out_has "param t_close"
expect 0 hypa share.cradle --values --set t_close=0.75
out_has "time < 0.75"
expect 0 hypa share.cradle --eliminate
out_has "with ∥ eliminated"
expect 0 hypa share.cradle --explain
out_has "What was dropped or merged"
expect 0 hypa share.cradle --eliminate --json
out_has '"alternatives"'
expect 0 hypa share.cradle --latex
out_has '\begin{align*}'
expect 1 check discharge.cradle --max-parts 3
err_has "or raise --max-parts"
expect 2 check discharge.cradle --max-parts 0
expect 1 hypa share.cradle --eliminate --max-alternatives 1
err_has "error[hypa.normal-form]"
printf 'X ≈ [x⁺ = ] ≫ (true) ▶ X\n' >wrong.hypa
expect 1 hypa wrong.hypa
err_has "error[hypa.syntax]"
err_has "wrong.hypa:1:"
expect 2 hypa share.cradle --latex --json
rm -f share.hypa wrong.hypa

# conform.
expect 0 run share.cradle --all --csv run.csv
expect 0 conform share.cradle run.csv
out_has "conforms:"
expect 0 run share.cradle --all --json run.json
expect 0 conform share.cradle run.json --json
out_has '"conforms": true'
expect 1 conform share.cradle run.csv --set t_close=1.5
out_has "does not conform:"
expect 2 conform share.cradle nowhere.csv
expect 2 conform share.cradle share.cradle
err_has "must begin with t,eps,step"
rm -f run.csv run.json

# reduce.
expect 0 reduce share.cradle
out_has "// share.cradle, reduced by cradle reduce."
out_has "// vanish: 0-junction n2 goes"
out_has "//   n2.e is c2.e"
out_has "  param t_close = 1"
out_has "when t_close <= time"
cp out.txt reduced.cradle
expect 0 fmt --check reduced.cradle
expect 0 run reduced.cradle --csv -
grep -q '^1,0,1,1,2,' out.txt || { complain "the reduced model runs otherwise"; cat out.txt; }
expect 0 reduce share.cradle -o again.cradle
[ -s out.txt ] && complain "reduce -o prints to stdout"
cmp -s reduced.cradle again.cradle || complain "reduce -o differs from stdout"
expect 0 run reduced.cradle --set t_close=0.5 --csv -
grep -q '^0.5,0,1,1,2,' out.txt || { complain "a parameter of the reduced model cannot be set"; cat out.txt; }
expect 0 reduce share.cradle --values
out_has "// Its parameters, which are numbers here: t_close = 1"
out_has "when 1 <= time"
expect 0 reduce reduced.cradle
out_has "// Nothing could be reduced"
expect 0 reduce share.cradle --explain
out_has "vanish │ 0-junction n2 goes"
expect 0 reduce endless.cradle --explain
out_is "nothing could be reduced"
expect 0 reduce share.cradle --set t_close=0.5 --json
out_has '"rule": "vanish"'
out_has '"n2.e": "c2.e"'
expect 2 reduce share.cradle --json --explain
expect 2 reduce share.cradle -o no/such/folder/out.cradle
expect 1 reduce broken.cradle
rm -f reduced.cradle again.cradle

# new.
expect 0 new two_balls
out_has "wrote two_balls.cradle: model TwoBalls"
out_has "cradle run two_balls.cradle --plot"
cp two_balls.cradle first.txt
expect 2 new two_balls
err_has "two_balls.cradle is there already, and is not overwritten"
expect 2 new two_balls.cradle --template signals
cmp -s two_balls.cradle first.txt || complain "new overwrites a file"
mkdir parts
expect 0 new parts/room.cradle --template signals
for file in two_balls.cradle parts/room.cradle; do
  expect 0 fmt --check "$file"
  expect 0 check "$file"
  out_is "$file: ok"
  expect 0 run "$file"
  out_has "finished at"
  grep -q 'animate {' "$file" || complain "$file draws nothing"
done
for name in '' 3balls 'two balls' parts/ ball.txt '../' 'a"b' $'a\nb' -- -; do
  expect 2 new "$name"
done
expect 2 new nowhere/ball
err_has "there is no folder nowhere"
expect 2 new ball --template music
expect 2 new
expect 0 new c
out_has "model CModel"
expect 0 check c.cradle
rm -r two_balls.cradle first.txt parts c.cradle

# fmt.
expect 0 fmt share.cradle
cp out.txt once.cradle
expect 0 fmt once.cradle
cmp -s out.txt once.cradle || complain "fmt of its own output differs"
expect 0 fmt --check once.cradle
printf 'model  M{\nuntil    1 }\n' >ugly.cradle
expect 1 fmt --check ugly.cradle
out_is "ugly.cradle"
expect 0 fmt --write ugly.cradle
out_is ""
expect 0 fmt --check ugly.cradle
expect 2 fmt --check --write ugly.cradle
expect 1 fmt broken.cradle
out_is ""
expect 1 fmt nowhere.cradle once.cradle
err_has "cannot read nowhere.cradle"
cmp -s out.txt once.cradle || complain "one file that cannot be read stops fmt"
"$cradle" fmt - <once.cradle >out.txt || complain "fmt -"
cmp -s out.txt once.cradle || complain "fmt - differs"
"$cradle" check - <once.cradle >out.txt || complain "check -"
rm -f once.cradle ugly.cradle

# Whatever ends the program leaves what was computed, under a name that says that it is partial.
"$cradle" run discharge.cradle --until 1e9 --max-step 1e-3 --csv killed.csv --json killed.json \
  >out.txt 2>err.txt &
pid=$!
sleep 2
kill -9 $pid
wait $pid 2>/dev/null || true
[ ! -e killed.csv ] || complain "a killed run has its final name"
[ "$(wc -l <killed.csv.partial)" -gt 100 ] || complain "kill -9 lost what was computed"
[ "$(wc -l <killed.json.partial)" -gt 100 ] || complain "kill -9 lost JSON"
# The next run leaves that alone.
cp killed.csv.partial kept
expect 0 run share.cradle --csv killed.csv
cmp -s kept killed.csv.partial || complain "a partial file was overwritten"
[ -s killed.csv ] || complain "no file beside an old partial one"
rm -f killed.* kept
for signal in TERM HUP; do
  "$cradle" run discharge.cradle --until 1e9 --max-step 1e-3 --csv long.csv >out.txt 2>err.txt &
  pid=$!
  sleep 1
  kill -$signal $pid
  status=0
  wait $pid || status=$?
  [ $status -eq 3 ] || complain "SIG$signal: status $status"
  [ ! -e long.csv ] || complain "SIG$signal: what is not whole has its final name"
  [ "$(wc -l <long.csv.partial)" -gt 100 ] || complain "SIG$signal lost what was computed"
  rm -f long.csv.partial
done
# A full disk ends the run at once, and leaves whole lines.
status=0
(ulimit -f 4; timeout 60 "$cradle" run discharge.cradle --until 1e9 --max-step 1e-3 --csv full.csv \
  >out.txt 2>err.txt) || status=$?
[ $status -eq 2 ] || complain "a full disk: status $status"
err_has "what could be written is in "
[ ! -e full.csv ] || complain "half a file has its final name"
[ "$(wc -l <full.csv.partial)" -gt 10 ] || complain "a full disk lost what was computed"
[ "$(tail -c 1 full.csv.partial | wc -l)" -eq 1 ] || complain "half a line"
rm -f full.csv.partial
if [ -e /dev/full ]; then expect 2 run share.cradle --csv /dev/full; fi

# What is read is not overwritten, whatever leads to it; two outputs are two files.
cp share.cradle mine.cradle
ln -s mine.cradle link.csv
ln mine.cradle hard.json
expect 2 run mine.cradle --csv mine.cradle
err_has "which is read"
expect 2 run mine.cradle --csv link.csv
expect 2 run mine.cradle --json hard.json
expect 2 run mine.cradle --csv "$(pwd)/mine.cradle"
expect 2 reduce mine.cradle -o mine.cradle
if "$cradle" run - --csv mine.cradle <mine.cradle >out.txt 2>err.txt; then
  complain "the standard input was overwritten"
fi
err_has "the standard input, which is read"
cmp -s mine.cradle share.cradle || complain "a model was overwritten"
expect 2 run mine.cradle --csv one --json ./one
err_has "the same file"
ln -s one two
expect 2 run mine.cradle --csv one --json two
[ ! -e one ] || complain "a refused output was begun"
rm -f mine.cradle link.csv hard.json two
# Where a stream is closed, no file takes its place.
status=0
"$cradle" run chase.cradle --csv closed.csv 2>&- >out.txt || status=$?
[ $status -eq 3 ] || complain "closed standard error: status $status"
if grep -q error closed.csv; then complain "a message in a data file"; fi
rm -f closed.csv
status=0
"$cradle" run share.cradle --csv - >&- 2>err.txt || status=$?
[ $status -eq 2 ] || complain "closed standard output: status $status"
err_has "cannot write the standard output"

# A run that is killed goes on from its checkpoint, to the bit.
mkdir -p far
cat >far/long.cradle <<'END'
// A ball between walls that shake, and a choice of neither: many events.
model Long {
  param w = 3
  input wind = 0
  x = integral(v, 1)
  v = integral(-w * w * x + wind)
  hits = crossing(x)
  n = integral(0, 0)
  until 20000
  show x, v
}
END
printf 'time,wind\n0,0\n5,1\n10,-1\n' >far/wind.csv
(cd far && "$cradle" run long.cradle --input wind=wind.csv --between linear --csv whole.csv \
  --json whole.json >out.txt 2>err.txt) || complain "the run to compare with"
(cd far && exec "$cradle" run long.cradle --input wind=wind.csv --between linear --csv run.csv \
  --json run.json --checkpoint saved --every-seconds 0.2 >out.txt 2>err.txt) &
pid=$!
for _ in 1 2 3 4 5 6 7 8 9 10; do
  sleep 0.3
  [ ! -e far/saved ] || break
done
kill -9 $pid 2>/dev/null || true
wait $pid 2>/dev/null || true
[ -e far/saved ] || complain "no checkpoint was written"
cp far/saved far/first
expect 0 run --resume far/saved
cmp -s far/whole.csv far/run.csv || complain "a run that was resumed has other rows"
cmp -s far/whole.json far/run.json || complain "a run that was resumed has another JSON"
# Also when it has ended since; and rows from there on into a file of their own.
expect 0 run --resume far/first
cmp -s far/whole.csv far/run.csv || complain "resumed once more: other rows"
expect 0 run --resume far/first --csv rest.csv
tail -n +2 rest.csv >rest.rows
tail -n "$(wc -l <rest.rows)" far/whole.csv | cmp -s - rest.rows || complain "the rest differs"
expect 2 run --resume far/first --until 3
err_has "does not go with --until"
expect 2 run --resume far/long.cradle
err_has "it is not a checkpoint"
head -c 2000 far/first >far/damaged
expect 2 run --resume far/damaged
err_has "it is damaged"
echo '// changed' >>far/long.cradle
expect 2 run --resume far/first
err_has "long.cradle has changed"
expect 2 run
err_has "which model?"
expect 2 run far/long.cradle --input gust=far/wind.csv
err_has "has no input 'gust'"
expect 2 run far/long.cradle --input wind=nowhere.csv
expect 2 run far/long.cradle --input wind=far/wind.csv --csv far/wind.csv
err_has "which is read"
expect 2 run far/long.cradle --checkpoint x --csv ./x
expect 2 run far/long.cradle --checkpoint x.partial --csv ./x
{ [ ! -e x ] && [ ! -e x.partial ]; } || complain "a refused output was begun"
# Interrupted, it is saved where it stands, and its files stay partial.
"$cradle" run discharge.cradle --until 1e9 --max-step 1e-3 --csv long.csv --checkpoint saved \
  >out.txt 2>err.txt &
pid=$!
sleep 1
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status -eq 3 ] || complain "interrupted with a checkpoint: status $status"
err_has "cradle run --resume saved goes on with it"
{ [ -s saved ] && [ -s long.csv.partial ] && [ ! -e long.csv ]; } || complain "no way to go on"
rm -rf far saved long.csv.partial rest.csv rest.rows

# Inputs.
cat >input.cradle <<'END'
model A {
  input u = 1
  x = integral(u)
  until 2
  show x
}
END
printf '0,0\n2,2\n' >u.csv
expect 0 run input.cradle --csv -
tail -n 1 out.txt | grep -qE '^2,0,0,(2|1\.99999999|2\.0000000)' || complain "an input that nobody sets: $(tail -n 1 out.txt)"
expect 0 run input.cradle --input u=u.csv --csv -
tail -n 1 out.txt | grep -qE '^2,.*,0$' || complain "an input that is held: $(tail -n 1 out.txt)"
expect 0 run input.cradle --input u=u.csv --between linear --csv -
tail -n 1 out.txt | grep -qE '^2,.*,(2|1\.99999999|2\.0000000)' || complain "a linear one: $(tail -n 1 out.txt)"
expect 0 run input.cradle --input u=u.csv --all --csv run.csv
expect 0 conform input.cradle run.csv
expect 0 hypa input.cradle
out_has "input(u)"
expect 0 fmt input.cradle
out_has "input u = 1"
expect 0 explain input.cradle --input u=u.csv --at 2
rm -f input.cradle u.csv run.csv

# Ctrl-C: a clean end, and what was computed is written.
"$cradle" run discharge.cradle --until 1e9 --max-step 1e-3 --csv long.csv >out.txt 2>err.txt &
pid=$!
sleep 1
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 3 ] || complain "Ctrl-C: status $status"
err_has "interrupted at"
[ ! -e long.csv ] || complain "Ctrl-C: what is not whole has its final name"
[ "$(wc -l <long.csv.partial)" -gt 100 ] || complain "Ctrl-C lost what was computed"
rm -f long.csv.partial
"$cradle" report discharge.cradle --until 1e9 --max-step 1e-3 --json out.json --progress json \
  >out.txt 2>err.txt &
pid=$!
sleep 1
kill -INT $pid
status=0
wait $pid || status=$?
[ $status -eq 3 ] || complain "Ctrl-C in report: status $status"
grep -qE '^\{"t":[0-9.e+-]+,"until":1000000000,"rows":[1-9][0-9]*\}$' err.txt || complain "no progress: $(head -3 err.txt)"
mv out.json out.txt
view_is "[v.outcome.ending, v.rows.count > 100]" '["cancelled",true]'
only_files "$files"

# What a model asserts decides the status, and ends no run.
sed 's/show .*/assert always c1.q > t_close + 0.5, "enough is left"/' share.cradle >asserted.cradle
expect 4 run asserted.cradle --csv out.csv
err_has "error[assert.violated]: enough is left at ⟨1, 1⟩"
err_has "values: c1.q = 1, t_close = 1"
[ "$(tail -1 out.csv | cut -d, -f1)" = 2 ] || complain "a run that violates something ends early"
expect 0 run asserted.cradle --set t_close=0.25
out_has "1 assertion: held throughout"
expect 4 sweep asserted.cradle --vary t_close=0.25,1 --measure 'final(c1.q)'
out_has "violates enough is left at ⟨1, 1⟩"
expect 4 explore asserted.cradle
out_has "some run violates at ⟨1, 1⟩: enough is left"
expect 4 instants asserted.cradle
rm asserted.cradle out.csv

[ $failures -eq 0 ] && echo "the commands behave"
[ $failures -eq 0 ]
