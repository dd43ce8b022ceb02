#!/bin/bash
# what docs/admin.md has for finding what killed searches left finds it: processes, hidden ones too, and directories
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# The commands of its section, in their order.
mapfile -t commands < <(sed -n '/^## What ends/,/^## /s/^    //p' "$SOURCE/docs/admin.md")
is "the page has three commands" 3 "${#commands[@]}"

# what_finds N: what it finds.
what_finds() {
    local text=${commands[$1]//NAME/$(id -un)}
    bash -c "${text//UID/$(id -u)}" 2>/dev/null
}
finds() { what_finds "$1" | grep -q -- "$2"; }
started() { [ -s pids ]; }
hidden_ends() { process_dead "$hidden"; }

# A trial leaves a process without our environment, in a session of its own, whose parents are gone.
cat >hiding.yaml <<'YAML'
version: 1
trial:
  command: |
    : ${args}
    env -i setsid sh -c '(sh -c "echo \$\$ >>pids; exec sleep 1000" </dev/null >/dev/null 2>&1 &)'
    while [ ! -e go ]; do sleep 0.05; done
    echo loss=1
metric: {name: loss, goal: minimize}
parameters: {x: {min: 0.0, max: 1.0}}
limits: {max_trials: 2, max_concurrent: 1}
YAML
gannet run hiding.yaml --dir r --quiet >r.log 2>&1 &
run=$!
claim "a trial runs that has hidden a process" until_true started
hidden=$(head -n 1 pids)
for name in 'gannet run ' 'gannet coordinator ' 'gannet-worker ' 'gannet-reaper'; do
    claim "${name% } is found" finds 0 "$name"
done
claim "and so is what has hidden itself" finds 1 "^/proc/$hidden/limits$"
what_finds 1 | grep -qx "/proc/$$/limits"
is "but no process of others" 1 $?

# Everything at the same moment, so that nobody is left to clean up.
pids=$(left | cut -d' ' -f1)
kill -STOP $pids 2>/dev/null
kill -KILL $pids 2>/dev/null
wait "$run" 2>/dev/null
claim "what has hidden itself is there and is found" finds 1 "^/proc/$hidden/limits$"
directories=$(what_finds 2 | grep -F "$TMPDIR/")
claim "the directories that were left are found" test -n "$directories"
diag "$directories"
kill -KILL "$hidden"
claim "it can be ended" until_true hidden_ends
rm -rf $directories
is "and nothing of gannet's is left in TMPDIR" "" "$(find "$TMPDIR" -name 'gannet-*' -type d)"
touch go
claim "the search goes on" gannet run r --resume --quiet
is "with its trials" 2 "$(ended_count r)"
claim "nothing is left" none_left
finish
