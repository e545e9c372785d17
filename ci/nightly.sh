#!/usr/bin/env bash
# ci/nightly.sh [OPTION...]: measures the suites of any git repository, the one in which it is called,
# on every device of this machine. Judges them against the accepted baseline, measures again what
# looks changed, and updates the site. Ends with one line that gives the result.
# Options go to `plumbline check`.
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge (as before a first
# baseline is accepted; the line says how). With several devices, the first of 2, 1, 3, 0.
# After a kill or an interrupt, the same call continues: a device that is done is skipped, and an
# unfinished run is completed. Of two calls at once on a device, the second ends with 2 and names the
# first.
#
# NIGHTLY_SUITES         suites or folders of suites, separated by blanks; default: suites/nightly,
#                        or without that folder those that plumbline.yaml names
# NIGHTLY_DEVICES        values of --device, separated by blanks; default: every GPU, else cpu.
#                        cuda:all is one run whose cases are shared among the GPUs
# NIGHTLY_NAME           name of this night; default: the day of its start and the commit. A night
#                        that is done is not measured again: to repeat it, give another name
# NIGHTLY_RUNS           where runs, the history, are kept; default: runs
# NIGHTLY_BASELINES      folder of the baselines; default: baselines
# NIGHTLY_BASELINE_REF   the revision with which the baseline was measured: changes are then
#                        confirmed in pairs; default: none
# NIGHTLY_BASELINE_TREE  the same, as a folder
# NIGHTLY_SITE           folder of the site; default: site; empty: no site
# NIGHTLY_BUILD          the command that builds the measured repository; default: `build:` of
#                        plumbline.yaml. 0: builds neither Plumbline nor the measured repository
# PLUMBLINE              the program; default: the one installed with this script, else the one on
#                        PATH, else that of this script's own tree, which is built first
# Relative paths start where the script is called; defaults lie in the repository.
set -euo pipefail
# shellcheck source=ci/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"

RUNS=${NIGHTLY_RUNS:-$REPO/runs}
BASELINES=${NIGHTLY_BASELINES:-$REPO/baselines}
SITE=${NIGHTLY_SITE-$REPO/site}
named_suites "${NIGHTLY_SUITES:-}" "$REPO/suites/nightly"

# Prints every GPU, or cpu if there is none.
devices() {
  local listed found
  listed=$("$PLUMBLINE" list "${SUITES[@]}" --devices) || fail "the devices cannot be listed; see above"
  found=$(grep '^cuda:' <<<"$listed") || found=cpu
  printf '%s\n' "$found"
}

# run_of DEVICE: prints the folder of this night's run; a run begun on another day is continued.
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

# judge RUN DEVICE OPTION...: measures and judges unless both are done; sets CODE.
judge() {
  local run=$1 device=$2 words
  shift 2
  if [[ -e $run/exit_code ]]; then
    take_kept_code "$run"
    return
  fi
  words=(check "${SUITES[@]}" --device "$device" -o "$run" --baselines "$BASELINES"
    --runs "$RUNS" --history --markdown "$run/verdict.md" --junit "$run/junit.xml"
    --sarif "$run/verdict.sarif")
  [[ -z ${NIGHTLY_BASELINE_TREE:-} ]] || words+=(--baseline-tree "$NIGHTLY_BASELINE_TREE")
  [[ -z ${NIGHTLY_BASELINE_REF:-} ]] || words+=(--baseline-ref "$NIGHTLY_BASELINE_REF")
  case ${NIGHTLY_BUILD:-} in
    "") ;;
    0) words+=(--no-build) ;;
    *) words+=(--build "$NIGHTLY_BUILD") ;;
  esac
  [[ ! -e $run/run.json ]] || words+=(--resume)
  [[ -z ${GITHUB_STEP_SUMMARY:-} ]] || words+=(--github)
  run_plumbline "$run.log" "${words[@]}" "$@"
  ((CODE == 2 || CODE > 3)) || keep_code "$run" "$CODE"
}

# words_of RUN DEVICE CODE: prints the result for the last line.
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
      echo "$device: not judged, and this run cannot become a baseline: ${refusal#error: }; log: $run.log"
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
    tell_folder "$run"
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
