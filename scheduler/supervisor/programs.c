/* Command lines of coordinator and workers; see programs.h. */
#include "scheduler/supervisor/programs.h"

#include "common/mem.h"
#include "common/path.h"
#include "common/texts.h"

#include <signal.h>
#include <stdlib.h>

/* Workers of commands are started again after 1, 2, 4 ... 32 s, then every minute while others bring the search
 * forward: a controller that is away lets nobody start. One that lived for a minute starts that anew. Without other
 * workers it is given up after 63 s, which outlast a restart of the controller. */
static const double command_pause = 1, command_pause_most = 60, command_steady = 60;
enum { COMMAND_DEATHS = 7 };

char *programs_path(const struct supervise_setup *setup, const char *name)
{
    char *ours = path_program_directory();
    char *path = path_join(setup->programs ? setup->programs : ours, name);
    free(ours);
    return path;
}

/* The child with these words and this log. */
static struct child *start_program(struct child_setup child, const struct texts *words, const char *log,
                                   struct err *err)
{
    child.argv = (const char *const *)words->items;
    child.log = log;
    return child_start(&child, err);
}

struct child *programs_start_coordinator(const struct supervise_setup *setup, const struct rundir *dir,
                                         const struct child_setup *child, struct err *err)
{
    char *program = programs_path(setup, "gannet"), *log = path_join(dir->logs, "coordinator.log");
    const char *fixed[] = {program,       "coordinator", "--rundir", dir->path, setup->listen ? "--listen" : NULL,
                           setup->listen, NULL};
    struct child_setup filled = *child;
    struct texts words = {0};
    texts_add_all(&words, fixed);
    texts_add_all(&words, setup->options);
    filled.once = setup->once;
    filled.death_signal = SIGUSR2;
    struct child *started = start_program(filled, &words, log, err);
    texts_fini(&words);
    free(program);
    free(log);
    return started;
}

struct child *programs_start_worker(const struct supervise_setup *setup, const struct rundir *dir,
                                    const struct child_setup *child, uint32_t index, uint32_t count, struct err *err)
{
    char *program = programs_path(setup, "gannet-worker"), *share = mem_format("%u/%u", index + 1, count);
    char *name = mem_format("worker-%u.log", index + 1), *log = path_join(dir->logs, name);
    struct child_setup filled = *child;
    struct texts words = {0};
    texts_add_all(&words, (const char *[]){program, "--rundir", dir->path, "--share", share, NULL});
    texts_add_all(&words, setup->machine);
    filled.death_signal = SIGTERM;
    struct child *started = start_program(filled, &words, log, err);
    texts_fini(&words);
    free(program);
    free(share);
    free(name);
    free(log);
    return started;
}

struct child *programs_start_command(const struct supervise_worker *command, const struct rundir *dir,
                                     const struct child_setup *child, struct err *err)
{
    char *log = path_join(dir->logs, command->log);
    struct child_setup filled = *child;
    filled.argv = command->argv;
    filled.log = log;
    filled.death_signal = SIGTERM;
    filled.steady = command_steady;
    filled.pause = command_pause;
    filled.pause_most = command_pause_most;
    filled.most_deaths = COMMAND_DEATHS;
    struct child *started = child_start(&filled, err);
    free(log);
    return started;
}
