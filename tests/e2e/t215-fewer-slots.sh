#!/bin/bash
# a worker that outlives its coordinator is taken back with its runs by one that gives each trial more cores
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
cat >hold.sh <<'END'
#!/bin/sh
echo "$GANNET_TRIAL" >>"$HELD/begun"
until [ -e "$HELD/go" ]; do sleep 0.05; done
echo value=1
END
chmod +x hold.sh
export HELD=$SCRATCH
touch go
synth synth.yaml 5
sed -i "s|^trial:.*|trial: {command: [$SCRATCH/hold.sh, \"\${args}\"]}\nresources: {cpus: 1, bind: none}|" synth.yaml
claim "an experiment is prepared" prepared r synth.yaml 4
rm go begun

# Four cores, and then two slots of two.
worker() {
    gannet-worker --rundir r --topology "$SOURCE/tests/worker/topologies/plain.xml" >>r/logs/worker.log 2>&1 &
}

begun() {
    [ "$(grep -c . begun)" -ge "$1" ]
}

coordinator r
coordinator=$!
worker
worker=$!
claim "four trials run" until_true begun 4
kill -KILL $coordinator
wait $coordinator 2>/dev/null
sed -i 's/cpus: 1$/cpus: 2/' r/experiment.yaml
claim "trials get more cores" grep -q 'cpus: 2' r/experiment.yaml
coordinator r
coordinator=$!
claim "the worker offers fewer slots" until_true grep -q 'offers 2 slots' r/logs/worker.log
touch go
wait $coordinator
is "the search comes to its end" 0 $?
wait $worker
is "the worker, too" 0 $?
is "with every trial" 5 "$(ended_count r)"
is "none of them was begun twice" 4 "$(sort begun | uniq | grep -c .)"
is "nor lost" 4 "$(grep -c . begun)"
claim "no process is left" none_left
finish
