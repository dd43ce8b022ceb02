#!/bin/bash
# a store that is replaced, removed or put there from elsewhere ends the search; what was recorded is kept and goes on
. "$(dirname "$0")/lib.sh"
scratch

search() {
    gannet run "$EXAMPLES/synth.yaml" --dir "$1" -q --set limits.max_trials=200 --set trial.options.seconds=0.05 "${@:2}"
}
# begun DIR: at least 10 trials have ended there.
begun() { [ "$(sqlite3 -readonly "$1/gannet.db" 'SELECT completed FROM progress' 2>/dev/null || echo 0)" -ge 10 ]; }
ended() { gannet trials "$1" --state completed --json 2>/dev/null | grep -c '"trial"'; }
needs sqlite3

claim "another search" gannet run "$EXAMPLES/synth.yaml" --dir other -q --set limits.max_trials=3

search replaced >said 2>&1 &
search=$!
claim "a search has begun" until_true begun replaced
cp other/gannet.db new.db
mv new.db replaced/gannet.db
wait $search
is "a search whose store was replaced ends as one that failed" 1 $?
matches "it says what happened and where the results are" 'replaced by another file .* kept in .*/replaced/gannet\.rescued-1\.db' "$(cat said)"
matches "what was recorded is there" '^[1-9][0-9]+$' "$(ended replaced/gannet.rescued-1.db)"
refuse "the other store is not gone on with" 2 'not the store that was made with this run directory' search replaced --resume
mv replaced/gannet.rescued-1.db replaced/gannet.db
claim "put back, it goes on" search replaced --resume
is "to its end" 200 "$(ended replaced)"

search removed >said 2>&1 &
search=$!
claim "another has begun" until_true begun removed
rm removed/gannet.db
wait $search
is "a search whose store was removed ends as one that failed" 1 $?
mv removed/gannet.rescued-1.db removed/gannet.db
claim "and goes on with the copy" search removed --resume
is "to its end, too" 200 "$(ended removed)"
claim "nothing is left running" none_left
finish
