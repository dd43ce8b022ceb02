#!/bin/bash
# what a program prints is read when it prints it, whatever it is written in, and nothing is forced on those who know better
. "$(dirname "$0")/lib.sh"
scratch
unset PYTHONUNBUFFERED LD_PRELOAD ASAN_OPTIONS # a person's shell has none of them

# experiment FILE COMMAND [MORE [VARIABLE]]: one trial of a command.
experiment() {
    cat >"$1" <<END
version: 1
name: output
trial: {command: $2${3:+, $3}, env: {P: "\${params.lr}"${4:+, $4}}, grace: 1s}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.1, max: 0.9}
strategy: random
limits: {max_trials: 1}
END
}

# comes_in_time WORDS DIR: a value of a program that goes on until there is a file `go` is in the store before that.
comes_in_time() {
    rm -f go
    gannet run "$2.yaml" --dir "$2" --quiet >"$2.log" 2>&1 &
    search=$!
    until_true eval "gannet show $2 1 --json 2>/dev/null | grep -q '\"value\": 0.5' || ! kill -0 $search"
    kill -0 $search 2>/dev/null
    tap_line $? "$1: its first value comes while it runs"
    touch go
    wait $search
    tap_line $? "$1: it runs to its end" || diag <"$2.log"
}

# printed DIR: what the first trial printed. errors DIR: the same of its error output.
printed() { cat "$1/trials/000001/stdout"; }
errors() { cat "$1/trials/000001/stderr"; }

if command -v python3 >/dev/null; then
    cat >train.py <<'END'
import os, time
print("epoch 1 loss=0.5")
while not os.path.exists("go"):
    time.sleep(0.02)
print("epoch 2 loss=0.25")
END
    experiment python.yaml '[python3, train.py]'
    comes_in_time "a Python script" python
    experiment shell.yaml '"python3 train.py | cat"'
    comes_in_time "a Python script before a pipe" shell
    cat >logs.py <<'END'
import logging, os, time
logging.basicConfig(level=logging.INFO)
logging.info("epoch 1 loss=0.5")
while not os.path.exists("go"):
    time.sleep(0.02)
logging.info("epoch 2 loss=0.25")
END
    experiment logs.yaml '[python3, logs.py]'
    comes_in_time "a Python script that uses logging" logs
    is "its last value counts" 0.25 "$(gannet best logs --json | grep -o '"value": [0-9.]*' | cut -d' ' -f2)"
else
    skip "Python scripts" "there is no python3 here"
fi

# What reads and prints line by line, as C's stdio does it.
experiment sed.yaml "\"(echo loss=0.5; while [ ! -e go ]; do sleep 0.02; done; echo loss=0.25) | sed 's/^/epoch: 1 /'\""
comes_in_time "a filter in a pipe" sed

cat >train.c <<'END'
#include <stdio.h>
#include <unistd.h>
int main(void)
{
    printf("epoch 1 loss=0.5\n");
    while (access("go", F_OK) != 0)
        usleep(20000);
    printf("epoch 2 loss=0.25\n");
    return 0;
}
END
if ! command -v cc >/dev/null; then
    skip "programs in C" "there is no cc here"
else
    cc -o train train.c && experiment c.yaml '[./train]'
    comes_in_time "a program in C" c
    is "and nothing is said about that" "" "$(errors c)"
    if cc -static -o train-static train.c 2>/dev/null; then
        experiment static.yaml '[./train-static]'
        touch go
        claim "a static program runs as ever" gannet run static.yaml --dir static --quiet
        is "and nothing is said there" "" "$(errors static)"
    else
        skip "a static program" "this C library can't be linked statically here"
    fi
    if cc -fsanitize=address -o train-asan train.c 2>/dev/null && touch go && ./train-asan >/dev/null 2>&1; then
        experiment asan.yaml '[./train-asan]'
        comes_in_time "a program with AddressSanitizer" asan
    else
        skip "a program with AddressSanitizer" "this compiler has none that works here"
    fi
    cat >own.c <<'END'
#include <unistd.h>
__attribute__((constructor)) static void say(void) { (void)!write(2, "own\n", 4); }
END
    touch go
    cc -shared -fPIC -o own.so own.c
    experiment preload.yaml '[./train]' "" "LD_PRELOAD: $SCRATCH/own.so"
    comes_in_time "a program with a library that the person preloads" preload
    is "which is there, too" own "$(errors preload)"

    # Many lines into a file of the program's own are no output of the trial.
    if command -v strace >/dev/null && strace -o probe true 2>/dev/null; then
        experiment bulk.yaml '"seq 10000 | strace -e trace=write -o calls sed s/1/2/ >sorted; echo loss=1"'
        claim "a program that writes files runs" gannet run bulk.yaml --dir bulk --quiet
        is "the files keep their buffers" yes "$([ "$(grep -c write calls)" -lt 1000 ] && echo yes)"
    else
        skip "files keep their buffers" "strace can't be used here"
    fi
fi

# --- a trial on its way ---

experiment running.yaml '"echo step=3 loss=0.5; while [ ! -e go ]; do sleep 0.02; done; echo step=4 loss=0.25"'
rm -f go
gannet run running.yaml --dir running --quiet >running.log 2>&1 &
search=$!
until_true eval "gannet show running 1 --json 2>/dev/null | grep -q '\"value\": 0.5' || ! kill -0 $search"
time='[0-9.]+(ms|s)'
matches "gannet trials shows how far it is" "^ *1 +running +3 +0\\.5 +$time" "$(gannet trials running)"
matches "gannet status, too" "^ *1 +3 +0\\.5 +$time" "$(gannet status running)"
matches "for programs as well" '"running_trials": \[\{"trial": 1, "step": 3, "value": 0.5, "seconds": [0-9.]+' "$(gannet status running --json)"
matches "gannet show, too" "^Trial 1: running, step 3, loss 0\\.5, $time" "$(gannet show running 1)"
touch go
wait $search
matches "when it has ended its end is shown" '^Trial 1: completed, ran to its end$' "$(gannet show running 1)"

# --- what a program finds ---

experiment shown.yaml '"echo loss=1; env"'
claim "a program shows its environment" gannet run shown.yaml --dir shown --quiet
matches "PYTHONUNBUFFERED is 1" '^PYTHONUNBUFFERED=1$' "$(printed shown)"
matches "lines.so is preloaded" '^LD_PRELOAD=.*/lines\.so$' "$(printed shown)"
claim "trial.output: buffered" gannet run shown.yaml --dir plain --quiet --set trial.output=buffered
is "sets neither" "" "$(printed plain | grep -E '^(PYTHONUNBUFFERED|LD_PRELOAD|ASAN_OPTIONS)=')"
PYTHONUNBUFFERED='' gannet run shown.yaml --dir empty --quiet
is "a person's PYTHONUNBUFFERED stays, though it is empty" PYTHONUNBUFFERED= "$(printed empty | grep ^PYTHONUNBUFFERED)"
claim "trial.env has its own" gannet run shown.yaml --dir set --quiet --set 'trial.env={PYTHONUNBUFFERED: "", P: "${params.lr}"}'
is "which wins" PYTHONUNBUFFERED= "$(printed set | grep ^PYTHONUNBUFFERED)"
ASAN_OPTIONS=halt_on_error=1 gannet run shown.yaml --dir asan-options --quiet
matches "a person's ASAN_OPTIONS stay" '^ASAN_OPTIONS=halt_on_error=1:' "$(printed asan-options)"
experiment container.yaml '"echo loss=1; env; true apptainer exec image.sif"'
claim "a command with a container" gannet run container.yaml --dir container --quiet
is "preloads nothing, which the container would not find" "" "$(printed container | grep ^LD_PRELOAD)"

# --- early stopping that had nothing to go by ---

if command -v python3 >/dev/null; then
    cat >late.py <<'END'
import time
for step in range(1, 7):
    print(f"step {step} loss {1 / step:.3f}")
    time.sleep(1)
END
    experiment late.yaml '[python3, late.py]'
    stop='early_stop={name: median, max_steps: 6}'
    gannet run late.yaml --dir late --set "$stop" --set trial.output=buffered >late.log 2>&1
    matches "the summary says that all values came at the end" \
        'all of its 6 values came when it ended, so early stopping could not act .*flush=True' "$(cat late.log)"
    matches "so does explain of the trial" 'all of its 6 values came when it ended' "$(gannet explain late 1)"
    matches "and of the experiment" 'all of its 6 values came when it ended' "$(gannet explain late)"
    gannet run late.yaml --dir early --set "$stop" >early.log 2>&1
    is "nothing of it is said when they came line by line" 0 "$(cat early.log <(gannet explain early 1) | grep -c 'came when it ended')"
else
    skip "values that all come at the end" "there is no python3 here"
fi
# --- metrics that are elsewhere, or look different ---

if command -v python3 >/dev/null; then
    cat >jsonl.py <<'END'
import json, os, time
log = open(os.environ["GANNET_TRIAL_DIR"] + "/metrics.jsonl", "w")
def report(**values):
    log.write(json.dumps(values) + "\n")
    log.flush()
print("loss=9")
report(epoch=1, loss=0.5, **{"val/acc": 0.75})
while not os.path.exists("go"):
    time.sleep(0.02)
report(epoch=2, loss=0.25)
END
    experiment jsonl.yaml '[python3, jsonl.py]' 'metrics_from: {file: metrics.jsonl}'
    comes_in_time "a file of JSON lines" jsonl
    is "what is printed counts no more" "0.5 0.25" "$(gannet show jsonl 1 --json | tr -d '\n' | grep -o '"loss", "step": [0-9], "value": [0-9.]*' | sed 's/.* //' | paste -sd' ')"
    matches "other metrics of the file are recorded" '"metric": "val/acc", "step": 1, "value": 0.75' "$(gannet show jsonl 1 --json)"
    experiment missing.yaml '[python3, -c, pass]' 'metrics_from: {file: metrics.jsonl}'
    gannet run missing.yaml --dir missing --quiet >missing.log 2>&1
    matches "a file that does not come is named" "no value of 'loss' in its file metrics.jsonl" "$(gannet explain missing 1)"
    cat >odd.py <<'END'
import os, time
print("[1] the loss is now 0.5 (train 3.5)")
while not os.path.exists("go"):
    time.sleep(0.02)
print("[2] the loss is now 0.25 (train 3.25)")
END
    experiment odd.yaml '[python3, odd.py]' "metrics_from: {pattern: '[{step}] the {name} is now {value}'}"
    comes_in_time "lines of another form" odd
    is "with their steps" 2 "$(gannet show odd 1 --json | grep -o '"step": [12], "value": 0' | sort -u | wc -l)"
    cat >comma.py <<'END'
print("loss=0,25")
END
    experiment comma.yaml '[python3, comma.py]'
    gannet run comma.yaml --dir comma --quiet >comma.log 2>&1
    matches "a decimal comma is no zero but a sentence" "printed 'loss=0,25', and a decimal comma is not read" "$(gannet explain comma 1)"
    cat >shows.py <<'END'
import sys
class Tensor:
    def __repr__(self):
        return "tensor(0.25, device='cuda:0', grad_fn=<MeanBackward0>)"
for step in range(1, 6):
    sys.stderr.write(f"\r {step * 20}%|## | {step}/5 [00:0{step}<00:00, 1.0it/s, loss={9 - step}]")
sys.stderr.write("\r" + " " * 40 + "\r")
print("2026-01-02 12:30:45,123 \033[32mINFO\033[0m Epoch [1/3]: loss", Tensor(), "lr=1e-4")
END
    experiment shows.yaml '[python3, shows.py]'
    claim "a script with a tensor, colours, times and a progress bar" gannet run shows.yaml --dir shows --quiet
    is "has one value" '"metric": "loss", "step": 1, "value": 0.25 "metric": "lr", "step": 1, "value": 0.0001' \
        "$(gannet show shows 1 --json | tr -d '\n' | grep -o '"metric": "[a-z]*", "step": [0-9]*, "value": [0-9.]*' | paste -sd' ')"
fi
claim "nothing is left running" none_left
finish
