#!/bin/bash
# what a trial that does nothing costs in system calls: a program three files and a directory, a kernel no file at all
. "$(dirname "$0")/lib.sh"
command -v strace >/dev/null || skip_all "strace is not installed, so no system calls can be counted"
[ -z "$SANITIZE" ] || skip_all "a sanitized program makes system calls of its own, and may not be traced"
scratch
strace -f -o probe true 2>/dev/null || skip_all "strace may not trace here, so no system calls can be counted"

trials=40
cat >nothing.yaml <<END
version: 1
name: nothing
seed: 1
trial: {command: [/bin/echo, "value=\${params.x}"]}
metric: {name: value, goal: minimize}
parameters:
  x: {min: -5.0, max: 5.0}
strategy: random
limits: {max_trials: $trials}
END
calls=open,openat,mkdir,mkdirat,rt_sigaction,readlink,signalfd4,vfork,pipe2,accept4,fstat,newfstatat,%file
began=$SECONDS
claim "a search of programs runs under strace" strace -f -e trace=$calls -o calls gannet run nothing.yaml --dir r --quiet
took=$((SECONDS - began))
worker=$(sed -n 's/^\([0-9]*\) .*vfork(.*/\1/p' calls | sort | uniq -c | sort -n | awk 'END { print $2 }')

# Calls of the worker, and of its children until they become the program, that match; less than one in two trials are what
# starting and ending take.
of_worker() { grep "^$worker " calls | grep -Ec -- "$1"; }
is "the worker starts each trial's program, and its reaper" $((trials + 1)) "$(of_worker 'vfork\(')"
is "it makes each trial's directory at once" "$trials" "$(of_worker 'mkdir(at)?\(.*/trials/[0-9]*"')"
is "it opens three files a trial" $((3 * trials)) "$(of_worker 'open(at)?\(.*/trials/[0-9]*/')"

# few WORDS PATTERN: less than one such call of the worker in two trials.
few() {
    few_count=$(of_worker "$2")
    [ "$few_count" -lt $((trials / 2)) ]
    tap_line $? "$1" || diag "$few_count calls match $2"
}
few "and no directory above it" 'mkdir(at)?\(.*File exists|mkdir\(.*EEXIST'
few "it does not look at its own memory" "open.*\"/proc/($worker|self)/status\""
few "it does not open the list of its threads or children" "open.*\"/proc/($worker|self)/task"
few "it does not look up where its programs lie" 'readlink\("/proc/self/exe"'
few "it does not set up its signals again" 'signalfd4\('
few "it makes no pipe to its child" 'pipe2\('
few "it does not ask its socket for connections that are not there" 'accept4\('
looked=$(of_worker 'openat\(.*"/bin/echo"')
[ "$looked" -le $((took + 2)) ]
tap_line $? "it looks once a second for the program, not each time" || diag "it looks $looked times in $took seconds"
few "it does not look at files that it has just made" '(fstat|newfstatat)\([0-9]+, "", .*0600, st_size=0'

opened=$(grep -v "^$worker " calls | grep -c '"/dev/null"')
[ "$opened" -lt $((trials / 2)) ]
tap_line $? "a child has its input from the worker" || diag "/dev/null is opened $opened times in $trials trials"
# A child sets no signal but those that were altered here; /bin/echo itself sets none.
actions=$(grep -v "^$worker " calls | grep -c 'rt_sigaction(.*SIG_DFL')
[ "$actions" -lt $((trials * 8)) ]
tap_line $? "a child sets only signals that are not at their defaults" || diag "$actions calls of rt_sigaction in $trials trials"

# One that reports its metric: who it is, the metric and the question whether to stop; all is answered at once.
cat >stream.c <<'END'
#define _POSIX_C_SOURCE 200809L
#include "gannet_trial.h"
int main(void)
{
    struct gannet_trial trial;
    gannet_trial_open(&trial);
    gannet_trial_metric(&trial, "value", gannet_trial_real(&trial, "x", 0), 1);
    gannet_trial_close(&trial);
    return 0;
}
END
cc -I"$SOURCE/clients/c" stream.c -o stream -lm
sed "s|^trial:.*|trial: {command: [$PWD/stream]}|" nothing.yaml >stream.yaml
claim "a search of programs that report runs under strace" strace -f -e trace=sendto,execve -o stream.calls gannet run stream.yaml --dir s --quiet
is "a program speaks once" "$trials" "$(grep -Ec 'sendto\([0-9]+, "\{\\"(gannet\\":1,\\"token|metric|should_stop)' stream.calls)"
few_answers=$(grep -Ec 'sendto\([0-9]+, "\{\\"(gannet\\":1,\\"trial|stop)' stream.calls)
[ "$few_answers" -le "$trials" ]
tap_line $? "and is answered as often" || diag "$few_answers answers"

# The same of a kernel. How many of its runs are handed over at once depends on the machine; what each looks at does not.
sed 's/^trial:.*/trial: {kernel: synth, options: {function: sphere}}/; s/  x:/  x1:/' nothing.yaml >kernel.yaml
claim "a search of a kernel runs under strace" \
    strace -f -e trace=execve,clock_gettime,sendto,%file -o kernel gannet run kernel.yaml --dir k --quiet
started() { sed -n "s/^\([0-9]*\) *execve(\"[^\"]*$1\".*/\1/p" kernel | sort -u; }
of_trainers() { for trainer in $(started gannet-trainer); do grep "^$trainer " kernel; done | grep -Ec -- "$1"; }
# ENDED is the message of kind 21, octal 25; before it stands the version of messages, which strace may show as a letter.
is "a trainer says once a trial what came of it" "$trials" "$(of_trainers 'sendto\(3, "[^"]*G\\([0-9]+|[a-z])\\25\\0')"
is "it looks for no checkpoint of a trial that never ran" 0 "$(of_trainers '/trials/')"
asked=$(grep "^$(started gannet-worker) " kernel | grep -c 'clock_gettime(0x')
[ "$asked" -lt $((trials / 2)) ]
tap_line $? "the worker does not ask for a trainer's processor time after each trial" || diag "it asks $asked times"
claim "nothing is left running" none_left
finish
