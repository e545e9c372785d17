#!/usr/bin/env bash
# ci/gate.sh BASE_REF [OPTION...]: measures how a change affects times. Compares any git repository,
# the one in which it is called, with the commit at which it left BASE_REF. Both are built by
# `build:` of their plumbline.yaml and measured in pairs on one device. Writes the page and the
# Markdown, and ends with one line that gives the result. Options go to `plumbline ab`.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge (as for the change
# that brings plumbline.yaml).
# Every call measures, into a new folder: a build may read files that git does not know. After a kill
# or an interrupt, call it again: the base stays checked out and built.
#
# GATE_SUITES  suites or folders of suites, separated by blanks; default: those that plumbline.yaml
#              names, in Plumbline's own repository suites/quick.yaml
# GATE_DEVICE  a value of --device; default: the best device
# GATE_RUNS    where the results are kept; default: runs/gate
# GATE_TREE    a folder that is measured as the base
# GATE_BUILD   the command that builds each side; default: `build:` of plumbline.yaml
# PLUMBLINE    the program; default: the one installed with this script, else the one on PATH, else
#              that of this script's own tree, which is built first
# PLUMBLINE_CACHE  holds the base's tree; default: ~/.cache/plumbline
# Relative paths start where the script is called; defaults lie in the repository.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RUNS=$(realpath -m "${GATE_RUNS:-$REPO/runs/gate}")
TREE=${GATE_TREE:+$(realpath -m "${GATE_TREE:-}")}
OWN_SUITE=
[[ $REPO != "$ROOT" ]] || OWN_SUITE=$ROOT/suites/quick.yaml
named_suites "${GATE_SUITES:-}" "$OWN_SUITE"

# Prints a name for the comparison: both commits, and whether there are uncommitted changes.
name_of() {
  local base=$1 head changes others=(.)
  [[ $RUNS != "$REPO"/* ]] || others+=(":(exclude,literal)${RUNS#"$REPO"/}")
  head=$(git -C "$REPO" rev-parse --short=10 HEAD)
  changes=$(git -C "$REPO" status --porcelain -- "${others[@]}")
  echo "${base:0:10}-$head${changes:+-changed}"
}

# new_folder NAME: makes NAME, or the first of NAME-2, NAME-3, … that does not exist.
new_folder() {
  local folder=$1 number=1
  mkdir -p "${1%/*}"
  while [[ -e $folder || -e $folder.log ]]; do
    number=$((number + 1))
    folder=$1-$number
  done
  mkdir "$folder"
  echo "$folder"
}

# measure BASE FOLDER OPTION...: measures and judges; sets CODE.
measure() {
  local base=$1 folder=$2 words
  shift 2
  words=(ab "$base" . "${SUITES[@]}" -o "$folder" --markdown "$folder/verdict.md"
    --junit "$folder/junit.xml" --sarif "$folder/verdict.sarif")
  [[ -z ${GATE_BUILD:-} ]] || words+=(--build "$GATE_BUILD")
  [[ -z ${GATE_DEVICE:-} ]] || words+=(--device "$GATE_DEVICE")
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  cd "$REPO"
  run_plumbline "$folder.log" "${words[@]}" "$@"
}

# True if the suites are those of plumbline.yaml, which the commit BASE does not have yet.
is_new_at() {
  [[ -z $TREE && ${#SUITES[@]} == 0 && -e $REPO/plumbline.yaml ]] &&
    ! git -C "$REPO" cat-file -e "$1:plumbline.yaml" 2>/dev/null
}

# say_new BASE FOLDER: nothing can be compared, and nothing is built.
say_new() {
  local sentence="Cannot tell: ${1:0:10} has no plumbline.yaml, so every case is new. The next change is compared."
  printf '## Plumbline · %s\n' "$sentence" >"$2/verdict.md" || fail "cannot write $2/verdict.md"
  echo "gate: $sentence exit code 3"
  exit 3
}

main() {
  local reference base folder sentence
  (($# > 0)) || fail "name the branch or commit to compare with, as in: ci/gate.sh origin/main"
  reference=$1
  shift
  base=$(git -C "$REPO" merge-base "$reference" HEAD) ||
    fail "git knows no common commit of $reference and HEAD in $REPO; fetch it (fetch-depth: 0)"
  find_plumbline 1
  folder=$(new_folder "$RUNS/$(name_of "$base")")
  tell_folder "$folder"
  ! is_new_at "$base" || say_new "$base" "$folder"
  say "Measuring ${base:0:10} and $REPO in pairs: $folder"
  measure "${TREE:-$(git -C "$REPO" rev-parse --short=12 "$base")}" "$folder" "$@"
  ((CODE != 2 && CODE <= 3)) || exit "$CODE"
  sentence=$(verdict_of "$folder")
  echo "gate: $sentence $folder/report.html; exit code $CODE"
  exit "$CODE"
}

main "$@"
