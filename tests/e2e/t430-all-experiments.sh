#!/bin/bash
# gannet ls --all has every experiment of a person, wherever its run directory is, and forgets those that are gone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch
synth s.yaml 3
mkdir -p here "there/a b"
claim "a search here" gannet run s.yaml --dir here/first --quiet
claim "and one elsewhere, in a directory with a space" eval '(cd "there/a b" && gannet run ../../s.yaml --quiet)'
claim "ls --all names both" eval 'gannet ls --all | grep -q "here/first" && gannet ls --all | grep -q "there/a b/runs/synth"'
matches "by their names first, which a narrow terminal leaves whole" '^first +ended .*/here/first$' "$(gannet ls --all)"
is "the one used last comes first" "$PWD/there/a b/runs/synth" "$(gannet ls --all --json | grep -o '"directory": "[^"]*"' | head -n 1 | cut -d'"' -f4)"
is "from anywhere" 2 "$(cd / && gannet ls --all --json | grep -c '"directory"')"
claim "a search that goes on is used last" gannet run here/first --resume --quiet --set limits.max_trials=5
is "so it is the first" "$PWD/here/first" "$(gannet ls --all --json | grep -o '"directory": "[^"]*"' | head -n 1 | cut -d'"' -f4)"
is "and is there once" 2 "$(gannet ls --all --json | grep -c '"directory"')"
is "what is remembered is closed to others" "700 600" "$(stat -c %a state/gannet/experiments) $(stat -c %a state/gannet/experiments/* | sort -u)"

mkdir -p passed/by
claim "a search may be named by way of another directory" eval '(cd passed/by && gannet run ../../here/first --resume --quiet --set limits.max_trials=6)'
is "and is there once all the same" 2 "$(gannet ls --all --json | grep -c '"directory"')"
claim "a new one, too" eval '(cd passed/by && gannet run ../../s.yaml --dir ../../here/second --quiet)'
rm -r passed
matches "which stays known when that directory is gone" "$PWD/here/second\$" "$(gannet ls --all)"
rm -r here/second

claim "--dry-run remembers nothing" eval 'gannet run s.yaml --dir here/dry --dry-run >/dev/null; ! gannet ls --all | grep -q dry'
rm -r here/first
is "a directory that is gone is forgotten" 1 "$(gannet ls --all --json | grep -c '"directory"')"
is "and its file is removed" 1 "$(find state/gannet/experiments -type f | wc -l)"

# What stands there is a path, and nothing else is believed.
printf '/etc' >state/gannet/experiments/0000000000000001
printf 'relative/path' >state/gannet/experiments/0000000000000002
printf '/a\n/b' >state/gannet/experiments/0000000000000003
printf '%s' "$PWD/there/a b/runs/synth" >state/gannet/experiments/not-ours
ln -s "$PWD/there" state/gannet/experiments/0000000000000004
is "files of another kind add nothing" 1 "$(gannet ls --all --json | grep -c '"directory"')"

claim "without a state directory a search runs all the same" env XDG_STATE_HOME=/proc/none gannet run s.yaml --dir q --quiet
claim "and without a home" env -u XDG_STATE_HOME -u HOME gannet run s.yaml --dir p --quiet
claim "of neither anything is remembered" eval '! gannet ls --all | grep -q "/[qp] "'
refuse "who has none hears how to make one" 0 'there are no experiments; `gannet run FILE` makes one' env XDG_STATE_HOME="$PWD/empty" gannet ls --all
finish
