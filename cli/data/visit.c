/* Visiting an experiment; see visit.h. */
#include "cli/data/visit.h"
#include "cli/status.h"

int visit(struct console *console, const struct args *args, visit_act *act)
{
    struct source *source;
    struct err err = {""};
    int status = source_open(args_rest(args, 0), &source, &err);
    if (!status) {
        status = act(console, args, source, &err);
        source_close(source);
    }
    return status ? console_fail(console, status, &err) : STATUS_OK;
}
