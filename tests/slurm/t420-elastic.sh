#!/bin/bash
# workers are submitted while there is work for them, leave when there is none, and what can't be had is said
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/elastic.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
slurm_cluster NODES=4 GPUS=0
unset GANNET_SLURM_MODULE
export GANNET_SLURM_PACE=0.02 # 10 s between two questions become 0.2 s

# --- a search whose coordinator has a job of its own ---
search s.yaml elastic 24 0.4 "workers: 3" "idle_time: 2s" "backlog: 2"
claim "it is submitted" gannet submit s.yaml --dir s
claim "workers come" until_true sh -c '[ "$(gannet status s --json | grep -o "\"name\": \"n[0-9]" | sort -u | wc -l)" -ge 2 ]'
claim "the search ends" gannet wait s --timeout 60s
is "with its trials, each once" 24 "$(ended_count s)"
claim "several workers took part" test "$(gannet trials s --csv --columns node | sort -u | grep -c '^n')" -ge 2
claim "nothing is left in the queue" until_true no_jobs_left
submitted=$(timeout 10 scontrol show config >/dev/null; timeout 10 sdiag | awk '/Jobs submitted/ { print $3 }')
claim "no more workers than allowed were submitted at a time" test "$submitted" -le 8
claim "the books have every worker's job and its nodes" \
    sh -c 'gannet status s --json | tr "{" "\n" | grep "\"role\": \"worker\"" | grep -q "\"nodes\": \"n"'

# --- workers leave when they have no work ---
cat >long.py <<'END'
END
search idle.yaml elastic 5 "{choice: 0}" "workers: 4" "idle_time: 1s" "backlog: 4" "coordinator: here"
finish
