#!/bin/bash
# a program of a trial that calls srun has its processes on the trial's node, cores and in its environment
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=2 GPUS=0
export LC_ALL=C

cat >rank.sh <<'SH'
#!/bin/sh
echo "rank $SLURM_PROCID of $SLURM_NTASKS on $SLURMD_NODENAME threads $OMP_NUM_THREADS"
"$GANNET" metric "loss=0.$((SLURM_PROCID + 1))" --step 1
SH
cat >lead.sh <<'SH'
#!/bin/sh
echo "lead $GANNET_RANKS $GANNET_LOCAL_RANKS $GANNET_NODES rank ${RANK-none} on $SLURMD_NODENAME"
cat "$GANNET_HOSTFILE"
srun "$1/rank.sh"
SH
chmod +x rank.sh lead.sh
cat >lead.yaml <<YAML
version: 1
trial: {command: [$SCRATCH/lead.sh, $SCRATCH, "\${params.x}"], launch: first}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
resources: {ranks: 2}
limits: {max_trials: 2, max_concurrent: 1}
slurm: {nodes: 1, cpus_per_task: 2, time: 10m}
YAML
claim "a search whose trials call srun is submitted" timeout 300 gannet submit lead.yaml --dir r
claim "and ends by itself" until_true job_is 1 COMPLETED
is "with all of its trials" 2 "$(gannet trials r --csv --columns state | grep -c completed)"
said=$(cat r/trials/000001/stdout)
matches "the program is started once, and is no rank itself" '^lead 2 2 1 rank none on n[12]$' "$said"
matches "it has a list of hosts" '^n[12] slots=2$' "$said"
is "srun starts each process once" "0 of 2 1 of 2" \
    "$(printf '%s\n' "$said" | sed -n 's/^rank \(. of .\) on .*/\1/p' | sort | xargs)"
is "on the trial's node" 1 "$(printf '%s\n' "$said" | sed -n 's/.* on \(n[12]\).*/\1/p' | sort -u | wc -l)"
is "with the threads of its part" "1 1" "$(printf '%s\n' "$said" | sed -n 's/.* threads //p' | xargs)"
is "the first alone reports" "0.1" "$(gannet trials r --csv --columns value | sed -n 2p | tr -d '\r')"
is "with nothing to complain of, but that this cluster binds nobody" "" \
    "$(grep -hv 'cluster configuration lacks support for cpu binding' r/trials/*/stderr)"
claim "nothing of it is left in the queue" no_jobs_left

# --- where Slurm binds, each process has cores of its own ---
cores=$(env -u OMP_NUM_THREADS nproc)
if [ "$cores" -lt 2 ] || lscpu | grep -q '^Thread(s) per core: *[2-9]'; then
    skip "each process has cores of its own" "that takes two cores of one hyperthread each"
    finish
fi
cluster down
sockets=$(lscpu | sed -n 's/^Socket(s): *//p')
slurm_cluster NODES=1 GPUS=0 TASK=affinity SOCKETS="$sockets" CORES=$((cores / sockets))
cat >rank.sh <<'SH'
#!/bin/sh
sed -n 's/^Cpus_allowed_list:\t/cpus /p' /proc/self/status
echo "loss=$SLURM_PROCID"
SH
claim "on a cluster that binds it is submitted, too" timeout 300 gannet submit lead.yaml --dir b
claim "and ends by itself" until_true job_is 1 COMPLETED
said=$(cat b/trials/000001/stdout)
is "both processes have said their cores" 2 "$(printf '%s\n' "$said" | grep -c '^cpus [0-9]*$')"
is "each has one of its own" 2 "$(printf '%s\n' "$said" | grep '^cpus' | sort -u | wc -l)"
is "with nothing to complain of there" "" "$(cat b/trials/*/stderr)"
finish
