# shellcheck shell=bash disable=SC2153,SC2154
# After the array: merges the shards, compares, has cases in doubt measured again in pairs on the
# device that measured them, writes the page, updates the site. Safe to repeat. Further settings:
#
# RUN            the merged run's directory
# COMPARE_FLAGS  of `plumbline compare`
# BASELINES      folder of the accepted runs
# BASELINE_SIDE  revision or folder of the baseline's side; "": nothing is confirmed in pairs
# SITE, RUNS     folder of the site, "" for none, and of the runs that it shows
#
# Exit codes: 0 nothing regressed, 1 a regression, 2 an error, 3 could not judge.
end() {
  printf '%s\n' "$1" >"$FOLDER/exit_code.tmp" && mv "$FOLDER/exit_code.tmp" "$FOLDER/exit_code"
  exit "$1"
}

on_failure() {
  trap - ERR
  set +eE
  say "$1"
  end 2
}

# last_of TASK: what a task that is not finished said last.
last_of() { tail -qn 1 "$FOLDER/logs/task-$1.log" 2>/dev/null || echo "no log"; }

# Sets PRESENT to the shards that can be merged, and says which are missing.
find_shards() {
  local i
  PRESENT=()
  for ((i = 1; i <= SHARDS; i++)); do
    if is_finished "$FOLDER/shards/$i"; then
      PRESENT+=("$FOLDER/shards/$i")
    else
      say "missing: task $i did not finish its shard: $(last_of "$i")"
    fi
  done
  ((${#PRESENT[@]})) || on_failure "no task finished its shard; see $FOLDER/logs"
}

# node_of DEVICE: the node of the task that measured on this device last.
node_of() {
  local shard
  shard=$(grep -lsF "\"$1\"" "$FOLDER"/shards/*/run.json | head -n 1) || return
  awk '{ node = $2 } END { print node }' "$FOLDER/tries/$(basename "$(dirname "$shard")")"
}

# confirm: has the cases in doubt measured in pairs, one job for each device, and this script run
# again after them. Prints the number of jobs.
confirm() {
  local device node number=0 id jobs=""
  while IFS= read -r device; do
    number=$((number + 1))
    awk -F'\t' -v device="$device" '$1 == device { print $2 }' "$FOLDER/doubts.tsv" >"$FOLDER/pairs/$number.cases"
    printf '%s\n' "$device" >"$FOLDER/pairs/$number.device"
    node=$(node_of "$device")
    id=$(sbatch --parsable --chdir "$FOLDER" ${node:+--nodelist="$node"} "$FOLDER/confirm.sh" "$number") || return
    say "pairs on $device ($node): job $id, $(wc -l <"$FOLDER/pairs/$number.cases") cases"
    jobs+=:${id%%;*}
  done < <(cut -f1 "$FOLDER/doubts.tsv" | sort -u)
  id=$(sbatch --parsable --chdir "$FOLDER" --dependency="afterany$jobs" "$FOLDER/judge.sh") || return
  say "the verdict follows from job $id"
}

# wait_for_tasks: until each task is finished or given up. Slurm starts this script afterwards.
wait_for_tasks() {
  local i=1
  while ((i <= SHARDS)); do
    if is_finished "$FOLDER/shards/$i" || [[ -e $FOLDER/given-up/$i ]]; then
      i=$((i + 1))
    else
      sleep 10
    fi
  done
}

get_ready
[[ -z ${KUBERNETES_SERVICE_HOST:-} ]] || wait_for_tasks
find_shards
# Tasks that were missing have been submitted again since: the run is made anew.
if [[ -e $FOLDER/merged && $(<"$FOLDER/merged") != "${#PRESENT[@]}" ]]; then
  rm -rf -- "$RUN" "$FOLDER/pairs" "$FOLDER/confirmed"
  mkdir "$FOLDER/pairs"
fi
"${PLUMBLINE[@]}" merge "${PRESENT[@]}" --allow-missing -o "$RUN" || on_failure "the shards were not merged; see above"
echo "${#PRESENT[@]}" >"$FOLDER/merged"
words=(compare "$BASELINES" "$RUN" "${COMPARE_FLAGS[@]}" -o "$RUN/comparison.json" --markdown "$RUN/verdict.md"
  --junit "$RUN/junit.xml" --in-doubt "$FOLDER/doubts.tsv")
for pairs in "$FOLDER"/pairs/*/; do
  [[ ! -e $pairs/comparison.json ]] || words+=(--pairs "$pairs")
done
code=3
if [[ -e $BASELINES ]]; then
  "${PLUMBLINE[@]}" "${words[@]}"
  code=$?
fi
((code <= 3)) || code=2
if [[ -n $BASELINE_SIDE && -s $FOLDER/doubts.tsv && ! -e $FOLDER/confirmed ]]; then
  : >"$FOLDER/confirmed"
  confirm && exit 0
  say "the pairs cannot be submitted; the verdict is that of one run"
fi
page=$RUN/comparison.json
if [[ ! -e $page ]]; then
  page=$RUN
  say "no accepted baseline; look at the run and accept it: ${PLUMBLINE[*]} accept $(printf '%q' "$RUN") --baselines $(printf '%q' "$BASELINES")"
fi
"${PLUMBLINE[@]}" report "$page" -o "$RUN/report.html" || code=2
if [[ -n $SITE ]]; then
  "${PLUMBLINE[@]}" site "$SITE" --runs "$RUNS" --baselines "$BASELINES" || code=2
fi
say "exit code $code: $(sed -n '1s/^## //p' "$RUN/verdict.md" 2>/dev/null) $RUN/report.html"
end "$code"
