/* The batch script; see request.h. It ends in `exec`, so that the batch process is gannet itself and gets the signals
 * that Slurm sends to the script. */
#include "scheduler/slurm/request.h"

#include <math.h>

/* Seconds for which a worker waits for a coordinator: Slurm lets a requeued one start after 2 min at the earliest, and
 * looks at its queue every minute or so. */
static const double give_up = 300;

/* A text as one word of the shell. */
static void quote(const char *text, struct buf *out)
{
    buf_text(out, "'");
    for (; *text; text++) {
        if (*text == '\'')
            buf_text(out, "'\\''");
        else
            buf_add(out, text, 1);
    }
    buf_text(out, "'");
}

static const char *const roles[] = {[SLURM_ROLE_EXPERIMENT] = "the experiment",
                                    [SLURM_ROLE_COORDINATOR] = "the coordinator",
                                    [SLURM_ROLE_WORKER] = "a worker"};

/* Modules and conda are defined by the login profile, which only a script with lines of its own needs. */
static void add_head(const struct slurm_order *order, enum slurm_role role, struct buf *out)
{
    const struct spec_slurm *slurm = &order->spec->slurm;
    buf_text(out, slurm->setup_count ? "#!/bin/sh -l\n" : "#!/bin/sh\n");
    buf_format(out, "# gannet %s: %s of %s\n", GANNET_VERSION, roles[role], order->spec->name);
    for (uint32_t i = 0; i < slurm->setup_count; i++)
        buf_format(out, "%s\n", slurm->setup[i]);
}

/* Our programs come first in PATH, whatever the lines above did, so that all processes are of one gannet. */
static void add_path(const struct slurm_order *order, struct buf *out)
{
    buf_text(out, "PATH=");
    quote(order->programs, out);
    buf_text(out, "${PATH:+:$PATH}\nexport PATH\n");
}

static void add_program(const struct slurm_order *order, const char *program, const char *arguments, struct buf *out)
{
    struct buf path = {0};
    buf_format(&path, "%s/%s", order->programs, program);
    buf_text(out, "exec ");
    quote(buf_str(&path), out);
    buf_format(out, "%s --rundir ", arguments);
    quote(order->rundir, out);
    buf_fini(&path);
}

char *slurm_script(const struct slurm_order *order, enum slurm_role role)
{
    struct buf out = {0};
    add_head(order, role, &out);
    add_path(order, &out);
    if (role == SLURM_ROLE_WORKER)
        add_program(order, "gannet-worker", "", &out);
    else
        add_program(order, "gannet", " job", &out);
    if (role == SLURM_ROLE_COORDINATOR)
        buf_text(&out, " --no-workers");
    if (role == SLURM_ROLE_WORKER)
        buf_format(&out, " --idle-exit %.0fs --give-up %.0fs", ceil(order->spec->slurm.idle_time), give_up);
    buf_text(&out, "\n");
    return buf_take(&out);
}
