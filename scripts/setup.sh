# shellcheck shell=bash disable=SC2086,SC2154
# Shared by ./cradle and ./test.sh: packages, configuration, builds. To be sourced; needs $root.
# Everything is said on stderr, because the standard output belongs to the command that is run.

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "error: $*"
  exit 1
}

# The packages for these purposes that are not installed.
missing_packages() {
  local wanted status
  wanted=$(awk -v purposes=" $* " '!/^#/ && NF && index(purposes, " " $2 " ") { print $1, $3 }' \
    "$root/scripts/packages.txt" | while read -r name command; do
    [ -n "$command" ] && command -v "$command" >/dev/null || printf '%s ' "$name"
  done)
  status=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null || true)
  local name
  for name in $wanted; do
    grep -qx "$name installed" <<<"$status" || printf '%s ' "$name"
  done
}

# Installs what is missing for these purposes. Systems without dpkg are left alone: CMake says there
# what it does not find.
install_packages() {
  command -v dpkg-query >/dev/null || return 0
  local missing become=
  missing=$(missing_packages "$@")
  [ -z "$missing" ] && return 0
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null ||
      fail "these packages are missing, and there is no sudo to install them: $missing
  as root: apt-get install $missing"
    become=sudo
  fi
  say "installing: $missing"
  local log
  log=$(mktemp)
  if ! { $become apt-get update && $become env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
    cat "$log" >&2
    rm -f "$log"
    fail "apt-get could not install: $missing"
  fi
  rm -f "$log"
}

# configure FOLDER OPTION…: CMake with Ninja, quietly. A folder that was configured for another
# place in the file system (a copied tree) is configured anew.
configure() {
  local folder=$1
  shift
  local cache=$folder/CMakeCache.txt
  if [ -f "$cache" ] && ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then
    rm -rf "$cache" "$folder/CMakeFiles" "$folder/build.ninja"
  fi
  mkdir -p "$folder"
  if ! cmake -S "$root" -B "$folder" -G Ninja "$@" >"$folder/configure.log" 2>&1; then
    cat "$folder/configure.log" >&2
    fail "CMake could not configure $folder"
  fi
}

# build FOLDER TARGET…: Ninja with one line of progress; the log is shown only if it fails.
build() {
  local folder=$1 status=0 line
  shift
  local log=$folder/build.log
  [ -t 2 ] || say "building ${folder##*/} …"
  (
    set -o pipefail
    NINJA_STATUS='[%f/%t] ' ninja -C "$folder" -j "$(nproc)" "$@" 2>&1 | tee "$log" |
      while IFS= read -r line; do
        if [ -t 2 ] && [[ $line == \[*/*\]* ]]; then
          printf '\r\033[Kbuilding %s %s' "${folder##*/}" "${line%%]*}]" >&2
        fi
      done
  ) || status=1
  if [ -t 2 ]; then printf '\r\033[K' >&2; fi
  if [ "$status" -ne 0 ]; then
    cat "$log" >&2
    fail "the build in $folder failed; its log is above"
  fi
}
