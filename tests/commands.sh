# shellcheck shell=bash
# Shared by the tests of commands, whose argument is the program: a folder of their own, and counting
# of what fails. To be sourced.
set -uo pipefail
cradle=$1
[ -x "$cradle" ] || { echo "there is no program $cradle"; exit 1; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
failures=0

complain() {
  printf 'FAILED: %s\n' "$*"
  failures=$((failures + 1))
}

# expect STATUS ARGUMENT…: runs cradle; leaves out.txt and err.txt.
expect() {
  local wanted=$1 status=0
  shift
  timeout 240 "$cradle" "$@" >out.txt 2>err.txt </dev/null || status=$?
  [ "$status" -eq "$wanted" ] || {
    complain "cradle $*: status $status instead of $wanted"
    cat err.txt
  }
}
