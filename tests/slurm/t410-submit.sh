#!/bin/bash
# a real Slurm takes what gannet submit asks for, says what is wrong with it, and does what pause, resume and cancel say
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=2
unset GANNET_SLURM_MODULE
cat >x.yaml <<'EOF'
version: 1
trial: {kernel: synth, options: {function: branin}}
metric: {name: value, goal: minimize}
parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}
limits: {max_trials: 4}
slurm: {time: 90m, nodes: 2, cpus_per_task: 3, comment: of Ada}
EOF

# refused OPTIONS KEY: Slurm refuses these, and the sentence is about this key; nothing is left.
refused() {
    # shellcheck disable=SC2086
    refuse "refused: $1" 3 "$2" timeout 300 gannet submit x.yaml -- $1
    [ ! -e runs ] || diag "a run directory was left"
}

refused "-p lwo" "slurm.partition \(lwo\): .* did you mean 'low'\? The partitions: main, high, low"
refused "-w n9" 'slurm.nodelist \(n9\): there is no such node'
refused "-C teapot" 'slurm.constraint \(teapot\): no node has such a feature'
refused "--gres=gpu:99" 'gres'
refused "--gres=tpu:1" 'slurm.gres \(tpu:1\)'
refused "--mem=9000G" 'look at gres, gpus_per_node, cpus_per_task, mem'
refused "-c 4000" 'nodes and cpus_per_task'
refused "-N 77" 'nodes'
refused "--reservation=table" 'slurm.reservation \(table\): there is no such reservation'
refused "-L matlab:1" 'slurm.licenses \(matlab:1\)'
claim "nothing is left of any of them" test ! -e runs
sed 's/nodes: 2/shape: elastic, workers: 2/' x.yaml >e.yaml
for options in "--gres=gpu:99" "-C teapot" "-w n9"; do
    # shellcheck disable=SC2086
    refuse "what a worker asks for in vain is refused at once: $options" 3 'refused the job: a worker' \
        timeout 300 gannet submit e.yaml -- $options
done
claim "and nothing is left of that" test ! -e runs

# shown JOB: what Slurm has of a job, but for what two of them can't have in common.
shown() {
    timeout 60 scontrol show -o job "$1" | perl -pe 's/ SubmitLine=.*?(?= [A-Z]\w*=)//' | tr ' ' '\n' |
        grep -vE '^(JobId|SubmitTime|EligibleTime|AccrueTime|LastSchedEval|Command|Comment|StdOut|StdErr|Deadline|Dependency|StartTime|EndTime|AllocNode|Priority)' |
        grep -vE '^(Power=|)$'
}

# alike OPTIONS: gannet submit asks for the same job as sbatch, which is given the script that --dry-run shows.
alike() {
    # shellcheck disable=SC2086
    timeout 300 gannet submit x.yaml --dir "alike" -- --hold $1 >alike.out 2>&1 || { cat alike.out; return 1; }
    alike_ours=$(grep -o '"id": [0-9]*' alike/slurm.json | head -n 1 | grep -o '[0-9]*$')
    rm -r alike
    # shellcheck disable=SC2086
    gannet submit x.yaml --dir "alike" -n -- --hold $1 | sed -n '/^#!/,/^exec /p' >alike.sh
    alike_theirs=$(timeout 300 sbatch --parsable alike.sh) || return 1
    shown "$alike_ours" >ours
    shown "$alike_theirs" >theirs
    timeout 60 scancel "$alike_ours" "$alike_theirs"
    [ -s ours ] && diff theirs ours
}
for options in "--switches=1@5 --contiguous" "--threads-per-core=1 --mincpus=2 --spread-job" "--hint=nomultithread" \
    "--use-min-nodes --kill-on-invalid-dep=yes --profile=task,energy" "--oversubscribe --deadline=now+2days" \
    "--exclusive=user --delay-boot=5 --wait-all-nodes=1" "--gpus-per-node=1 --cpus-per-gpu=1 --mem-per-gpu=100" \
    "--gres=gpu:1 --gres-flags=enforce-binding --gpu-freq=high" "-B 2:4 --acctg-freq=30 --network=x" "--wckey=lab"; do
    claim "Slurm has the same job as of sbatch: $options" alike "$options"
done
refuse "a word that an option has not is refused with those that it has" 3 \
    "sbatch's --gres-flags can't be 'x'; it is one of enforce-binding disable-binding" \
    timeout 300 gannet submit x.yaml --dir z -- --gres-flags=x
claim "and nothing is left of that" test ! -e z

claim "a job is submitted" timeout 300 gannet submit x.yaml -- --gres=gpu:1 --nice=5 --hold
job=$(sed -n 's/^   "id": \([0-9]*\),/\1/p' runs/x/slurm.json | head -n 1)
is "it is asked for as the file and the options say" "2-2 01:30:00 6 gpu:1 5" \
    "$(for field in NumNodes TimeLimit NumCPUs TresPerNode Nice; do job_field "$job" $field; done | sed 's,^gres[:/],,' | tr '\n' ' ' | sed 's/ $//')"
matches "its comment is the experiment's, with the person's own" '^gannet:x:[0-9a-f]{8} of Ada' \
    "$(timeout 60 scontrol show job "$job" | sed -n 's/^ *Comment=//p')"
is "it is named after the experiment" gannet:x "$(job_field "$job" JobName)"
is "its output goes to the logs" "$PWD/runs/x/logs/slurm-$job.out" "$(job_field "$job" StdOut)"
is "it waits, held" JobHeldUser "$(job_field "$job" Reason)"
claim "resume releases it" timeout 300 gannet resume x
claim "Slurm may start it now" test "$(job_field "$job" Reason)" != JobHeldUser
timeout 60 scancel "$job"
until_true no_jobs_left

claim "another one, with no node for it" timeout 300 gannet submit x.yaml --dir y -- --begin=now+1hour
matches "explain says why it waits" 'job [0-9]+ waits: BeginTime' "$(timeout 300 gannet explain y)"
claim "pause holds it" timeout 300 gannet pause y
matches "Slurm says so" JobHeldUser "$(jobs_left)"
matches "a second pause says that it is done" 'held already' "$(timeout 300 gannet pause y 2>&1)"
matches "it is paused at once, for whoever looks" '^state: paused' "$(timeout 300 gannet status y)"
claim "stop takes it out of the queue" timeout 300 gannet stop y
claim "no job is left" no_jobs_left
matches "and status knows at once" 'was taken out of the queue' "$(timeout 300 gannet status y)"
claim "resume submits another one, as before" timeout 300 gannet resume y
matches "it waits for its hour" BeginTime "$(jobs_left)"
claim "cancel takes it back" timeout 300 gannet cancel y
claim "no job is left again" no_jobs_left

claim "with an elastic shape the coordinator may run here" timeout 300 gannet submit x.yaml --dir here --set slurm.shape=elastic \
    --set slurm.nodes=1 --set slurm.workers=2 --set slurm.coordinator=here
is "and has all of its trials from workers of the cluster" 4 "$(gannet trials here --csv --columns state | grep -c completed)"
matches "each of which it submitted" '"role": "worker"' "$(cat here/slurm.json)"
claim "which leave with it" until_true no_jobs_left

cluster controller-stop
refuse "without a controller it is said, and nothing is left" 3 'slurmctld' timeout 300 gannet submit x.yaml --dir z
claim "no directory is left of it" test ! -e z
claim "the controller comes back" cluster controller-start
cluster controller-hang
refuse "one that hangs may have taken the job: that is said" 3 'Whether the job was submitted is not known' \
    timeout 300 gannet submit x.yaml --dir hung
claim "its directory stays" test -e hung/experiment.yaml
cluster controller-wake
trials_of() {
    [ "$(gannet trials "$1" --csv --columns state | grep -c completed)" = "$2" ]
}
claim "the job finds it, and the search runs to its end" until_true trials_of hung 4
claim "nothing is left in the queue" until_true no_jobs_left
finish
