#!/bin/sh
# A search submitted by hand, for sites where gannet submit can't be used:
#
#     sbatch examples/sbatch.sh examples/digits.yaml
#
# Each job goes on where the one before ended; several of them, submitted at once, wait for each other (--dependency).
# What gannet submit would ask for is shown by gannet submit FILE --dry-run.
#SBATCH --job-name=gannet
#SBATCH --dependency=singleton
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
#SBATCH --open-mode=append

# module load gannet

file=${1:?usage: sbatch sbatch.sh FILE}
name=$(basename "$file" .yaml)

# In a job gannet run starts a worker on each node, and nothing that the job's time would cut off.
if [ -e "runs/$name/experiment.yaml" ]; then
    exec gannet run "runs/$name" --resume
else
    exec gannet run "$file" --dir "runs/$name"
fi
