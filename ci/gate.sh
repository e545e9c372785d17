#!/usr/bin/env bash
# ci/gate.sh BASE_REF [OPTION...]: what a pull request does to the times. Builds this tree and the
# commit at which it left BASE_REF, measures both in pairs on the same device, and writes the page
# and the Markdown. Ends with one line that says what came of it. Options go to `plumbline ab`.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge.
# Killed or interrupted, the same call goes on: what is built stays built, and what is measured is
# not measured again. Pairs that were interrupted judge nothing and are measured anew, beside them.
#
# GATE_SUITES  suites or folders of suites, blanks between; default suites/quick.yaml
# GATE_DEVICE  as --device takes it; default the best one
# GATE_RUNS    where the results are kept; default runs/gate
# GATE_TREE    a tree with a build of the base, which is then not built
# PLUMBLINE_CACHE  its trees/ holds the base's tree; default ~/.cache/plumbline
# Relative paths are relative to where the script is called, defaults lie in the repository.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RUNS=${GATE_RUNS:-$ROOT/runs/gate}
read -ra SUITES <<<"${GATE_SUITES:-$ROOT/suites/quick.yaml}"

# base_tree COMMIT: prints a tree of that commit, built.
base_tree() {
  local tree=$CACHE/trees/$1
  if [[ -n ${GATE_TREE:-} ]]; then
    echo "$GATE_TREE"
    return
  fi
  if [[ ! -e $tree/.git ]]; then
    git -C "$ROOT" worktree prune
    mkdir -p "${tree%/*}"
    git -C "$ROOT" worktree add --force --force --detach --no-checkout "$tree" "$1" >&2 ||
      fail "git cannot make a tree of $1 in $tree"
  fi
  git -C "$tree" checkout --quiet --force --detach "$1" >&2
  build_tree "$tree" plumbline-worker
  echo "$tree"
}

# Prints a name for what this tree holds: its commit, and a checksum of what is not committed.
head_name() {
  local changes
  changes=$(git -C "$ROOT" diff HEAD | sha256sum)
  git -C "$ROOT" diff --quiet HEAD && changes=""
  echo "$(git -C "$ROOT" rev-parse --short=10 HEAD)${changes:+-${changes:0:8}}"
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

# measure BASE_TREE FOLDER OPTION...: measures and judges unless that is done; sets CODE.
measure() {
  local tree=$1 folder=$2 words
  shift 2
  if [[ -e $folder/exit_code ]]; then
    say "$folder is done; it is not measured again."
    CODE=$(<"$folder/exit_code")
    return
  fi
  mkdir -p "${folder%/*}"
  words=(ab "$tree" "$ROOT" "${SUITES[@]}" -o "$folder" --markdown "$folder/verdict.md"
    --junit "$folder/junit.xml")
  [[ -z ${GATE_DEVICE:-} ]] || words+=(--device "$GATE_DEVICE")
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  CODE=0
  run_plumbline "$folder.log" "${words[@]}" "$@" || CODE=$?
  ((CODE != 2 && CODE <= 3)) || return 0
  "$PLUMBLINE" report "$folder/comparison.json" -o "$folder/report.html" >&2 || exit 2
  keep_code "$folder" "$CODE"
}

main() {
  local reference base tree folder
  (($# > 0)) || fail "name the branch or commit to compare with, as in: ci/gate.sh origin/main"
  reference=$1
  shift
  base=$(git -C "$ROOT" merge-base "$reference" HEAD) ||
    fail "git knows no common commit of $reference and HEAD; fetch it (fetch-depth: 0)"
  tree=$(base_tree "$base")
  build_tree "$ROOT" plumbline plumbline-worker
  folder=$(free_folder "$RUNS/${base:0:10}-$(head_name)")
  say "Measuring ${base:0:10} and this tree in pairs: $folder"
  measure "$tree" "$folder" "$@"
  ((CODE != 2 && CODE <= 3)) || exit "$CODE"
  echo "gate: $(verdict_of "$folder") $folder/report.html; exit code $CODE"
  exit "$CODE"
}

main "$@"
