# shellcheck shell=bash
# Shared by ci/nightly.sh, ci/gate.sh and ci/judge.sh, which source it.

shopt -s inherit_errexit

# Before anything else: --help prints the comment at the script's head.
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

# A failing command must not end the script with the command's exit code: 1 means a regression.
set -E
trap 'fail "stopped at ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND"' ERR

# The folder of these scripts: Plumbline's own tree, or share/plumbline of an installation.
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
# The measured repository: the one in which the script is called, else Plumbline's own.
# shellcheck disable=SC2034 # used by the scripts that source this
REPO=$(git rev-parse --show-toplevel 2>/dev/null) || REPO=$ROOT
[[ -n ${PLUMBLINE_CACHE:-}${HOME:-} ]] || fail "set HOME or PLUMBLINE_CACHE"

# build_own BUILDS: sets PLUMBLINE to the program of Plumbline's own tree, built first unless BUILDS is 0.
build_own() {
  [[ $1 == 0 ]] || env -u PLUMBLINE_BUILD "$ROOT/scripts/build" plumbline plumbline-worker >&2 ||
    fail "$ROOT does not build; see above"
  PLUMBLINE=$ROOT/build/bin/plumbline
}

# find_plumbline BUILDS: sets PLUMBLINE, the program, to the first of: $PLUMBLINE; that of Plumbline's own tree, if that
# is what is measured; the one installed with the script; the one on PATH; that of the script's own tree.
find_plumbline() {
  if [[ -n ${PLUMBLINE:-} ]]; then
    [[ -x $PLUMBLINE && -f $PLUMBLINE ]] || fail "PLUMBLINE=$PLUMBLINE is no program"
  elif [[ $REPO == "$ROOT" && -x $ROOT/scripts/build ]]; then
    build_own "$1"
  elif [[ ! -x $ROOT/scripts/build && -x $ROOT/../../bin/plumbline ]]; then
    PLUMBLINE=$(cd "$ROOT/../../bin" && pwd)/plumbline
  elif PLUMBLINE=$(command -v plumbline); then
    return
  elif [[ -x $ROOT/scripts/build ]]; then
    build_own "$1"
  else
    fail "there is no plumbline: install it (pip install 'plumbline-gpu[torch]'), or set PLUMBLINE to the program"
  fi
}

# tell_folder FOLDER: adds the folder to the list that $CI_FOLDERS names, if it names one: ci/judge.sh reads it.
tell_folder() {
  [[ -z ${CI_FOLDERS:-} ]] || printf '%s\n' "$1" >>"$CI_FOLDERS" || fail "cannot write $CI_FOLDERS"
}

# named_suites WORDS DEFAULT: sets SUITES as absolute paths: the words of WORDS; else DEFAULT if it exists; else none,
# and plumbline.yaml names them.
named_suites() {
  local word
  SUITES=()
  for word in $1; do
    [[ ! -e $word ]] || word=$(realpath "$word")  # otherwise it names a stock suite
    SUITES+=("$word")
  done
  [[ -n $1 || ! -e $2 ]] || SUITES=("$2")
}

# run_plumbline LOG ARGUMENT...: adds the output to the log and prints it on standard error. Sets CODE; it is 2 for any
# exit code that Plumbline does not use, and if the log cannot be written. Call it from the script itself, not from a
# subshell: Plumbline ends cleanly when its parent has ended for any reason, and the next call continues the
# measurement.
run_plumbline() {
  local log=$1 codes=(0 0)
  shift
  setpriv --pdeathsig TERM "$PLUMBLINE" "$@" </dev/null 2>&1 | tee -a "$log" >&2 ||
    codes=("${PIPESTATUS[@]}")
  CODE=${codes[0]}
  ((CODE <= 3 || CODE > 128)) || CODE=2
  if ((codes[1] != 0)); then
    say "$log cannot be written"
    CODE=2
  fi
}

# keep_code FOLDER CODE: marks FOLDER as done.
keep_code() {
  { printf '%s\n' "$2" >"$1/exit_code.tmp" && mv "$1/exit_code.tmp" "$1/exit_code"; } ||
    fail "cannot write $1/exit_code, so this is not done"
}

# take_kept_code FOLDER: sets CODE to the exit code of a FOLDER that is done.
take_kept_code() {
  say "$1 is done; it is not measured again. Delete that folder to measure it again."
  CODE=$(<"$1/exit_code")
  [[ $CODE == [013] ]] || fail "$1/exit_code is damaged; delete it to judge again"
}

# verdict_of FOLDER: prints the verdict as one sentence, from the folder's Markdown file.
verdict_of() {
  sed -n '1{s/^## Plumbline · //;s/[\]//g;p}' "$1/verdict.md"
}

# worse A B: prints the more important of two exit codes: 2, then 1, then 3, then 0.
worse() {
  local code
  for code in 2 1 3 0; do
    if (($1 == code || $2 == code)); then
      echo "$code"
      return
    fi
  done
}
