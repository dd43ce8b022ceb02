#!/bin/bash
# a trial on several nodes begins and ends as one, whoever of them, of the workers or the coordinator is killed
. "$(dirname "$0")/lib.sh"
scratch

# experiment NAME [KEYS OF trial [LIMITS [FURTHER KEYS]]]: trials on two nodes; standard input is their program.
experiment() {
    { echo '#!/bin/bash' && cat; } >"$1.sh"
    chmod +x "$1.sh"
    cat >"$1.yaml" <<YAML
version: 1
trial: {command: [./$1.sh, "\${params.x}"]${2:-, grace: 2s}}
metric: {name: loss, goal: minimize}
parameters: {x: {values: [1, 2, 3, 4, 5]}}
strategy: grid
resources: {nodes: 2, bind: none}
limits: {max_concurrent: 1, ${3:-max_trials: 1}}
${4:-}
YAML
}
# begin NAME NODE...: its search, with a worker of its own and further ones that say that they are on these nodes.
begin() {
    gannet run "$1.yaml" --dir "$1" --quiet --share --listen 'tcp://127.0.0.1:*' >"$1.out" 2>&1 &
    search=$!
    until_true [ -f "$1/coordinator.json" ]
    for node in "${@:2}"; do join "$1" "$node"; done
}
# join NAME NODE: another worker, whose process is in `joined`.
join() {
    gannet-worker --rundir "$1" --node "$2" --shared >"worker-$1-$2.log" 2>&1 &
    joined=$!
}
trial_of() { gannet trials "$1" --csv --columns "$2" | sed -n "$((1 + ${3:-1}))p" | tr -d '\r"'; }
on_nodes() { [ "$(cat "$1".began.* 2>/dev/null | wc -l)" -ge "$2" ]; } # so many processes of its trials have begun
coordinator_of() { sed -n 's/.*"pid": *\([0-9]*\).*/\1/p' "$1/coordinator.json"; }
ends() {
    wait "$search"
    claim "$1: nothing is left" none_left
}

here=$(hostname)

# --- whom it needs ---

experiment told <<'SH'
echo "node $GANNET_NODE of $GANNET_NODES, rank $RANK of $WORLD_SIZE, $MASTER_ADDR $MASTER_PORT $GANNET_HOSTS"
echo "loss=0.$((RANK + 1))"
SH
sed -i 's/max_trials: 1/max_trials: 3/' told.yaml
refuse "one machine alone is refused, with what to do" 2 "a trial takes a slot on each of 2 nodes, and here is one" \
    gannet run told.yaml --dir nothing
claim "nothing is made then" [ ! -e nothing ]
begin told
nodes_are_missing() { gannet status told | grep -q "each of 2 nodes (resources.nodes), and there are workers on 1"; }
claim "while a node is missing, status says so" until_true nodes_are_missing
matches "and how another worker is started" 'gannet-worker --rundir .*told. starts one .*--node NAME' "$(gannet status told)"
gannet stop told --now >stop.out 2>&1
wait "$search"
gannet run told.yaml --dir told --resume --share --listen 'tcp://127.0.0.1:*' >told.out 2>&1 &
search=$!
claim "and so does the run itself" until_true grep -q 'workers on 1; on another node `gannet-worker --rundir .*told. starts one' told.out
join told b
ends "both nodes end well"
matches "explain names both nodes" "attempt 1 on the nodes .*,.*, of the first slot 0" "$(gannet explain told/1)"
for node in b "$here"; do matches "$node was given the attempts" 'was given 3 attempts' "$(gannet explain told $node)"; done
is "every trial completes" "3" "$(gannet trials told --state completed --csv --columns trial | tail -n +2 | wc -l)"
nodes=$(trial_of told nodes)
matches "the nodes are recorded, the first one first" "^($here,b|b,$here)$" "$nodes"
said=$(cat told/trials/000001/stdout)
matches "the first is told that it is the first" "^node 0 of 2, rank 0 of 2, ${nodes%,*} [1-9][0-9]* $nodes$" \
    "$(echo "$said" | head -n 1)"
is "the second that it is the second, and where to meet" "$(echo "$said" | sed -n '1s/node 0 of 2, rank 0/node 1 of 2, rank 1/p')" \
    "$(head -n 1 told/trials/000001/stdout.rank1)"
is "what the second prints is no value of the trial" 0.1 "$(trial_of told value)"
matches "show says the nodes, too" "$nodes" "$(gannet show told 1)"

experiment launched ", launch: first, grace: 100s" <<'SH'
echo "started ${RANK-once} for $GANNET_RANKS on $GANNET_NODES"
echo "loss=$1"
SH
sed -i 's/nodes: 2,/nodes: 2, ranks: 2, cpus: 2,/; s/max_trials: 1/max_trials: 2/' launched.yaml
if [ "$(env -u OMP_NUM_THREADS nproc)" -ge 2 ]; then
    begin launched b
    ends "a launcher"
    is "it is started once for all" "started once for 4 on 2" "$(head -n 1 launched/trials/000001/stdout)"
    is "its trials complete" "2" "$(gannet trials launched --state completed --csv --columns trial | tail -n +2 | wc -l)"
else
    skip "a launcher" "two processes need two cores"
fi

# --- who is killed ---

experiment killed <<'SH'
echo "$RANK $GANNET_ATTEMPT" >>"killed.began.$RANK"
until [ -f killed.go ]; do sleep 0.05; done
echo "loss=$1"
SH
begin killed b
until_true on_nodes killed 2
kill -KILL "$joined"
join killed c
began_again() { grep -qs ' 2$' killed.began.0 && grep -qs ' 2$' killed.began.1; }
claim "a worker is killed: the trial begins anew on the nodes that are left" until_true began_again
touch killed.go
ends "a worker is killed"
is "the trial completes" completed "$(trial_of killed reason)"
matches "at its second attempt" "lost .*(node b ended: |its connection broke)" "$(gannet show killed 1)"
matches "on other nodes" "c" "$(trial_of killed nodes)"

experiment restarted <<'SH'
echo "$RANK $GANNET_ATTEMPT" >>"restarted.began.$RANK"
until [ -f restarted.go ]; do sleep 0.05; done
echo "loss=$1"
SH
begin restarted b
until_true on_nodes restarted 2
before=$(coordinator_of restarted)
kill -KILL "$before"
is_another() { now=$(coordinator_of restarted) && [ -n "$now" ] && [ "$now" != "$before" ]; }
until_true is_another
until_true gannet status restarted
touch restarted.go
ends "the coordinator is killed"
is "the trial completes" completed "$(trial_of restarted reason)"
is "it was not begun anew" "1" "$(trial_of restarted attempts)"
is "each node ran it once" "0 1:1 1" "$(cat restarted.began.0):$(cat restarted.began.1)"

# --- who ends otherwise ---

experiment fails ", grace: 2s, retries: 0" <<'SH'
[ "$RANK" = 1 ] && { echo "no such file" >&2; exit 3; }
exec sleep 1000
SH
begin fails b
ends "a part fails"
is "so does the trial, with that reason" exited "$(trial_of fails reason)"
matches "and that node's sentence" "node (b|$here) ended: .*status 3" "$(gannet show fails 1 | head -n 1)"

experiment stopped ", grace: 2s" "max_trials: 3" "early_stop: {name: median, min_steps: 1, min_trials: 2}" <<'SH'
echo $$ >"stopped.process.$1.$RANK"
[ "$RANK" = 0 ] || exec sleep 1000
for step in 1 2 3; do echo "loss=$1 step=$step"; done
[ "$1" -lt 3 ] || exec sleep 1000
SH
begin stopped b
ends "early stopping"
is "the bad one is stopped early" "completed completed stopped_early" \
    "$(gannet trials stopped --sort trial --csv --columns reason | tail -n +2 | tr -d '\r' | paste -sd' ')"
for rank in 0 1; do
    claim "its process of rank $rank has ended" process_dead "$(cat stopped.process.3.$rank)"
done

experiment cancelled ", grace: 2s" <<'SH'
echo $$ >"cancelled.began.$RANK"
exec sleep 1000
SH
begin cancelled b
until_true on_nodes cancelled 2
claim "a running one is cancelled" gannet cancel cancelled 1
ends "a trial is cancelled"
is "it is cancelled" cancelled "$(trial_of cancelled reason)"

finish
