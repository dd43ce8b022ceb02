#!/bin/bash
# a pass is believed beside its owner's run directory alone, is named when that is gone, and is written by one at a time
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be two other users"
needs setpriv util-linux
scratch
owner=61001 mate=61002 group=61099
as() { # as USER COMMAND...: both are in the group
    as_user=$1
    shift
    setpriv --reuid="$as_user" --regid="$as_user" --groups="$group" env HOME="$SCRATCH/home" XDG_STATE_HOME="$SCRATCH/home/state" "$@"
}
as "$owner" test -x "$(command -v gannet)" || skip_all "other users can't read the programs under test in $(command -v gannet)"
chmod 711 "$SCRATCH"
chmod 1777 "$TMPDIR"
mkdir -m 755 home home/runs
synth home/s.yaml 100000 0.05
chown -R "$owner:$owner" home
cd home || exit 1
prepare() { as "$owner" gannet run s.yaml --dir "$1" --quiet --set limits.max_trials=1 && sed -i "s/max_trials: 1\$/max_trials: 100001/" "$1/experiment.yaml"; }
begin() { # begin DIR: a coordinator
    as "$owner" gannet coordinator --rundir "$1" >>"$1/logs/coordinator.log" 2>&1 &
    coordinator=$!
}
listens() { [ -e runs/r/coordinator.json ]; }
has_way() { grep -q '"control"' runs/r.pass 2>/dev/null; }

claim "an experiment is prepared" prepare runs/r
begin runs/r
claim "its coordinator listens" until_true listens
claim "it is shared" as "$owner" gannet share runs/r --group "$group"
claim "a member looks" as "$mate" gannet status "$PWD/runs/r"

# Somebody else may have put a pass there, that leads to a search of theirs.
chown "$mate:$group" runs/r.pass
refuse "a pass of another user than the run directory's is refused" 69 "user $mate's, and the run directory beside it user $owner's" \
    as "$mate" gannet status "$PWD/runs/r"
refuse "by its own name, too" 69 "is not followed" as "$mate" gannet status "$PWD/runs/r.pass"
as "$owner" gannet share runs/r --group "$group" >said 2>&1
is "and its owner hears of it before it is replaced" 1 $?
matches "in a sentence" "is not followed" "$(cat said)"
cp -p runs/r.pass taken.pass # by another name nothing is beside it
refuse "where it names a process of somebody else's that is said" 69 "process [0-9]* on this node is user $owner's" \
    as "$mate" gannet status "$PWD/taken.pass"
rm -f runs/r.pass taken.pass
claim "it is given anew" as "$owner" gannet share runs/r --group "$group"
claim "and shows the search" as "$mate" gannet status "$PWD/runs/r.pass"
claim "it is stopped" as "$owner" gannet stop runs/r --now
wait "$coordinator"

# Whoever comes first, the other one completes: a pass of a coordinator that lives says where.
for try in 1 2 3 4 5 6; do
    claim "the pass is withdrawn ($try)" as "$owner" gannet share runs/r --stop
    begin runs/r
    claim "it is shared while its coordinator begins ($try)" as "$owner" gannet share runs/r --group "$group"
    until_true listens
    claim "and the pass says where that is heard ($try)" until_true has_way
    as "$owner" gannet stop runs/r --now >/dev/null 2>&1 &
    stopping=$!
    claim "it is withdrawn while that ends ($try)" as "$owner" gannet share runs/r --stop
    wait "$coordinator" "$stopping"
    claim "and no pass is left ($try)" [ ! -e runs/r.pass ]
done

# What is left behind.
claim "it is shared once more" as "$owner" gannet share runs/r --group "$group"
cp -p runs/r.pass left.pass
mv runs/r moved
for name in runs/r runs/r.pass; do
    refuse "gannet status $name says that the run directory is gone" 69 "the run directory .*runs/r is gone" as "$mate" gannet status "$PWD/$name"
done
matches "gannet ls names its pass" "r.pass is the pass of an experiment that is gone" "$(as "$owner" gannet ls 2>&1)"
claim "another experiment of that name is made" prepare runs/r
claim "which has no pass of the one before" [ ! -e runs/r.pass ]
echo 'passwords' >runs/q.pass
claim "a file of that name that is no pass stays when one is made" prepare runs/q
is "as it was" passwords "$(cat runs/q.pass)"
finish
