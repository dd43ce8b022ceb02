#!/bin/bash
# a store that holds what makes no sense stops a resume before anything is started, with the row and status 2
. "$(dirname "$0")/lib.sh"
scratch
needs sqlite3

cat >small.yaml <<YAML
version: 1
name: small
seed: 3
trial: {kernel: synth, options: {function: sphere}}
metric: {name: value, goal: minimize}
parameters:
  x1: {min: -1.0, max: 1.0}
strategy: random
limits: {max_trials: 4}
YAML
claim "a search runs" gannet run small.yaml --dir r --quiet
sqlite3 r/gannet.db "UPDATE trials SET ending = NULL, told = NULL WHERE trial = 2; INSERT INTO older VALUES (2);
    UPDATE runs SET ending = NULL, slot = -1 WHERE trial = 2"
before=$(sqlite3 r/gannet.db .dump | md5sum)
refuse "a slot below none is refused" 2 \
    "in the table runs, the row of trial 2, attempt 1 makes no sense: r.slot is -1; a whole number from 0 to 4095" \
    gannet run r --resume --set limits.max_trials=6
is "nothing was changed" "$before" "$(sqlite3 r/gannet.db .dump | md5sum)"
refuse "the coordinator alone refuses it, too" 2 "r.slot is -1" gannet coordinator --rundir r
refuse "also when it is told that another state of it was checked" 2 "r.slot is -1" \
    gannet coordinator --rundir r --checked 1.2.3.4.5
refuse "a loop's ask refuses it as well" 2 "r.slot is -1" gannet ask r
refuse "and its tell" 2 "r.slot is -1" gannet tell r 2 --value 1
is "nothing was changed by that" "$before" "$(sqlite3 r/gannet.db .dump | md5sum)"
sqlite3 r/gannet.db "UPDATE runs SET slot = 0 WHERE trial = 2"
claim "mended, the search goes on" gannet run r --resume --set limits.max_trials=6 --quiet
claim "whose rows were checked once, before it was started" grep -q "rows of the store were checked by who started" r/logs/coordinator.log
finish
