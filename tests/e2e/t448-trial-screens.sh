#!/bin/bash
# from the screens of trials alone: which is best, why it took its time, what failed and with which words
. "$(dirname "$0")/lib.sh"
scratch

cat > train.sh <<'END'
case $2 in
lamb) printf '\033[31mthis cannot do lamb\033[0m\n' >&2; exit 3 ;;
adam) awk -v lr="$1" 'BEGIN { for (step = 1; step <= 3; step++) print "loss=" lr * 11 / step " step=" step }' ;;
*) awk -v lr="$1" 'BEGIN { for (step = 1; step <= 3; step++) print "loss=" lr * 10 / step " step=" step }' ;;
esac
END
cat > seen.yaml <<'END'
version: 1
name: seen
trial: {command: [sh, train.sh, "${params.lr}", "${params.opt}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters:
  lr: {values: [0.001, 0.01, 0.1]}
  opt: [sgd, adam, lamb]
strategy: grid
limits: {max_trials: 9, max_failures: 20}
END
claim "a search in which a third of the trials fails" gannet run seen.yaml --quiet --workers 2

show() { # SIZE KEYS...: the frame after these keys on the screen of trials
    local size=$1
    shift
    gannet frame seen --screen trials --size "$size" --keys "$*"
}

text=$(show 80x24 b)
matches "all trials" '^9 trials' "$text"
matches "the best comes first" '^ *[0-9]+ +C completed +0\.00333333 .* 0\.001 ' "$(sed -n 5p <<<"$text")"
text=$(show 80x24 b Enter)
matches "its page says that it is the best" 'loss 0\.00333333 at step 3: the best of all' "$text"
matches "with its parameters" '^  lr +0\.001 +0\.001' "$text"
matches "and the command that repeats it" 'sh train\.sh 0\.001 ' "$text"
matches "where its time went is a key away" '^launch .* %' "$(show 80x24 b Enter Tab Tab)"
text=$(show 80x24 '!')
matches "failures alone" '^3 of 9  filter: failed' "$text"
matches "with the reason" '^ *[0-9]+ +F failed +exited' "$text"
text=$(show 80x24 '! Enter')
matches "a failed one's page has its last words" 'its last words: .*this cannot do lamb' "$text"
matches "what differs from the best is marked" '^\* opt +lamb ' "$text"
matches "its output" 'this cannot do lamb' "$(show 80x24 '! Enter Tab Tab Tab Tab')"
is "a filter" 1 "$(show 80x24 '/ l r Space = = Space 0 . 1 Space a n d Space o p t = = " s g d " Enter' | grep -c ' C completed ')"
matches "a mistake in it" "character 1: there is no column 'lrr'; did you mean 'lr'?" "$(show 80x24 '/ l r r > 1 Enter')"
for keys in "j" "! Enter" "b Enter Tab"; do
    text=$(LC_ALL=C show 40x12 "$keys" | LC_ALL=C tr -d '\n -~' | wc -c)
    is "in 40 columns of ASCII nothing else ($keys)" 0 "$text"
done
is "a frame is as many rows as it says" 24 "$(show 80x24 G | wc -l)"

cat > causes.sh <<'END'
case $1 in
1 | 2 | 3) echo "no room at 0x$$ for $1" >&2; exit 3 ;;
4) echo "data/x.npz is not there" >&2; exit 4 ;;
*) echo loss=$1 ;;
esac
END
cat > causes.yaml <<'END'
version: 1
trial: {command: [sh, causes.sh, "${params.n}"], retries: 0}
metric: {name: loss, goal: minimize}
parameters: {n: {values: [1, 2, 3, 4, 5, 6]}}
strategy: grid
limits: {max_trials: 6, max_failures: 20}
END
claim "a search that fails of two things" gannet run causes.yaml --quiet --workers 1
text=$(gannet status causes --once)
matches "as text, too, it is said how many failed of the first, where, with which words, and where one reads more" \
    "! 3 trials failed on [^ ,]+, exited \([^ ]*gannet logs causes [123]\): no room at 0x[0-9]+ for [123]" "$text"
matches "and of the other" "! trial 4 failed on [^ ,]+, exited \([^ ]*gannet logs causes 4\): data/x.npz is not there" "$text"
matches "and what tries them again" "! [^ ]*gannet retry causes --failed tries what failed again" "$text"
matches "the first command says it" "no room at 0x" "$(gannet logs causes 3)"
matches "the overview has the same" '3 trials failed on .*exited \(:logs [123]\): no room' "$(gannet frame causes --size 200x50)"
gannet ignore causes 1 2 3 4
is "what was ignored needs no attention" 0 "$(gannet status causes --once | grep -c 'attention:')"

finish
