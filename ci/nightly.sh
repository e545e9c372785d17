#!/usr/bin/env bash
# ci/nightly.sh [OPTION...]: measures the suites of the git repository in which it is called, whosever
# that is, on every device of this machine, judges them against the accepted baseline, measures again
# what looks changed, and brings the site up to date. Ends with one line that says what came of it.
# Options go to `plumbline check`.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge (as before a first
# baseline is accepted; the line says how); of several devices the first of 2, 1, 3, 0.
# Killed or interrupted, the same call goes on: a device that is done is left alone, and a run is
# taken up where it stood. Of two at once on a device the second ends with 2 and names the first.
#
# NIGHTLY_SUITES         suites or folders of suites, blanks between; default suites/nightly, and where
#                        there is no such folder those that plumbline.yaml names
# NIGHTLY_DEVICES        as --device takes them, blanks between; default every GPU, else cpu.
#                        cuda:all is one run whose cases are shared among the GPUs
# NIGHTLY_NAME           of this night; default the day that it began and the commit. A night that
#                        is done is not measured again, so one more needs another name
# NIGHTLY_RUNS           where runs are kept, the history; default runs
# NIGHTLY_BASELINES      default baselines
# NIGHTLY_BASELINE_REF   a revision that holds what the baseline was measured with: changes are then
#                        confirmed in pairs; default none
# NIGHTLY_BASELINE_TREE  the same, a folder
# NIGHTLY_SITE           default site; empty for none
# NIGHTLY_BUILD          0: neither Plumbline nor what is measured is built
# PLUMBLINE              the program; default that of the tree in which this script lies, which is
#                        built first, or the one on PATH
# Relative paths are relative to where the script is called, defaults lie in the repository.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RUNS=${NIGHTLY_RUNS:-$REPO/runs}
BASELINES=${NIGHTLY_BASELINES:-$REPO/baselines}
SITE=${NIGHTLY_SITE-$REPO/site}
named_suites "${NIGHTLY_SUITES:-}" "$REPO/suites/nightly"

# Prints every GPU, or cpu where there is none.
devices() {
  local listed found
  listed=$("$PLUMBLINE" list "${SUITES[@]}" --devices) || fail "the devices cannot be listed; see above"
  found=$(grep '^cuda:' <<<"$listed") || found=cpu
  printf '%s\n' "$found"
}

# run_of DEVICE: the folder of this night's run; one that was begun on another day is gone on with.
run_of() {
  local device=${1//[^A-Za-z0-9]/-} commit begun
  if [[ -n ${NIGHTLY_NAME:-} ]]; then
    echo "$RUNS/$NIGHTLY_NAME-$device"
    return
  fi
  commit=${PLUMBLINE_COMMIT:-$(git -C "$REPO" rev-parse HEAD 2>/dev/null || echo unknown)}
  for begun in "$RUNS"/????-??-??-"${commit:0:10}-$device"; do
    if [[ -e $begun/run.json && ! -e $begun/exit_code ]]; then
      echo "$begun"
      return
    fi
  done
  echo "$RUNS/$(date -u +%F)-${commit:0:10}-$device"
}

# judge RUN DEVICE OPTION...: measures and judges unless that is done; sets CODE.
judge() {
  local run=$1 device=$2 words
  shift 2
  if [[ -e $run/exit_code ]]; then
    take_kept_code "$run"
    return
  fi
  words=(check "${SUITES[@]}" --device "$device" -o "$run" --baselines "$BASELINES"
    --history "$RUNS" --markdown "$run/verdict.md" --junit "$run/junit.xml")
  [[ -z ${NIGHTLY_BASELINE_TREE:-} ]] || words+=(--baseline-tree "$NIGHTLY_BASELINE_TREE")
  [[ -z ${NIGHTLY_BASELINE_REF:-} ]] || words+=(--baseline-ref "$NIGHTLY_BASELINE_REF")
  [[ ${NIGHTLY_BUILD:-1} != 0 ]] || words+=(--no-build)
  [[ ! -e $run/run.json ]] || words+=(--resume)
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  run_plumbline "$run.log" "${words[@]}" "$@"
  ((CODE == 2 || CODE > 3)) || keep_code "$run" "$CODE"
}

# words_of RUN DEVICE CODE: what came of it, for the last line.
words_of() {
  local run=$1 device=$2 code=$3 refusal words
  if [[ -e $run/verdict.md && -e $run/exit_code ]]; then
    echo "$device: $(verdict_of "$run") $run/report.html"
  elif [[ $code == 3 ]]; then
    words=("$PLUMBLINE" accept "$run" --baselines "$BASELINES")
    if refusal=$("${words[@]}" --dry-run 2>&1); then
      echo "$device: no accepted baseline; look at $run and accept it:$(printf ' %q' "${words[@]}")"
    else
      refusal=${refusal##*$'\n'}
      echo "$device: not judged, and this run cannot become a baseline: ${refusal#error: } See $run.log"
    fi
  else
    echo "$device: not finished, see $run.log"
  fi
}

main() {
  local device run worst=0 line="" chosen
  [[ ${NIGHTLY_NAME:-} != */* ]] || fail "NIGHTLY_NAME is the name of a folder: it holds no slash"
  find_plumbline "${NIGHTLY_BUILD:-1}"
  mkdir -p "$RUNS"
  chosen=${NIGHTLY_DEVICES:-$(devices)}
  [[ $chosen == *[![:space:]]* ]] || fail "NIGHTLY_DEVICES names no device"
  for device in $chosen; do
    run=$(run_of "$device")
    say "Tonight on $device: $run"
    judge "$run" "$device" "$@"
    ((CODE <= 3)) || exit "$CODE"
    worst=$(worse "$worst" "$CODE")
    line+="$(words_of "$run" "$device" "$CODE"); "
  done
  if [[ -n $SITE ]] && ! "$PLUMBLINE" site "$SITE" --runs "$RUNS" --baselines "$BASELINES" >&2; then
    worst=$(worse "$worst" 2)
    line+="the site was not brought up to date; "
  fi
  echo "nightly: ${line}exit code $worst"
  exit "$worst"
}

main "$@"
