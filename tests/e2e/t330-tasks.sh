#!/bin/bash
# the tasks that strategies are compared on are valid, and other programs see the same values of them as gannet
. "$(dirname "$0")/lib.sh"
scratch
tasks=$SOURCE/tests/bench/tasks
evaluate=${GANNET_BUILD:-$SOURCE/build}/bench/evaluate

for file in "$tasks"/*.yaml; do
    name=$(basename "$file" .yaml)
    claim "$name is a valid experiment" gannet check "$file"
    "$evaluate" --task "$file" >task.json
    claim "$name says where its best value is" grep -q "\"name\": \"$name\", .*\"optimum\": [-0-9.e+]*, " task.json
done

# Trials of a real run, asked for again by seed, number and parameters.
claim "a run of a noisy task ends" gannet run "$tasks/branin_noisy.yaml" --dir r -q --set seed=5 --set strategy=random \
    --set limits.max_trials=20
gannet trials r --json >trials.json
sed -n 's/.*"trial": \([0-9]*\),.*"params": \({[^}]*}\).*/{"seed": 5, "trial": \1, "params": \2}/p' trials.json >questions
is "there are twenty questions" 20 "$(wc -l <questions)"
"$evaluate" "$tasks/branin_noisy.yaml" <questions | sed 's/.*"value": \([^,]*\),.*/\1/' >answers
sed -n 's/.*"value": \([^,]*\),.*/\1/p' trials.json >values
claim "every value is that of the run" awk 'NR == FNR { value[NR] = $1; n = NR; next }
    ($1 - value[FNR]) ^ 2 > 1e-20 * (1 + value[FNR] ^ 2) { bad = 1 }
    END { exit bad || FNR != n }' values answers

printf '%s\n' 'nonsense' '{"seed": 1, "trial": 1}' '{"seed": 1, "trial": 1, "params": {"x1": 0}}' >questions
"$evaluate" "$tasks/branin.yaml" <questions >answers
is "what can't be understood is an error" 2 "$(grep -c '^{"error": ' answers)"
is "what can't be run is a failure" 1 "$(grep -c '"failed": "bad_config"' answers)"
refuse "another kernel is refused" 1 "only the kernels table and synth" "$evaluate" "$EXAMPLES/digits.yaml"
finish
