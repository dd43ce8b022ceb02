#!/bin/bash
# every trial runs on the cores of its slot, and where it ran is recorded
. "$(dirname "$0")/lib.sh"
scratch
cores=$(gannet-worker --show-slots | grep -c '^slot')
[ "$cores" -ge 2 ] || skip_all "this machine gives us one core: nothing to place"

cat >where.yaml <<'YAML'
version: 1
seed: 1
trial:
  command: |
    : ${args}
    grep Cpus_allowed_list /proc/self/status
    echo "threads: $OMP_NUM_THREADS gpus: '$CUDA_VISIBLE_DEVICES'"
    sleep 0.1
    echo loss=1
metric: {name: loss, goal: minimize}
parameters:
  x: {min: 0.0, max: 1.0}
strategy: random
resources: {cpus: 1, bind: core}
limits: {max_trials: 8}
YAML
claim "a search of programs runs to its end" gannet run where.yaml
for trial in 1 2 3 4 5 6 7 8; do
    allowed=$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' "runs/where/trials/00000$trial/stdout")
    recorded=$(gannet trials where --csv --columns trial,cpus | tr -d '\r' | sed -n "s/^$trial,//p")
    is "trial $trial ran on the core that is recorded" "$recorded" "$allowed"
    echo "$allowed" >>all
done
claim "the slots have different cores" [ "$(sort -u all | wc -l)" -ge 2 ]
is "a trial has as many threads as cores, and no GPU that it did not ask for" "threads: 1 gpus: ''" \
    "$(grep threads runs/where/trials/000001/stdout)"

claim "two workers divide the machine" gannet run where.yaml --workers 2 --dir two
claim "and their trials have different cores" [ "$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' two/trials/*/stdout | sort -u | wc -l)" -ge 2 ]
finish
