/* Trials that a person names, and who changes them; see amend_args.h. */
#include "cli/session/amend_args.h"
#include "cli/data/source.h"
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

json_t *amend_args_json(const uint64_t *trials, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_integer((json_int_t)trials[i]));
    return list;
}

/* It answers when the change is on disk, and a store that can't be written just now is waited for. */
int amend_args_ask(const struct rundir *dir, const char *what, json_t *arguments, json_t **answer, struct err *err)
{
    enum { PATIENCE_SECONDS = 60 };
    struct source *source = NULL;
    *answer = NULL;
    bool lives = source_open_dir(dir, &source, err) == STATUS_OK && source_lives(source);
    if (!lives) { /* what is wrong with a store is said by who changes it */
        source_close(source);
        json_decref(arguments);
        return STATUS_OK;
    }
    source_set_patience(source, PATIENCE_SECONDS);
    int status = source_ask(source, what, arguments, answer, err);
    source_close(source);
    return status;
}
