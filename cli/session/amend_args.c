/* Trials that a person names; see amend_args.h. */
#include "cli/session/amend_args.h"
#include "cli/status.h"
#include "common/mem.h"
#include "common/units.h"

#include <stdlib.h>

uint64_t *amend_args_trials(const struct args *args, size_t *count, struct err *err)
{
    size_t most = 0;
    while (args_rest(args, most + 1))
        most++;
    uint64_t *trials = MEM_ARRAY(uint64_t, most);
    for (*count = 0; *count < most; ++*count) {
        int64_t number;
        const char *text = args_rest(args, *count + 1);
        if (!units_integer(text, &number) || number < 1) {
            err_write(err, "'%s' is no trial: a number from 1", text);
            free(trials);
            return NULL;
        }
        trials[*count] = (uint64_t)number;
    }
    return trials;
}

int amend_args_status(enum amend_fault fault)
{
    static const int statuses[] = {[AMEND_FINE] = STATUS_OK,
                                   [AMEND_FAILED] = STATUS_FAILED,
                                   [AMEND_DAMAGED] = STATUS_USAGE,
                                   [AMEND_NO_TRIAL] = STATUS_NOT_FOUND,
                                   [AMEND_UNFIT] = STATUS_USAGE};
    return statuses[fault];
}
