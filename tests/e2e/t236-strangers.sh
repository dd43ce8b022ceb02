#!/bin/bash
# another user of the same node neither stops a search, nor is spoken to, nor gets in
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
[ "$(id -u)" = 0 ] || skip_all "only root can be two other users"
needs setpriv util-linux
scratch
owner=61001 stranger=61002

as() {
    as_user=$1
    shift
    setpriv --reuid="$as_user" --regid="$as_user" --clear-groups "$@"
}

as "$owner" test -x "$(command -v gannet)" || skip_all "other users can't read the programs under test in $(command -v gannet)"
chmod 711 "$SCRATCH"
chmod 1777 "$TMPDIR" # as /tmp is
mkdir -m 700 home
synth slow.yaml 1000 0.1
cp slow.yaml home
chown -R "$owner" home
cd home || exit 1
export HOME=$PWD
prepare() { as "$owner" gannet run slow.yaml --dir "$1" --quiet --set limits.max_trials=1 && sed -i "s/max_trials: 1\$/max_trials: $2/" "$1/experiment.yaml"; }
sockets_of() { sed -n 's|.*"control": "ipc://\(.*\)/control".*|\1|p' "$1/coordinator.json"; }
process_of() { sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$1/coordinator.json"; }
coordinate() { as "$owner" gannet coordinator --rundir "$1" >>"$1/logs/coordinator.log" 2>&1 & }

# forge PATH...: somebody else listens there, and writes down who comes.
forge() {
    for forged; do
        as "$stranger" perl -e 'use Socket; my ($path, $log) = @ARGV; socket(my $at, AF_UNIX, SOCK_STREAM, 0);
            unlink $path; bind($at, pack_sockaddr_un($path)) or die; chmod 0777, $path; listen($at, 9) or die;
            while (accept(my $who, $at)) { open(my $out, ">>", $log); print $out "$path\n"; close $out; }' \
            "$forged" "$TMPDIR/spoken-to" &
    done
    until_true test -S "$forged"
}

# knock USER PATH: connects, and says what the listener says first.
knock() {
    as "$1" perl -e 'use Socket; socket(my $to, AF_UNIX, SOCK_STREAM, 0); connect($to, pack_sockaddr_un($ARGV[0])) or die "no way: $!\n";
        my $said; my $count = sysread($to, $said, 10); print $count ? "greeted" : "turned away";' "$2" 2>&1
}

claim "an experiment is prepared" prepare r 100000
coordinate r
as "$owner" gannet-worker --rundir r >worker.log 2>&1 &
worker=$!
claim "a search runs" until_true has_ended r 2
sockets=$(sockets_of r)
is "in a directory of its owner alone" "$owner 700" "$(stat -c '%u %a' "$sockets")"
is "where the owner is greeted" greeted "$(knock "$owner" "$sockets/workers")"
matches "and nobody else can knock" 'no way: Permission denied' "$(knock "$stranger" "$sockets/workers")"

chmod 777 "$sockets" "$sockets/workers" "$sockets/control"
is "even where the directory was opened by hand, a stranger is turned away from the workers' socket" 'turned away' "$(knock "$stranger" "$sockets/workers")"
is "and from that for commands" 'turned away' "$(knock "$stranger" "$sockets/control")"
refuse "there the owner's own command goes nowhere" 69 "open to others .mode 0777.; close it with: chmod 700" as "$owner" gannet stop r
chmod 700 "$sockets"
claim "until it is closed again" as "$owner" gannet status r

refuse "root is told who it is that can ask" 69 "is user $owner's: give this command as that user" gannet stop r

# The coordinator dies uncleanly, its directory goes as /tmp is cleared, and a stranger has the name. The worker lives.
kill -KILL "$(process_of r)"
claim "it is dead" until_true eval '! kill -0 "$(process_of r)"'
rm -r "$sockets"
as "$stranger" mkdir -m 755 "$sockets"
forge "$sockets/workers" "$sockets/control"
claim "who asks how it stands is told by the store" as "$owner" gannet status r
before=$(ended_count r)
coordinate r
claim "the next coordinator and the worker go on" until_true has_ended r $((before + 4))
claim "and hear of the end" as "$owner" gannet stop r --now
claim "both: the coordinator" wait "$!"
claim "and the worker" wait "$worker"
claim "and the stranger was not spoken to" test ! -e "$TMPDIR/spoken-to"

# Names that could be guessed: that of earlier versions was made of the user and the run directory (FNV-1a).
guessed=$(perl -e 'use integer; my $h = 0xcbf29ce484222325; $h = ($h ^ ord) * 0x100000001b3 for split //, $ARGV[0];
    printf "gannet-%d-%016x", $ARGV[1], $h;' "$PWD/s" "$owner" 2>/dev/null)
for name in "$guessed" "gannet-$owner" "gannet-$owner-AAAAAA"; do
    as "$stranger" mkdir -m 777 "$TMPDIR/$name"
done
as "$stranger" ln -s "$sockets" "$TMPDIR/gannet-$owner-BBBBBB"
claim "another search is not stopped by directories of a stranger" as "$owner" gannet run slow.yaml --dir s --quiet --set limits.max_trials=2
is "which it leaves alone" "$stranger" "$(stat -c %u "$TMPDIR/gannet-$owner-AAAAAA")"
claim "and leaves none of its own" eval '! find "$TMPDIR" -maxdepth 1 -user "$owner" -name "gannet-*" | grep .'

# A file that somebody planted leads nowhere.
claim "a run directory is prepared" prepare p 3
printf '{"node": "%s", "host": "%s", "pid": %d, "session": 1, "workers": "ipc://%s/workers", "control": "ipc://%s/control",
 "public_key": "", "exclusive": true}' "$(hostname)" "$(hostname)" $$ "$sockets" "$sockets" >p/coordinator.json
chown "$owner" p/coordinator.json
claim "a planted address is not asked" as "$owner" gannet status p
claim "nor does a worker go there" as "$owner" gannet run slow.yaml --dir p --resume --quiet --set limits.max_trials=2
claim "nobody was spoken to" test ! -e "$TMPDIR/spoken-to"
finish
