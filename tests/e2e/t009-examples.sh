#!/bin/bash
# every experiment of examples/ runs as it stands, with fewer trials
. "$(dirname "$0")/lib.sh"
scratch

for file in "$EXAMPLES"/*.yaml; do
    name=$(basename "$file" .yaml)
    claim "$name is a good file" gannet check "$file"
    claim "$name runs" gannet run "$file" --dir "$name" --set limits.max_trials=2
    claim "$name has a best trial" gannet best "$name"
done
claim "nothing is left running" none_left
finish
