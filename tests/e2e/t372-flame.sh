#!/bin/bash
# a flame graph names the function in which a trial spends its time, of a trial that is run again and of one that runs
. "$(dirname "$0")/lib.sh"
command -v cc >/dev/null || skip_all "a program with a known hot function needs a C compiler: apt-get install gcc"
scratch

cat >hot.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

__attribute__((noinline)) double work_hard(long n)
{
    volatile double sum = 0;
    for (long i = 1; i < n; i++)
        sum += 1.0 / (double)i;
    return sum;
}

/* By the processor's time, so that there are samples on any machine. */
int main(int count, char **words)
{
    double seconds = atof(words[1]), sum = 0;
    while (count > 1 && (double)clock() / CLOCKS_PER_SEC < seconds)
        sum += work_hard(200000);
    printf("loss=%g\n", sum > 0 ? 1.0 : 0.0);
    return 0;
}
C
cc -O1 -fno-omit-frame-pointer -o hot hot.c || exit 1
cat >hot.yaml <<'YAML'
version: 1
name: hot
trial: {command: [./hot, "${params.seconds}"]}
metric: {name: loss, goal: minimize}
parameters: {seconds: [0.6]}
limits: {max_trials: 1}
YAML
claim "a search ends" gannet run hot.yaml --dir r --quiet

refuse "a trial that has ended can't be looked at" 1 "gannet rerun .*/1 --flame" gannet profile r/1 --flame no.svg
refuse "nor all trials at once" 2 "EXP/TRIAL" gannet profile r --flame no.svg
refuse "a directory that is not there is said before" 2 "can't write nowhere/out.svg" gannet rerun r/1 --flame nowhere/out.svg
is "run again without it, a trial prints what it prints" "loss=1" "$(gannet rerun r/1 2>&1)"

refuse "nor does it say more to programs" 2 "--json is for built-in kernels" gannet rerun r/1 --json

gannet rerun r/1 --flame out.svg --folded out.txt >said 2>&1 || {
    if grep -Eq "does not let|PERFMON" said; then
        skip "a flame graph" "$(cat said)"
        finish
        exit
    fi
}
matches "the command's output is its own" '^loss=1$' "$(cat said)"
matches "how many samples is said" '^out.svg: [0-9]+ samples in ' "$(cat said)"
matches "the hot function stands below main" '^hot;.*main;work_hard [0-9]+$' "$(cat out.txt)"
claim "most samples are there" awk '{ all += $NF } /work_hard/ { hot += $NF } END { exit !(all > 20 && hot > 0.8 * all) }' out.txt
claim "the drawing has it" grep -q '<title>work_hard - [0-9]* samples' out.svg
if command -v python3 >/dev/null; then
    claim "and is XML" python3 -c 'import xml.dom.minidom, sys; xml.dom.minidom.parse("out.svg")'
else
    could_not "that the drawing is XML: python3 is not here"
fi
claim "nothing is left of it" [ ! -e no.svg ]

sed 's/\[0.6\]/[200.0]/; s/name: hot/name: long/' hot.yaml >long.yaml
gannet run long.yaml --dir l --quiet >/dev/null 2>&1 &
running() { gannet trials l --json 2>/dev/null | grep -q '"state": "running"'; }
claim "a long trial runs" until_true running
# Its program may not have begun, and a busy machine may give it no processor in a second.
claim "it is looked at from outside" until_true gannet profile l/1 --folded live.txt --seconds 1
matches "its hot function is named, too" '^hot;.*work_hard [0-9]+$' "$(cat live.txt)"
claim "and it runs on" running
printed() { gannet profile l/1 --folded - --seconds 1 >printed.txt 2>said && grep -q '^hot;.*work_hard [0-9]*$' printed.txt; }
claim "stacks go to the standard output, too" until_true printed
claim "and to no file of that name" [ ! -e ./- ]
matches "how many samples is said aside" '^folded: [0-9]+ samples? in ' "$(cat said)"
claim "until it is stopped" gannet stop l --now
wait
finish
