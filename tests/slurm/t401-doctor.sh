#!/bin/bash
# gannet doctor says how Slurm is, whatever is wrong with it, and comes back
. "$(dirname "$0")/lib.sh"
slurm_cluster NODES=1
unset GANNET_SLURM_MODULE

doctor() {
    said=$(timeout 300 gannet doctor)
    doctor_status=$?
}

doctor
is "with a Slurm that works there is no problem" 0 $doctor_status
matches "the module is there, for this library" '^ok +Slurm .*built for Slurm [0-9.]+; libslurm [0-9.]+' "$said"
matches "the controller answers" '^ok +controller ' "$said"
matches "the partitions are listed" '^ok +partitions +main, high, low' "$said"
claim "within a job it says so" sh -c 'timeout 300 srun gannet doctor | grep -Eq "^ok +job .*on node n1"'

cluster controller-hang
doctor
cluster controller-wake
is "with one that hangs there is a problem" 1 $doctor_status
matches "... which is the controller, with what to do" '^problem +controller .*scontrol ping' "$said"
cluster controller-stop
doctor
matches "the same with one that is not there" '^problem +controller .*slurmctld running' "$said"
cluster controller-start
cluster munge-stop
doctor
matches "without munge, munge is named" '^problem +controller .*munge' "$said"
echo "Nonsense=1" >nonsense.conf
SLURM_CONF=$SCRATCH/nonsense.conf doctor
matches "with a bad slurm.conf its fault is quoted" "^problem +controller +Slurm can't be used here: .*configuration" "$said"
SLURM_CONF=$SCRATCH/nowhere doctor
matches "with an absent one its name is" '^problem +controller .*/nowhere' "$said"
finish
