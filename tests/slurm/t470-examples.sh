#!/bin/bash
# what examples/ has for clusters works on one: the file in all three shapes, the script by hand, the module file
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=4
unset GANNET_SLURM_MODULE

# Networks may diverge in a corner of the space: sgd with the largest rate and momentum.
completed() {
    gannet trials "$1" --csv --columns reason | grep -cE 'completed|diverged'
}

# as SHAPE NAME=VALUE...: examples/slurm.yaml in this shape ends with its trials, and leaves no job.
as() {
    as_set="--set limits.max_trials=12 --set trial.options.epochs=3 --set slurm.shape=$1"
    for as_key in "${@:2}"; do
        as_set="$as_set --set $as_key"
    done
    # shellcheck disable=SC2086
    claim "slurm.yaml runs to its end in shape $1" timeout 300 gannet submit "$EXAMPLES/slurm.yaml" --dir "$1" --wait $as_set
    is "with all of its trials" 12 "$(completed "$1")"
    claim "and leaves no job" until_true no_jobs_left
}

as job
as array slurm.nodes=1 slurm.workers=2
as elastic slurm.nodes=1 slurm.workers=2

claim "sbatch takes the script" timeout 300 sbatch --export=ALL --output=first.out "$EXAMPLES/sbatch.sh" "$EXAMPLES/synth.yaml"
claim "its job ends" until_true no_jobs_left
is "with all of its trials" 200 "$(completed runs/synth)"
claim "submitted again it goes on, though nothing is left to do" timeout 300 sbatch --output=second.out "$EXAMPLES/sbatch.sh" "$EXAMPLES/synth.yaml"
claim "and ends" until_true no_jobs_left
matches "in order" 'have ended' "$(cat second.out)"

if command -v tclsh >/dev/null; then
    cat >shim.tcl <<'END'
foreach name {module-whatis conflict} { proc $name {args} {} }
proc prepend-path {name value} { puts "$name $value" }
source [lindex $argv 0]
ModulesHelp
END
    matches "the module file is Tcl, and leads to the programs" '^PATH /opt/gannet/[0-9.]+/bin$' \
        "$(tclsh shim.tcl "$EXAMPLES/gannet.modulefile" 2>/dev/null)"
else
    skip "the module file" "tclsh is not here"
fi
finish
