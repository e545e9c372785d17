#!/usr/bin/env bash
# ci/github/verdict.sh: ends a job of GitHub Actions as the measurement ended. What could not be judged
# is neutral: the job passes and says so.
#
# VERDICT_CODE   the exit code of ci/judge.sh; empty if it did not end
# VERDICT_FAILS  true: the job fails, too, if nothing could be judged
set -euo pipefail

case ${VERDICT_CODE:-} in
  0) echo "Clean: nothing regressed" ;;
  1)
    echo "::error title=Plumbline::A regression; the summary has the verdict"
    exit 1
    ;;
  3)
    echo "::notice title=Plumbline::Neutral: it could not be judged; the summary says why"
    [[ ${VERDICT_FAILS:-} != true ]] || exit 3
    ;;
  *)
    echo "::error title=Plumbline::Nothing was measured; the log of the step before has the reason"
    exit 2
    ;;
esac
