#!/bin/bash
# processes of gannet that may start no more threads (ulimit -u) say so in a sentence
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be a user who runs nothing else"
needs setpriv util-linux
needs prlimit util-linux
scratch
user=$((60001 + $$ % 900)) # another one in each run, since all processes of a user count
export OPENBLAS_NUM_THREADS=1
limited() { # limited MOST COMMAND...
    limited_most=$1
    shift
    setpriv --reuid="$user" --regid="$user" --clear-groups env HOME="$SCRATCH/home" prlimit --nproc="$limited_most" "$@"
}
limited 100 test -x "$(command -v gannet)" || skip_all "other users can't read the programs under test in $(command -v gannet)"
chmod 711 "$SCRATCH"
chmod 1777 "$TMPDIR"
mkdir home
synth slow.yaml 1000 0.1
cp slow.yaml home
chown -R "$user" home
cd home || exit 1
claim "with enough of them a search runs" limited 200 "$(command -v gannet)" run slow.yaml --dir r --quiet --set limits.max_trials=1
sentence="can't start (another thread|the thread|.*: Resource temporarily unavailable)"
try() { # try MOST PROGRAM ARGUMENTS...: alone, since what others start meanwhile counts, too
    limited "$@" >out 2>&1 </dev/null
    status=$?
    claim "$(basename "$2") that may have $1 of them is not aborted" [ "$status" -lt 128 ]
    matches "and says why" "$sentence" "$(cat out)"
    is "in no library's words" "" "$(grep -E 'thread.cpp|Assertion' out)"
}
for most in 1 2 3 4; do
    try "$most" "$(command -v gannet)" coordinator --rundir r
done
for most in 1 2; do
    try "$most" "$(command -v gannet-worker)" --rundir r
done
finish
