# shellcheck shell=bash disable=SC2153,SC2154
# One task of the array: measures one shard, or goes on with it. Ends with 0 if the shard is
# finished; cases that failed are in its results. A task is begun again
#   by Slurm       after preemption and if a node fails,
#   by this script if the time limit is near or if plumbline fails, then on another node.
# It is given up after TRIES beginnings in a row that finished no visit.
#
# In a pod of an Indexed Job of Kubernetes, it ends with 1 to be begun again, and with 0 when it is
# given up, as the Job itself would end otherwise.
if [[ -n ${JOB_COMPLETION_INDEX:-} ]]; then
  index=$((JOB_COMPLETION_INDEX + 1)) job=
else
  index=$SLURM_ARRAY_TASK_ID job=${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID
fi
shard=$FOLDER/shards/$index
tries=$FOLDER/tries/$index  # lines: bytes of results, node, "begun" or "preempted", array
array=${SLURM_ARRAY_JOB_ID:-pods}
stopped=

# Bytes of results so far: they grow with each visit.
measured() { stat -c %s "$shard/results.csv" 2>/dev/null || echo 0; }

# How often a try began with as much as there is now, in a row. Preemption is nobody's mistake.
tries_in_vain() {
  awk -v now="$(measured)" -v array="$array" '
    $4 != array { next }  # submitted again by hand
    $1 != now { n = 0; next }
    { n += $3 == "begun" ? 1 : -1 }
    END { print n + 0 }' "$tries"
}

# nodes_to_avoid: nodes on which this task failed, if other nodes have had tasks.
nodes_to_avoid() {
  local bad
  bad=$(awk -v now="$(measured)" '$1 == now && $3 == "begun" { print $2 }' "$tries" | sort -u)
  if awk '{ print $2 }' "$FOLDER"/tries/* | grep -qvxF "$bad"; then
    paste -sd, <<<"$bad"
  fi
}

# again [NODES]: ends this try; Slurm starts the task again, not on NODES.
again() {
  trap '' TERM USR1
  [[ -n $job ]] || exit 1
  scontrol requeue "$job" || {
    say "Slurm does not start task $index again; by hand: cd $(printf %q "$FOLDER") && sbatch --array=$index task.sh"
    exit 1
  }
  [[ -z ${1:-} ]] || scontrol update JobId="$job" ExcNodeList="$1" || say "nodes $1 cannot be left out"
  exit 0
}

on_failure() {
  trap - ERR
  set +eE
  say "task $index: $1"
  again "$(nodes_to_avoid)"
}

# stop WHY: ends plumbline cleanly; what it has measured stays.
stop() {
  stopped=$1
  [[ -z ${child:-} ]] || kill -TERM "$child" 2>/dev/null
}

trap 'stop time' USR1
trap 'stop slurm' TERM

# If a node is lost, its processes may live on. All hold this lock, plumbline too, so that never two
# of them measure one shard.
exec 9>>"$FOLDER/locks/$index"
flock --nonblock 9 || {
  say "task $index: an earlier try still measures; waiting for its end"
  flock --timeout 3600 9
  code=$?
  ((code != 1)) || again
  ((code == 0)) || say "this file system has no locks, so two tries could measure one shard"
}

if is_finished "$shard"; then
  say "task $index: its shard is finished already"
  exit 0
fi
[[ -e $tries ]] || : >"$tries"
if (($(tries_in_vain) >= TRIES)); then
  say "task $index is given up: $TRIES tries in a row finished no visit; their nodes: $(
    tail -n "$TRIES" "$tries" | awk '{ print $2 }' | paste -sd' ')"
  : >"$FOLDER/given-up/$index"
  [[ -z $job ]] || exit 1
  exit 0
fi
begun="$(measured) $NODE"
echo "$begun begun $array" >>"$tries"
say "task $index of $SHARDS, try $(grep -c begun "$tries")"

rm -f "$FOLDER/given-up/$index"
get_ready
words=(run "${SUITES[@]}" "${RUN_FLAGS[@]}" --shard "$index/$SHARDS" -o "$shard")
[[ ! -e $shard/run.json ]] || words+=(--resume --any-device)
if [[ -z $stopped ]]; then
  "${PLUMBLINE[@]}" "${words[@]}" </dev/null &
  child=$!
  [[ -z $stopped ]] || stop "$stopped"
  until wait "$child"; ! kill -0 "$child" 2>/dev/null; do :; done
  wait "$child"
  code=$?
fi

if is_finished "$shard"; then
  say "task $index: its shard is finished"
  exit 0
fi
case $stopped in
  slurm)
    echo "$begun preempted $array" >>"$tries"
    say "task $index: stopped by Slurm; it goes on where it is started again"
    exit 143
    ;;
  time)
    say "task $index: its time is nearly over; it is started again"
    again
    ;;
esac
on_failure "plumbline ended with exit code $code; it is tried again"
