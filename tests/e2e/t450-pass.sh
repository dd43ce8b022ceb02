#!/bin/bash
# members of a group look at a search by the pass that its owner has given them, see nothing else, and change nothing
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
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
mkdir -m 755 home
synth home/s.yaml 100000 0.05
chown -R "$owner:$owner" home
cd home || exit 1
prepare() { as "$owner" gannet run s.yaml --dir "$1" --quiet --set limits.max_trials=1 && sed -i "s/max_trials: 1\$/max_trials: 100001/" "$1/experiment.yaml"; }
begin() { # begin DIR: a coordinator and a worker
    as "$owner" gannet coordinator --rundir "$1" >>"$1/logs/coordinator.log" 2>&1 &
    coordinator=$!
    as "$owner" gannet-worker --rundir "$1" >worker.log 2>&1 &
    worker=$!
}
counted() { as "$owner" gannet status r --json | sed -n 's/.*"completed": \([0-9]*\).*/\1/p' | head -n 1; }
has() { [ "$(counted)" -ge "$1" ]; }

claim "an experiment is prepared" prepare r
is "its run directory is closed" 700 "$(stat -c %a r)"
refuse "it can't be shared with a group of others" 1 "you are not in the group '61100'" as "$owner" gannet share r --group 61100
matches "it is shared before it runs, and that is said" "it does not run now" "$(as "$owner" gannet share r --group "$group" 2>&1)"
matches "with whom is said, too" "the group $group can look" "$(as "$owner" gannet share r 2>&1)"
is "by one file that the group can read" "640 $owner $group" "$(stat -c '%a %u %g' r.pass)"
is "the run directory stays closed" "700 $owner" "$(stat -c '%a %g' r)"
refuse "while nothing runs the pass says so" 69 "no coordinator runs now" as "$mate" gannet status "$PWD/r.pass"

begin r
claim "the search runs" until_true has 3
claim "the mate sees how it stands" as "$mate" gannet status "$PWD/r.pass"
matches "that it runs, and its slots" 'running' "$(as "$mate" gannet status "$PWD/r.pass")"
matches "by the run directory's name, too" 'running' "$(as "$mate" gannet status "$PWD/r")"
for look in "trials r.pass" "show r.pass/2" "best r.pass" "explain r.pass" "status r.pass --json" "importance r.pass"; do
    # shellcheck disable=SC2086
    claim "gannet $look answers the mate" as "$mate" gannet $look
done
refuse "logs stay closed" 2 "opens no files" as "$mate" gannet logs r.pass/2
matches "the screen, too" '2 Trials.*' "$(as "$mate" gannet frame r.pass --size 80x24)"
matches "with its trials" '^ *1 .*C ' "$(as "$mate" gannet frame r.pass --size 100x24 --screen trials)"
is "nothing in the run directory is open to him" "" "$(as "$mate" sh -c 'cat r/* r/*/* 2>/dev/null; ls r 2>/dev/null')"
is "and he can write nothing" "" "$(as "$mate" find r r.pass -writable 2>/dev/null)"

for command in "stop r.pass" "stop r.pass --now" "pause r.pass" "cancel r.pass" "cancel r.pass/3" "ignore r.pass 1" "retry r.pass 1" "share r.pass --stop"; do
    # shellcheck disable=SC2086
    as "$mate" gannet $command >said 2>&1
    claim "gannet $command is refused" [ $? -ne 0 ]
    matches "gannet $command: in a sentence" "belongs to user|a viewer's key is not enough|a pass" "$(cat said)"
done
as "$owner" gannet stop r.pass >said 2>&1
matches "its owner's own commands don't go by it" "a viewer's key is not enough|a pass" "$(cat said)"
refuse "a stranger can't read it" 69 "Permission denied" as "$stranger" gannet status "$PWD/r.pass"

# What somebody else may have written is not believed.
cp r.pass forged.pass && chown "$owner:$group" forged.pass && chmod 660 forged.pass
refuse "a pass that others may write is refused" 69 "others|write" as "$mate" gannet status "$PWD/forged.pass"
printf '{"gannet": "pass", "key": {"public": "x"}, "coordinator": {"pid": -1}}' >forged.pass && chmod 640 forged.pass
refuse "a damaged one, too" 69 "damaged" as "$mate" gannet status "$PWD/forged.pass"
echo 'passwords' >q.pass
claim "another experiment is prepared" prepare q
refuse "a file of its owner's that has the pass's name stays" 1 "is no pass" as "$owner" gannet share q --group "$group"
is "as it was" passwords "$(cat q.pass)"

# However many look, the search goes on.
for look in 1 2 3 4; do
    while as "$mate" gannet trials r.pass --json >/dev/null 2>&1; do [ ! -e enough ] || break; done &
done
claim "while several look all the time, trials end" until_true has $(($(counted) + 20))
touch enough

# A reading may be refused while the coordinator has more to do, as it was for those who looked all the time.
says_closed() { as "$mate" gannet frame r.pass --screen trials --keys 'Enter Tab Tab Tab Tab' --size 100x30 2>&1 | grep -q "not shown by a pass"; }
claim "outputs of trials are said to be closed, not empty" until_true says_closed
cp -p r.pass kept.pass
claim "its owner withdraws it" as "$owner" gannet share r --stop
claim "the pass is gone" [ ! -e r.pass ]
as "$mate" gannet status "$PWD/kept.pass" >said 2>&1
is "and whoever has kept a copy is refused" 69 $?
claim "it is given anew" as "$owner" gannet share r --group "$group"
claim "which shows the search" as "$mate" gannet status "$PWD/r.pass"
sed "s/\"secret\": .*/$(grep '"secret"' kept.pass | tr -d ' ' | sed 's/[&/\\]/\\&/g')/; s/\"public\": .*/$(grep '"public"' kept.pass | tr -d ' ' | sed 's/[&/\\]/\\&/g')/" r.pass >old.pass
chown "$owner:$group" old.pass && chmod 640 old.pass
refuse "with another key: the old one is refused" 69 "withdrawn" as "$mate" gannet status "$PWD/old.pass"

claim "the search is stopped" as "$owner" gannet stop r --now
wait "$coordinator" "$worker"
refuse "the pass says that nothing runs" 69 "no coordinator runs now" as "$mate" gannet status "$PWD/r.pass"
begin r
claim "and shows the next session" until_true as "$mate" gannet status "$PWD/r.pass"
claim "which is stopped" as "$owner" gannet stop r --now
wait "$coordinator" "$worker"
finish
