# What scripts share whose coordinator and workers are on the two ends of a bad network (tests/wire). To be sourced after
# lib.sh, experiments.sh and record.sh, and before anything else is done: the script begins anew in namespaces of its own.
#
# The coordinator is at 10.9.0.1 (in_a COMMAND...), the worker at 10.9.0.2 on a host of another name (in_b COMMAND...).

# Namespaces take root, or a kernel that lets users have them.
if [ -z "$NET_INSIDE" ]; then
    for net_program in unshare nsenter ip; do needs $net_program "util-linux iproute2"; done
    net_user=
    unshare -n true 2>/dev/null || net_user=-r
    unshare $net_user -n true 2>/dev/null || skip_all "this user may make no network namespace"
    [ -c /dev/net/tun ] || skip_all "there is no /dev/net/tun"
    rm -f "$lib_output"
    NET_INSIDE=yes exec unshare $net_user -n -- "$0" "$@"
fi

# net_side NAME: a network and host name of their own, which last as long as the process in $net_pid.
net_side() {
    unshare -n -u sh -c "hostname $1 && exec sleep 100000" &
    net_pid=$!
}

in_a() { nsenter -t "$net_a" -n -u "$@"; }
in_b() { nsenter -t "$net_b" -n -u "$@"; }

net_address() { # net_address PID OWN OTHER
    nsenter -t "$1" -n sh -c "ip link set lo up && ip addr add $2 peer $3 dev wire0 && ip link set wire0 up"
}

# net_open: makes both sides and the wire between them; fails where that can't be.
net_open() {
    net_side side-a && net_a=$net_pid && net_side side-b && net_b=$net_pid || return 1
    until_true net_named || return 1
    mkfifo wire.in && : >wire.out || return 1
    "$GANNET_BUILD/tests/wire" "$net_a" "$net_b" "${SEED:-1}" <wire.in >wire.out 2>wire.err &
    exec 7>wire.in
    until_true grep -q . wire.out wire.err
    grep -q ready wire.out || { cat wire.err && return 1; }
    net_address "$net_a" 10.9.0.1 10.9.0.2 && net_address "$net_b" 10.9.0.2 10.9.0.1
}
net_named() { [ "$(in_b hostname)" = side-b ] && [ "$(in_a hostname)" = side-a ]; }

# net_begin: the same, or the script is skipped.
net_begin() {
    net_open >opened 2>&1 && return
    net_close
    skip_all "no network can be made between two namespaces: $(tail -n 1 opened)"
}

# wire COMMAND...: has it carried out (tests/wire/wire.c).
wire() {
    : >wire.out
    echo "$*" >&7
    until_true grep -q . wire.out
}

# net_search DIR TRIALS: a search of programs of a third of a second, prepared; started by net_coordinator and net_workers.
net_search() {
    synth net.yaml 1
    cat >net_trial.sh <<END
#!/bin/sh
echo "\$GANNET_TRIAL \$GANNET_ATTEMPT" >>"$SCRATCH/$1.started"
sleep 0.3
echo value=\$GANNET_PARAM_x1
END
    chmod +x net_trial.sh
    sed -i "s|^trial:.*|trial: {command: [$SCRATCH/net_trial.sh], grace: 1s, retries: 0}|; s/^limits:.*/&/" net.yaml
    prepared "$1" net.yaml "$(($2 - 1))" && : >"$1.started"
}

# A coordinator in the background; $net_coordinator is its own process, not a shell's.
net_coordinator() {
    nsenter -t "$net_a" -n -u gannet coordinator --rundir "$1" --listen 'tcp://10.9.0.1:*' >>"$1/logs/coordinator.log" 2>&1 &
    net_coordinator=$!
}

# A worker that gave up is started again, as a batch system's next job would be.
net_workers() {
    while process_lives "$net_coordinator" || [ -e "$1.waits" ]; do
        in_b gannet-worker --rundir "$1" >>"$1/logs/worker.log" 2>&1
        sleep 0.2
    done &
    net_workers=$!
}

net_progress() { # net_progress DIR N: waits until N more trials have ended
    net_goal=$(($(ended_count "$1") + $2))
    until_true has_ended "$1" "$net_goal"
}

# net_is_whole DIR TRIALS: the record is exact, all trials were completed, and no attempt was begun twice.
net_is_whole() {
    sort "$1.started" | uniq -d | sed 's/^/begun twice: /' >twice
    cat twice
    [ ! -s twice ] && [ "$(ended "$1" | grep -c completed)" = "$2" ] && [ "$(ended_count "$1")" = "$2" ] &&
        [ -z "$(wrong_in_store "$1")" ] && gannet replay "$1"
}

no_gannet_left() { ! left | grep -q gannet; }

net_close() {
    exec 7>&-
    kill "$net_a" "$net_b" 2>/dev/null
    wait "$net_a" "$net_b" 2>/dev/null
}
