# What the end-to-end tests share: a little TAP and a place to work in. To be sourced first:
#
#     #!/bin/bash
#     # a run of synth ends with the trials it was asked for
#     . "$(dirname "$0")/lib.sh"
#     scratch
#     claim "a search runs to its end" gannet run "$EXAMPLES/first.yaml" --dir r
#     is "it did 20 trials" 20 "$(gannet trials r --json | grep -c '"trial"')"
#     claim "nothing is left running" none_left
#     finish
#
# The programs under test are found in PATH (tests/run puts them there).

claims=0
failed=0
SOURCE=$(cd "$(dirname "$0")/../.." && pwd)   # the root of the source tree
EXAMPLES=$SOURCE/examples

# diag: standard input, or the arguments, as TAP comments.
diag() {
    if [ $# -gt 0 ]; then printf '%s\n' "$*"; else cat; fi | sed 's/^/# /' >&2
}

# tap_line STATUS WORDS: one line of TAP; the status of the claim.
tap_line() {
    claims=$((claims + 1))
    if [ "$1" -eq 0 ]; then
        echo "ok $claims - $2"
    else
        failed=$((failed + 1))
        echo "not ok $claims - $2"
    fi
    return "$1"
}

# claim WORDS COMMAND...: the command succeeds; if not, what it said is shown. It runs in this shell.
claim() {
    claim_words=$1
    shift
    "$@" >"$lib_output" 2>&1 </dev/null
    set -- $? "$@"
    tap_line "$1" "$claim_words" && return 0
    claim_status=$1
    shift
    diag "exit status $claim_status of: $*"
    tail -n 40 "$lib_output" | diag
    return 1
}

# refuse WORDS STATUS PATTERN COMMAND...: the command ends with this status and says something that matches the pattern
# (grep -E; an empty one: whatever it says).
refuse() {
    refuse_words=$1 refuse_status=$2 refuse_pattern=$3
    shift 3
    "$@" >"$lib_output" 2>&1 </dev/null
    set -- $? "$@"
    if [ "$1" -eq "$refuse_status" ] && { [ -z "$refuse_pattern" ] || grep -Eq -e "$refuse_pattern" "$lib_output"; }; then
        tap_line 0 "$refuse_words"
        return 0
    fi
    tap_line 1 "$refuse_words"
    diag "exit status $1 (expected $refuse_status), expected a match for: $refuse_pattern"
    tail -n 40 "$lib_output" | diag
    return 1
}

# is WORDS EXPECTED FOUND: two texts are the same.
is() {
    [ "$2" = "$3" ]
    tap_line $? "$1" && return 0
    diag "expected: $2"
    diag "found:    $3"
    return 1
}

# matches WORDS PATTERN TEXT: the text matches (grep -E).
matches() {
    printf '%s\n' "$3" | grep -Eq -e "$2"
    tap_line $? "$1" && return 0
    diag "expected a match for: $2"
    diag "found: $3"
    return 1
}

# until_true COMMAND...: waits for a thing to be so, ten minutes at most. For waiting only: no test asserts a time, and on a
# busy machine anything takes a minute.
until_true() {
    local until_end=$((SECONDS + 600)) until_look=0
    while [ $SECONDS -lt $until_end ]; do
        "$@" >/dev/null 2>&1 && return 0
        until_look=$((until_look + 1))
        if [ $until_look -lt 20 ]; then sleep 0.1; else sleep 0.3; fi # what looks often takes time from what it waits for
    done
    diag "after ten minutes still not so: $*"
    failed=$((failed + 1)) # what follows may hold all the same
    return 1
}

# skip WORDS WHY: a claim that can't be tried here.
skip() {
    claims=$((claims + 1))
    echo "ok $claims - $1 # SKIP $2"
    could_not "$1: $2"
}

# skip_all WHY: the whole script can't be tried here.
skip_all() {
    echo "1..0 # SKIP $1"
    could_not "$1"
    exit 0
}

# needs PROGRAM [PACKAGE]: skips the whole script where the program is not there.
needs() {
    command -v "$1" >/dev/null || skip_all "$1 is not here (apt-get install ${2:-$1})"
}

# could_not SENTENCE: what tests/run tells at its end.
could_not() {
    [ -z "$GANNET_COULD_NOT" ] || echo "$(basename "$0"): $1" >>"$GANNET_COULD_NOT"
}

# scratch: makes a directory and goes there. At the end of the script it is removed, and what was started is killed.
scratch() {
    SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/gannet-test.XXXXXX") || exit 1
    chmod 700 "$SCRATCH"
    mkdir -m 700 "$SCRATCH/tmp" # sockets go into no directory that others may write, as with a umask of 002
    unset XDG_RUNTIME_DIR
    TMPDIR=$SCRATCH/tmp
    XDG_STATE_HOME=$SCRATCH/state # the searches of tests are none of the person's who runs them
    GANNET_TEST_SCRATCH=$SCRATCH
    export TMPDIR XDG_STATE_HOME GANNET_TEST_SCRATCH
    cd "$SCRATCH" || exit 1
}

# left: the processes that were started from this script's scratch directory and still run, programs first.
left() {
    local left_env left_pid left_name left_words
    [ -n "$SCRATCH" ] || return 0
    for left_env in $(grep -lzxs "GANNET_TEST_SCRATCH=$SCRATCH" /proc/[0-9]*/environ); do
        left_pid=${left_env#/proc/}
        left_pid=${left_pid%/environ}
        [ -e "/proc/$left_pid/exe" ] || continue # it has ended
        { read -r left_name <"/proc/$left_pid/comm" && mapfile -d '' -t left_words <"/proc/$left_pid/cmdline"; } 2>/dev/null ||
            continue
        [ "$left_name" = grep ] || echo "$left_pid ${left_words[*]} " # grep: this function's own
    done
}

# A reaper whose worker or run was killed ends by itself, some milliseconds later than those who were told to end.
no_reaper() {
    ! left | grep -q 'gannet-reaper '
}

# process_lives PID, process_dead PID: whether it is there and no zombie, and the contrary.
process_lives() { [ -d "/proc/$1" ] && ! grep -q '^State:.*Z' "/proc/$1/status"; }
process_dead() { ! process_lives "$1"; }

none_left() {
    until_true no_reaper
    left_list=$(left)
    [ -z "$left_list" ] && return 0
    echo "still running: $left_list"
    return 1
}

lib_clean() {
    rm -f "$lib_output"
    [ -n "$SCRATCH" ] || return 0
    for lib_try in 1 2 3; do
        lib_pids=$(left | cut -d' ' -f1)
        [ -z "$lib_pids" ] && break
        kill -KILL $lib_pids 2>/dev/null
    done
    cd /
    rm -rf "$SCRATCH"
}

lib_output=$(mktemp) || exit 1
trap lib_clean EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# finish: the plan, and the end of the script.
finish() {
    echo "1..$claims"
    [ "$failed" -eq 0 ]
    exit $?
}
