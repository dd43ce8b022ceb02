/* What is done to jobs that were submitted. */
#include "scheduler/slurm/module/parts.h"

#include <signal.h>
#include <slurm/slurm_errno.h>

int module_cancel(const char *which, int signal, struct slurm_error *error)
{
    int returned = signal ? slurm_kill_job2(which, (uint16_t)signal, KILL_JOB_BATCH, NULL)
                          : slurm_kill_job2(which, SIGKILL, 0, NULL); /* which is SIGTERM first */
    return returned && words_number(returned) != ESLURM_ALREADY_DONE ? words_error(returned, error) : 0;
}

int module_requeue(uint32_t id, struct slurm_error *error)
{
    int returned = slurm_requeue(JOB_NUMBER(id), 0);
    return returned ? words_error(returned, error) : 0;
}

/* A hold that the user, too, can end. */
int module_hold(uint32_t id, bool hold, struct slurm_error *error)
{
    job_desc_msg_t change;
    slurm_init_job_desc_msg(&change);
    JOB_NUMBER_OF(&change) = id;
    change.priority = hold ? 0 : INFINITE;
    if (hold)
        change.alloc_sid = ALLOC_SID_USER_HOLD;
    int returned = slurm_update_job(&change);
    return returned ? words_error(returned, error) : 0;
}
