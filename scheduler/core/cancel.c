/* A person takes one trial off. A waiting one ends at once; a running one is told to stop and ends with its result. */
#include "scheduler/core/parts.h"

int core_cancel_trial(struct core *core, double now, uint64_t number, struct err *err)
{
    core->now = now;
    struct trial *trial = trial_find(core, number);
    if (!trial || trial_state_is_end(trial->state)) {
        return number && number < core->next_trial
                   ? err_set(err, "trial %llu has ended already", (unsigned long long)number)
                   : err_set(err, "there is no trial %llu yet", (unsigned long long)number);
    }
    trial->cancel = true;
    if (trial->state == TRIAL_RUNNING)
        lease_stop(core, trial->lease, ENDING_CANCELLED);
    else
        trial_act(core, trial);
    core_settle(core);
    return 0;
}
