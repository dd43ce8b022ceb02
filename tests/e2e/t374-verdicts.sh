#!/bin/bash
# trials that are bound by one thing each get its verdict, whatever else runs on the machine
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3
needs python3

# search NAME LINE...: two trials of a program of these lines.
search() {
    local name=$1
    { printf '%s\n' 'import time' "${@:2}" 'print("loss=1")'; } >"$name.py"
    cat >"$name.yaml" <<YAML
version: 1
name: $name
trial: {command: [python3, $name.py, "\${args}"]}
metric: {name: loss, goal: minimize}
parameters: {lr: {min: 0.1, max: 1.0}}
strategy: random
resources: {cpus: 1}
limits: {max_trials: 2}
YAML
    claim "a search of $name runs" gannet run "$name.yaml" --dir "$name" --quiet
}

search slow-data 'time.sleep(3)' 'print("time.data=3")'
search slow-saves 'time.sleep(3)' 'print("time.checkpoint=3")'
for pair in slow-data:data slow-saves:checkpoint; do
    is "$pair" "${pair#*:} ${pair#*:}" \
        "$(sqlite3 -separator ' ' "${pair%:*}/gannet.db" "SELECT group_concat(verdict, ' ') FROM v_verdicts")"
done
matches "the sentence has the share" '^  [0-9]+ % of the time waited for data$' "$(gannet profile slow-data/1)"
matches "with an advice for programs" 'num_workers' "$(gannet profile slow-data/1)"
matches "explain says it, too" '^[0-9]+ % of the time saved and loaded checkpoints: save less often' "$(gannet explain slow-saves/1)"

# Whatever a program says of its phases.
search absurd 'for absurd in ("data=nan", "forward=-5", "backward=1e308", "update=inf", "checkpoint=9223372036854775808"):' \
    '    print("time." + absurd)' 'for i in range(3000): print(f"time.name{i}=1")' 'print("time." + "y" * 5000 + "=3")'
claim "absurd times are none" sh -c '! gannet profile absurd/1 | grep -Eq "^  (data|forward|backward|update|checkpoint) "'
claim "and bound nothing" sh -c '! gannet profile absurd/1 | grep -Eq "waited for data|checkpoints"'
finish
