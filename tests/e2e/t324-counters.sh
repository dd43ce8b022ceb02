#!/bin/bash
# what each run used: of a program's whole tree, of several ranks, of a kernel and its ranks, of a run that lasts no time
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3

# counted DIRECTORY COUNTER: of the first trial, as a whole number; nothing when it is unknown.
counted() { sqlite3 -readonly "$1/gannet.db" "SELECT CAST(value AS INTEGER) FROM v_counters WHERE trial = 1 AND counter = '$2'"; }
# within LEAST MOST NUMBER
within() { [ -n "$3" ] && [ "$3" -ge "$1" ] && [ "$3" -le "$2" ]; }

cat >child.sh <<'SH'
#!/bin/sh
# a grandchild writes 4 MiB, and another one reads them
(dd if=/dev/zero of="$GANNET_TRIAL_DIR/big" bs=65536 count=64; cat "$GANNET_TRIAL_DIR/big" >/dev/null) 2>/dev/null
sleep 0.3
echo loss=1
SH
chmod +x child.sh
cat >program.yaml <<'YAML'
version: 1
trial: {command: [sh, -c, './child.sh; :', '${params.x}']}
parameters: {x: {min: 0.0, max: 1.0}}
metric: {name: loss, goal: minimize}
strategy: random
limits: {max_trials: 1}
YAML
claim "a program whose children work" gannet run program.yaml
claim "what its grandchildren wrote is counted" within 4194304 20000000 "$(counted runs/program written)"
claim "and what they read" within 4194304 20000000 "$(counted runs/program read)"
claim "pages that they touched are counted" within 100 1000000 "$(counted runs/program minor_faults)"
claim "it waited, and that was counted" within 2 100000 "$(counted runs/program voluntary_switches)"
matches "gannet show has them" '  written  *[0-9.]+ MiB' "$(gannet show program/1)"
matches "and so has its JSON" '"minor_faults": ?[0-9]' "$(gannet show program/1 --json)"

claim "the same program as two ranks" gannet run program.yaml --dir ranks --set resources.ranks=2
claim "counts twice" within 8388608 40000000 "$(counted ranks written)"

claim "a program that does nothing" gannet run program.yaml --dir nothing --set 'trial.command=[echo, "loss=${params.x}"]'
claim "has what its end tells" within 1 100000 "$(counted nothing minor_faults)"

cat >kernel.yaml <<YAML
version: 1
trial:
  kernel: mlp
  options: {data: $EXAMPLES/data/digits.csv, width: 64, epochs: 40}
parameters: {lr: {min: 0.001, max: 0.01}}
metric: {name: val_loss, goal: minimize}
strategy: random
limits: {max_trials: 1}
YAML
claim "a kernel" gannet run kernel.yaml
claim "its faults are counted" within 0 10000000 "$(counted runs/kernel minor_faults)"
claim "its processor time is" [ "$(sqlite3 -readonly runs/kernel/gannet.db \
    "SELECT sum(value) > 0 FROM v_counters WHERE trial = 1 AND counter IN ('user', 'system')")" = 1 ]
claim "a kernel of two ranks" gannet run kernel.yaml --dir gang --set resources.cpus=2 --set resources.ranks=2
claim "is counted, too" within 0 10000000 "$(counted gang voluntary_switches)"

cat >short.yaml <<'YAML'
version: 1
trial: {kernel: synth, options: {function: branin}}
parameters: {x1: {min: -5.0, max: 10.0}, x2: {min: 0.0, max: 15.0}}
metric: {name: value, goal: minimize}
strategy: random
limits: {max_trials: 200}
YAML
claim "a kernel whose trials last no time" gannet run short.yaml --quiet
claim "is not asked for any" [ "$(sqlite3 -readonly runs/short/gannet.db \
    'SELECT count(counters) < 100 FROM runs')" = 1 ]
is "a counter that can't be read here has a reason, one that can has a value" 0 "$(sqlite3 -readonly runs/program/gannet.db \
    "SELECT count(*) FROM counters c WHERE (SELECT count(*) FROM v_counters v WHERE v.counter = c.name) +
     (SELECT count(*) FROM v_uncounted u WHERE u.counter = c.name) <> 1
     AND c.name NOT IN ('cores', 'flops_limit', 'bytes_limit', 'counted_share', 'slowest_rank', 'mean_rank',
     'allreduce_least', 'disk_write_limit', 'disk_read_limit')")"
finish
