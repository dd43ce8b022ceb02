#!/bin/bash
# a replay compares exactly on the kind of processor that a search ran on, closely on another, and says which
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/experiments.sh"
scratch

# OPENBLAS_CORETYPE lets OpenBLAS compute as on another processor, if it was built for several.
kernels() {
    gannet replay "$@" --json | tr -d '\n' | grep -o '"here": {[^}]*}' | grep -o '"kernels": "[^"]*"' | cut -d'"' -f4
}

# field NAME TEXT: a number or a word of a replay's JSON.
field() {
    tr -d '\n' <<<"$2" | grep -o "\"$1\": *[^,}]*" | head -n 1 | sed 's/^[^:]*: *//; s/"//g'
}

synth auto.yaml 40 0 auto
claim "a search with the default strategy" gannet run auto.yaml --dir auto --quiet
claim "every proposal can be made anew" gannet replay auto
here=$(gannet replay auto --json)
is "exactly" exact "$(field comparison "$here")"
is "all of them" 40 "$(field same "$here")"
matches "which is said" 'compared exactly' "$(gannet replay auto)"
is "the store has one kind of processor" 1 "$(sqlite3 -readonly auto/gannet.db 'SELECT count(*) FROM processors')"

other=
for core in Nehalem Haswell NEOVERSEN1 ARMV8; do
    [ -n "$other" ] || [ "$(OPENBLAS_CORETYPE=$core kernels auto)" = "$(kernels auto)" ] || other=$core
done
if [ -z "$other" ]; then
    skip "replay on another processor" "this OpenBLAS knows one kind only"
    finish
fi
there=$(OPENBLAS_CORETYPE=$other gannet replay auto --json)
is "$other: every proposal is close to the recorded one" 40 "$(($(field same "$there") + $(field close "$there")))"
is "$other: and need not be the same" tolerant "$(field comparison "$there")"
matches "$other: which is said, with the tolerance" "compared to within 0.001 of .*another kind of processor" \
    "$(OPENBLAS_CORETYPE=$other gannet replay auto)"

synth auto.yaml 80 0 auto
claim "$other: the search goes on there" env OPENBLAS_CORETYPE=$other gannet run auto.yaml --dir auto --resume --quiet
is "both kinds are in the store" 2 "$(sqlite3 -readonly auto/gannet.db 'SELECT count(DISTINCT kernels) FROM processors')"
mixed=$(gannet replay auto --json)
is "a replay here compares each by where it was proposed" mixed "$(field comparison "$mixed")"
is "and finds them all" 80 "$(($(field same "$mixed") + $(field close "$mixed")))"
claim "so does one there" env OPENBLAS_CORETYPE=$other gannet replay auto
finish
