#!/usr/bin/env bash
# ci/gate.sh BASE_REF [OPTION...]: what a change does to the times. Compares the git repository in
# which it is called, whosever that is, with the commit at which it left BASE_REF: both are built by
# `build:` of their plumbline.yaml and measured in pairs on one device. Writes the page and the
# Markdown, and ends with one line that says what came of it. Options go to `plumbline ab`.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge.
# Killed or interrupted, the same call goes on: what is built stays built, and what is measured is
# not measured again. Pairs that were interrupted judge nothing and are measured anew, beside them.
#
# GATE_SUITES  suites or folders of suites, blanks between; default those that plumbline.yaml names,
#              in Plumbline's own repository suites/quick.yaml
# GATE_DEVICE  as --device takes it; default the best one
# GATE_RUNS    where the results are kept; default runs/gate
# GATE_TREE    a folder that is measured as the base
# PLUMBLINE    the program; default that of the tree in which this script lies, which is built
#              first, or the one on PATH
# PLUMBLINE_CACHE  holds the base's tree; default ~/.cache/plumbline
# Relative paths are relative to where the script is called, defaults lie in the repository.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RUNS=$(realpath -m "${GATE_RUNS:-$REPO/runs/gate}")
TREE=${GATE_TREE:+$(realpath -m "${GATE_TREE:-}")}
OWN_SUITE=
[[ $REPO != "$ROOT" ]] || OWN_SUITE=$ROOT/suites/quick.yaml
named_suites "${GATE_SUITES:-}" "$OWN_SUITE"

# Prints what is not committed: changes, and checksums of files that git neither knows nor ignores.
uncommitted() {
  local others=(.)
  [[ $RUNS != "$REPO"/* ]] || others+=(":(exclude,literal)${RUNS#"$REPO"/}")
  cd "$REPO"
  git diff --binary --submodule=diff HEAD
  git ls-files -z --others --exclude-standard -- "${others[@]}" |
    xargs -0 --no-run-if-empty sha256sum
}

# Prints a name for what this tree holds: its commit, and a checksum of what is not committed.
head_name() {
  local changes commit
  changes=$(uncommitted | sha256sum)
  commit=$(git -C "$REPO" rev-parse --short=10 HEAD)
  [[ $changes != "$(sha256sum </dev/null)" ]] || changes=""
  echo "$commit${changes:+-${changes:0:8}}"
}

# measured_name OPTION...: prints a checksum of all else that a verdict depends on: what the suites
# say, the device, the base's folder, Plumbline itself and the options.
measured_name() {
  local sum
  sum=$({
    ((${#SUITES[@]} == 0)) ||
      find "${SUITES[@]}" -type f -print0 | sort -z | xargs -0 --no-run-if-empty sha256sum
    sha256sum "$PLUMBLINE" "${PLUMBLINE%/*}/plumbline-worker" 2>/dev/null || true
    printf '%s\0' "${SUITES[@]}" "${GATE_DEVICE:-}" "$TREE" "$@"
  } | sha256sum)
  echo "${sum:0:8}"
}

# free_folder NAME: NAME where it is new or done, else the first NAME-2, NAME-3, … that is.
free_folder() {
  local folder=$1 number=1
  while [[ -e $folder && ! -e $folder/exit_code ]]; do
    number=$((number + 1))
    folder=$1-$number
  done
  echo "$folder"
}

# measure BASE FOLDER OPTION...: measures and judges unless that is done; sets CODE.
measure() {
  local base=$1 folder=$2 words
  shift 2
  if [[ -e $folder/exit_code ]]; then
    take_kept_code "$folder"
    return
  fi
  mkdir -p "${folder%/*}"
  words=(ab "$base" . "${SUITES[@]}" -o "$folder" --markdown "$folder/verdict.md"
    --junit "$folder/junit.xml")
  [[ -z ${GATE_DEVICE:-} ]] || words+=(--device "$GATE_DEVICE")
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  cd "$REPO"
  run_plumbline "$folder.log" "${words[@]}" "$@"
  ((CODE != 2 && CODE <= 3)) || return 0
  "$PLUMBLINE" report "$folder/comparison.json" -o "$folder/report.html" >&2 ||
    fail "the page of $folder was not made"
  keep_code "$folder" "$CODE"
}

main() {
  local reference base folder sentence
  (($# > 0)) || fail "name the branch or commit to compare with, as in: ci/gate.sh origin/main"
  reference=$1
  shift
  base=$(git -C "$REPO" merge-base "$reference" HEAD) ||
    fail "git knows no common commit of $reference and HEAD in $REPO; fetch it (fetch-depth: 0)"
  find_plumbline 1
  folder=$RUNS/${base:0:10}-$(head_name)
  folder+=-$(measured_name "$@")
  folder=$(free_folder "$folder")
  say "Measuring ${base:0:10} and $REPO in pairs: $folder"
  measure "${TREE:-$base}" "$folder" "$@"
  ((CODE != 2 && CODE <= 3)) || exit "$CODE"
  sentence=$(verdict_of "$folder")
  echo "gate: $sentence $folder/report.html; exit code $CODE"
  exit "$CODE"
}

main "$@"
