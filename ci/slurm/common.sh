# shellcheck shell=bash disable=SC2034,SC2154
# `plumbline submit` puts this behind the settings of a submission, and one of task.sh, judge.sh and
# confirm.sh behind this. The settings:
#
# FOLDER     of the submission: shards, tries, logs
# WORK       of the project: the commands run here
# PLUMBLINE  the program, and before it the words that start it in a container
# SUITES     words that name the suites, and RUN_FLAGS those of `plumbline run`
# SHARDS     number of tasks, and TRIES how often one of them may begin without finishing a visit
# prepare    loads modules and runs the set-up lines
set -o pipefail

NODE=${SLURMD_NODENAME:-${NODE_NAME:-$HOSTNAME}}
mkdir -p "$FOLDER"/{logs,shards,tries,locks,pairs,given-up}

say() { printf '%s %s: %s\n' "$(date -u +%FT%TZ)" "$NODE" "$*" >&2; }

# is_finished RUN: whether the run directory holds a finished run.
is_finished() { grep -qs '^  "finished_at": "[^"]' "$1/run.json"; }

# get_ready: prepares the node. A line that fails ends the script by on_failure.
get_ready() {
  set -eE
  trap 'on_failure "a set-up line failed: $BASH_COMMAND"' ERR
  cd -- "$WORK"
  prepare
  trap - ERR
  set +eE
}
