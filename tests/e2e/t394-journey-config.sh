#!/bin/bash
# a person whose program reads a configuration file with nested keys comes to its best one, with early stopping
. "$(dirname "$0")/lib.sh"
. "$SOURCE/tests/journeys/lib.sh"
needs python3
journey config_file.py config.json
values() { sed -n 's/^.*val_mse = //p'; }

# init can ask this program nothing: it has no --help. So it says what to do, and the person writes the file.
refuse "init says that there is nothing to ask" 2 "--help|configuration" person gannet init --from config_file.py
cat >series.yaml <<'YAML'
version: 1
trial:
  command: [python3, config_file.py, "${config.json}"]
  config: config.json
metric: {name: val_mse, goal: minimize}
parameters:
  optim.lr: {min: 1e-5, max: 1.0, log: true, default: 1e-4}
  optim.normalize: [true, false]
  model.order: {min: 1, max: 12}
early_stop: {name: asha, max_steps: 9}
start: [{optim.normalize: false, model.order: 1}]
YAML
claim "check has no objection" person gannet check series.yaml
interrupted series series.yaml 24
below "the best is near the noise, 0.0025; the file as it stands comes to 0.40" "$(best_value series)" 0.2
matches "the best configuration as YAML" '^optim.lr: ' "$(person gannet best series --as yaml)"
config=$(printf 'runs/series/trials/%06d/config.json' "$(best_trial series)")
is "and as a file of the program's own" "$(best_value series)" \
    "$(shell "python3 config_file.py $config" | value_at "$(step_of_best series)")"
is "with all that the person's file says" "3 9 0.05" \
    "$(python3 -c 'import json, sys; c = json.load(open(sys.argv[1])); print(c["seed"], c["epochs"], c["data"]["noise"])' "$config")"
if person python3 -c 'import yaml' 2>/dev/null; then
    printf '%s\n' 'seed: 3' 'epochs: 9' 'data: {noise: 0.05}' 'model:' '  order: 1' 'optim:' '  lr: 0.0001' '  normalize: false' >config.yaml
    sed 's/config.json/config.yaml/g' series.yaml >yaml.yaml
    claim "the same with a configuration in YAML" person gannet run yaml.yaml --max-trials 4 --quiet
    is "begins with the same value" "$(person gannet show series 1 --json | sed -n 's/.*"value": //p' | head -1)" \
        "$(person gannet show yaml 1 --json | sed -n 's/.*"value": //p' | head -1)"
else
    skip "a configuration in YAML" "python3 has no module yaml (apt-get install python3-yaml)"
fi
arrived series
finish
