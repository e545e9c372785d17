# shellcheck shell=bash
# What ci/nightly.sh and ci/gate.sh share; sourced by them.

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

# Where these scripts lie: Plumbline's own tree, or share/plumbline of an installation.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The repository that is measured: the one in which the script is called, else Plumbline's own.
# shellcheck disable=SC2034 # of those that source this
REPO=$(git rev-parse --show-toplevel 2>/dev/null) || REPO=$ROOT
[[ -n ${PLUMBLINE_CACHE:-}${HOME:-} ]] || fail "set HOME or PLUMBLINE_CACHE"

# find_plumbline BUILDS: sets PLUMBLINE, the program: $PLUMBLINE; that of Plumbline's own tree, which
# is built first unless BUILDS is 0; the one that the script is installed with; or one on PATH.
find_plumbline() {
  if [[ -n ${PLUMBLINE:-} ]]; then
    [[ -x $PLUMBLINE && -f $PLUMBLINE ]] || fail "PLUMBLINE=$PLUMBLINE is no program"
  elif [[ -x $ROOT/scripts/build ]]; then
    [[ $1 == 0 ]] || env -u PLUMBLINE_BUILD "$ROOT/scripts/build" plumbline plumbline-worker >&2 ||
      fail "$ROOT does not build; see above"
    PLUMBLINE=$ROOT/build/bin/plumbline
  elif [[ -x $ROOT/../../bin/plumbline ]]; then
    PLUMBLINE=$(cd "$ROOT/../../bin" && pwd)/plumbline
  else
    PLUMBLINE=$(command -v plumbline) || fail "there is no plumbline: set PLUMBLINE to the program"
  fi
}

# named_suites WORDS DEFAULT: sets SUITES, whole paths: the words of WORDS, else DEFAULT where that is
# there; else none, and plumbline.yaml names them.
named_suites() {
  local word
  SUITES=()
  for word in $1; do
    [[ ! -e $word ]] || word=$(realpath "$word")  # else the name of a stock suite
    SUITES+=("$word")
  done
  [[ -n $1 || ! -e $2 ]] || SUITES=("$2")
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
  say "$1 is done; it is not measured again. Delete that folder to measure it again."
  CODE=$(<"$1/exit_code")
  [[ $CODE == [013] ]] || fail "$1/exit_code is damaged; delete it to judge again"
}

# verdict_of FOLDER: the verdict in one sentence, from the Markdown in it.
verdict_of() {
  sed -n '1{s/^## Plumbline · //;s/[\]//g;p}' "$1/verdict.md"
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
