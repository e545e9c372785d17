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

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# shellcheck disable=SC2034 # of those that source this
CACHE=${PLUMBLINE_CACHE:-${HOME:?set HOME or PLUMBLINE_CACHE}/.cache/plumbline}
PLUMBLINE=$ROOT/build/bin/plumbline

say() { printf '%s\n' "$*" >&2; }

fail() {
  say "ci/${0##*/}: $*"
  exit 2
}

# build_tree TREE TARGET...: by the tree's own script, whose log says what went wrong.
build_tree() {
  local tree=$1
  shift
  env -u PLUMBLINE_BUILD "$tree/scripts/build" "$@" >&2 || fail "$tree does not build; see above"
}

# run_plumbline LOG ARGUMENT...: what it prints goes to the log and to standard error. To be called
# by the script itself, not by a subshell: it ends cleanly when its parent is gone, however that
# ended, and what was measured is taken up by the next call.
run_plumbline() {
  local log=$1
  shift
  setpriv --pdeathsig TERM "$PLUMBLINE" "$@" </dev/null | tee "$log" >&2
}

# keep_code FOLDER CODE: from now on FOLDER is done.
keep_code() {
  printf '%s\n' "$2" >"$1/exit_code.tmp"
  mv "$1/exit_code.tmp" "$1/exit_code"
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
