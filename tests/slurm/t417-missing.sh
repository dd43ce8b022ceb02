#!/bin/bash
# a node of a job that has no worker is named with the reason, and so is why no worker came at all
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
scratch
cat >prolog <<'E2'
#!/bin/sh
# The batch script, which has no number or, with Slurm 26.05, one below 0, may begin everywhere, steps on n1 alone.
[ "${SLURM_STEP_ID:--5}" -lt 0 ] || [ "$SLURMD_NODENAME" = n1 ]
E2
chmod +x prolog
echo "TaskProlog=$SCRATCH/prolog" >extra.conf
slurm_cluster NODES=3 GPUS=0 EXTRA="$SCRATCH/extra.conf"

# says NAME COMMAND TEXT
says() {
    sleep 1
    gannet "$2" "$1" | grep -E -e "$3"
}

synth two.yaml 100000 0.5
echo "slurm: {nodes: 2, exclude: n3, cpus_per_task: 2, time: 30m}" >>two.yaml
claim "a search on two nodes is submitted" timeout 300 gannet submit two.yaml --dir two
claim "trials end" until_true has_ended two 3
claim "status names the node without a worker, and why" until_true says two status \
    'note: 1 of 2 nodes has no worker: n2 \(.*TaskProlog failed'
claim "so does explain" says two explain '1 of 2 nodes has no worker: n2'
claim "and doctor" until_true says two doctor '^problem +worker +n2 has none; worker-n2.log .* says: .*TaskProlog failed'
matches "which has the one that works" '^ok +worker +n1: gannet' "$(gannet doctor two)"
claim "the search is ended" timeout 300 gannet cancel two

synth none.yaml 20
echo "slurm: {nodes: 1, exclude: n1, cpus_per_task: 2, time: 30m}" >>none.yaml
claim "a search on a node that lets no worker begin is submitted" timeout 300 gannet submit none.yaml --dir none
none_ended() {
    sleep 1
    job_is 2 FAILED
}
claim "its job ends" until_true none_ended
claim "status says why" says none status 'note: .*TaskProlog failed'
matches "and that there were no workers" 'there are no workers' "$(gannet status none)"

synth broken.yaml 20
echo "slurm: {cpus_per_task: 2, time: 30m, setup: [echo hello, source /nowhere/activate, echo never]}" >>broken.yaml
claim "a search whose setup fails is submitted" timeout 300 gannet submit broken.yaml --dir broken
claim "status names the command that failed" until_true says broken status 'status 1 of: source /nowhere/activate'
finish
