# Where trials ran, by the store and by what programs saw. To be sourced after lib.sh.

# places DIR: a line for each completed trial: NODE GPU CPUS START END TRIAL, seconds since midnight.
places() {
    gannet trials "$1" --csv --columns trial,state,node,gpus,cpus,started,seconds | tr -d '\r' |
        awk -F, '$2 == "completed" { split(substr($6, 12), t, /[:Z]/); start = t[1] * 3600 + t[2] * 60 + t[3]
                                     printf "%s %s %s %.3f %.3f %s\n", $3, $4, $5, start, start + $7, $1 }'
}

# collisions: of lines NODE GPU CPUS START END ..., those whose start lies more than 5 ms (the rounding of times, and of
# two clocks) before the end of the one before on that GPU.
collisions() {
    sort -k1,1 -k2,2 -k4,4n | awk '{ place = $1 " " $2; if (place == last && $4 < end - 0.005) print; last = place; end = $5 }'
}
