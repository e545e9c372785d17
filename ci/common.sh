# shellcheck shell=bash
# What ci/nightly.sh and ci/gate.sh share; sourced by them.
#
# PLUMBLINE_CACHE  where trees of other commits are built; default ~/.cache/plumbline

shopt -s inherit_errexit

# Before anything is done: who asks a script for help gets the comment at its head.
for argument in "$@"; do
  if [[ $argument == -h || $argument == --help ]]; then
    awk 'NR > 1 { if (!/^#/) exit; sub(/^# ?/, ""); print }' "$0"
    exit 0
  fi
done

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "ci/${0##*/}: $*"
  exit 2
}

# A command that fails on its own must not end the script with its code: 1 is a regression.
set -E
trap 'fail "stopped at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
[[ -n ${PLUMBLINE_CACHE:-}${HOME:-} ]] || fail "set HOME or PLUMBLINE_CACHE"
# shellcheck disable=SC2034 # of those that source this
CACHE=${PLUMBLINE_CACHE:-${HOME:-}/.cache/plumbline}
PLUMBLINE=$ROOT/build/bin/plumbline

# build_tree TREE TARGET...: by the tree's own script, whose log says what went wrong.
build_tree() {
  local tree=$1
  shift
  env -u PLUMBLINE_BUILD "$tree/scripts/build" "$@" >&2 || fail "$tree does not build; see above"
}

# run_plumbline LOG ARGUMENT...: what it prints is added to the log and goes to standard error; sets
# CODE, which is 2 where it is none that Plumbline ends with, or where the log cannot be written. To
# be called by the script itself, not by a subshell: Plumbline ends cleanly when its parent is gone,
# however that ended, and what was measured is taken up by the next call.
run_plumbline() {
  local log=$1 codes=(0 0)
  shift
  setpriv --pdeathsig TERM "$PLUMBLINE" "$@" </dev/null | tee -a "$log" >&2 ||
    codes=("${PIPESTATUS[@]}")
  CODE=${codes[0]}
  ((CODE <= 3 || CODE > 128)) || CODE=2
  if ((codes[1] != 0)); then
    say "$log cannot be written"
    CODE=2
  fi
}

# keep_code FOLDER CODE: from now on FOLDER is done.
keep_code() {
  { printf '%s\n' "$2" >"$1/exit_code.tmp" && mv "$1/exit_code.tmp" "$1/exit_code"; } ||
    fail "cannot write $1/exit_code, so this is not done"
}

# take_kept_code FOLDER: sets CODE to the one with which FOLDER was done.
take_kept_code() {
  say "$1 is done; it is not measured again."
  CODE=$(<"$1/exit_code")
  [[ $CODE == [013] ]] || fail "$1/exit_code is damaged; delete it to judge again"
}

# verdict_of FOLDER: the verdict in one sentence, from the Markdown in it.
verdict_of() {
  sed -n '1{s/^## Plumbline: //;s/[\]//g;p}' "$1/verdict.md"
}

# worse A B: of two exit codes the one that counts: 2, then 1, then 3, then 0.
worse() {
  local code
  for code in 2 1 3 0; do
    if (($1 == code || $2 == code)); then
      echo "$code"
      return
    fi
  done
}
