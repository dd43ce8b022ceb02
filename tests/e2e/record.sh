# For scripts that do harm to searches by drawn numbers: the drawing, and whether the record is exact afterwards. To be sourced after
# lib.sh and experiments.sh.

needs sqlite3

# one_of WORD...: one of them, drawn, in $drawn. (A subshell would not advance RANDOM.)
one_of() {
    local words=("$@")
    drawn=${words[RANDOM % $#]}
}

# wrong_in_store DIR: a line for each thing that is not as it should be in the store of a search that has ended.
wrong_in_store() {
    sqlite3 -readonly "$1/gannet.db" "
        SELECT 'damaged: ' || integrity_check FROM pragma_integrity_check WHERE integrity_check <> 'ok';
        SELECT 'trial ' || trial || ' is ' || state FROM v_trials WHERE state IN ('waiting', 'running', 'paused');
        SELECT 'progress counts ' || (completed + stopped + failed + cancelled) || ' trials' FROM progress
            WHERE completed <> (SELECT count(*) FROM v_trials WHERE state = 'completed')
               OR stopped <> (SELECT count(*) FROM v_trials WHERE state = 'stopped')
               OR failed <> (SELECT count(*) FROM v_trials WHERE state = 'failed');
        SELECT 'progress is ' || state || ', ' || reason FROM progress WHERE state <> 'ended' OR reason <> 'max_trials';
        SELECT 'trial ' || trial || ' was completed ' || count(*) || ' times' FROM v_runs
            WHERE reason = 'completed' AND late IS NULL GROUP BY trial HAVING count(*) > 1;
        SELECT 'trial ' || trial || ' was told as number ' || told FROM trials GROUP BY told HAVING told IS NULL OR count(*) > 1;
        SELECT 'a step of trial ' || trial || ' counts twice' FROM v_metrics WHERE counts AND step IS NOT NULL
            GROUP BY trial HAVING count(*) <> count(DISTINCT step);"
}

# is_whole DIR TRIALS: the search has ended with so many trials, its store is exact, its proposals can be made anew, and no
# process is left.
is_whole() {
    [ "$(ended_count "$1")" = "$2" ] || { echo "$(ended_count "$1") trials have ended" && return 1; }
    whole_wrong=$(wrong_in_store "$1" 2>&1)
    [ -z "$whole_wrong" ] || { echo "$whole_wrong" && return 1; }
    none_left && gannet replay "$1"
}
