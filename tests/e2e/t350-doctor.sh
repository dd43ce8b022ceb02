#!/bin/bash
# gannet doctor says of everything how it is, and its status says whether something is wrong
. "$(dirname "$0")/lib.sh"
scratch
unset SLURM_CONF SLURM_JOB_ID
export GANNET_SLURM_MODULE=$SCRATCH/nowhere.so # no cluster is asked

# health NAME: ok, note or problem, of gannet doctor's standard output in $said.
health() {
    sed -n "s/^\([a-z]*\)  *$1 .*/\1/p" <<<"$said"
}

if [ -e /etc/slurm/slurm.conf ] || [ -e /run/slurm/conf/slurm.conf ]; then
    skip "where nobody meant there to be a Slurm, its absence is a note" "this machine is of a cluster"
else
    said=$(gannet doctor)
    is "a machine that gannet was built on has no problem" 0 $?
    is "where nobody meant there to be a Slurm, its absence is a note" note "$(health Slurm)"
fi
said=$(SLURM_CONF=/etc/passwd gannet doctor)
is "where somebody did, it is a problem, and the status says so" "1 problem" "$? $(health Slurm)"
for name in gannet ZeroMQ kernels slots; do
    is "$name is looked at, and in order" ok "$(health $name)"
done
for name in SQLite GPUs "GPU kernels" filesystem room "open files" network interfaces; do
    matches "$name is looked at" '^(ok|note)$' "$(health "$name")"
done
matches "it says what to install" "libslurm-dev" "$said"
is "for programs there is one object with the same checks" "$(gannet doctor | grep -cE '^(ok|note|problem) ')" \
    "$(gannet doctor --json | grep -o '"health"' | wc -l)"
said=$(XDG_CACHE_HOME=$SCRATCH/cache gannet doctor --calibrate)
matches "asked to, it measures what the machine can do at most" "limits +1 thread: .* GB/s from memory" "$said"
matches "and what its disk can" "disk +[0-9.]+ MB/s written, ([0-9.]+|\?) MB/s read" "$said"
if [ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ]; then
    matches "and what the ranks of a trial can add up" "GB/s of sums over 2 ranks, [0-9.]+ us the smallest" "$said"
fi
claim "and keeps it" sh -c "grep -q '\"flops\"' '$SCRATCH'/cache/gannet/limits/*.json"
matches "where it can't be kept, it says so" "limits .*not kept: " "$(XDG_CACHE_HOME=/dev/null gannet doctor --calibrate)"
# --- of an experiment ---
# Its trial waits until it may end.
cat >gate.sh <<'SH'
#!/bin/sh
while [ ! -e "$1" ]; do sleep 0.05; done
echo "value=1"
SH
chmod +x gate.sh
cat >search.yaml <<YAML
version: 1
trial: {command: [$SCRATCH/gate.sh, "$SCRATCH/open", "\${params.x}"], grace: 1s}
metric: {name: value, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 1}
YAML
claim "a search runs" gannet run search.yaml --detach
claim "it has a worker" until_true sh -c 'gannet doctor search | grep -q "^ok *worker "'
said=$(gannet doctor search)
is "of a search that is well there is no problem" "0 ok ok" "$? $(health coordinator) $(health worker | head -1)"
matches "its workers are named with their version" "^ok +worker +$(hostname): gannet $(gannet --version | cut -d' ' -f2), [01] of" "$said"
worker=$(left | grep gannet-worker | head -1 | cut -d' ' -f1)
kill -STOP "$worker"
claim "a worker that is silent is a problem" until_true sh -c 'gannet doctor search | grep -Eq "^problem +worker .*(has not been heard of for|none is connected)"'
kill -CONT "$worker"
touch open
claim "the search ends" until_true sh -c 'gannet status search | grep -q "^state: ended"'
said=$(gannet doctor search)
is "of one that has ended it is a note that nobody runs it" "0 note" "$? $(health coordinator)"
refuse "one that is not there is said to be so" 5 "no-such-search" gannet doctor no-such-search

mkdir gone && cd gone && rmdir ../gone
said=$(gannet doctor)
is "a working directory that is gone is a problem, not a crash" "1 problem" "$? $(health filesystem)"
cd "$SCRATCH" || exit 1
if [ "$(id -u)" = 0 ]; then
    skip "a directory that can't be written to is a problem" "root may write everywhere"
else
    mkdir closed && chmod 500 closed && cd closed
    said=$(gannet doctor)
    is "a directory that can't be written to is a problem" "1 problem" "$? $(health room)"
    cd "$SCRATCH" || exit 1
fi
finish
