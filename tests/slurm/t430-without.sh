#!/bin/bash
# gannet without libslurm does all but submit, and says what is missing; a module of another interface is refused
. "$(dirname "$0")/../e2e/lib.sh"
. "$(dirname "$0")/../e2e/experiments.sh"
scratch
modules=$GANNET_BUILD/tests
unset GANNET_SLURM_MODULE

# What a build without libslurm makes: the same programs, and no module.
plan=$(make -C "$SOURCE" -n -B HAVE_SLURM= BUILD="$SCRATCH/build" all 2>&1)
matches "a build without libslurm says so, and how to get it" 'Slurm: +not found.*libslurm-dev' "$plan"
matches "it makes the programs" 'bin/gannet-worker' "$plan"
is "and neither the module nor anything with libslurm" "" "$(grep -E -e '-lslurm|slurm/module' <<<"$plan")"
is "no program needs libslurm" "" "$(ldd "$GANNET_BUILD"/bin/gannet* | grep libslurm)"

mkdir -p without/bin
cp "$GANNET_BUILD"/bin/* without/bin/
PATH=$SCRATCH/without/bin:$PATH
synth plain.yaml 5
claim "without the module a search runs" gannet run plain.yaml --dir plain --quiet
is "... to its end" 5 "$(ended_count plain)"
claim "what would be submitted can be seen" gannet submit plain.yaml --dir x --dry-run
refuse "submitting says what to install or build" 3 'libslurm' timeout 300 gannet submit plain.yaml --dir x
claim "and leaves nothing behind" test ! -e x
claim "status and ls don't miss it" sh -c 'gannet status plain && gannet ls'

export GANNET_SLURM_MODULE=$modules/slurm_old.so
refuse "a module of another interface is refused" 3 'interface' timeout 300 gannet submit plain.yaml --dir x
GANNET_SLURM_MODULE=$SCRATCH/none.so
refuse "a module that is not there is named" 3 'none.so' timeout 300 gannet submit plain.yaml --dir x
echo "no module" >none.so
refuse "so is a file that is none" 3 'none.so' timeout 300 gannet submit plain.yaml --dir x
finish
