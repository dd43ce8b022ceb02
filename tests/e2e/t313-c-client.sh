#!/bin/bash
# a C program with gannet_trial.h runs by hand and as a trial, pauses and goes on
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
source=$SOURCE/clients/c
for compiler in gcc clang; do
    if command -v $compiler >/dev/null; then
        claim "$compiler has nothing to say of it" $compiler -std=c99 -Wall -Wextra -Wshadow -Wconversion -pedantic -Werror \
            "$source/example.c" -o example -lm
    else
        skip "$compiler has nothing to say of it" "$compiler is not here"
    fi
done
is "by hand it prints what it measures" "loss=0.111111 step=9" "$(./example | tail -n 1)"
is "and takes a parameter from the environment" "loss=1.01 step=1" "$(GANNET_PARAM_lr=0.4 ./example | head -n 1)"
cat >c.yaml <<END
version: 1
seed: 3
trial: {command: [$PWD/example], checkpoint: true}
metric: {name: loss, goal: minimize}
parameters:
  lr: {min: 0.0, max: 1.0}
strategy: random
early_stop: {name: asha, min_steps: 1, max_steps: 9, eta: 3}
limits: {max_trials: 12}
END
claim "a search of it runs, with early stopping" gannet run c.yaml --dir c --quiet --workers 2
is "all trials have ended" 12 "$(ended_count c)"
is "none has failed" 0 "$(gannet trials c --csv --columns state | grep -c failed)"
matches "they were told why to stop" 'stops: paused' "$(cat c/trials/*/stdout*)"
matches "the phase is theirs" '"data"' "$(gannet show c 1 --json)"
sed 's/^trial:.*/trial: {command: ['"$(printf %s "$PWD" | sed 's/[\/&]/\\&/g')"'\/example], env: {GANNET_SOCKET: \/nowhere}}/; /early_stop/d; s/12/1/' c.yaml >gone.yaml
claim "it goes on without a worker" gannet run gone.yaml --dir gone --quiet
is "what it measured is read from what it prints" 9 "$(gannet show gone 1 --json | tr -d '\n ' | grep -o '"metric":"loss"' | wc -l)"
sed 's/\/nowhere/&, GANNET_TOKEN: nobody/; s/GANNET_SOCKET: [^,]*, //' gone.yaml >unknown.yaml
claim "it goes on with a worker that does not know it" gannet run unknown.yaml --dir unknown --quiet
is "nor is anything lost then" 9 "$(gannet show unknown 1 --json | tr -d '\n ' | grep -o '"metric":"loss"' | wc -l)"

# A signal of its own, as profilers and trial.signal send, is no end of the conversation.
cat >timer.c <<'END'
#define _XOPEN_SOURCE 700
#include "gannet_trial.h"
#include <signal.h>
static void tick(int number) { (void)number; }
int main(void)
{
    struct gannet_trial trial;
    struct sigaction action = {.sa_handler = tick};
    struct itimerval timer = {{0, 100}, {0, 100}};
    gannet_trial_open(&trial);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &timer, NULL);
    for (long step = 1; step <= 3000; step++)
        gannet_trial_metric(&trial, "loss", 1.0 / (double)step, step);
    printf("connected %d\n", trial.fd >= 0);
    gannet_trial_close(&trial);
    return 0;
}
END
gcc -std=c99 -I"$source" timer.c -o timer -lm
sed 's/\/example/\/timer/; /early_stop/d; s/12/1/' c.yaml >timer.yaml
claim "a program with a timer runs" gannet run timer.yaml --dir timed --quiet
is "and tells all of it" "connected 1" "$(cat timed/trials/*/stdout)"
claim "nothing is left running" none_left
finish
