#!/bin/bash
# a group that the experiment file names may read its run directory, live and at rest, and nothing more
. "$(dirname "$0")/lib.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be two other users"
needs setpriv util-linux
scratch
owner=61001 mate=61002 stranger=61003 group=61099
as() { # as USER COMMAND...: the owner and the mate are in the group
    as_user=$1
    shift
    set -- env HOME="$SCRATCH/home" "$@"
    if [ "$as_user" = "$stranger" ]; then
        setpriv --reuid="$as_user" --regid="$as_user" --clear-groups "$@"
    else
        setpriv --reuid="$as_user" --regid="$as_user" --groups="$group" "$@"
    fi
}
as "$owner" test -x "$(command -v gannet)" || skip_all "other users can't read the programs under test in $(command -v gannet)"
chmod 711 "$SCRATCH"
chmod 1777 "$TMPDIR"
mkdir -m 755 home home/runs
cat >home/s.yaml <<YAML
version: 1
share: "$group"
trial: {command: [sh, -c, 'echo loss=\$GANNET_PARAM_x; echo words >&2; [ ! -e hold ] || sleep 1000'], retries: 0}
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
strategy: random
limits: {max_trials: 1000, max_concurrent: 1}
YAML
chown -R "$owner:$owner" home
cd home || exit 1
sed 's/max_trials: 1000/max_trials: 3/' s.yaml >rest.yaml
chown "$owner" rest.yaml

readable() { # readable STATE: what the mate sees
    matches "$1: the mate sees the state" "$2" "$(as "$mate" gannet status "$3" 2>&1)"
    claim "$1: the trials" sh -c "$(declare -f as); stranger=$stranger group=$group SCRATCH=$SCRATCH; as $mate gannet trials $3 | grep -q completed"
    claim "$1: one of them" as "$mate" gannet show "$3/1"
    claim "$1: the best" as "$mate" gannet best "$3"
    matches "$1: what it printed" 'loss=' "$(as "$mate" gannet logs "$3/1" 2>&1)"
    matches "$1: the coordinator's log" 'session 1|coordinator' "$(as "$mate" gannet logs "$3" 2>&1)"
    claim "$1: JSON" as "$mate" gannet trials "$3" --json
    claim "$1: explanations" as "$mate" gannet explain "$3"
}
claim "a shared search at rest" as "$owner" sh -c 'umask 077; gannet run rest.yaml --quiet'
readable "at rest" 'ended' "$PWD/runs/rest"

as "$owner" sh -c 'umask 077; exec gannet run s.yaml --quiet' >"$TMPDIR/out" 2>&1 &
run=$!
ended() { as "$owner" gannet trials s --state completed --json 2>/dev/null | grep -q '"trial": 5,'; }
until_true ended
touch hold
holds() { as "$owner" gannet trials s --state running 2>/dev/null | grep -q running; }
until_true holds
readable "live" 'running' "$PWD/runs/s"
matches "it says that it is what is recorded" 'only its owner can see' "$(as "$mate" gannet status "$PWD/runs/s")"
before=$(as "$mate" gannet trials "$PWD/runs/s" --state completed --json | grep -o '"trial"' | wc -l)
claim "what the mate counts is what the owner counts" [ "$before" -eq "$(as "$owner" gannet trials s --state completed --json | grep -o '"trial"' | wc -l)" ]
for verb in stop pause cancel; do
    refuse "the mate can't $verb it" 69 "belongs to user $owner" as "$mate" gannet "$verb" "$PWD/runs/s"
done
refuse "nor cancel a trial" 69 "belongs to user $owner" as "$mate" gannet cancel "$PWD/runs/s/1"
refuse "nor go on with it" 2 "belongs to user $owner" as "$mate" gannet run "$PWD/runs/s" --resume
is "the mate reads no key, and not where the coordinator listens" "" \
    "$(as "$mate" sh -c "cat runs/s/keys/* runs/s/coordinator.json runs/s/coordinator.lock 2>/dev/null; ls runs/s/keys 2>/dev/null")"
is "and can write nothing" "" "$(as "$mate" find runs/s -writable 2>/dev/null)"
refuse "a stranger sees nothing" 5 "" as "$stranger" gannet status "$PWD/runs/s"
claim "the search goes on for its owner" as "$owner" gannet stop s --now
wait $run
rm hold
claim "and by a resume" as "$owner" gannet run runs/s --resume --quiet --set limits.max_trials=20
readable "after a resume" 'ended' "$PWD/runs/s"

sed 's/^share: .*//' rest.yaml >private.yaml && chown "$owner" private.yaml
claim "without share" as "$owner" gannet run private.yaml --quiet
is "a run directory is its owner's alone" "700 $owner" "$(stat -c '%a %u' runs/private)"
refuse "nor may the group look" 5 "" as "$mate" gannet status "$PWD/runs/private"
is "a file in it neither" "" "$(find runs/private -perm /077)"
sed 's/^share: .*/share: no-such-group/' rest.yaml >nobody.yaml && chown "$owner" nobody.yaml
refuse "a group that is not there is refused" 2 "there is no group 'no-such-group'" as "$owner" gannet run nobody.yaml
sed 's/^share: .*/share: "61100"/' rest.yaml >other.yaml && chown "$owner" other.yaml
refuse "a group of others, too" 2 "you are not in the group '61100'" as "$owner" gannet run other.yaml
finish
