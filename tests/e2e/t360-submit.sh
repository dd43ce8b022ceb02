#!/bin/bash
# what gannet submit asks for is shown, submitted, refused, paused, resumed and taken back, with a Slurm that a test leads
. "$(dirname "$0")/lib.sh"
scratch
[ -f "$GANNET_BUILD/tests/slurm_fake.so" ] || skip_all "tests/slurm_fake.so was not built"
export GANNET_SLURM_MODULE="$GANNET_BUILD/tests/slurm_fake.so" GANNET_SLURM_FAKE="$SCRATCH/slurm"
mkdir "$GANNET_SLURM_FAKE"
cat >x.yaml <<'EOF'
version: 1
trial: {kernel: synth, options: {function: branin}}
metric: {name: value, goal: minimize}
parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}
limits: {max_trials: 4}
resources: {gpus: 1, cpus: 2}
slurm: {partition: gpu, time: 1h, nodes: 2, setup: [module load cuda]}
EOF

# script TEXT: what goes wrong next, with ' for ".
script() {
    tr "'" '"' <<<"$1" >"$GANNET_SLURM_FAKE/script.json"
}

# called NAME: how often that was asked.
called() {
    grep -c "^$1" "$GANNET_SLURM_FAKE/calls" 2>/dev/null || true
}

# state_of ID STATE: what Slurm will say of a job.
state_of() {
    sed -i "/\"id\": $1,/,/}/ s/\"state\": \"[a-z_]*\"/\"state\": \"$2\"/" "$GANNET_SLURM_FAKE/jobs.json"
}

# --- without doing anything ---
claim "a dry run works without any Slurm" env GANNET_SLURM_MODULE=/nowhere gannet submit x.yaml --dry-run -- -N 3
said=$(gannet submit x.yaml --dry-run -- -N 3 --qos=high 2>&1)
matches "it shows what is asked for, by which key" 'partition +gpu +slurm.partition' "$said"
matches "options win over the file" 'nodes +3 ' "$said"
matches "what gannet decided itself is said" 'note: 1 GPU a node, what one trial needs' "$said"
matches "the batch script is shown" '^module load cuda$' "$said"
matches "and how it ends" "^exec '.*/gannet' job --rundir '$SCRATCH/runs/x'$" "$said"
matches "as JSON it is one object" '"gannet.request/1".*"nodes": 2' "$(gannet submit x.yaml --dry-run --json | tr -d '\n')"
is "nothing is written and nobody was asked" "slurm x.yaml" "$(ls | grep -v tmp | tr '\n' ' ' | sed 's/ $//')$(ls slurm)"

# --- refused ---
script "{'submit': {'error': 'Invalid partition name specified', 'number': 2000}, 'partitions': {'names': ['main', 'gpus']}}"
refuse "a refusal is in Slurm's words, with the key and the nearest partition" 3 \
    "slurm.partition \(gpu\): there is no such partition; did you mean 'gpus'\? The partitions: main, gpus" gannet submit x.yaml
claim "a refused experiment leaves nothing behind" test ! -e runs
script "{'submit': {'error': 'Requested time limit is invalid', 'number': 2051}}"
refuse "so is one over the partition's time" 3 'slurm.time \(60\): the partition.s limit is shorter' gannet submit x.yaml
script "{}"
refuse "an option that is gannet's own is refused before anything is made" 2 "write gannet submit --wait" \
    gannet submit x.yaml -- --wait
refuse "so is one that is none" 2 "did you mean '--partition'" gannet submit x.yaml -- --partiton=main
refuse "a broken file is never submitted" 2 'slurm.nodes' gannet submit x.yaml --set slurm.nodes=none
refuse "without a module it says what to do" 3 'slurm' env GANNET_SLURM_MODULE=/nowhere/slurm.so gannet submit x.yaml
claim "and again nothing is left" test ! -e runs

script "{'check': {'error': 'Requested node configuration is not available', 'number': 2014}}"
refuse "what workers of their own jobs could never have is found now" 3 'a worker: Requested node configuration' \
    gannet submit x.yaml --set slurm.shape=elastic --set slurm.nodes=1
script "{'check': {'error': 'timed out', 'number': 5004, 'unclear': true}, 'submit': {'error': 'no', 'number': 2045}}"
refuse "a controller that does not say is not waited for" 3 'Slurm refused the job: no' \
    gannet submit x.yaml --set slurm.shape=elastic --set slurm.nodes=1
script "{}"
matches "a dry run has a script of sbatch for them, too" '^#SBATCH --gres=gpu:1$' \
    "$(gannet submit x.yaml --dry-run --set slurm.shape=elastic --set slurm.nodes=1 | sed -n '/^That of a worker/,$p')"

# --- submitted ---
claim "it is submitted" gannet submit x.yaml -- --account=lab
matches "the job's number and the experiment are in the record" '"id": 100' "$(cat runs/x/slurm.json)"
matches "what was typed behind -- is kept for the jobs to come" 'sbatch_args: \["--account=lab"\]' "$(cat runs/x/experiment.yaml)"
matches "the request has it" '"account":"lab"' "$(grep '^submit' slurm/calls | tail -n 1)"
refuse "a second job of the same experiment is refused" 2 'job 100 .* is in the queue already' gannet submit x.yaml --resume
refuse "a new experiment in its place, too" 2 'holds an experiment already' gannet submit x.yaml

# --- held, released, taken back ---
claim "pause holds the waiting job" gannet pause x
is "that is what Slurm was asked" 1 "$(called hold)"
matches "and the record says so" '"paused": true' "$(cat runs/x/slurm.json)"
claim "resume releases it" gannet resume x
matches "and the record says that, too" '"paused": false' "$(cat runs/x/slurm.json)"
claim "stop takes it out of the queue" gannet stop x
refuse "there is nothing more to stop" 69 'nothing to stop' gannet stop x
claim "resume submits another job" gannet resume x
matches "of the same kind" '"account":"lab"' "$(grep '^submit' slurm/calls | tail -n 1)"
claim "cancel takes all jobs back" gannet cancel x
matches "by their numbers" '101' "$(grep '^cancel' slurm/calls | tail -n 1)"
refuse "after that there is nothing to cancel" 69 'no job of it is in the queue' gannet cancel x

# --- jobs that are over, and still listed ---
claim "one is submitted" gannet submit x.yaml --dir over
sed -i 's/"final_state": "pending"/"final_state": "completed"/' slurm/jobs.json
state_of 102 running
matches "what is being cleaned up is not starting" 'job 102 is ending' "$(sed -i 's/"looked": .*/"looked": 1.0,/; s/"asked": .*/"asked": 1.0,/' over/slurm.json && gannet status over)"
claim "resume submits another one beside it" gannet resume over
is "so there are two" 2 "$(grep -c '"role"' over/slurm.json)"
claim "that one is taken back" gannet cancel over

# --- answers that are lost ---
script "{'submit': {'after': true, 'error': 'timed out', 'number': 5004, 'unclear': true, 'times': 1}}"
claim "a submission whose answer is lost is found again" gannet submit x.yaml --dir lost
is "and not made twice" 1 "$(grep -c '"role"' lost/slurm.json)$([ "$(grep -c "gannet:lost" slurm/jobs.json)" = 1 ] || echo ' but made twice')"
script "{}"

# --- answers that do not come at all ---
silence="'find': {'error': 'timed out', 'number': 5004, 'unclear': true}"
script "{'submit': {'after': true, 'error': 'timed out', 'number': 5004, 'unclear': true}, $silence}"
refuse "a submission that may have been taken is said to be unclear" 3 'Whether the job was submitted is not known' \
    gannet submit x.yaml --dir unclear
claim "its run directory stays" test -e unclear/experiment.yaml
matches "and what is known of it" 'the job that was asked for at .* is not known' "$(gannet status unclear 2>/dev/null)"
script "{}"
sed -i 's/"asked": .*/"asked": 1.0,/' unclear/slurm.json
matches "when Slurm answers again the job is found by its comment" 'waits: Priority' "$(gannet status unclear)"
matches "and is in the record" '"role": "experiment"' "$(cat unclear/slurm.json)"
claim "resume has nothing to submit" gannet resume unclear
is "so there is one job" 1 "$(grep -c '"comment": "gannet:unclear' slurm/jobs.json)"

script "{'submit': {'error': 'timed out', 'number': 5004, 'unclear': true}, $silence}"
refuse "one that was not taken looks the same" 3 'is not known' gannet submit x.yaml --dir none
script "{}"
claim "resume submits it" gannet resume none
is "once" 1 "$(grep -c '"comment": "gannet:none' slurm/jobs.json)"

script "{'submit': {'error': 'timed out', 'number': 5004, 'unclear': true}, $silence}"
refuse "one more" 3 'is not known' gannet submit x.yaml --dir late
script "{$silence}"
refuse "is taken back while Slurm still does not answer" 3 'timed out' gannet cancel late
script "{}"
claim "and again when it does, and has no such job" gannet cancel late
refuse "if it comes all the same it ends itself" 1 'was ended before it was known that Slurm had taken this job' \
    env SLURM_JOB_ID=999 SLURM_JOB_NODELIST=n1 gannet job --rundir late

# --- what was never submitted ---
claim "a search on this machine" gannet run x.yaml --quiet --dir here --set resources.gpus=0
refuse "is not resumed in a queue" 2 'gannet run here --resume' gannet resume here
refuse "and not paused when it has ended" 69 'nothing to pause' gannet pause here

# --- waiting for the end ---
gannet submit x.yaml --dir w --wait >w.out 2>&1 &
waiting=$!
until_true grep -q 'waits: Priority' w.out
kill -INT $waiting
wait $waiting
is "Ctrl-C while it waits ends the waiting alone" 130 $?
matches "and says so" 'the job goes on' "$(cat w.out)"
is "the job was not touched" "" "$(grep "cancel.*$(grep -o '"id": [0-9]*' w/slurm.json | head -n 1 | cut -c7-)" slurm/calls)"

# --- what documents show ---
block() { awk -v number="$1" '/^```yaml$/ { count++; on = 1; next } /^```$/ { on = 0 } on && count == number' "$SOURCE/docs/slurm.md"; }
{ block 1 && block 3; } >shown.yaml
{ block 1 | sed '/^slurm:/,$d' | sed 's/gpus: 1, cpus: 8/cpus: 8/' && block 2; } >components.yaml
claim "the file in docs/slurm.md is a good one" gannet check shown.yaml
claim "it can be submitted" gannet submit shown.yaml --dry-run
claim "so is the one of several components" gannet check components.yaml
matches "which is submitted as they are" "hetjob" "$(gannet submit components.yaml --dry-run)"
claim "each of its blocks is looked at" [ -z "$(block 4)" ]
claim "so can examples/slurm.yaml" gannet submit "$EXAMPLES/slurm.yaml" --dry-run
finish
