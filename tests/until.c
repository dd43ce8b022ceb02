/* Waiting for things on a loop; see until.h. */
#include "tests/until.h"
#include "tests/claims.h"

static const double look_every = 0.002, patience = 300; /* seconds; so many pass only when it never happens */

struct wait {
    struct loop *loop;
    struct loop_watch *timer;
    bool (*done)(void *context);
    void *context;
    double left;
};

static void look(void *context)
{
    struct wait *wait = context;
    if (wait->done(wait->context) || (wait->left -= look_every) <= 0)
        loop_stop(wait->loop);
    else
        loop_move(wait->timer, look_every);
}

void until(struct loop *loop, bool (*done)(void *context), void *context)
{
    struct wait wait = {.loop = loop, .done = done, .context = context, .left = patience};
    struct err err = {0};
    wait.timer = loop_timer(loop, 0, look, &wait);
    if (loop_run(loop, &err))
        fail_msg("the loop failed: %s", err.text);
    if (wait.left <= 0)
        fail_msg("what was waited for did not happen");
}

static bool is_true(void *context)
{
    return *(const bool *)context;
}

void until_true(struct loop *loop, bool *flag)
{
    until(loop, is_true, flag);
}
