# shellcheck shell=bash disable=SC2153,SC2154
# Measures cases in doubt in pairs: the baseline's side beside today's, on one device.
# BASELINE_SIDE: revision or folder of the baseline's side. Pairs are not gone on with: each try has
# a folder of its own.
number=$1
device=$(<"$FOLDER/pairs/$number.device")
mapfile -t cases <"$FOLDER/pairs/$number.cases"

on_failure() {
  trap - ERR
  set +eE
  say "pairs on $device: $1"
  exit 2
}

get_ready
words=(ab "$BASELINE_SIDE" . "${SUITES[@]}" "${PAIR_FLAGS[@]}" --device "$device" --no-build
  -o "$FOLDER/pairs/$number-${SLURM_RESTART_COUNT:-0}")
for case in "${cases[@]}"; do words+=(--case "$case"); done
exec "${PLUMBLINE[@]}" "${words[@]}" </dev/null
