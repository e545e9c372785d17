#!/usr/bin/env bash
# ci/judge.sh [OPTION...]: a job of a pipeline, for any repository with a plumbline.yaml: measures a
# change (ci/gate.sh) or a night (ci/nightly.sh) and keeps what other steps publish. Options go to
# `plumbline ab` or `plumbline check`. Every setting is a word or words: nothing is run as a command
# of the shell, except for JUDGE_BUILD.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge.
#
# JUDGE_BASELINE   what the change is compared with: merge-base, where it left the branch that it is
#                  for (of GitHub, GitLab, Jenkins or Buildkite; else origin's own branch); accepted,
#                  the accepted baseline; or a branch, tag or commit; default: merge-base
# JUDGE_SUITES     suites or folders of suites, separated by blanks; default: those of plumbline.yaml
# JUDGE_DEVICE     a value of --device; default: the best device; of a night, every GPU
# JUDGE_BUILD      the command that builds each side; default: `build:` of plumbline.yaml
# JUDGE_THRESHOLD  the smallest change that counts, as 2%; default: that of plumbline.yaml
# JUDGE_MARGIN     a case is SAME within this share, as 2%; default: that of plumbline.yaml
# JUDGE_SANDBOX    true: measured code and JUDGE_BUILD run in a sandbox (--sandbox); default: false
# JUDGE_OPTIONS    further options, separated by blanks, as --tag nightly
# JUDGE_RUNS       where results are kept; default: runs
# JUDGE_SITE       folder of the site of accepted results; default: none
# PLUMBLINE        the program, as for ci/gate.sh
#
# Writes into JUDGE_RUNS: verdict.md, the text of a comment; verdict.sarif; result, with the lines
# code=, verdict= and folder=. These lines are also added to the file that GITHUB_OUTPUT names.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
RUNS=$(realpath -m "${JUDGE_RUNS:-$REPO/runs}")
FOLDERS=$(mktemp)  # outside of the tree, where a build cannot write
trap 'rm -f "$FOLDERS"' EXIT

# Prints the branch that this change is for, as git knows it here.
target() {
  local branch=${GITHUB_BASE_REF:-${CI_MERGE_REQUEST_DIFF_BASE_SHA:-${CHANGE_TARGET:-${BUILDKITE_PULL_REQUEST_BASE_BRANCH:-}}}}
  if [[ -z $branch ]]; then
    git -C "$REPO" symbolic-ref --quiet refs/remotes/origin/HEAD ||
      fail "no variable of a pipeline names the branch that this change is for, and origin has no branch of its own: set JUDGE_BASELINE to a branch"
  elif git -C "$REPO" rev-parse --verify --quiet "refs/remotes/origin/$branch^{commit}" >/dev/null; then
    echo "refs/remotes/origin/$branch"
  else
    echo "$branch"  # a commit
  fi
}

# Prints the words of $1; globs and quotes stand for themselves.
words_of() {
  local words=()
  read -r -d '' -a words <<<"$1" || true
  ((${#words[@]} == 0)) || printf '%s\0' "${words[@]}"
}

# The one word that says how a job with this exit code ended.
word_of() {
  case $1 in
    0) echo clean ;;
    1) echo regression ;;
    3) echo neutral ;;
    *) echo error ;;
  esac
}

# Prints the last error of the logs as a code block, so that nothing in it is markup.
reason() {
  local folder
  while IFS= read -r folder; do
    [[ -s $folder.log ]] || continue
    { grep '^error: ' "$folder.log" || true; } | tail -n 1 | cut -b 1-1000 | sed 's/^/\n    /'
  done <"$FOLDERS"
}

# Writes verdict.md: what the folders say, else LINE.
write_comment() {
  local line=$1 folder found=0
  {
    while IFS= read -r folder; do
      [[ -s $folder/verdict.md ]] || continue
      ((found == 0)) || echo
      found=1
      cat "$folder/verdict.md"
    done <"$FOLDERS"
    ((found)) || printf '## Plumbline · not judged\n\n%s\n' "$line"
    ((found)) || reason
  } >"$RUNS/verdict.md"
}

# Keeps what the next steps need: CODE and the one LINE that the script said.
keep_result() {
  local line=$1 folder=""
  [[ ! -s $FOLDERS ]] || folder=$(head -n 1 "$FOLDERS")
  [[ -d $folder ]] || folder=""  # what was refused leaves none
  write_comment "${line:-The measurement ended with an error. Its log has the reason.}"
  [[ ! -s $folder/verdict.sarif ]] || cp "$folder/verdict.sarif" "$RUNS/verdict.sarif"
  printf 'code=%s\nverdict=%s\nfolder=%s\n' "$CODE" "$(word_of "$CODE")" "$folder" >"$RUNS/result"
  [[ -z ${GITHUB_OUTPUT:-} ]] || cat "$RUNS/result" >>"$GITHUB_OUTPUT"
  [[ -z ${GITHUB_STEP_SUMMARY:-} || -s $folder/verdict.md ]] || cat "$RUNS/verdict.md" >>"$GITHUB_STEP_SUMMARY"
}

# measure OPTION...: calls the script for the baseline; prints its line.
measure() {
  local baseline=${JUDGE_BASELINE:-merge-base}
  export CI_FOLDERS=$FOLDERS
  if [[ $baseline == accepted ]]; then
    NIGHTLY_SUITES=${JUDGE_SUITES:-} NIGHTLY_DEVICES=${JUDGE_DEVICE:-${NIGHTLY_DEVICES:-}} \
      NIGHTLY_BUILD=${JUDGE_BUILD:-${NIGHTLY_BUILD:-}} NIGHTLY_RUNS=$RUNS NIGHTLY_SITE=${JUDGE_SITE:-} \
      NIGHTLY_NAME=${NIGHTLY_NAME:-${GITHUB_RUN_ID:+nightly-$GITHUB_RUN_ID}} \
      "$HERE/nightly.sh" "$@"
    return
  fi
  if [[ $baseline == merge-base ]]; then
    baseline=$(target) || return 2
  fi
  GATE_SUITES=${JUDGE_SUITES:-} GATE_DEVICE=${JUDGE_DEVICE:-} GATE_BUILD=${JUDGE_BUILD:-} GATE_RUNS=$RUNS/gate \
    "$HERE/gate.sh" "$baseline" "$@"
}

main() {
  local options line
  [[ ${JUDGE_BASELINE:-} != -* ]] || fail "JUDGE_BASELINE=$JUDGE_BASELINE is an option, and no branch"
  mkdir -p "$RUNS"
  rm -f "$RUNS"/verdict.md "$RUNS"/verdict.sarif "$RUNS"/result
  : >"$FOLDERS"
  mapfile -d '' -t options < <(words_of "${JUDGE_OPTIONS:-}")
  [[ -z ${JUDGE_THRESHOLD:-} ]] || options+=("--threshold=$JUDGE_THRESHOLD")
  [[ -z ${JUDGE_MARGIN:-} ]] || options+=("--margin=$JUDGE_MARGIN")
  case ${JUDGE_SANDBOX:-false} in
    true) options+=(--sandbox) ;;
    false) ;;
    *) fail "JUDGE_SANDBOX=$JUDGE_SANDBOX: allowed are true and false" ;;
  esac
  CODE=0
  line=$(measure "$@" "${options[@]}") || CODE=$?
  ((CODE <= 3 || CODE > 128)) || CODE=2
  keep_result "$line"
  [[ -z $line ]] || printf '%s\n' "$line"
  exit "$CODE"
}

main "$@"
