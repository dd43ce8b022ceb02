/* Why Slurm does not start a job: its own word for it, and what that means for the person who waits. */
#ifndef GANNET_SCHEDULER_SLURM_REASON_H
#define GANNET_SCHEDULER_SLURM_REASON_H

/* A sentence for Slurm's word ("Priority"); a general one for a word that is not in the table. Never NULL. */
const char *slurm_reason_sentence(const char *reason);

#endif
