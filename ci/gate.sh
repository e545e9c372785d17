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
SUITES=("$ROOT/suites/quick.yaml")
[[ -z ${GATE_SUITES:-} ]] || read -ra SUITES <<<"$GATE_SUITES"

# is_tree_of FOLDER COMMIT: whether git works there. Not where the clone that made it is gone.
is_tree_of() {
  [[ $(git -C "$1" rev-parse --show-toplevel 2>/dev/null) == "$(realpath "$1")" ]] &&
    git -C "$1" cat-file -e "$2^{commit}" 2>/dev/null
}

# base_tree COMMIT: prints a tree of that commit, built. Others of this cache wait meanwhile.
base_tree() {
  local tree=$CACHE/trees/$1
  if [[ -n ${GATE_TREE:-} ]]; then
    echo "$GATE_TREE"
    return
  fi
  mkdir -p "${tree%/*}"
  exec 9>"$tree.lock"
  if ! flock --nonblock 9; then
    say "waiting for another gate that makes $tree"
    flock 9
  fi
  if [[ -e $tree ]] && ! is_tree_of "$tree" "$1"; then
    say "$tree is no tree of $1 any more; making it anew"
    rm -rf "$tree"
  fi
  if [[ ! -e $tree ]]; then
    git -C "$ROOT" worktree prune
    git -C "$ROOT" worktree add --force --force --detach --no-checkout "$tree" "$1" >&2 ||
      fail "git cannot make a tree of $1 in $tree"
  fi
  git -C "$tree" checkout --quiet --force --detach "$1" >&2 ||
    fail "git cannot check $1 out in $tree; delete that folder to have it made anew"
  build_tree "$tree" plumbline-worker 9>&-
  echo "$tree"
}

# Prints what is not committed: changes, and checksums of files that git neither knows nor ignores.
uncommitted() {
  local others=(.) runs
  runs=$(realpath -m "$RUNS")
  [[ $runs != "$ROOT"/* ]] || others+=(":(exclude,literal)${runs#"$ROOT"/}")
  cd "$ROOT"
  git diff --binary HEAD
  git ls-files -z --others --exclude-standard -- "${others[@]}" |
    xargs -0 --no-run-if-empty sha256sum
}

# Prints a name for what this tree holds: its commit, and a checksum of what is not committed.
head_name() {
  local changes commit
  changes=$(uncommitted | sha256sum)
  commit=$(git -C "$ROOT" rev-parse --short=10 HEAD)
  [[ $changes != "$(sha256sum </dev/null)" ]] || changes=""
  echo "$commit${changes:+-${changes:0:8}}"
}

# measured_name OPTION...: prints a checksum of all else that a verdict depends on: what the suites
# say, the device, the base's build and the options.
measured_name() {
  local sum
  sum=$({
    find "${SUITES[@]}" -type f -print0 | sort -z | xargs -0 --no-run-if-empty sha256sum
    printf '%s\0' "${SUITES[@]}" "${GATE_DEVICE:-}" "${GATE_TREE:-}" "$@"
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

# measure BASE_TREE FOLDER OPTION...: measures and judges unless that is done; sets CODE.
measure() {
  local tree=$1 folder=$2 words
  shift 2
  if [[ -e $folder/exit_code ]]; then
    take_kept_code "$folder"
    return
  fi
  mkdir -p "${folder%/*}"
  words=(ab "$tree" "$ROOT" "${SUITES[@]}" -o "$folder" --markdown "$folder/verdict.md"
    --junit "$folder/junit.xml")
  [[ -z ${GATE_DEVICE:-} ]] || words+=(--device "$GATE_DEVICE")
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  run_plumbline "$folder.log" "${words[@]}" "$@"
  ((CODE != 2 && CODE <= 3)) || return 0
  "$PLUMBLINE" report "$folder/comparison.json" -o "$folder/report.html" >&2 ||
    fail "the page of $folder was not made"
  keep_code "$folder" "$CODE"
}

main() {
  local reference base tree folder sentence
  (($# > 0)) || fail "name the branch or commit to compare with, as in: ci/gate.sh origin/main"
  reference=$1
  shift
  base=$(git -C "$ROOT" merge-base "$reference" HEAD) ||
    fail "git knows no common commit of $reference and HEAD; fetch it (fetch-depth: 0)"
  tree=$(base_tree "$base")
  build_tree "$ROOT" plumbline plumbline-worker
  folder=$RUNS/${base:0:10}-$(head_name)
  folder+=-$(measured_name "$@")
  folder=$(free_folder "$folder")
  say "Measuring ${base:0:10} and this tree in pairs: $folder"
  measure "$tree" "$folder" "$@"
  ((CODE != 2 && CODE <= 3)) || exit "$CODE"
  sentence=$(verdict_of "$folder")
  echo "gate: $sentence $folder/report.html; exit code $CODE"
  exit "$CODE"
}

main "$@"
