/* gannet share: lets the members of a group look at an experiment while it runs, and do nothing else. */
#include "cli/command.h"
#include "cli/data/source.h"
#include "common/clock.h"
#include "common/path.h"
#include "common/share.h"
#include "scheduler/rundir/pass.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* No coordinator has the lock, and while we have it none comes: what the pass says is ours to write. False: one has
 * come. */
static bool write_alone(const struct rundir *dir, bool given, int *status, struct err *err)
{
    int fd;
    bool taken = false;
    if (rundir_is_locked(dir))
        return false;
    int failed = rundir_try_lock(dir, &fd, &taken, err);
    if (failed && taken)
        return false;
    if (!failed)
        failed = given ? pass_write(dir, NULL, err) : pass_withdraw(dir, err);
    if (fd >= 0)
        close(fd);
    *status = failed ? STATUS_FAILED : STATUS_OK;
    return true;
}

/* Its coordinator hears of it; one that does not live writes nothing. Until it is clear which of both it is: one that
 * begins or ends just now does not answer. *lives: there is one. The exit status. */
static int tell_coordinator(struct source *source, const struct rundir *dir, bool given, bool *lives, struct err *err)
{
    static const double patience = 60;
    static const struct timespec pause = {0, 100 * 1000000}; /* 100 ms */
    int status;
    *lives = false;
    for (double end = clock_monotonic() + patience;;) {
        if (write_alone(dir, given, &status, err))
            return status;
        status = source_ask(source, "share", NULL, NULL, err);
        *lives = !status;
        if (status != STATUS_UNREACHABLE || clock_monotonic() > end)
            return status;
        nanosleep(&pause, NULL);
    }
}

/* By what the group can look, and when. */
static void tell_way(struct console *console, struct source *source, const char *group, bool lives)
{
    char *path = pass_path(source_dir(source));
    console_tell(console, "the group %s can look while it runs: gannet status %s", group, path);
    if (!lives)
        console_tell(console,
                     "it does not run now, so there is nothing to be seen until it goes on; share: %s in the "
                     "experiment file is for what is recorded",
                     group);
    free(path);
}

static int share_with(struct console *console, struct source *source, const char *name, struct err *err)
{
    const struct rundir *dir = source_dir(source);
    gid_t group;
    if (share_find_group(name, &group, err) || pass_give(dir, group, err))
        return STATUS_FAILED;
    bool lives;
    int status = tell_coordinator(source, dir, true, &lives, err);
    if (status)
        return status;
    tell_way(console, source, name, lives);
    return STATUS_OK;
}

static int stop_sharing(struct console *console, struct source *source, struct err *err)
{
    const struct rundir *dir = source_dir(source);
    gid_t group;
    bool was_shared = pass_group(dir, &group), lives;
    if (pass_withdraw(dir, err))
        return STATUS_FAILED;
    int status = tell_coordinator(source, dir, false, &lives, err);
    if (!status)
        console_tell(console, "%s",
                     was_shared ? "its pass is withdrawn: who looks by it, or has kept a copy, is refused"
                                : "it is shared with nobody");
    return status;
}

static int say_group(struct console *console, struct source *source)
{
    gid_t number = 0;
    bool is_shared = pass_group(source_dir(source), &number);
    char *name = share_group_name(number);
    if (is_shared)
        tell_way(console, source, name, source_lives(source));
    else
        console_tell(console, "it is shared with nobody; --group NAME lets a group look while it runs");
    free(name);
    return STATUS_OK;
}

static int share_it(struct console *console, const struct args *args, struct source *source, struct err *err)
{
    const char *name = args_text(args, "group", NULL);
    if (name && args_has(args, "stop"))
        return err_write(err, "give --group or --stop, not both"), STATUS_USAGE;
    if (path_check_ours(source_dir(source)->path, err))
        return STATUS_FAILED;
    if (pass_is(source_dir(source)))
        return err_write(err, "%s is a pass already; name the run directory", source_dir(source)->path), STATUS_USAGE;
    return name                     ? share_with(console, source, name, err)
           : args_has(args, "stop") ? stop_sharing(console, source, err)
                                    : say_group(console, source);
}

static const struct option options[] = {OPTION_VALUE("group", TEXT, "NAME", "a group of yours, by name or number"),
                                        {.name = "stop", .help = "withdraw it: its key is refused from now on"},
                                        {0}};

const struct command cmd_share = {
    .name = "share",
    .group = GROUP_LOOK,
    .summary = "Lets a group look at an experiment while it runs",
    .text = "Writes one file beside the run directory, its pass (runs/digits.pass), which the\n"
            "group may read. Its members open it as if it were the experiment - gannet status\n"
            "runs/digits.pass, trials, show, best, explain - and their questions go to the\n"
            "coordinator, which answers what looks and refuses the rest. The run directory\n"
            "itself stays closed. Without options it says with whom it is shared. share: in the\n"
            "experiment file lets a group read everything that is recorded, at rest too.",
    .arguments = argument_experiment,
    .options = options,
    .examples = "gannet share digits --group lab\n"
                "gannet share digits --stop",
    .visit = share_it};
